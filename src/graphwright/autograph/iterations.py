"""Iterations of the graph over tensors, ranges, arrays, and combinations of them.

A class takes part by a method `__graph_iteration__`. It returns an `Iteration`, or a `Fold` if the
class makes the loop itself (see `staging`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from graphwright.autograph.operator_arguments import Function
from graphwright.autograph.staging import Fold, Iteration, Leaves, Position
from graphwright.control.branch import cond
from graphwright.control.loop import while_loop
from graphwright.control.tensor_array import TensorArray
from graphwright.op.interpreter import convert
from graphwright.ops.core.sequences import Range
from graphwright.ops.core.shapes import shape
from graphwright.ops.math.comparison import greater, less, logical_and, logical_or
from graphwright.trace.missing_values import not_in_graph
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types.arguments import ShapeLike, TensorLike, TensorValue
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable


class TensorItems:
    """The items of a tensor along its first axis."""

    def __init__(self, tensor: TensorValue) -> None:
        dims = tensor.type.dims
        if dims == ():
            raise ValueError(f"cannot loop over a scalar tensor: {tensor}")
        self.tensor = tensor
        static = dims[0] if dims else None
        self.count = shape(tensor)[0] if static is None else convert(static)
        self.start: Position = [convert(0)]

    def more(self, position: Position) -> Any:
        return position[0] < self.count

    def item(self, position: Position) -> Any:
        return self.tensor[position[0]]

    def advance(self, position: Position) -> Position:
        return [position[0] + 1]


class ArrayItems:
    """The elements of a TensorArray, read in order."""

    def __init__(self, array: TensorArray) -> None:
        self.array = array
        self.start: Position = [convert(0)]

    def more(self, position: Position) -> Any:
        return position[0] < self.array.size()

    def item(self, position: Position) -> Any:
        return self.array.read(position[0])

    def advance(self, position: Position) -> Position:
        return [position[0] + 1]


class RangeItems:
    """The numbers of a `tf.range`, without its tensor."""

    def __init__(
        self, start: TensorValue, limit: TensorValue, delta: TensorValue, step: float | None
    ) -> None:
        self.limit = limit
        self.delta = delta
        self.step = step  # the value of delta, or None where only the graph knows it
        self.start: Position = [start]

    def more(self, position: Position) -> Any:
        if self.step is not None:
            return position[0] < self.limit if self.step > 0 else position[0] > self.limit
        rising = logical_and(greater(self.delta, 0), less(position[0], self.limit))
        falling = logical_and(less(self.delta, 0), greater(position[0], self.limit))
        return logical_or(rising, falling)

    def item(self, position: Position) -> Any:
        return position[0]

    def advance(self, position: Position) -> Position:
        return [position[0] + self.delta]


def of_tensor(tensor: TensorValue) -> Iteration:
    """The iteration over a tensor. The numbers of a range are counted, so it needs no tensor."""
    if isinstance(tensor, SymbolicTensor) and isinstance(tensor._value.node.op, Range):
        start, limit, delta = tensor._value.node.inputs
        first, last, step = (SymbolicTensor(v, tensor.graph) for v in (start, limit, delta))
        return RangeItems(first, last, step, step.known)
    return TensorItems(tensor)


def is_looped(items: object) -> bool:
    """Whether a `for` over `items` is one of the graph."""
    known_kind = isinstance(items, (Tensor, Variable, TensorArray))
    return known_kind or hasattr(type(items), "__graph_iteration__")


def of(items: object) -> Iteration | Fold:
    """The iteration, or the fold, over an iterable of the graph."""
    if isinstance(items, (Tensor, Variable)):
        return of_tensor(convert(items))
    if isinstance(items, TensorArray):
        return ArrayItems(items)
    iterable: Any = items
    iteration: Iteration | Fold = iterable.__graph_iteration__()
    return iteration


def folds(items: object) -> bool:
    """Whether an iterable of the graph makes the loop itself."""
    return isinstance(of(items), Fold)


def step_by_step(items: object) -> Iteration:
    """The iteration over one of several iterables that are looped over together."""
    iteration = of(items) if is_looped(items) else None
    if iteration is None or isinstance(iteration, Fold):
        raise TypeError(
            f"a tensor and {type(items).__name__} cannot be looped over together: make the "
            "other one a tensor too"
        )
    return iteration


class _ForLoopsOnly:
    """An iterable for `for` statements of the graph, and for nothing else."""

    def __iter__(self) -> NoReturn:
        raise not_in_graph(
            "Iterating over a symbolic `tf.Tensor` is not allowed: how many items there are, only "
            "the graph knows. Use a `for` statement, which becomes a loop of the graph, or an "
            "operation on the whole tensor such as `tf.map_fn`, `tf.unstack` or `tf.boolean_mask`."
        )

    __next__ = __iter__


class Combined(_ForLoopsOnly):
    """Several iterables in step, each item made by `make`: enumerate, zip, map and iter."""

    def __init__(self, parts: Sequence[Iteration], make: Function) -> None:
        self.parts = parts
        self.make = make
        self.start: Position = [leaf for part in parts for leaf in part.start]

    def __graph_iteration__(self) -> Iteration:
        return self

    def split(self, position: Position) -> list[Position]:
        pieces, start = [], 0
        for part in self.parts:
            pieces.append(position[start : start + len(part.start)])
            start += len(part.start)
        return pieces

    def more(self, position: Position) -> Any:
        tests = [part.more(piece) for part, piece in zip(self.parts, self.split(position))]
        result = tests[0]
        for test in tests[1:]:
            result = logical_and(result, test)
        return result

    def item(self, position: Position) -> Any:
        return self.make(
            *(part.item(piece) for part, piece in zip(self.parts, self.split(position)))
        )

    def advance(self, position: Position) -> Position:
        pieces = zip(self.parts, self.split(position))
        return [leaf for part, piece in pieces for leaf in part.advance(piece)]


class Filtered(_ForLoopsOnly):
    """The items for which a condition holds."""

    relaxes = False

    def __init__(self, part: Iteration, holds: Callable[[TensorLike], TensorLike]) -> None:
        self.part = part
        self.holds = holds

    def __graph_iteration__(self) -> Fold:
        return self

    def sample(self) -> Any:
        return self.part.item(self.part.start)

    def fold(
        self,
        start: Leaves,
        more: Callable[[Leaves], TensorValue] | None,
        step: Callable[[Leaves, object], Leaves],
        shapes: Sequence[ShapeLike] | None,
    ) -> Leaves:
        count = len(self.part.start)

        def test(*leaves: Any) -> Any:
            has_item = self.part.more(leaves[:count])
            return has_item if more is None else logical_and(has_item, more(leaves[count:]))

        def body(*leaves: Any) -> Leaves:
            position, variables = leaves[:count], leaves[count:]
            item = self.part.item(position)
            after = cond(self.holds(item), lambda: step(variables, item), lambda: list(variables))
            return [*self.part.advance(position), *after]

        first = [*self.part.start, *start]
        limits = invariants(first, shapes and [*[None] * count, *shapes])
        return list(while_loop(test, body, first, limits))[count:]


def invariants(first: Leaves, shapes: Sequence[ShapeLike] | None) -> list[Any] | None:
    """The shapes that loop variables may have: for None in `shapes`, that of the first value."""
    if shapes is None:
        return None
    pairs = zip(first, shapes)
    return [getattr(leaf, "shape", None) if shape is None else shape for leaf, shape in pairs]


class Counter:
    """The numbers start, start + 1, ..., without an end."""

    def __init__(self, start: TensorLike) -> None:
        self.start: Position = [convert(start)]

    def more(self, position: Position) -> Any:
        return convert(True)

    def item(self, position: Position) -> Any:
        return position[0]

    def advance(self, position: Position) -> Position:
        return [position[0] + 1]
