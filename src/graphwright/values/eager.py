"""The eager interpreter: one op, one NumPy kernel, at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.errors import InvalidArgumentError, OpError
from graphwright.op.interpreter import STATE, Hooks
from graphwright.op.op import DTypeMismatch, Op, host_value
from graphwright.ops import arithmetic, comparison
from graphwright.types.dtypes import DType
from graphwright.values.operators import Operators
from graphwright.values.quiet import QUIET
from graphwright.values.tensor import EagerTensor, Tensor, wrap

#: What a kernel raises about its arguments; anything else is a defect and passes through.
KERNEL_ERRORS = (ValueError, IndexError, OverflowError, ZeroDivisionError)

_INTS = frozenset({int})


def eager(op: Op, operands: tuple[Any, ...]) -> Any:
    """Executes an op on eager tensors and host values."""
    if op.has_host:
        arguments, key = _arguments(op, operands)
    else:
        arguments = [o._array for o in operands]
        key = tuple([a.dtype for a in arguments])
    kernels: dict[Any, Any] = op._kernels  # type: ignore[attr-defined]
    kernel = kernels.get(key)
    if kernel is None:
        kernel = kernels[key] = _bind(op, operands)
    try:
        result = QUIET.run(kernel, *arguments) if op.pure else kernel(*arguments)
    except KERNEL_ERRORS as error:
        raise _explained(op, operands, error) from error
    except OpError as error:
        raise _named(error, op) from None
    if type(result) is tuple:
        return tuple([wrap(array) for array in result])
    return wrap(result)


def _arguments(op: Op, operands: tuple[Any, ...]) -> tuple[list[Any], tuple[Any, ...]]:
    """Arrays for the tensor operands, Python values for the host operands; the dtypes."""
    arguments: list[Any] = []
    key = []
    for is_host, operand in zip(op.host_mask(len(operands)), operands):
        if is_host:
            kind = type(operand)
            plain = kind is int or (kind is tuple and _INTS.issuperset(map(type, operand)))
            arguments.append(operand if plain else as_host(operand))
        else:
            array = operand._array
            arguments.append(array)
            key.append(array.dtype)
    return arguments, tuple(key)


def as_host(value: Any) -> Any:
    """Any value as a host operand takes it: int, float or nested tuples of them."""
    if isinstance(value, Tensor):
        return host_value(value.numpy())  # type: ignore[attr-defined]
    if isinstance(value, (list, tuple)):
        return tuple([as_host(v) for v in value])
    if isinstance(value, (int, float)):
        return value
    return host_value(value)


def _bind(op: Op, operands: tuple[Any, ...]) -> Any:
    """The kernel for operands of these dtypes, once they are known to be allowed."""
    types = _dtypes(op, operands)
    try:
        op.result_dtypes(types)
    except DTypeMismatch as mismatch:
        raise InvalidArgumentError(None, None, mismatch.eager_message()) from None
    return op.bind(types)


def _dtypes(op: Op, operands: tuple[Any, ...]) -> list[DType]:
    mask = op.host_mask(len(operands))
    return [o.dtype for o, is_host in zip(operands, mask) if not is_host]


def _explained(op: Op, operands: tuple[Any, ...], error: Exception) -> OpError:
    """A kernel's complaint in the words of the op's shape rule, where that objects too."""
    mask = op.host_mask(len(operands))
    described = [as_host(o) if is_host else o.type for o, is_host in zip(operands, mask)]
    message = str(error)
    try:
        op.infer(described)
    except ValueError as rule:
        message = str(rule)
    return InvalidArgumentError(None, None, f"{message} [Op:{op.type_name}]")


def _named(error: OpError, op: Op) -> OpError:
    """The same error with the op's name in its message."""
    if "[Op:" in error.message:
        return error
    return type(error)(None, None, f"{error.message} [Op:{op.type_name}]")


def direct(op: Op, general: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A binary operator that takes two eager tensors straight to the kernel.

    `general` is the operator's full meaning: it serves everything else, the first call for a
    pair of dtypes, and what the kernel refuses.
    """
    kernels: dict[Any, Any] = op._kernels  # type: ignore[attr-defined]

    def operator(x: Any, y: Any) -> Any:
        if type(y) is EagerTensor and STATE.active is None:
            a, b = x._array, y._array
            kernel = kernels.get((a.dtype, b.dtype))
            if kernel is not None:
                try:
                    return wrap(QUIET.run(kernel, a, b))
                except (*KERNEL_ERRORS, OpError):
                    return general(x, y)
        return general(x, y)

    return operator


for _name, _op in (
    ("__add__", arithmetic.ADD),
    ("__sub__", arithmetic.SUB),
    ("__mul__", arithmetic.MUL),
    ("__truediv__", arithmetic.REAL_DIV),
    ("__lt__", comparison.LESS),
    ("__le__", comparison.LESS_EQUAL),
    ("__gt__", comparison.GREATER),
    ("__ge__", comparison.GREATER_EQUAL),
):
    setattr(EagerTensor, _name, direct(_op, getattr(Operators, _name)))

Hooks.eager = eager
