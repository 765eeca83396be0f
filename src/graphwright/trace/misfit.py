"""What helps where an argument does not fit `input_signature`: a conversion, or a wider spec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import user_frame
from graphwright.base.source_text import node_at, operands_of
from graphwright.op.op import Hooks
from graphwright.types import dtypes as dt
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import TensorType, is_compatible, join_dims
from graphwright.types.trace_type import TraceType

#: What Python's numbers and strings become as tensors, by the kind of NumPy's array.
_OF_KIND = {"b": dt.bool_, "i": dt.int32, "f": dt.float32, "c": dt.complex128, "U": dt.string}


def words_on_misfit(
    name: str, value: object, wanted: TraceType, parameters: Sequence[str], count: int
) -> str:
    """Lines that name an argument, its type and the wanted one, and say what fits.

    `parameters` and `count` are the function's, and the number of arguments by position.
    """
    given = type_of_value(value)
    if given is None or not isinstance(wanted, TensorSpec):
        return f"\n    argument {name!r} does not fit input_signature: {wanted!r}"
    spec = TensorType(wanted.dtype, wanted.shape._dims)
    is_spec = isinstance(value, TensorSpec)
    argument = text_of_argument(name, parameters, count)
    fits = wider(given, spec) if is_spec else fitting(argument, given, spec)
    return f"\n    argument {name!r} is {given!r}; input_signature has {spec!r}\n    {fits}"


def type_of_value(value: object) -> TensorType | None:
    """The type of a tensor, or of the one that a Python value would become; None for others."""
    if isinstance(value, (Hooks.tensor, TensorSpec)):
        type_: TensorType = value.type
        return type_
    try:
        array = np.array(value)
    except (ValueError, TypeError, NotImplementedError):  # uneven rows, tensors of a graph
        return None
    if isinstance(value, (np.ndarray, np.generic)) and array.dtype.kind in "bifcu":
        return TensorType(dt.as_dtype(array.dtype), array.shape)
    dtype = _OF_KIND.get(array.dtype.kind)
    return None if dtype is None else TensorType(dtype, array.shape)


def fitting(argument: str, given: TensorType, wanted: TensorType) -> str:
    """A conversion of the argument that fits, else the spec that takes it.

    >>> fitting("x", TensorType(dt.int32, (2, 3)), TensorType(dt.float32, (None, 3)))
    'tf.cast(x, tf.float32) fits'
    >>> fitting("x", TensorType(dt.float32, (3,)), TensorType(dt.float32, (None, 3)))
    'tf.expand_dims(x, 0) fits'
    >>> fitting("x", TensorType(dt.float32, (2, 4)), TensorType(dt.float32, (None, 3)))
    'tf.TensorSpec([None, None], tf.float32) in input_signature takes it'
    """
    a, b = given.dims, wanted.dims
    is_cast = given.dtype is not wanted.dtype
    if not is_cast and a is not None and b is not None and b and is_compatible(a, b[1:]):
        return f"tf.expand_dims({argument}, 0) fits"
    numbers = (given.dtype.is_numeric or given.dtype.is_bool) and wanted.dtype.is_numeric
    is_wider = dt.widest((given.dtype, wanted.dtype)) is wanted.dtype
    keeps = is_wider or (wanted.dtype.is_floating and not given.dtype.is_complex)
    if is_cast and numbers and keeps and is_compatible(a, b):
        return f"tf.cast({argument}, tf.{wanted.dtype.name}) fits"
    return wider(given, wanted)


def wider(given: TensorType, wanted: TensorType) -> str:
    """The most specific spec that takes both."""
    dims = join_dims(given.dims, wanted.dims)
    shown = "None" if dims is None else str(list(dims))
    return f"tf.TensorSpec({shown}, tf.{given.dtype.name}) in input_signature takes it"


def text_of_argument(name: str, parameters: Sequence[str], count: int) -> str:
    """The program's expression for an argument, else the parameter's name."""
    frame = user_frame(1)
    placed, named = operands_of(None if frame is None else node_at(frame))
    texts: dict[str, Any] = dict(zip(list(parameters)[max(count - len(placed), 0) :], placed))
    return {**texts, **named}.get(name) or name
