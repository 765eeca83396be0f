"""Inverses and solutions of systems with small real matrices by machine code, in 64 bits."""

from __future__ import annotations

import ctypes
import functools
import math
from typing import Any

import numpy as np

from graphwright.base.scalar_code import module_text
from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.ops.linalg import elimination_code
from graphwright.ops.linalg.row_texts import elimination_texts
from graphwright.ops.linalg.small_factors import is_ready_for
from graphwright.types.arrays import Array

#: The most rows: larger matrices and their right-hand sides do not fit into the cache of a core.
MOST = 256
#: LAPACK sees to a matrix with a smaller pivot, relative to the greatest entry. So it decides which
#: matrices have no inverse.
_LEAST_PIVOT = 1e-10
#: How often work that is not worth the code is.
_PATIENCE = 4
#: The bytes of a line of the cache, in which eight numbers shall lie.
_LINE = 64


_PLACE, _NUMBER = ctypes.c_void_p, ctypes.c_int64
#: The type of the function of systems.
KIND = ctypes.CFUNCTYPE(
    _NUMBER, *[_PLACE] * 3, *[_NUMBER] * 3, ctypes.c_bool, ctypes.c_double, _PLACE
)


def text() -> str:
    """The text of the function of systems."""
    return module_text(elimination_code.FUNCTIONS, elimination_texts())


@functools.cache
def functions() -> dict[str, Any]:
    """The function of systems, by its name."""
    return lasting_functions(text(), {"solve_systems": KIND})


PREPARATION = Preparation(functions, patience=_PATIENCE)


def room(n: int, m: int) -> int:
    """The numbers of work for systems of n rows with m right-hand sides."""
    rows, columns = [-(-size // 8) * 8 for size in (n, m)]
    return 8 + rows * elimination_code.row_length(rows + columns)


def solutions(matrices: Array, sides: Array | None) -> Array | None:
    """The solutions of systems; None for LAPACK to do it.

    Args:
        matrices: [..., n, n], float32 or float64.
        sides: [..., n, m], of the same dtype and batch; None for unit matrices.
    """
    if not is_ready_for(matrices, 1, MOST, PREPARATION):
        return None
    n = matrices.shape[-1]
    shape = matrices.shape if sides is None else sides.shape
    if shape[:-1] != matrices.shape[:-1] or shape[-1] == 0:
        return None
    count, m = math.prod(shape[:-2]), shape[-1]
    results = np.empty(shape, np.float64)
    whole = np.ascontiguousarray(matrices, np.float64)
    given = whole if sides is None else np.ascontiguousarray(sides, np.float64)
    work = np.empty(room(n, m) + _LINE // 8, np.float64)
    done = functions()["solve_systems"](
        address(whole), address(given), address(results), count, n, m, sides is None,
        _LEAST_PIVOT, -(-address(work) // _LINE) * _LINE,
    )  # fmt: skip
    return results.astype(matrices.dtype, copy=False) if done == count else None
