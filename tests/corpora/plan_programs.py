"""Programs whose plans the verifier takes, and refuses with a fault in them."""

from __future__ import annotations

import numpy as np
from plans import faults

import graphwright as tf

VECTOR, MATRIX = faults.VECTOR, faults.MATRIX


def recurrent(w, h, xs):
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = h
        for t in tf.range(tf.shape(xs)[0]):
            y = tf.tanh(tf.matmul(y, w) + xs[t])
        loss = tf.reduce_sum(y * y)
    return tape.gradient(loss, w)


def nested(a, n):
    b = a
    for i in tf.range(n):
        for _ in tf.range(i):
            a, b = b * 0.5, a + tf.reverse(b, [0])
        a = a - tf.reduce_sum(b)
    return a, b


def branched(x, y):
    z = x * 2.0
    if x[0] > 1.0:
        z = tf.cumsum(z + y)
        y = y - z
    else:
        y = tf.concat([x[:2], y[2:]], 0) + tf.reverse(y, [0])
    return tf.cumsum(y * 0.5) + z


def scanned(x, a):
    return tf.scan(lambda c, e: c * 0.5 + e, x, initializer=a)


def added(x, i):
    return tf.math.unsorted_segment_sum(tf.gather(x, i) * 2.0, i, 6) + x


def two_chains(a, b, m, n):
    for _ in tf.range(n):
        a, b, m = b, tf.reverse(a, [0]) + b, tf.transpose(m) * 2.0
    return a, b, m


ONE = np.float32(1.5)

PROGRAMS = {
    "a chain": (faults.chain, VECTOR),
    "stacked": (faults.stacked, ONE),
    "joined": (faults.joined, VECTOR, VECTOR),
    "softmax": (faults.softmax, MATRIX),
    "columns": (faults.columns, MATRIX),
    "total": (faults.total, VECTOR),
    "scattered": (faults.scattered, VECTOR, np.array([1, 4, 1, 1])),
    "picked": (faults.picked, VECTOR, np.array([1, 5])),
    "added": (added, VECTOR, np.array([1, 5, 1])),
    "chosen": (faults.chosen, VECTOR[1:4], MATRIX),
    "branched": (branched, VECTOR, VECTOR[::-1].copy()),
    "swapped": (faults.swapped, VECTOR, VECTOR + 1, np.int32(3)),
    "crossed": (faults.crossed, VECTOR, VECTOR + 1, np.int32(3)),
    "turned": (faults.turned, VECTOR, np.int32(3)),
    "following": (faults.following, VECTOR, np.int32(3)),
    "two chains": (two_chains, VECTOR, VECTOR + 1, MATRIX, np.int32(3)),
    "nested": (nested, VECTOR, np.int32(3)),
    "products": (faults.products, MATRIX, MATRIX * 0.1),
    "listed": (faults.listed, VECTOR, np.int32(3)),
    "scanned": (scanned, VECTOR, ONE),
    "counted": (faults.counted, np.int32(4)),
    "recurrent": (recurrent, MATRIX * 0.1, MATRIX, MATRIX),
}
