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


def outcome(operator: object, x: tf.Tensor, number: object) -> object:
    """The dtype and the value, or the class and the words of the error."""
    assert callable(operator)
    try:
        result = operator(x, number)
    except (TypeError, ValueError, tf.errors.OpError) as error:
        return type(error), str(error)
    return NotImplemented if result is NotImplemented else (result.dtype, repr(result.numpy()))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "lt", "le", "gt", "ge"])
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
