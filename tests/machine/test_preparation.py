"""Nobody waits for a kernel, unless results shall be the same in every run."""

from __future__ import annotations

import os
import threading
from contextlib import nullcontext

import numpy as np
import pytest
from support.forking import in_child
from threadpoolctl import ThreadpoolController

from graphwright.machine import background, compiler, matmul, process_settings, products
from graphwright.machine.disk_cache import DiskCache
from graphwright.machine.exclusion import LLVM
from graphwright.machine.preparation import Preparation, Waiting
from graphwright.ops.convolution import convolution_kernels


def blas_threads():
    result = ThreadpoolController().select(user_api="blas").lib_controllers
    return [library.num_threads for library in result]


X = np.random.default_rng(0).normal(size=(100, 200)).astype(np.float32)
Y = np.random.default_rng(1).normal(size=(200, 150)).astype(np.float32)


@pytest.fixture(autouse=True)
def two_threads_of_blas(monkeypatch):
    """The suite has BLAS use one thread, so nobody would see that it does for another reason."""
    monkeypatch.setattr(Waiting, "always", False)
    process_settings.bound(2)
    yield
    process_settings.bound(0)


@pytest.fixture
def fresh(monkeypatch):
    """As if no product had been computed yet; what is made waits for `go`."""
    go = threading.Event()

    def make(dtype):
        return kept.setdefault(dtype, Preparation(go.wait))

    kept: dict[object, Preparation] = {}
    monkeypatch.setattr(products, "preparation", make)
    yield go
    go.set()
    background.wait()


def test_numpy_computes_until_the_kernel_is_there(fresh):
    (usual,) = set(blas_threads())
    assert usual == 2
    assert matmul._native(X, Y) is None
    np.testing.assert_array_equal(matmul.matmul(X, Y), X @ Y)
    image, filters = X.reshape(1, 20, 100, 10), Y[:90].reshape(3, 3, 10, 150)
    assert set(blas_threads()) == {1}  # the compiler needs the cores
    early = convolution_kernels.convolve(image, filters, (1, 1), "SAME")
    fresh.set()
    background.wait()
    assert set(blas_threads()) == {usual}
    native = matmul._native(X, Y)
    np.testing.assert_allclose(native, X @ Y, rtol=1e-4, atol=1e-4)
    late = convolution_kernels.convolve(image, filters, (1, 1), "SAME")
    np.testing.assert_allclose(early, late, rtol=1e-3, atol=1e-3)


def stopped(monkeypatch):
    worker = background.Worker()
    worker.stop()
    monkeypatch.setattr(background, "_WORKER", worker)


def unstartable(monkeypatch):
    def submit(job):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(background, "submit", submit)


@pytest.mark.parametrize("hinder", [stopped, unstartable])
def test_blas_has_its_threads_again_where_nobody_makes_the_kernel(hinder, monkeypatch):
    (usual,) = set(blas_threads())
    made = Preparation(lambda: None)
    hinder(monkeypatch)
    with pytest.raises(RuntimeError) if hinder is unstartable else nullcontext():
        assert not made.is_ready()
    assert set(blas_threads()) == {usual}


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_blas_has_its_threads_again_where_making_the_kernel_fails(error, caplog):
    def fail():
        raise error("no")

    (usual,) = set(blas_threads())
    made = Preparation(fail)
    assert not made.is_ready()
    assert background.wait(60)
    assert set(blas_threads()) == {usual}
    assert not made.is_ready()


def test_blas_has_its_threads_again_where_the_kernel_is_forgotten_before_it_is_made():
    (usual,) = set(blas_threads())
    go = threading.Event()
    first, forgotten = Preparation(go.wait), Preparation(lambda: None)
    assert not first.is_ready()
    assert not forgotten.is_ready()
    assert set(blas_threads()) == {1}
    del forgotten
    go.set()
    assert background.wait(60)
    assert set(blas_threads()) == {usual}


TEXT = "define i64 @answer(i64 %x) {\n  %y = add i64 %x, 43\n  ret i64 %y\n}\n"


@pytest.fixture
def stored(monkeypatch, tmp_path):
    """A function that makes a kernel, whose code is on the disk."""
    cache = DiskCache(tmp_path / "code")
    monkeypatch.setattr(compiler, "disk_cache", lambda: cache)
    compiler.compiled(TEXT)
    return lambda: compiler.compiled(TEXT)


def test_small_work_of_many_calls_has_a_kernel_compiled():
    made = []
    patient, usual = Preparation(lambda: made.append(1), patience=3), Preparation(made.clear)
    for _ in range(5):
        assert not patient.is_ready_for(5, 10)
        assert not usual.is_ready_for(5, 10)
    assert not patient.is_asked
    patient.is_ready_for(5, 10)
    background.wait()
    assert made == [1]
    assert patient.is_ready_for(5, 10)
    for _ in range(20):
        assert not usual.is_ready_for(5, 10)
    assert not usual.is_asked


def test_a_brief_kernel_on_the_disk_is_there_at_once(stored):
    (usual,) = set(blas_threads())
    assert Preparation(stored, is_brief=True).is_ready()
    assert set(blas_threads()) == {usual}
    other = Preparation(stored)
    assert not other.is_ready()
    assert background.wait(60)
    assert other.is_ready()


def test_a_brief_kernel_that_is_not_on_the_disk_is_compiled_in_the_background(stored):
    text = TEXT.replace("43", "44")
    threads = []

    def make():
        compiler.compiled(text)
        threads.append(threading.current_thread())

    made = Preparation(make, is_brief=True)
    assert not made.is_ready()
    assert background.wait(60)
    assert made.is_ready()
    assert threading.current_thread() not in threads
    assert compiler.compiled(text).addresses  # code is generated again, behind a recall


def test_nobody_waits_for_a_brief_kernel_while_llvm_is_used(stored):
    taken, go = threading.Event(), threading.Event()

    def hold():
        with LLVM:
            taken.set()
            go.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert taken.wait(60)
    (usual,) = set(blas_threads())
    made = Preparation(stored, is_brief=True)
    assert not made.is_ready()
    assert not made.is_asked
    assert set(blas_threads()) == {usual}
    go.set()
    holder.join()
    assert made.is_ready()  # the next caller reads it


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_blas_has_its_threads_in_a_child_that_is_forked_meanwhile(fresh):
    (usual,) = set(blas_threads())
    made = Preparation(fresh.wait)
    assert not made.is_ready()
    assert set(blas_threads()) == {1}

    def later():
        before = set(blas_threads())
        made.hold.release()  # of the parent's
        return before == set(blas_threads()) == {usual}

    assert in_child(later)
    assert set(blas_threads()) == {1}


def test_who_wants_the_same_in_every_run_waits(fresh, monkeypatch):
    fresh.set()
    monkeypatch.setattr(Waiting, "always", True)
    assert matmul._native(X, Y) is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_of_a_fork_makes_what_its_parent_had_asked_for(fresh):
    made = Preparation(lambda: None)
    made.worker = background.worker()  # which does not do it
    assert not made.is_ready()
    child = os.fork()
    if not child:
        made.is_ready()
        background.wait(10)
        os._exit(0 if made.is_ready() else 1)
    assert os.waitpid(child, 0)[1] == 0
