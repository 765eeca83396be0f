"""NumPy's functions that choose elements of arrays, and that ask about arrays."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from graphwright.library.numpy.array_functions import equal, not_equal
from graphwright.library.numpy.array_shapes import atleast_1d, moveaxis, ravel
from graphwright.library.numpy.promotion import asarray, promoted, rank_of, sizes_of
from graphwright.op.interpreter import is_tensor
from graphwright.ops.core import creation, gathering, indexing, joining, movement
from graphwright.ops.core.casting import cast
from graphwright.ops.core.shapes import broadcast_static_shape
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math.arithmetic import floormod
from graphwright.ops.math.clipping import clip_by_value
from graphwright.ops.math.reduction import reduce_all
from graphwright.types import dtypes as dt
from graphwright.values.convert import convert


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """x where the condition holds, else y; without these the places where it does."""
    holds = cast(asarray(condition), dt.bool_)
    if x is None and y is None:
        return nonzero(holds)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return indexing.where(holds, *promoted(x, y))


def nonzero(a: Any) -> list[Any]:
    """The places of what is not zero, along each axis."""
    x = atleast_1d(a)
    places = indexing.where(cast(x, dt.bool_))
    return list(joining.unstack(places, x.type.rank, axis=1))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """The choice of the first condition that holds, else the default."""
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError(
            f"condlist and choicelist must have the same length of at least 1, got "
            f"{len(condlist)} and {len(choicelist)}"
        )
    *choices, found = promoted(*choicelist, default)
    for condition, choice in zip(reversed(condlist), reversed(choices)):
        found = where(condition, choice, found)
    return found


def compress(condition: Any, a: Any, axis: int | None = None) -> Any:
    """The elements along an axis, or of all in a row, for which a condition holds."""
    x = ravel(a) if axis is None else asarray(a)
    axis = axis or 0
    kept = nonzero(asarray(condition, bool))[0]
    return gathering.gather(x, kept, axis=axis)


def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "clip") -> Any:
    """The elements at indices along an axis, or of all in a row.

    Indices out of range are clipped or, with "wrap", go round.
    """
    if out is not None:
        raise ValueError("out argument is not supported in take.")
    if mode not in ("clip", "wrap"):
        raise ValueError(f"The '{mode}' mode to take is not supported.")
    x, places = (ravel(a) if axis is None else asarray(a)), asarray(indices)
    axis = axis or 0
    length = cast(shape_of(x)[axis], places.dtype)
    zero = creation.zeros_like(length)
    inside = floormod(places, length) if mode == "wrap" else (
        clip_by_value(places, zero, length - 1)
    )  # fmt: skip
    return gathering.gather(x, inside, axis=axis)


def take_along_axis(arr: Any, indices: Any, axis: int | None) -> Any:
    """The elements at indices along an axis, each row by its own indices."""
    x, places = asarray(arr), asarray(indices)
    if axis is None:
        return gathering.gather(ravel(x), places)
    x, places = moveaxis(x, axis, -1), moveaxis(places, axis, -1)
    outer = rank_of(x, "take_along_axis") - 1
    if sizes_of(places, "take_along_axis")[:-1] != sizes_of(x, "take_along_axis")[:-1]:
        whole = broadcast_static_shape(x.shape[:-1], places.shape[:-1])
        x = movement.broadcast_to(x, whole.concatenate(x.shape[-1:]))
        places = movement.broadcast_to(places, whole.concatenate(places.shape[-1:]))
    return moveaxis(gathering.gather(x, places, batch_dims=outer, axis=outer), -1, axis)


def ix_(*args: Any) -> list[Any]:
    """Vectors along an axis each, which together index a grid."""
    count, made = len(args), []
    for place, arg in enumerate(args):
        x = asarray(arg)
        if rank_of(x, "ix_") != 1:
            raise ValueError(f"Arguments must be 1-d, got arg {place} of rank {x.type.rank}")
        x = nonzero(x)[0] if x.dtype is dt.bool_ else x
        made.append(movement.reshape(x, [-1 if i == place else 1 for i in range(count)]))
    return made


def array_equal(a1: Any, a2: Any) -> Any:
    """Whether two tensors have the same shape and elements."""
    x, y = promoted(a1, a2)
    if not x.shape.is_compatible_with(y.shape):
        return convert(False)
    return reduce_all(equal(x, y))


def isscalar(num: Any) -> bool:
    """Whether something is a number, or a tensor without axes."""
    if is_tensor(num):
        return builtins.bool(num.type.rank == 0)
    return builtins.bool(np.isscalar(num))


def iscomplexobj(x: Any) -> bool:
    """Whether a tensor is of complex numbers."""
    return builtins.bool(asarray(x).dtype.is_complex)


def isrealobj(x: Any) -> bool:
    """Whether a tensor is not of complex numbers."""
    return not iscomplexobj(x)


def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """What each element is more than the one before, n times."""
    x = moveaxis(a, axis, -1)
    for _ in range(n):
        later, sooner = x[..., 1:], x[..., :-1]
        x = not_equal(later, sooner) if x.dtype is dt.bool_ else later - sooner
    return moveaxis(x, -1, axis)
