"""Loops: the ways through an iterable, their options, and the warning of long Python loops."""

from __future__ import annotations

import itertools
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.toy import Toy, converted, installed

import graphwright as tf
from graphwright.autograph import regions, unrolling
from graphwright.base.logs import get_logger


class Squares:
    """0, 1, 4, ... below a number of them, which tells the graph how to loop."""

    def __init__(self, count: Any) -> None:
        self.count = count

    def __iter__(self) -> Iterator[int]:
        return (i * i for i in range(self.count))

    def __graph_iteration__(self) -> Any:
        return SquaresInGraph(self.count)


class SquaresInGraph:
    def __init__(self, count: Any) -> None:
        self.count = count
        self.start = [tf.constant(0)]

    def more(self, own: Sequence[Any]) -> Any:
        return own[0] < self.count

    def item(self, own: Sequence[Any]) -> Any:
        return own[0] * own[0]

    def advance(self, own: Sequence[Any]) -> list[Any]:
        return [own[0] + 1]


class Folded(Squares):
    """The same, which makes the loop itself."""

    def __graph_iteration__(self) -> Any:
        return FoldedInGraph(self.count)


class FoldedInGraph:
    relaxes = False

    def __init__(self, count: Any) -> None:
        self.count = count

    def sample(self) -> Any:
        return tf.constant(0)

    def fold(
        self,
        start: list[Any],
        more: Callable[..., Any] | None,
        step: Callable[..., list[Any]],
        shapes: object,
    ) -> list[Any]:
        def test(i: Any, *leaves: Any) -> Any:
            return tf.logical_and(i < self.count, more(leaves) if more else True)

        def body(i: Any, *leaves: Any) -> list[Any]:
            return [i + 1, *step(leaves, i * i)]

        return list(tf.while_loop(test, body, [tf.constant(0), *start]))[1:]


def total_of(kind: Any, count: Any) -> Any:
    total = 0
    for v in kind(count):
        total += v
    return total


def until_ten(kind: Any, count: Any) -> Any:
    last = -1
    for v in kind(count):
        if v > 10:
            break
        last = v
    return last


def first_over(kind: Any, count: Any) -> Any:
    for v in kind(count):
        if v > 5:
            return v
    return -1


def only_inside(kind: Any, count: Any) -> Any:
    for v in kind(count):
        w = v + 1
    return w


@pytest.mark.parametrize("kind", [Squares, Folded])
@pytest.mark.parametrize("program", [total_of, until_ten, first_over, only_inside])
def test_iterables_of_other_classes(kind: Any, program: Any) -> None:
    expected = program(kind, 6)
    assert int(tf.function(program)(kind, tf.constant(6))) == expected


def test_enumerate_of_another_class() -> None:
    def program(count: Any) -> Any:
        total = 0
        for i, v in enumerate(Squares(count), 1):
            total += i * v
        return total

    assert int(tf.function(program)(tf.constant(4))) == program(4)


def test_tensor_array_items() -> None:
    @tf.function
    def program(n: Any) -> Any:
        array = tf.TensorArray(tf.int32, 0, dynamic_size=True, element_shape=())
        for i in tf.range(n):
            array = array.write(i, i * i)
        total = 0
        for v in array:
            total += v
        return total

    assert int(program(tf.constant(4))) == 14


def test_mixing_staged_and_python_iterables() -> None:
    def program(x: Any) -> Any:
        total = 0
        for a, b in zip(x, [1, 2]):
            total += a * b
        return total

    with pytest.raises(TypeError, match="a tensor and list cannot be looped over together"):
        tf.function(program)(tf.constant([3, 4]))


def test_scalar_items() -> None:
    def program(x: Any) -> Any:
        for v in x:
            x = v
        return x

    with pytest.raises(ValueError, match="cannot loop over a scalar tensor"):
        tf.function(program)(tf.constant(3))


def test_a_range_is_not_made() -> None:
    @tf.function
    def program(n: Any) -> Any:
        total = 0
        for i in tf.range(n):
            total += i
        return total

    assert int(program(tf.constant(300))) == sum(range(300))
    graph = program.get_concrete_function(tf.constant(1)).graph
    assert [node.op for node in graph.as_graph_def().node].count("StatelessWhile") == 1


def test_the_body_is_traced_once() -> None:
    traces = []

    @tf.function
    def program(n: Any) -> Any:
        i = 0
        while i < n:
            traces.append(i)
            i += 1
        return i

    assert int(program(tf.constant(50))) == 50
    assert len(traces) == 1


