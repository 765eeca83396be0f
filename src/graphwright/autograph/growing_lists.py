"""Lists that grow: Python lists become lists of the graph, and all regions carry those along.

A list of the graph stays one object and changes in place. So a change shows in every variable,
attribute and argument that holds the list. A branch or a loop has changed a list if its values
differ between the beginning and the end.
"""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwright.autograph.list_places import (
    EMPTY,
    WATCHING,
    Cell,
    DictItem,
    Holder,
    OuterListChange,
    contents,
    passed_lists,
    python_lists,
    refill,
    value_of,
)
from graphwright.autograph.live_source import cells_of
from graphwright.autograph.operator_arguments import (
    Function,
    ShapeInvariants,
    Thunk,
    Variables,
)
from graphwright.autograph.staging import GrowingList, Leaves, Staging
from graphwright.base.errors import user_location
from graphwright.base.logs import LOGGER
from graphwright.types import tree
from graphwright.types.arguments import TensorValue

if TYPE_CHECKING:
    from graphwright.autograph.operator_arguments import LoopOptions

#: The Python lists of the enclosing regions, by identity.
_outer_lists: contextvars.ContextVar[dict[int, list[Any]]] = contextvars.ContextVar("outer_lists")


class RegionLists:
    """The Python lists at the beginning of a region, without those that become lists of the graph.

    `replaced` has the identities of these. A branch notes only changes by loops. A loop that passes
    lists to functions (`passes`) notes any change.
    """

    def __init__(self, variables: Holder, passes: bool, replaced: Iterable[int] = ()) -> None:
        self.variables = variables
        lists = {id(python_list): python_list for _, _, python_list in python_lists(variables)}
        self.lists = {key: value for key, value in lists.items() if key not in replaced}
        self.passes = passes

    def __enter__(self) -> RegionLists:
        self.token = _outer_lists.set(_outer_lists.get({}) | self.lists)
        if self.passes:
            self.passed_token = passed_lists.set(passed_lists.get({}) | self.lists)
            WATCHING.add(id(self))
        return self

    def __exit__(self, *_: object) -> None:
        _outer_lists.reset(self.token)
        if self.passes:
            passed_lists.reset(self.passed_token)
            WATCHING.discard(id(self))


class Snapshot:
    """The values of the variables of functions, also of those that nothing reads afterwards."""

    def __init__(self, *functions: Function | None) -> None:
        cells = [cell for function in functions for cell in cells_of(function).values()]
        values = [(cell, value_of(cell)) for cell in cells]
        self.cells = [
            (cell, value, contents(value) if type(value) in (list, dict) else None)
            for cell, value in values
        ]

    def restore(self) -> None:
        """Set the variables to these values again."""
        for cell, value, items in self.cells:
            if value is not EMPTY:
                cell.cell_contents = value
                if items is not None:
                    refill(value, items)
            elif value_of(cell) is not EMPTY:
                del cell.cell_contents


