"""The results of an op on arrays that are at hand while tracing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphwright.base.errors import OpError
from graphwright.op.op import Op, host_value
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType


def evaluated(op: Op, arrays: Sequence[Array], types: Sequence[DType]) -> tuple[Array, ...] | None:
    """The arrays that an op makes of arrays of these dtypes; None where it refuses them.

    It refuses them again, with its message, when the graph runs.
    """
    mask = op.host_mask(len(arrays))
    operand_types = [dtype for dtype, host in zip(types, mask) if not host]
    arguments = [host_value(a) if host else a for a, host in zip(arrays, mask)]
    try:
        with np.errstate(all="ignore"):
            result = op.bind_checked(operand_types)(*arguments)
    except (ValueError, IndexError, OverflowError, ZeroDivisionError, OpError):
        return None
    results = result if isinstance(result, tuple) else (result,)
    dtypes = op.result_dtypes(operand_types)
    return tuple([np.asarray(x, dtype.numpy_dtype) for x, dtype in zip(results, dtypes)])
