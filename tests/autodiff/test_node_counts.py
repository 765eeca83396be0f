"""A traced function under a tape computes nothing twice and remembers nothing in vain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.control.derivative import derivative_of, trace_backward
from graphwright.ir.graph import Graph, Value, source
from graphwright.op.op import Effect, Op
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.ops.core.identity import Identity
from graphwright.ops.core.shapes import Rank, Shape, Size

#: These cost nothing worth remembering.
FREE = (Const, Placeholder, Identity, Shape, Size, Rank)


class Expressions:
    """Numbers of what values stand for: one number for equal expressions, in several graphs."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.of: dict[Value, int] = {}

    def number(self, expression: Any) -> int:
        return self.numbers.setdefault(expression, len(self.numbers))

    def computed(self, graph: Graph, arguments: list[int]) -> Iterator[tuple[Op, int]]:
        """Each node that costs something, and its expression, given those of the arguments."""
        self.of.update(zip(graph.arguments, arguments))
        for node in graph.nodes:
            if isinstance(node.op, Placeholder):
                continue
            if isinstance(node.op, Const):
                array = node.op.value.array
                result = self.number((str(array.dtype), array.shape, array.tobytes()))
            elif isinstance(node.op, Identity):
                result = self.of[node.inputs[0]]
            else:
                result = self.number((node.op, *[self.of[v] for v in node.inputs]))
            for i, value in enumerate(node.outputs):
                self.of[value] = result if i == 0 else self.number((result, i))
            if not isinstance(node.op, FREE) and node.op.effect is Effect.NONE:
                yield node.op, result


def derivative(function: Callable[..., Any], *arguments: Any) -> Any:
    """How a function of these arguments is differentiated."""
    return derivative_of(tf.function(function).get_concrete_function(*arguments).graph)


def graphs(found: Any) -> tuple[list[Any], list[Any], Graph]:
    """What forward and backward compute: ops and expressions; and the simplified gradient."""
    known = Expressions()
    forward = found.forward.graph
    arguments = [known.number(("argument", i)) for i in range(len(forward.arguments))]
    ahead = list(known.computed(simplify(forward), arguments))
    list(known.computed(forward, arguments))  # for what the gradient captures
    backward = simplify(found.backward(found.full).graph)
    given = [known.number(("cotangent", i)) for i in range(len(backward.parameters))]
    given += [known.of[source(tensor.key)] for tensor, _ in backward.captures]
    return ahead, list(known.computed(backward, given)), backward


def affine(x: Any, w: Any, b: Any) -> Any:
    return tf.matmul(x, w) + b


def perceptron(x: Any, w: Any, b: Any, u: Any, c: Any, y: Any) -> Any:
    scores = affine(tf.nn.relu(affine(x, w, b)), u, c)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, scores))


def normalized(x: Any, scale: Any) -> Any:
    mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-3) * scale


def cell(x: Any, h: Any, w: Any) -> Any:
    take, give, new = tf.split(tf.matmul(tf.concat([x, h], 1), w), 3, axis=1)
    take, give = tf.sigmoid(take), tf.sigmoid(give)
    return give * tf.tanh(take * h + (1 - take) * tf.tanh(new))


def convolutional(x: Any, k: Any, b: Any, w: Any) -> Any:
    x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, k, 1, "SAME") + b), 2, 2, "VALID")
    return tf.matmul(tf.reshape(x, [tf.shape(x)[0], -1]), w)


def attention(x: Any, q: Any, k: Any, v: Any) -> Any:
    weights = tf.nn.softmax(tf.matmul(x @ q, x @ k, transpose_b=True) / 2.0)
    return weights @ (x @ v)


def elementary(x: Any) -> Any:
    return tf.exp(x) / tf.sqrt(x) + tf.math.log(x) ** 3 * tf.sin(x) / (1 + tf.square(x))


def spec(*shape: int | None) -> tf.TensorSpec:
    return tf.TensorSpec(shape, tf.float32)


CASES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "perceptron": (
        perceptron,
        [spec(8, 6), spec(6, 5), spec(5), spec(5, 3), spec(3), tf.TensorSpec([8], tf.int32)],
    ),
    "normalized": (normalized, [spec(8, 6), spec(6)]),
    "cell": (cell, [spec(8, 6), spec(8, 4), spec(10, 12)]),
    "convolutional": (
        convolutional,
        [spec(2, 8, 8, 1), spec(3, 3, 1, 4), spec(4), spec(64, 3)],
    ),
    "attention": (attention, [spec(5, 4), spec(4, 4), spec(4, 4), spec(4, 4)]),
    "elementary": (elementary, [spec(7)]),
}


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_computed_twice(name: str) -> None:
    function, specs = CASES[name]
    ahead, back, _ = graphs(derivative(function, *specs))
    times = Counter(number for _, number in [*ahead, *back])
    twice = [str(op) for op, number in [*ahead, *back] if times[number] > 1]
    assert not twice


@pytest.mark.parametrize("name", CASES)
def test_the_gradient_gets_only_what_it_uses(name: str) -> None:
    function, specs = CASES[name]
    result = derivative(function, *specs)
    _, _, backward = graphs(result)
    used = {v for node in backward.nodes for v in node.inputs} | set(backward.results)
    assert all(value in used for _, value in backward.captures)
    captured = {tensor.key for tensor, _ in result.backward(result.full).graph.captures}
    assert set(result.saved) <= captured


def test_a_perceptron_remembers_two_values_and_multiplies_six_times() -> None:
    """Remembered: the hidden layer, and the slope of the losses."""
    function, specs = CASES["perceptron"]
    result = derivative(function, *specs)
    ahead, back, _ = graphs(result)
    products = [Counter(op.type_name for op, _ in part)["MatMul"] for part in (ahead, back)]
    assert products == [2, 4]  # the cotangent of x is asked for, too
    assert len(result.saved) == 2


