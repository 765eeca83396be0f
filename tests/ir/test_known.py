"""What is known of values while tracing is what they are when the graph runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import graphwright as tf
from graphwright.ir.known import known
from graphwright.op.op import is_whole

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
    computed = concrete(tf.ones([2, 3, 4])).numpy().tolist()
    if isinstance(result, tuple):
        assert len(result) == len(computed)
        assert all(mine in (None, own) for mine, own in zip(result, computed))
    else:
        assert result in (None, computed)


def test_whole_values_have_no_unknown_entry() -> None:
    assert all(map(is_whole, (1, (), (1, 2), ((1,), (0, 3)))))
    assert not any(map(is_whole, (None, (None,), (1, None), ((1, 2), (None, 2)))))
