"""What a converted function keeps of the one it comes from."""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import inspect
import linecache
import logging
import pickle
import subprocess
import sys
import traceback
import types
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora.random_functions import load
from support.toy import Toy, converted, installed, number

import graphwright as tf
from graphwright.autograph import conversion, exempt
from graphwright.autograph import live_source as source
from graphwright.base.logs import get_logger


def countdown(x: int, step: int = 1, *rest: int, floor: int = 0, **names: int) -> int:
    """Count down."""
    while x > floor:
        x -= step
    return x


@pytest.mark.parametrize("is_on", [True, False])
@pytest.mark.parametrize("fails", [False, True])
def test_the_collector_of_cycles_is_on_or_off_as_before(is_on, fails, monkeypatch) -> None:
    during = []

    def noting(*args: Any) -> Any:
        during.append(gc.isenabled())
        if fails:
            raise MemoryError
        return real(*args)

    real = source.compile_function
    monkeypatch.setattr(source, "compile_function", noting)
    was_on = gc.isenabled()
    (gc.enable if is_on else gc.disable)()
    try:
        with pytest.raises(MemoryError) if fails else contextlib.nullcontext():
            conversion.convert(load("def program(x):\n    return x\n"), conversion.Options())
        found = gc.isenabled()
    finally:
        (gc.enable if was_on else gc.disable)()
    assert during == [False]
    assert found is is_on


def test_keeps_names_and_signature() -> None:
    new = converted(countdown)
    assert (new.__name__, new.__qualname__, new.__module__, new.__doc__) == (
        countdown.__name__,
        countdown.__qualname__,
        countdown.__module__,
        countdown.__doc__,
    )
    assert inspect.signature(new) == inspect.signature(countdown)
    assert new.__code__.co_firstlineno == countdown.__code__.co_firstlineno
    assert new.__code__.co_filename == __file__
    assert new(9, 2, floor=1) == countdown(9, 2, floor=1)


def fails_deep(x: int) -> int:
    for i in range(3):
        if i > 1:
            while x != 0:
                x = 1 // (x - 1)
    return x


def innermost(function: Any, *args: Any) -> traceback.FrameSummary:
    try:
        function(*args)
    except Exception:  # noqa: BLE001
        frames = traceback.extract_tb(sys.exc_info()[2])
        return [frame for frame in frames if frame.filename == __file__][-1]
    raise AssertionError("it should have failed")


@pytest.mark.parametrize("kind", [int, Toy])
def test_tracebacks_show_the_users_line(kind: type) -> None:
    plain = innermost(fails_deep, 1)
    with installed():
        frame = innermost(converted(fails_deep), kind(1))
    assert (frame.filename, frame.lineno, frame.line) == (plain.filename, plain.lineno, plain.line)
    if kind is int:
        assert frame.name == plain.name


@pytest.mark.parametrize("kind", [int, Toy])
def test_every_frame_is_on_the_way(kind: type) -> None:
    def lines(function: Any, *args: Any) -> list[int]:
        with pytest.raises(ZeroDivisionError) as caught:
            function(*args)
        frames = traceback.extract_tb(caught.tb)
        return [f.lineno or 0 for f in frames if f.filename == __file__][1:]

    first = fails_deep.__code__.co_firstlineno
    (plain,) = lines(fails_deep, 1)
    with installed():
        new = lines(converted(fails_deep), kind(1))
    assert new == ([plain] if kind is int else [first + 3, plain])


def all_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from all_codes(const)


def test_every_line_is_one_of_the_source() -> None:
    lines, first = inspect.getsourcelines(fails_deep)
    new = converted(fails_deep).__code__
    codes = list(all_codes(new))
    numbers = {line for code in codes for _, _, line in code.co_lines() if line}
    assert numbers <= set(range(first, first + len(lines)))
    plain = {line for _, _, line in fails_deep.__code__.co_lines() if line}
    assert plain <= numbers | {first}


def test_stepping_visits_the_same_lines() -> None:
    def steps(function: Any) -> list[int]:
        seen: list[int] = []

        def trace(frame: types.FrameType, event: str, arg: Any) -> Any:
            if frame.f_code.co_filename != __file__:
                return None
            if event == "line" and seen[-1:] != [frame.f_lineno]:
                seen.append(frame.f_lineno)
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            function(3)
        finally:
            sys.settrace(before)
        return seen

    def program(x: int) -> int:
        total = 0
        for i in range(x):
            if i == 1:
                total += 10
            else:
                total += 1
        return total

    new = steps(converted(program))
    plain = steps(program)
    assert set(plain) <= set(new)
    assert [line for line in new if line in (plain[0], plain[-1])][-1] == plain[-1]