def test_effects_of_a_test_happen_as_often_as_in_python() -> None:
    count = tf.Variable(0)

    @tf.function
    def program(n: Any) -> Any:
        i = 0
        while count.assign_add(1) < n:
            i += 1
        return i

    assert int(program(tf.constant(5))) == 4
    assert int(count) == 5


def test_shapes_by_identity() -> None:
    with installed() as staging:
        seen = []
        loop = staging.while_loop
        staging.while_loop = lambda *args: seen.append(args[3]) or loop(*args)

        def program(n: Any) -> Any:
            x = Toy(1)
            wanted = [(x, "any")]
            while n > 0:
                tf.autograph.experimental.set_loop_options(shape_invariants=wanted)
                x += 1
                n -= 1
            return x

        converted(program)(Toy(3))
    assert seen == [[None, "any", None]]


@pytest.fixture
def warnings() -> Iterator[list[str]]:
    logger, found = get_logger(), []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: found.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    yield found
    logger.removeHandler(handler)


def unrolled_for(x: Any) -> Any:
    for _ in range(2 * unrolling.NODES):
        x = x + 1
    return x


def unrolled_while(x: Any) -> Any:
    i = 0
    while i < 2 * unrolling.NODES:
        x = x + 1
        i += 1
    return x


@pytest.mark.parametrize("program", [unrolled_for, unrolled_while])
def test_long_unrolled_loops_warn(program: Any, warnings: list[str]) -> None:
    tf.function(program).get_concrete_function(tf.constant(0))
    (warning,) = warnings
    first = program.__code__.co_firstlineno
    assert any(f'"{__file__}", line {first + line}, in' in warning for line in (1, 2))
    assert "Loop over a tensor" in warning


def test_programs_of_users_are_warned(tmp_path: Path) -> None:
    """By what `import graphwright` imports, without what tests do."""
    path = tmp_path / "program.py"
    path.write_text(
        "import graphwright as tf\n"
        "@tf.function\n"
        "def f(x):\n"
        "    for _ in range(1500):\n"
        "        x = x + 1\n"
        "    return x\n"
        "f.get_concrete_function(tf.constant(0))\n"
    )
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert f'"{path}", line 4, in f: this Python loop' in done.stderr


def test_a_loop_over_some_layers_does_not_warn(warnings: list[str]) -> None:
    def program(x: Any) -> Any:
        for scale in range(60):
            x = tf.nn.relu(x * scale + 1) - tf.abs(x) + tf.square(x) * 2 - tf.exp(-x)
            x = tf.sin(x) + tf.cos(x) * tf.tanh(x) - tf.sigmoid(x) + tf.maximum(x, 0.0)
            x = tf.sqrt(tf.abs(x) + 1.0) / (tf.square(x) + 2.0) + tf.minimum(x, 1.0)
        return x

    traced = tf.function(program).get_concrete_function(tf.constant(0.0))
    assert len(traced.graph.nodes) > unrolling.NODES
    assert not warnings


def test_long_loops_without_tensors_do_not_warn(warnings: list[str]) -> None:
    def program(x: Any) -> Any:
        n = 0
        for i in range(20_000):
            n += i
        while n > 5:
            n = n // 2
        return x + n

    assert int(tf.function(program)(tf.constant(0))) == program(0)
    assert not warnings


def test_endless_python_loop_with_a_break_of_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "UNROLLED_AT_MOST", 50)

    def program(x: Any) -> Any:
        for _ in itertools.count():
            if x < 0:
                break
            x -= 1
        return x

    with pytest.raises(NotImplementedError, match="Loop over a tensor"):
        tf.function(program)(tf.constant(3))


def appends_an_outer_tensor(x: Any) -> Any:
    kept: list[Any] = []
    for _ in tf.range(3):
        kept.append(x)
    return kept


def appends_numbers(x: Any) -> Any:
    kept: list[int] = []
    while x > 0:
        kept.append(1)
        x -= 1
    return kept, x


@pytest.mark.parametrize("program", [appends_an_outer_tensor, appends_numbers])
def test_changes_of_python_containers_warn(program: Any, warnings: list[str]) -> None:
    tf.function(program)(tf.constant(3))
    (warning,) = warnings
    assert f"in {program.__name__}: this loop of the graph changes `kept`" in warning
    assert "array.write(array.size(), value)" in warning


