"""What has happened when an op fails: what the program does before it, in every tier."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf


class State:
    """What programs change."""

    def __init__(self):
        self.wide = tf.Variable(np.zeros(4, np.float32))
        self.narrow = tf.Variable([1.0, 2.0])
        self.any = tf.Variable([1.0, 2.0], shape=[None])
        self.table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, 0)
        self.unset = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[4])
        self.seen = []

    def shown(self):
        held = [v.numpy().tolist() for v in (self.wide, self.narrow, self.any)]
        return [*held, len(self.seen), int(self.table.size())]


#: What fails, given the state, four numbers, and 3.
FAILURES = {
    "division": lambda s, x, n: n // (n - n),
    "place": lambda s, x, n: tf.gather(x * 2.0, n + 100),
    "block": lambda s, x, n: tf.slice(x, [n], [2]) * 2.0,
    "host call": lambda s, x, n: tf.linalg.inv(tf.zeros([2, 2]) * tf.reduce_sum(x * x)),
    "host call of an argument": lambda s, x, n: tf.raw_ops.DecodeRaw(
        bytes=tf.strings.as_string(n), out_type=tf.float32
    ),
    "view": lambda s, x, n: tf.reshape(x, tf.stack([n + 4, -1])),
    "shape": lambda s, x, n: tf.reshape(x * 2.0, tf.stack([n + 4, -1])) + 1.0,
    "shapes": lambda s, x, n: x[: n - 1] + x[:n],
    "assignment": lambda s, x, n: s.narrow.assign(x[n - 2 :] * 2.0),
    "update": lambda s, x, n: s.narrow.assign_add(x[n - 2 :] * 2.0),
    "read": lambda s, x, n: tf.raw_ops.ReadVariableOp(resource=s.unset, dtype=tf.float32),
    "update of nothing": lambda s, x, n: tf.raw_ops.AssignAddVariableOp(
        resource=s.unset, value=x * 2.0
    ),
    "loop": lambda s, x, n: tf.while_loop(
        lambda i, y: i < n, lambda i, y: (i + 1, y // (i - 1)), (n - 3, n)
    )[1],
}  # fmt: skip

EFFECTS = {
    "update": lambda s, x, n: s.wide.assign_add(x * 2.0),
    "update by a constant": lambda s, x, n: s.narrow.assign_add([1.0, 1.0]),
    "assignment of a constant": lambda s, x, n: s.narrow.assign([5.0, 6.0]),
    "assignment": lambda s, x, n: s.any.assign(x[1:] * 3.0),
    "part": lambda s, x, n: s.narrow.scatter_add(tf.IndexedSlices([1.0], [0])),
    "Python": lambda s, x, n: tf.py_function(lambda: s.seen.append(1), [], []),
    "table": lambda s, x, n: s.table.insert(n, n),
    "loop": lambda s, x, n: tf.while_loop(
        lambda i: i < 2, lambda i: (s.wide.assign_add(x), (i + 1,))[1], (0,)
    ),
}


def ending(steps, shape, jit):
    """The kind of error that ends a program of these steps, and what it leaves."""
    state = State()

    def program(x, n):
        result = [step(state, x, n) for step in steps]
        return [y for y in result if tf.is_tensor(y)]

    specs = [tf.TensorSpec(shape), tf.TensorSpec([], tf.int64)]
    run = tf.function(program, input_signature=specs, jit_compile=jit, autograph=False)
    run.get_concrete_function()
    with pytest.raises(tf.errors.OpError) as error:
        run(tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant(3, tf.int64))
    return type(error.value), state.shown()


@pytest.mark.parametrize("name", FAILURES)
def test_what_came_before_has_happened_and_nothing_else(name):
    effects = list(EFFECTS.values())
    for i, first in enumerate(effects):
        shape = [[4], [None]][i % 2]
        steps = [first, FAILURES[name], effects[i - 3]]
        assert ending(steps, shape, True) == ending(steps, shape, False), (i, steps)
        steps = [effects[i - 2], first, FAILURES[name]]
        assert ending(steps, shape, True) == ending(steps, shape, False), (i, steps)
