"""BLAS by address, and bounded."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

import graphwright as tf
from graphwright.kernels import blas, threads


@pytest.fixture
def unbound() -> Iterator[None]:
    yield
    tf.config.threading.set_intra_op_parallelism_threads(0)


def blas_threads() -> list[int]:
    found = ThreadpoolController().select(user_api="blas").lib_controllers
    return [library.num_threads for library in found]


def test_a_routine_runs_at_its_address() -> None:
    routine = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5, *[ctypes.c_void_p] * 8)
    sgemm = routine(blas.address("sgemm"))
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
    with pytest.raises(ValueError, match="'qgemm'"):
        blas.address("qgemm")


@pytest.mark.usefixtures("unbound")
def test_settings_bound_every_thread() -> None:
    before = blas_threads()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    assert threads.available() == 1
    assert set(blas_threads()) == {1}
    tf.config.threading.set_intra_op_parallelism_threads(0)
    assert blas_threads() == before
    assert threads.available() == threads.cores()
