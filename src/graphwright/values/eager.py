"""The eager interpreter: one op, one NumPy kernel, at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import copysign
from textwrap import indent
from typing import Any, NoReturn, TypeAlias, cast

import numpy as np
from numpy import asarray, generic, ndarray

from graphwright.base.bounded_tables import remember
from graphwright.base.errors import (
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    show_users_lines,
)
from graphwright.op.conditions import check_least
from graphwright.op.dispatch import opened
from graphwright.op.interpreter import STATE
from graphwright.op.op import FORMS, DTypeMismatch, Op, host_value
from graphwright.op.refusal import before_advice, leave, own_boundary, word_on_none
from graphwright.ops.linalg import contraction
from graphwright.ops.math import arithmetic, comparison, magnitude, transcendental
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.dtypes import DType
from graphwright.values.convert import eager_constant
from graphwright.values.early_conversion import refused_conversion
from graphwright.values.logical_devices import LogicalDevices
from graphwright.values.quiet import QUIET
from graphwright.values.tensor import EagerTensor, Tensor, wrap
from graphwright.values.tensor_operators import Operators

#: What a kernel raises about its arguments. Anything else is a defect and passes through, and so
#: are a TypeError that no rule explains and an AttributeError that no handle explains.
KERNEL_ERRORS = (
    ValueError, IndexError, OverflowError, ZeroDivisionError, MemoryError, TypeError,
    AttributeError,
)  # fmt: skip

REFUSALS = (*KERNEL_ERRORS, OpError)

#: The message in front of Python's or NumPy's own words where there are no others.
AXES = "An argument has too few or too many axes, or none that fit the others"

_INTS = frozenset({int})

#: Tensors and host values, as an op gets them.
Operands: TypeAlias = tuple[object, ...]


#: The source of the function that executes an op, its loops over operands unrolled.
_EXECUTE = """
def execute(op, operands):
    {unpack}
    kernel = op._kernels.get({key})
    if kernel is None:
        kernel = remember(op._kernels, {key}, bound(op, operands), FORMS)
    try:
        {hosts}
        result = {call}
    except REFUSALS as error:
        refuse(op, operands, error)
    {boxed}
"""

#: The source that makes tensors of a kernel's result. `wrap` does the same, in a call of its own.
BOXED = """if type(result) is not ndarray:
    if not isinstance(result, generic):
        return tuple(map(wrap, result)) if type(result) is tuple else wrap(result)
    result = asarray(result)
