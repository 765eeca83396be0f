"""A Python list that a loop of the graph changes: only the graph knows how many items it has.

Its items are in TensorLists, one for each tensor of an item. Unlike a `TensorArray` it changes in
place, as lists do, and all its holders see that. AutoGraph puts it in the place of a Python list,
and carries its TensorLists (`flows`) through branches and loops.
"""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np

from graphwright.base.errors import user_location
from graphwright.control.tensor_array import ListArray, index32
from graphwright.ir.graph import Graph
from graphwright.op.dispatch import implement
from graphwright.op.interpreter import apply, convert
from graphwright.ops.core import joining
from graphwright.ops.core.indexing import where
from graphwright.ops.core.movement import reshape, transpose
from graphwright.ops.core.sequences import range as numbers
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math import sums
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.state import list_ops
from graphwright.ops.state.tensor_list import host_shape
from graphwright.trace.missing_values import not_in_graph
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import ShapeLike, TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import TensorType
from graphwright.types.type_spec import TypeSpec
from graphwright.values.tensor import EagerTensor, Tensor

Flows: TypeAlias = tuple[Any, ...]

#: The types of items of a list that convert to tensors.
NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)

_living: weakref.WeakValueDictionary[int, GraphList] = weakref.WeakValueDictionary()
_serials = itertools.count()


#: What a list can be extended by: items, or a tensor that has them as its rows.
Items: TypeAlias = Tensor | Iterable[object]


