"""Python's builtins for tensors. Arguments are those of Python; some of them are staged."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwright.autograph import iterations
from graphwright.autograph.operator_arguments import Function
from graphwright.autograph.staging import Iteration
from graphwright.control.branch import cond
from graphwright.control.graph_list import GraphList
from graphwright.control.vectorize import vectorized_map
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.joining import stack
from graphwright.ops.core.sequences import range as tensor_range
from graphwright.ops.core.shapes import shape
from graphwright.ops.core.sorting import argmax, argmin, argsort
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.comparison import greater, logical_and, logical_or, not_equal
from graphwright.ops.math.reduction import (
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_min,
    reduce_sum,
)
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

if TYPE_CHECKING:
    from typing_extensions import TypeIs

#: Many values: the items of a tensor, or structures.
Items: TypeAlias = Tensor | Variable | Sequence[object]
#: The values by which items are compared.
Keys: TypeAlias = Tensor | Variable | Sequence[TensorLike]
#: Makes one value of two.
Join: TypeAlias = Callable[[TensorLike, TensorLike], TensorLike]

_NONE = object()


def length(tensor: TensorLike) -> Any:
    """`len(tensor)`: a Python int where the shape gives it, else a tensor."""
    if isinstance(tensor, GraphList):
        return tensor.length()
    tensor = convert(tensor)
    dims = tensor.type.dims
    if dims == ():
        raise ValueError(f"len requires a non-scalar tensor, got {tensor}")
    if dims and dims[0] is not None:
        return dims[0]
    return shape(tensor)[0]


def truth(value: TensorLike) -> Any:
    """`bool(value)`, element by element; of a list of the graph, whether it has items."""
    if isinstance(value, GraphList):
        return greater(value.length(), 0)
    tensor = convert(value)
    return tensor if tensor.dtype is dt.bool_ else not_equal(tensor, convert(0, tensor.dtype))


def _sum(items: TensorLike, start: TensorLike = 0) -> Any:
    total = reduce_sum(items, axis=0)
    return total if type(start) is int and start == 0 else total + start


def _quantifier(reduce: Function, join: Join) -> Function:
    def call(items: TensorLike) -> Any:
        if isinstance(items, (list, tuple)):
            return functools.reduce(join, [truth(item) for item in items])
        return reduce(truth(items))

    return call


# By a key


def _is_tensor(items: object) -> TypeIs[Tensor | Variable]:
    return isinstance(items, (Tensor, Variable))


def _ranks(items: Items, keys: Keys | None, name: str) -> Any:
    """The numbers by which items are compared, in one tensor."""
    values: Any = items if keys is None else keys
    ranks = convert(values) if _is_tensor(values) else stack(list(values))
    if ranks.type.rank not in (1, None):
        what = "the keys have" if values is not items else "the tensor has"
        raise ValueError(
            f"{name} compares numbers, but {what} shape {ranks.shape}: pass a key that gives a "
            "scalar for each item"
        )
    return ranks


def _take(items: Items, index: TensorLike) -> Any:
    """The item of a tensor, or of structures of one type, at an index that the graph knows."""
    if _is_tensor(items):
        return gather(items, index)
    return tree.map_structure(lambda *leaves: gather(stack(leaves), index), *items)


def _keyed(items: Items, key: Function | None, keys: Keys | None) -> Any:
    """The keys of the items of a tensor, or `keys` if they are given."""
    return vectorized_map(key, items) if key is not None and keys is None else keys


def _sorted(
    items: Items, *, key: Function | None = None, keys: Keys | None = None, reverse: bool = False
) -> Any:
    """`sorted`; `keys` are those of the items of a list, and then the result is a list."""
    ranks = _ranks(items, _keyed(items, key, keys), "sorted")
    order = argsort(ranks, direction="DESCENDING" if reverse else "ASCENDING", stable=True)
    if _is_tensor(items):
        return gather(items, order)
    return [_take(items, order[position]) for position in range(len(items))]


def _extreme(
    name: str, reduce: Function, choose: Join, position: Callable[..., TensorLike]
) -> Function:
    def among(items: Items, key: Function | None, keys: Keys | None) -> Any:
        keys = _keyed(items, key, keys)
        if keys is not None:
            return _take(items, position(_ranks(items, keys, name), axis=0))
        if _is_tensor(items):
            return reduce(items, axis=0)
        tensors: Any = items  # without keys, no structures
        return functools.reduce(choose, tensors)

    def call(
        *args: Any, key: Function | None = None, keys: Keys | None = None, default: object = _NONE
    ) -> Any:
        items = args if len(args) > 1 else args[0]
        if default is not _NONE and _is_tensor(items):
            count = length(items)
            if type(count) is not int:
                return cond(greater(count, 0), lambda: among(items, key, keys), lambda: default)
            if count == 0:
                return default
        return among(items, key, keys)

    return call


# Loops over several iterables


def _parts(items: Sequence[object]) -> list[Iteration]:
    return [iterations.step_by_step(item) for item in items]


def _iter(items: object) -> Any:
    return iterations.Combined(_parts([items]), lambda item: item)


def _enumerate(items: object, start: TensorLike = 0) -> Any:
    parts = [iterations.Counter(start), *_parts([items])]
    return iterations.Combined(parts, lambda index, item: (index, item))


def _zip(*items: object, strict: bool = False) -> Any:
    return iterations.Combined(_parts(items), lambda *each: each)


def _map(function: Function, *items: object) -> Any:
    return iterations.Combined(_parts(items), function)


def _filter(function: Callable[..., TensorLike] | None, items: object) -> Any:
    (part,) = _parts([items])
    return iterations.Filtered(
        part, lambda item: truth(item if function is None else function(item))
    )


def _of_items(function: Function) -> Function:
    """A function of the items of a tensor, which takes a list of the graph too."""

    def call(*args: Any, **kwargs: Any) -> Any:
        tensors = [convert(arg) if isinstance(arg, GraphList) else arg for arg in args]
        return function(*tensors, **kwargs)

    return call


TABLE: dict[str, Function] = {
    "abs": operator.abs,
    "all": _quantifier(reduce_all, logical_and),
    "any": _quantifier(reduce_any, logical_or),
    "bool": truth,
    "enumerate": _enumerate,
    "filter": _filter,
    "float": lambda value: cast(value, dt.float32),
    "iter": _iter,
    "int": lambda value: cast(value, dt.int32),
    "len": length,
    "map": _map,
    "max": _extreme("max", reduce_max, maximum, argmax),
    "min": _extreme("min", reduce_min, minimum, argmin),
    "range": tensor_range,
    "sorted": _sorted,
    "sum": _sum,
    "zip": _zip,
}
TABLE |= {name: _of_items(TABLE[name]) for name in ("all", "any", "max", "min", "sorted", "sum")}
