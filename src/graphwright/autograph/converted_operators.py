"""The operators that converted code calls, under the name `ag__`.

Each operator does what Python does unless the value that decides is staged. Then `regions` builds
the graph form: the first such value imports it. Operators take the code of a program as functions,
with `get_state` and `set_state` for the variables that the code assigns.
"""

from __future__ import annotations

import dis
import operator
import sys
import types
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, TypeGuard

from graphwright.autograph import refusals
from graphwright.autograph.list_places import Holder, ListPlaces, contents, refill
from graphwright.autograph.operator_arguments import (
    Function,
    GetState,
    ItemBody,
    SetState,
    State,
    Thunk,
    Undefined,
    UndefinedReturn,
    Variables,
    note_shared,
)
from graphwright.autograph.tensors import TensorStaging
from graphwright.base.errors import OperatorNotAllowedInGraphError, is_own
from graphwright.op.late_imports import late_module
from graphwright.types.arguments import TensorLike

if TYPE_CHECKING:
    from graphwright.autograph.operator_arguments import LoopOptions
    from graphwright.autograph.staging import Staging

__all__: list[str] = [
    "ITERABLES", "PLAIN", "SETTLED", "Undefined", "UndefinedReturn", "and_", "assert_stmt",
    "attributes", "chain", "contents", "folds", "for_stmt", "handled", "held", "if_exp", "if_stmt",
    "in_", "iter", "kind", "ld", "ldu", "loops", "not_", "or_", "places", "python_truth", "refill",
    "refuse_match", "ret", "share", "staged", "undecided", "undefined", "while_stmt",
]  # fmt: skip

_staging: Staging = TensorStaging()


# Frequent types that are no tensors, and frequent types of iterables.
PLAIN = frozenset({bool, dict, float, int, list, set, str, tuple, type(None)})
SETTLED = PLAIN - {list}  # a list may have items of a graph
ITERABLES = frozenset(
    {
        list, tuple, range, dict, str, set, frozenset, bytes, enumerate, zip, map, filter, reversed,
        type({}.keys()), type({}.values()), type({}.items()), types.GeneratorType,
    }
)  # fmt: skip

# Builtins under names that no variable of the program hides.
kind = type
iter = iter


def install(staging: Staging) -> Staging:
    """Make operators use `staging`; returns the staging before."""
    global _staging
    before, _staging = _staging, staging
    return before


def staged(value: object) -> TypeGuard[TensorLike]:
    """Whether `value` is a tensor that only running the graph computes."""
    return type(value) not in PLAIN and _staging.is_staged(value)


def loops(items: object) -> bool:
    """Whether the graph loops over `items`."""
    return _staging.loops(items)


def folds(items: object) -> bool:
    """Whether `items`, over which the graph loops, make the loop themselves, as datasets do."""
    return _staging.folds(items)


def builtin(name: str) -> Callable[..., Any]:
    """The staging's form of a builtin, for arguments some of which are staged."""
    return _staging.builtin(name)


def refuse_lost(item: object) -> None:
    """Refuse an item that a loop of the graph appended to a list: only the graph knows it."""
    if type(item) not in PLAIN and _staging.leaks(item):
        raise refusals.lost_items(item)


def held(value: object) -> Any:
    """The value itself. Refuses a list whose length only the graph knows."""
    if type(value) is list and value:
        refuse_lost(value[-1])
    return value


# Truth of values in the Python form

_ASKING = ("CONTAINS_OP", "JUMP_IF_", "POP_JUMP_", "TO_BOOL", "UNARY_NOT")
#: A flag in the argument of `COMPARE_OP`: the instruction asks for the truth of its result.
_BOOL = 0x10 if sys.version_info >= (3, 13) else 0


def undecided() -> Any:
    """The class of exceptions to catch around a statement of the Python form.

    A tensor that refuses to be true or false counts only if an instruction of the statement's frame
    asked it. Functions that the statement calls, in Python or in C, do not count. The exception has
    the tensor.
    """
    error = sys.exc_info()[1]
    if isinstance(error, OperatorNotAllowedInGraphError) and error.undecided is not None:
        entry = error.__traceback__
        if entry is not None and _is_asking(entry, error.undecided):
            error.is_handled = True
            return OperatorNotAllowedInGraphError
    return ()


