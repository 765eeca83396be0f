"""What a saver saves: each variable under a key, as a whole tensor or as a part of one."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.control.graph_variable import GraphVariable
from graphwright.op.interpreter import activate, apply
from graphwright.op.refusal import complete
from graphwright.ops.state.variable_ops import AssignVariableOp
from graphwright.portable.graphs.classic_variables import TensorPart
from graphwright.portable.graphs.session import Session
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.values.convert import constant


class SavedPart(NamedTuple):
    """A variable, the key of its tensor in checkpoints, and which part of the tensor it is.

    `part` is the text that TensorFlow has for it, such as `4 3 0,2:0,3`, or empty for all of it.
    """

    key: str
    part: str
    variable: GraphVariable


def whole_tensors(parts: list[SavedPart], arrays: list[Any]) -> dict[str, tuple[DType, Array]]:
    """The tensors by their keys that the values of variables make up, with their dtypes.

    Raises:
        InvalidArgumentError: Parts do not make up a whole.
    """
    made: dict[str, tuple[DType, Array]] = {}
    sizes: Counter[str] = Counter()
    for saved, value in zip(parts, arrays):
        sizes[saved.key] += np.size(value)
    for (key, text, variable), value in zip(parts, arrays):
        dtype = variable.dtype
        array = np.asarray(value, dtype.numpy_dtype)
        if not text:
            made[key] = dtype, array
            continue
        part = TensorPart.of(text)
        if part is None or math.prod(part.dims) != sizes[key]:
            raise not_whole(key, text)
        whole = made.setdefault(key, (dtype, np.empty(part.dims, dtype.numpy_dtype)))[1]
        if part.dims != whole.shape or len(part.ranges) != whole.ndim:
            raise not_whole(key, text)
        if whole[part.ranges].shape != array.shape:
            raise not_whole(key, text)
        whole[part.ranges] = array
    return made


def not_whole(key: str, text: str) -> InvalidArgumentError:
    """The error about a part that does not fit the others."""
    words = f"variables are no parts of one tensor {key!r}: {text!r} does not fit the others"
    return complete(InvalidArgumentError(None, None, words))


def load(session: Session, variable: GraphVariable, array: Array, where: str) -> None:
    """Gives a variable a value in a session, if it fits."""
    fits, dtype = variable.shape.is_compatible_with(array.shape), dt.of_numpy(array.dtype)
    if not fits or dtype is not variable.dtype:
        raise complete(InvalidArgumentError(
            None, None, f"Shapes and dtypes must match: {where} is {dtype.name}"
            f"{list(array.shape)}, and {variable.name!r} is {variable.dtype.name}"
            f"{list(variable.shape)}"
        ))  # fmt: skip
    with activate(None):
        handle = session._handle_of(variable._handle)
        apply(AssignVariableOp.of(dtype), handle, constant(array, dtype))