class GraphList(Composite):
    """A list whose length only the graph knows.

    `item` is the structure of an item with the specs of its tensors. While it is None, the first
    item that is appended determines it, under the `limit` of a shape.
    """

    __slots__ = ("__weakref__", "_arrays", "_flows", "home", "item", "limit", "name")

    _is_list = True
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, item: object, flows: Flows = (), name: str = "", limit: ShapeLike = None
    ) -> None:
        tracer = current_tracer()
        self.item: Any = item
        self.name = name  # of the variable that it is in, for errors
        self.limit = limit
        self.home: Graph | None = None if tracer is None else tracer.graph
        self.flows = flows
        _living[next(_serials)] = self

    # -- contents ----------------------------------------------------------------------------

    @property
    def flows(self) -> Flows:
        """The TensorLists of its items: none while the type of the items is not known."""
        if self.item is not None and not self._flows:
            self.clear()
        return self._flows

    @flows.setter
    def flows(self, flows: Flows) -> None:
        specs = [] if self.item is None else tree.flatten(self.item)
        self._flows = flows
        self._arrays = [
            ListArray(spec.dtype, flow, False, spec.type.dims, False)
            for spec, flow in zip(specs, flows)
        ]

    @property
    def width(self) -> int:
        """How many TensorLists there are; 0 while the type of the items is not known."""
        return 0 if self.item is None else len(tree.flatten(self.item))

    def _hold(self, arrays: Sequence[ListArray]) -> None:
        self.flows = tuple([array.flow for array in arrays])

    @property
    def arrays(self) -> list[ListArray]:
        """The TensorLists with what is known of their items; an error while nothing is."""
        if self.item is None:
            raise self.refusal(
                TypeError,
                "has no item yet, so nobody knows the type of its items here",
                "Append one before, or begin with one.",
            )
        assert len(self.flows) == len(self._arrays)
        return self._arrays

    def like(self, flows: Flows) -> GraphList:
        """Another list of such items."""
        return GraphList(self.item, flows, self.name, self.limit)

    def length(self) -> Any:
        """The number of items, an int32 scalar."""
        return convert(0) if self.item is None else self.arrays[0].size()

    def rows(self) -> Any:
        """All items along a first axis: a structure of tensors."""
        return tree.pack_sequence_as(self.item, [array.stack() for array in self.arrays])

    def _of_rows(self, rows: Sequence[TensorValue]) -> Flows:
        return tuple([array.unstack(row).flow for array, row in zip(self.arrays, rows)])

    def _at(self, places: TensorLike) -> Flows:
        """The items at places, in their order."""
        return self._of_rows([array.gather(places) for array in self.arrays])

    def refusal(self, kind: type[Exception], what: str, instead: str) -> Exception:
        """An error about this list, with the user's line."""
        location = user_location(2)
        where = "" if location is None else f"\n  {location}"
        name = f"`{self.name}`" if self.name else "The list"
        return kind(f"{name}, which grows in the graph, {what}. {instead}{where}")

    def _leaves(self, item: object) -> list[Any]:
        """The tensors of an item that is to be put in."""
        if self.item is None:
            self.item = item_type([item], self.limit)
            if self.item is None:
                raise self.refusal(
                    TypeError,
                    f"cannot hold {item!r}: its items are tensors, or structures of them",
                    "Keep other objects out of what a loop of the graph changes.",
                )
        try:
            tree.assert_same_structure(self.item, item)
            leaves = [
                convert(leaf, None, array.dtype)
                for array, leaf in zip(self.arrays, tree.flatten(item))
            ]
        except (TypeError, ValueError) as error:
            raise self.refusal(
                TypeError,
                f"holds items like {self.item!r}, and cannot hold {item!r}: {error}",
                "Append an item like the others.",
            ) from None
        for array, leaf in zip(self.arrays, leaves):
            if leaf.dtype is not array.dtype:
                raise self.refusal(
                    TypeError,
                    f"holds items of dtype {array.dtype.name}, and cannot hold one of dtype "
                    f"{leaf.dtype.name}",
                    f"Make it alike: `tf.cast(item, tf.{array.dtype.name})`.",
                )
            if not TensorShape.from_dims(array.dims).is_compatible_with(leaf.shape):
                shape = TensorShape.from_dims(array.dims).most_specific_compatible_shape(leaf.shape)
                both = None if shape.rank is None else shape.as_list()
                raise self.refusal(
                    ValueError,
                    f"holds items of shape {TensorShape.from_dims(array.dims)}, and cannot hold "
                    f"one of shape {leaf.shape}",
                    "Write this first in the loop: tf.autograph.experimental.set_loop_options("
                    f"shape_invariants=[({self.name or 'items'}, tf.TensorShape({both}))])",
                )
        return leaves

    # -- as a list ---------------------------------------------------------------------------

    def append(self, item: object) -> None:
        """Adds an item."""
        leaves = self._leaves(item)
        self._hold([array.push(leaf) for array, leaf in zip(self.arrays, leaves)])

    def extend(self, items: Items) -> None:
        """Adds items: those of a list, or the rows of a tensor."""
        if isinstance(items, GraphList):
            if items.item is None:
                return
            rows = tree.flatten(items.rows())
            if self.item is None:
                self.item = items.item
        elif isinstance(items, Tensor):
            if self.item is None:
                self.item = TensorSpec(items.shape[1:], items.dtype)
            rows = [items]
        else:
            for item in items:
                self.append(item)
            return
        both = [joining.concat(pair, 0) for pair in zip(tree.flatten(self.rows()), rows)]
        self.flows = self._of_rows(both)

    def pop(self, index: int | TensorValue = -1) -> Any:
        """Takes an item out, the last one unless `index` says another."""
        if isinstance(index, int) and index == -1:
            popped = [array.pop() for array in self.arrays]
            self._hold([array for array, _ in popped])
            return tree.pack_sequence_as(self.item, [item for _, item in popped])
        item = self[index]
        index, places = self._index(index), numbers(self.length())
        self.flows = self._at(joining.concat([places[:index], places[index + 1 :]], 0))
        return item

    def clear(self) -> None:
        """Takes all items out."""
        self.flows = tuple([make() for make in self.empty_flows()])

    def empty_flows(self) -> list[Callable[[], Any]]:
        """What makes the TensorLists of a list without items."""
        specs = [] if self.item is None else tree.flatten(self.item)
        return [functools.partial(_empty, spec.type) for spec in specs]

    def copy(self) -> GraphList:
        """Another list of the same items."""
        return self.like(self.flows)

    def _index(self, index: int | TensorValue) -> Any:
        """A place from the front."""
        if isinstance(index, Tensor):
            index = index32(index)
            return where(index < 0, index + self.length(), index)
        return index + self.length() if index < 0 else index

    def __getitem__(self, index: slice | int | TensorValue) -> Any:
        if isinstance(index, slice):
            return self.like(self._at(numbers(self.length())[index]))
        place = self._index(index)
        return tree.pack_sequence_as(self.item, [array.read(place) for array in self.arrays])

    def __setitem__(self, index: slice | int | TensorValue, item: object) -> None:
        if isinstance(index, slice):
            raise self.refusal(
                TypeError, "cannot be assigned to by slices", "Assign its items one by one."
            )
        place, leaves = self._index(index), self._leaves(item)
        self._hold([array.write(place, leaf) for array, leaf in zip(self.arrays, leaves)])

    def __delitem__(self, index: slice | int | TensorValue) -> None:
        if isinstance(index, slice):
            raise self.refusal(TypeError, "cannot lose slices", "`pop` its items one by one.")
        self.pop(index)

    def __iadd__(self, items: Items) -> GraphList:
        self.extend(items)
        return self

    def __add__(self, other: Items) -> Any:
        if not isinstance(other, (list, GraphList)):
            return NotImplemented
        joined = self.copy()
        joined.extend(other)
        return joined

    def __radd__(self, other: object) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        joined = self.like(())
        joined.extend(other)
        joined.extend(self)
        return joined

    # -- refusals of what only the graph knows -----------------------------------------------

    def _undecided(self, what: str, instead: str) -> Exception:
        error = not_in_graph(
            f"{what} of a list that a loop of the graph has changed is not allowed here: how many "
            f"items there are, only the graph knows. {instead}, in a function that AutoGraph "
            "converts."
        )
        error.undecided = self
        return error

    def __bool__(self) -> bool:
        raise self._undecided("The truth", "Ask for it by `if`, `while`, `not`, `and`, `or`")

    def __contains__(self, item: object) -> bool:
        raise self._undecided("`in`", "Use it")

    def __iter__(self) -> NoReturn:
        raise self._undecided("Iterating", "Use a `for` statement, or `tf.stack`")

    def __len__(self) -> NoReturn:
        raise self._undecided("The length", "Call `len`")

    def __eq__(self, other: object) -> Any:
        raise self._undecided("A comparison", "Compare tensors: `tf.stack` makes one of the list")

    def __getattr__(self, name: str) -> NoReturn:
        if hasattr(list, name):
            raise self.refusal(
                AttributeError,
                f"has no method `{name}`",
                "Use `append`, `extend`, `pop`, `clear`, `copy` and items, or `tf.stack`.",
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<list of the graph, of items like {self.item!r}>"

    def __graph_iteration__(self) -> _Steps:
        return _Steps(self)

    # -- as a value --------------------------------------------------------------------------

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Any:
        """All items as one tensor, as a list of tensors is."""
        return convert(self._one().stack(), dtype)

    def _one(self) -> ListArray:
        """The only TensorList; TypeError where items are made of several tensors."""
        if isinstance(self.item, TensorSpec) or self.item is None:
            return self.arrays[0]
        raise self.refusal(
            TypeError,
            f"is no tensor: its items are structures, {self.item!r}",
            "Keep a list for each tensor.",
        )

    @property
    def __graphwright_spec__(self) -> GraphListSpec:
        return GraphListSpec(self.item)

    def eager_items(self) -> list[Any]:
        """The Python list, where all is known."""
        return [self[index] for index in range(int(self.length()))]


class _Steps:
    """The items of a list in a `for` statement, which may append to it."""

    def __init__(self, items: GraphList) -> None:
        self.items = items
        self.start = [convert(0)]

    def more(self, state: Sequence[TensorValue]) -> Any:
        return state[0] < self.items.length()

    def item(self, state: Sequence[TensorValue]) -> Any:
        return self.items[state[0]]

    def advance(self, state: Sequence[TensorValue]) -> list[Any]:
        return [state[0] + 1]


class GraphListSpec(TypeSpec):
    """The structure and the specs of the items of a list whose length only the graph knows.

    Outside of graphs its values are Python lists.
    """

    __slots__ = ("_item",)

    def __init__(self, item: object) -> None:
        self._item = item

    @property
    def value_type(self) -> type:
        """The list of the graph."""
        return GraphList

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec([], dt.variant) for _ in tree.flatten(self._item)]

    def _to_components(self, value: GraphList) -> Any:
        return list(value.flows)

    def _from_components(self, components: Sequence[TensorValue]) -> Any:
        items = GraphList(self._item, tuple(components))
        if components and all(isinstance(part, EagerTensor) for part in components):
            return items.eager_items()
        return items

    def _serialize(self) -> tuple[Any, ...]:
        return (self._item,)


