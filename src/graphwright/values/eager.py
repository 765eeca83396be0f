"""The eager interpreter: one op, one NumPy kernel, at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

from numpy import ndarray

from graphwright.errors import InvalidArgumentError, OpError, ResourceExhaustedError
from graphwright.op.interpreter import STATE
from graphwright.op.op import DTypeMismatch, Hooks, Op, host_value
from graphwright.op.refusal import leave
from graphwright.ops import arithmetic, comparison
from graphwright.values.operators import Operators
from graphwright.values.quiet import QUIET
from graphwright.values.tensor import EagerTensor, Tensor, wrap

#: What a kernel raises about its arguments; anything else is a defect and passes through.
KERNEL_ERRORS = (ValueError, IndexError, OverflowError, ZeroDivisionError, MemoryError)

REFUSALS = (*KERNEL_ERRORS, OpError)

_INTS = frozenset({int})


#: What executes an op, the loops over its operands unrolled.
_EXECUTE = """
def execute(op, operands):
    {unpack}
    kernel = op._kernels.get({key})
    if kernel is None:
        kernel = op._kernels[{key}] = bound(op, operands)
    try:
        result = {call}
    except REFUSALS as error:
        refuse(op, operands, error)
    if type(result) is ndarray:
        tensor = EagerTensor()
        tensor._array = result
        tensor._type = None
        return tensor
    if type(result) is tuple:
        return tuple([wrap(array) for array in result])
    return wrap(result)
"""


class _Executors(dict[int, "Callable[..., Any]"]):
    """What executes ops of a class with so many operands."""

    def __init__(self, kind: type[Op]) -> None:
        self.kind = kind

    def __missing__(self, count: int) -> Callable[..., Any]:
        kind = self.kind
        mask = kind.host_mask(count) if count <= _UNROLLED else None
        made = self[count] = _executor(mask, kind.pure and kind.computes)
        return made


#: More operands than these are gone through in a loop.
_UNROLLED = 12


def executor(kind: type[Op]) -> Callable[..., Any]:
    """The method that executes ops of a class on a tuple of eager tensors and host values."""
    executors = _Executors(kind)
    if not kind.has_lists:
        return executors[len(kind.operands)]
    return lambda op, operands: executors[len(operands)](op, operands)


@cache
def _executor(mask: tuple[bool, ...] | None, quiet: bool) -> Callable[..., Any]:
    terms = dict(_LISTS) if mask is None else _terms(mask)
    call = "QUIET.run(kernel, {arguments})" if quiet else "kernel({arguments})"
    source = _EXECUTE.format(call=call.format(**terms), **terms)
    found: dict[str, Any] = {}
    exec(compile(source, f"{__file__} (execute)", "exec"), _NAMES, found)
    made: Callable[..., Any] = found["execute"]
    return made


#: How the executor of an op with lists of operands gets at them.
_LISTS = {
    "unpack": "mask = op.host_mask(len(operands)); "
    "arrays = [as_host(o) if host else o._array for o, host in zip(operands, mask)]",
    "key": "tuple([a.dtype for a, host in zip(arrays, mask) if not host])",
    "arguments": "*arrays",
}


def _terms(mask: tuple[bool, ...]) -> dict[str, str]:
    """How an executor gets at so many operands, some of which are host operands."""
    operands = [f"x{i}" for i in range(len(mask))]
    unpack, key = [f"{''.join([f'{x}, ' for x in operands])} = operands"], []
    for x, is_host in zip(operands, mask):
        if is_host:
            unpack.append(f"{x} = {x} if type({x}) is int else as_host({x})")
        else:
            unpack.append(f"{x} = {x}._array")
            key.append(f"{x}.dtype")
    return {
        "unpack": "; ".join(unpack) if operands else "pass",
        "key": key[0] if len(key) == 1 else f"({', '.join(key)})",
        "arguments": ", ".join(operands),
    }


def as_host(value: Any) -> Any:
    """Any value as a host operand takes it: int, float or nested tuples of them."""
    kind = type(value)
    if kind is list or kind is tuple:
        if _INTS.issuperset(map(type, value)):
            return tuple(value)
        return tuple([as_host(v) for v in value])
    if kind is EagerTensor:
        return host_value(value._ndarray())
    if isinstance(value, (tuple, list)):
        return tuple([as_host(v) for v in value])
    if isinstance(value, Tensor):
        return host_value(value.numpy())  # type: ignore[attr-defined]
    return value if isinstance(value, (int, float)) else host_value(value)


def bound(op: Op, operands: tuple[Any, ...]) -> Any:
    """The kernel for operands of these dtypes, once they are known to be allowed."""
    mask = op.host_mask(len(operands))
    types = [o.dtype for o, is_host in zip(operands, mask) if not is_host]
    try:
        op.result_dtypes(types)
    except DTypeMismatch as mismatch:
        raise InvalidArgumentError(None, None, mismatch.eager_message()) from None
    return op.bind(types)


def refuse(op: Op, operands: tuple[Any, ...], error: Exception) -> NoReturn:
    """Raises a kernel's complaint as the error of the op."""
    if isinstance(error, OpError):
        if "[Op:" in error.message:
            raise error
        raise refusal(op, operands, error) from None
    raise refusal(op, operands, error) from error


