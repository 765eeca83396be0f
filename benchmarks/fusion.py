"""Workloads of the native tier: what fuses, what loops.

Numba gets the loops that one would write for it, as many threads as there are cores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from benchmarks.peers import Program, every_way
from benchmarks.workload import Repeated, Workload

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


def of_hundred(module: Any, x: Any) -> Any:
    return hundred(x)


def chain(tanh: Any, x: Any) -> Any:
    """Ten elementwise ops, two of them tanh."""
    y = tanh(x * 1.5 + 0.25) * x - 0.5
    return tanh(y * y + x) * 0.75


# -- TensorFlow's API ---------------------------------------------------------------------------


def staged(function: Callable[[Any, Any], Any], *shapes: tuple[int, ...]) -> Program:
    """A function of the module and arrays, traced."""

    def program(tf: Any) -> Step:
        compiled = tf.function(lambda *xs: function(tf, *xs))
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


# -- Numba --------------------------------------------------------------------------------------


def arrays(*shapes: tuple[int, ...]) -> list[Any]:
    return [values(*shape) for shape in shapes]


def hundred_numba(numba: Any) -> Step:
    import numpy as np

    @numba.njit
    def run(x: Any) -> Any:
        y = np.empty_like(x)
        for k in range(x.size):
            element = x[k]
            for i in range(50):
                element = element * np.float32(1.0 + i / 1000) - np.float32(0.5)
            y[k] = element
        return y

    return partial(run, *arrays((64,)))


def chain_numba(numba: Any) -> Step:
    import numpy as np

    one, quarter, half, rest = (np.float32(c) for c in (1.5, 0.25, 0.5, 0.75))

    @numba.njit(parallel=True)
    def run(x: Any) -> Any:
        result = np.empty_like(x)
        for i in numba.prange(x.size):
            y = np.tanh(x[i] * one + quarter) * x[i] - half
            result[i] = np.tanh(y * y + x[i]) * rest
        return result

    return partial(run, *arrays((10**7,)))


def softmax_numba(numba: Any) -> Step:
    import numpy as np

    @numba.njit(parallel=True)
    def run(x: Any) -> Any:
        result = np.empty_like(x)
        for i in numba.prange(x.shape[0]):
            row = np.exp(x[i] - x[i].max())
            result[i] = row / row.sum()
        return result

    return partial(run, *arrays(MATRIX))


def layer_norm_numba(numba: Any) -> Step:
    import numpy as np

    @numba.njit(parallel=True)
    def run(x: Any, gamma: Any, beta: Any) -> Any:
        result = np.empty_like(x)
        for i in numba.prange(x.shape[0]):
            mean = x[i].sum() / np.float32(x.shape[1])
            centred = x[i] - mean
            variance = (centred * centred).sum() / np.float32(x.shape[1])
            scale = np.float32(1.0) / np.sqrt(variance + np.float32(1e-5))
            result[i] = centred * scale * gamma + beta
        return result

    return partial(run, *arrays(ROWS, FEATURES, FEATURES))


def tanh_numba(numba: Any) -> Step:
    import numpy as np

    @numba.njit
    def shrink(x: Any) -> Any:
        while x.sum() > 0.01:
            x = np.tanh(x)
        return x

    return partial(shrink, np.ones(1, np.float32))


def collatz_numba(numba: Any) -> Step:
    import numpy as np

    @numba.njit
    def all_steps(limit: Any) -> Any:
        steps = np.int32(0)
        for start in range(np.int32(1), limit + np.int32(1)):
            n = start
            while n != 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                steps += 1
        return steps

    return partial(all_steps, np.int32(3000))


def peers(
    shapes: tuple[tuple[int, ...], ...], tf: Any, jax: Any, torch: Any, numba: Program
) -> Mapping[str, Program]:
    staged_ = staged(tf, *shapes)
    return every_way(
        {
            "graphwright": staged_,
            "tensorflow": staged_,
            "jax": jitted(jax, *shapes),
            "torch": plain(torch, *shapes),
            "numba": numba,
        }
    )


def loop(tf: Program, jax: Program, numba: Program) -> Mapping[str, Program]:
    return every_way({"graphwright": tf, "tensorflow": tf, "jax": jax, "numba": numba})


MATRIX, ROWS, FEATURES = (4096, 1024), (8192, 1024), (1024,)

TABLE: tuple[Workload, ...] = (
    Repeated(
        "N1",
        "100 small ops on 64 elements",
        "µs",
        None,
        peers(((64,),), of_hundred, of_hundred, of_hundred, hundred_numba),
    ),
    Repeated(
        "N2",
        "ten elementwise ops on 10^7 elements",
        "µs",
        None,
        peers(
            ((10**7,),),
            lambda tf, x: chain(tf.tanh, x),
            lambda jax, x: chain(jax.numpy.tanh, x),
            lambda torch, x: chain(torch.tanh, x),
            chain_numba,
        ),
    ),
    Repeated(
        "N3",
        "softmax [4096, 1024]",
        "µs",
        None,
        peers(
            (MATRIX,),
            lambda tf, x: tf.nn.softmax(x),
            lambda jax, x: jax.nn.softmax(x),
            lambda torch, x: torch.softmax(x, -1),
            softmax_numba,
        ),
    ),
    Repeated(
        "N4",
        "layer norm [8192, 1024]",
        "µs",
        None,
        peers(
            (ROWS, FEATURES, FEATURES),
            layer_norm_tf,
            layer_norm_jax,
            layer_norm_torch,
            layer_norm_numba,
        ),
    ),
    Repeated(
        "N5", "the guide's tanh loop, 15,000 steps", "µs", None, loop(tanh_tf, tanh_jax, tanh_numba)
    ),
    Repeated(
        "N6",
        "Collatz to 3000, 215,063 steps",
        "µs",
        None,
        loop(collatz_tf, collatz_jax, collatz_numba),
    ),
)
