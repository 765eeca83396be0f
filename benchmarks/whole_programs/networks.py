"""Programs that train networks: an epoch of batches, images, sentences, attention."""

from __future__ import annotations

from typing import Any

from benchmarks.whole_programs.whole_program import (
    Step,
    WholeProgram,
    integers,
    numbers,
)

# An epoch: batches of rows from a pipeline, and Adam's steps.

ROWS = 32


def epoch_tf(tf: Any, n: int) -> Step:
    weights = [tf.Variable(value) for value in layers()]
    means = [tf.Variable(tf.zeros_like(w)) for w in weights]
    squares = [tf.Variable(tf.zeros_like(w)) for w in weights]
    count = tf.Variable(0.0)

    @tf.function
    def train(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            a, b, c, d = weights
            hidden = tf.nn.relu(tf.matmul(x, a) + b)
            logits = tf.matmul(hidden, c) + d
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            )
        count.assign_add(1.0)
        rate = 0.001 * tf.sqrt(1.0 - 0.999**count) / (1.0 - 0.9**count)
        for w, m, s, slope in zip(weights, means, squares, tape.gradient(loss, weights)):
            m.assign(0.9 * m + 0.1 * slope)
            s.assign(0.999 * s + 0.001 * slope * slope)
            w.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))
        return loss

    x, y = digits(n)
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(ROWS)

    @tf.function
    def epoch() -> Any:
        total = 0.0
        for x, y in batches:
            total += train(x, y)
        return total

    return lambda: epoch()


def epoch_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def loss(weights: Any, x: Any, y: Any) -> Any:
        a, b, c, d = weights
        logits = jax.nn.relu(x @ a + b) @ c + d
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1))

    @jax.jit
    def epoch(state: Any, xs: Any, ys: Any) -> Any:
        def train(state: Any, batch: Any) -> Any:
            weights, means, squares, count = state
            value, slopes = jax.value_and_grad(loss)(weights, *batch)
            count += 1.0
            rate = 0.001 * jnp.sqrt(1.0 - 0.999**count) / (1.0 - 0.9**count)
            means = [0.9 * m + 0.1 * g for m, g in zip(means, slopes)]
            squares = [0.999 * s + 0.001 * g * g for s, g in zip(squares, slopes)]
            new = [w - rate * m / (jnp.sqrt(s) + 1e-7) for w, m, s in zip(weights, means, squares)]
            return (new, means, squares, count), value

        state, values = jax.lax.scan(train, state, (xs, ys))
        return state, jnp.sum(values)

    xs, ys = [jnp.asarray(part).reshape(-1, ROWS, *part.shape[1:]) for part in digits(n)]
    weights = [jnp.asarray(w) for w in layers()]
    zeros = [jnp.zeros_like(w) for w in weights]
    held = [(weights, zeros, zeros, 0.0)]

    def call() -> Any:
        held[0], value = jax.block_until_ready(epoch(held[0], xs, ys))
        return value

    return call


def epoch_torch(torch: Any, n: int) -> Step:
    a, b, c, d = weights = [torch.tensor(w, requires_grad=True) for w in layers()]
    optimizer = torch.optim.Adam(weights, 0.001, eps=1e-7)
    x, y = map(torch.tensor, digits(n))
    batches = list(zip(x.split(ROWS), y.long().split(ROWS)))

    def epoch() -> Any:
        total = torch.tensor(0.0)
        for x, y in batches:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy((x @ a + b).relu() @ c + d, y)
            loss.backward()
            optimizer.step()
            total += loss.detach()
        return total

    return epoch


def layers() -> list[Any]:
    """The weights of two layers."""
    return [
        0.2 * numbers(64, 64), numbers(64, seed=1), 0.2 * numbers(64, 10, seed=2),
        numbers(10, seed=3),
    ]  # fmt: skip


def digits(n: int) -> tuple[Any, Any]:
    """Rows, and the kind of each."""
    return numbers(n, 64), integers(10, n)


# Images: two convolutions, and steps with momentum.


