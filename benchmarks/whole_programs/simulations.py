"""Programs that step through time or space: bodies, waves, cells, heat, chance, fractals."""

from __future__ import annotations

from typing import Any

from benchmarks.whole_programs.whole_program import (
    Step,
    WholeProgram,
    blocking,
    integers,
    numbers,
)

# N-body: leapfrog steps under gravity.

BODY_STEPS = 20


def bodies_tf(tf: Any, n: int) -> Step:
    def acceleration(x: Any, mass: Any) -> Any:
        apart = x[None, :, :] - x[:, None, :]
        inverse = tf.math.rsqrt(tf.reduce_sum(apart * apart, axis=2) + 0.01)
        return tf.reduce_sum(apart * (mass[None, :] * inverse**3)[:, :, None], axis=1)

    @tf.function
    def simulate(x: Any, v: Any, mass: Any) -> Any:
        for _ in tf.range(BODY_STEPS):
            v += 0.005 * acceleration(x, mass)
            x += 0.01 * v
            v += 0.005 * acceleration(x, mass)
        return x, v

    x, v, mass = map(tf.constant, bodies(n))
    return lambda: simulate(x, v, mass)


def bodies_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def acceleration(x: Any, mass: Any) -> Any:
        apart = x[None, :, :] - x[:, None, :]
        inverse = jax.lax.rsqrt(jnp.sum(apart * apart, axis=2) + 0.01)
        return jnp.sum(apart * (mass[None, :] * inverse**3)[:, :, None], axis=1)

    @jax.jit
    def simulate(x: Any, v: Any, mass: Any) -> Any:
        def step(_: Any, state: Any) -> Any:
            x, v = state
            v += 0.005 * acceleration(x, mass)
            x += 0.01 * v
            return x, v + 0.005 * acceleration(x, mass)

        return jax.lax.fori_loop(0, BODY_STEPS, step, (x, v))

    return blocking(jax, simulate, *map(jnp.asarray, bodies(n)))


def bodies_torch(torch: Any, n: int) -> Step:
    def acceleration(x: Any, mass: Any) -> Any:
        apart = x[None, :, :] - x[:, None, :]
        inverse = ((apart * apart).sum(2) + 0.01).rsqrt()
        return (apart * (mass[None, :] * inverse**3)[:, :, None]).sum(1)

    start, speed, mass = map(torch.tensor, bodies(n))

    def simulate() -> Any:
        x, v = start, speed
        for _ in range(BODY_STEPS):
            v = v + 0.005 * acceleration(x, mass)
            x = x + 0.01 * v
            v = v + 0.005 * acceleration(x, mass)
        return x, v

    return simulate


def bodies(n: int) -> tuple[Any, Any, Any]:
    """Places, speeds and masses."""
    return numbers(n, 3), 0.1 * numbers(n, 3, seed=1), abs(numbers(n, seed=2)) / n


# A wave on a square membrane with fixed rims.

WAVE_STEPS = 50


def wave_tf(tf: Any, n: int) -> Step:
    @tf.function
    def propagate(now: Any) -> Any:
        before = now
        for _ in tf.range(WAVE_STEPS):
            inner = (
                now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
                - 4.0 * now[1:-1, 1:-1]
            )  # fmt: skip
            now, before = 2.0 * now - before + 0.2 * tf.pad(inner, [[1, 1], [1, 1]]), now
        return now

    start = tf.constant(hill(n))
    return lambda: propagate(start)


def wave_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def propagate(start: Any) -> Any:
        def step(_: Any, state: Any) -> Any:
            now, before = state
            inner = (
                now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
                - 4.0 * now[1:-1, 1:-1]
            )  # fmt: skip
            return 2.0 * now - before + 0.2 * jnp.pad(inner, 1), now

        return jax.lax.fori_loop(0, WAVE_STEPS, step, (start, start))[0]

    return blocking(jax, propagate, jnp.asarray(hill(n)))


def wave_torch(torch: Any, n: int) -> Step:
    start = torch.tensor(hill(n))

    def propagate() -> Any:
        now = before = start
        for _ in range(WAVE_STEPS):
            inner = (
                now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
                - 4.0 * now[1:-1, 1:-1]
            )  # fmt: skip
            now, before = (
                2.0 * now - before + 0.2 * torch.nn.functional.pad(inner, (1, 1, 1, 1)),
                now,
            )
        return now

    return propagate


def hill(n: int) -> Any:
    """A hill in the middle of a square, zero at its rim."""
    import numpy as np

    line = np.sin(np.linspace(0, np.pi, n)) ** 4
    line[[0, -1]] = 0
    return np.outer(line, line).astype(np.float32)


