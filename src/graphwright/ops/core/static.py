"""What is known of a tensor's value before it is computed."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np

from graphwright.op.interpreter import is_tensor

#: The ops whose results TensorFlow knows: all, or those of which it knows the operands.
_FROM_TYPES = frozenset({"Const", "Rank", "Shape", "Size"})
_FROM_VALUES = frozenset(
    {"Cast", "Concat", "ConcatV2", "DebugIdentityV2", "CheckNumericsV2", "Equal", "Fill"}
    | {"Identity", "NotEqual", "Pack", "Range", "Split", "StopGradient", "Unpack"}
)


def get_static_value(tensor: object, partial: bool = False) -> Any:
    """Returns the value of a tensor where it is known without running anything, else None.

    Args:
        tensor: A tensor, or any other value.
        partial: Whether a value that is known in part is returned, with None for what is not known.

    Returns:
        A NumPy array of the dtype of `tensor`, or of objects where it is known in part; None where
        it is not known. What is no tensor is returned as it is.

    >>> import graphwright as tf
    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)
    """
    if not is_tensor(tensor) or is_evident(tensor):
        return static_value(tensor, partial)
    operation: Any = getattr(tensor, "op", None)
    if not partial or operation.type != "Pack" or operation.get_attr("axis") != 0:
        return None
    return np.array([get_static_value(entry, partial) for entry in operation.inputs])


def is_evident(tensor: object) -> bool:
    """Whether TensorFlow knows the value of a tensor of a graph too: programs count on None."""
    pending = [getattr(tensor, "op", None)]
    while pending:
        operation = pending.pop()
        if operation is None or operation.type in _FROM_TYPES:
            continue
        if operation.type not in _FROM_VALUES:
            return False
        pending += [operand.op for operand in operation.inputs]
    return True


def static_value(tensor: object, partial: bool = False) -> Any:
    """All that is known of a tensor's value, as `get_static_value` gives it."""
    if not is_tensor(tensor):
        return tensor
    known = getattr(tensor, "known", None)  # a variable has none
    if known is None:
        return None
    array = np.array(known, dtype=object).reshape(tensor.type.dims)  # it may have no elements
    if any(entry is None for entry in array.flat):
        return array if partial else None
    return array.astype(tensor.dtype.numpy_dtype)[()]


#: The kinds of floats that `check_whole` tells apart.
PYTHON, NUMPY, TENSOR = "python", "numpy", "tensor"


def check_whole(
    value: object,
    argument: str,
    *,
    cut: Container[str] = (),
    error: type[Exception] = TypeError,
) -> None:
    """`error` where a size or an axis, or an entry of a list of them, is a float.

    `cut` has the kinds of floats that are cut to integers there, as in TensorFlow.
    """
    for entry in value if isinstance(value, (list, tuple)) else [value]:
        kind = kind_of_float(entry)
        if kind is not None and kind not in cut:
            raise error(f"Expected int for argument '{argument}' not {value!r}.")


def kind_of_float(value: object) -> str | None:
    """Whose float a value is; None for all else."""
    if is_tensor(value):
        tensor: Any = value
        return TENSOR if tensor.dtype.is_floating else None
    if isinstance(value, (np.generic, np.ndarray)):
        return NUMPY if value.dtype.kind == "f" else None
    return PYTHON if isinstance(value, float) else None


def known_int(value: object) -> Any:
    """A whole number, NumPy's or a tensor's, as an int where it is known; else the value itself."""
    number = value if isinstance(value, np.generic) else static_value(value)
    if isinstance(number, np.ndarray) and number.ndim == 0:
        number = number[()]
    return int(number) if isinstance(number, np.integer) else value
