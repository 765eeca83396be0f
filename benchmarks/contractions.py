"""Workloads that multiply: matrices, batches of them, convolutions, a step of training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.peers import Program, every_way
from benchmarks.workload import Repeated, Workload

Step = Callable[[], object]


def numbers(*shape: int) -> Any:
    """The same random float32 numbers for every peer."""
    import numpy

    return numpy.random.default_rng(sum(shape)).standard_normal(shape, numpy.float32)


# W11, W11b: products of matrices.


def product_tf(left: tuple[int, ...], right: tuple[int, ...], tf: Any) -> Step:
    x, y = tf.constant(numbers(*left)), tf.constant(numbers(*right))
    multiply = tf.function(lambda x, y: tf.matmul(x, y))
    return lambda: multiply(x, y)


def product_jax(left: tuple[int, ...], right: tuple[int, ...], jax: Any) -> Step:
    x, y = jax.numpy.asarray(numbers(*left)), jax.numpy.asarray(numbers(*right))
    multiply = jax.jit(jax.numpy.matmul)
    return lambda: multiply(x, y).block_until_ready()


def product_torch(left: tuple[int, ...], right: tuple[int, ...], torch: Any) -> Step:
    x, y = torch.from_numpy(numbers(*left)), torch.from_numpy(numbers(*right))
    return lambda: torch.matmul(x, y)


def product_numpy(left: tuple[int, ...], right: tuple[int, ...], np: Any) -> Step:
    x, y = numbers(*left), numbers(*right)
    return lambda: np.matmul(x, y)


# W8: the guide's convolution. torch gets its images as it likes them, channels last in memory.

IMAGES, FILTERS = (1, 200, 200, 100), (3, 3, 100, 100)


def convolution_tf(tf: Any) -> Step:
    images, filters = tf.constant(numbers(*IMAGES)), tf.constant(numbers(*FILTERS))
    convolve = tf.function(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"))
    return lambda: convolve(images, filters)


def convolution_jax(jax: Any) -> Step:
    images, filters = jax.numpy.asarray(numbers(*IMAGES)), jax.numpy.asarray(numbers(*FILTERS))
    layout = ("NHWC", "HWIO", "NHWC")

    def convolve(x: Any, w: Any) -> Any:
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=layout)

    compiled = jax.jit(convolve)
    return lambda: compiled(images, filters).block_until_ready()


def convolution_torch(torch: Any) -> Step:
    last = torch.channels_last
    images = torch.from_numpy(numbers(*IMAGES)).permute(0, 3, 1, 2)
    filters = torch.from_numpy(numbers(*FILTERS)).permute(3, 2, 0, 1)
    filters = filters.contiguous(memory_format=last)

    def convolve() -> object:
        with torch.inference_mode():
            return torch.nn.functional.conv2d(images, filters, padding=1)

    return convolve


# W8g: a step of training: two convolutions, each with the greatest of 2x2, and ten scores.

BATCH = 32
SHAPES = ((3, 3, 1, 32), (32,), (3, 3, 32, 64), (64,), (7 * 7 * 64, 10), (10,))
RATE = 0.01


def weights() -> list[Any]:
    return [0.05 * numbers(*shape) for shape in SHAPES]


def labels() -> Any:
    import numpy

    return numpy.arange(BATCH, dtype=numpy.int32) % 10


def training_tf(tf: Any) -> Step:
    images, digits = tf.constant(numbers(BATCH, 28, 28, 1)), tf.constant(labels())
    variables = [tf.Variable(w) for w in weights()]

    @tf.function
    def train() -> Any:
        with tf.GradientTape() as tape:
            w1, b1, w2, b2, w3, b3 = variables
            x = tf.nn.relu(tf.nn.conv2d(images, w1, 1, "SAME") + b1)
            x = tf.nn.max_pool2d(x, 2, 2, "VALID")
            x = tf.nn.relu(tf.nn.conv2d(x, w2, 1, "SAME") + b2)
            x = tf.nn.max_pool2d(x, 2, 2, "VALID")
            scores = tf.matmul(tf.reshape(x, [BATCH, -1]), w3) + b3
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(digits, scores)
            loss = tf.reduce_mean(losses)
        for variable, slope in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(RATE * slope)
        return loss

    return lambda: train()


def training_jax(jax: Any) -> Step:
    jnp, lax = jax.numpy, jax.lax
    images, digits = jnp.asarray(numbers(BATCH, 28, 28, 1)), jnp.asarray(labels())
    layout = ("NHWC", "HWIO", "NHWC")

    def layer(x: Any, w: Any, b: Any) -> Any:
        x = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=layout) + b
        x = jnp.maximum(x, 0)
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def loss_of(parameters: list[Any]) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        x = layer(layer(images, w1, b1), w2, b2)
        chances = jax.nn.log_softmax(x.reshape(BATCH, -1) @ w3 + b3)
        return -chances[jnp.arange(BATCH), digits].mean()

    @jax.jit
    def train(parameters: list[Any]) -> Any:
        loss, slopes = jax.value_and_grad(loss_of)(parameters)
        return loss, [p - RATE * s for p, s in zip(parameters, slopes)]

    state = [jnp.asarray(w) for w in weights()]

    def step() -> object:
        loss, state[:] = train(state)
        return loss.block_until_ready()

    return step


def training_torch(torch: Any) -> Step:
    functional = torch.nn.functional
    images = torch.from_numpy(numbers(BATCH, 28, 28, 1)).permute(0, 3, 1, 2)
    digits = torch.from_numpy(labels()).long()
    parameters = [torch.from_numpy(w) for w in weights()]
    for i in (0, 2):
        own = parameters[i].permute(3, 2, 0, 1)
        parameters[i] = own.contiguous(memory_format=torch.channels_last)
    for parameter in parameters:
        parameter.requires_grad_()

    def step() -> object:
        w1, b1, w2, b2, w3, b3 = parameters
        x = functional.max_pool2d(functional.relu(functional.conv2d(images, w1, b1, padding=1)), 2)
        x = functional.max_pool2d(functional.relu(functional.conv2d(x, w2, b2, padding=1)), 2)
        scores = x.permute(0, 2, 3, 1).reshape(BATCH, -1) @ w3 + b3
        loss = functional.cross_entropy(scores, digits)
        slopes = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for parameter, slope in zip(parameters, slopes):
                parameter -= RATE * slope
        return loss

    return step


def products(name: str, title: str, left: tuple[int, ...], right: tuple[int, ...]) -> Workload:
    makers = {
        "graphwright": product_tf,
        "tensorflow": product_tf,
        "jax": product_jax,
        "torch": product_torch,
        "numpy": product_numpy,
    }

    def program(maker: Callable[..., Step]) -> Program:
        return lambda module: maker(left, right, module)

    programs = {peer: program(maker) for peer, maker in makers.items()}
    return Repeated(name, title, "µs", None, every_way(programs))


TABLE: tuple[Workload, ...] = (
    Repeated(
        "W8",
        "conv2d [1,200,200,100] with 100 filters of 3x3",
        "µs",
        None,
        every_way(
            {
                "graphwright": convolution_tf,
                "tensorflow": convolution_tf,
                "jax": convolution_jax,
                "torch": convolution_torch,
            }
        ),
    ),
    Repeated(
        "W8g",
        "a training step of a small convolutional network",
        "µs",
        None,
        every_way(
            {
                "graphwright": training_tf,
                "tensorflow": training_tf,
                "jax": training_jax,
                "torch": training_torch,
            }
        ),
    ),
    products("W11", "matmul 1024x1024x1024", (1024, 1024), (1024, 1024)),
    products("W11b", "batch matmul [64,128,128]", (64, 128, 128), (64, 128, 128)),
)
