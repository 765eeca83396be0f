"""Arguments of the operators of converted code.

These are the parts of a statement as functions, the variables that these assign or share,
stand-ins for missing values, and the options of loops.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from types import CellType
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

from graphwright.autograph.list_places import EMPTY, Cell, DictItem, Holder, value_of
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


class SharedVariable:
    """A variable, by its name and the cell that functions share.

    Where it `is_guarded`, a handler may notice that it has no value.
    """

    __slots__ = ("cell", "is_guarded", "name")

    def __init__(self, name: str, cell: Cell, is_guarded: bool = False) -> None:
        self.name = name
        self.cell = cell
        self.is_guarded = is_guarded

    def value(self) -> object:
        """Its value, or `Undefined`."""
        value = value_of(self.cell)
        return Undefined(self.name) if value is EMPTY else value

    def set(self, value: object) -> None:
        """Give it a value, or none."""
        if value is not EMPTY and not isinstance(value, Undefined):
            self.cell.cell_contents = value
        elif value_of(self.cell) is not EMPTY:
            del self.cell.cell_contents


_MANY = 64  # from here on, cells that nobody else has are dropped now and then
_NOBODY = 2  # references to a cell of which only the table knows


def note_shared(
    shared: dict[Hashable, SharedVariable],
    variables: Function | None,
    guarded: Sequence[str],
    changing: Sequence[str],
    module: dict[str, object],
) -> None:
    """Note that functions share the variables in the cells of a function, and those of a module.

    `shared` has the variables that functions share in the trace.
    """
    if len(shared) >= _MANY and not len(shared) & (len(shared) - 1):
        for key, variable in list(shared.items()):
            if sys.getrefcount(variable.cell) <= _NOBODY and type(variable.cell) is CellType:
                del shared[key]
    for name, cell in cells_of(variables).items():
        if id(cell) not in shared:
            shared[id(cell)] = SharedVariable(name, cell, name in guarded)
    for name in changing:
        if (id(module), name) not in shared:
            shared[id(module), name] = SharedVariable(
                name, DictItem(cast(dict[object, object], module), name)
            )


if TYPE_CHECKING:  # the class of a TypedDict compiles the annotations
    from typing import TypedDict

    class WhileOptions(TypedDict, total=False):
        """The options of `set_loop_options` that `tf.while_loop` has too."""

        maximum_iterations: TensorLike | None
        parallel_iterations: int
        swap_memory: bool

    class LoopOptions(WhileOptions, total=False):
        """The options of a loop, with those that converted code adds.

        `exposed` are the variables that a turn may read before it assigns them, and `turns_own`
        those of them that nothing reads after the loop. `lists` has the variables whose lists the
        loop may change, and `passed` those whose lists it passes to functions. `mutated` returns
        the containers that methods change in the loop.
        """

        iterate_names: str
        shape_invariants: ShapeInvariants
        exposed: tuple[str, ...]
        turns_own: tuple[str, ...]
        lists: Holder
        passed: Thunk
        mutated: Callable[[], dict[str, object]]
