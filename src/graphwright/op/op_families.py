"""Families of ops: the rules that elementwise ops, comparisons and reductions share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from graphwright.op.batching import Each, elementwise, last_axes
from graphwright.op.interpreter import apply
from graphwright.op.op import Op, Shapes
from graphwright.op.refusal import fitting_axis
from graphwright.op.scalars import NoNativeForm, Scalars
from graphwright.op.spelling import check_element
from graphwright.types import dtypes as dt
from graphwright.types.arguments import HostValue
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import (
    Dims,
    TensorType,
    broadcast_all,
    is_compatible,
    merge_dims,
    normalize_axes,
    show_dims,
)


def fitting(operands: Sequence[TensorType], names: Sequence[str]) -> str:
    """A line with a call that lets two operands broadcast; empty if none is likely."""
    dims = [o.dims for o in operands]
    if len(dims) != 2 or dims[0] is None or dims[1] is None:
        return ""
    first = len(dims[0]) < len(dims[1])
    name, short, long = (names[0], *dims) if first else (names[1], *dims[::-1])
    assert short is not None
    assert long is not None
    if not short or short != long[: len(short)] or None in short:
        return ""
    ones = len(long) - len(short)
    if ones == 1:
        return f"\n    tf.expand_dims({name}, -1) fits"
    return f"\n    tf.reshape({name}, {[*short, *[1] * ones]}) fits"


class Elementwise(Op):
    """Each result element depends on the operands' elements at the same (broadcast) place.

    `ufunc` computes it on arrays; `element` says the same in scalar terms, for native code
    (or is `no_element`). `gradient` gives cotangents of the broadcast shape: the reverse
    sweep sums them to each operand's own.
    """

    ufunc: ClassVar[Callable[..., Any]]
    batched = elementwise
    #: Whether operands of different shapes are broadcast to a common one.
    broadcasts: ClassVar[bool] = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        check_element(cls)
        super().__init_subclass__(**kwargs)

    def shapes(self, *operands: TensorType) -> Shapes:
        if len(operands) == 1:
            return (operands[0].dims,)
        try:
            return (broadcast_all(o.dims for o in operands),)
        except ValueError:
            shown = " vs. ".join(show_dims(o.dims) for o in operands)
            advice = fitting(operands, self.operand_names(len(operands)))
            raise ValueError(f"Incompatible shapes: {shown}{advice}") from None

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return type(self).ufunc

    def kernel(self, *arrays: Any) -> Any:
        return type(self).ufunc(*arrays)

    def element(self, scalars: Scalars[Any], /, *args: Any, **kwargs: Any) -> Any:
        """One element of the result; see `op.scalars`."""
        raise NoNativeForm(f"{type(self).__name__} states no element expression")


def no_element(op: Elementwise, scalars: Scalars[Any], /, *args: Any, **kwargs: Any) -> Any:
    """The element expression of an op that has no native form: it runs as a host call."""
    raise NoNativeForm(f"{op.type_name} has no element expression")


class Alike(Elementwise):
    """An elementwise op whose operands are all of one shape."""

    broadcasts = False
    ruled = True
    batched = last_axes

    def shapes(self, *operands: TensorType) -> Shapes:
        return (same_dims(self, operands),)


def same_dims(op: Op, operands: Sequence[TensorType]) -> Dims | None:
    """What is known of the shape of an op's first operands; ValueError if it is not the same."""
    dims = operands[0].dims
    for operand in operands[1:]:
        if not is_compatible(dims, operand.dims):
            names = " and ".join([o.name for o in op.operands[: len(operands)]])
            shown = " vs. ".join(show_dims(o.dims) for o in operands)
            raise ValueError(f"{names} must have the same shape, got {shown}")
        dims = merge_dims(dims, operand.dims)
    return dims


class Unary(Elementwise):
    """y[i] = f(x[i]), of the same dtype."""

    inputs: ClassVar[tuple[str, ...]] = ("x: T",)
    outputs: ClassVar[tuple[str, ...]] = ("y: T",)
    dtypes = {"T": dt.INEXACT}