def _empty(type_: TensorType) -> Any:
    return apply(list_ops.EmptyTensorList.of(type_.dtype), host_shape(type_.dims), -1)


def item_type(items: Sequence[object], limit: ShapeLike = None) -> Any:
    """The structure with specs that all items have; None unless they are of one type.

    Items are numbers, tensors, or structures of them. Their shapes must be compatible, or, where
    a loop's invariant says what they may be, of that shape.
    """
    first = items[0]
    try:
        for item in items:
            tree.assert_same_structure(first, item)
    except (TypeError, ValueError):
        return None
    columns = zip(*map(tree.flatten, items))
    specs = [_common_type(column, limit) for column in columns]
    return None if None in specs or not specs else tree.pack_sequence_as(first, specs)


def _common_type(leaves: Sequence[TensorLike], limit: ShapeLike) -> TensorSpec | None:
    if not all(isinstance(leaf, (Tensor, *NUMBERS)) for leaf in leaves):
        return None
    dtypes = {leaf.dtype for leaf in leaves if isinstance(leaf, Tensor)}
    if len(dtypes) > 1:
        return None
    plain: list[Any] = [leaf for leaf in leaves if not isinstance(leaf, Tensor)]
    hint = dtypes.pop() if dtypes else None
    try:
        if hint is None:
            hint = convert(plain).dtype if all(map(np.isscalar, plain)) else convert(plain[0]).dtype
        tensors = [convert(leaf, None, hint) for leaf in leaves]
    except (TypeError, ValueError):
        return None
    if any(tensor.dtype is not hint for tensor in tensors):
        return None
    common = tensors[0].shape
    for tensor in tensors:
        if limit is None and not common.is_compatible_with(tensor.shape):
            return None
        common = common.most_specific_compatible_shape(tensor.shape)
    if limit is not None:
        wide = TensorShape(limit)
        if not common.is_subtype_of(wide):
            return None
        common = wide
    return TensorSpec(common, hint)


