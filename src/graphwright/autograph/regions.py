"""Branches and loops of the graph, made of functions that assign variables.

The variables cross the boundary of a graph as flat lists of leaves. A leaf is carried (a tensor) or
converted (a number, a string). Any other value stays in Python, and must be the same on each path.
All refusals name the variable and both sides.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from types import CellType
from typing import Any

from graphwright.autograph import growing_lists, refusals
from graphwright.autograph.list_places import is_vacant
from graphwright.autograph.operator_arguments import (
    ItemBody,
    LoopOptions,
    ShapeInvariants,
    State,
    Thunk,
    Undefined,
    Variables,
)
from graphwright.autograph.refusals import RETURN_VALUE
from graphwright.autograph.staging import Fold, Iteration, Leaves, Position, Staging
from graphwright.types import tree
from graphwright.types.arguments import ShapeLike, TensorLike, TensorValue
from graphwright.types.shape import TensorShape


def variables_in(cells: Sequence[CellType], names: tuple[str, ...]) -> Variables:
    """The variables whose values are in cells.

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
            if _is_undefined(cell.cell_contents):
                del cell.cell_contents

    return Variables(get, set_, names)


_STAYS = object()  # the leaf stays in Python


def _carried(staging: Staging, leaf: object) -> Any:
    """The leaf as a value that crosses the boundary of graphs, or `_STAYS`."""
    if staging.carries(leaf):
        return leaf
    if leaf is None or isinstance(leaf, Undefined):
        return _STAYS
    try:
        return staging.convert(leaf)
    except (TypeError, ValueError):
        return _STAYS


def _is_python(staging: Staging, leaf: object) -> bool:
    return not staging.carries(leaf)


# Branches


class _Branches:
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
            [_carried(self.staging, leaf) for leaf in tree.flatten(value)] for value in values
        ]
        return [leaf for leaves in self.carried for leaf in leaves if leaf is not _STAYS]

    def end_second(self, values: State) -> Leaves:
        """Returns the leaves of the second branch, and notes which values stay in Python."""
        self.python: list[list[Any]] = []
        leaves: list[object] = []
        for position, name in enumerate(self.names):
            one, two = self.first[position], values[position]
            if name.startswith(RETURN_VALUE) and _is_undefined(one) != _is_undefined(two):
                if _is_undefined(one):
                    self.add_return_value(position, two, leaves)
                    continue
                two = tree.map_structure(lambda leaf: _zeros_like(self.staging, leaf), one)
            self.check_presence(name, one, two)
            leaves += self.leaves_of(name, position, one, two, len(leaves))
        return leaves

    def add_return_value(self, position: int, value: object, leaves: list[object]) -> None:
        """Add the leaves of the value that the second branch alone returns.

        The first branch gets leaves of the same types, which nothing reads.
        """
        flat = tree.flatten(value)
        self.carried[position] = [_carried(self.staging, leaf) for leaf in flat]
        self.first = (*self.first[:position], value, *self.first[position + 1 :])
        python: list[Any] = []
        for leaf, carried in zip(flat, self.carried[position]):
            python.append(leaf if carried is _STAYS else _STAYS)
            if carried is not _STAYS:
                self.late.append((len(leaves), functools.partial(self.staging.zeros, carried)))
                leaves.append(carried)
        self.python.append(python)

    def check_presence(self, name: str, one: object, two: object) -> None:
        for value, other, branch in ((one, two, "main"), (two, one, "else")):
            if _is_undefined(value) and not _is_undefined(other):
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
            first, second = carried[i], _carried(self.staging, b)
            if first is _STAYS or second is _STAYS:
                if a is not b and first is second and self.staging.is_staged(a):
                    raise refusals.other_list(name)
                if a is not b and not (_is_undefined(a) and _is_undefined(b)):
                    raise refusals.other_objects(name, a, b)
                python.append(a)
                continue
            self.check_dtype(name, first, second)
            same = _is_python(self.staging, a) and _is_python(self.staging, b) and _equal(a, b)
            python.append(a if same else _STAYS)
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
                result = next(following) if crossing is not _STAYS else constant
                leaves.append(result if constant is _STAYS else constant)
            values.append(tree.pack_sequence_as(value, leaves))
        return tuple(values)


def _is_undefined(value: object) -> bool:
    return isinstance(value, Undefined)


def _equal(a: object, b: object) -> bool:
    return type(a) is type(b) and type(a) in (bool, int, float, str, bytes) and bool(a == b)


def _zeros_like(staging: Staging, leaf: object) -> Any:
    carried = _carried(staging, leaf)
    return leaf if carried is _STAYS else staging.zeros(carried)


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
    branches = _Branches(staging, variables.names[:outputs])

    def then() -> Leaves:
        variables.set(initial)
        body()
        return branches.end_first(variables.get()[:outputs])

    def other() -> Leaves:
        variables.set(initial)
        orelse()
        return branches.end_second(variables.get()[:outputs])

    results = growing_lists.cond(staging, pred, then, other, branches.late)
    variables.set((*branches.merge(results), *initial[outputs:]))


def lazy_and(staging: Staging, first: TensorLike, rest: Thunk) -> Any:
    """`first and rest()` in the graph."""
    pred = staging.condition(first, "`and` operand")
    return growing_lists.cond(
        staging, pred, lambda: [_operand(staging, rest(), "and")], lambda: [staging.convert(False)]
    )[0]


def lazy_or(staging: Staging, first: TensorLike, rest: Thunk) -> Any:
    """`first or rest()` in the graph."""
    pred = staging.condition(first, "`or` operand")
    return growing_lists.cond(
        staging, pred, lambda: [staging.convert(True)], lambda: [_operand(staging, rest(), "or")]
    )[0]


