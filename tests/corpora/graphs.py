"""Programs that are traced, exported, and run by TensorFlow to record their results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import graphwright as tf


@dataclass
class Exported:
    """A traced program as bytes, with the names of what is fed and fetched."""

    message: bytes
    inputs: list[str]
    outputs: list[str]
    arguments: list[Any]
    variables: list[Any]


@dataclass
class Program:
    """A traced function, example arguments, and the variables that it captures, in order."""

    function: Any
    arguments: list[Any]
    variables: list[Any]


def export(program: Callable[[], Program]) -> Exported:
    """Traces a program for its arguments and exports the graph."""
    made = program()
    tensors = [tf.constant(argument) for argument in made.arguments]
    graph = made.function.get_concrete_function(*tensors).graph
    return Exported(
        graph.as_graph_def().SerializeToString(deterministic=True),
        [value.name for value in graph.arguments],
        [value.name for value in graph.results],
        made.arguments,
        [variable.numpy() for variable in made.variables],
    )


def run(program: Callable[[], Program]) -> tuple[list[Any], list[Any]]:
    """The results of calling the function here, and its variables' values afterwards."""
    made = program()
    results = made.function(*[tf.constant(argument) for argument in made.arguments])
    return [plain(r.numpy()) for r in results], [plain(v.numpy()) for v in made.variables]


def plain(array: Any) -> Any:
    """An array as JSON has it."""
    listed = np.asarray(array).tolist()
    return listed.decode() if isinstance(listed, bytes) else listed


def arithmetic() -> Program:
    """Broadcasting, constants of several kinds, a product of matrices, a reduction."""

    @tf.function
    def function(a: Any, b: Any) -> Any:
        product = tf.matmul(a, b, transpose_b=True)
        total = tf.reduce_sum(product * 2.0 - [1.0, 2.0], axis=1, keepdims=True)
        return total, tf.cast(product, tf.int32), product > 10.0

    return Program(function, [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]], [])


def movement() -> Program:
    """Shapes that are computed, lists of tensors in and out, slices."""

    @tf.function
    def function(a: Any, n: Any) -> Any:
        rows = tf.reshape(a, [tf.shape(a)[1], -1])
        left, right = tf.split(rows, 2, axis=1)
        joined = tf.concat([left, right, left], axis=1)
        stitched = tf.dynamic_stitch([[0, 2], [1]], [a[0, :2], a[1, 3:]])
        return joined, tf.stack([n, n + 1]), a[0, ::-1], tf.fill([2], n), stitched

    return Program(function, [np.arange(8.0, dtype=np.float32).reshape(2, 4), np.int64(3)], [])


def state() -> Program:
    """Reads and assignments whose order matters."""
    count = tf.Variable(1.0, name="count")
    total = tf.Variable([1.0, 2.0], name="total")

    @tf.function
    def function(x: Any) -> Any:
        before = count.read_value()
        count.assign_add(x)
        total.assign(total * count)
        between = total.read_value()
        count.assign(before * 100.0)
        total.assign_sub([1.0, 1.0])
        return before, between, count.read_value()

    return Program(function, [2.0], [count, total])


def calls() -> Program:
    """Functions called from functions: one that changes a variable, and one twice."""
    count = tf.Variable(10.0, name="count")

    @tf.function
    def double(x: Any) -> Any:
        return x * 2.0

    @tf.function
    def bump(x: Any) -> Any:
        count.assign_add(double(x))
        return count.read_value()

    @tf.function
    def function(x: Any) -> Any:
        before = count.read_value()
        first = bump(x)
        second = bump(double(x))
        return before, first, second, count.read_value()

    return Program(function, [3.0], [count])


def branches() -> Program:
    """Choices between graphs, some of which change a variable."""
    count = tf.Variable(1.0, name="count")

    @tf.function(autograph=False)
    def function(x: Any, n: Any) -> Any:
        def bumped() -> Any:
            count.assign_add(x)
            return x * 2.0

        chosen = tf.cond(x > 0.0, bumped, lambda: count + n)
        index = tf.cast(n, tf.int32)
        switched = tf.switch_case(index, [lambda: x, lambda: x + n, lambda: count * 3.0])
        return chosen, switched, count.read_value()

    return Program(function, [2.0, 1.0], [count])


def loops() -> Program:
    """A loop that captures and changes a variable, and one with a branch in its body."""
    count = tf.Variable(1.0, name="count")

    @tf.function(autograph=False)
    def function(n: Any, x: Any) -> Any:
        def body(i: Any, total: Any) -> Any:
            count.assign_add(total)
            return i + 1, total * x + count

        start = [tf.constant(0), tf.constant(1.0)]
        i, total = tf.while_loop(lambda i, _: i < n, body, start)
        (j,) = tf.while_loop(
            lambda j: j < n * 2, lambda j: (j + tf.cond(j > 2, lambda: 2, lambda: n),), [i - n]
        )
        return i, total, j, count.read_value()

    return Program(function, [3, 2.0], [count])


PROGRAMS: dict[str, Callable[[], Program]] = {
    program.__name__: program for program in (arithmetic, movement, state, calls, branches, loops)
}

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_INEXACT = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")

ARRAYS: list[tuple[str, Any]] = [
    *((dtype, 3) for dtype in _INTEGERS),
    *((dtype, -1.5) for dtype in _INEXACT),
    *((dtype, [[1, 2, 3], [4, 5, 6]]) for dtype in _INTEGERS + _INEXACT),
    ("complex64", 1 - 2j),
    ("bool", True),
    ("bool", [True, False]),
    ("string", "text"),
    ("string", [["a", "b"], ["", "d"]]),
    ("float32", []),
    ("float32", [[]]),
    ("int8", -128),
    ("uint64", 2**64 - 1),
    ("float32", [1.5]),
]