class Predicate(Elementwise):
    """y[i] = f(x[i]), a bool."""

    inputs: ClassVar[tuple[str, ...]] = ("x: T",)
    outputs: ClassVar[tuple[str, ...]] = ("y: bool",)
    dtypes = {"T": dt.FLOATING}


class Binary(Elementwise):
    """z[i] = f(x[i], y[i]), of the operands' dtype, with broadcasting."""

    inputs: ClassVar[tuple[str, ...]] = ("x: T", "y: T")
    outputs: ClassVar[tuple[str, ...]] = ("z: T",)
    dtypes = {"T": dt.NUMERIC}

    #: The function on known shape entries (int or None), where shapes are computed with it.
    entry: ClassVar[Any] = None

    def known(self, x: HostValue, y: HostValue) -> Any:
        function = type(self).entry
        return None if function is None else known_elementwise(function, x, y)


def known_elementwise(function: Callable[[Any, Any], Any], x: HostValue, y: HostValue) -> Any:
    """Applies a function to known whole numbers, scalars against vectors; None is unknown.

    Floats are rounded by the kernel alone.
    """
    if isinstance(x, tuple) and isinstance(y, tuple):
        if [isinstance(a, tuple) for a in x] != [isinstance(b, tuple) for b in y]:
            return None
        return tuple(known_elementwise(function, a, b) for a, b in zip(x, y))
    if isinstance(x, tuple):
        return tuple(known_elementwise(function, a, y) for a in x)
    if isinstance(y, tuple):
        return tuple(known_elementwise(function, x, b) for b in y)
    return function(x, y) if isinstance(x, int) and isinstance(y, int) else None


class Comparison(Elementwise):
    """z[i] = x[i] ~ y[i], a bool, with broadcasting."""

    inputs: ClassVar[tuple[str, ...]] = ("x: T", "y: T")
    outputs: ClassVar[tuple[str, ...]] = ("z: bool",)
    dtypes = {"T": dt.REAL}


class Logical(Elementwise):
    """z[i] = x[i] ~ y[i] on bools, with broadcasting."""

    inputs: ClassVar[tuple[str, ...]] = ("x: bool", "y: bool")
    outputs: ClassVar[tuple[str, ...]] = ("z: bool",)


def reduced_dims(
    dims: Dims | None, axes: int | Dims | None, keep_dims: bool, repeats: bool = True
) -> Dims | None:
    """The shape left by a reduction over known, partly known or unknown axes.

    ValueError where one is outside of the dims or, unless `repeats`, stands twice.
    """
    if dims is None:
        return None
    if isinstance(axes, tuple) and tuple in map(type, axes):
        raise ValueError("Shape must be at most rank 1: reduction_indices is a list of lists")
    if axes is None or (isinstance(axes, tuple) and None in axes):
        return (None,) * len(dims) if keep_dims else None
    try:
        places = normalize_axes(axes, len(dims))
    except ValueError:
        raise ValueError(
            f"Invalid reduction dimension ({axes if isinstance(axes, int) else list(axes)} for "
            f"input with {len(dims)} dimension(s)){fitting_axis(axes, len(dims))}"
        ) from None
    reduced = set(places)
    if not repeats and len(reduced) < len(places):
        raise ValueError(f"Invalid reduction arguments: an axis stands twice in {axes}")
    if keep_dims:
        return tuple([1 if i in reduced else d for i, d in enumerate(dims)])
    return tuple([d for i, d in enumerate(dims) if i not in reduced])


class Reduction(Op):
    """Combines elements along `reduction_indices`; with `keep_dims` those axes stay as 1."""

    inputs: ClassVar[tuple[str, ...]] = ("input: T", "reduction_indices: Tidx host")
    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    dtypes = {"T": dt.NUMERIC, "Tidx": dt.INDEX}

    keep_dims: bool = False

    def shapes(self, x: TensorType, axes: int | Dims | None) -> Shapes:
        return (reduced_dims(x.dims, axes, self.keep_dims, repeats=False),)

    def batched(self, each: Each) -> Any:
        return apply(self, each.full(0), each.axes(1))