def list_of(items: Sequence[object], name: str, limit: ShapeLike = None) -> GraphList | None:
    """A list of the graph with these items; None unless they are of one type."""
    item = item_type(items, limit)
    if item is None:
        return None
    new = GraphList(item, (), name, limit)
    new.extend(items)
    return new


def living() -> list[GraphList]:
    """The lists of the graph being traced, oldest first."""
    tracer = current_tracer()
    if tracer is None or not _living:
        return []
    homes = [tracer.graph]
    while homes[-1].is_body and tracer.outer is not None:
        tracer = tracer.outer
        homes.append(tracer.graph)
    everyone = sorted(_living.items())
    return [
        held
        for _, held in everyone
        if any(held.home is graph for graph in homes)
        and all(any(flow.graph is graph for graph in homes) for flow in held._flows)
    ]


@implement(joining.stack, GraphList)
def _stack(values: TensorLike, axis: int = 0, name: str | None = None) -> Any:
    stacked = convert(values)
    rank = stacked.type.rank
    if axis == 0:
        return stacked
    if rank is None:
        raise ValueError("tf.stack of a list of the graph along another axis than the first needs "
                         "items of a known rank")  # fmt: skip
    place = axis % rank
    order = [*range(1, place + 1), 0, *range(place + 1, rank)]
    return transpose(stacked, order)


@implement(joining.concat, GraphList)
def _concat(values: TensorLike, axis: object, name: str | None = None) -> Any:
    if not isinstance(values, GraphList):
        raise TypeError("tf.concat takes a list of the graph alone: it joins the list's items")
    array = values._one()
    if isinstance(axis, int) and axis == 0:
        return array.concat()
    stacked = array.stack()
    rank = stacked.type.rank
    if rank is None or not isinstance(axis, int):
        raise ValueError("tf.concat of a list of the graph needs items of a known rank, and a "
                         "number as its axis")  # fmt: skip
    place = axis % (rank - 1)
    order = [*range(1, place + 1), 0, *range(place + 1, rank)]
    sizes = shape_of(stacked)
    joined = joining.concat(
        [sizes[1 : place + 1], sizes[:1] * sizes[place + 1], sizes[place + 2 :]], 0
    )
    return reshape(transpose(stacked, order), joined)


@implement(sums.add_n, GraphList)
def _add_n(inputs: TensorLike, name: str | None = None) -> Any:
    return reduce_sum(convert(inputs), axis=0)