def images_tf(tf: Any, n: int) -> Step:
    weights = [tf.Variable(value) for value in filters()]
    speeds = [tf.Variable(tf.zeros_like(w)) for w in weights]

    @tf.function
    def train(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            a, b, c = weights
            h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, a, 1, "SAME")), 2, 2, "VALID")
            h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(h, b, 1, "SAME")), 2, 2, "VALID")
            logits = tf.matmul(tf.reshape(h, [n, -1]), c)
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            )
        for w, speed, slope in zip(weights, speeds, tape.gradient(loss, weights)):
            speed.assign(0.9 * speed - 0.01 * slope)
            w.assign_add(speed)
        return loss

    x, y = tf.constant(numbers(n, 16, 16, 1)), tf.constant(integers(10, n))
    return lambda: train(x, y)


def images_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def layer(x: Any, weight: Any) -> Any:
        forms = "NHWC", "HWIO", "NHWC"
        y = jax.lax.conv_general_dilated(x, weight, (1, 1), "SAME", dimension_numbers=forms)
        window = (1, 2, 2, 1)
        return jax.lax.reduce_window(jax.nn.relu(y), -jnp.inf, jax.lax.max, window, window, "VALID")

    def loss(weights: Any, x: Any, y: Any) -> Any:
        a, b, c = weights
        logits = layer(layer(x, a), b).reshape(n, -1) @ c
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1))

    @jax.jit
    def train(weights: Any, speeds: Any, x: Any, y: Any) -> Any:
        value, slopes = jax.value_and_grad(loss)(weights, x, y)
        speeds = [0.9 * speed - 0.01 * slope for speed, slope in zip(speeds, slopes)]
        return value, [w + speed for w, speed in zip(weights, speeds)], speeds

    x, y = jnp.asarray(numbers(n, 16, 16, 1)), jnp.asarray(integers(10, n))
    weights = [jnp.asarray(w) for w in filters()]
    speeds = [jnp.zeros_like(w) for w in weights]

    def call() -> Any:
        value, weights[:], speeds[:] = jax.block_until_ready(train(weights, speeds, x, y))
        return value

    return call


