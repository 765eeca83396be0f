"""BLAS by address."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from subprocess import run

import numpy as np
import pytest

from graphwright.machine import blas


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