tensor = EagerTensor()
tensor._array = result
tensor._type = None
return tensor"""


class _Executors(dict[int, "Callable[..., Any]"]):
    """The functions that execute ops of a class, by the number of operands."""

    def __init__(self, kind: type[Op]) -> None:
        self.kind = kind

    def __missing__(self, count: int) -> Callable[..., Any]:
        kind = self.kind
        made: Callable[..., Any] = execute_one_of_many
        if count <= _UNROLLED and not (kind.has_lists and not kind.pure):
            hosts = zip(kind.host_mask(count), kind.host_ints(count), kind.host_casts(count))
            terms = tuple([maker_of(ints, casts) if host else "" for host, ints, casts in hosts])
            made = _executor(terms, kind.pure and kind.computes)
        return remember(self, count, made, FORMS)


def maker_of(allowed: frozenset[DType], casts: bool) -> str:
    """The name of the function that makes a host operand of a value, of any kind or of integers."""
    if not allowed:
        return "as_host"
    if allowed <= dt.INDEX:
        return "as_cast_ints" if casts else "as_ints"
    return "as_integers"


#: Where there are more operands, a loop goes through them. So it does through lists of operands of
#: ops with effects, such as the stages of datasets: they are few, and code for them takes 0.5 ms.
_UNROLLED = 12


def executor(kind: type[Op]) -> Callable[..., Any]:
    """The method that executes ops of a class on a tuple of eager tensors and host values."""
    executors = _Executors(kind)
    if not kind.has_lists:
        return executors[len(kind.operands)]
    return lambda op, operands: executors[len(operands)](op, operands)


def execute_one_of_many(op: Op, operands: Operands) -> Any:
    """Executes any op, by a loop over its operands."""
    mask = op.host_mask(len(operands))
    arrays: list[Any] = [
        as_host(o) if host else cast(EagerTensor, o)._array for o, host in zip(operands, mask)
    ]
    key = tuple([a.dtype for a, host in zip(arrays, mask) if not host])
    kernels: dict[Any, Any] = op._kernels  # type: ignore[attr-defined]
    kernel = kernels.get(key)
    if kernel is None:
        kernel = remember(kernels, key, bound(op, operands), FORMS)
    try:
        result = QUIET.run(kernel, *arrays) if op.pure and op.computes else kernel(*arrays)
    except REFUSALS as error:
        refuse(op, operands, error)
    return tuple(map(wrap, result)) if type(result) is tuple else wrap(result)


@cache
def _executor(hosts: tuple[str, ...], quiet: bool) -> Callable[..., Any]:
    terms = _terms(hosts)
    call = "QUIET.run(kernel, {arguments})" if quiet else "kernel({arguments})"
    source = _EXECUTE.format(call=call.format(**terms), boxed=indented(BOXED, 4), **terms)
    namespace: dict[str, Any] = {}
    exec(compile(source, f"{__file__} (execute)", "exec"), NAMES, namespace)
    made: Callable[..., Any] = namespace["execute"]
    return made


def indented(lines: str, columns: int) -> str:
    """Lines of source for a place that is so many columns from the left."""
    return indent(lines, " " * columns).lstrip()


def _terms(kinds: tuple[str, ...]) -> dict[str, str]:
    """How an executor gets at operands, some of which are host operands that a function makes."""
    operands = [f"x{i}" for i in range(len(kinds))]
    unpack, key, hosts = [f"{''.join([f'{x}, ' for x in operands])} = operands"], [], []
    for x, made_by in zip(operands, kinds):
        if made_by:
            hosts.append(f"{x} = {x} if type({x}) is int else {made_by}({x})")
        else:
            unpack.append(f"{x} = {x}._array")
            key.append(f"{x}.dtype")
    return {
        "unpack": "; ".join(unpack) if operands else "pass",
        "hosts": "; ".join(hosts) or "pass",
        "key": key[0] if len(key) == 1 else f"({', '.join(key)})",
        "arguments": ", ".join(operands),
    }


def as_ints(value: Any, allowed: frozenset[DType] = dt.INDEX) -> Any:
    """A host operand of places or sizes: ints, or nested tuples of them; `NotIndex` for others."""
    kind = type(value)
    if kind is list or kind is tuple:
        if _INTS.issuperset(map(type, value)):
            return tuple(value)
        return tuple([as_ints(v, allowed) for v in value])
    if kind is int or value is None:
        return value
    plain = as_host(value)
    dtype = value.dtype if isinstance(value, Tensor) else dtype_of(plain)
    if dtype not in allowed:
        raise NotIndex(value, dtype)
    return plain


def as_cast_ints(value: object) -> Any:
    """As `as_ints`; an array of floats, tensors of real numbers in a list, and bools become
    integers."""
    kind = type(value)
    if kind is list or kind is tuple:
        items: Any = value
        if _INTS.issuperset(map(type, items)):
            return tuple(items)
        return tuple([cast_place(v) for v in items])
    if kind is bool or kind is np.bool_:
        return int(bool(value))
    if is_float_array(value):
        return host_value(np.asarray(value).astype(np.int32))
    return as_ints(value)


def is_float_array(value: object) -> bool:
    """Whether a value is NumPy's, of floats: TensorFlow casts these, and refuses Python's."""
    return isinstance(value, (ndarray, np.generic)) and value.dtype.kind == "f"


def cast_place(value: object) -> Any:
    """An item of a list of places or sizes, a tensor or Python's bool cast to int32; NumPy's floats
    and bools are refused."""
    if type(value) is bool:
        return int(value)
    if type(value) in (list, tuple):
        return as_cast_ints(value)
    if isinstance(value, EagerTensor) and value.dtype in dt.REAL and value.dtype not in dt.INDEX:
        return host_value(value.numpy().astype(np.int32))
    return as_ints(value)


def as_integers(value: object) -> Any:
    """As `as_ints`, of an op that takes integers of other sizes too."""
    return as_ints(value, dt.INTEGER)


def dtype_of(plain: object) -> DType | None:
    """The dtype of the tensor that a plain value converts to, or None."""
    array = np.asarray(plain)
    if array.dtype.kind in "iu" or not array.size:
        return dt.int64
    return _KINDS.get(array.dtype.kind)


#: The dtypes of tensors that Python values convert to, by NumPy's kind of them.
_KINDS = {"b": dt.bool_, "f": dt.float32, "c": dt.complex128, "U": dt.string, "S": dt.string}


class NotIndex(TypeError):
    """A host operand that should be a place or a size has another dtype, or is no tensor."""

    def __init__(self, value: object, dtype: DType | None) -> None:
        super().__init__(value, dtype)
        self.value = value
        self.dtype = dtype


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
        return host_value(value.numpy())
    return value if isinstance(value, (int, float)) else host_value(value)


class Large:
    """Makes an op's kernel fast on large arrays too; `hooks` provides it."""

    kernel: Callable[[Op, Sequence[DType], Any], Any] = staticmethod(
        lambda op, types, kernel: kernel
    )


