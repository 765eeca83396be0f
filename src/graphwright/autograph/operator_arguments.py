"""Arguments of the operators of converted code.

These are the parts of a statement as functions, the variables that these assign, stand-ins for
missing values, and the options of loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypedDict

from graphwright.autograph.list_places import Holder
from graphwright.base.named_tuples import NamedTuple
from graphwright.types.arguments import ShapeLike, TensorLike

#: A function of the program, or of a part of it.
Function = Callable[..., object]
#: A part without parameters: a branch, a test, an operand that may be skipped.
Thunk = Callable[[], Any]
#: The body of a `for`, which takes the item.
ItemBody = Callable[[Any], None]


class Undefined:
    """Stands for the value of a variable that has none."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"

    def refuse(self, *_: object) -> NoReturn:
        """Raise the error of Python for a read of a local variable without a value."""
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


#: The values of a statement's variables.
State = tuple[object, ...]
#: Functions that read and set these variables in the scope that has them.
GetState = Callable[[], State]
SetState = Callable[[State], None]

#: Pairs of a loop variable, or its name, and the shape that it may have.
ShapeInvariants = Sequence[tuple[object, ShapeLike]]


class Variables(NamedTuple):
    """The variables that a statement assigns, and how to read and set them."""

    get: GetState
    set: SetState
    names: tuple[str, ...]


class WhileOptions(TypedDict, total=False):
    """The options of `set_loop_options` that `tf.while_loop` has too."""

    maximum_iterations: TensorLike | None
    parallel_iterations: int
    swap_memory: bool


class LoopOptions(WhileOptions, total=False):
    """The options of a loop, with those that converted code adds.

    `lists` has the variables whose lists the loop may change, and `passed` those whose lists it
    passes to functions. `mutated` returns the containers that methods change in the loop.
    """

    iterate_names: str
    shape_invariants: ShapeInvariants
    lists: Holder
    passed: Thunk
    mutated: Callable[[], dict[str, object]]
