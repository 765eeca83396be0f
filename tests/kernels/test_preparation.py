"""Nobody waits for a kernel, unless results shall be the same in every run."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from graphwright.kernels import background, convolution, matmul, products
from graphwright.kernels.preparation import Preparation, Waiting


def blas_threads():
    found = ThreadpoolController().select(user_api="blas").lib_controllers
    return [library.num_threads for library in found]


X = np.random.default_rng(0).normal(size=(100, 200)).astype(np.float32)
Y = np.random.default_rng(1).normal(size=(200, 150)).astype(np.float32)


@pytest.fixture
def fresh(monkeypatch):
    """As if no product had been computed yet; what is made waits for `go`."""
    go = threading.Event()

    def make(dtype):
        return kept.setdefault(dtype, Preparation(go.wait))

    kept: dict[object, Preparation] = {}
    monkeypatch.setattr(products, "preparation", make)
    monkeypatch.setattr(Waiting, "always", False)
    yield go
    go.set()
    background.wait()


def test_numpy_computes_until_the_kernel_is_there(fresh):
    (usual,) = set(blas_threads())
    assert matmul._native(X, Y) is None
    np.testing.assert_array_equal(matmul.matmul(X, Y), X @ Y)
    image, filters = X.reshape(1, 20, 100, 10), Y[:90].reshape(3, 3, 10, 150)
    assert set(blas_threads()) == {1}  # the compiler needs the cores
    early = convolution.convolve(image, filters, (1, 1), "SAME")
    fresh.set()
    background.wait()
    assert set(blas_threads()) == {usual}
    native = matmul._native(X, Y)
    np.testing.assert_allclose(native, X @ Y, rtol=1e-4, atol=1e-4)
    late = convolution.convolve(image, filters, (1, 1), "SAME")
    np.testing.assert_allclose(early, late, rtol=1e-3, atol=1e-3)


def test_who_wants_the_same_in_every_run_waits(fresh, monkeypatch):
    fresh.set()
    monkeypatch.setattr(Waiting, "always", True)
    assert matmul._native(X, Y) is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_of_a_fork_makes_what_its_parent_had_asked_for(fresh):
    made = Preparation(lambda: None)
    made.asked = background.worker()  # which does not do it
    assert not made.is_ready()
    child = os.fork()
    if not child:
        made.is_ready()
        background.wait(10)
        os._exit(0 if made.is_ready() else 1)
    assert os.waitpid(child, 0)[1] == 0
