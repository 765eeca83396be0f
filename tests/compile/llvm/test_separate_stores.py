"""Elements that are stored with gaps: machine code gives what kernels give, in every length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.llvm.render import rendering
from graphwright.compile.nests.nest import Load, Nest
from graphwright.compile.run.executable import Code, Executable, library_of
from graphwright.compile.run.lowered_segment import LoweredSegment

RNG = np.random.default_rng(0)

#: Around the lanes of a vector: none, one, a part, all, more.
ROWS = (0, 1, 7, 8, 9, 33, 100)


def turned(x: tf.Tensor) -> tf.Tensor:
    """Rows that turn in a loop, each in the memory of the last ones."""
    for _ in tf.range(3):
        x = tf.concat([x[:, 1:] + 1.0, x[:, :1]], -1)
    return x


#: Programs over x [rows, 3] and integers [rows] below the number of rows.
PROGRAMS: dict[str, Callable[[tf.Tensor, tf.Tensor], Any]] = {
    "one value": lambda x, _: tf.pad(x, [[0, 0], [1, 2]], constant_values=2.0),
    "a scalar": lambda x, _: tf.concat([x, tf.fill([tf.shape(x)[0], 2], tf.reduce_max(x))], -1),
    "components": lambda x, _: tf.concat([x, tf.abs(x)], -1),
    "elements side by side": lambda x, _: tf.concat(
        [tf.broadcast_to(x[:, :1], tf.shape(x)), tf.ones_like(x)], -1
    ),
    "elements with gaps": lambda x, _: tf.concat([x[:, :1], x[:, 2:] * 2.0], -1),
    "picked elements": lambda x, i: tf.concat([tf.gather(x, i), x], -1),
    "computed elements": lambda x, _: tf.concat([tf.abs(x), x * x - 1.0], -1),
    "bools": lambda x, _: tf.concat([x > 0, x[:, :2] < 0.5], -1),
    "other kinds": lambda x, _: tf.concat([tf.cast(x, tf.float64), tf.zeros_like(x, "double")], 1),
    "small integers": lambda x, _: tf.pad(tf.cast(x * 50.0, tf.int8), [[0, 0], [0, 2]]),
    "a loop": lambda x, _: tf.function(turned)(x),
}


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_elements_go_where_kernels_put_them(name: str, rows: int) -> None:
    program = PROGRAMS[name]
    x = tf.constant(RNG.normal(size=[rows, 3]).astype(np.float32))
    places = tf.constant(RNG.integers(0, max(rows, 1), rows))
    compiled = tf.function(program, jit_compile=True)
    specs = tf.TensorSpec([None, 3]), tf.TensorSpec([None], tf.int64)
    np.testing.assert_array_equal(compiled(x, places), program(x, places))
    open_ = tf.function(program, jit_compile=True, input_signature=specs)
    np.testing.assert_array_equal(open_(x, places), program(x, places))


@pytest.mark.parametrize("axes", [[1, 2, 0, 3], [3, 0, 1, 2], [2, 1, 3, 0]])
def test_axes_that_change_places(axes: list[int]) -> None:
    x = RNG.normal(size=[9, 4, 5, 3]).astype(np.float32)
    compiled = tf.function(lambda x: tf.transpose(x, axes) * 2.0, jit_compile=True)
    np.testing.assert_array_equal(compiled(x), np.transpose(x, axes) * 2)


def test_images_in_blocks() -> None:
    x = RNG.normal(size=[9, 4, 6, 3]).astype(np.float32)
    compiled = tf.function(lambda x: tf.nn.space_to_depth(x, 2), jit_compile=True)
    expected = x.reshape(9, 2, 2, 3, 2, 3).transpose(0, 1, 3, 2, 4, 5).reshape(9, 2, 3, 12)
    np.testing.assert_array_equal(compiled(x), expected)


def test_memory_that_another_effect_overwrites_is_read_first() -> None:
    """The result doubled lies in the memory of x, whose elements another effect stores with gaps.

    One nest does both. It is made by hand, since the planner copies elements in a nest of its own.
    """

    def both(x: tf.Tensor, rest: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return x * 2.0, tf.concat([x[:, None], rest], -1)

    x, rest = np.arange(37, dtype=np.float32), np.ones([37, 30], np.float32)
    graph = tf.function(both).get_concrete_function(x, rest).graph
    program, constants = LoweredSegment(simplify(graph), ()).lowered
    nests = [s for s in program.body if isinstance(s, Nest)]
    (doubling,) = [n for n in nests if len(n.stages[0].instructions) > 1]
    copying = next(n for n in nests if n is not doubling)
    assert isinstance(doubling.stages[0].instructions[0], Load)
    (doubled,), (copied,) = [n.stages[0].effects for n in (doubling, copying)]
    stage = doubling.stages[0]._replace(effects=(doubled, copied._replace(value=0)))
    nest = doubling._replace(stages=(stage,), first=frozenset(program.inputs[:1]))
    body = [nest if s is doubling else s for s in program.body if s is not copying]
    rendered = rendering(program._replace(body=tuple(body), reuses=((0, 0),)))
    code = Code(library_of(rendered.text, is_quick=True), ("prepare", "run"))
    given = x.copy()
    first, second = Executable(rendered, constants, code).lending()(1, (given, rest))
    assert np.shares_memory(first, given)
    np.testing.assert_array_equal(first, x * 2)
    np.testing.assert_array_equal(second, np.concatenate([x[:, None], rest], -1))
