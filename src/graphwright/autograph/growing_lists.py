"""Lists that grow: Python lists become lists of the graph, and all regions carry those along.

A list of the graph stays one object and changes in place. So whoever holds it, by another variable,
an attribute or an argument, sees each change. A branch or a loop has changed it if it holds other
values at the end than at the beginning, whatever the program says.
"""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from types import BuiltinMethodType
from typing import Any

from graphwright.autograph.container_snapshots import contents, refill
from graphwright.autograph.list_places import EMPTY, Cell, DictItem, Holder, python_lists, value_of
from graphwright.autograph.live_source import cells_of
from graphwright.autograph.operator_arguments import (
    Function,
    LoopOptions,
    ShapeInvariants,
    Thunk,
    Variables,
)
from graphwright.autograph.staging import GrowingList, Leaves, Staging
from graphwright.autograph.touched_variables import MUTATORS
from graphwright.types import tree
from graphwright.types.arguments import TensorValue

#: The Python lists of the regions around, and those that loops pass to functions, by identity.
_found: contextvars.ContextVar[dict[int, list[Any]]] = contextvars.ContextVar("found")
_passed: contextvars.ContextVar[dict[int, list[Any]]] = contextvars.ContextVar("passed")


#: The regions that note any change; calls of methods look only while there is one.
PASSING: set[int] = set()


class FoundBefore(BaseException):
    """A change of a list that is older than a region around the change."""

    def __init__(self, held: list[object]) -> None:
        super().__init__()
        self.held = held


class Found:
    """The Python lists at the beginning of a region, in case something in it changes one of them.

    A branch notes only changes by loops. A loop that has `passed` lists to functions notes any
    change, except of `others`.
    """

    def __init__(self, variables: Holder, passed: bool, others: Iterable[int] = ()) -> None:
        self.variables = variables
        lists = {id(held): held for _, _, held in python_lists(variables)}
        self.lists = {key: held for key, held in lists.items() if key not in others}
        self.is_passed = passed

    def __enter__(self) -> Found:
        self.token = _found.set(_found.get({}) | self.lists)
        if self.is_passed:
            self.others = _passed.set(_passed.get({}) | self.lists)
            PASSING.add(id(self))
        return self

    def __exit__(self, *_: object) -> None:
        _found.reset(self.token)
        if self.is_passed:
            _passed.reset(self.others)
            PASSING.discard(id(self))


def changes(method: BuiltinMethodType) -> BuiltinMethodType:
    """The method that is about to be called; raises `FoundBefore` if it changes a passed list."""
    held = method.__self__
    if type(held) is list and id(held) in _passed.get({}) and method.__name__ in MUTATORS:
        raise FoundBefore(held)
    return method


class Snapshot:
    """The values of the variables of functions, with those that nothing reads afterwards."""

    def __init__(self, *functions: Function | None) -> None:
        cells = [cell for function in functions for cell in cells_of(function).values()]
        values = [(cell, value_of(cell)) for cell in cells]
        self.cells = [
            (cell, value, contents(value) if type(value) in (list, dict) else None)
            for cell, value in values
        ]

    def restore(self) -> None:
        """Set the variables to these values again."""
        for cell, value, held in self.cells:
            if value is not EMPTY:
                cell.cell_contents = value
                if held is not None:
                    refill(value, held)
            elif value_of(cell) is not EMPTY:
                del cell.cell_contents


class Growing:
    """Puts lists of the graph in place of the Python lists that a region may change.

    `variables` says where the lists are. Other holders of such a Python list hold items that are
    out of scope from then on, as they cannot know the list of the graph. Objects and dicts outlive
    the trace, so a list there must hold a tensor of it. A region that cannot be built changes
    nothing.
    """

    def __init__(
        self,
        staging: Staging,
        variables: Holder,
        shapes: ShapeInvariants | None = None,
        among: Collection[int] | None = None,
    ) -> None:
        self.staging = staging
        self.variables = variables
        self.among = among  # the only ones that become others, if this is given
        self.limits = {name: shape for name, shape in shapes or () if isinstance(name, str)}
        self.cells: list[tuple[Cell, list[Any]]] = []
        self.made: dict[int, tuple[list[Any], list[Any], GrowingList]] = {}

    def __enter__(self) -> None:
        for name, cell, held in python_lists(self.variables):
            if self.among is not None and id(held) not in self.among:
                continue
            if isinstance(cell, DictItem) and not any(
                map(self.staging.is_traced, tree.flatten(held))
            ):
                continue  # perhaps an earlier call left it, and the next one will expect more
            if id(held) not in self.made:
                new = self.staging.list_of(held, name, self.limits.get(name))
                if new is None:
                    continue
                if id(held) in _found.get({}):
                    raise FoundBefore(held)
                self.made[id(held)] = held, held[:], new
            self.cells.append((cell, held))
        for held, items, new in self.made.values():
            held[:] = [self.staging.lost(new)] * max(1, len(items))
        for cell, held in self.cells:
            cell.cell_contents = self.made[id(held)][2]

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            return
        for held, items, _new in self.made.values():
            held[:] = items
        for cell, held in self.cells:
            cell.cell_contents = held


