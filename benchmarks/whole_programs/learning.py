"""Programs that fit a model: clusters, a regression by Newton's method, a recurrence, vectors of
words."""

from __future__ import annotations

from typing import Any

from benchmarks.whole_programs.whole_program import (
    Step,
    WholeProgram,
    blocking,
    integers,
    numbers,
)

# k-means: ten rounds of Lloyd's algorithm.

CLUSTERS = 10
ROUNDS = 10


def clusters_tf(tf: Any, n: int) -> Step:
    @tf.function
    def fit(points: Any) -> Any:
        centres = points[:CLUSTERS]
        for _ in tf.range(ROUNDS):
            apart = points[:, None, :] - centres[None, :, :]
            nearest = tf.argmin(tf.reduce_sum(apart * apart, 2), 1, tf.int32)
            sums = tf.math.unsorted_segment_sum(points, nearest, CLUSTERS)
            counts = tf.math.unsorted_segment_sum(tf.ones([n]), nearest, CLUSTERS)
            centres = sums / tf.maximum(counts, 1.0)[:, None]
        return centres

    points = tf.constant(numbers(n, 8))
    return lambda: fit(points)


def clusters_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def fit(points: Any) -> Any:
        def step(_: Any, centres: Any) -> Any:
            apart = points[:, None, :] - centres[None, :, :]
            nearest = jnp.argmin(jnp.sum(apart * apart, 2), 1)
            sums = jax.ops.segment_sum(points, nearest, CLUSTERS)
            counts = jax.ops.segment_sum(jnp.ones(n), nearest, CLUSTERS)
            return sums / jnp.maximum(counts, 1.0)[:, None]

        return jax.lax.fori_loop(0, ROUNDS, step, points[:CLUSTERS])

    return blocking(jax, fit, jnp.asarray(numbers(n, 8)))


def clusters_torch(torch: Any, n: int) -> Step:
    points = torch.tensor(numbers(n, 8))

    def fit() -> Any:
        centres = points[:CLUSTERS]
        for _ in range(ROUNDS):
            apart = points[:, None, :] - centres[None, :, :]
            nearest = (apart * apart).sum(2).argmin(1)
            sums = torch.zeros(CLUSTERS, 8).index_add(0, nearest, points)
            counts = torch.bincount(nearest, minlength=CLUSTERS)
            centres = sums / counts.clamp(min=1)[:, None]
        return centres

    return fit


# Logistic regression: Newton steps until the gradient is small.

INPUTS = 10


def newton_tf(tf: Any, n: int) -> Step:
    @tf.function
    def fit(x: Any, y: Any) -> Any:
        w = tf.zeros([INPUTS, 1])
        size = tf.constant(1.0)
        while size > 1e-3:
            p = tf.sigmoid(tf.matmul(x, w))
            slope = tf.matmul(x, p - y, transpose_a=True) / n + 0.01 * w
            curve = tf.matmul(x, p * (1.0 - p) * x, transpose_a=True) / n + 0.01 * tf.eye(INPUTS)
            w -= tf.linalg.cholesky_solve(tf.linalg.cholesky(curve), slope)
            size = tf.norm(slope)
        return w

    x, y = map(tf.constant, labelled(n))
    return lambda: fit(x, y)


def newton_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def fit(x: Any, y: Any) -> Any:
        def step(state: Any) -> Any:
            w, _ = state
            p = jax.nn.sigmoid(x @ w)
            slope = x.T @ (p - y) / n + 0.01 * w
            curve = x.T @ (p * (1.0 - p) * x) / n + 0.01 * jnp.eye(INPUTS)
            root = jnp.linalg.cholesky(curve)
            w -= jax.scipy.linalg.cho_solve((root, True), slope)
            return w, jnp.linalg.norm(slope)

        start = jnp.zeros((INPUTS, 1)), jnp.float32(1.0)
        return jax.lax.while_loop(lambda state: state[1] > 1e-3, step, start)[0]

    return blocking(jax, fit, *map(jnp.asarray, labelled(n)))


def newton_torch(torch: Any, n: int) -> Step:
    x, y = map(torch.tensor, labelled(n))

    def fit() -> Any:
        w, size = torch.zeros(INPUTS, 1), 1.0
        while size > 1e-3:
            p = torch.sigmoid(x @ w)
            slope = x.T @ (p - y) / n + 0.01 * w
            curve = x.T @ (p * (1.0 - p) * x) / n + 0.01 * torch.eye(INPUTS)
            w = w - torch.cholesky_solve(slope, torch.linalg.cholesky(curve))
            size = slope.norm()
        return w

    return fit


def labelled(n: int) -> tuple[Any, Any]:
    """Rows, and a label of each that they nearly determine."""
    x = numbers(n, INPUTS)
    chance = numbers(n, 1, seed=1)
    return x, (x @ numbers(INPUTS, 1, seed=2) + chance > 0).astype("float32")


# A recurrence that is trained: a step of gradient descent through 20 steps of time.

TIMES = 20
UNITS = 32