def arcs(function: Any, *arguments: Any) -> set[tuple[int, int]]:
    """From which line to which control goes in this file, as branch coverage sees it."""
    seen: set[tuple[int, int]] = set()
    last: dict[types.FrameType, int] = {}

    def trace(frame: types.FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != __file__:
            return None
        if event == "line":
            seen.add((last.get(frame, 0), frame.f_lineno))
            last[frame] = frame.f_lineno
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return seen


def test_branch_coverage_of_staged_statements() -> None:
    def program(x: Any, items: Any) -> Any:
        if x > 3:
            y = 1
        elif x > 2:
            y = 2
        else:
            y = 3
        if x < 0:
            y += 1
        while y < 5:
            y += 1
            if y == 4:
                break
            y += 1
        for item in items:
            if item == x:
                continue
            y += item
        return y

    plain = set.union(*(arcs(program, x, items) for x in (-1, 3, 4) for items in ([], [1, 3])))
    branches = {arc for arc in plain if len({b for a, b in plain if a == arc[0]}) > 1}
    staged = arcs(tf.function(program), tf.constant(3), tf.constant([1, 3]))
    assert len(branches) > 10
    assert branches <= staged


def test_closures_share_their_cells() -> None:
    count = 0

    def increment(by: int) -> int:
        nonlocal count
        if by > 0:
            count += by
        return count

    assert converted(increment)(2) == 2
    assert count == 2
    count = 10
    assert converted(increment)(1) == 11


def test_late_binding_of_inner_functions() -> None:
    def program(n: int) -> list[int]:
        found = []
        for i in range(n):
            if i != 1:
                found.append(lambda: i)  # noqa: B023 - that it binds late is the point
        return [f() for f in found]

    assert converted(program)(4) == program(4) == [3, 3, 3]


def test_recursion_in_a_closure() -> None:
    def factorial(n: int) -> int:
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    assert converted(factorial)(5) == 120


class Base:
    def scale(self, x: int) -> int:
        return x * 2


class Counter(Base):
    __step = 3
    _Counter__public = "mangled"

    def __init__(self) -> None:
        self.__count = 0

    def bump(self, times: int) -> int:
        for _ in range(times):
            if times > 1:
                self.__count += self.__step
        return self.__count

    def scale(self, x: int) -> int:
        if x > 0:
            return super().scale(x) + 1
        return super(Counter, self).scale(x)  # noqa: UP008 - the long form too

    @classmethod
    def make(cls, n: int) -> str:
        return cls.__name__ if n else "none"

    @staticmethod
    def free(n: int) -> int:
        return n if n > 0 else -n

    @property
    def count(self) -> int:
        return self.__count

    def __call__(self, x: int) -> int:
        if x > 1:
            return x
        return 0

    def spell(self) -> str:
        if self:
            return __class__.__name__  # type: ignore[name-defined]
        return ""


def test_methods() -> None:
    counter = Counter()
    assert conversion.converted_call(counter.bump)(2) == 6
    assert counter.count == 6
    assert conversion.converted_call(counter.scale)(4) == 9
    assert conversion.converted_call(counter.scale)(-4) == -8
    assert conversion.converted_call(Counter.make)(1) == "Counter"
    assert conversion.converted_call(Counter.free)(-2) == 2
    assert conversion.converted_call(counter)(5) == 5
    assert conversion.converted_call(counter.spell)() == "Counter"
    with installed():
        assert number(conversion.converted_call(counter)(Toy(5))) == 5
        assert number(conversion.converted_call(counter.scale)(Toy(4))) == 9


def test_partial() -> None:
    function = functools.partial(countdown, step=2)
    with installed():
        assert number(conversion.converted_call(function)(Toy(5))) == -1


def test_lambdas_on_one_line() -> None:
    both = (lambda x: x if x > 0 else -x), (lambda x: x if x > 0 else 0)
    nested = (lambda x: lambda y: x if y else -x)(3)
    with installed():
        assert [number(converted(f)(Toy(-3))) for f in both] == [3, 0]
        assert number(converted(nested)(Toy(False))) == -3


def test_multi_line_lambda_and_defaults() -> None:
    function = lambda x, y=3, *, z=(  # noqa: E731
        1
    ): (
        x
        if x > y
        else z
    )  # fmt: skip
    assert converted(function)(5) == 5
    assert converted(function)(1) == 1


def test_decorated() -> None:
    def twice(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any) -> Any:
            return function(function(*args))

        return wrapper

    @twice
    def step(x: int) -> int:
        if x > 3:
            return x - 1
        return x + 10

    assert step(1) == 10
    assert conversion.converted_call(step)(1) == 10
    with installed():
        assert number(conversion.converted_call(step)(Toy(1))) == 10


def signed(x: Any) -> int:
    return 1 if x > 3 else -1


@functools.singledispatch
def dispatching(x: Any) -> int:
    return 1 if x > 3 else -1


class Dispatching:
    @functools.singledispatchmethod
    def method(self, x: Any) -> int:
        return 1 if x > 3 else -1


@contextlib.contextmanager
def unchanged() -> Iterator[None]:
    yield


@unchanged()
def in_context(x: Any) -> int:
    return 1 if x > 3 else -1


def within_a_context(x: Any) -> int:
    with unchanged():
        return 1 if x > 3 else -1


@pytest.mark.parametrize(
    "function",
    [dispatching, Dispatching().method, in_context, within_a_context, functools.wraps(signed)(
        lambda x: signed(x)
    )],
    ids=["singledispatch", "singledispatchmethod", "decorated", "context", "wraps"],
)  # fmt: skip
def test_functions_that_the_standard_library_wraps_are_converted(function: Any) -> None:
    assert [function(5), function(1)] == [1, -1]
    with installed():
        assert number(conversion.converted_call(function)(Toy(5))) == 1
        assert number(conversion.converted_call(function)(Toy(1))) == -1


def test_conversion_is_cached_and_dies_with_the_function() -> None:
    function = load("def program(x):\n    while x > 1:\n        x -= 1\n    return x\n")
    first = conversion.converted_call(function)
    assert first is conversion.converted_call(function)
    other = types.FunctionType(function.__code__, function.__globals__)
    assert conversion.converted_call(other).__code__ is first.__code__
    gc.collect()
    known = len(conversion._codes)
    dead = weakref.ref(function), weakref.ref(first)
    del function, other, first
    gc.collect()
    assert [ref() for ref in dead] == [None, None]
    assert len(conversion._codes) == known - 1


def test_what_is_kept_under_an_identity_is_not_taken_for_another_code() -> None:
    one, two = (
        load(f"def program(x):\n    while x > {n}:\n        x -= 1\n    return x\n") for n in (1, 2)
    )
    assert conversion.converted_call(one)(5) == 1
    new = conversion.converted_call(one).__code__
    for table, code in ((conversion._codes, one.__code__), (exempt._converted, new)):
        table.entries[id(two.__code__)] = table.entries[id(code)]
    assert conversion.converted_call(two) is not two
    assert conversion.converted_call(two)(5) == 2


def test_converted_functions_pickle() -> None:
    conversion.converted_call(countdown)
    assert pickle.loads(pickle.dumps(countdown)) is countdown
    assert pickle.loads(pickle.dumps(countdown.__dict__)).keys() == {conversion._KEY}


def test_what_is_converted_is_not_converted_again() -> None:
    new = converted(countdown)
    assert conversion.converted_call(new) is new


def generator(n: int) -> Any:
    for i in range(n):
        if i:
            yield i


@pytest.mark.parametrize(
    "function", [np.sum, np.linalg.norm, len.__call__, generator, sorted, contextlib.suppress, int]
)
def test_left_alone(function: Any) -> None:
    kept = conversion.converted_call(function)
    assert kept is function or kept.__name__ in ("sorted", "int")


def test_do_not_convert() -> None:
    @conversion.do_not_convert
    def marked(x: Any) -> Any:
        return 1 if x else 2

    @conversion.do_not_convert()
    def also(x: Any) -> Any:
        return 1 if x else 2

    assert conversion.converted_call(marked).__wrapped__ is marked
    assert exempt.is_marked(also)
    assert conversion.do_not_convert(signed) is not signed
    assert not exempt.is_marked(signed)
    bound = conversion.do_not_convert(Counter().scale)
    assert conversion.converted_call(bound).__wrapped__ is bound
    assert bound(1) == 3


@pytest.fixture
def warnings() -> Iterator[list[str]]:
    """What AutoGraph warns of."""
    logger, found = get_logger(), []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: found.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    yield found
    logger.removeHandler(handler)


def test_without_source(warnings: list[str]) -> None:
    scope: dict[str, Any] = {"__name__": "users"}
    exec("def made(x):\n    return x if x else 1", scope)
    assert conversion.converted_call(scope["made"]) is scope["made"]
    assert conversion.converted_call(scope["made"])(0) == 1
    (warning,) = warnings
    assert "could not convert made" in warning
    assert "no source" in warning or "does not hold" in warning
    with pytest.raises(source.SourceError, match=r"no source|does not hold"):
        conversion.to_graph(scope["made"])


def test_changed_source(tmp_path: Any) -> None:
    path = tmp_path / "users.py"
    path.write_text("def f(x):\n    return x\n")
    scope: dict[str, Any] = {"__name__": "users"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    path.write_text("\n\nclass Other:\n    pass\n")
    with pytest.raises(source.SourceError, match="has changed"):
        conversion.to_graph(scope["f"])


def test_async_is_refused() -> None:
    async def later(x: int) -> int:
        return x

    with pytest.raises(NotImplementedError, match="later is an async function"):
        conversion.to_graph(later)
    with pytest.raises(NotImplementedError, match="async"):
        conversion.staged_form(later)


def test_recursion_error_passes() -> None:
    def endless(x: int) -> int:
        if x:
            return endless(x)
        return 0

    with pytest.raises(RecursionError):
        converted(endless)(1)


def test_not_recursive() -> None:
    def callee(x: Any) -> Any:
        return 1 if x else 2

    def caller(x: Any) -> Any:
        return callee(x)

    with installed(), pytest.raises(TypeError, match="not a Python bool"):
        conversion.to_graph(caller, recursive=False)(Toy(True))


def loop(x: Any) -> Any:
    while x > 1:
        print(x)
        x = abs(x) - 1
    return x


def test_to_code() -> None:
    code = conversion.to_code(loop)
    tree = ast.parse(code)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert functions[0].name == "tf__loop"
    assert not any(isinstance(node, ast.While) for node in ast.walk(tree))
    assert "ag__.while_stmt(loop_test, loop_body, get_state, set_state, ('x',), {})" in code
    assert "ag__.converted_call(abs)(ag__.ld(x)) - 1" in code
    assert "ag__" not in conversion.to_code(lambda: None)


def test_odd_sources() -> None:
    cases = {
        "def program(x):\n    if x:\n        return (\n            1,\n)\n    return 2": (1,),
        'def program(x):\n    """Doc.\nunindented\n"""\n    return """a\nb""" if x else 0': "a\nb",
        "def program(x): return 1 if x else 2": 1,
        "if 1:\n\tdef program(x):\n\t\tif x:\n\t\t\treturn 3\n\n# comment\n\t\treturn 4\n": 3,
        "def deco(f): return f\n@deco\ndef program(x):\n  while x > 2: x -= 1\n  return x": 1,
        "def program(x):\n    return x\n    y = 3  # never\n": 1,
    }
    for text, expected in cases.items():
        assert converted(load(text))(1) == expected


def test_unreachable_assignments_stay_local() -> None:
    text = "y = 'global'\ndef program(x):\n    if x:\n        return y\n    return 1\n    y = 2\n"
    with pytest.raises(UnboundLocalError):
        load(text)(1)
    with pytest.raises(UnboundLocalError):
        converted(load(text))(1)


def test_future_features_are_kept() -> None:
    text = "def program(x):\n  def inner(y: unknown) -> int:\n    return y\n  return inner(x)\n"
    with pytest.raises(NameError):
        converted(load(text))(1)
    assert converted(load("from __future__ import annotations\n" + text))(1) == 1


def test_ipython_and_doctest_sources() -> None:
    lines = ["def program(x):\n", "    return 1 if x else 2\n"]
    name = "<ipython-input-3-abc>"
    linecache.cache[name] = (1, None, lines, name)
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile("".join(lines), name, "exec"), scope)
    with installed():
        assert number(conversion.converted_call(scope["program"])(Toy(False))) == 2


def test_doctest() -> None:
    """AutoGraph reads what a doctest defines, whatever module it is in.

    >>> def pick(x):
    ...     if x:
    ...         return 1
    ...     return 2
    >>> with installed():
    ...     number(conversion.converted_call(pick)(Toy(False)))
    2
    """


def test_methods_of_classes_that_a_function_makes() -> None:
    source = """
def program(x):
    class Sign:
        zero = 0

        def of(self, other=1):
            if x > self.zero:
                return other
            return -other

        negated = staticmethod(lambda v: v if x < 0 else -v)

    return Sign().of(3) + Sign.negated(10)
"""
    new = converted(load(source))
    assert new(5) == -7
    with installed():
        assert number(new(Toy(5))) == -7
        assert number(new(Toy(-5))) == 7


LAMBDAS = """
import graphwright as tf

pair = [lambda x: x + 1 if x > 0 else x - 1, lambda x: x + 2 if x > 0 else x - 2]
print([int(tf.function(f)(tf.constant(v))) for f in pair for v in (3, -3)])
"""


def test_lambdas_on_one_line_are_told_apart_without_columns(tmp_path: Path) -> None:
    """By their constants, where Python is told to keep no columns."""
    path = tmp_path / "lambdas.py"
    path.write_text(LAMBDAS)
    command = [sys.executable, "-X", "no_debug_ranges", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[4, -4, 5, -5]\n"


@pytest.mark.parametrize(
    "text",
    ["def g(x):\n    return x\n", "def f(y):\n    return y\n", "f = lambda x: x\n", "f(x)\n"],
)
def test_a_file_that_holds_another_definition_by_now_is_not_read(text: str) -> None:
    code = compile("def f(x):\n    return x\n", "changed.py", "exec").co_consts[0]
    assert source._find_definition(code, ["def f(x):\n", "    return x\n"])().name == "f"
    with pytest.raises(source.SourceError, match="does not hold the definition of 'f'"):
        source._find_definition(code, text.splitlines(keepends=True))


LIBRARY = """
def helper(x):
    return x if x > 0 else -x


def absolute(x):
    if x > 0:
        return x
    return -x


def through_helper(x):
    return helper(x)


class Model:
    def absolute(self, x):
        return x if x > 0 else -x
"""


def test_a_function_of_a_library_is_converted_where_it_is_traced_itself(tmp_path: Path) -> None:
    """As in TensorFlow; functions of a library stay as they are where others call them."""
    file = tmp_path / "models.py"
    file.write_text(LIBRARY)
    library: dict[str, Any] = {"__name__": "keras.models"}
    exec(compile(LIBRARY, str(file), "exec"), library)
    absolute, x = library["absolute"], tf.constant(-3)
    assert tf.function(absolute)(x) == 3
    assert tf.function(library["Model"]().absolute)(x) == 3
    for function in (library["through_helper"], lambda x: absolute(x)):
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
            tf.function(function)(x)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(tf.autograph.experimental.do_not_convert(absolute))(x)


#: Modules of the graph's forms, which no function needs before a tensor decides something.
OF_GRAPHS = ("growing_lists", "iterations", "regions", "shared_variables", "tensor_builtins")
DECIDES = {
    "for _ in range(3):\n        x = x * x if flag and len([x]) == 1 else x": False,
    "while flag:\n        x, flag = -x, False": False,
    "add = lambda y: x + y\n    for y in [1.0, 2.0]:\n        x = add(y)": False,
    "if x > 0:\n        x = -x": True,
    "x = -x if x > 0 else x": True,
    "while x > 0:\n        x -= 1": True,
}


@pytest.mark.parametrize(("statement", "decides"), DECIDES.items())
def test_modules_of_graphs_come_when_a_tensor_decides(
    tmp_path: Path, statement: str, decides: bool
) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import sys, graphwright as tf\n"
        f"@tf.function\ndef f(x, flag):\n    {statement}\n    return x\n"
        "f(tf.constant(1.5), True)\n"
        "print(*sys.modules)\n"
    )
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "graphwright.autograph.conversion" in loaded
    of_graphs = [name for name in OF_GRAPHS if f"graphwright.autograph.{name}" in loaded]
    assert ("regions" in of_graphs) if decides else not of_graphs