def _is_asking(entry: TracebackType, tensor: object) -> bool:
    """Whether an instruction of the frame asked the tensor itself.

    Only bytecode says which instruction ran. A note in converted code would cost each statement of
    the Python form; this is read while tracing, after a tensor has refused.
    """
    code, place = entry.tb_frame.f_code.co_code, entry.tb_lasti
    while code[place] == dis.EXTENDED_ARG:  # Python 3.10 gives the place of the first prefix
        place += 2
    name, argument = dis.opname[code[place]], code[place + 1]
    in_match = name == "COMPARE_OP" and argument & _BOOL  # others are `asked_apart`
    if not in_match and not name.startswith(_ASKING):
        return False
    inner = entry.tb_next
    while inner is not None:
        # Only a frame says whether a method asked the tensor that it belongs to. This runs once for
        # each statement where a tensor decides, in its trace: no call pays for it.
        frame = inner.tb_frame
        if not is_own(frame.f_code) and frame.f_locals.get("self") is not tensor:
            return False
        inner = inner.tb_next
    return True


def handled() -> BaseException:
    """The exception that a bare `raise` raises again: none that `undecided` has caught."""
    error = sys.exc_info()[1]
    while isinstance(error, OperatorNotAllowedInGraphError) and error.is_handled:
        error = error.__context__
    return error or RuntimeError("No active exception to reraise")


def python_truth(value: object) -> Any:
    """The value itself, whose truth Python asks for. Refuses a tensor."""
    if staged(value):
        raise refusals.python_truth(value)
    return value


def refuse_match() -> NoReturn:
    """Refuse a `match` whose pattern or guard asked a tensor."""
    raise refusals.match() from None


# Variables


def ld(value: object) -> Any:
    """The value of a variable. Raises UnboundLocalError where it has none."""
    if isinstance(value, Undefined):
        value.refuse()
    return value


def ldu(load: Thunk, name: str) -> Any:
    """The value of a variable or attribute, or `Undefined` where it has none."""
    try:
        return load()
    except (NameError, AttributeError):
        return Undefined(name)


def attributes(value: object) -> Any:
    """The dict of an object's attributes."""
    return value.__dict__


places = ListPlaces


def share(
    variables: Function | None,
    guarded: tuple[str, ...] = (),
    changing: tuple[str, ...] = (),
    module: dict[str, object] | None = None,
) -> None:
    """Note that other functions may change the variables in the cells of a function.

    A handler may notice that the `guarded` ones have no value. `changing` are variables of the
    module.
    """
    shared = _staging.shared()
    if shared is not None:
        note_shared(shared, variables, guarded, changing, module or {})


def undefined(value: object) -> bool:
    """Whether the value stands for a missing one."""
    return isinstance(value, Undefined)


def ret(value: object, returned: object) -> Any:
    """The value of a function that may end without a return statement."""
    if returned is False or isinstance(value, UndefinedReturn):
        return None
    if staged(returned):
        raise refusals.refusal(
            ValueError,
            "a tensor decides whether this function returns a value: the other path must also "
            "have a return statement.",
            "Add a `return` to the end of the function.",
        )
    return value


# Statements


def _graph_forms() -> Any:
    """`regions`, which few functions need."""
    return late_module("graphwright.autograph.regions")


def if_stmt(
    cond: object,
    body: Thunk,
    orelse: Thunk | None,
    get_state: GetState | None,
    set_state: SetState | None,
    symbol_names: tuple[str, ...],
    nouts: int,
    lists: Holder = None,
) -> None:
    """`if cond: body` `else: orelse`; the first `nouts` symbols are read afterwards.

    `lists` has the variables whose lists the loops in a branch may change.
    """
    orelse = orelse or _nothing
    if staged(cond):
        state = get_state, set_state, symbol_names
        _graph_forms().if_statement(_staging, cond, body, orelse, state, nouts, lists)
    elif cond:
        body()
    else:
        orelse()