class ListReplacement:
    """Puts lists of the graph in place of the Python lists that a region may change.

    `variables` says where the lists are. The items of a replaced Python list are out of scope from
    then on. Other variables that hold it do not know the list of the graph. Objects and dicts
    outlive the trace, so a list there is replaced only if it has a tensor of the trace. A region
    that cannot be built changes nothing.
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
        self.among = among  # the only lists to replace; None for all
        self.limits = {name: shape for name, shape in shapes or () if isinstance(name, str)}
        self.cells: list[tuple[Cell, list[Any]]] = []
        self.replaced: dict[int, tuple[list[Any], list[Any], GrowingList]] = {}

    def __enter__(self) -> None:
        for name, cell, python_list in python_lists(self.variables):
            if self.among is not None and id(python_list) not in self.among:
                continue
            if isinstance(cell, DictItem) and not any(
                map(self.staging.is_traced, tree.flatten(python_list))
            ):
                continue  # an earlier call may have left it, and the next one may read it
            if id(python_list) not in self.replaced:
                new = self.staging.list_of(python_list, name, self.limits.get(name))
                if new is None:
                    continue
                if id(python_list) in _outer_lists.get({}):
                    raise OuterListChange(python_list)
                self.replaced[id(python_list)] = python_list, python_list[:], new
            self.cells.append((cell, python_list))
        for python_list, items, new in self.replaced.values():
            python_list[:] = [self.staging.lost(new)] * max(1, len(items))
        for cell, python_list in self.cells:
            cell.cell_contents = self.replaced[id(python_list)][2]

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            return
        for python_list, items, _new in self.replaced.values():
            python_list[:] = items
        for cell, python_list in self.cells:
            cell.cell_contents = python_list


def build_loop(
    staging: Staging,
    options: LoopOptions,
    functions: Sequence[Function | None],
    variables: Variables,
    build: Callable[[], None],
) -> None:
    """Build a loop, with lists of the graph for the Python lists that it changes.

    Warns of other containers that change in it.

    Only a trace of its body shows which lists its callees change. Then the body is traced again.
    `variables` are those of the loop, `functions` its parts.
    """

    def build_and_warn() -> None:
        before = _leaves(options)
        build()
        _warn_of_changes(staging, before, options)

    shapes = options.get("shape_invariants")
    with ListReplacement(staging, options.get("lists"), shapes):
        lists = functools.partial(RegionLists, options.get("passed"), True)
        build_region(staging, lists, shapes, functions, variables, build_and_warn)


def _leaves(options: LoopOptions) -> dict[str, list[Any]]:
    """The leaves of the containers that methods change in a loop, by name."""
    mutated = options.get("mutated")
    if mutated is None:
        return {}
    try:
        values = mutated()
    except (NameError, AttributeError):  # a variable has no value yet
        return {}
    containers = {name: value for name, value in values.items() if isinstance(value, _CONTAINERS)}
    return {name: tree.flatten(contents(value)) for name, value in containers.items()}


_CONTAINERS = (list, dict, set)


def _warn_of_changes(
    staging: Staging, before: dict[str, list[object]], options: LoopOptions
) -> None:
    """Warn of containers that a loop of the graph changed once, while its body was traced.

    A container that holds a tensor of the body needs no warning: its use is refused.
    """
    for name, leaves in _leaves(options).items():
        same = list(map(id, leaves)) == list(map(id, before.get(name, leaves)))
        if not same and not any(map(staging.leaks, leaves)):
            LOGGER.warning(
                "%s: this loop of the graph changes `%s`, a Python object, by a method. Its body "
                "is traced once, so that happens once, whatever the number of turns. Use a "
                "tf.TensorArray: `array = array.write(array.size(), value)` in the loop, and "
                "`array.stack()` after it.",
                user_location(), name,
            )  # fmt: skip


def build_region(
    staging: Staging,
    region_lists: Callable[..., RegionLists],
    shapes: ShapeInvariants | None,
    functions: Sequence[Function | None],
    variables: Variables,
    build: Callable[[], None],
) -> None:
    """Build a region, and build it again for each list that turns out to change in it."""
    if not region_lists().lists:
        build()
        return
    before, initial = Snapshot(*functions), variables.get()
    changed: dict[int, list[Any]] = {}
    while True:
        lists = region_lists(changed)
        try:
            with lists, ListReplacement(staging, lists.variables, shapes, changed):
                build()
            return
        except OuterListChange as change:
            if id(change.python_list) not in lists.lists:
                raise
            changed[id(change.python_list)] = change.python_list
            variables.set(initial)
            before.restore()


#: A leaf that is made later, and its position.
Late: TypeAlias = tuple[int, Thunk]


class CarriedLists:
    """The lists of the graph, whose values cross the boundary of a region like variables."""

    def __init__(self, staging: Staging) -> None:
        self.lists = staging.lists()
        self.before = [graph_list.flows for graph_list in self.lists]

    def reset(self) -> None:
        """Set all lists to their values before the region."""
        for graph_list, flows in zip(self.lists, self.before):
            graph_list.flows = flows

    def __enter__(self) -> CarriedLists:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:  # building the region failed
            self.reset()

    def widths(self) -> list[int]:
        """The number of values of each list: 0 while the type of its items is unknown."""
        return [graph_list.width for graph_list in self.lists]

    def leaves(self) -> Leaves:
        """The present values of all lists, flat."""
        return [flow for graph_list in self.lists for flow in graph_list.flows]

    def set(self, leaves: Leaves, among: Sequence[bool] | None = None) -> None:
        """Set the lists to these values; with `among`, only those that have True there."""
        values = iter(leaves)
        for number, graph_list in enumerate(self.lists):
            flows = tuple([next(values) for _ in range(graph_list.width)])
            graph_list.flows = flows if among is None or among[number] else self.before[number]

    def changed(self, since: Sequence[object]) -> list[bool]:
        """Whether each list has other values than in `since`."""
        return [graph_list.flows is not flows for graph_list, flows in zip(self.lists, since)]


def cond(
    staging: Staging,
    pred: TensorValue,
    then: Callable[[], Leaves],
    other: Callable[[], Leaves],
    late: list[Late] | None = None,
) -> Leaves:
    """Build both branches in the graph, with the lists that they change.

    `late` is complete after both: further leaves of the first branch (see `Staging.cond`).
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
        for graph_list, before in zip(lists.lists, known):
            if not before:  # the type of the items was unknown in the first branch
                late.extend(enumerate(graph_list.empty_flows(), position))
            position += graph_list.width
        return leaves

    with lists:
        results = staging.cond(pred, lambda: branch(then), second, late)
    count = len(results) - sum(lists.widths())
    lists.set(results[count:], [any(flags) for flags in zip(*changed)])
    return results[:count]