def test_forward_and_backward_are_traced_once() -> None:
    traced = []
    w = tf.Variable(np.ones((3, 3), np.float32))

    @tf.custom_gradient
    def noted(x: Any) -> Any:
        def rule(g: Any) -> Any:
            traced.append("backward")
            return g

        return tf.identity(x), rule

    @tf.function
    def loss(x: Any) -> Any:
        traced.append("forward")
        return tf.reduce_sum(noted(tf.tanh(x @ w)))

    for i in range(5):
        with tf.GradientTape() as tape:
            value = loss(tf.fill([2, 3], float(i)))
        tape.gradient(value, w)
    assert traced == ["forward", "backward"]


def ops_of(graph: Graph) -> Counter[str]:
    """How often each op is in a simplified graph, in those of its loops too."""
    result: Counter[str] = Counter()
    for node in simplify(graph).nodes:
        result[node.op.type_name] += 1
        for inner in vars(node.op).values():
            if isinstance(inner, Graph):
                result += ops_of(inner)
    return result


def test_a_loop_remembers_what_its_gradient_uses_and_what_never_changes_once() -> None:
    """h = tanh(x[i] @ w + h @ u): of each iteration its number, x[i] and h before and after."""
    w, u = [tf.Variable(np.ones((3, 3), np.float32)) for _ in range(2)]

    @tf.function
    def slopes(x: Any) -> Any:
        with tf.GradientTape() as tape:
            h = tf.zeros([2, 3])
            for i in tf.range(4):
                h = tf.tanh(tf.matmul(x[i], w) + tf.matmul(h, u))
            loss = tf.reduce_sum(h)
        return tape.gradient(loss, [w, u])

    result = ops_of(slopes.get_concrete_function(spec(4, 2, 3)).graph)
    assert result["TensorListPushBack"] == result["TensorListPopBack"] == 3
    assert result["ReadVariableOp"] == 2
    assert result["MatMul"] == 2 + 3  # forward; one for each weight, one for h


def test_a_loop_remembers_nothing_that_is_cheap_to_compute_again() -> None:
    """Of each iteration the level and the number of the month give all else."""

    def slopes(x: Any, shares: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(shares)
            level = x[0] * 0.0
            for t in tf.range(1, 4):
                share = shares[1] * 2.0
                level = tf.sin(share * (x[t] - level)) + (1.0 - share) * level * x[t]
            loss = tf.square(level)
        return tape.gradient(loss, shares)

    staged = tf.function(slopes)
    x, shares = tf.constant([0.5, 1.0, -2.0, 0.25]), tf.constant([0.0, 0.125])
    result = ops_of(staged.get_concrete_function(x, shares).graph)
    assert result["TensorListPushBack"] == 2
    np.testing.assert_allclose(staged(x, shares), slopes(x, shares), rtol=1e-6)


def test_a_loop_that_writes_reads_each_time() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def run(n: Any) -> Any:
        total = 0.0
        for _ in tf.range(n):
            total += v
            v.assign_add(1.0)
        return total

    assert float(run(tf.constant(4))) == 10.0
    assert (
        ops_of(run.get_concrete_function(tf.TensorSpec([], tf.int32)).graph)["ReadVariableOp"] == 1
    )


def looped(x: Any, w: Any, u: Any) -> Any:
    for _ in tf.range(3):
        x = tf.sin(tf.matmul(x, w)) + tf.tanh(u)
    return x


def branched(x: Any, w: Any, u: Any) -> Any:
    return tf.cond(
        x[0, 0] > 0.0,
        lambda: tf.matmul(x, w) * tf.exp(x),
        lambda: tf.matmul(x, u) + tf.sin(w),
    )


def branched_in_a_loop(x: Any, w: Any, u: Any) -> Any:
    for _ in tf.range(3):
        x = tf.matmul(x, w) * tf.exp(u) if w[0, 0] > 0.0 else tf.matmul(x, u)
    return x


def called(x: Any, w: Any, u: Any) -> Any:
    return tf.function(looped)(x, w, u) * tf.function(branched)(x, u, w)


@pytest.mark.parametrize("only", range(3))
@pytest.mark.parametrize("function", [looped, branched, branched_in_a_loop, called])
def test_a_gradient_of_one_argument_is_cut_out_of_that_of_all(
    function: Callable[..., Any], only: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left computes what a gradient that is traced for this argument alone does."""
    result = derivative(function, *[spec(3, 3)] * 3)
    needed = tuple(i == only for i in range(3))
    traced = trace_backward(result.forward, needed, dense=False)
    monkeypatch.setattr("graphwright.control.derivative.trace_backward", None)
    cut, wanted = ops_of(result.backward(needed).graph), ops_of(traced.graph)
    del cut["Placeholder"], wanted["Placeholder"]
    assert cut == wanted
    assert result.backward(needed) is result.backward(needed)


def test_what_has_no_gradient_is_an_error_only_where_it_is_needed() -> None:
    @tf.function
    def loss(x: Any, w: Any) -> Any:
        return tf.reduce_sum(tf.unique(x).y) + tf.reduce_sum(tf.sin(w) * w)

    x, w = tf.constant([1.0, 2.0]), tf.Variable([0.5])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        value = loss(x, w)
    expected = np.cos(0.5) * 0.5 + np.sin(0.5)
    np.testing.assert_allclose(tape.gradient(value, w), [expected], rtol=1e-6)
    with pytest.raises(LookupError, match="No gradient defined for operation Unique"):
        tape.gradient(value, [x, w])