def test_a_list_of_the_bodys_tensors_names_the_tensor_array(warnings: list[str]) -> None:
    @tf.function
    def program(n: Any) -> Any:
        kept = []
        for i in tf.range(n):
            kept.append(i * 2)
        return tf.stack(kept)

    advice = r"array = tf\.TensorArray\(tf\.int32, size=0, dynamic_size=True\)"
    with pytest.raises(ValueError, match=advice):
        program(tf.constant(3))
    assert not warnings


def test_traces_may_be_noted_outside(warnings: list[str]) -> None:
    seen = []

    @tf.function
    def program(x: Any) -> Any:
        while x > 0:
            if x > 5:
                seen.append("then")
            x -= 1
        return x

    program(tf.constant(3))
    assert seen == ["then"]
    assert not warnings


def test_the_length_of_a_list_that_a_loop_appended_to() -> None:
    @tf.function
    def program(data: Any) -> Any:
        result = []
        for item in data:
            result.append(item * 2)
        return len(result)

    with pytest.raises(tf.errors.InaccessibleTensorError, match="out of scope") as caught:
        program(tf.constant([1, 2, 3]))
    assert "array.size()" in str(caught.value)
    assert int(program([1, 2, 3])) == 3

    @tf.function
    def inside(data: Any) -> Any:
        outer, total = [data[0], data[1]], 0
        for _ in data:
            total += len(outer)  # of tensors of the graph around the loop
        return total

    assert int(inside(tf.constant([1, 2, 3]))) == 6


@pytest.mark.parametrize("turns", [0, 2])
def test_what_a_tape_records_in_each_turn_needs_no_value_before(turns: int) -> None:
    @tf.function
    def descend(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            with tf.GradientTape() as tape:
                tape.watch(x)
                loss = x * x
            x = x - 0.25 * tape.gradient(loss, x)
        return x

    assert float(descend(tf.constant(8.0), tf.constant(turns))) == 8.0 / 2**turns


def a_for_with_a_break(n: Any, is_last: bool) -> Any:
    total = tf.constant(0)
    for i in tf.range(n):
        with tf.name_scope("turn"):
            if is_last:
                half = i // 2
                if half > 0:
                    break
            double = i * 2
        total += double
    return total


def a_while_with_a_return(n: Any, is_last: bool) -> Any:
    total = tf.constant(0)
    while n > 0:
        with tf.name_scope("turn"):
            n -= 1
            if is_last:
                half = n // 2
                if half < 1:
                    return total
            double = n * 2
        total += double
    return total


@pytest.mark.parametrize("program", [a_for_with_a_break, a_while_with_a_return])
def test_what_follows_a_jump_that_python_never_reaches_is_no_branch(program: Any) -> None:
    assert int(tf.function(program)(tf.constant(3), False)) == 6
    with pytest.raises(ValueError, match="'double' must also be initialized in the else branch"):
        tf.function(program)(tf.constant(3), True)


def last_in_finally(n: Any) -> Any:
    total = n
    for i in tf.range(n):
        try:
            twice = i * 2
        finally:
            more = twice + 1
        total += more
    return total


def jump_in_try(n: Any) -> Any:
    total = n
    for i in tf.range(n):
        try:
            twice = i * 2
            if twice > 2:
                continue
        finally:
            total += 1
        total += twice
    return total


def bound_in_a_test(n: Any) -> Any:
    total = n
    for i in tf.range(n):
        if (twice := i * 2) > 0:
            total += twice
    return total


def annotated(n: Any) -> Any:
    total = n
    if n > 0:
        more: int = 3
        total += more
    return total


def interrupted(n: Any) -> Any:
    """The handler goes on after `finally` has read what was there before."""
    first = tf.constant(0)
    second = tf.constant(0)
    if n > 0:
        first = n * 2
    try:
        try:
            {}["missing"]
            first = n
        finally:
            second = first + 1
    except KeyError:
        pass
    return second


@pytest.mark.parametrize("turns", [0, 3])
@pytest.mark.parametrize(
    "program", [last_in_finally, jump_in_try, bound_in_a_test, annotated, interrupted]
)
def test_names_that_a_block_binds_need_no_value_before(program: Any, turns: int) -> None:
    n = tf.constant(turns)
    assert int(tf.function(program)(n)) == int(program(n))
