"""Workloads of training: whole steps, gradients through a loop, the overhead of a tape.

Every peer does what its users do: TensorFlow and graphwright trace a step that has a tape in it,
JAX compiles the gradient, PyTorch runs op by op. The arithmetic is the same, float32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from benchmarks.peers import Program, every_way
from benchmarks.workload import Repeated, Workload

Step = Callable[[], object]

RATE = 0.01
LAYERS = (784, 512, 256, 10)
BATCH = 128
IMAGE = (32, 16, 16, 3)  # batch, height, width, channels
FILTERS = (16, 32)
SEQUENCE = (32, 200, 64)  # batch, steps, features
HIDDEN = 128


def random(*shape: int) -> Any:
    """Values of the size that weights have."""
    import numpy as np

    scale = 1 / np.sqrt(np.prod(shape[:-1]) or 1)
    return np.random.RandomState(sum(shape)).normal(0, scale, shape).astype(np.float32)


def labels(batch: int) -> Any:
    import numpy as np

    return np.arange(batch, dtype=np.int32) % 10


def perceptron_weights() -> list[Any]:
    return [
        w for rows, columns in pairwise(LAYERS) for w in (random(rows, columns), random(columns))
    ]


def network_weights() -> list[Any]:
    first, second = FILTERS
    pixels = IMAGE[1] // 4 * (IMAGE[2] // 4)
    return [
        random(3, 3, IMAGE[3], first),
        random(first),
        random(3, 3, first, second),
        random(second),
        random(pixels * second, 10),
        random(10),
    ]


# -- TensorFlow's API ---------------------------------------------------------------------------


def perceptron_tf(tf: Any, x: Any, weights: Any) -> Any:
    for i in range(0, len(weights), 2):
        x = tf.matmul(x if i == 0 else tf.nn.relu(x), weights[i]) + weights[i + 1]
    return x


def network_tf(tf: Any, x: Any, weights: Any) -> Any:
    for i in (0, 2):
        x = tf.nn.relu(tf.nn.conv2d(x, weights[i], 1, "SAME") + weights[i + 1])
        x = tf.nn.max_pool2d(x, 2, 2, "VALID")
    return tf.matmul(tf.reshape(x, [x.shape[0], -1]), weights[4]) + weights[5]


def train_tf(model: Any, values: Callable[[], list[Any]], *shape: int) -> Program:
    """A step of gradient descent on the cross-entropy, as one traced function."""

    def program(tf: Any) -> Step:
        weights = [tf.Variable(value) for value in values()]

        @tf.function
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, model(tf, x, weights))
                loss = tf.reduce_mean(losses)
            for w, g in zip(weights, tape.gradient(loss, weights)):
                w.assign_sub(RATE * g)
            return loss

        x, y = tf.constant(random(*shape)), tf.constant(labels(shape[0]))
        return lambda: step(x, y).numpy()

    return program


def recurrent_weights() -> list[Any]:
    return [random(SEQUENCE[2], HIDDEN), random(HIDDEN, HIDDEN), random(HIDDEN)]


def unroll_tf(tf: Any, inputs: Any, inner: Any, outer: Any, bias: Any) -> Any:
    """The guide's dynamic_rnn with a simple cell."""
    rows = tf.transpose(inputs, [1, 0, 2])
    length = rows.shape[0]
    state = tf.zeros([rows.shape[1], HIDDEN])
    states = tf.TensorArray(tf.float32, size=length)
    for i in tf.range(length):
        state = tf.tanh(tf.matmul(rows[i], inner) + tf.matmul(state, outer) + bias)
        states = states.write(i, state)
    return states.stack()


def forward_tf(tf: Any) -> Step:
    weights = [tf.Variable(w) for w in recurrent_weights()]
    unroll = tf.function(lambda inputs: unroll_tf(tf, inputs, *weights))
    inputs = tf.constant(random(*SEQUENCE))
    return lambda: unroll(inputs).numpy()


