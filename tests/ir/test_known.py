"""What is known of values while tracing is what they are when the graph runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.ir.graph import Graph
from graphwright.ir.known import known
from graphwright.op.interpreter import apply
from graphwright.op.op import is_whole
from graphwright.ops.core.own_ops import Reinterpreted
from graphwright.trace.tracer import tracing

MATRIX = tf.constant([[1, 2], [3, 4]])

PROGRAMS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "a constant": (lambda x: tf.constant([3, -1]), (3, -1)),
    "a shape": (tf.shape, (None, 3, 4)),
    "a rank": (tf.rank, 3),
    "an entry": (lambda x: tf.shape(x)[1], 3),
    "an entry that is not known": (lambda x: tf.shape(x)[0], None),
    "a slice": (lambda x: tf.shape(x)[1:], (3, 4)),
    "a vector of entries": (lambda x: tf.stack([tf.shape(x)[0], 7, -1]), (None, 7, -1)),
    "joined": (lambda x: tf.concat([[5], tf.shape(x)[:2]], 0), (5, None, 3)),
    "one of several": (lambda x: tf.unstack(tf.shape(x))[2], 4),
    "cast": (lambda x: tf.cast(tf.shape(x), tf.int64), (None, 3, 4)),
    "a comparison": (lambda x: tf.shape(x)[-1] > 1, True),
    "a comparison that is not known": (lambda x: tf.shape(x)[0] > 1, None),
    "comparisons": (lambda x: tf.equal(tf.shape(x)[1:], 4), (False, True)),
    "logic": (lambda x: tf.logical_and(tf.shape(x)[1] > 1, tf.shape(x)[2] < 4), False),
    "all": (lambda x: tf.reduce_all(tf.shape(x)[1:] > 2), True),
    "any in part": (lambda x: tf.reduce_any(tf.shape(x) > 9), None),
    "a choice": (lambda x: tf.where(tf.shape(x)[1:] > 3, 0, [1, 2]), (1, 0)),
    "a bool as a number": (lambda x: tf.cast(tf.rank(x) > 2, tf.int32), 1),
    "a number as a bool": (lambda x: tf.cast(tf.shape(x)[1:] - 3, tf.bool), (False, True)),
    "halves, rounded up": (lambda x: tf.math.ceil(tf.cast(tf.shape(x)[1:], "float") / 2), (2, 2)),
    "floats of 32 bits": (lambda x: tf.constant(0.1) + 0.2 == tf.constant(0.3), True),
    "a sum that wraps around": (lambda x: tf.constant(2**31 - 1) + tf.rank(x), 2 - 2**31),
    "a matrix and a vector": (lambda x: tf.reshape(MATRIX * [5, 6], [-1]), (5, 12, 15, 24)),
    "a text": (lambda x: tf.strings.join(["a", "b"]), b"ab"),
    "numbers": (lambda x: x, None),
    "a vector of numbers": (lambda x: tf.cast(x[0, 0], tf.int32), (None,) * 4),
    "a long vector": (lambda x: tf.zeros([2000], tf.int32) + tf.shape(x)[0], None),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_known_is_what_is_computed(name: str) -> None:
    program, wanted = PROGRAMS[name]
    concrete = tf.function(program).get_concrete_function(tf.TensorSpec([None, 3, 4]))
    (identity,) = concrete.graph.results
    result = known(identity.node.inputs[0])
    assert result == wanted
    computed = np.asarray(concrete(tf.ones([2, 3, 4]))).tolist()
    if isinstance(result, tuple):
        assert len(result) == len(computed)
        assert all(mine in (None, own) for mine, own in zip(result, computed))
    else:
        assert result in (None, computed)


def test_whole_values_have_no_unknown_entry() -> None:
    assert all(map(is_whole, (1, (), (1, 2), ((1,), (0, 3)))))
    assert not any(map(is_whole, (None, (None,), (1, None), ((1, 2), (None, 2)))))


#: Programs on matrices whose rules were once for vectors.
ON_MATRICES: dict[str, Callable[[Any], Any]] = {
    "tiled": lambda m: tf.tile(m, [1, 2]),
    "tiled both ways": lambda m: tf.tile(m, [2, 2]),
    "reversed": lambda m: tf.reverse(m, [-1]),
    "reversed rows": lambda m: tf.reverse(m, [0]),
    "joined": lambda m: tf.concat([m, m], -1),
    "joined rows": lambda m: tf.concat([m, m], 0),
    "columns": lambda m: tf.gather(m, [1, 0], axis=-1),
    "rows": lambda m: tf.gather(m, [1, 0]),
    "a part": lambda m: tf.slice(m, [0, 1], [2, 1]),
    "a row": lambda m: tf.squeeze(m[:1]),
    "products": lambda m: tf.reduce_prod(m, 0),
    "transposed": lambda m: tf.transpose(m),
    "stacked": lambda m: tf.stack([m, m], -1),
    "taken apart": lambda m: tf.unstack(m, axis=1)[1],
    "chosen": lambda m: tf.where(m > 1, m, 0),
    "a column": lambda m: m[:, 1],
    "broadcast": lambda m: tf.broadcast_to(m[:, :1], [2, 2]),
    "filled": lambda m: tf.fill([2, 2], m[0, 1]),
    "cast": lambda m: tf.cast(m, tf.int64),
    "added": lambda m: m * [1, 2] - 1,
}


@pytest.mark.parametrize("in_part", [False, True])
@pytest.mark.parametrize("name", ON_MATRICES)
def test_matrices_are_known_as_they_are_computed(name: str, in_part: bool) -> None:
    def program(x: Any) -> Any:
        first = tf.shape(x)[0] if in_part else 1
        return ON_MATRICES[name](tf.stack([tf.stack([first, 2]), tf.constant([3, 4])]))

    concrete = tf.function(program).get_concrete_function(tf.TensorSpec([None, 3, 4]))
    (identity,) = concrete.graph.results
    result = known(identity.node.inputs[0])
    computed = np.asarray(concrete(tf.ones([1, 3, 4]))).tolist()
    assert in_part or is_whole(result)
    assert fits(result, computed), (result, computed)


def test_what_lowering_alone_makes_is_not_computed() -> None:
    graph = Graph()
    with tracing(graph) as tracer:
        bits = tracer.value_of(apply(Reinterpreted.of(tf.int32), tf.constant(1.0)))
    assert known(bits) is None


def fits(result: Any, computed: Any) -> bool:
    """Whether what is known of a value is in it."""
    if result is None:
        return True
    if not isinstance(result, tuple):
        return bool(result == computed)
    return len(result) == len(computed) and all(map(fits, result, computed))


#: Vectors of as many entries as a vector of unknown length.
LENGTHS: dict[str, Callable[[Any], Any]] = {
    "chosen": lambda v: tf.where(tf.constant(True), [2], v),
    "chosen number": lambda v: tf.where(tf.constant(True), 2, v),
    "sum": lambda v: v * 0 + tf.constant([2]),
    "quotient": lambda v: tf.constant([7]) // (v * 0 + 2),
    "column": lambda v: tf.reshape(tf.expand_dims(v, 1), [-1]),
    "joined column": lambda v: tf.concat([tf.reshape(tf.expand_dims(v, 1), [-1]), [1]], 0),
    "rows": lambda v: tf.reshape(tf.stack([v, v]), [-1]),
    "reversed column": lambda v: tf.reverse(tf.reshape(tf.expand_dims(v, 1), [-1]), [0]),
    "repeated column": lambda v: tf.tile(tf.reshape(tf.expand_dims(v, 1), [-1]), [2]),
}


@pytest.mark.parametrize("type_", [tf.TensorSpec([None], tf.int32), tf.TensorSpec(None, tf.int32)])
@pytest.mark.parametrize("name", LENGTHS)
def test_a_length_is_known_where_it_is_that_of_the_result(name: str, type_: Any) -> None:
    """An operand of which nothing is known may be longer than all others."""

    @tf.function(input_signature=[type_])
    def filled(v: Any) -> Any:
        ones = tf.fill(LENGTHS[name](v), 1.0)
        ranks.append(ones.shape.rank)
        return ones

    ranks: list[int | None] = []
    v = tf.constant([2, 3])
    expected = LENGTHS[name](v).numpy().tolist()
    assert filled(v).shape == expected
    assert ranks in ([None], [len(expected)])
