"""Programs that pass a value from each op to each op on each way: by a loop, a branch, or neither.

A maker keeps the shape of what it is given, so one can read what another has made, in a loop too.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from plans.programs import Case, traced

import graphwright as tf

SHAPES: tuple[tuple[int, ...], ...] = ((), (1,), (1, 1), (3,), (2, 2), (0,))


def flat(x: Any) -> Any:
    """The elements as a vector."""
    return tf.reshape(x, [-1])


def like(x: Any, y: Any) -> Any:
    """Elements in the shape of a tensor."""
    return tf.reshape(y, x.shape)


def weights(x: Any) -> Any:
    """A square matrix for the elements of a tensor."""
    count = x.shape.num_elements()
    return tf.constant(np.eye(count, dtype=np.float32)[::-1] * 0.5)


def written(x: Any) -> Any:
    """A list with a tensor behind something else."""
    array = tf.TensorArray(tf.float32, 2, element_shape=x.shape, clear_after_read=False)
    return array.write(0, x * 0.5).write(1, x)


def grown(x: Any) -> Any:
    """A list that grows in a loop."""
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=x.shape)
    step = lambda i, a: (i + 1, a.write(i, x))  # noqa: E731
    return tf.while_loop(lambda i, _: i < 2, step, (0, array))[1]


def turns(count: Any, step: Callable[[Any], Any], x: Any) -> Any:
    """A loop over one tensor."""
    return tf.while_loop(lambda i, _: i < count, lambda i, x: (i + 1, step(x)), (0, x))[1]


def positive(x: Any) -> Any:
    """A condition that follows from elements."""
    return tf.reduce_sum(x) > 0.3


def place(x: Any) -> Any:
    """An index that follows from elements."""
    return tf.cast(positive(x), tf.int32) * 0


#: name -> what it makes of a tensor: one of the same shape.
MAKERS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: x,
    "constant": lambda x: tf.constant(np.full(x.shape, 0.7, np.float32)),
    "elementwise": lambda x: x * 0.5 + 0.1,
    "where": lambda x: tf.where(x > 0.4, x - 0.2, 0.3),
    "bool": lambda x: tf.cast(x > 0.2, tf.float32),
    "integer": lambda x: tf.cast(tf.cast(x * 8.0, tf.int32) // 2, tf.float32) * 0.25,
    "half": lambda x: tf.cast(tf.cast(x, tf.float16) * 0.5, tf.float32),
    "rows": lambda x: tf.reduce_sum(tf.stack([x, x * 0.5]), 0),
    "columns": lambda x: tf.reduce_max(tf.stack([x, 0.5 - x], -1), -1),
    "total": lambda x: x * 0.5 + tf.reduce_mean(tf.concat([flat(x), [0.1]], 0)),
    "only a total": lambda x: tf.reduce_sum(x) + tf.zeros(x.shape),
    "softmax": lambda x: like(x, tf.nn.softmax(tf.stack([flat(x), flat(x) * 0.5], -1))[:, 0]),
    "cumsum": lambda x: like(x, tf.cumsum(flat(x)) * 0.5),
    "only cumsum": lambda x: like(x, tf.cumsum(flat(x), reverse=True)),
    "product": lambda x: like(x, tf.matmul(tf.reshape(x, [1, -1]), weights(x))),
    "product on the right": lambda x: like(x, tf.matmul(weights(x), tf.reshape(x, [-1, 1]))),
    "einsum": lambda x: like(x, tf.einsum("i,ij->j", flat(x), weights(x))),
    "concat": lambda x: like(x, tf.concat([flat(x), flat(x) + 0.5], 0)[: x.shape.num_elements()]),
    "stack": lambda x: tf.stack([x, x * 0.5])[0],
    "only stack": lambda x: like(x, tf.stack([x])),
    "pad": lambda x: like(x, tf.pad(flat(x), [[1, 1]])[1:-1]),
    "roll": lambda x: like(x, tf.roll(flat(x), tf.size(flat(x)) - 1, 0)),
    "reverse": lambda x: like(x, tf.reverse(flat(x), [0])),
    "tile": lambda x: like(x, tf.tile(flat(x), [2])[: x.shape.num_elements()]),
    "gather": lambda x: like(x, tf.gather(tf.concat([flat(x), flat(x)], 0), order(x))),
    "scatter": lambda x: like(
        x, tf.tensor_scatter_nd_update(tf.concat([[0.1], flat(x)], 0), [[0]], [0.2])[1:]
    ),
    "scattered": lambda x: like(
        x, tf.scatter_nd(order(x)[:, None], flat(x), [x.shape.num_elements()])
    ),
    "segments": lambda x: like(
        x, tf.math.unsorted_segment_sum(flat(x), order(x), x.shape.num_elements())
    ),
    "one hot": lambda x: x * tf.reduce_sum(tf.one_hot(place(x), 3)),
    "branch": lambda x: tf.cond(positive(x), lambda: x * 0.5, lambda: x + 0.4),
    "branch of itself": lambda x: tf.cond(positive(x), lambda: x, lambda: x + 0.4),
    "branch of a constant": lambda x: tf.cond(
        positive(x), lambda: tf.constant(0.25, shape=x.shape), lambda: x
    ),
    "switch": lambda x: tf.switch_case(place(x), [lambda: x, lambda: x * 2.0, lambda: 1.0 - x]),
    "loop": lambda x: turns(2, lambda y: y * 0.5 + 0.1, x),
    "loop of none": lambda x: turns(0, lambda y: y * 0.5 + 0.1, x),
    "loop of a constant": lambda x: turns(2, lambda y: tf.constant(0.4, shape=x.shape), x),
    "loop of another": lambda x: turns(2, lambda y: x * 1.0, x * 0.5),
    "item": lambda x: written(x).read(place(x)),
    "items": lambda x: tf.reduce_sum(written(x).stack(), 0),
    "grown": lambda x: grown(x).stack()[1],
    "scan": lambda x: like(x, tf.scan(lambda c, e: c * 0.5 + e, flat(x), initializer=0.25)),
    "fold": lambda x: x + tf.foldl(lambda c, e: c * 0.5 + e, flat(x), initializer=0.25),
    "map": lambda x: like(x, tf.map_fn(lambda e: e * 0.5 + 0.1, flat(x))),
}  # fmt: skip


def order(x: Any) -> Any:
    """Places of elements, in the order from the last one on."""
    return tf.range(x.shape.num_elements())[::-1]


#: Further readers, whose results have other shapes.
READERS: dict[str, Callable[[Any], Any]] = {
    **MAKERS,
    "a sum": lambda x: tf.reduce_sum(x),
    "a pair": lambda x: tf.stack([x, x]),
    "converted": lambda x: tf.convert_to_tensor([tf.reduce_sum(x), 1.0]),
    "behind": lambda x: tf.concat([[1.0], flat(x)], 0),
    "padded": lambda x: tf.pad(flat(x), [[1, 2]]),
    "tiled": lambda x: tf.tile(flat(x), [3]),
    "outer product": lambda x: tf.matmul(tf.reshape(x, [-1, 1]), tf.reshape(x, [1, -1])),
    "updates": lambda x: tf.tensor_scatter_nd_update(tf.zeros([7]), order(x)[:, None] + 1, flat(x)),
    "diagonal": lambda x: tf.linalg.diag(flat(x)),
    "an index": lambda x: tf.gather([0.5, 1.5, 2.5, 3.5], tf.cast(positive(x), tf.int32)),
    "a slice": lambda x: tf.constant([0.5, 1.5, 2.5])[tf.cast(positive(x), tf.int32) :],
    "a condition": lambda x: tf.cond(positive(x), lambda: 1.5, lambda: 2.5),
    "a bound": lambda x: turns(tf.cast(positive(x), tf.int32) + 1, lambda y: y * 0.5 + 1.0, 0.0),
    "an array": lambda x: grown(x).stack(),
    "a sorted vector": lambda x: tf.sort(flat(x)),
}  # fmt: skip


def added(x: Any, y: Any) -> Any:
    """What a loop keeps of what it reads."""
    return x * 0.5 + y


def beside(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    return read(make(x))


def with_itself(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    y = make(x)
    return read(y), y


def out_of_a_branch(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    return read(tf.cond(p, lambda: make(x), lambda: x))


def out_of_the_other_branch(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    return read(tf.cond(p, lambda: x * 0.25, lambda: make(x)))


def into_a_branch(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    y = make(x)
    return tf.cond(p, lambda: read(y), lambda: read(x))


def out_of_a_loop(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    return read(turns(n, make, x))


def into_a_loop(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    y = make(x)
    return turns(n, lambda kept: added(kept, read(y)), read(x))


def carried(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    step = lambda i, y, kept: (i + 1, make(y), added(kept, read(y)))  # noqa: E731
    return tf.while_loop(lambda i, *_: i < n, step, (0, x, read(x)))[1:]


def carried_and_made(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    def step(i: Any, y: Any, kept: Any) -> Any:
        y = make(y)
        return i + 1, y, added(kept, read(y))

    return tf.while_loop(lambda i, *_: i < n, step, (0, x, read(x)))[1:]


def to_the_condition(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    def test(i: Any, y: Any) -> Any:
        return (i < n) & (tf.reduce_sum(read(y)) < 1e6)

    return tf.while_loop(test, lambda i, y: (i + 1, make(y)), (0, x))


def swapped(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    step = lambda i, a, b: (i + 1, b, make(a))  # noqa: E731
    _, a, b = tf.while_loop(lambda i, *_: i < n, step, (0, x, x * 0.5))
    return read(a), b


def into_a_loop_in_a_loop(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    def step(i: Any, y: Any, kept: Any) -> Any:
        kept = turns(2, lambda k: added(k, read(y)), kept)
        return i + 1, make(y), kept

    return tf.while_loop(lambda i, *_: i < n, step, (0, x, read(x)))[1:]


def by_a_branch_in_a_loop(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    def step(i: Any, y: Any, kept: Any) -> Any:
        y = tf.cond(i > 0, lambda: make(y), lambda: y)
        return i + 1, y, added(kept, read(y))

    return tf.while_loop(lambda i, *_: i < n, step, (0, x, read(x)))[1:]


def by_a_loop_in_a_branch(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    return read(tf.cond(p, lambda: turns(n, make, x), lambda: x))


def of_the_last_turn(make: Any, read: Any, x: Any, n: Any, p: Any) -> Any:
    step = lambda i, y, z: (i + 1, z * 0.5, make(z))  # noqa: E731
    _, y, z = tf.while_loop(lambda i, *_: i < n, step, (0, x, x))
    return read(y), read(z)


WAYS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        beside, with_itself, out_of_a_branch, out_of_the_other_branch, into_a_branch,
        out_of_a_loop, into_a_loop, carried, carried_and_made, to_the_condition, swapped,
        into_a_loop_in_a_loop, by_a_branch_in_a_loop, by_a_loop_in_a_branch, of_the_last_turn,
    )
}  # fmt: skip


def case(maker: str, way: str, reader: str, shape: tuple[int, ...], slope: bool = False) -> Case:
    """A program for a maker, a way and a reader, called with no, one and several turns."""
    make, read, go = MAKERS[maker], READERS[reader], WAYS[way]

    def program(x: Any, n: Any, p: Any) -> Any:
        return go(make, read, x, n, p)

    def derived(x: Any, n: Any, p: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = tf.nest.flatten(program(x, n, p))
            y = sum([tf.reduce_sum(z) for z in result if z.dtype.is_floating])
        return y, tape.gradient(y, x, unconnected_gradients="zero")

    x = np.random.default_rng(0).uniform(0.05, 1.0, shape).astype(np.float32)
    calls = [(x, np.int32(n), p) for n, p in ((2, True), (0, False), (1, True))]
    name = f"{maker} / {way} / {reader} / {list(shape)}{' / gradient' if slope else ''}"
    function = derived if slope else program
    return Case(name, lambda: traced(function, calls, autograph=False))


def combinations(seed: int = 0) -> Iterator[Case]:
    """All of them, in a random order."""
    every = list(itertools.product(MAKERS, WAYS, READERS, SHAPES, (False, True)))
    random.Random(seed).shuffle(every)
    yield from itertools.starmap(case, every)


def pairs() -> Iterator[Case]:
    """Each maker with each reader once, on some way and in some shape."""
    r = random.Random(0)
    for maker, reader in itertools.product(MAKERS, READERS):
        yield case(maker, r.choice([*WAYS]), reader, r.choice(SHAPES), r.random() < 0.1)
