"""Nests over short rows: the form for their length against kernels, in code and interpreted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from plans.tier import interpreted

import graphwright as tf
from graphwright.compile.llvm.llvm_module import LlvmModule
from graphwright.compile.nests.nest import Choice, Loop, Nest, Program, Statement

Case = tuple[Callable[..., Any], tuple[Any, ...]]

RNG = np.random.default_rng(0)


def numbers(*shape: int, dtype: tf.DType = tf.float32) -> tf.Tensor:
    """Numbers of a dtype; integers are small."""
    if dtype.is_floating:
        return tf.cast(RNG.normal(size=shape), dtype)
    return tf.cast(RNG.integers(0, 100, shape), dtype)


def normalized(x: tf.Tensor) -> tf.Tensor:
    """Rows with mean 0 and variance 1."""
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-3)


def forces(x: tf.Tensor, mass: tf.Tensor) -> tf.Tensor:
    """The accelerations of bodies, whose squared distances are each a sum over a short row."""
    apart = x[None] - x[:, None]
    weight = (tf.reduce_sum(apart * apart, -1) + 0.01) ** -1.5 * mass
    return tf.reduce_sum(weight[..., None] * apart, 1)


def stepped(x: tf.Tensor, n: tf.Tensor) -> tf.Tensor:
    """Points that move towards their mean and turn, each in the memory of its last place."""
    for _ in tf.range(n):
        x = x - 0.1 * tf.reduce_mean(x, 0) * x[:, ::-1]
        x = x / (1.0 + tf.reduce_max(tf.abs(x), -1, keepdims=True))
    return x


PROGRAMS: dict[str, Callable[[int, int], Case]] = {
    "bias": lambda n, k: (lambda x, y: x - y, (numbers(n, k), numbers(k))),
    "scale": lambda n, k: (lambda x, y: x * y, (numbers(3, n, k), numbers(3, n, 1))),
    "image": lambda n, k: (
        lambda x, y: (tf.cast(x, tf.float32) / 255.0 - y) / (2.0 * y + 10.0),
        (numbers(4, n, k, dtype=tf.uint8), numbers(k)),
    ),
    "sum": lambda n, k: (lambda x: tf.reduce_sum(x, -1), (numbers(n, k),)),
    "mean": lambda n, k: (lambda x: tf.reduce_mean(x, -1, keepdims=True), (numbers(2, n, k),)),
    "product": lambda n, k: (lambda x: tf.reduce_prod(x, -1), (numbers(n, k, dtype=tf.float64),)),
    "range": lambda n, k: (
        lambda x: tf.reduce_max(x, -1) - tf.reduce_min(x, -1),
        (numbers(n, k, dtype=tf.int32),),
    ),
    "signs": lambda n, k: (
        lambda x: (tf.reduce_any(x > 0.5, -1), tf.reduce_all(x > -1.0, -1)),
        (numbers(n, k),),
    ),
    "softmax": lambda n, k: (tf.nn.softmax, (numbers(n, k),)),
    "log_softmax": lambda n, k: (tf.nn.log_softmax, (numbers(n, k, dtype=tf.float64),)),
    "normalized": lambda n, k: (normalized, (numbers(n, k),)),
    "half": lambda n, k: (lambda x: x / tf.reduce_sum(x, -1, keepdims=True) + x[0], (
        tf.abs(numbers(n, k, dtype=tf.float16)) + tf.constant(0.5, tf.float16),
    )),
    "forces": lambda n, k: (forces, (numbers(n, k), tf.abs(numbers(n)))),
    "stepped": lambda n, k: (stepped, (numbers(n, k), tf.constant(3))),
    "columns": lambda n, k: (lambda x, y: tf.reduce_sum(x * y, 0), (numbers(n, k), numbers(n, 1))),
    "total": lambda n, k: (lambda x, y: tf.reduce_sum((x - y) ** 2.0), (numbers(n, k), numbers(k))),
    "positions": lambda n, k: (
        lambda x, y: tf.cast(tf.range(k), tf.float32) * x + y,
        (numbers(n, 1), numbers(k)),
    ),
    "gathered": lambda n, k: (
        lambda x, i, y: tf.gather(x, i) * y,
        (numbers(7, k), numbers(n, dtype=tf.int32) % 7, numbers(n, 1)),
    ),
    "pooled": lambda n, k: (
        lambda x: tf.reduce_mean(tf.reshape(x, [n, 2, n, 2, k]), [1, 3]),
        (numbers(2 * n, 2 * n, k),),
    ),
    "blocks": lambda n, k: (lambda x: tf.reduce_sum(x, [-3, -1]), (numbers(2, n, 2, 3, k),)),
    "frames": lambda n, k: (
        lambda x, y: tf.reduce_sum(x * y[:, None], -1),
        (numbers(n, k, k), numbers(n, k)),
    ),
    "distances": lambda n, k: (
        lambda x, y: tf.reduce_sum((x[:, None] - y) ** 2.0, -1),
        (numbers(2 * n, k), numbers(24, k)),
    ),
    "the least of distances": lambda n, k: (
        lambda x, y: tf.reduce_min(tf.reduce_sum((x[:, None] - y) ** 2.0, -1)),
        (numbers(2 * n, k), numbers(24, k)),
    ),
    "columns of distances": lambda n, k: (
        lambda x, y: tf.reduce_sum(tf.reduce_sum((x[:, None] - y) ** 2.0, -1), 0),
        (numbers(2 * n, k), numbers(24, k)),
    ),
    "rotated": lambda n, k: (tf.linalg.matvec, (numbers(n, k, k), numbers(n, k))),
    "mixed": lambda n, k: (lambda x, y: tf.nn.relu(x @ y), (numbers(n, k), numbers(k, k))),
    "columns of points": lambda n, k: (lambda x, y: x @ y, (numbers(k, k), numbers(k, n))),
    "products": lambda n, k: (
        lambda x, y: tf.matmul(x, y, transpose_a=True, transpose_b=True),
        (numbers(2, n, k, k), numbers(n, k, k)),
    ),
    "integers": lambda n, k: (
        lambda x, y: x @ y, (numbers(n, k, dtype=tf.int32), numbers(k, k, dtype=tf.int32)),
    ),
    "segments": lambda n, k: (
        lambda x, i: tf.math.unsorted_segment_sum(x, i, 7),
        (numbers(n, k), numbers(n, dtype=tf.int32) % 7),
    ),
    "largest": lambda n, k: (
        lambda x, i: tf.math.unsorted_segment_max(x, i, 7),
        (numbers(n, k), numbers(n, dtype=tf.int32) % 7),
    ),
    "scattered": lambda n, k: (
        lambda x, i: tf.tensor_scatter_nd_update(tf.zeros([2 * n, k]), i[:, None], x * 2.0),
        (numbers(n, k), 3 * tf.range(n) % (2 * n)),
    ),
    "added": lambda n, k: (
        lambda x, i, y: tf.tensor_scatter_nd_add(y, i[:, None], x),
        (numbers(n, k), numbers(n, dtype=tf.int32) % 7, numbers(7, k)),
    ),
    "turned": lambda n, k: (lambda x, y: x[:, ::-1] * y, (numbers(n, k), numbers(n, 1))),
    "divided": lambda n, k: (
        lambda x, y: x // y,
        (numbers(n, k, dtype=tf.int32), 1 + numbers(k, dtype=tf.int32)),
    ),
    "nan": lambda n, k: (
        tf.nn.softmax,
        (tf.where(numbers(n, k) > 1.0, float("nan"), numbers(n, k)),),
    ),
}  # fmt: skip


def forms(statements: tuple[Statement, ...], module: LlvmModule) -> Iterator[Nest]:
    """The forms for short rows of all nests."""
    for s in statements:
        if isinstance(s, Nest):
            yield from [form.nest for form in module.forms(s)[:-1]]
        elif isinstance(s, Loop):
            yield from forms(s.body, module)


def in_short_form(program: Program) -> Program:
    """A program with each nest in the form for its short rows, if it has one."""
    module = LlvmModule(program)

    def of(s: Statement) -> Statement:
        if isinstance(s, Nest):
            return module.forms(s)[0].nest if len(module.forms(s)) > 1 else s
        if isinstance(s, Loop):
            return s._replace(body=tuple(map(of, s.body)))
        if isinstance(s, Choice):
            then, otherwise = [tuple(map(of, b)) for b in (s.then, s.otherwise)]
            return s._replace(then=then, otherwise=otherwise)
        return s

    return program._replace(body=tuple(map(of, program.body)))


def same(actual: Any, expected: Any) -> None:
    """Asserts that structures of tensors are equal but for rounding."""
    for a, b in zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if not a.dtype.is_floating:
            np.testing.assert_array_equal(a.numpy(), b.numpy())
            continue
        bound = 3e-3 if a.dtype == tf.float16 else 2e-5
        a, b = [x.numpy().astype(np.float64) for x in (a, b)]
        np.testing.assert_allclose(a, b, rtol=bound, atol=bound)


@pytest.mark.parametrize("name", PROGRAMS)
def test_code_for_short_rows_computes_what_kernels_do(name: str) -> None:
    for n, k in ((37, 3), (16, 2), (100, 4), (33, 13)):
        function, arguments = PROGRAMS[name](n, k)
        native = tf.function(function, jit_compile=True)
        same(native(*arguments), tf.function(function, jit_compile=False)(*arguments))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_form_is_a_plan_that_computes_the_same(name: str) -> None:
    function, arguments = PROGRAMS[name](17, 3)
    counts: list[int] = []

    def changed(program: Program) -> Program:
        counts.append(len(list(forms(program.body, LlvmModule(program)))))
        return in_short_form(program)

    with interpreted(changed) as log:
        result = tf.function(function, jit_compile=True)(*arguments)
    assert log.runs > 0 < sum(counts)
    assert not log.errors
    same(result, tf.function(function, jit_compile=False)(*arguments))


def test_a_length_that_is_not_expected_runs_the_other_form() -> None:
    @tf.function(jit_compile=True, reduce_retracing=True)
    def centered(x: tf.Tensor) -> tf.Tensor:
        return x - tf.reduce_mean(x, -1, keepdims=True)

    for k in (3, 4, 3, 1, 40):
        x = numbers(20, k)
        np.testing.assert_allclose(centered(x), x - np.mean(x, -1, keepdims=True), atol=1e-5)


def test_a_row_that_may_be_long_has_one_form() -> None:
    counts: list[int] = []

    def changed(program: Program) -> Program:
        counts.extend(len(LlvmModule(program).forms(s)) for s in program.body)
        return program

    @tf.function(jit_compile=True)
    def shifted(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return x - y

    with interpreted(changed):
        for n, k in ((20, 3), (20, 17), (7, 3), (20, 1)):
            shifted(numbers(n, k), numbers(k))
        shifted.get_concrete_function(
            tf.TensorSpec([None, None]), tf.TensorSpec([None])
        )(numbers(20, 3), numbers(3))  # fmt: skip
        shifted(numbers(20, 3), numbers(20, 3))  # adjacent elements: one long row
    assert counts == [2, 1, 1, 1, 1, 1]


def test_a_variable_of_short_rows_is_updated_in_its_memory() -> None:
    v = tf.Variable(numbers(50, 3))
    before, step = v.numpy(), numbers(3)

    @tf.function(jit_compile=True)
    def update() -> None:
        v.assign_sub(step * v)

    for _ in range(3):
        update()
    np.testing.assert_allclose(v, before * (1 - step.numpy()) ** 3, rtol=1e-5)
