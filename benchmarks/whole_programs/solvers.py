"""Programs that go on until they are near enough: orbits, minima, seasons of a series."""

from __future__ import annotations

from typing import Any

from benchmarks.whole_programs.whole_program import (
    Step,
    WholeProgram,
    blocking,
    numbers,
)

# An orbit, by Bogacki and Shampine's steps, which are as long as the error allows.


def orbit_tf(tf: Any, n: int) -> Step:
    def slope(y: Any) -> Any:
        cubed = tf.reduce_sum(tf.square(y[0])) ** 1.5
        return tf.stack([y[1], -y[0] / cubed])

    @tf.function
    def integrate(y: Any, end: Any) -> Any:
        t, h, steps = tf.constant(0.0), tf.constant(0.01), 0
        k1 = slope(y)
        while t < end:
            h = tf.minimum(h, end - t)
            k2 = slope(y + 0.5 * h * k1)
            k3 = slope(y + 0.75 * h * k2)
            new = y + h * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0
            k4 = slope(new)
            apart = h * (-5.0 * k1 + 6.0 * k2 + 8.0 * k3 - 9.0 * k4) / 72.0
            error = tf.reduce_max(tf.abs(apart)) / 1e-4
            if error < 1.0:
                t, y, k1 = t + h, new, k4
                steps += 1
            h *= tf.clip_by_value(0.9 * error ** (-1 / 3), 0.2, 5.0)
        return y, steps

    y, end = tf.constant(START), tf.constant(float(n))
    return lambda: integrate(y, end)


def orbit_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def slope(y: Any) -> Any:
        return jnp.stack([y[1], -y[0] / jnp.sum(jnp.square(y[0])) ** 1.5])

    @jax.jit
    def integrate(y: Any, end: Any) -> Any:
        def step(state: Any) -> Any:
            t, y, k1, h, steps = state
            h = jnp.minimum(h, end - t)
            k2 = slope(y + 0.5 * h * k1)
            k3 = slope(y + 0.75 * h * k2)
            new = y + h * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0
            k4 = slope(new)
            apart = h * (-5.0 * k1 + 6.0 * k2 + 8.0 * k3 - 9.0 * k4) / 72.0
            error = jnp.max(jnp.abs(apart)) / 1e-4
            good = error < 1.0
            t, y, k1 = t + jnp.where(good, h, 0.0), jnp.where(good, new, y), jnp.where(good, k4, k1)
            return t, y, k1, h * jnp.clip(0.9 * error ** (-1 / 3), 0.2, 5.0), steps + good

        start = 0.0, y, slope(y), 0.01, 0
        state = jax.lax.while_loop(lambda state: state[0] < end, step, start)
        return state[1], state[4]

    return blocking(jax, integrate, jnp.asarray(START), jnp.float32(n))


def orbit_torch(torch: Any, n: int) -> Step:
    start, end = torch.tensor(START), torch.tensor(float(n))

    def slope(y: Any) -> Any:
        return torch.stack([y[1], -y[0] / y[0].square().sum() ** 1.5])

    def integrate() -> Any:
        y, t, h, steps = start, torch.tensor(0.0), torch.tensor(0.01), 0
        k1 = slope(y)
        while t < end:
            h = torch.minimum(h, end - t)
            k2 = slope(y + 0.5 * h * k1)
            k3 = slope(y + 0.75 * h * k2)
            new = y + h * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0
            k4 = slope(new)
            apart = h * (-5.0 * k1 + 6.0 * k2 + 8.0 * k3 - 9.0 * k4) / 72.0
            error = apart.abs().max() / 1e-4
            if error < 1.0:
                t, y, k1 = t + h, new, k4
                steps += 1
            h = h * (0.9 * error ** (-1 / 3)).clip(0.2, 5.0)
        return y, steps

    return integrate


START = [[1.0, 0.0], [0.0, 1.2]]

# L-BFGS: Rosenbrock's valley, with a history of six steps and a line search.

HISTORY = 6


