"""Arguments of the operators of converted code.

These are the parts of a statement as functions, the variables that these assign, stand-ins for
missing values, and the options of loops.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NoReturn, TypeAlias, TypedDict

from graphwright.autograph.list_places import Holder
from graphwright.autograph.live_source import cells_of
from graphwright.base.named_tuples import NamedTuple
from graphwright.types.arguments import ShapeLike, TensorLike

#: A function of the program, or of a part of it.
Function: TypeAlias = Callable[..., object]
#: A part without parameters: a branch, a test, an operand that may be skipped.
Thunk: TypeAlias = Callable[[], Any]
#: The body of a `for`, which takes the item.
ItemBody: TypeAlias = Callable[[Any], None]


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
State: TypeAlias = tuple[object, ...]
#: Functions that read and set these variables in the scope that has them.
GetState: TypeAlias = Callable[[], State]
SetState: TypeAlias = Callable[[State], None]

#: Pairs of a loop variable, or its name, and the shape that it may have.
ShapeInvariants: TypeAlias = Sequence[tuple[object, ShapeLike]]


class Variables(NamedTuple):
    """The variables that a statement assigns, and how to read and set them.

    `parts` are the functions of the statement's parts, which have the variables as cells. `others`
    are the keys of further shared variables.
    """

    get: GetState
    set: SetState
    names: tuple[str, ...]
    parts: tuple[Function, ...] = ()
    others: frozenset[Hashable] = frozenset()

    def keys(self) -> frozenset[Hashable]:
        """The keys of the variables among shared ones: cells, and names of a module."""
        keys: set[Hashable] = set(self.others)
        for part in self.parts:
            cells = cells_of(part)
            keys.update([id(cells[name]) for name in self.names if name in cells])
            module = id(getattr(part, "__globals__", None))
            keys.update([(module, name) for name in self.names])
        return frozenset(keys)


class WhileOptions(TypedDict, total=False):
    """The options of `set_loop_options` that `tf.while_loop` has too."""

    maximum_iterations: TensorLike | None
    parallel_iterations: int
    swap_memory: bool


class LoopOptions(WhileOptions, total=False):
    """The options of a loop, with those that converted code adds.

    `exposed` are the variables that a turn may read before it assigns them, and `turns_own` those
    of them that nothing reads after the loop. `lists` has the
    variables whose lists the loop may change, and `passed` those whose lists it passes to
    functions. `mutated` returns the containers that methods change in the loop.
    """

    iterate_names: str
    shape_invariants: ShapeInvariants
    exposed: tuple[str, ...]
    turns_own: tuple[str, ...]
    lists: Holder
    passed: Thunk
    mutated: Callable[[], dict[str, object]]
