"""Workloads of the native tier: what fuses, what loops.

TensorFlow compiles with XLA, JAX with its own jit, PyTorch runs op by op (its fastest way for most
of these; a loop in Python is what its users write for the others).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.workload import Program, Repeated, Workload

Step = Callable[[], object]


def values(*shape: int) -> Any:
    """Numbers around zero."""
    import numpy as np

    return np.random.RandomState(len(shape)).normal(size=shape).astype(np.float32)


def hundred(x: Any) -> Any:
    """A hundred small ops."""
    for i in range(50):
        x = x * (1.0 + i / 1000) - 0.5
    return x


def chain(tanh: Any, x: Any) -> Any:
    """Ten elementwise ops, two of them tanh."""
    y = tanh(x * 1.5 + 0.25) * x - 0.5
    return tanh(y * y + x) * 0.75


# -- TensorFlow's API ---------------------------------------------------------------------------


def staged(function: Callable[[Any, Any], Any], *shapes: tuple[int, ...]) -> Program:
    """A function of the module and arrays, traced; our peer compiles it with XLA."""

    def program(tf: Any) -> Step:
        compiled = tf.function(lambda *xs: function(tf, *xs), jit_compile=True)
        arrays = [tf.constant(values(*shape)) for shape in shapes]
        return lambda: compiled(*arrays)

    return program


def layer_norm_tf(tf: Any, x: Any, gamma: Any, beta: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5) * gamma + beta


def tanh_tf(tf: Any) -> Step:
    @tf.function
    def shrink(x: Any) -> Any:
        while tf.reduce_sum(x) > 0.01:
            x = tf.tanh(x)
        return x

    x = tf.ones([1])
    return lambda: shrink(x)


def collatz_tf(tf: Any) -> Step:
    @tf.function
    def all_steps(limit: Any) -> Any:
        steps = 0
        start = 1
        while start <= limit:
            n = start
            while n != 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                steps += 1
            start += 1
        return steps

    limit = tf.constant(3000)
    return lambda: all_steps(limit)


# -- JAX ----------------------------------------------------------------------------------------


def jitted(function: Callable[[Any, Any], Any], *shapes: tuple[int, ...]) -> Program:
    def program(jax: Any) -> Step:
        compiled = jax.jit(lambda *xs: function(jax, *xs))
        arrays = [jax.numpy.asarray(values(*shape)) for shape in shapes]
        return lambda: compiled(*arrays).block_until_ready()

    return program


def layer_norm_jax(jax: Any, x: Any, gamma: Any, beta: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * gamma + beta


def tanh_jax(jax: Any) -> Step:
    jnp = jax.numpy
    shrink = jax.jit(lambda x: jax.lax.while_loop(lambda x: x.sum() > 0.01, jnp.tanh, x))
    x = jnp.ones([1])
    return lambda: shrink(x).block_until_ready()


def collatz_jax(jax: Any) -> Step:
    lax = jax.lax

    def follow(state: Any) -> Any:
        n, steps = state
        return jax.numpy.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    def one(start: Any, steps: Any) -> Any:
        return lax.while_loop(lambda s: s[0] != 1, follow, (start, steps))[1]

    all_steps = jax.jit(lambda limit: lax.fori_loop(1, limit + 1, one, 0))
    return lambda: all_steps(3000).block_until_ready()


# -- PyTorch ------------------------------------------------------------------------------------


def plain(function: Callable[[Any, Any], Any], *shapes: tuple[int, ...]) -> Program:
    def program(torch: Any) -> Step:
        arrays = [torch.from_numpy(values(*shape)) for shape in shapes]
        return lambda: function(torch, *arrays)

    return program


def layer_norm_torch(torch: Any, x: Any, gamma: Any, beta: Any) -> Any:
    return torch.nn.functional.layer_norm(x, gamma.shape, gamma, beta)


def three(
    shapes: tuple[tuple[int, ...], ...], tf: Any, jax: Any, torch: Any
) -> Mapping[str, Program]:
    staged_ = staged(tf, *shapes)
    return {
        "graphwright": staged_,
        "tensorflow": staged_,
        "jax": jitted(jax, *shapes),
        "torch": plain(torch, *shapes),
    }


def loop(tf: Program, jax: Program) -> Mapping[str, Program]:
    return {"graphwright": tf, "tensorflow": tf, "jax": jax}


MATRIX, ROWS, FEATURES = (4096, 1024), (8192, 1024), (1024,)

TABLE: tuple[Workload, ...] = (
    Repeated(
        "N1",
        "100 small ops on 64 elements",
        "µs",
        None,
        three(((64,),), *[lambda m, x: hundred(x)] * 3),
    ),
    Repeated(
        "N2",
        "ten elementwise ops on 10^7 elements",
        "µs",
        None,
        three(
            ((10**7,),),
            lambda tf, x: chain(tf.tanh, x),
            lambda jax, x: chain(jax.numpy.tanh, x),
            lambda torch, x: chain(torch.tanh, x),
        ),
    ),
    Repeated(
        "N3",
        "softmax [4096, 1024]",
        "µs",
        None,
        three(
            (MATRIX,),
            lambda tf, x: tf.nn.softmax(x),
            lambda jax, x: jax.nn.softmax(x),
            lambda torch, x: torch.softmax(x, -1),
        ),
    ),
    Repeated(
        "N4",
        "layer norm [8192, 1024]",
        "µs",
        None,
        three((ROWS, FEATURES, FEATURES), layer_norm_tf, layer_norm_jax, layer_norm_torch),
    ),
    Repeated("N5", "the guide's tanh loop, 15,000 steps", "µs", None, loop(tanh_tf, tanh_jax)),
    Repeated("N6", "Collatz to 3000, 215,063 steps", "µs", None, loop(collatz_tf, collatz_jax)),
)
