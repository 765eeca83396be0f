"""Variables that functions share, and what branches and loops make of them.

A closure, a method or a generator may change a variable of a function around it, or read it,
wherever it is called. No statement there says so. So a function gives the trace the cells of such
variables (`note_shared`). A branch and a loop look whether these hold other values at the end than
at the beginning.

Nobody knows whether such a variable will be read. So it is lost where the graph can give it no
value, and a read of it then raises the refusal.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Hashable, Sequence
from types import FunctionType
from typing import Any, NoReturn

from graphwright.autograph import growing_lists, refusals
from graphwright.autograph.list_places import EMPTY, value_of
from graphwright.autograph.operator_arguments import SharedVariable, State, Undefined, Variables
from graphwright.autograph.refusals import RETURN_VALUE
from graphwright.autograph.staging import Leaves, Position, Staging
from graphwright.types import tree
from graphwright.types.arguments import TensorValue

STAYS = object()  # the leaf stays in Python


def carried_form(staging: Staging, leaf: object) -> Any:
    """The leaf as a value that crosses the boundary of graphs, or `STAYS`."""
    if staging.carries(leaf):
        return leaf
    if leaf is None or isinstance(leaf, Undefined):
        return STAYS
    try:
        return staging.convert(leaf)
    except (TypeError, ValueError):
        return STAYS


def _is_python(staging: Staging, leaf: object) -> bool:
    return not staging.carries(leaf)


def is_undefined(value: object) -> bool:
    """Whether the value stands for a missing one."""
    return isinstance(value, Undefined)


def _equal(a: object, b: object) -> bool:
    return type(a) is type(b) and type(a) in (bool, int, float, str, bytes) and bool(a == b)


def zeros_like(staging: Staging, leaf: object) -> Any:
    """Zeros of the type of a leaf, or the leaf itself if it stays in Python."""
    carried = carried_form(staging, leaf)
    return leaf if carried is STAYS else staging.zeros(carried)


# The ends of branches


class Branches:
    """The two ends of an if statement, compared."""

    def __init__(self, staging: Staging, names: Sequence[str]) -> None:
        self.staging = staging
        self.names = names
        self.first: State = ()
        self.carried: list[list[Any]] = []  # of the first branch, a list for each name
        self.late: list[growing_lists.Late] = []  # leaves of the first that need the second

    def end_first(self, values: State) -> Leaves:
        self.first = values
        self.carried = [
            [carried_form(self.staging, leaf) for leaf in tree.flatten(value)] for value in values
        ]
        return [leaf for leaves in self.carried for leaf in leaves if leaf is not STAYS]

    def end_second(self, values: State) -> Leaves:
        """Returns the leaves of the second branch, and notes which values stay in Python."""
        self.python: list[list[Any]] = []
        leaves: list[object] = []
        for position, name in enumerate(self.names):
            one, two = self.first[position], values[position]
            if name.startswith(RETURN_VALUE) and is_undefined(one) != is_undefined(two):
                if is_undefined(one):
                    self.add_return_value(position, two, leaves)
                    continue
                two = tree.map_structure(lambda leaf: zeros_like(self.staging, leaf), one)
            self.check_presence(name, one, two)
            leaves += self.leaves_of(name, position, one, two, len(leaves))
        return leaves

    def add_return_value(self, position: int, value: object, leaves: list[object]) -> None:
        """Add the leaves of the value that the second branch alone returns.

        The first branch gets leaves of the same types, which nothing reads.
        """
        flat = tree.flatten(value)
        self.carried[position] = [carried_form(self.staging, leaf) for leaf in flat]
        self.first = (*self.first[:position], value, *self.first[position + 1 :])
        python: list[Any] = []
        for leaf, carried in zip(flat, self.carried[position]):
            python.append(leaf if carried is STAYS else STAYS)
            if carried is not STAYS:
                self.late.append((len(leaves), functools.partial(self.staging.zeros, carried)))
                leaves.append(carried)
        self.python.append(python)

    def check_presence(self, name: str, one: object, two: object) -> None:
        for value, other, branch in ((one, two, "main"), (two, one, "else")):
            if is_undefined(value) and not is_undefined(other):
                raise refusals.missing(name, branch)
            if value is None and other is not None:
                raise refusals.is_none(name, branch)

    def leaves_of(self, name: str, position: int, one: object, two: object, start: int) -> Leaves:
        """The leaves of one variable, the first of which is leaf number `start` of the branch."""
        try:
            tree.assert_same_structure(one, two)
        except (TypeError, ValueError) as error:
            raise refusals.other_structure_in_branch(name, error) from None
        leaves: list[object] = []
        python: list[Any] = []
        carried = self.carried[position]
        for i, (a, b) in enumerate(zip(tree.flatten(one), tree.flatten(two))):
            if a is not b and self.staging.is_variable(a):  # only its value can join another one
                carried[i] = a
                self.late.append((len(leaves) + start, functools.partial(self.staging.read, a)))
            if a is not b and self.staging.is_variable(b):
                b = self.staging.read(b)
            first, second = carried[i], carried_form(self.staging, b)
            if first is STAYS or second is STAYS:
                if a is not b and first is second and self.staging.is_staged(a):
                    raise refusals.other_list(name)
                if a is not b and not (is_undefined(a) and is_undefined(b)):
                    raise refusals.other_objects(name, a, b)
                python.append(a)
                continue
            self.check_dtype(name, first, second)
            same = _is_python(self.staging, a) and _is_python(self.staging, b) and _equal(a, b)
            python.append(a if same else STAYS)
            leaves.append(second)
        self.python.append(python)
        return leaves

    def check_dtype(self, name: str, first: object, second: object) -> None:
        one, two = self.staging.type_of(first)[0], self.staging.type_of(second)[0]
        if one != two:
            raise refusals.other_dtype_in_branch(name, one, two)

    def merge(self, results: Leaves) -> State:
        """The values after the statement."""
        following = iter(results)
        values = []
        for value, carried, python in zip(self.first, self.carried, self.python):
            leaves = []
            for crossing, constant in zip(carried, python):
                result = next(following) if crossing is not STAYS else constant
                leaves.append(result if constant is STAYS else constant)
            values.append(tree.pack_sequence_as(value, leaves))
        return tuple(values)


# The shared variables in a region


class _Watch:
    """The shared variables at the beginning of a region, except those that it has already."""

    def __init__(self, staging: Staging, cells: Collection[Hashable]) -> None:
        self.staging = staging
        shared = staging.shared() or {}
        self.before = {
            variable: value_of(variable.cell)
            for key, variable in shared.items()
            if key not in cells
        }

    def reset(self) -> None:
        """Set them to their values at the beginning."""
        for variable, value in self.before.items():
            if value_of(variable.cell) is not value:
                variable.set(value)

    def changed(self) -> list[SharedVariable]:
        """Those that have another value now."""
        return [
            variable
            for variable, value in self.before.items()
            if self.differ(value, value_of(variable.cell))
        ]

    def differ(self, before: object, now: object) -> bool:
        """Whether two values differ. A list of the graph stays the list that it stands for."""
        if before is now or any(map(self.is_list, (before, now))):
            return False
        return not (
            isinstance(before, FunctionType)
            and isinstance(now, FunctionType)
            and _essence(before) == _essence(now)
        )

    def is_settled(self, variable: SharedVariable) -> bool:
        """Whether the variable had a value at the beginning that the code around may use."""
        value = self.before[variable]
        return value is not EMPTY and not (_is_structure(value) and self.leaks(value))

    def is_usable(self, value: object) -> bool:
        """Whether the graph may carry a value: a structure without tensors out of scope."""
        return value is not EMPTY and _is_structure(value) and not self.leaks(value)

    def leaks(self, value: object) -> bool:
        """Whether a structure has tensors that are out of scope."""
        return any(map(self.staging.leaks, tree.flatten(value)))

    def is_list(self, value: object) -> bool:
        """Whether the value is a list of the graph, which regions carry anyway."""
        staging = self.staging
        return staging.is_staged(value) and not (
            staging.carries(value) or staging.is_variable(value)
        )


def _is_structure(value: object) -> bool:
    """Whether a value has leaves: a dict with keys of several types has no order of them."""
    try:
        tree.flatten(value)
    except (TypeError, ValueError):
        return False
    return True


def _essence(function: FunctionType) -> tuple[Any, ...]:
    """What says that two functions are the same one, made twice."""
    return (
        function.__code__,
        [id(cell) for cell in function.__closure__ or ()],
        list(map(id, function.__defaults__ or ())),
        list(map(id, (function.__kwdefaults__ or {}).values())),
    )


# Branches


class _LostInBranch(Exception):
    """A shared variable to which two branches give values that no tensor can decide between."""

    def __init__(self, variable: SharedVariable, refusal: Exception) -> None:
        super().__init__()
        self.variable = variable
        self.refusal = refusal


def cond(
    staging: Staging,
    pred: TensorValue,
    then: Callable[[], Leaves],
    other: Callable[[], Leaves],
    cells: Collection[Hashable] = (),
    late: list[growing_lists.Late] | None = None,
) -> Leaves:
    """Both branches in the graph, with the shared variables and the lists that they change.

    `cells` are those of variables that are among the leaves. `late` says, after both, which
    leaves the first branch has besides (see `Staging.cond`).
    """
    late = [] if late is None else late
    watch = _Watch(staging, cells)
    if not watch.before:
        return growing_lists.cond(staging, pred, then, other, late)
    lost: dict[SharedVariable, Exception] = {}
    while True:
        late.clear()
        ends = _SharedEnds(staging, watch, lost, late)
        try:
            results = ends.build(pred, then, other)
        except _LostInBranch as error:
            lost[error.variable] = error.refusal
            watch.reset()
        except BaseException:
            watch.reset()
            raise
        else:
            return ends.take(results)


class _SharedEnds:
    """The ends of two branches, with the shared variables that one of them changes."""

    def __init__(
        self,
        staging: Staging,
        watch: _Watch,
        lost: dict[SharedVariable, Exception],
        late: list[growing_lists.Late],
    ) -> None:
        self.staging = staging
        self.watch = watch
        self.lost = lost
        self.late = late
        self.ends: dict[SharedVariable, Branches] = {}
        self.count = 0  # the leaves of the region itself

    def build(
        self, pred: TensorValue, then: Callable[[], Leaves], other: Callable[[], Leaves]
    ) -> Leaves:
        """The branch in the graph."""
        return growing_lists.cond(
            self.staging,
            pred,
            lambda: self.first(then()),
            lambda: self.second(other()),
            self.late,
        )

    def changed(self) -> list[SharedVariable]:
        """The shared variables that the branch has changed, except lost ones."""
        return [variable for variable in self.watch.changed() if variable not in self.lost]

    def first(self, leaves: Leaves) -> Leaves:
        """The leaves of the first branch, with those of variables that it changes."""
        leaves = list(leaves)
        for variable in self.changed():
            value = value_of(variable.cell)
            if self.loses(variable, value):
                continue
            self.ends[variable] = Branches(self.staging, (variable.name,))
            leaves += self.ends[variable].end_first((value,))
        self.watch.reset()
        return leaves

    def loses(self, variable: SharedVariable, value: object) -> bool:
        """Whether the variable has to be lost, as it had no value before or has none now."""
        if all(map(self.watch.is_usable, (self.watch.before[variable], value))):
            return False
        self.lost[variable] = refusals.out_of_scope(variable.name)
        return True

    def second(self, ends_of_second: Leaves) -> Leaves:
        """The leaves of the second branch, with those of variables that either changes."""
        leaves = list(ends_of_second)
        self.count = len(leaves)
        later = [variable for variable in self.changed() if variable not in self.ends]
        for variable, ends in self.ends.items():
            start = len(leaves)
            if not self.watch.is_usable(value_of(variable.cell)):
                raise _LostInBranch(variable, refusals.out_of_scope(variable.name))
            leaves += self.compared(variable, ends)
            self.late += [(start + place, make) for place, make in ends.late]
        for variable in later:
            if self.loses(variable, value_of(variable.cell)):
                continue
            ends = Branches(self.staging, (variable.name,))
            before = self.watch.before[variable]
            ends.end_first((before,))  # for the types: these leaves belong into the first branch
            try:
                new = self.compared(variable, ends)
            except _LostInBranch as error:
                self.lost[variable] = error.refusal
                continue
            self.ends[variable] = ends
            makes = [
                functools.partial(self.leaf, leaf)
                for leaf, carried in zip(tree.flatten(before), ends.carried[0])
                if carried is not STAYS
            ]
            self.late += [(len(leaves) + place, make) for place, make in enumerate(makes)]
            leaves += new
        return leaves

    def leaf(self, value: Any) -> Any:
        """A leaf of a variable that only the second branch changes, in the first one."""
        is_state = self.staging.is_variable(value)
        return self.staging.read(value) if is_state else carried_form(self.staging, value)

    def compared(self, variable: SharedVariable, ends: Branches) -> Leaves:
        """The leaves of a variable at the end of the second branch."""
        try:
            return ends.end_second((variable.value(),))
        except (TypeError, ValueError) as refusal:
            raise _LostInBranch(variable, refusal) from None

    def take(self, results: Leaves) -> Leaves:
        """Set the shared variables to their results; returns the other results."""
        self.watch.reset()
        place = self.count
        for variable, ends in self.ends.items():
            width = sum(leaf is not STAYS for leaf in ends.carried[0])
            variable.set(ends.merge(results[place : place + width])[0])
            place += width
        for variable, refusal in self.lost.items():
            variable.set(self.staging.lost_variable(str(refusal)))
        return results[: self.count]


# Loops


class ChangedInTurn(Exception):
    """Shared variables that the body of a loop changes, or that the loop cannot carry."""

    def __init__(
        self, variables: Sequence[SharedVariable], refusals: Sequence[Exception] = ()
    ) -> None:
        super().__init__()
        self.variables = variables
        self.refusals = refusals


class SharedTurns:
    """The shared variables of a loop: a turn that changes one shows that the loop must carry it.

    `variables` are those that the loop has anyway. A variable without a value before the loop is
    not carried: Python refuses it too where a turn reads it first.
    """

    def __init__(self, staging: Staging, variables: Variables) -> None:
        self.staging = staging
        self.base = variables
        self.watch = _Watch(staging, variables.keys())
        self.carried: list[SharedVariable] = []
        self.lost: dict[SharedVariable, Exception] = {}
        #: Carried ones without a value before the loop: nothing may read them after it.
        self.missing: dict[SharedVariable, Exception] = {}
        self.initial = variables.get()
        self.held = growing_lists.Snapshot(*variables.parts) if self.watch.before else None

    def variables(self) -> Variables:
        """All variables that the loop carries; the shared ones are the last."""
        carried = list(self.carried)
        if not carried:
            return self.base
        count = len(self.base.names)

        def get() -> State:
            return (*self.base.get(), *[variable.value() for variable in carried])

        def set_(values: State) -> None:
            self.base.set(values[:count])
            for variable, value in zip(carried, values[count:]):
                variable.set(value)

        names = (*self.base.names, *[variable.name for variable in carried])
        cells = frozenset(
            key for key, variable in (self.staging.shared() or {}).items() if variable in carried
        )
        return Variables(get, set_, names, self.base.parts, self.base.others | cells)

    def watching(self, step: Callable[[Position], Position]) -> Callable[[Position], Position]:
        """A turn that raises `ChangedInTurn` where it changes other shared variables."""
        if not self.watch.before:
            return step

        def turn(position: Position) -> Position:
            known = {*self.carried, *self.lost}
            for variable, value in self.watch.before.items():
                if variable in self.lost:
                    self.lose(variable)
                elif variable not in known:
                    variable.set(value)
            result = step(position)
            changed = [
                variable
                for variable in self.watch.changed()
                if variable not in known
                and (variable.is_guarded or self.watch.is_settled(variable))
            ]
            if changed:
                raise ChangedInTurn(changed)
            return result

        return turn

    def lose(self, variable: SharedVariable) -> None:
        """Make a variable one that nothing may read."""
        variable.set(self.staging.lost_variable(str(self.lost[variable])))

    def learn(self, change: ChangedInTurn) -> None:
        """Go back to the beginning of the loop, which carries the variables from now on."""
        for variable, refusal in zip(change.variables, change.refusals):
            self.carried.remove(variable)
            self.missing.pop(variable, None)
            self.lost[variable] = refusal
        for variable in change.variables:
            if variable in self.lost:
                continue
            before = self.watch.before[variable]
            if not _is_structure(before):
                self.lost[variable] = refusals.out_of_scope(variable.name)
                continue
            self.carried.append(variable)
            if before is None or before is EMPTY:
                self.missing[variable] = refusals.no_value(variable.name, before is None)
        self.back()

    def refuse(self, names: Sequence[str], variables: Variables) -> NoReturn:
        """Refuse variables without a value before a loop whose first turn cannot be one apart."""
        for variable, refusal in self.missing.items():
            if variable.name in names:
                raise ChangedInTurn([variable], [refusal])
        value = variables.get()[variables.names.index(names[0])]
        raise refusals.no_value(names[0], value is None)

    def back(self) -> None:
        """Set all variables to their values before the loop."""
        self.watch.reset()
        if self.held is not None:
            self.held.restore()
        self.base.set(self.initial)

    def end(self) -> None:
        """What follows the loop."""
        self.lost |= self.missing
        for variable in self.lost:
            self.lose(variable)
