"""BLAS by address, and bounded."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from subprocess import run

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

import graphwright as tf
from graphwright.machine import blas, threads


@pytest.fixture
def unbound() -> Iterator[None]:
    yield
    tf.config.threading.set_intra_op_parallelism_threads(0)


def blas_threads() -> list[int]:
    found = ThreadpoolController().select(user_api="blas").lib_controllers
    return [library.num_threads for library in found]


@pytest.mark.parametrize("find", [blas.address, blas._exported, blas._wrapped])
def test_a_routine_runs_at_its_address(find: Callable[[str], int | None]) -> None:
    routine = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5, *[ctypes.c_void_p] * 8)
    address = find("sgemm")
    if address is None:
        pytest.skip("SciPy's BLAS has names of its own")
    sgemm = routine(address)
    a, b = (np.asfortranarray(x) for x in np.random.default_rng(0).random((2, 3, 3), np.float32))
    c = np.zeros((3, 3), np.float32, order="F")
    n, one, zero = ctypes.c_int(3), ctypes.c_float(1), ctypes.c_float(0)
    size, scale, clear = (ctypes.addressof(x) for x in (n, one, zero))
    keep = (ctypes.c_char * 1)(b"N")
    none = ctypes.addressof(keep)
    pointers = [x.ctypes.data for x in (a, b, c)]
    sgemm(
        none, none, size, size, size, scale, pointers[0], size, pointers[1], size, clear,
        pointers[2], size,
    )  # fmt: skip
    np.testing.assert_allclose(c, a @ b, rtol=1e-6)


def test_unknown_routines_are_refused() -> None:
    with pytest.raises(ValueError, match="'gemmy'"):
        blas.address("gemmy")


@pytest.mark.skipif(blas._exported("sgemm") is None, reason="SciPy's BLAS has names of its own")
def test_products_do_not_wait_for_scipy() -> None:
    """Its package of linear algebra takes 0.15 s to import, and all that is wanted is BLAS."""
    code = "import sys; from graphwright.machine import blas; blas.address('sgemm')"
    told = f"{code}; print('scipy' in sys.modules)"
    assert run([sys.executable, "-c", told], capture_output=True, text=True).stdout == "False\n"


@pytest.mark.usefixtures("unbound")
def test_settings_bound_every_thread() -> None:
    before = blas_threads()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    assert threads.available() == 1
    assert set(blas_threads()) == {1}
    tf.config.threading.set_intra_op_parallelism_threads(0)
    assert blas_threads() == before
    assert threads.available() == threads.cores()


@pytest.mark.usefixtures("unbound")
def test_a_hold_ends_in_whichever_thread_releases_it() -> None:
    """By itself threadpoolctl heeds only the thread that was the first to set a number."""
    blas.bound(2)
    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        library.set_num_threads(2)
    hold = blas.Hold()
    assert set(blas_threads()) == {1}
    thread = threading.Thread(target=hold.release)
    thread.start()
    thread.join()
    assert set(blas_threads()) == {2}