def recurrence_tf(tf: Any, n: int) -> Step:
    weights = [tf.Variable(value) for value in recurrence()]

    @tf.function
    def train(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            inside, across, out = weights
            state = tf.zeros([n, UNITS])
            for t in tf.range(TIMES):
                state = tf.tanh(tf.matmul(x[t], inside) + tf.matmul(state, across))
            loss = tf.reduce_mean(tf.square(tf.matmul(state, out) - y))
        for weight, slope in zip(weights, tape.gradient(loss, weights)):
            weight.assign_sub(0.01 * slope)
        return loss

    x, y = map(tf.constant, sequences(n))
    return lambda: train(x, y)


def recurrence_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def loss(weights: Any, x: Any, y: Any) -> Any:
        inside, across, out = weights

        def step(state: Any, row: Any) -> Any:
            return jnp.tanh(row @ inside + state @ across), None

        state = jax.lax.scan(step, jnp.zeros((n, UNITS)), x)[0]
        return jnp.mean(jnp.square(state @ out - y))

    @jax.jit
    def train(weights: Any, x: Any, y: Any) -> Any:
        value, slopes = jax.value_and_grad(loss)(weights, x, y)
        return value, [w - 0.01 * slope for w, slope in zip(weights, slopes)]

    x, y = map(jnp.asarray, sequences(n))
    weights = [jnp.asarray(value) for value in recurrence()]

    def call() -> Any:
        value, weights[:] = jax.block_until_ready(train(weights, x, y))
        return value

    return call


def recurrence_torch(torch: Any, n: int) -> Step:
    inside, across, out = weights = [torch.tensor(v, requires_grad=True) for v in recurrence()]
    x, y = map(torch.tensor, sequences(n))

    def train() -> Any:
        state = torch.zeros(n, UNITS)
        for row in x:
            state = torch.tanh(row @ inside + state @ across)
        loss = (state @ out - y).square().mean()
        with torch.no_grad():
            for weight, slope in zip(weights, torch.autograd.grad(loss, weights)):
                weight -= 0.01 * slope
        return loss.detach()

    return train


def recurrence() -> list[Any]:
    """The weights of a recurrence."""
    return [
        0.3 * numbers(8, UNITS), 0.15 * numbers(UNITS, UNITS, seed=1), numbers(UNITS, 1, seed=2)
    ]  # fmt: skip


def sequences(n: int) -> tuple[Any, Any]:
    """Inputs by time, and a number for each sequence."""
    return numbers(TIMES, n, 8, seed=3), numbers(n, 1, seed=4)


# Vectors of words: pairs that occur together, and others; most words occur more than once.

WORDS = 1000
WIDTH = 32


def vectors_tf(tf: Any, n: int) -> Step:
    centre, context = [tf.Variable(value) for value in vectors()]

    @tf.function
    def train(words: Any, others: Any, truth: Any) -> Any:
        with tf.GradientTape() as tape:
            a = tf.gather(centre, words)
            b = tf.gather(context, others)
            logits = tf.reduce_sum(a[:, None, :] * b, 2)
            loss = tf.reduce_mean(
                tf.nn.sigmoid_cross_entropy_with_logits(labels=truth, logits=logits)
            )
        slopes = tape.gradient(loss, [centre, context])
        for table, slope in zip((centre, context), slopes):
            table.scatter_sub(tf.IndexedSlices(0.5 * slope.values, slope.indices))
        return loss

    words, others, truth = map(tf.constant, pairs(n))
    return lambda: train(words, others, truth)


def vectors_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def loss(tables: Any, words: Any, others: Any, truth: Any) -> Any:
        centre, context = tables
        logits = jnp.sum(centre[words][:, None, :] * context[others], 2)
        losses = jnp.maximum(logits, 0) - logits * truth + jnp.log1p(jnp.exp(-jnp.abs(logits)))
        return jnp.mean(losses)

    @jax.jit
    def train(tables: Any, *given: Any) -> Any:
        value, slopes = jax.value_and_grad(loss)(tables, *given)
        return value, [table - 0.5 * slope for table, slope in zip(tables, slopes)]

    given = [jnp.asarray(part) for part in pairs(n)]
    tables = [jnp.asarray(value) for value in vectors()]

    def call() -> Any:
        value, tables[:] = jax.block_until_ready(train(tables, *given))
        return value

    return call


def vectors_torch(torch: Any, n: int) -> Step:
    tables = [torch.tensor(value, requires_grad=True) for value in vectors()]
    words, others, truth = map(torch.tensor, pairs(n))
    measure = torch.nn.functional.binary_cross_entropy_with_logits

    def train() -> Any:
        centre, context = tables
        loss = measure((centre[words][:, None, :] * context[others]).sum(2), truth)
        with torch.no_grad():
            for table, slope in zip(tables, torch.autograd.grad(loss, tables)):
                table -= 0.5 * slope
        return loss.detach()

    return train


def vectors() -> list[Any]:
    """A vector for each word, as the centre and in a context."""
    return [0.3 * numbers(WORDS, WIDTH, seed=seed) for seed in (1, 2)]


def pairs(n: int) -> tuple[Any, Any, Any]:
    """Words, five others for each, and which of them is a neighbour: the first."""
    import numpy as np

    return integers(50, n), integers(WORDS, n, 5), np.eye(1, 5, dtype=np.float32).repeat(n, 0)


PROGRAMS = (
    WholeProgram(
        "clusters", "k-means of 2,000 points", 2000, 40, clusters_tf, clusters_jax, clusters_torch
    ),
    WholeProgram(
        "newton", "logistic regression by Newton", 500, 40, newton_tf, newton_jax, newton_torch,
        tolerance=1e-3,
    ),
    WholeProgram(
        "recurrence", "training step of an RNN, 20 steps", 32, 4,
        recurrence_tf, recurrence_jax, recurrence_torch,
    ),
    WholeProgram(
        "vectors", "training step of word vectors, 256 pairs", 256, 8,
        vectors_tf, vectors_jax, vectors_torch,
    ),
)  # fmt: skip
