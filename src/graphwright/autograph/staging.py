"""What AutoGraph needs to know about tensors, and nothing more.

The operators that converted code calls decide with `Staging.is_staged` whether Python or
the graph takes a branch or a loop. `tensors` has the staging of graphwright's own tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

Leaves = list[Any]


class Iteration(Protocol):
    """A staged loop's way through an iterable: `start` are loop variables of its own."""

    start: Leaves

    def more(self, own: Sequence[Any]) -> Any:
        """Whether there is another item: a bool tensor."""

    def item(self, own: Sequence[Any]) -> Any:
        """The present item."""

    def advance(self, own: Sequence[Any]) -> Leaves:
        """The loop's own variables for the next item."""


@runtime_checkable
class Fold(Protocol):
    """A loop that the iterable makes itself, as data sets do: an alternative to `Iteration`."""

    def sample(self) -> Any:
        """Something like an item, in the graph that is being built."""

    def fold(
        self,
        start: Leaves,
        more: Callable[[Sequence[Any]], Any] | None,
        step: Callable[[Sequence[Any], Any], Leaves],
    ) -> Leaves:
        """`start` after `step(variables, item)` for each item, while `more(variables)`."""


class GrowingList(Protocol):
    """A list whose length only the graph knows; it is changed where it is."""

    flows: tuple[Any, ...]  # what it holds, as carried values

    @property
    def width(self) -> int:
        """How many values these are; 0 as long as the type of its items is not known."""

    def empty_flows(self) -> Sequence[Callable[[], Any]]:
        """What makes each of these values for a list without items."""


class Staging(Protocol):
    """Tensors as AutoGraph sees them."""

    def is_staged(self, value: Any) -> bool:
        """Whether `value` is a tensor that only running the graph computes."""

    def carries(self, value: Any) -> bool:
        """Whether `value` may enter and leave graphs as it is: tensors, arrays of tensors."""

    def is_variable(self, value: Any) -> bool:
        """Whether a value is a variable of state, which is what it is or what it holds."""

    def read(self, variable: Any) -> Any:
        """What a variable of state holds, as a tensor."""

    def convert(self, value: Any) -> Any:
        """A Python or NumPy value as a tensor. TypeError or ValueError where there is none."""

    def is_traced(self, value: Any) -> bool:
        """Whether `value` is a tensor of a graph that is being built."""

    def leaks(self, value: Any) -> bool:
        """Whether `value` is a tensor of a graph that is closed."""

    def type_of(self, value: Any) -> tuple[str, Any]:
        """The name of the dtype and the shape (None where unknown) of a carried value."""

    def fits(self, shape: Any, into: Any) -> bool:
        """Whether every tensor of the first shape is one of the second."""

    def common_shape(self, one: Any, two: Any) -> Any:
        """The narrowest shape, as a list, of tensors of either shape."""

    def zeros(self, value: Any) -> Any:
        """Something of the type of the carried value. ValueError where its shape is unknown."""

    def condition(self, value: Any, what: str) -> Any:
        """`value` as a condition: ValueError unless it is a scalar bool."""

    def cond(
        self,
        pred: Any,
        then: Callable[[], Leaves],
        other: Callable[[], Leaves],
        late: Sequence[tuple[int, Callable[[], Any]]] = (),
    ) -> Leaves:
        """Both branches in the graph; each function is called once, the first one first.

        `late` is looked at after that: leaves of the first branch, which are made in it and
        inserted at their positions.
        """

    def while_loop(
        self,
        test: Callable[..., Any],
        body: Callable[..., Leaves],
        start: Leaves,
        shapes: Sequence[Any] | None,
        options: dict[str, Any],
    ) -> Leaves:
        """A loop in the graph; `test` and `body` are called once, with the variables."""

    def probe(self, function: Callable[[], Any]) -> Any:
        """What `function` returns when it runs in a graph that is thrown away."""

    def loops(self, items: Any) -> bool:
        """Whether the graph loops over `items`."""

    def iteration(self, items: Any) -> Iteration | Fold | None:
        """How to loop over `items` in the graph; None for what Python iterates."""

    def all_of(self, first: Any, second: Any) -> Any:
        """The logical and of two conditions."""

    def none_of(self, value: Any) -> Any:
        """The logical not."""

    def contains(self, item: Any, items: Any) -> Any:
        """Whether `item` is among `items`, one of which is staged."""

    def assert_true(self, condition: Any, message: str) -> None:
        """Fails in the graph unless the condition holds."""

    def list_of(self, items: list[Any], name: str, shape: Any) -> GrowingList | None:
        """A list of the graph in place of a Python list that a loop may change.

        None where the type of its items is not known. `shape` is what the loop allows for it.
        """

    def lost(self, items: GrowingList) -> Any:
        """An item of the list that is out of scope wherever it is used."""

    def lists(self) -> list[GrowingList]:
        """All lists of the graph that the code being traced may reach."""

    def builtin(self, name: str) -> Callable[..., Any]:
        """The form for tensors of a builtin: `len`, `range`, `sorted`, ... (see `overloads`)."""
