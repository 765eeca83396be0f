"""`for` over a dataset in a graph: a loop that takes elements from a new iterator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from graphwright.autograph.iterations import invariants
from graphwright.autograph.staging import Leaves
from graphwright.control.branch import cond
from graphwright.control.loop import while_loop
from graphwright.data.dataset_ops import AbsentElement, BeginIteration, NextBlock, NextElement
from graphwright.data.element_type import ElementType
from graphwright.op.interpreter import apply, convert
from graphwright.ops.math.comparison import greater, less, logical_and
from graphwright.types import dtypes as dt
from graphwright.types.arguments import ShapeLike, TensorValue
from graphwright.types.shape import TensorShape
from graphwright.values.tensor import Tensor

More: TypeAlias = Callable[[Sequence[Any]], Any]
Step: TypeAlias = Callable[[Sequence[Any], Any], Leaves]


class ElementFold:
    """A loop over the remaining elements of an iterator."""

    relaxes = True

    def __init__(
        self, iterator: Tensor, element: ElementType, is_left: TensorValue | None = None
    ) -> None:
        self.iterator = iterator
        self.element = element
        #: True. It is made once, though a wider shape in the body makes the loop be built again.
        self.is_left = convert(True) if is_left is None else is_left

    def sample(self) -> Any:
        """A value of the type of an element."""
        return self.element.pack(apply(AbsentElement(self.element)) or ())

    def fold(
        self, start: Leaves, more: More | None, step: Step, shapes: Sequence[ShapeLike] | None
    ) -> Leaves:
        """`start` after `step(variables, element)` for each element, while `more(variables)`.

        An element is taken only when the body needs it: none is taken after a `break`.
        """

        def test(is_left: TensorValue, *variables: Any) -> Any:
            return is_left if more is None else logical_and(is_left, more(variables))

        def body(is_left: TensorValue, *variables: Any) -> Leaves:
            has_value, *components = apply(NextElement(self.element), self.iterator)
            element = self.element.pack(components)
            after = cond(has_value, lambda: step(variables, element), lambda: list(variables))
            return [has_value, *after]

        limits = shapes and [TensorShape([]), *shapes]
        first = [self.is_left, *start]
        return list(while_loop(test, body, first, invariants(first, limits)))[1:]


class BlockFold(ElementFold):
    """A loop over the elements of a new iterator.

    It is a loop over blocks, and in it a loop over the elements of a block, which can be machine
    code.
    """

    def __init__(self, dataset: Tensor, element: ElementType) -> None:
        iterator, is_left = apply(BeginIteration(), dataset)
        super().__init__(iterator, element, is_left)

    def fold(
        self, start: Leaves, more: More | None, step: Step, shapes: Sequence[ShapeLike] | None
    ) -> Leaves:
        if any(type_.dtype is dt.variant for type_ in self.element.types):
            return super().fold(start, more, step, shapes)

        def test(is_left: TensorValue, *variables: Any) -> Any:
            return is_left if more is None else logical_and(is_left, more(variables))

        def body(is_left: TensorValue, *variables: Any) -> Leaves:
            count, *columns = apply(NextBlock(self.element), self.iterator)

            def is_within(place: TensorValue, *variables: Any) -> Any:
                return (
                    less(place, count)
                    if more is None
                    else logical_and(less(place, count), more(variables))
                )

            def turn(place: TensorValue, *variables: Any) -> Leaves:
                element = self.element.pack([column[place] for column in columns])
                return [place + 1, *step(variables, element)]

            first = [convert(0), *variables]
            limits = shapes and [TensorShape([]), *shapes]
            _, *after = while_loop(is_within, turn, first, invariants(first, limits))
            return [greater(count, 0), *after]

        limits = shapes and [TensorShape([]), *shapes]
        first = [self.is_left, *start]
        return list(while_loop(test, body, first, invariants(first, limits)))[1:]
