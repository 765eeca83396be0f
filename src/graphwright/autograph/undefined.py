"""Stand-ins for values that a variable does not have (yet)."""

from __future__ import annotations


class Undefined:
    """The state of a variable that has no value."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


class UndefinedReturn(Undefined):
    """The return value of a function that has not returned."""

    def __init__(self) -> None:
        super().__init__("the return value")
