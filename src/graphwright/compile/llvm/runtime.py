"""The addresses that programs use by name, and their machine code in this process."""

from __future__ import annotations

import ctypes
from functools import cache, partial

import numpy as np

from graphwright.machine import blas, compiler, large_arrays, threads
from graphwright.machine.drafts import drafted
from graphwright.machine.exclusion import LLVM
from graphwright.machine.linking import Library, c_function

#: The routines of BLAS and LAPACK, for float32 and float64.
ROUTINES = ("gemm", "trsm", "potrf", "gesv")

#: The product kernels, by dtype.
PRODUCTS = {
    f"gw_{letter}{name}": (dtype, name)
    for letter, dtype in (("s", np.float32), ("d", np.float64))
    for name in ("pack", "multiply", "shared_product", "multiply_rows")
}

#: The addresses that `define` has added.
_DEFINED: dict[str, int] = {}


def define(name: str, address: int) -> None:
    """Adds a function or an object to which programs may refer."""
    _DEFINED[name] = address


def link(text: str, is_quick: bool = False) -> Library:
    """The functions of a module, in this process; quick code is a draft."""
    if not is_quick:
        return compiler.link(text, address)
    library, is_draft = compiler.quick_link(text, address, partial(address, is_draft=True))
    if is_draft:
        drafted(library, partial(compiler.link, text, address))
    return library


@cache
def _outside(name: str) -> int | None:
    if name.removeprefix("gw_")[1:] in ROUTINES:
        return blas.address(name.removeprefix("gw_"))
    if name == "gw_parallel_for":
        return threads.address()
    if name in ("gw_malloc", "gw_free"):
        return large_arrays.of_temporaries(name.removeprefix("gw_"))
    return c_function(name)


def _product(name: str, is_draft: bool) -> int | None:
    """The address of a product kernel."""
    with LLVM:  # a fork waits for the import
        from graphwright.machine import products

    dtype, function = PRODUCTS[name]
    kernels = products.draft_kernels if is_draft else products.kernels
    return ctypes.cast(getattr(kernels(np.dtype(dtype)), function), ctypes.c_void_p).value


def address(name: str, is_draft: bool = False) -> int | None:
    """The address of a name in native code: of Python, the C library, BLAS or our threads.

    Drafts may get other product kernels than code that stays.
    """
    if name in PRODUCTS:
        return _product(name, is_draft)
    return _DEFINED.get(name) or _outside(name)