def valley_tf(tf: Any, n: int) -> Step:
    def value(x: Any) -> Any:
        return tf.reduce_sum(100.0 * tf.square(x[1:] - x[:-1] ** 2) + tf.square(1.0 - x[:-1]))

    def value_and_slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = value(x)
        return y, tape.gradient(y, x)

    @tf.function
    def minimize(x: Any) -> Any:
        moves, changes = tf.zeros([HISTORY, n]), tf.zeros([HISTORY, n])
        y, slope = value_and_slope(x)
        steps = 0
        while tf.norm(slope) > 1e-2 and steps < 400:
            direction = slope
            shares = tf.TensorArray(tf.float32, HISTORY)
            for i in tf.range(HISTORY - 1, -1, -1):
                product = tf.reduce_sum(moves[i] * changes[i])
                share = tf.math.divide_no_nan(tf.reduce_sum(moves[i] * direction), product)
                shares = shares.write(i, share)
                direction -= share * changes[i]
            if steps > 0:
                last = tf.reduce_sum(changes[-1] ** 2)
                direction *= tf.reduce_sum(moves[-1] * changes[-1]) / last
            for i in tf.range(HISTORY):
                product = tf.reduce_sum(moves[i] * changes[i])
                share = tf.math.divide_no_nan(tf.reduce_sum(changes[i] * direction), product)
                direction += (shares.read(i) - share) * moves[i]
            along, fall = tf.constant(1.0), tf.reduce_sum(direction * slope)
            while value(x - along * direction) > y - 1e-4 * along * fall and along > 1e-6:
                along *= 0.5
            move = -along * direction
            x += move
            y, new = value_and_slope(x)
            moves = tf.concat([moves[1:], move[None]], 0)
            changes = tf.concat([changes[1:], (new - slope)[None]], 0)
            slope = new
            steps += 1
        return x

    x = tf.zeros([n])
    return lambda: minimize(x)


def valley_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def value(x: Any) -> Any:
        return jnp.sum(100.0 * jnp.square(x[1:] - x[:-1] ** 2) + jnp.square(1.0 - x[:-1]))

    def share(a: Any, b: Any, product: Any) -> Any:
        return jnp.where(product == 0.0, 0.0, jnp.sum(a * b) / product)

    @jax.jit
    def minimize(x: Any) -> Any:
        def step(state: Any) -> Any:
            x, y, slope, moves, changes, steps = state
            products = jnp.sum(moves * changes, 1)

            def back(direction: Any, row: Any) -> Any:
                move, change, product = row
                part = share(move, direction, product)
                return direction - part * change, part

            def forth(direction: Any, row: Any) -> Any:
                move, change, product, part = row
                return direction + (part - share(change, direction, product)) * move, None

            rows = moves, changes, products
            direction, shares = jax.lax.scan(back, slope, rows, reverse=True)
            scale = products[-1] / jnp.sum(changes[-1] ** 2)
            direction *= jnp.where(steps > 0, scale, 1.0)
            direction = jax.lax.scan(forth, direction, (*rows, shares))[0]
            fall = jnp.sum(direction * slope)
            too_far = lambda a: (value(x - a * direction) > y - 1e-4 * a * fall) & (a > 1e-6)  # noqa: E731
            along = jax.lax.while_loop(too_far, lambda along: 0.5 * along, 1.0)
            move = -along * direction
            y, new = jax.value_and_grad(value)(x + move)
            moves = jnp.concatenate([moves[1:], move[None]])
            changes = jnp.concatenate([changes[1:], (new - slope)[None]])
            return x + move, y, new, moves, changes, steps + 1

        empty = jnp.zeros((HISTORY, n))
        start = x, *jax.value_and_grad(value)(x), empty, empty, 0
        go_on = lambda state: (jnp.linalg.norm(state[2]) > 1e-2) & (state[5] < 400)  # noqa: E731
        return jax.lax.while_loop(go_on, step, start)[0]

    return blocking(jax, minimize, jnp.zeros(n))


def valley_torch(torch: Any, n: int) -> Step:
    def value(x: Any) -> Any:
        return (100.0 * (x[1:] - x[:-1] ** 2).square() + (1.0 - x[:-1]).square()).sum()

    def value_and_slope(x: Any) -> Any:
        x = x.detach().requires_grad_()
        y = value(x)
        return y.detach(), torch.autograd.grad(y, x)[0]

    def minimize() -> Any:
        x, steps = torch.zeros(n), 0
        history: list[Any] = []
        y, slope = value_and_slope(x)
        while slope.norm() > 1e-2 and steps < 400:
            direction, shares = slope, []
            for move, change in reversed(history):
                shares.append((move * direction).sum() / (move * change).sum())
                direction = direction - shares[-1] * change
            if history:
                move, change = history[-1]
                direction = direction * (move * change).sum() / change.square().sum()
            for move, change in history:
                share = (change * direction).sum() / (move * change).sum()
                direction = direction + (shares.pop() - share) * move
            along, fall = 1.0, (direction * slope).sum()
            while value(x - along * direction) > y - 1e-4 * along * fall and along > 1e-6:
                along *= 0.5
            move = -along * direction
            x = x + move
            y, new = value_and_slope(x)
            history = [*history, (move, new - slope)][-HISTORY:]
            slope = new
            steps += 1
        return x

    return minimize