def build_loop(
    staging: Staging,
    options: LoopOptions,
    functions: Sequence[Function | None],
    variables: Variables,
    build: Callable[[], None],
) -> None:
    """Builds a loop, with lists of the graph for the Python lists that it changes.

    Only a trace of its body shows which lists its callees change; then it is traced anew.
    `variables` are those of the loop, `functions` its parts.
    """
    shapes = options.get("shape_invariants")
    with Growing(staging, options.get("lists"), shapes):
        passed = functools.partial(Found, options.get("passed"), True)
        build_again(staging, passed, shapes, functions, variables, build)


def build_again(
    staging: Staging,
    find: Callable[..., Found],
    shapes: ShapeInvariants | None,
    functions: Sequence[Function | None],
    variables: Variables,
    build: Callable[[], None],
) -> None:
    """Builds a region, and again with each list that turns out to change in it."""
    if not find().lists:
        build()
        return
    before, initial = Snapshot(*functions), variables.get()
    changed: dict[int, list[Any]] = {}
    while True:
        found = find(changed)
        try:
            with found, Growing(staging, found.variables, shapes, changed):
                build()
            return
        except FoundBefore as change:
            if id(change.held) not in found.lists:
                raise
            changed[id(change.held)] = change.held
            variables.set(initial)
            before.restore()


Late = tuple[int, Thunk]


class CarriedLists:
    """The lists of the graph, whose values a region has among its own."""

    def __init__(self, staging: Staging) -> None:
        self.lists = staging.lists()
        self.before = [held.flows for held in self.lists]

    def reset(self) -> None:
        """Set them to their values before the region."""
        for held, flows in zip(self.lists, self.before):
            held.flows = flows

    def __enter__(self) -> CarriedLists:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:  # the region was not built
            self.reset()

    def widths(self) -> list[int]:
        """How many values each list is: 0 as long as the type of its items is not known."""
        return [held.width for held in self.lists]

    def leaves(self) -> Leaves:
        """What they hold now."""
        return [flow for held in self.lists for flow in held.flows]

    def take(self, leaves: Leaves, among: Sequence[bool] | None = None) -> None:
        """Set them to these values; with `among`, only the lists that it says."""
        left = iter(leaves)
        for number, held in enumerate(self.lists):
            flows = tuple([next(left) for _ in range(held.width)])
            held.flows = flows if among is None or among[number] else self.before[number]

    def changed(self, since: Sequence[object]) -> list[bool]:
        """Whether each list has other values than `since`."""
        return [held.flows is not flows for held, flows in zip(self.lists, since)]


def cond(
    staging: Staging,
    pred: TensorValue,
    then: Callable[[], Leaves],
    other: Callable[[], Leaves],
    late: list[Late] | None = None,
) -> Leaves:
    """Both branches in the graph, with the lists that they change.

    `late` says, after both, which leaves the first branch has besides (see `Staging.cond`).
    """
    late = [] if late is None else late
    lists = CarriedLists(staging)
    if not lists.lists:
        return staging.cond(pred, then, other, late)
    changed: list[list[bool]] = []
    known: list[int] = []

    def branch(run: Callable[[], Leaves]) -> Leaves:
        lists.reset()
        leaves = run()
        changed.append(lists.changed(lists.before))
        known[:] = known or lists.widths()
        return [*leaves, *lists.leaves()]

    def second() -> Leaves:
        leaves = branch(other)
        position = len(leaves) - sum(lists.widths())
        for held, before in zip(lists.lists, known):
            if not before:  # the first branch knew nothing of the items' type
                late.extend((position + i, empty) for i, empty in enumerate(held.empty_flows()))
            position += held.width
        return leaves

    with lists:
        results = staging.cond(pred, lambda: branch(then), second, late)
    count = len(results) - sum(lists.widths())
    lists.take(results[count:], [any(flags) for flags in zip(*changed)])
    return results[:count]
