"""What AutoGraph needs to know about tensors, and nothing more.

The operators that converted code calls decide with `Staging.is_staged` whether Python or
the graph runs a branch or a loop. `tensors` has the staging of graphwright's tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard, TypeVar, runtime_checkable

from graphwright.autograph.operator_arguments import Thunk
from graphwright.types.arguments import ShapeLike, TensorLike, TensorValue
from graphwright.types.shape import TensorShape

if TYPE_CHECKING:
    from graphwright.autograph.operator_arguments import WhileOptions

T = TypeVar("T")

#: The values that cross the boundary of a graph, flat: tensors, and composites of tensors.
Leaves: TypeAlias = Sequence[object]
#: The position of a loop of the graph in its iterable: further loop variables.
Position: TypeAlias = Sequence[TensorValue]


class Iteration(Protocol):
    """How a loop of the graph goes through an iterable."""

    @property
    def start(self) -> Position:
        """The position of the first item."""

    def more(self, position: Position) -> TensorValue:
        """Whether there is another item: a bool tensor."""

    def item(self, position: Position) -> Any:
        """The item at a position."""

    def advance(self, position: Position) -> Position:
        """The position of the next item."""


@runtime_checkable
class Fold(Protocol):
    """A loop that the iterable makes itself, as datasets do: an alternative to `Iteration`."""

    #: Whether variables may change their shapes, as they may where TensorFlow reduces a dataset.
    relaxes: bool

    def sample(self) -> Any:
        """A value of the type of an item, in the graph that is being built."""

    def fold(
        self,
        start: Leaves,
        more: Callable[[Leaves], TensorValue] | None,
        step: Callable[[Leaves, object], Leaves],
        shapes: Sequence[ShapeLike] | None,
    ) -> Leaves:
        """`start` after `step(variables, item)` for each item, while `more(variables)`.

        `shapes` has the shape that each variable may have; None is that of its first value.
        """


class GrowingList(Protocol):
    """A list whose length only the graph knows. It changes in place."""

    flows: tuple[Any, ...]  # the contents, as values that cross the boundary of graphs

    @property
    def width(self) -> int:
        """The number of `flows`; 0 while the type of the items is unknown."""

    def empty_flows(self) -> Sequence[Thunk]:
        """Functions that make each of `flows` for a list without items."""

    def __getitem__(self, index: int) -> Any:
        """An item."""


class Staging(Protocol):
    """Tensors as AutoGraph sees them."""

    def is_staged(self, value: object) -> TypeGuard[TensorLike]:
        """Whether `value` is a tensor that only running the graph computes."""

    def carries(self, value: object) -> bool:
        """Whether `value` may enter and leave graphs as it is: tensors, arrays of tensors."""

    def is_variable(self, value: object) -> TypeGuard[TensorLike]:
        """Whether `value` is a `tf.Variable`, or another object that makes a tensor of itself.

        Python has the object, and the graph its value.
        """

    def read(self, variable: TensorLike) -> TensorValue:
        """The value of a variable of state, as a tensor."""

    def refuses_in_place(self, variable: object, error: Exception) -> bool:
        """Whether an error says that a statement such as `variable += 1` has this variable."""

    def convert(self, value: object) -> TensorValue:
        """A Python or NumPy value as a tensor. TypeError or ValueError where it is none."""

    def is_traced(self, value: object) -> bool:
        """Whether `value` is a tensor of a graph that is being built."""

    def leaks(self, value: object) -> bool:
        """Whether `value` is a tensor of a graph that is closed."""

    def type_of(self, value: object) -> tuple[str, TensorShape | None]:
        """The name of the dtype and the shape (None where unknown) of a carried value."""

    def fits(self, shape: ShapeLike, into: ShapeLike) -> bool:
        """Whether every tensor of the first shape is one of the second."""

    def common_shape(self, one: ShapeLike, two: TensorShape | None) -> list[int | None] | None:
        """The narrowest shape that tensors of both shapes have, as a list."""

    def zeros(self, value: object) -> Any:
        """Zeros of the type of the carried value. ValueError where there are none."""

    def condition(self, value: TensorLike, what: str) -> TensorValue:
        """`value` as a condition: ValueError unless it is a scalar bool."""

    def cond(
        self,
        pred: TensorValue,
        then: Callable[[], Leaves],
        other: Callable[[], Leaves],
        late: Sequence[tuple[int, Thunk]] = (),
    ) -> Leaves:
        """Both branches in the graph. Each function is called once, `then` first.

        `late` is read after both. It has further leaves of the first branch: functions that make
        them there, and their positions.
        """

    def while_loop(
        self,
        test: Callable[..., TensorLike],
        body: Callable[..., Leaves],
        start: Leaves,
        shapes: Sequence[ShapeLike] | None,
        options: WhileOptions,
    ) -> Leaves:
        """A loop in the graph. `test` and `body` are called once, with the loop variables."""

    def probe(self, function: Callable[[], T]) -> T:
        """The result of `function`, which runs in a graph that is thrown away."""

    def loops(self, items: object) -> bool:
        """Whether the graph loops over `items`."""

    def folds(self, items: object) -> bool:
        """Whether `items`, over which the graph loops, make the loop themselves, as datasets do."""

    def iteration(self, items: object) -> Iteration | Fold | None:
        """The iteration or fold over `items` in the graph; None where Python iterates."""

    def all_of(self, first: TensorValue, second: TensorValue) -> TensorValue:
        """The logical and of two conditions."""

    def none_of(self, value: TensorLike) -> TensorValue:
        """The logical not."""

    def contains(self, item: TensorLike, items: Iterable[TensorLike]) -> TensorValue:
        """Whether `item` is among `items`, one of which is staged."""

    def assert_true(self, condition: TensorLike, message: str) -> None:
        """Fails in the graph unless the condition holds."""

    def list_of(self, items: list[object], name: str, shape: ShapeLike) -> GrowingList | None:
        """A list of the graph in place of a Python list that a loop may change.

        None where the type of its items is unknown. `shape` is the shape that the loop allows.
        """

    def lost(self, items: GrowingList) -> Any:
        """An item of the list that is out of scope everywhere: any use of it is refused."""

    def lost_variable(self, reason: str) -> Any:
        """A value that is out of scope wherever it is used: the error has the reason."""

    def shared(self) -> dict[Any, Any] | None:
        """The variables that functions share in the trace (see `shared_variables`), or None."""

    def lists(self) -> Sequence[GrowingList]:
        """All lists of the graph that the code being traced may reach."""

    def builtin(self, name: str) -> Callable[..., Any]:
        """The form of a builtin for tensors: `len`, `range`, `sorted`, ... (see `overloads`)."""