def recurrent_tf(tf: Any) -> Step:
    """The gradient of the weights."""
    weights = [tf.Variable(w) for w in recurrent_weights()]

    @tf.function
    def slopes(inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(unroll_tf(tf, inputs, *weights)))
        return tape.gradient(loss, weights)

    inputs = tf.constant(random(*SEQUENCE))
    return lambda: slopes(inputs)[0].numpy()


def tape_tf(tf: Any) -> Step:
    x = tf.constant(2.0)

    def slope() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        return tape.gradient(y, x)

    return slope


# -- JAX ----------------------------------------------------------------------------------------


def perceptron_jax(jax: Any, x: Any, weights: Any) -> Any:
    for i in range(0, len(weights), 2):
        x = (x if i == 0 else jax.nn.relu(x)) @ weights[i] + weights[i + 1]
    return x


def network_jax(jax: Any, x: Any, weights: Any) -> Any:
    layout = ("NHWC", "HWIO", "NHWC")
    for i in (0, 2):
        x = jax.lax.conv_general_dilated(x, weights[i], (1, 1), "SAME", dimension_numbers=layout)
        x = jax.nn.relu(x + weights[i + 1])
        window = (1, 2, 2, 1)
        x = jax.lax.reduce_window(x, -float("inf"), jax.lax.max, window, window, "VALID")
    return x.reshape(x.shape[0], -1) @ weights[4] + weights[5]


def train_jax(model: Any, values: Callable[[], list[Any]], *shape: int) -> Program:
    def program(jax: Any) -> Step:
        def loss(weights: Any, x: Any, y: Any) -> Any:
            logarithms = jax.nn.log_softmax(model(jax, x, weights))
            return -logarithms[jax.numpy.arange(len(y)), y].mean()

        @jax.jit
        def step(weights: Any, x: Any, y: Any) -> Any:
            value, slopes = jax.value_and_grad(loss)(weights, x, y)
            return value, [w - RATE * g for w, g in zip(weights, slopes)]

        state = [jax.numpy.asarray(value) for value in values()]
        x, y = jax.numpy.asarray(random(*shape)), jax.numpy.asarray(labels(shape[0]))

        def call() -> Any:
            value, state[:] = step(state, x, y)
            return float(value)

        return call

    return program


def unroll_jax(jax: Any, weights: Any, inputs: Any) -> Any:
    jnp = jax.numpy
    inner, outer, bias = weights

    def cell(state: Any, x: Any) -> Any:
        state = jnp.tanh(x @ inner + state @ outer + bias)
        return state, state

    rows = jnp.transpose(inputs, (1, 0, 2))
    return jax.lax.scan(cell, jnp.zeros((rows.shape[1], HIDDEN)), rows)[1]


def forward_jax(jax: Any) -> Step:
    unroll = jax.jit(lambda weights, inputs: unroll_jax(jax, weights, inputs))
    given = [jax.numpy.asarray(w) for w in recurrent_weights()]
    inputs = jax.numpy.asarray(random(*SEQUENCE))
    return lambda: unroll(given, inputs).block_until_ready()


def recurrent_jax(jax: Any) -> Step:
    jnp = jax.numpy
    slopes = jax.jit(jax.grad(lambda weights, x: jnp.mean(unroll_jax(jax, weights, x) ** 2)))
    given = [jnp.asarray(w) for w in recurrent_weights()]
    inputs = jnp.asarray(random(*SEQUENCE))
    return lambda: slopes(given, inputs)[0].block_until_ready()


def tape_jax(jax: Any) -> Step:
    slope = jax.grad(lambda x: x * x * x)
    return lambda: slope(2.0)


# -- PyTorch ------------------------------------------------------------------------------------


def perceptron_torch(torch: Any, x: Any, weights: Any) -> Any:
    for i in range(0, len(weights), 2):
        x = (x if i == 0 else torch.relu(x)) @ weights[i] + weights[i + 1]
    return x


def network_torch(torch: Any, x: Any, weights: Any) -> Any:
    functional = torch.nn.functional
    for i in (0, 2):
        x = torch.relu(functional.conv2d(x, weights[i], weights[i + 1], padding=1))
        x = functional.max_pool2d(x, 2)
    return x.flatten(1) @ weights[4] + weights[5]


