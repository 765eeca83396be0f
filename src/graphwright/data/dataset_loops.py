"""`for` over a dataset in a graph: a loop that takes elements from an iterator of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphwright.autograph.staging import Leaves
from graphwright.control.branch import cond
from graphwright.control.loop import while_loop
from graphwright.data.dataset_ops import AbsentElement, NextElement
from graphwright.data.iterator import Iterator
from graphwright.op.interpreter import apply, convert
from graphwright.ops.math.comparison import logical_and
from graphwright.types.arguments import TensorValue


class ElementFold:
    """A loop over the elements that an iterator has left."""

    def __init__(self, iterator: Iterator) -> None:
        self.iterator = iterator
        self.element = iterator._type

    def sample(self) -> Any:
        """Something of the type of an element."""
        return self.element.pack(apply(AbsentElement(self.element)) or ())

    def fold(
        self,
        start: Leaves,
        more: Callable[[Sequence[Any]], Any] | None,
        step: Callable[[Sequence[Any], Any], Leaves],
    ) -> Leaves:
        """`start` after `step(variables, element)` for each element, while `more(variables)`.

        An element is taken only when the body needs it: after a `break` none is.
        """

        def test(is_left: TensorValue, *variables: Any) -> Any:
            return is_left if more is None else logical_and(is_left, more(variables))

        def body(is_left: TensorValue, *variables: Any) -> Leaves:
            has_value, *components = apply(NextElement(self.element), self.iterator._handle)
            element = self.element.pack(components)
            after = cond(has_value, lambda: step(variables, element), lambda: list(variables))
            return [has_value, *after]

        return list(while_loop(test, body, [convert(True), *start]))[1:]