def images_torch(torch: Any, n: int) -> Step:
    first, second, last = filters()
    a, b = [torch.tensor(w.transpose(3, 2, 0, 1), requires_grad=True) for w in (first, second)]
    c = torch.tensor(last, requires_grad=True)
    optimizer = torch.optim.SGD([a, b, c], 0.01, momentum=0.9)
    x = torch.tensor(numbers(n, 16, 16, 1)).permute(0, 3, 1, 2)
    y = torch.tensor(integers(10, n)).long()
    f = torch.nn.functional

    def train() -> Any:
        h = f.max_pool2d(f.conv2d(x, a, padding=1).relu(), 2)
        h = f.max_pool2d(f.conv2d(h, b, padding=1).relu(), 2)
        loss = f.cross_entropy(h.permute(0, 2, 3, 1).reshape(n, -1) @ c, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return train


def filters() -> list[Any]:
    """The weights of two convolutions and a layer."""
    return [
        0.3 * numbers(3, 3, 1, 8), 0.1 * numbers(3, 3, 8, 16, seed=1),
        0.1 * numbers(256, 10, seed=2),
    ]  # fmt: skip


# Sentences: a classifier over vectors of words, of which Adagrad changes those that occur.

VOCABULARY = 5000
LENGTH = 20


def sentences_tf(tf: Any, n: int) -> Step:
    table, weight = [tf.Variable(value) for value in classifier()]
    squares = [tf.Variable(tf.fill(w.shape, 0.1)) for w in (table, weight)]

    @tf.function
    def train(words: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            there = tf.cast(words > 0, tf.float32)[:, :, None]
            total = tf.reduce_sum(tf.nn.embedding_lookup(table, words) * there, 1)
            mean = total / tf.maximum(tf.reduce_sum(there, 1), 1.0)
            logits = tf.matmul(mean, weight)[:, 0]
            loss = tf.reduce_mean(
                tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
            )
        sparse, dense = tape.gradient(loss, [table, weight])
        rows, places = tf.unique(sparse.indices)
        sums = tf.math.unsorted_segment_sum(sparse.values, places, tf.size(rows))
        squares[0].scatter_add(tf.IndexedSlices(sums * sums, rows))
        root = tf.sqrt(tf.gather(squares[0], rows))
        table.scatter_sub(tf.IndexedSlices(0.5 * sums / root, rows))
        squares[1].assign_add(dense * dense)
        weight.assign_sub(0.5 * dense / tf.sqrt(squares[1]))
        return loss

    words, labels = map(tf.constant, reviews(n))
    return lambda: train(words, labels)


def sentences_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def loss(weights: Any, words: Any, labels: Any) -> Any:
        table, weight = weights
        there = (words > 0)[:, :, None]
        total = jnp.sum(table[words] * there, 1)
        logits = (total / jnp.maximum(jnp.sum(there, 1), 1.0) @ weight)[:, 0]
        losses = jnp.maximum(logits, 0) - logits * labels + jnp.log1p(jnp.exp(-jnp.abs(logits)))
        return jnp.mean(losses)

    @jax.jit
    def train(weights: Any, squares: Any, *given: Any) -> Any:
        value, slopes = jax.value_and_grad(loss)(weights, *given)
        squares = [s + g * g for s, g in zip(squares, slopes)]
        new = [w - 0.5 * g / jnp.sqrt(s) for w, g, s in zip(weights, slopes, squares)]
        return value, new, squares

    given = [jnp.asarray(part) for part in reviews(n)]
    weights = [jnp.asarray(w) for w in classifier()]
    squares = [jnp.full_like(w, 0.1) for w in weights]

    def call() -> Any:
        value, weights[:], squares[:] = jax.block_until_ready(train(weights, squares, *given))
        return value

    return call


def sentences_torch(torch: Any, n: int) -> Step:
    table, weight = weights = [torch.tensor(w, requires_grad=True) for w in classifier()]
    words, labels = map(torch.tensor, reviews(n))
    f = torch.nn.functional
    optimizers = [
        torch.optim.Adagrad([w], 0.5, initial_accumulator_value=0.1, eps=0.0) for w in weights
    ]

    def train() -> Any:
        there = (words > 0)[:, :, None]
        total = (f.embedding(words, table, sparse=True) * there).sum(1)
        logits = (total / there.sum(1).clamp(min=1) @ weight)[:, 0]
        loss = f.binary_cross_entropy_with_logits(logits, labels)
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        return loss.detach()

    return train


def classifier() -> list[Any]:
    """The vectors of words, and the weights of a score."""
    return [0.3 * numbers(VOCABULARY, 32), numbers(32, 1, seed=1)]


def reviews(n: int) -> tuple[Any, Any]:
    """Words of sentences, 0 where one is over, and a label of each."""
    import numpy as np

    words = integers(VOCABULARY - 1, n, LENGTH) + 1
    words[np.arange(LENGTH) >= integers(LENGTH, n, 1, seed=1) + 1] = 0
    return words, (words[:, 0] % 2).astype(np.float32)


# Attention: a block of a transformer.

TOKENS = 32
FEATURES = 64
HEADS = 4


def block_tf(tf: Any, n: int) -> Step:
    weights = [tf.Variable(value) for value in block()]

    def normal(x: Any) -> Any:
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5)

    @tf.function
    def train(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            into, out, up, down = weights
            parts = tf.reshape(tf.matmul(normal(x), into), [n, TOKENS, 3, HEADS, -1])
            q, k, v = tf.unstack(tf.transpose(parts, [2, 0, 3, 1, 4]))
            scores = tf.matmul(q, k, transpose_b=True) / 4.0
            later = tf.range(TOKENS)[None, :] > tf.range(TOKENS)[:, None]
            mixed = tf.matmul(tf.nn.softmax(tf.where(later, -1e9, scores)), v)
            mixed = tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [n, TOKENS, FEATURES])
            h = x + tf.matmul(mixed, out)
            h += tf.matmul(tf.nn.gelu(tf.matmul(normal(h), up)), down)
            loss = tf.reduce_mean(tf.square(h - y))
        for w, slope in zip(weights, tape.gradient(loss, weights)):
            w.assign_sub(0.01 * slope)
        return loss

    x, y = map(tf.constant, tokens(n))
    return lambda: train(x, y)


def block_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def normal(x: Any) -> Any:
        return (x - jnp.mean(x, -1, keepdims=True)) * jax.lax.rsqrt(
            jnp.var(x, -1, keepdims=True) + 1e-5
        )

    def loss(weights: Any, x: Any, y: Any) -> Any:
        into, out, up, down = weights
        parts = (normal(x) @ into).reshape(n, TOKENS, 3, HEADS, -1)
        q, k, v = parts.transpose(2, 0, 3, 1, 4)
        scores = q @ k.swapaxes(2, 3) / 4.0
        later = jnp.arange(TOKENS)[None, :] > jnp.arange(TOKENS)[:, None]
        mixed = jax.nn.softmax(jnp.where(later, -1e9, scores)) @ v
        h = x + mixed.transpose(0, 2, 1, 3).reshape(n, TOKENS, FEATURES) @ out
        h += jax.nn.gelu(normal(h) @ up, approximate=False) @ down
        return jnp.mean(jnp.square(h - y))

    @jax.jit
    def train(weights: Any, x: Any, y: Any) -> Any:
        value, slopes = jax.value_and_grad(loss)(weights, x, y)
        return value, [w - 0.01 * slope for w, slope in zip(weights, slopes)]

    x, y = map(jnp.asarray, tokens(n))
    weights = [jnp.asarray(w) for w in block()]

    def call() -> Any:
        value, weights[:] = jax.block_until_ready(train(weights, x, y))
        return value

    return call


def block_torch(torch: Any, n: int) -> Step:
    into, out, up, down = weights = [torch.tensor(w, requires_grad=True) for w in block()]
    x, y = map(torch.tensor, tokens(n))
    later = torch.ones(TOKENS, TOKENS, dtype=torch.bool).triu(1)
    f = torch.nn.functional

    def train() -> Any:
        parts = (f.layer_norm(x, (FEATURES,)) @ into).reshape(n, TOKENS, 3, HEADS, -1)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(2, 3) / 4.0
        mixed = torch.softmax(scores.masked_fill(later, -1e9), -1) @ v
        h = x + mixed.transpose(1, 2).reshape(n, TOKENS, FEATURES) @ out
        h = h + f.gelu(f.layer_norm(h, (FEATURES,)) @ up) @ down
        loss = (h - y).square().mean()
        with torch.no_grad():
            for w, slope in zip(weights, torch.autograd.grad(loss, weights)):
                w -= 0.01 * slope
        return loss.detach()

    return train


def tokens(n: int) -> tuple[Any, Any]:
    """The vectors of tokens, and what they should become."""
    return numbers(n, TOKENS, FEATURES), numbers(n, TOKENS, FEATURES, seed=1)


def block() -> list[Any]:
    """The weights of attention, and of two layers."""
    sizes = [(1, 3), (1, 1), (1, 4), (4, 1)]
    return [
        0.1 * numbers(FEATURES * a, FEATURES * b, seed=seed) for seed, (a, b) in enumerate(sizes)
    ]


PROGRAMS = (
    WholeProgram(
        "epoch", "epoch of 20 batches, Adam", 640, 64, epoch_tf, epoch_jax, epoch_torch,
        xla=False, tolerance=1e-3,
    ),
    WholeProgram(
        "images", "training step of a CNN, 32 images", 32, 2, images_tf, images_jax, images_torch
    ),
    WholeProgram(
        "sentences", "training step of a classifier of 64 sentences", 64, 4,
        sentences_tf, sentences_jax, sentences_torch, xla=False,
    ),
    WholeProgram(
        "block", "training step of a transformer's block", 8, 2, block_tf, block_jax, block_torch
    ),
)  # fmt: skip
