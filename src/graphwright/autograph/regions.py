"""Branches and loops of the graph, made of functions that assign variables.

The variables cross the boundary of a graph as flat lists of leaves. A leaf is carried (a tensor) or
converted (a number, a string). Any other value stays in Python, and must be the same on each path.
All refusals name the variable and both sides.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from types import CellType
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwright.autograph import growing_lists, refusals, shared_variables
from graphwright.autograph.growing_lists import RegionLists, build_loop, build_region
from graphwright.autograph.list_places import Holder, is_vacant
from graphwright.autograph.live_source import cells_of
from graphwright.autograph.operator_arguments import (
    Function,
    GetState,
    ItemBody,
    SetState,
    ShapeInvariants,
    SharedVariable,
    State,
    Thunk,
    Undefined,
    Variables,
)
from graphwright.autograph.refusals import RETURN_VALUE
from graphwright.autograph.shared_variables import (
    STAYS,
    Branches,
    ChangedInTurn,
    SharedTurns,
    carried_form,
    is_undefined,
    zeros_like,
)
from graphwright.autograph.staging import Fold, Iteration, Leaves, Position, Staging
from graphwright.types import tree
from graphwright.types.arguments import ShapeLike, TensorLike, TensorValue
from graphwright.types.shape import TensorShape

if TYPE_CHECKING:
    from graphwright.autograph.operator_arguments import LoopOptions

# The most iterations of a Python loop that are built one by one under a condition.
UNROLLED_AT_MOST = 3_000


def variables_in(
    cells: Sequence[CellType], names: tuple[str, ...], parts: tuple[Function, ...]
) -> Variables:
    """The variables whose values are in cells, of these functions.

    A variable without a value has `Undefined` in its cell; a cell that others share is empty.
    """
    vacant = [cell for cell in cells if is_vacant(cell)]

    def value_of(cell: CellType, name: str) -> Any:
        try:
            return cell.cell_contents
        except ValueError:  # the cell is empty
            return Undefined(name)

    def get() -> State:
        return tuple(map(value_of, cells, names))

    def set_(values: State) -> None:
        for cell, value in zip(cells, values):
            cell.cell_contents = value
        for cell in vacant:
            if is_undefined(cell.cell_contents):
                del cell.cell_contents

    return Variables(get, set_, names, parts)


def check_attributes(variables: Variables) -> None:
    """Refuses attributes that are other values than those assigned: regions assign them often.

    A setter may convert what it gets, if it leaves alone what it has converted. Nothing is known of
    a getter that makes a new value each time.
    """
    values = variables.get()
    stable = list(map(operator.is_, values, variables.get()))
    for _ in range(2):
        variables.set(values)
        now = variables.get()
        others = [
            name
            for name, is_stable, before, after in zip(variables.names, stable, values, now)
            if is_stable and before is not after
        ]
        if not others:
            return
        values = now
    raise refusals.changing_setter(others[0])


def stage_if(
    staging: Staging,
    cond: TensorLike,
    body: Thunk,
    orelse: Thunk,
    variables: Variables,
    outputs: int,
) -> None:
    """Build an if statement; the first `outputs` variables are set to its results."""
    pred = staging.condition(cond, "if statement")
    initial = variables.get()
    branches = Branches(staging, variables.names[:outputs])

    def then() -> Leaves:
        variables.set(initial)
        traced(body)
        return branches.end_first(variables.get()[:outputs])

    def other() -> Leaves:
        variables.set(initial)
        traced(orelse)
        return branches.end_second(variables.get()[:outputs])

    cells = variables.keys()
    results = shared_variables.cond(staging, pred, then, other, cells, branches.late)
    variables.set((*branches.merge(results), *initial[outputs:]))


def traced(branch: Thunk) -> None:
    """Traces a branch; what the program raises in it says that it was raised meanwhile."""
    try:
        branch()
    except Exception as error:
        refusals.note_raise(error)
        raise


def lazy_and(staging: Staging, first: TensorLike, rest: Thunk) -> Any:
    """`first and rest()` in the graph."""
    pred = staging.condition(first, "`and` operand")
    return shared_variables.cond(
        staging, pred, lambda: [_operand(staging, rest(), "and")], lambda: [staging.convert(False)]
    )[0]


def lazy_or(staging: Staging, first: TensorLike, rest: Thunk) -> Any:
    """`first or rest()` in the graph."""
    pred = staging.condition(first, "`or` operand")
    return shared_variables.cond(
        staging, pred, lambda: [staging.convert(True)], lambda: [_operand(staging, rest(), "or")]
    )[0]


def _operand(staging: Staging, value: object, word: str) -> Any:
    if staging.is_variable(value):
        value = staging.read(value)
    carried = carried_form(staging, value)
    if carried is STAYS or staging.type_of(carried)[0] != "bool":
        raise refusals.operand(word, value)
    return carried


# Loops


class _WiderShapes(Exception):
    """The variables of a loop have wider shapes after an iteration than they may have."""

    def __init__(self, shapes: list[ShapeLike]) -> None:
        super().__init__("shapes change in a loop")
        self.shapes = shapes


class _NewKeys(Exception):
    """A turn adds keys to a dict: the loop is built again with zeros for their values before it."""

    def __init__(self, number: int, value: object, refusal: Exception) -> None:
        super().__init__("keys are added in a loop")
        self.number = number
        self.value = value
        self.refusal = refusal
        self.keys: list[str] = []


class _LoopVariables:
    """The variables of a loop, as the leaves that each iteration takes and returns.

    Where the loop `relaxes` shapes, a wider shape is no error: the loop is built again with it.
    """

    def __init__(
        self,
        staging: Staging,
        names: Sequence[str],
        initial: State,
        relaxes: bool,
        shared: Sequence[SharedVariable] = (),
    ) -> None:
        self.staging = staging
        self.shared = shared  # the last ones: nothing says that they are read
        self.relaxes = relaxes
        self.names = names
        self.initial = initial
        self.carried = [
            [carried_form(staging, leaf) for leaf in tree.flatten(value)] for value in initial
        ]

    def start(self) -> Leaves:
        return [leaf for leaves in self.carried for leaf in leaves if leaf is not STAYS]

    def unpack(self, leaves: Leaves) -> State:
        following = iter(leaves)
        values = []
        for value, carried in zip(self.initial, self.carried):
            new = [
                old if crossing is STAYS else next(following)
                for old, crossing in zip(tree.flatten(value), carried)
            ]
            values.append(tree.pack_sequence_as(value, new))
        return tuple(values)

    def pack(self, values: State, shapes: Sequence[ShapeLike]) -> Leaves:
        """The leaves after one iteration, checked against those before the loop."""
        limits = iter(enumerate(shapes))
        leaves: list[object] = []
        wider: dict[int, ShapeLike] = {}
        first_shared = len(self.names) - len(self.shared)
        for number, new in enumerate(values):
            try:
                if number >= first_shared and any(map(self.staging.leaks, tree.flatten(new))):
                    raise refusals.out_of_scope(self.names[number])
                self.pack_one(number, new, limits, leaves, wider)
            except (TypeError, ValueError) as refusal:
                if number < first_shared:
                    raise
                raise ChangedInTurn([self.shared[number - first_shared]], [refusal]) from None
        if wider:
            raise _WiderShapes([wider.get(i, shape) for i, shape in enumerate(shapes)])
        return leaves

    def pack_one(
        self,
        number: int,
        new: object,
        limits: Iterator[tuple[int, ShapeLike]],
        leaves: list[object],
        wider: dict[int, ShapeLike],
    ) -> None:
        """Add the leaves of one variable, and the shapes that these need beyond theirs."""
        name, old = self.names[number], self.initial[number]
        self.check_structure(number, old, new)
        pairs = zip(tree.flatten(old), tree.flatten(new), self.carried[number])
        for before, after, crossing in pairs:
            if crossing is STAYS:
                self.check_same(name, before, after)
            else:
                position, limit = next(limits)
                leaf, shape = self.check_type(name, before, crossing, after, limit)
                leaves.append(leaf)
                if shape is not None:
                    wider[position] = shape

    def check_structure(self, number: int, old: object, new: object) -> None:
        name = self.names[number]
        try:
            tree.assert_same_structure(old, new)
        except (TypeError, ValueError) as error:
            refusal = refusals.other_structure_in_loop(name, error)
            if _gains_keys(old, new) and number < len(self.names) - len(self.shared):
                raise _NewKeys(number, new, refusal) from None
            raise refusal from None

    def check_same(self, name: str, before: object, after: object) -> None:
        if before is None and after is not None:
            raise refusals.no_value(name, True)
        if before is not after and any(map(self.staging.is_staged, (before, after))):
            raise refusals.other_list(name)
        if before is not after and not (is_undefined(before) and is_undefined(after)):
            raise refusals.changed_object(name, before, after)

    def check_type(
        self, name: str, original: object, before: object, value: object, shape: ShapeLike
    ) -> tuple[Any, ShapeLike]:
        """The leaf, and its shape if that is wider than the loop allows, else None."""
        if self.staging.is_variable(value):
            value = self.staging.read(value)
        after = carried_form(self.staging, value)
        if after is STAYS:
            raise refusals.changed_object(name, original, value)
        (dtype, old), (new_dtype, new) = map(self.staging.type_of, (before, after))
        if dtype != new_dtype:
            raise refusals.other_dtype_in_loop(name, dtype, new_dtype)
        limit = old if shape is None else shape
        if self.staging.fits(new, limit):
            return after, None
        common = self.staging.common_shape(limit, new)
        if not self.relaxes:
            raise refusals.other_shape(name, limit, new, common)
        return after, TensorShape(common)


def _gains_keys(old: Any, new: Any) -> bool:
    """Whether two values differ by keys alone that dicts of the second have more."""
    if type(old) is not dict or type(new) is not dict:
        try:
            tree.assert_same_structure(old, new)
        except (TypeError, ValueError):
            return False
        return True
    return old.keys() <= new.keys() and all(_gains_keys(old[key], new[key]) for key in old)


def _with_new_keys(staging: Staging, name: str, old: Any, new: Any, keys: list[str]) -> Any:
    """A value before a turn, with zeros at the keys that it gains; `keys` get their names."""
    if type(old) is not dict:
        return old
    result = {}
    for key, value in new.items():
        place = f"{name}[{key!r}]"
        if key in old:
            result[key] = _with_new_keys(staging, place, old[key], value, keys)
        else:
            keys.append(place)
            result[key] = tree.map_structure(functools.partial(zeros_like, staging), value)
    return result


def stage_while(
    staging: Staging,
    go: TensorLike,
    test: Thunk,
    body: Thunk,
    variables: Variables,
    options: LoopOptions,
) -> None:
    """Build a while loop; `go` is the first value of its test.

    The value of the test is a loop variable. So the test stands once before the loop and once at
    the end of its body, and its effects happen as often as in Python.
    """
    first = staging.condition(go, "while loop")

    def step(position: Position) -> Position:
        body()
        return [staging.condition(_as_tensor(staging, test()), "while loop")]

    _loop(staging, [first], lambda position: position[0], step, variables, options)


def stage_for(
    staging: Staging,
    iteration: Iteration | Fold,
    extra_test: Thunk | None,
    body: ItemBody,
    variables: Variables,
    options: LoopOptions,
) -> None:
    """Build a for loop over something that the graph iterates."""

    def holds() -> Any:
        assert extra_test is not None
        return staging.condition(_as_tensor(staging, extra_test()), "loop")

    if isinstance(iteration, Fold):
        _fold(staging, iteration, holds if extra_test else None, body, variables, options)
        return

    def more(position: Position) -> Any:
        first = iteration.more(position)
        return first if extra_test is None else staging.all_of(first, holds())

    def step(position: Position) -> Position:
        body(iteration.item(position))
        return iteration.advance(position)

    _loop(staging, iteration.start, more, step, variables, options)


def _fold(
    staging: Staging,
    items: Fold,
    holds: Thunk | None,
    body: ItemBody,
    variables: Variables,
    options: LoopOptions,
) -> None:
    """Build a for loop that the iterable makes itself."""
    current: list[object] = []  # the items of the iterations that are being traced

    def step(position: Position) -> Position:
        body(current[-1] if current else items.sample())
        return []

    def run(
        test: Callable[..., TensorValue],
        iterate: Callable[..., Leaves],
        start: Leaves,
        shapes: Sequence[ShapeLike] | None,
        *_: object,
    ) -> Leaves:
        def each(leaves: Leaves, item: object) -> Leaves:
            current.append(item)
            return iterate(*leaves)

        condition = (lambda leaves: test(*leaves)) if holds else None
        return items.fold(start, condition, each, shapes)

    def more(position: Position) -> Any:
        return holds and holds()

    _loop(staging, [], more, step, variables, options, run, items.relaxes)


def _as_tensor(staging: Staging, value: Any) -> TensorLike:
    return value if staging.is_staged(value) or staging.carries(value) else staging.convert(value)


def _loop(
    staging: Staging,
    position: Position,
    more: Callable[[Position], TensorLike],
    step: Callable[[Position], Position],
    variables: Variables,
    options: LoopOptions,
    run: Callable[..., Leaves] | None = None,
    relaxes: bool = False,
) -> None:
    """Build a loop, which carries its position, lists and shared variables too."""
    turns = SharedTurns(staging, variables)
    turn = turns.watching(step)
    keys: list[str] = []
    while True:
        try:
            _build(staging, position, more, turn, turns, options, run, relaxes, keys)
        except ChangedInTurn as change:
            turns.learn(change)
        except _NewKeys as new:
            keys += new.keys
        else:
            turns.end()
            return


def _build(
    staging: Staging,
    position: Position,
    more: Callable[[Position], TensorLike],
    step: Callable[[Position], Position],
    turns: SharedTurns,
    options: LoopOptions,
    run: Callable[..., Leaves] | None,
    relaxes: bool,
    keys: Sequence[str],
) -> None:
    """Build a loop that carries the shared variables of which `turns` knows.

    `keys` are places in dicts that have no value of the program's before the first turn.
    """
    variables = turns.variables()
    before = variables.get()
    initial, missing, open_shapes = _initialise(staging, position, step, variables)
    goes: Any = False
    late = [variable.name for variable in turns.missing]
    exposed = [
        name
        for name, value in zip(variables.names, initial)
        if name in missing
        and (name in late or name in options.get("exposed", ()))
        and _crosses(staging, value)
    ]
    if exposed:
        if run is not None or options.get("maximum_iterations") is not None:
            turns.refuse(exposed, variables)
        goes = more(position)
        position = _first_turn(staging, goes, position, step, variables, initial)
        initial, open_shapes = variables.get(), {}
    loop = _LoopVariables(staging, variables.names, initial, relaxes, turns.carried)
    lists = growing_lists.CarriedLists(staging)
    count, width = len(position), sum(lists.widths())
    first: list[Any] = [*position, *lists.leaves(), *loop.start()]
    unread = options.get("turns_own", ())
    unassigned = [n for n in missing if not n.startswith(RETURN_VALUE) and n not in unread]
    unassigned = [name for name in unassigned if name in turns.base.names] + [*keys]
    if unassigned:  # whether the loop has run at all is a loop variable too
        first.append(goes if exposed else staging.convert(False))
    start = count + width  # of the leaves of the program's variables
    shapes = _shapes(loop, start, len(first), options, open_shapes)
    limits = [None] * (len(first) - start) if shapes is None else shapes[start:]
    flows_before: list[object] = []
    changed = [False] * len(lists.lists)

    def unpack(leaves: Sequence[object]) -> Any:
        lists.set(leaves[count:])
        flows_before[:] = [graph_list.flows for graph_list in lists.lists]
        variables.set(loop.unpack(leaves[start:]))
        return leaves[:count]

    def test(*leaves: Any) -> Any:
        return more(unpack(leaves))

    def body(*leaves: Any) -> Leaves:
        after = step(unpack(leaves))
        changed[:] = map(operator.or_, changed, lists.changed(flows_before))
        result = [*after, *lists.leaves(), *loop.pack(variables.get(), limits)]
        return [*result, staging.convert(True)] if unassigned else result

    while_options: Any = {key: value for key, value in options.items() if key in _WHILE_OPTIONS}
    with lists:
        while True:
            try:
                results: Sequence[Any] = (run or staging.while_loop)(
                    test, body, first, shapes, while_options
                )
                break
            except _WiderShapes as wider:
                limits = wider.shapes
                shapes = [*[None] * start, *limits]
            except _NewKeys as new:
                if exposed:  # the first turn stands in the graph already
                    raise new.refusal from None
                state, number = list(before), new.number
                name, value = variables.names[number], state[number]
                state[number] = _with_new_keys(staging, name, value, new.value, new.keys)
                variables.set(tuple(state))
                raise
    if unassigned:
        names = ", ".join(unassigned)
        staging.assert_true(results[-1], f"loop must iterate at least once to initialize {names}")
    lists.set(results[count:], changed)
    variables.set(loop.unpack(results[start:]))


def _crosses(staging: Staging, value: object) -> bool:
    """Whether the graph carries something of a value."""
    return any(carried_form(staging, leaf) is not STAYS for leaf in tree.flatten(value))


def _first_turn(
    staging: Staging,
    goes: TensorLike,
    position: Position,
    step: Callable[[Position], Position],
    variables: Variables,
    zeros: State,
) -> Position:
    """Build the first turn apart, if the loop `goes` at all; returns the position after it.

    That turn may find that a variable has no value, or None, which is not so in others. `zeros` has
    values like those that are missing then.
    """
    initial, count = variables.get(), len(position)
    branches = Branches(staging, variables.names)
    late: list[growing_lists.Late] = []

    def then() -> Leaves:
        variables.set(initial)
        after = step(position)
        return [*after, *branches.end_first(variables.get())]

    def other() -> Leaves:
        variables.set(initial)
        leaves = branches.end_second(zeros)
        late.extend((count + place, make) for place, make in branches.late)
        return [*position, *leaves]

    pred = staging.condition(goes, "loop")
    results = shared_variables.cond(staging, pred, then, other, variables.keys(), late)
    variables.set(branches.merge(results[count:]))
    return results[:count]  # type: ignore[return-value]


#: The options of a loop that `tf.while_loop` has too.
_WHILE_OPTIONS = ("maximum_iterations", "parallel_iterations", "swap_memory")


def _shapes(
    loop: _LoopVariables,
    start: int,
    total: int,
    options: LoopOptions,
    open_shapes: dict[str, list[TensorShape | None]],
) -> list[ShapeLike] | None:
    """The shape invariants of `total` loop variables, None for those that keep their shapes.

    Leaf number `start` is the first of the program's variables.
    """
    invariants = options.get("shape_invariants") or ()
    if not invariants and not open_shapes:
        return None
    by_name = {name: shape for name, shape in invariants if isinstance(name, str)}
    shapes: list[ShapeLike] = [None] * start
    for name, value, carried in zip(loop.names, loop.initial, loop.carried):
        shape = by_name.get(name, _by_identity(value, invariants))
        each = open_shapes.get(name, carried) if shape is None else carried
        shapes += [
            shape if each is carried else limit
            for limit, crossing in zip(each, carried)
            if crossing is not STAYS
        ]
    return shapes + [None] * (total - len(shapes))


def _by_identity(value: object, invariants: ShapeInvariants) -> ShapeLike:
    for item, shape in invariants:
        if item is value:
            return shape
    return None


def _initialise(
    staging: Staging,
    position: Position,
    step: Callable[[Position], Position],
    variables: Variables,
) -> tuple[State, list[str], dict[str, list[TensorShape | None]]]:
    """The state before a loop, the names of variables without a value, and their open shapes.

    Zeros stand for a missing value. One iteration in a graph that is thrown away gives their types,
    and the types of the items of empty lists.
    """
    _read_variables(staging, position, step, variables)
    initial = variables.get()
    lists = growing_lists.CarriedLists(staging)
    if all(lists.widths()) and not any(value is None or is_undefined(value) for value in initial):
        return initial, [], {}

    after = _after_an_iteration(staging, position, step, variables, lists)
    values, missing, open_shapes = [], [], {}
    for name, before, value in zip(variables.names, initial, after):
        absent = before is None or is_undefined(before)
        if absent and not (value is None or is_undefined(value)):
            zeros = tree.map_structure(lambda leaf: zeros_like(staging, leaf), value)
            values.append(zeros)
            missing.append(name)
            pairs = zip(tree.flatten(value), tree.flatten(zeros))
            shapes = [_open_shape(staging, *pair) for pair in pairs]
            if any(shape is not None for shape in shapes):
                open_shapes[name] = shapes
        else:
            values.append(before)
    return tuple(values), missing, open_shapes


def _after_an_iteration(
    staging: Staging,
    position: Position,
    step: Callable[[Position], Position],
    variables: Variables,
    lists: growing_lists.CarriedLists,
) -> State:
    """The values of variables after one iteration, in a graph that is thrown away."""
    initial = variables.get()
    loop = _LoopVariables(staging, variables.names, initial, relaxes=False)

    def iterate() -> State:
        variables.set(loop.unpack(loop.start()))
        step(position)
        return variables.get()

    try:
        with lists:
            after: State = staging.probe(iterate)
    finally:
        lists.reset()
        variables.set(initial)
    return after


def _read_variables(
    staging: Staging,
    position: Position,
    step: Callable[[Position], Position],
    variables: Variables,
) -> None:
    """Replace a `tf.Variable` by its value where an iteration assigns another value to its name.

    The next iteration may assign that value to another name. So this repeats until an iteration
    replaces no variable.
    """
    while any(staging.is_variable(leaf) for v in variables.get() for leaf in tree.flatten(v)):
        before = variables.get()
        lists = growing_lists.CarriedLists(staging)
        try:
            after = _after_an_iteration(staging, position, step, variables, lists)
        except RuntimeError as error:  # `name += value`, which no variable takes
            refuses = functools.partial(staging.refuses_in_place, error=error)
            values = tuple(_read(staging, value, refuses) for value in before)
            if all(map(operator.is_, values, before)):
                raise
        else:
            values = tuple(map(functools.partial(_read_changed, staging), before, after))
        if all(map(operator.is_, values, before)):
            break
        variables.set(values)


def _read_changed(staging: Staging, before: object, after: object) -> Any:
    """The value before, where the values of variables stand for those that are replaced."""
    others = iter(tree.flatten(after))
    if len(tree.flatten(before)) != len(tree.flatten(after)):
        return before
    return _read(staging, before, lambda leaf: leaf is not next(others))


def _read(staging: Staging, before: object, is_read: Callable[[object], bool]) -> Any:
    """A value, where the values of some variables stand for them; the value itself if of none."""
    old = tree.flatten(before)
    read = [is_read(leaf) and staging.is_variable(leaf) for leaf in old]
    if not any(read):
        return before
    leaves = [staging.read(leaf) if value else leaf for leaf, value in zip(old, read)]
    return tree.pack_sequence_as(before, leaves)


def _open_shape(staging: Staging, value: object, zeros: object) -> TensorShape | None:
    """The shape of a value; None where it is the shape of the zeros that stand for it."""
    if not staging.carries(zeros):
        return None
    (_, shape), (_, narrow) = staging.type_of(carried_form(staging, value)), staging.type_of(zeros)
    return None if staging.fits(shape, narrow) else shape


# Statements

#: How to read and set the variables of a statement, where its parts have no cells for them; and
#: their names.
StatementState: TypeAlias = tuple[GetState | None, SetState | None, tuple[str, ...]]


def _variables(state: StatementState, *functions: Function) -> Variables:
    """The variables of a statement: by `get` and `set_`, or else in the cells of its parts."""
    get, set_, names = state
    if get is not None and set_ is not None:
        variables = Variables(get, set_, names, functions)
        if any("." in name for name in names):
            check_attributes(variables)
        return variables
    cells = {name: cell for function in functions for name, cell in cells_of(function).items()}
    return variables_in([cells[name] for name in names], names, functions)


def if_statement(
    staging: Staging,
    cond: TensorLike,
    body: Thunk,
    orelse: Thunk,
    state: StatementState,
    outputs: int,
    lists: Holder,
) -> None:
    """Build an if statement; see `if_stmt` in `converted_operators`."""
    variables = _variables(state, body, orelse)
    build = functools.partial(stage_if, staging, cond, body, orelse, variables, outputs)
    region_lists = functools.partial(RegionLists, lists, False)
    build_region(staging, region_lists, None, (body, orelse), variables, build)


def while_statement(
    staging: Staging,
    go: TensorLike,
    test: Thunk,
    body: Thunk,
    state: StatementState,
    options: LoopOptions,
) -> None:
    """Build a `while`, whose test has the value `go`."""
    variables = _variables(state, test, body)
    build = functools.partial(stage_while, staging, go, test, body, variables, options)
    build_loop(staging, options, (test, body), variables, build)


def for_statement(
    staging: Staging,
    iteration: Iteration | Fold,
    extra_test: Thunk | None,
    body: ItemBody,
    state: StatementState,
    options: LoopOptions,
) -> None:
    """Build a `for` that the graph loops."""
    variables = _variables(state, body)
    build = functools.partial(stage_for, staging, iteration, extra_test, body, variables, options)
    build_loop(staging, options, (extra_test, body), variables, build)


def guard_the_rest(
    staging: Staging,
    items: Iterator[object],
    extra_test: Thunk,
    body: ItemBody,
    state: StatementState,
) -> None:
    """Build each further iteration of a Python loop as a branch under `extra_test`."""
    variables = _variables(state, body)
    count = len(variables.names)
    for number, item in enumerate(items):
        if number > UNROLLED_AT_MOST:
            raise refusals.too_many_turns(number)
        run = functools.partial(body, item)
        stage_if(staging, extra_test(), run, _nothing, variables, count)


def _nothing() -> None:
    pass
