"""Programs whose machine code was wrong once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from plans.programs import Case, traced

import graphwright as tf

ISSUES: dict[str, Case] = {}


def on(*calls: tuple[Any, ...]) -> Callable[[Any], Any]:
    """A program, and what to call it with."""

    def add(function: Any) -> Any:
        name = function.__name__.replace("_", " ")
        ISSUES[name] = Case(name, lambda: traced(function, calls))
        return function

    return add


ONE = np.float32(0.3), np.float32(1.25)
MATRIX = np.array([[0.479]], np.float32), np.array([[0.7]], np.float32)


@on((np.float32(3.0),), (np.float32(0.5),))
def stacked_after_a_branch(x):
    y = x
    if x > 1.0:
        y = x * 2.0
    return tf.stack([y])


@on((np.array([1.5], np.float32),), (np.array([0.5], np.float32),))
def padded_after_a_branch(x):
    y = x
    if x[0] > 1.0:
        y = x * 2.0
    return tf.pad(y, [[1, 1]]), tf.tile(y, [2]), tf.concat([y, x], 0)


@on((np.float32(3.0), 2), (np.float32(3.0), 0))
def converted_after_a_loop(x, n):
    for _ in tf.range(n):
        x = x * 0.5
    return tf.convert_to_tensor([x, 1.0])


@on(
    (np.array([0.3], np.float32), np.float32(1.25), 1),
    (np.array([0.3], np.float32), np.float32(1.25), 3),
)
def scanned_in_a_loop(x, a, n):
    for _ in tf.range(n):
        x = tf.scan(lambda c, e: c * 0.5 + e, x, initializer=a)
    return x


@on((*MATRIX, 3), (*MATRIX, 0))
def recurrent_network_of_one_unit(h, w, n):
    for _ in tf.range(n):
        h = tf.tanh(tf.matmul(h, w))
    return h


@on((*MATRIX, 3))
def gradient_of_a_recurrent_network(h, w, n):
    with tf.GradientTape() as tape:
        tape.watch([h, w])
        y = h
        for _ in tf.range(n):
            y = tf.tanh(tf.matmul(y, w))
    return tape.gradient(y, [h, w])


@on((*MATRIX[:1], *MATRIX[:1], 1), (*MATRIX[:1], *MATRIX[:1], 2))
def product_in_a_loop_in_a_loop(w, z, n):
    for _ in tf.range(n):
        w = w * 0.5 + 0.1
        for _ in tf.range(3):
            z = z + tf.matmul(w, tf.ones([1, 1]))
    return z


@on(
    (np.float32(0.7), np.array([0.1, 0.2], np.float32)),
    (np.float32(0.1), np.array([0.1, 0.2], np.float32)),
)
def scattered_after_a_branch(x, v):
    y = tf.cond(x > 0.5, lambda: x * 2.0, lambda: x)
    return tf.tensor_scatter_nd_update(v, [[1]], [y])


@on((np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), True), (np.ones((2, 2), np.float32), False))
def gradient_of_a_fold_over_a_reshaped_tensor(x, p):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(1.0)
        if p:
            y = tf.foldl(lambda c, e: c * e, tf.reshape(x, [-1]), initializer=0.25)
    return tape.gradient(y, x, unconnected_gradients="zero")