def refusal(op: Op, operands: tuple[Any, ...] | None, error: Exception) -> OpError:
    """What a kernel complains of, in the words of the op's shape rule where that objects too."""
    kind: type[OpError] = InvalidArgumentError
    message = str(error)
    if isinstance(error, OpError):
        kind, message = type(error), error.message
    elif isinstance(error, MemoryError):
        kind, message = ResourceExhaustedError, message or "no memory is left"
    elif operands is not None:
        mask = op.host_mask(len(operands))
        try:
            op.infer([as_host(o) if host else o.type for o, host in zip(operands, mask)])
        except ValueError as rule:
            message = str(rule)
    if "[Op:" not in message:
        message = f"{message} [Op:{op.type_name}]"
    return kind(None, None, message)


#: What the text of executors names.
_NAMES: dict[str, Any] = {
    "EagerTensor": EagerTensor,
    "QUIET": QUIET,
    "REFUSALS": REFUSALS,
    "as_host": as_host,
    "bound": bound,
    "ndarray": ndarray,
    "refuse": refuse,
    "wrap": wrap,
}


def direct(
    op: Op, function: Callable[..., Any], general: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    """A binary operator that takes two eager tensors straight to the kernel, or to who interprets
    ops.

    `general` is the operator's full meaning: it serves everything else, the first call for a
    pair of dtypes, and what the kernel refuses. `function` is the public one that does the same.
    """
    kernels: dict[Any, Any] = op._kernels  # type: ignore[attr-defined]

    def operator(x: Any, y: Any) -> Any:
        kernel = None
        if type(y) is EagerTensor:
            a, b = x._array, y._array
            kernel = kernels.get((a.dtype, b.dtype))
        active = STATE.active
        if kernel is not None and active is None:
            try:
                return wrap(QUIET.run(kernel, a, b))
            except REFUSALS:
                pass
        try:
            if kernel is not None and active is not None:
                return active.apply(op, (x, y), None)
            return general(x, y)
        except Exception as error:
            leave(error, function, (x, y), {})
            raise

    return operator


for _name, _op, _function in (
    ("__add__", arithmetic.ADD, arithmetic.add),
    ("__sub__", arithmetic.SUB, arithmetic.subtract),
    ("__mul__", arithmetic.MUL, arithmetic.multiply),
    ("__truediv__", arithmetic.REAL_DIV, arithmetic.truediv),
    ("__lt__", comparison.LESS, comparison.less),
    ("__le__", comparison.LESS_EQUAL, comparison.less_equal),
    ("__gt__", comparison.GREATER, comparison.greater),
    ("__ge__", comparison.GREATER_EQUAL, comparison.greater_equal),
):
    setattr(EagerTensor, _name, direct(_op, _function, getattr(Operators, _name)))

Hooks.tensor = Tensor
Hooks.eager = EagerTensor
Hooks.executor = executor