def _operand(staging: Staging, value: object, word: str) -> Any:
    carried = _carried(staging, value)
    if carried is _STAYS or staging.type_of(carried)[0] != "bool":
        raise refusals.operand(word, value)
    return carried


# Loops


class _WiderShapes(Exception):
    """The variables of a loop have wider shapes after an iteration than they may have."""

    def __init__(self, shapes: list[ShapeLike]) -> None:
        super().__init__("shapes change in a loop")
        self.shapes = shapes


class _LoopVariables:
    """The variables of a loop, as the leaves that each iteration takes and returns.

    Where the loop `relaxes` shapes, a wider shape is no error: the loop is built again with it.
    """

    def __init__(
        self, staging: Staging, names: Sequence[str], initial: State, relaxes: bool
    ) -> None:
        self.staging = staging
        self.relaxes = relaxes
        self.names = names
        self.initial = initial
        self.carried = [
            [_carried(staging, leaf) for leaf in tree.flatten(value)] for value in initial
        ]

    def start(self) -> Leaves:
        return [leaf for leaves in self.carried for leaf in leaves if leaf is not _STAYS]

    def unpack(self, leaves: Leaves) -> State:
        following = iter(leaves)
        values = []
        for value, carried in zip(self.initial, self.carried):
            new = [
                old if crossing is _STAYS else next(following)
                for old, crossing in zip(tree.flatten(value), carried)
            ]
            values.append(tree.pack_sequence_as(value, new))
        return tuple(values)

    def pack(self, values: State, shapes: Sequence[ShapeLike]) -> Leaves:
        """The leaves after one iteration, checked against those before the loop."""
        limits = iter(enumerate(shapes))
        leaves: list[object] = []
        wider: dict[int, ShapeLike] = {}
        for name, old, new, carried in zip(self.names, self.initial, values, self.carried):
            self.check_structure(name, old, new)
            for before, after, crossing in zip(tree.flatten(old), tree.flatten(new), carried):
                if crossing is _STAYS:
                    self.check_same(name, before, after)
                else:
                    position, limit = next(limits)
                    leaf, shape = self.check_type(name, before, crossing, after, limit)
                    leaves.append(leaf)
                    if shape is not None:
                        wider[position] = shape
        if wider:
            raise _WiderShapes([wider.get(i, shape) for i, shape in enumerate(shapes)])
        return leaves

    def check_structure(self, name: str, old: object, new: object) -> None:
        try:
            tree.assert_same_structure(old, new)
        except (TypeError, ValueError) as error:
            raise refusals.other_structure_in_loop(name, error) from None

    def check_same(self, name: str, before: object, after: object) -> None:
        if before is not after and any(map(self.staging.is_staged, (before, after))):
            raise refusals.other_list(name)
        if before is not after and not (_is_undefined(before) and _is_undefined(after)):
            raise refusals.changed_object(name, before, after)

    def check_type(
        self, name: str, original: object, before: object, value: object, shape: ShapeLike
    ) -> tuple[Any, ShapeLike]:
        """The leaf, and its shape if that is wider than the loop allows, else None."""
        if self.staging.is_variable(value):
            value = self.staging.read(value)
        after = _carried(self.staging, value)
        if after is _STAYS:
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
    """Build a loop. Its position and the lists of the graph are loop variables too."""
    initial, missing, open_shapes = _initialise(staging, position, step, variables)
    loop = _LoopVariables(staging, variables.names, initial, relaxes)
    lists = growing_lists.CarriedLists(staging)
    count, width = len(position), sum(lists.widths())
    first: list[Any] = [*position, *lists.leaves(), *loop.start()]
    unassigned = [name for name in missing if not name.startswith(RETURN_VALUE)]
    if unassigned:  # whether the loop has run at all is a loop variable too
        first.append(staging.convert(False))
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
    if unassigned:
        names = ", ".join(unassigned)
        staging.assert_true(results[-1], f"loop must iterate at least once to initialize {names}")
    lists.set(results[count:], changed)
    variables.set(loop.unpack(results[start:]))


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
            if crossing is not _STAYS
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
    if all(lists.widths()) and not any(value is None or _is_undefined(value) for value in initial):
        return initial, [], {}

    after = _after_an_iteration(staging, position, step, variables, lists)
    values, missing, open_shapes = [], [], {}
    for name, before, value in zip(variables.names, initial, after):
        absent = before is None or _is_undefined(before)
        if absent and not (value is None or _is_undefined(value)):
            zeros = tree.map_structure(lambda leaf: _zeros_like(staging, leaf), value)
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

    with lists:
        after: State = staging.probe(iterate)
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
        after = _after_an_iteration(staging, position, step, variables, lists)
        values = tuple(map(functools.partial(_read, staging), before, after))
        if all(map(operator.is_, values, before)):
            break
        variables.set(values)


def _read(staging: Staging, before: object, after: object) -> Any:
    """The value before, where the values of variables stand for those that are replaced."""
    old, new = tree.flatten(before), tree.flatten(after)
    changed = [a is not b and staging.is_variable(a) for a, b in zip(old, new)]
    if len(old) != len(new) or not any(changed):
        return before
    return tree.pack_sequence_as(
        before, [staging.read(leaf) if read else leaf for leaf, read in zip(old, changed)]
    )


def _open_shape(staging: Staging, value: object, zeros: object) -> TensorShape | None:
    """The shape of a value; None where it is the shape of the zeros that stand for it."""
    if not staging.carries(zeros):
        return None
    (_, shape), (_, narrow) = staging.type_of(_carried(staging, value)), staging.type_of(zeros)
    return None if staging.fits(shape, narrow) else shape
