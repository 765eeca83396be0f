"""Stand-ins for values that a variable does not have (yet)."""

from __future__ import annotations

from typing import Any, NoReturn


class Undefined:
    """The state of a variable that has no value."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"

    def refuse(self, *_: Any) -> NoReturn:
        """Raise what Python raises where a local variable without a value is read."""
        raise UnboundLocalError(
            f"cannot access local variable {self.name!r} where it is not associated with a value"
        )

    # `x += 1` reads `x` too.
    __iadd__ = __isub__ = __imul__ = __imatmul__ = __itruediv__ = __ifloordiv__ = refuse
    __imod__ = __ipow__ = __ilshift__ = __irshift__ = __iand__ = __ior__ = __ixor__ = refuse


class UndefinedReturn(Undefined):
    """The return value of a function that has not returned."""

    def __init__(self) -> None:
        super().__init__("the return value")