# A series with seasons: smoothed by Holt and Winters, whose three shares are fitted.

SEASON = 12
FITS = 10


def seasons_tf(tf: Any, n: int) -> Step:
    def loss(series: Any, shares: Any) -> Any:
        level, trend, total = series[0], 0.0, 0.0
        season = tf.zeros([SEASON])
        for t in tf.range(1, n):
            place = t % SEASON
            expected = level + trend + season[place]
            total += tf.square(series[t] - expected)
            before = level
            level = shares[0] * (series[t] - season[place]) + (1.0 - shares[0]) * (level + trend)
            trend = shares[1] * (level - before) + (1.0 - shares[1]) * trend
            now = shares[2] * (series[t] - level) + (1.0 - shares[2]) * season[place]
            season = tf.tensor_scatter_nd_update(season, [[place]], [now])
        return total / n

    @tf.function
    def fit(series: Any) -> Any:
        parameters = tf.zeros([3])
        for _ in tf.range(FITS):
            with tf.GradientTape() as tape:
                tape.watch(parameters)
                value = loss(series, tf.sigmoid(parameters))
            parameters -= 0.5 * tape.gradient(value, parameters)
        return parameters, value

    series = tf.constant(monthly(n))
    return lambda: fit(series)


def seasons_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def loss(parameters: Any, series: Any) -> Any:
        a, b, c = jax.nn.sigmoid(parameters)

        def step(state: Any, row: Any) -> Any:
            level, trend, season, total = state
            place, seen = row
            total += jnp.square(seen - level - trend - season[place])
            new = a * (seen - season[place]) + (1.0 - a) * (level + trend)
            trend = b * (new - level) + (1.0 - b) * trend
            now = c * (seen - new) + (1.0 - c) * season[place]
            return (new, trend, season.at[place].set(now), total), None

        start = series[0], 0.0, jnp.zeros(SEASON), 0.0
        rows = jnp.arange(1, n) % SEASON, series[1:]
        return jax.lax.scan(step, start, rows)[0][3] / n

    @jax.jit
    def fit(series: Any) -> Any:
        def step(_: Any, state: Any) -> Any:
            value, slope = jax.value_and_grad(loss)(state[0], series)
            return state[0] - 0.5 * slope, value

        return jax.lax.fori_loop(0, FITS, step, (jnp.zeros(3), 0.0))

    return blocking(jax, fit, jnp.asarray(monthly(n)))


def seasons_torch(torch: Any, n: int) -> Step:
    series = torch.tensor(monthly(n))

    def loss(parameters: Any) -> Any:
        a, b, c = torch.sigmoid(parameters)
        level, trend, total = series[0], torch.tensor(0.0), torch.tensor(0.0)
        season = [torch.tensor(0.0)] * SEASON
        for t in range(1, n):
            old = season[t % SEASON]
            total = total + (series[t] - level - trend - old).square()
            new = a * (series[t] - old) + (1.0 - a) * (level + trend)
            trend = b * (new - level) + (1.0 - b) * trend
            level, season[t % SEASON] = new, c * (series[t] - new) + (1.0 - c) * old
        return total / n

    def fit() -> Any:
        parameters = torch.zeros(3)
        for _ in range(FITS):
            parameters.requires_grad_()
            value = loss(parameters)
            parameters = (parameters - 0.5 * torch.autograd.grad(value, parameters)[0]).detach()
        return parameters, value.detach()

    return fit


def monthly(n: int) -> Any:
    """A series that grows, with a season and some noise."""
    import numpy as np

    t = np.arange(n)
    return (0.01 * t + np.sin(t * 2 * np.pi / SEASON) + 0.1 * numbers(n)).astype(np.float32)


PROGRAMS = (
    WholeProgram(
        "orbit", "orbit with steps of its own", 20, 1, orbit_tf, orbit_jax, orbit_torch,
        tolerance=1e-2,
    ),
    WholeProgram(
        "valley", "minimum by L-BFGS, 32 variables", 32, 4, valley_tf, valley_jax, valley_torch,
        tolerance=1e-2,
    ),
    WholeProgram(
        "seasons", "fit of a series of 240 months", 240, 30, seasons_tf, seasons_jax,
        seasons_torch, tolerance=1e-3,
    ),
)  # fmt: skip