def while_stmt(
    test: Thunk,
    body: Thunk,
    get_state: GetState | None,
    set_state: SetState | None,
    symbol_names: tuple[str, ...],
    opts: LoopOptions,
    known: object = None,
) -> None:
    """`while test: body`; `known` is the first value of the test where Python has evaluated it.

    If the test becomes a tensor after some iterations, the rest of the loop is staged.
    """
    go = test() if known is None else known
    while not staged(go):
        if not go:
            return
        body()
        go = test()
    state = get_state, set_state, symbol_names
    _graph_forms().while_statement(_staging, go, test, body, state, opts)


def for_stmt(
    items: Iterable[object],
    extra_test: Thunk | None,
    body: ItemBody,
    get_state: GetState | None,
    set_state: SetState | None,
    symbol_names: tuple[str, ...],
    opts: LoopOptions,
) -> None:
    """`for item in items: body(item)`, while `extra_test` holds.

    If `extra_test` becomes a tensor in a Python loop, each further iteration becomes a branch under
    that condition.
    """
    state = get_state, set_state, symbol_names
    iteration = None if type(items) in ITERABLES else _staging.iteration(items)
    if iteration is not None:
        _graph_forms().for_statement(_staging, iteration, extra_test, body, state, opts)
        return
    iterator = iter(items)
    done = object()
    while True:
        go = extra_test() if extra_test is not None else True
        if staged(go):
            _graph_forms().guard_the_rest(_staging, iterator, extra_test, body, state)
            return
        if not go:
            return
        item = next(iterator, done)
        if item is done:
            return
        body(item)


def _nothing() -> None:
    pass


def assert_stmt(condition: object, message: Thunk | None = None) -> bool:
    """The condition of an `assert`. That of a tensor is tested when the graph runs."""
    if not staged(condition):
        return bool(condition)
    text = "" if message is None else str(message())
    _staging.assert_true(_staging.condition(condition, "assert statement"), text)
    return True


# Expressions


def not_(value: object) -> Any:
    if staged(value):
        return _staging.none_of(value)
    return not value


def and_(first: object, *rest: Thunk) -> Any:
    """`first and ...`: operands after a tensor run in the graph, and only if the tensor holds."""
    if not rest:
        return first
    if staged(first):
        return _graph_forms().lazy_and(_staging, first, lambda: and_(rest[0](), *rest[1:]))
    return first and and_(rest[0](), *rest[1:])


def or_(first: object, *rest: Thunk) -> Any:
    """`first or ...`"""
    if not rest:
        return first
    if staged(first):
        return _graph_forms().lazy_or(_staging, first, lambda: or_(rest[0](), *rest[1:]))
    return first or or_(rest[0](), *rest[1:])


def if_exp(cond: object, body: Thunk, orelse: Thunk) -> Any:
    """`body if cond else orelse`"""
    if not staged(cond):
        return body() if cond else orelse()
    value: object = Undefined("the conditional expression")

    def get_state() -> State:
        return (value,)

    def set_state(state: State) -> None:
        nonlocal value
        (value,) = state

    variables = Variables(get_state, set_state, ("the conditional expression",))
    _graph_forms().stage_if(
        _staging,
        cond,
        lambda: set_state((body(),)),
        lambda: set_state((orelse(),)),
        variables,
        1,
    )
    return value


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda a, b: in_(a, b),
    "not in": lambda a, b: not_(in_(a, b)),
}


def chain(first: object, *links: Any) -> Any:
    """`first < b <= c`, as `chain(first, '<', lambda: b, '<=', lambda: c)`."""
    symbol, operand, *more = links
    second = operand()
    holds = _COMPARISONS[symbol](first, second)
    if not more:
        return holds
    return and_(holds, lambda: chain(second, *more))


def in_(item: Any, items: Any) -> Any:
    """`item in items`"""
    if type(items) in PLAIN and type(item) in PLAIN:
        return item in items
    if staged(items) or staged(item):
        return _staging.contains(item, items)
    return item in items