# Conway's game of life on a torus.

LIFE_STEPS = 50


def life_tf(tf: Any, n: int) -> Step:
    @tf.function
    def live(cells: Any) -> Any:
        for _ in tf.range(LIFE_STEPS):
            rows = cells + tf.roll(cells, 1, 0) + tf.roll(cells, -1, 0)
            block = rows + tf.roll(rows, 1, 1) + tf.roll(rows, -1, 1)
            born = tf.equal(block, 3)
            stays = tf.logical_and(tf.equal(block, 4), tf.equal(cells, 1))
            cells = tf.cast(tf.logical_or(born, stays), tf.int32)
        return cells

    start = tf.constant(integers(2, n, n))
    return lambda: live(start)


def life_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def live(start: Any) -> Any:
        def step(_: Any, cells: Any) -> Any:
            rows = cells + jnp.roll(cells, 1, 0) + jnp.roll(cells, -1, 0)
            block = rows + jnp.roll(rows, 1, 1) + jnp.roll(rows, -1, 1)
            return ((block == 3) | ((block == 4) & (cells == 1))).astype(jnp.int32)

        return jax.lax.fori_loop(0, LIFE_STEPS, step, start)

    return blocking(jax, live, jnp.asarray(integers(2, n, n)))


def life_torch(torch: Any, n: int) -> Step:
    start = torch.tensor(integers(2, n, n))

    def live() -> Any:
        cells = start
        for _ in range(LIFE_STEPS):
            rows = cells + cells.roll(1, 0) + cells.roll(-1, 0)
            block = rows + rows.roll(1, 1) + rows.roll(-1, 1)
            cells = ((block == 3) | ((block == 4) & (cells == 1))).int()
        return cells

    return live


# Heat, implicitly: conjugate gradients until the residual is small.


def heat_tf(tf: Any, n: int) -> Step:
    def apply(x: Any) -> Any:
        p = tf.pad(x, [[1, 1], [1, 1]])
        return 5.0 * x - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]

    @tf.function
    def solve(b: Any) -> Any:
        x, r, d = tf.zeros_like(b), b, b
        size = tf.reduce_sum(r * r)
        while size > 1e-4:
            image = apply(d)
            along = size / tf.reduce_sum(d * image)
            x += along * d
            r -= along * image
            smaller = tf.reduce_sum(r * r)
            d = r + smaller / size * d
            size = smaller
        return x

    b = tf.constant(numbers(n, n))
    return lambda: solve(b)


def heat_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def apply(x: Any) -> Any:
        p = jnp.pad(x, 1)
        return 5.0 * x - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]

    @jax.jit
    def solve(b: Any) -> Any:
        def step(state: Any) -> Any:
            x, r, d, size = state
            image = apply(d)
            along = size / jnp.sum(d * image)
            x, r = x + along * d, r - along * image
            smaller = jnp.sum(r * r)
            return x, r, r + smaller / size * d, smaller

        start = jnp.zeros_like(b), b, b, jnp.sum(b * b)
        return jax.lax.while_loop(lambda state: state[3] > 1e-4, step, start)[0]

    return blocking(jax, solve, jnp.asarray(numbers(n, n)))


def heat_torch(torch: Any, n: int) -> Step:
    b = torch.tensor(numbers(n, n))

    def apply(x: Any) -> Any:
        p = torch.nn.functional.pad(x, (1, 1, 1, 1))
        return 5.0 * x - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]

    def solve() -> Any:
        x, r, d = torch.zeros_like(b), b, b
        size = (r * r).sum()
        while size > 1e-4:
            image = apply(d)
            along = size / (d * image).sum()
            x, r = x + along * d, r - along * image
            smaller = (r * r).sum()
            d = r + smaller / size * d
            size = smaller
        return x

    return solve


# Monte Carlo: the price of an option that depends on the whole path.

PRICE_STEPS = 32
LAST_SEED = 7


def price_tf(tf: Any, n: int) -> Step:
    @tf.function
    def price(seed: Any) -> Any:
        value = tf.ones([n])
        total = tf.zeros([n])
        for i in tf.range(PRICE_STEPS):
            shock = tf.random.stateless_normal([n], tf.stack([seed, i]))
            value *= tf.exp(0.05 * shock - 0.00125)
            total += value
        return tf.reduce_mean(total / PRICE_STEPS), tf.reduce_mean(tf.nn.relu(value - 0.5))

    seed = tf.constant(LAST_SEED)
    return lambda: price(seed)


