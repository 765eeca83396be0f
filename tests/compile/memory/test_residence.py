"""Values of one element: whoever makes them, whoever reads them finds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.tiers import flat

import graphwright as tf
from graphwright.compile.memory.residence import PlanError, Residence
from graphwright.compile.run.checking import compare

Tensor = Any


def by_if(x: Tensor, n: Tensor) -> Tensor:
    y = x
    if n > 1:
        y = x * 2.0
    return y


def by_cond(x: Tensor, n: Tensor) -> Tensor:
    return tf.cond(n > 1, lambda: x * 2.0, lambda: x)


def by_switch(x: Tensor, n: Tensor) -> Tensor:
    return tf.switch_case(n, [lambda: x, lambda: x + 1.0, lambda: tf.ones_like(x)])


def by_while(x: Tensor, n: Tensor) -> Tensor:
    while tf.reduce_sum(x) < 10.0:
        x = x * 2.0
    return x


def by_for(x: Tensor, n: Tensor) -> Tensor:
    for _ in tf.range(n):
        x = x * 0.5
    return x


def by_while_loop(x: Tensor, n: Tensor) -> Tensor:
    return tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, y * 0.5), (0, x))[1]


def by_swap(x: Tensor, n: Tensor) -> Tensor:
    a, b = x, x * 3.0
    for _ in tf.range(n):
        a, b = b, a
    return a


def by_total(x: Tensor, n: Tensor) -> Tensor:
    return tf.reshape(tf.reduce_sum(tf.stack([x, x])), x.shape)


def by_item(x: Tensor, n: Tensor) -> Tensor:
    array = tf.TensorArray(tf.float32, 3, element_shape=x.shape)
    for i in tf.range(3):
        array = array.write(i, x * tf.cast(i, tf.float32))
    return array.read(n)


def by_product(x: Tensor, n: Tensor) -> Tensor:
    return tf.reshape(tf.matmul(tf.reshape(x, [1, 1]), [[2.0]]), x.shape)


MAKERS = (
    by_if, by_cond, by_switch, by_while, by_for, by_while_loop, by_swap, by_total, by_item,
    by_product,
)  # fmt: skip


def vector(y: Tensor) -> Tensor:
    return tf.reshape(y, [1])


def matrix(y: Tensor) -> Tensor:
    return tf.reshape(y, [1, 1])


def scalar(y: Tensor) -> Tensor:
    return tf.reshape(y, [])


READERS: dict[str, Callable[[Tensor], Tensor]] = {
    "stack": lambda y: tf.stack([y]),
    "packed": lambda y: tf.convert_to_tensor([scalar(y), 1.0]),
    "concat": lambda y: tf.concat([vector(y), vector(y)], 0),
    "pad": lambda y: tf.pad(vector(y), [[1, 1]]),
    "tile": lambda y: tf.tile(vector(y), [3]),
    "matmul": lambda y: tf.matmul(matrix(y), matrix(y)),
    "einsum": lambda y: tf.einsum("ij,jk->ik", matrix(y), matrix(y)),
    "scatter": lambda y: tf.tensor_scatter_nd_update(tf.zeros([3]), [[1]], vector(y)),
    "scattered to": lambda y: tf.tensor_scatter_nd_add(vector(y), [[0]], [1.0]),
    "cumsum": lambda y: tf.cumsum(vector(y)),
    "scan": lambda y: tf.scan(lambda c, e: c * 0.5 + e, vector(y), initializer=scalar(y)),
    "map_fn": lambda y: tf.map_fn(lambda e: e * 2.0, vector(y)),
    "foldl": lambda y: tf.foldl(lambda c, e: c * e, vector(y)),
    "bool": lambda y: tf.stack([scalar(y) > 1.0, True]),
    "returned": lambda y: y,
}


def loop_reading(maker: Callable[..., Tensor], readers: Any, x: Tensor, n: Tensor) -> Any:
    """What readers make of a value while a loop changes it, and of what the loop leaves."""
    y = maker(x, n)
    z = y
    for _ in tf.range(n):
        for _ in tf.range(n):
            z = z * 0.5 + tf.reshape(tf.matmul(matrix(y), [[0.25]]), y.shape)
        y = tf.reshape(readers["concat"](y)[:1], y.shape) + 0.125
    return z, [read(y) for read in readers.values()]


def both(function: Callable[..., Any], *arguments: Any) -> list[str]:
    """How the machine code of a function differs from its kernels."""
    slow, fast = [tf.function(function, jit_compile=jit)(*arguments) for jit in (False, True)]
    return [w for w in map(compare, flat(fast), flat(slow)) if w]


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("maker", MAKERS)
def test_readers_read_what_makers_made(
    maker: Callable[..., Tensor], shape: tuple[int, ...]
) -> None:
    def function(x: Tensor, n: Tensor) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = maker(x, n)
            results = [read(y) for read in READERS.values()]
            floats = [r for r in results if r.dtype == tf.float32]
        return results, tape.gradient(floats, x)

    x = tf.constant(3.0, shape=shape)
    for n in (0, 2):
        assert both(function, x, tf.constant(n)) == []
        assert both(lambda x, n: loop_reading(maker, READERS, x, n), x, tf.constant(n)) == []


@pytest.mark.parametrize("name", READERS)
def test_a_reader_alone(name: str) -> None:
    assert both(lambda x, n: READERS[name](by_if(x, n)), tf.constant(3.0), tf.constant(2)) == []


def test_scan_over_what_a_loop_carries() -> None:
    def function(x: Tensor, a: Tensor, n: Tensor) -> Tensor:
        for _ in tf.range(n):
            x = tf.scan(lambda c, e: c * 0.5 + e, x, initializer=a)
        return x

    given = tf.constant([0.3]), tf.constant(1.25), tf.constant(1)
    result = tf.function(function, jit_compile=True)(*given)
    np.testing.assert_allclose(result, [0.925], rtol=1e-6)


def test_a_recurrent_cell_of_one_unit() -> None:
    def function(h: Tensor, w: Tensor, n: Tensor) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            for _ in tf.range(n):
                h = tf.tanh(tf.matmul(h, w))
        return h, tape.gradient(h, w)

    given = tf.constant([[0.479]]), tf.constant([[0.7]]), tf.constant(3)
    h, slope = tf.function(function, jit_compile=True)(*given)
    np.testing.assert_allclose(h, [[0.1545077]], rtol=1e-5)
    np.testing.assert_allclose(slope, [[0.6221557]], rtol=1e-5)


def test_a_product_added_in_an_inner_loop() -> None:
    def function(w: Tensor, z: Tensor, n: Tensor) -> Tensor:
        for _ in tf.range(n):
            w = w * 0.5 + 0.1
            for _ in tf.range(3):
                z = z + tf.matmul(w, tf.ones([1, 1]))
        return z

    w = tf.constant([[0.479]])
    result = tf.function(function, jit_compile=True)(w, w, tf.constant(1))
    np.testing.assert_allclose(result, [[1.4975]], rtol=1e-5)


def test_a_result_lies_where_it_is_returned() -> None:
    graph = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([2])).graph
    value = graph.results[0]
    values = Residence()
    values.reserve(value, values.buffer("result", (), "f32"))
    with pytest.raises(PlanError, match="not where it is returned"):
        values.lie(value, 7)
