"""Adding an op is writing one class: everything else follows from it."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.base.errors import NotDifferentiableError
from graphwright.compile.run.inspection import outside
from graphwright.ir.text import parse_graph, print_graph
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import REGISTRY, Op
from graphwright.op.op_families import Unary
from graphwright.types import dtypes as dt


class Halve(Unary):
    """x / 2, with no gradient stated."""

    type_name = "TestHalve"
    dtypes = {"T": dt.FLOATING}
    ufunc = staticmethod(lambda x: np.multiply(x, np.asarray(x).dtype.type(0.5)))


class Interleave(Op):
    """a0 b0 a1 b1 ... of two vectors, repeated `times`."""

    type_name = "TestInterleave"
    inputs = ("a: T", "b: T", "length: Tidx host")
    outputs = ("out: T",)
    dtypes = {"T": dt.NUMERIC, "Tidx": dt.INDEX}

    times: int = 1

    def shapes(self, a, b, length):
        if a.dims is not None and b.dims is not None and a.dims != b.dims:
            raise ValueError(f"a and b must have one shape, got {a.dims} and {b.dims}")
        return ((None if length is None else 2 * length * self.times,),)

    def kernel(self, a, b, length):
        if len(a) != length or len(b) != length:
            raise ValueError(f"length {length} is not that of a ({len(a)}) and b ({len(b)})")
        return np.tile(np.stack([a, b], axis=1).ravel(), self.times)

    def gradient(self, call, g):
        n = self.times
        pairs = tf.reduce_sum(tf.reshape(g, [n, -1, 2]), axis=0)
        return pairs[:, 0], pairs[:, 1], None


class Lowered(Op):
    """x less the greatest of each row."""

    type_name = "TestLowered"
    inputs = ("x: T",)
    outputs = ("y: T",)
    dtypes = {"T": dt.FLOATING}

    def shapes(self, x):
        return (x.dims,)

    def kernel(self, x):
        return x - x.max(-1, keepdims=True)

    def expand(self, x):
        return x - tf.reduce_max(x, -1, keepdims=True) if x.shape[-1] != 1 else None


#: Registered while these tests run: others look at all ops that there are, as they are collected.
OWN = {op.type_name: REGISTRY.pop(op.type_name) for op in (Lowered, Halve, Interleave)}


@pytest.fixture(autouse=True, scope="module")
def _own_ops():
    REGISTRY.update(OWN)
    yield
    for name in OWN:
        del REGISTRY[name]


def halve(x):
    return apply(Halve.of(), convert(x))


def interleave(a, b, length, times=1):
    return apply(Interleave.of(times), convert(a), convert(b), length)


def test_it_runs_eagerly_and_refuses_other_dtypes():
    assert float(halve(3.0)) == 1.5
    with pytest.raises(tf.errors.InvalidArgumentError, match="TestHalve"):
        halve(3)


def test_it_is_traced_with_what_is_known_of_the_shape():
    traced = tf.function(lambda x: halve(x) + halve(x))
    concrete = traced.get_concrete_function(tf.TensorSpec([None, 3], tf.float32))
    assert concrete.outputs[0].shape.as_list() == [None, 3]
    np.testing.assert_array_equal(traced(tf.ones([2, 3])), np.ones([2, 3]))
    with pytest.raises(TypeError, match="TestHalve"):
        traced(tf.constant(1))
    text = print_graph(concrete.graph)
    assert print_graph(parse_graph(text)) == text


def test_an_unstated_gradient_is_refused_in_words():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = halve(x)
    with pytest.raises(NotDifferentiableError, match="TestHalve"):
        tape.gradient(y, x)


def test_host_operands_come_as_python_values_known_or_not():
    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    np.testing.assert_array_equal(interleave(a, b, 2), [1, 3, 2, 4])

    @tf.function
    def f(a, b):
        fixed = interleave(a, b, 2, times=2)
        counted = interleave(a, b, tf.shape(a)[0])
        assert fixed.shape.as_list() == [8]
        return fixed, counted

    fixed, counted = f(a, b)
    np.testing.assert_array_equal(fixed, [1, 3, 2, 4] * 2)
    np.testing.assert_array_equal(counted, [1, 3, 2, 4])
    concrete = f.get_concrete_function(*[tf.TensorSpec([None], tf.float32)] * 2)
    assert concrete.outputs[1].shape.as_list() == [None]


def test_errors_of_the_kernel_and_of_the_shape_rule():
    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"one shape.*TestInterleave"):
        interleave(a, b, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="length 3 is not that of a"):
        interleave(a, a, 3)
    with pytest.raises(ValueError, match="one shape"):
        tf.function(lambda: interleave(a, b, 2))()


def test_its_gradient_is_used():
    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = interleave(a, b, 2, times=3) * tf.range(12.0)
    da, db = tape.gradient(y, [a, b])
    np.testing.assert_array_equal(da, [0 + 4 + 8, 2 + 6 + 10])
    np.testing.assert_array_equal(db, [1 + 5 + 9, 3 + 7 + 11])


@pytest.mark.parametrize(("columns", "left"), [(4, []), (None, []), (1, ["TestLowered"])])
def test_its_expansion_runs_as_machine_code(columns, left):
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, columns])])
    def lowered(x):
        return apply(Lowered.of(), x * 2.0)

    x = np.array([[1.0, 2.0, 4.0, 5.0], [0.0, 0.0, 0.0, 8.0]], np.float32)[:, :columns]
    np.testing.assert_array_equal(lowered(x), 2.0 * (x - x.max(-1, keepdims=True)))
    assert [node.op.type_name for node, _ in outside(lowered.get_concrete_function().graph)] == left
