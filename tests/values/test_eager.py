"""Short ways of operators and of ops give what long ones give."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import graphwright as tf
from graphwright.ir.graph import Graph
from graphwright.trace.tracer import tracing
from graphwright.values import eager
from graphwright.values.tensor_operators import Operators

NUMBERS = [0, 1, -1, 300, 1 << 40, 1 << 70, 0.0, -0.0, 2.0, 2.5, 1e300, math.inf, math.nan, True]
DTYPES = ["int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
DTYPES += ["complex64", "bool", "string"]


def outcome(operator: object, *operands: object) -> object:
    """The dtype and the value, or the class and the words of the error."""
    assert callable(operator)
    try:
        result = operator(*operands)
    except (TypeError, ValueError, tf.errors.OpError) as error:
        return type(error), str(error)
    return NotImplemented if result is NotImplemented else (result.dtype, repr(result.numpy()))


OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
REFLECTED = [f"r{name}" for name in OPERATORS]


@pytest.mark.parametrize("name", [*OPERATORS, *REFLECTED, "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_number_beside_a_tensor(name: str, dtype: str) -> None:
    values = ["3", "-7"] if dtype == "string" else np.array([3, 7])
    x = tf.constant(values) if dtype == "string" else tf.cast(values, dtype)
    long, short = (getattr(kind, f"__{name}__") for kind in (Operators, type(x)))
    assert short is not long
    for number in NUMBERS:
        assert len({str(outcome(way, x, number)) for way in (long, short, short)}) == 1, number


def test_a_loop_over_operands_does_what_written_code_does() -> None:
    """Written code has the operands of an op one by one; where they are many, a loop has them."""
    parts = [tf.constant([n, n + 0.5]) for n in range(5)]
    op = next(node.op for node in recorded(lambda: tf.concat(parts, 0)).nodes if node.op.has_lists)
    operands = (*parts, 0)
    written = eager.executor(type(op))(op, operands)
    assert written.numpy().tolist() == eager.execute_one_of_many(op, operands).numpy().tolist()
    errors = []
    for execute in (eager.executor(type(op)), eager.execute_one_of_many):
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            execute(op, (tf.ones([2]), tf.ones([2, 2]), tf.ones([2]), tf.ones([2]), parts[0], 0))
        errors.append(str(raised.value))
    assert errors[0] == errors[1]


def recorded(call: Callable[[], object]) -> Graph:
    """The graph of a call."""
    graph = Graph("recorded")
    with tracing(graph):
        call()
    return graph


def test_stages_of_datasets_have_no_code_of_their_own() -> None:
    numbers = tf.data.Dataset.range(3)
    before = eager._executor.cache_info().misses
    zipped = tf.data.Dataset.zip(tuple([numbers.skip(n) for n in range(7)]))
    assert len(zipped.batch(2).shuffle(4).element_spec) == 7
    assert eager._executor.cache_info().misses == before


@pytest.mark.parametrize("name", ["matmul", "neg", "abs"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_an_operator_by_a_public_function(name: str, dtype: str) -> None:
    values = [["3", "-7"]] * 2 if dtype == "string" else np.array([[3, 7], [1, 2]])
    x = tf.constant(values) if dtype == "string" else tf.cast(values, dtype)
    others = [(x,), (x[:1],), (tf.cast([[1.0]], "float64"),), (2.0,), (None,)]
    long, short = (getattr(kind, f"__{name}__") for kind in (Operators, type(x)))
    assert short is not long
    for other in others if name == "matmul" else [()]:
        for y in (x, x[0]):
            outcomes = [outcome(way, y, *other) for way in (long, short, short, short)]
            assert len({str(each) for each in outcomes}) == 1


X = tf.reshape(tf.range(24), [2, 3, 4])
KEYS: list[object] = [0, -1, 1, 2, -3, 1 << 70, True, None, ..., (), (0, 1, 2), (0, 0, 0, 0)]
KEYS += [slice(None), slice(1, None), slice(None, None, -1), slice(5, 2), slice(0, 1 << 70, 2)]
KEYS += [slice(None, None, 0), slice(1.0), slice(True), slice(np.int64(1)), slice(tf.constant(1))]
KEYS += [(..., 0), (0, ..., 0), (..., 0, ...), (None, 1, None), (slice(1), ..., None, -1)]
KEYS += [np.int64(1), tf.constant(1), [0], [0, 1], (0, [1]), "text", 1.0, (0, 1.0), np.array(1)]
KEYS += [X[:, 0, 0] > 0, (slice(1), tf.constant(2)), (0, True)]
KEYS += [(slice(None), None, slice(2, 0, -1))]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_an_item_is_what_the_strided_slice_gives(key: object) -> None:
    tensors = [X, X[0, 0], tf.constant(7.0), tf.zeros([0, 2]), tf.constant([["a", "b"]] * 2)]
    for x in tensors:
        short, long = (outcome(kind.__getitem__, x, key) for kind in (type(x), Operators))
        assert short == long


def test_an_item_of_text_is_a_tensor() -> None:
    x = tf.constant(["a", "b"])
    assert type(x[0]._array) is np.ndarray
    assert x[1].numpy() == b"b"


def test_a_tape_sees_items() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 3.0 * x[1] + 1.0 - x[:1][0] + 2.0**x[0]
    gradient = tape.gradient(y, x).numpy()
    assert gradient == pytest.approx([2 * math.log(2.0) - 1.0, 3.0])


def test_operators_name_the_nodes_of_a_trace() -> None:
    x = tf.ones([2, 2])
    graph = tf.function(lambda: x @ x).get_concrete_function().graph
    assert "matmul" in [op.name for op in graph.get_operations()]