class Inside:
    """Names the node that raised an error, where a kernel runs a graph; `hooks` provides it.

    Every other error stays as it is.
    """

    explain: Callable[[Exception], Exception] = staticmethod(lambda error: error)


def bound(op: Op, operands: Operands) -> Any:
    """The kernel for operands of these dtypes, once they are known to be allowed."""
    LogicalDevices.in_use = True
    mask = op.host_mask(len(operands))
    tensors: Any = [o for o, is_host in zip(operands, mask) if not is_host]
    types = [tensor.dtype for tensor in tensors]
    try:
        check_least(op, len(types))
        op.result_dtypes(types)
        kernel = op.bind_checked(types)
    except DTypeMismatch as mismatch:
        refuse(op, operands, InvalidArgumentError(None, None, mismatch.eager_message()))
    except REFUSALS as error:
        refuse(op, operands, error)
    return Large.kernel(op, types, kernel)  # what its `element` raises is a defect


def refuse(op: Op, operands: Operands, error: Exception) -> NoReturn:
    """Raises a kernel's complaint as the error of the op, or what TensorFlow refuses before it."""
    earlier = refused_conversion(op, operands)
    if earlier is not None:
        raise earlier from None
    if isinstance(error, OpError) and "[Op:" in error.message:
        raise error from None
    explained = Inside.explain(error)
    if explained is error:
        explained = refusal(op, operands, error)
    if explained is error:
        raise error
    raise explained from (None if isinstance(error, (OpError, NotIndex)) else error)


def refusal(op: Op, operands: Operands | None, error: Exception) -> Exception:
    """What a kernel complains of, in the words of the op's shape rule where that objects too."""
    kind: type[OpError] = InvalidArgumentError
    message = str(error)
    if isinstance(error, OpError):
        kind, message = type(error), error.message
    elif isinstance(error, MemoryError):
        kind, message = ResourceExhaustedError, message or "no memory is left"
    elif isinstance(error, NotIndex):
        return wrong_host(op, operands or (), error)
    elif isinstance(error, AttributeError):
        return wrong_handle(op, operands or (), error)
    elif operands is not None:
        mask = op.host_mask(len(operands))
        values: tuple[Any, ...] = operands
        for operand, host in zip(values, mask):
            if host and isinstance(error, TypeError) and word_on_none(operand):
                return wrong_host(op, operands, NotIndex(operand, None))
        described = [as_host(o) if host else o.type for o, host in zip(values, mask)]
        defect = not op.pure or not all(is_plain(o) for o, host in zip(described, mask) if host)
        try:
            op.infer(described)
        except ValueError as rule:
            message = str(rule)
        except (TypeError, IndexError):
            if defect:
                return error
            message = f"{AXES}: {message}"
        else:
            if isinstance(error, TypeError):
                if defect:  # of ours, or an error that a program's own code raised
                    return error
                message = f"{AXES}: {message}"
    if "[Op:" not in message:
        message = before_advice(message, f" [Op:{op.type_name}]")
    return kind(None, None, message)


