"""The promotion modes "all" and "safe": operators and functions that promote by the lattice.

An operand is a tensor of a dtype, perhaps a weak one. Two are cast to their common dtype, the plain
function computes on plain tensors, and the result is weak where the common dtype is.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.library.numpy.dtype_lattice import Promoted, is_safe, promoted_pair
from graphwright.library.numpy.weak_tensor import WEAK_DTYPES, WeakTensor
from graphwright.ops.core.casting import cast
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType, of_numpy
from graphwright.values.convert import convert
from graphwright.values.tensor import Tensor
from graphwright.values.tensor_operators import Operators
from graphwright.values.variable import Variable

Function: TypeAlias = Callable[..., Any]

#: The dtypes of Python's numbers: those of bools are not weak.
_PYTHON = {
    bool: Promoted(dt.bool_, False),
    int: Promoted(dt.int32, True),
    float: Promoted(dt.float32, True),
    complex: Promoted(dt.complex128, True),
}

#: What has operators of its own, which answer where "safe" refuses a pair.
VALUES: tuple[type, ...] = (np.ndarray, np.generic, list, tuple)


class Mode:
    """The promotion mode of this process."""

    name = "legacy"


def kind_of(value: object) -> Promoted | None:
    """The dtype that an operand has in a promotion, or None for one that is not promoted."""
    if isinstance(value, WeakTensor):
        return Promoted(value.dtype, True)
    if isinstance(value, Composite):
        return None
    if isinstance(value, Operators):
        return strong(value.dtype)  # type: ignore[attr-defined]
    known = _PYTHON.get(type(value))
    if known is not None:
        return known
    if isinstance(value, (np.ndarray, np.generic)):
        return strong(of_numpy(value.dtype)) if value.dtype.kind in "biufcV" else None
    return common_of(value) if isinstance(value, (list, tuple)) else None


def common_of(values: Iterable[object]) -> Promoted | None:
    """The common dtype of values, of which empty lists say nothing, unless there are no others."""
    kinds = [kind_of(value) for value in values if not is_empty(value)]
    return common_kind(kinds) if kinds else _PYTHON[float]


def is_empty(value: object) -> bool:
    """Whether a value is a list or tuple without items."""
    return isinstance(value, (list, tuple)) and not value


def strong(dtype: DType) -> Promoted | None:
    """The dtype, not weak; None for one that is not in the lattice."""
    return Promoted(dtype, False) if dtype in dt.NUMERIC or dtype is dt.bool_ else None


def not_weak(kind: Promoted | None) -> Promoted | None:
    """The same dtype, not weak."""
    return None if kind is None else Promoted(kind.dtype, False)


def common_kind(kinds: Sequence[Promoted | None]) -> Promoted | None:
    """The common dtype of operands, or None where one is not promoted."""
    common = kinds[0]
    for kind in kinds[1:]:
        if common is None or kind is None:
            return None
        common = promoted(common, kind)
    return common


def promoted(first: Promoted, second: Promoted) -> Promoted:
    """The common dtype of two operands; TypeError where the mode refuses them."""
    if Mode.name == "safe" and not is_safe(first, second):
        raise TypeError(
            "In promotion mode PromoMode.SAFE, implicit dtype promotion between "
            f"({first.dtype!s}, weak={first.weak}) and ({second.dtype!s}, weak={second.weak}) is "
            "disallowed. You need to explicitly specify the dtype in your op, or relax your dtype "
            "promotion rules (such as from SAFE mode to ALL mode)."
        )
    return promoted_pair(first, second)


def of_kind(value: TensorLike, dtype: DType) -> Any:
    """An operand as a plain tensor of a dtype."""
    if isinstance(value, WeakTensor):
        value = value.tensor
    elif not isinstance(value, Operators) and not isinstance(value, (np.ndarray, np.generic)):
        if type(value) is int:  # it wraps where the dtype does not hold it
            require_int32(value)
            return cast(convert(value, dt.int32), dtype)
        if type(value) is bool and dtype in (dt.float16, dt.uint64):
            return cast(convert(value), dtype)
        if not isinstance(value, (list, tuple)):
            return convert(value, dtype)
        kind = kind_of(value)
        value = convert(value, None if kind is None else kind.dtype)
    tensor = convert(value)
    return tensor if tensor.dtype is dtype else cast(tensor, dtype)


def require_int32(value: int) -> None:
    """Raises OverflowError for a Python int that int32 does not hold."""
    if not dt.int32.min <= value <= dt.int32.max:
        raise OverflowError(f"Python int {value} too large to convert to np.int32")


def plain(value: object) -> Any:
    """A value with plain tensors for the weak ones in it."""
    if isinstance(value, WeakTensor):
        return value.tensor
    if isinstance(value, list) and type(value) is list:
        return [plain(item) for item in value]
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple([plain(item) for item in value])
    return value


def weak(value: object) -> Any:
    """A tensor as a weak one, where there are such of its dtype."""
    if isinstance(value, Tensor) and value.dtype in WEAK_DTYPES:
        return WeakTensor(value)
    return value


def strong_pair(function: Function) -> Function:
    """The function of two operands that promotes them and whose result is never weak."""
    return pair(function, stays_weak=False)


def pair_of_strong(function: Function) -> Function:
    """The function of two operands that promotes them as if none was weak."""
    return pair(function, stays_weak=False, is_weak=False)


def pair(function: Function, stays_weak: bool = True, is_weak: bool = True) -> Function:
    """The function of two operands that promotes them."""
    names = list(inspect.signature(function).parameters)[:2]

    def promoting(*args: object, **kwargs: object) -> Any:
        operands: dict[str, Any] = dict(zip(names, args))
        operands.update((name, kwargs.pop(name)) for name in names if name in kwargs)
        if is_weak:
            common = common_of(operands.values())
        else:
            common = common_kind([not_weak(kind_of(value)) for value in operands.values()])
        if len(operands) < 2 or common is None:
            return function(*map(plain, args), **kwargs, **named_operands(names, args, operands))
        x, y = [of_kind(operands[name], common.dtype) for name in names]
        result = function(x, y, *args[2:], **kwargs)
        return weak(result) if common.weak and stays_weak else result

    return promoting


def named_operands(
    names: Sequence[str], args: Sequence[object], operands: Mapping[str, object]
) -> dict[str, Any]:
    """The operands that a call gives by name."""
    return {name: plain(operands[name]) for name in names[len(args) :] if name in operands}


def single(function: Function) -> Function:
    """The function of one operand whose result is weak where the operand is and no dtype is asked
    for."""
    names = list(inspect.signature(function).parameters)
    first, place = names[0], names.index("dtype") if "dtype" in names else len(names)

    def keeping(*args: object, **kwargs: object) -> Any:
        operand: Any = args[0] if args else kwargs.get(first)
        if isinstance(operand, Operators):
            return function(*args, **kwargs)
        kind = kind_of(operand)
        if kind is None:
            return function(*args, **kwargs)
        tensor = of_kind(operand, kind.dtype)
        if args:
            result = function(tensor, *args[1:], **kwargs)
        else:
            result = function(**{**kwargs, first: tensor})
        dtype = args[place] if len(args) > place else kwargs.get("dtype")
        return weak(result) if kind.weak and dtype is None else result

    return keeping


def scaling(function: Function) -> Function:
    """`tf.math.scalar_mul`, whose result is weak where the tensor is."""

    def keeping(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Any:
        kind = kind_of(x)
        tensor = x if kind is None else of_kind(x, kind.dtype)
        result = function(plain(scalar), tensor, name)
        return weak(result) if kind is not None and kind.weak else result

    return keeping


def made_of_values(function: Function) -> Function:
    """The function that makes tensors: weak ones of Python numbers where no dtype is asked for."""
    signature = inspect.signature(function)

    def making(*args: object, **kwargs: object) -> Any:
        arguments = signature.bind(*args, **kwargs).arguments
        value = next(iter(arguments.values()))
        kind = kind_of(value) if arguments.get("dtype") is None else None
        result = function(*map(plain, args), **{n: plain(v) for n, v in kwargs.items()})
        if kind is None or not kind.weak:
            return result
        if result.dtype is not kind.dtype:
            raise OverflowError(f"Python int {value} too large to convert to np.{kind.dtype.name}")
        return weak(result)

    return making


def of_plain(function: Function) -> Function:
    """The function with plain tensors for weak arguments."""

    def unweakened(*args: object, **kwargs: object) -> Any:
        return function(*map(plain, args), **{n: plain(v) for n, v in kwargs.items()})

    return unweakened


def within_bounds(function: Function) -> Function:
    """The function of an operand and two bounds, by turns promoted: first with the upper one. Weak
    where the operand is."""
    signature = inspect.signature(function)

    def clipping(*args: object, **kwargs: object) -> Any:
        call = signature.bind(*args, **kwargs)
        value, lower, upper = list(call.arguments)[:3]
        kind, low, high = [kind_of(call.arguments[name]) for name in (value, lower, upper)]
        if kind is None or low is None or high is None:
            return function(*map(plain, args), **{n: plain(v) for n, v in kwargs.items()})
        common = promoted(Promoted(kind.dtype, False), high)
        common = promoted(Promoted(common.dtype, False), low)
        for name in (value, lower, upper):
            call.arguments[name] = of_kind(call.arguments[name], common.dtype)
        result = function(*call.args, **call.kwargs)
        return weak(result) if kind.weak else result

    return clipping


def promoting_operator(name: str, former: Function) -> Function:
    """An operator that promotes its operands; `former` takes them where it must not."""
    is_reflected = name.startswith("__r") and name != "__rshift__"
    is_product = name in ("__mul__", "__rmul__")
    product = vars(Operators)["__mul__"]

    def operator(self: TensorValue, other: TensorLike) -> Any:
        pair: tuple[Any, Any] = (other, self) if is_reflected else (self, other)
        if is_product and any(is_bool(x) for x in pair if isinstance(x, Operators)):
            return product(plain(self), plain(other))  # also that of a bool and a number is a bool
        try:
            common = common_of(pair)
        except TypeError:
            if is_reflected or name == "__eq__" or not isinstance(other, VALUES):
                raise
            return NotImplemented  # NumPy, or a list, may have an answer
        if common is None:
            return former(plain(self), plain(other))
        x, y = of_kind(self, common.dtype), of_kind(other, common.dtype)
        result = former(x, y)
        return weak(result) if common.weak else result

    operator.__qualname__ = f"Tensor.{name}"  # which errors show
    return operator


def strict_equality(former: Function) -> Function:
    """The `==` of ragged tensors, before which "safe" refuses dtypes that it does not join."""

    def operator(self: object, other: object) -> object:
        common_of([getattr(x, "flat_values", x) for x in (self, other)])
        return former(self, other)

    operator.__qualname__ = "RaggedTensor.__eq__"  # which errors show
    return operator


def plain_operator(name: str, former: Function) -> Function:
    """An operator that does what it did, of plain tensors. "safe" converts no scalar of NumPy, and
    for weak tensors no array, to a dtype that may not hold it."""
    must_answer = name.startswith("__r") or name.strip("_") in COMPARISONS

    def operator(self: TensorValue, other: TensorLike) -> Any:
        is_scalar = isinstance(other, np.generic) and not isinstance(other, float)
        if is_scalar or (isinstance(self, WeakTensor) and isinstance(other, np.ndarray)):
            kinds = [strong(self.dtype), kind_of(other)]
            try:
                common_kind(kinds)
            except TypeError:
                if must_answer:
                    raise
                return NotImplemented  # NumPy may have an answer
        return former(plain(self), plain(other))

    operator.__qualname__ = f"Tensor.{name}"
    return operator


def weak_operator(name: str, former: Function) -> Function:
    """An operator of one operand, whose result is weak where that is."""

    def operator(self: TensorValue) -> Any:
        return weak(former(self.tensor)) if isinstance(self, WeakTensor) else former(self)

    operator.__qualname__ = f"Tensor.{name}"
    return operator


def assignment(former: Function) -> Function:
    """A method of variables that takes a value of a dtype that is promoted to the variable's."""

    @functools.wraps(former)
    def assigning(self: Variable, value: TensorLike, *args: object, **kwargs: object) -> Any:
        kinds = strong(self.dtype), kind_of(value)
        common = common_kind(kinds)
        if common is None:
            return former(self, plain(value), *args, **kwargs)
        if common.dtype is not self.dtype:
            raise TypeError(
                f"A variable of {self.dtype.name} keeps its dtype: with {value!r} it would be "
                f"{common.dtype.name}. Convert the value first: tf.cast(value, variable.dtype)"
            )
        return former(self, of_kind(value, self.dtype), *args, **kwargs)

    return assigning


