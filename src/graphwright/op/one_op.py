"""Public functions that are one op on their arguments, which eager calls take straight to a kernel.

`one_op` says of a function that it applies one op to the tensors and host operands that it gets, as
they are. Which op that is depends on dtypes and the function's other arguments alone, not on shapes
and values. So what one call shows holds for all that are like it (`values/prepared_calls.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import CellType
from typing import Any, TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.interpreter import STATE
from graphwright.op.op import Hooks

Function: TypeAlias = Callable[..., Any]


class Roles(NamedTuple):
    """What the parameters of a function are, in their order; those behind have their defaults.

    What is passed for `name` does not matter.
    """

    #: How many are tensors, the operands of the op.
    tensors: int
    #: How many are host operands. Where the default is None, the op gets what that stands for.
    hosts: int
    #: How many decide between ops.
    attributes: int
    #: Whether the one parameter for tensors takes a list of them.
    is_list: bool
    #: Whether the second tensor may be a number, which gets the dtype of the first.
    takes_numbers: bool
    #: Whether the op depends on the ranks of the tensors too.
    by_rank: bool


#: So many eager calls of a function come before there is code for it, which takes 0.3 ms to make
#: and saves about 1 us of each call.
PATIENCE = 64

#: The roles of parameters, by functions that are one op.
ROLES: dict[Function, Roles] = {}


def one_op(
    *functions: Function,
    tensors: int = 1,
    hosts: int = 0,
    attributes: int = 0,
    is_list: bool = False,
    takes_numbers: bool = False,
    by_rank: bool = False,
) -> None:
    """Says that functions, whose last parameter is a name, are one op; see `Roles`."""
    roles = Roles(tensors, hosts, attributes, is_list, takes_numbers, by_rank)
    ROLES.update(dict.fromkeys(functions, roles))


def cell_of_call(function: Function) -> CellType:
    """A cell with what a public form calls: the function, or its prepared calls once there were so
    many that code for them pays."""
    cell = CellType(function)
    roles = ROLES.get(function)
    if roles is None:
        return cell
    ours: list[Function] = []

    def put(successor: Function) -> None:
        if successor not in ours:
            ours.append(successor)
        if cell.cell_contents in ours:  # else the public form has another meaning for a while
            cell.cell_contents = successor

    calls = 0

    def first(*arguments: Any) -> Any:
        nonlocal calls
        if calls < PATIENCE:
            calls += STATE.active is None
            return function(*arguments)
        put(Hooks.prepared(function, roles, put) if len(ours) == 1 else ours[-1])
        return ours[-1](*arguments)

    cell.cell_contents = first
    put(first)
    return cell