def wrong_handle(op: Op, operands: Operands, error: Exception) -> Exception:
    """The error for a handle of another kind than the op's; `error` itself for a defect."""
    kind = op.behind
    for name, operand in zip(op.operand_names(len(operands)), operands):
        if kind is None or not isinstance(operand, EagerTensor):
            continue
        thing = operand._array
        if operand.dtype in (dt.resource, dt.variant) and not isinstance(thing, kind):
            return InvalidArgumentError(
                None,
                None,
                f"{name} of {op.type_name} must be the handle of a {kind.__name__}, got {thing!r} "
                f"[Op:{op.type_name}]",
            )
    return error


def is_plain(value: object) -> bool:
    """Whether a host operand is a number or nested tuples of them."""
    return all(map(is_plain, value)) if type(value) is tuple else isinstance(value, (int, float))


def wrong_host(op: Op, operands: Operands, wrong: NotIndex) -> Exception:
    """The error for a host operand of a wrong dtype, as for a tensor's."""
    if wrong.dtype is None:
        return ValueError(
            f"Attempt to convert a value ({wrong.value!r}) with an unsupported type "
            f"({type(wrong.value)}) to a Tensor.{word_on_none(wrong.value)}"
        )
    count = len(operands)
    for position, allowed in enumerate(op.host_ints(count)):
        try:
            if allowed:
                as_ints(operands[position], allowed | dt.INDEX)
        except NotIndex:
            break
    try:
        op.check_host(position, count, wrong.dtype)
    except DTypeMismatch as mismatch:
        return InvalidArgumentError(None, None, mismatch.eager_message())
    return wrong


#: The names in the source of executors.
NAMES: dict[str, Any] = {
    "FORMS": FORMS,
    "EagerTensor": EagerTensor,
    "QUIET": QUIET,
    "REFUSALS": REFUSALS,
    "as_cast_ints": as_cast_ints,
    "as_host": as_host,
    "as_integers": as_integers,
    "as_ints": as_ints,
    "asarray": asarray,
    "bound": bound,
    "generic": generic,
    "ndarray": ndarray,
    "refuse": refuse,
    "remember": remember,
    "wrap": wrap,
}


#: Arrays of numbers, by the number, its type and sign, and the dtype.
_NUMBERS: dict[Any, Any] = {}
_MOST_NUMBERS = 1024


def number_beside(value: object, x: EagerTensor) -> Any:
    """The array of an int or a float in the dtype of a tensor; None where that has no such number,
    and for other values."""
    kind = type(value)
    if kind is not float and kind is not int:
        return None
    number: Any = value
    key: Any = (number, kind, x._array.dtype)
    if not number:
        key = (*key, copysign(1.0, number))  # 0.0 and -0.0 are equal
    array = _NUMBERS.get(key)
    if array is None:
        try:
            array = eager_constant(number, x.dtype)._array
        except (TypeError, ValueError, OverflowError):
            return None
        remember(_NUMBERS, key, array, _MOST_NUMBERS)
    return array


def direct(
    op: Op, function: Callable[..., object], general: Callable[[EagerTensor, TensorLike], object]
) -> Callable[[EagerTensor, TensorLike], object]:
    """A binary operator that takes two eager tensors straight to the kernel, or to who interprets
    ops; and a tensor and a number straight to the kernel.

    `general` is the operator's full meaning: it serves everything else, the first call for a
    pair of dtypes, and what the kernel refuses. `function` is the public one that does the same.
    """
    kernels: dict[Any, Any] = op._kernels  # type: ignore[attr-defined]

    def operator(x: EagerTensor, y: TensorLike) -> object:
        kernel = None
        active = STATE.active
        if type(y) is EagerTensor:
            a, b = x._array, y._array
            kernel = kernels.get((a.dtype, b.dtype))
        elif active is None and type(x) is EagerTensor:
            a = x._array
            b = number_beside(y, x)
            kernel = None if b is None else kernels.get((a.dtype, b.dtype))
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