def numbers_as_weak(former: Function) -> Function:
    """`Outputs.__init__`, which makes weak tensors of Python's numbers that a function returns."""

    def outputs(self: object, structure: object, function: object) -> None:
        former(self, tree.map_structure(number_as_weak, structure), function)

    return outputs


def number_as_weak(value: object) -> object:
    """A Python number as a weak tensor, anything else as it is."""
    kind = _PYTHON.get(type(value))
    if kind is None or not kind.weak:
        return value
    return WeakTensor(of_kind(value, kind.dtype))  # type: ignore[arg-type]  # it is a number


def is_bool(value: object) -> bool:
    """Whether a tensor or variable is of bools."""
    return getattr(value, "dtype", None) is dt.bool_


#: The operators of two operands that promote them.
PROMOTING = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
#: Those that do not.
NOT_PROMOTING = ("and", "or", "xor")
COMPARISONS = ("lt", "le", "gt", "ge", "ne")


def operators(former: Mapping[str, Function]) -> dict[str, Function]:
    """The operators of a mode by name, which call the former ones on plain tensors."""
    made = {}
    for name in PROMOTING:
        for full in (f"__{name}__", f"__r{name}__"):
            made[full] = promoting_operator(full, former[full])
    made["__eq__"] = promoting_operator("__eq__", former["__eq__"])
    for name in NOT_PROMOTING:
        for full in (f"__{name}__", f"__r{name}__"):
            made[full] = plain_operator(full, former[full])
    for name in COMPARISONS:
        made[f"__{name}__"] = plain_operator(f"__{name}__", former[f"__{name}__"])
    for name in ("neg", "abs", "invert", "pos"):
        made[f"__{name}__"] = weak_operator(f"__{name}__", former[f"__{name}__"])
    return made