def train_torch(model: Any, values: Callable[[], list[Any]], *shape: int) -> Program:
    def program(torch: Any) -> Step:
        weights = [channels_first(torch, torch.tensor(value), True) for value in values()]
        for w in weights:
            w.requires_grad_(True)
        x = channels_first(torch, torch.tensor(random(*shape)), False)
        y = torch.tensor(labels(shape[0]), dtype=torch.int64)

        def step() -> Any:
            loss = torch.nn.functional.cross_entropy(model(torch, x, weights), y)
            slopes = torch.autograd.grad(loss, weights)
            with torch.no_grad():
                for w, g in zip(weights, slopes):
                    w -= RATE * g
            return float(loss)

        return step

    return program


def channels_first(torch: Any, value: Any, filters: bool) -> Any:
    """Images and filters in PyTorch's order; everything else as it is."""
    if value.ndim != 4:
        return value
    return value.permute((3, 2, 0, 1) if filters else (0, 3, 1, 2)).contiguous()


def unroll_torch(torch: Any, inputs: Any, inner: Any, outer: Any, bias: Any) -> Any:
    state, states = torch.zeros(SEQUENCE[0], HIDDEN), []
    for row in inputs.unbind(1):
        state = torch.tanh(row @ inner + state @ outer + bias)
        states.append(state)
    return torch.stack(states)


def forward_torch(torch: Any) -> Step:
    weights = [torch.tensor(w) for w in recurrent_weights()]
    inputs = torch.tensor(random(*SEQUENCE))
    return lambda: unroll_torch(torch, inputs, *weights)


def recurrent_torch(torch: Any) -> Step:
    weights = [torch.tensor(w, requires_grad=True) for w in recurrent_weights()]
    inputs = torch.tensor(random(*SEQUENCE))

    def slopes() -> Any:
        loss = unroll_torch(torch, inputs, *weights).square().mean()
        return torch.autograd.grad(loss, weights)

    return slopes


def tape_torch(torch: Any) -> Step:
    x = torch.tensor(2.0, requires_grad=True)
    return lambda: torch.autograd.grad(x * x * x, x)


# -- the table ----------------------------------------------------------------------------------


def peers(tf: Program, jax: Program, torch: Program) -> Mapping[str, Program]:
    return every_way({"graphwright": tf, "tensorflow": tf, "jax": jax, "torch": torch})


def training(models: tuple[Any, Any, Any], values: Any, *shape: int) -> Mapping[str, Program]:
    """Programs that train a model written for TensorFlow's API, JAX and PyTorch."""
    makers = train_tf, train_jax, train_torch
    return peers(*[make(model, values, *shape) for make, model in zip(makers, models)])


PERCEPTRONS = perceptron_tf, perceptron_jax, perceptron_torch
NETWORKS = network_tf, network_jax, network_torch

TABLE: tuple[Workload, ...] = (
    Repeated(
        "T_mlp",
        "a training step, 784-512-256-10, batch 128",
        "µs",
        None,
        training(PERCEPTRONS, perceptron_weights, BATCH, LAYERS[0]),
    ),
    Repeated(
        "T_cnn",
        "a training step, two convolutions, 32 images of 16x16x3",
        "µs",
        None,
        training(NETWORKS, network_weights, *IMAGE),
    ),
    Repeated(
        "T_rnn_f",
        "dynamic_rnn forward, batch 32, 200 steps, 64 to 128",
        "µs",
        None,
        peers(forward_tf, forward_jax, forward_torch),
    ),
    Repeated(
        "T_rnn",
        "gradient of dynamic_rnn, batch 32, 200 steps, 64 to 128",
        "µs",
        None,
        peers(recurrent_tf, recurrent_jax, recurrent_torch),
    ),
    Repeated(
        "T_tape", "eager gradient of x * x * x, a scalar", "µs", None,
        {"graphwright": tape_tf, "tensorflow": tape_tf, "jax": tape_jax, "torch": tape_torch},
    ),
)  # fmt: skip