def direct_reflected(
    op: Op, general: Callable[[EagerTensor, TensorLike], object]
) -> Callable[[EagerTensor, TensorLike], object]:
    """A binary operator that takes a number before a tensor straight to the kernel; `general` as
    for `direct`."""
    kernels: dict[Any, Any] = op._kernels  # type: ignore[attr-defined]

    def operator(y: EagerTensor, x: TensorLike) -> object:
        if STATE.active is None and type(y) is EagerTensor:
            a = number_beside(x, y)
            kernel = None if a is None else kernels.get((a.dtype, y._array.dtype))
            if kernel is not None:
                try:
                    return wrap(QUIET.run(kernel, a, y._array))
                except REFUSALS:
                    pass
        try:
            return general(y, x)
        except Exception as error:
            show_users_lines(error)
            raise

    return operator


def through_public(
    public: Callable[..., object], general: Callable[..., object]
) -> Callable[..., object]:
    """An operator that calls a public function on eager tensors, which may have a prepared call;
    `general` as for `direct`."""

    def operator(x: EagerTensor, *others: object) -> object:
        is_plain = STATE.active is None and (not others or type(others[0]) is EagerTensor)
        try:
            return public(x, *others) if is_plain else general(x, *others)
        except Exception as error:
            show_users_lines(error)
            raise

    return operator


def direct_item(
    general: Callable[[EagerTensor, object], object],
) -> Callable[[EagerTensor, object], object]:
    """`tensor[key]` by NumPy's own indexing where it means the same; `general` is its full
    meaning, which serves what NumPy refuses too."""

    def item(x: EagerTensor, key: object) -> object:
        index: Any = (key, ...) if type(key) is int else plain_index(key)
        if index is not None and STATE.active is None and type(x) is EagerTensor:
            array = x._array
            LogicalDevices.in_use = True
            if type(array) is ndarray:
                try:
                    return wrap(array[index])
                except REFUSALS:
                    pass
        try:
            return general(x, key)
        except Exception as error:
            show_users_lines(error)
            raise

    return item


_SLICE_ENDS = frozenset({int, type(None)})
_INDICES = frozenset({int, type(None), type(...)})


def plain_index(key: object) -> tuple[object, ...] | None:
    """The index of NumPy's that gives the array that a key means, where that is made of ints,
    slices of ints, `...` and `newaxis`; None for other keys."""
    items = key if type(key) is tuple else (key,)
    for item in items:
        if type(item) is slice:
            if not _SLICE_ENDS.issuperset((type(item.start), type(item.stop), type(item.step))):
                return None
        elif type(item) not in _INDICES:
            return None
    return items if ... in items else (*items, ...)


for _name, _op, _function in (
    ("add", arithmetic.ADD, arithmetic.add),
    ("sub", arithmetic.SUB, arithmetic.subtract),
    ("mul", arithmetic.MUL, arithmetic.multiply),
    ("truediv", arithmetic.REAL_DIV, arithmetic.truediv),
    ("floordiv", arithmetic.FLOOR_DIV, arithmetic.floordiv),
    ("mod", arithmetic.FLOOR_MOD, arithmetic.floormod),
    ("pow", transcendental.POW, transcendental.pow),
    ("lt", comparison.LESS, comparison.less),
    ("le", comparison.LESS_EQUAL, comparison.less_equal),
    ("gt", comparison.GREATER, comparison.greater),
    ("ge", comparison.GREATER_EQUAL, comparison.greater_equal),
):
    _general = getattr(Operators, f"__{_name}__")
    setattr(EagerTensor, f"__{_name}__", direct(_op, _function, _general))
    _general = getattr(Operators, f"__r{_name}__", None)
    if _general is not None:  # Python reflects comparisons itself
        setattr(EagerTensor, f"__r{_name}__", direct_reflected(_op, _general))
for _name, _public in (
    ("matmul", opened(contraction.matmul)),
    ("neg", opened(arithmetic.negative)),
    ("abs", opened(magnitude.abs)),
):
    _general = getattr(Operators, f"__{_name}__")
    setattr(EagerTensor, f"__{_name}__", through_public(_public, _general))
EagerTensor.__getitem__ = own_boundary(direct_item(Operators.__getitem__))  # type: ignore[assignment,method-assign]