def price_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def price(key: Any) -> Any:
        def step(i: Any, state: Any) -> Any:
            value, total = state
            shock = jax.random.normal(jax.random.fold_in(key, i), (n,))
            value *= jnp.exp(0.05 * shock - 0.00125)
            return value, total + value

        start = jnp.ones(n), jnp.zeros(n)
        value, total = jax.lax.fori_loop(0, PRICE_STEPS, step, start)
        return jnp.mean(total / PRICE_STEPS), jnp.mean(jax.nn.relu(value - 0.5))

    return blocking(jax, price, jax.random.key(LAST_SEED))


def price_torch(torch: Any, n: int) -> Step:
    def price() -> Any:
        source = torch.Generator().manual_seed(LAST_SEED)
        value, total = torch.ones(n), torch.zeros(n)
        for _ in range(PRICE_STEPS):
            value = value * torch.exp(0.05 * torch.randn(n, generator=source) - 0.00125)
            total = total + value
        return (total / PRICE_STEPS).mean(), (value - 0.5).relu().mean()

    return price


# The Mandelbrot set: how many steps each point stays near.

MOST_ESCAPES = 50


def mandelbrot_tf(tf: Any, n: int) -> Step:
    @tf.function
    def count(a: Any, b: Any) -> Any:
        x, y = tf.zeros_like(a), tf.zeros_like(b)
        counts = tf.zeros([n, n], tf.int32)
        i = 0
        near = tf.ones([n, n], tf.bool)
        while i < MOST_ESCAPES and tf.reduce_any(near):
            square = x * x - y * y + a
            y = tf.where(near, 2.0 * x * y + b, y)
            x = tf.where(near, square, x)
            near = x * x + y * y < 4.0
            counts += tf.cast(near, tf.int32)
            i += 1
        return counts

    a, b = map(tf.constant, plane(n))
    return lambda: count(a, b)


def mandelbrot_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def count(a: Any, b: Any) -> Any:
        def step(state: Any) -> Any:
            x, y, counts, near, i = state
            square = x * x - y * y + a
            y = jnp.where(near, 2.0 * x * y + b, y)
            x = jnp.where(near, square, x)
            near = x * x + y * y < 4.0
            return x, y, counts + near, near, i + 1

        zero = jnp.zeros_like(a)
        start = zero, zero, jnp.zeros((n, n), jnp.int32), jnp.ones((n, n), bool), 0
        go_on = lambda state: (state[4] < MOST_ESCAPES) & jnp.any(state[3])  # noqa: E731
        return jax.lax.while_loop(go_on, step, start)[2]

    return blocking(jax, count, *map(jnp.asarray, plane(n)))


def mandelbrot_torch(torch: Any, n: int) -> Step:
    a, b = map(torch.tensor, plane(n))

    def count() -> Any:
        x, y = torch.zeros_like(a), torch.zeros_like(b)
        counts = torch.zeros(n, n, dtype=torch.int32)
        near = torch.ones(n, n, dtype=torch.bool)
        i = 0
        while i < MOST_ESCAPES and near.any():
            square = x * x - y * y + a
            y = torch.where(near, 2.0 * x * y + b, y)
            x = torch.where(near, square, x)
            near = x * x + y * y < 4.0
            counts += near
            i += 1
        return counts

    return count


def plane(n: int) -> Any:
    """The points of a part of the plane."""
    import numpy as np

    return np.meshgrid(
        np.linspace(-2, 0.5, n, dtype=np.float32), np.linspace(-1.2, 1.2, n, dtype=np.float32)
    )


PROGRAMS = (
    WholeProgram("bodies", "N-body, 20 steps", 128, 8, bodies_tf, bodies_jax, bodies_torch),
    WholeProgram("wave", "wave equation, 50 steps", 128, 8, wave_tf, wave_jax, wave_torch),
    WholeProgram("life", "game of life, 50 steps", 128, 16, life_tf, life_jax, life_torch),
    WholeProgram("heat", "implicit heat step by CG", 64, 8, heat_tf, heat_jax, heat_torch),
    WholeProgram(
        "price", "Monte Carlo, 32 steps", 4096, 4096, price_tf, price_jax, price_torch,
        tolerance=0.02,
    ),
    WholeProgram(
        "mandelbrot", "Mandelbrot set", 128, 8, mandelbrot_tf, mandelbrot_jax, mandelbrot_torch,
        tolerance=1e-3,
    ),
)  # fmt: skip
