"""The lists of a program that has none: most programs need no code for lists."""

from __future__ import annotations

from typing import Any, NoReturn

from graphwright.base.errors import InternalError
from graphwright.ir.graph import Value


class AbsentBuffers:
    """No lists, in place of `ListBuffers`."""

    def __init__(self) -> None:
        self.listed: dict[Value, Any] = {}
        self.late: dict[Value, Any] = {}

    def infer(self, *op: object) -> NoReturn:
        """Refuses an op on lists."""
        raise unexpected()

    def enter_loop(self, *loop: object) -> None:
        """Adds the lists among a loop's variables."""

    def leave_loop(self, *loop: object) -> None:
        """Requires that each list among a loop's variables stays in its storage."""

    def leave_branch(self, *branch: object) -> None:
        """Adds the lists among a branch's results."""

    def check(self, schedule: object) -> None:
        """Refuses changes of a list whose older version is still needed."""


class AbsentLowering:
    """No statements of lists, in place of `ListLowering`."""

    def __init__(self) -> None:
        self.lengths: dict[Value, int] = {}

    def add_input(self, value: Value) -> NoReturn:
        """Refuses a list that arrives."""
        raise unexpected()

    def statements(self, *op: object) -> NoReturn:
        """Refuses an op on lists."""
        raise unexpected()

    def enter(self) -> list[Any]:
        """The first statements of the program."""
        return []

    def enter_loop(
        self, node: object, schedule: object, inner: object, into: object
    ) -> list[tuple[int, int, Value]]:
        """The lengths that a loop carries."""
        return []

    def next_length(self, result: object, body: object, into: object) -> NoReturn:
        """Refuses a list at the end of a block."""
        raise unexpected()

    def deliver_all(self, body: object) -> None:
        """Appends the statements that deliver the lists among the results."""

    def crossing(self) -> None:
        """The lists that arrive and leave."""


def unexpected() -> InternalError:
    """The error of a list in a program that has none."""
    return InternalError(None, None, "a graph without lists was lowered to lists")
