"""What TensorFlow refuses before an op sees its operands: the conversion of lists and text.

Where all operands are tensors, arrays and numbers, TensorFlow hands them to the op, which refuses a
dtype. Where one is a list or text, it first makes a tensor of each operand, of the dtype that the
record states or that another operand has. Here an op is called at once. So this looks, after an op
has refused its operands, whether a conversion would have refused them before. That error, of its
class, is the one that a program gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.op.op import INT32_BY_DEFAULT, Op
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.dtypes import DType
from graphwright.values.convert import convert
from graphwright.values.tensor import EagerTensor

#: Python values that TensorFlow's short way into an op does not take.
_LONG_WAY = (list, str, bytes, complex)


def refused_conversion(op: Op, operands: Sequence[object]) -> Exception | None:
    """The error of the first operand that converts to no tensor of the dtype it must have."""
    count = len(operands)
    values: list[Any] = [written(operand) for operand in operands]
    is_long = any(isinstance(value, _LONG_WAY) for value in values)
    names, groups = op.operand_names(count), dict[str, list[int]]()
    for place, operand in enumerate(op.each_operand(count)):
        if not operand.mixed:
            groups.setdefault(operand.dtype, []).append(place)
    for dtype, places in groups.items():
        given = {names[place]: values[place] for place in places if values[place] is not None}
        error = (
            refused_in_group(given, op.dtypes[dtype], default_of(op, dtype), is_long)
            if dtype in op.dtypes
            else refused_of_dtype(given, op.named_dtype(dtype), is_long)
        )
        if error is not None:
            name, refusal = error
            refusal.args = (f"{refusal}: '{name}' of {op.type_name}",)
            return refusal
    return None


def written(operand: object) -> object:
    """The list or text that a tensor was made of for the op; other operands as they are."""
    if isinstance(operand, EagerTensor) and operand._of_list:
        return operand._ndarray().tolist()
    return operand


def default_of(op: Op, variable: str) -> DType | None:
    """The dtype that a type variable has where no operand says it: the op's attribute, if any."""
    stated: DType | None = getattr(op, variable, None)
    return stated or (dt.int32 if variable in INT32_BY_DEFAULT else None)


def refused_of_dtype(
    given: dict[str, TensorLike], dtype: DType, is_long: bool
) -> tuple[str, Exception] | None:
    """The first operand that is not of a stated dtype, and its error."""
    for name, value in given.items():
        if is_long or not isinstance(value, EagerTensor):
            try:
                convert(value, dtype)
            except (TypeError, ValueError) as error:
                return name, error
    return None


def refused_in_group(
    given: dict[str, TensorLike], allowed: frozenset[DType], default: DType | None, is_long: bool
) -> tuple[str, Exception] | None:
    """The first operand that has not the dtype of its group's first tensor, or else first value."""
    tensors = [value for value in given.values() if isinstance(value, EagerTensor)]
    if len(tensors) == len(given):
        return None  # the op compares them
    dtype = tensors[0].dtype if tensors else None if is_long else default
    for name, value in given.items():
        if isinstance(value, EagerTensor) and not is_long:
            continue
        try:
            tensor = convert(value, dtype)
            if dtype is None:
                dtype = (tensor if tensor.dtype in allowed else convert(value, None, default)).dtype
        except (TypeError, ValueError) as error:
            return name, error
    return None
