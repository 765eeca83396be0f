"""Programs that draw numbers: particles that follow a track, Markov chains."""

from __future__ import annotations

from typing import Any

from benchmarks.whole_programs.whole_program import (
    Step,
    WholeProgram,
    blocking,
    numbers,
)

# A particle filter: those near what was seen are drawn more often.

SIGHTS = 50


def particles_tf(tf: Any, n: int) -> Step:
    @tf.function
    def follow(seen: Any, seed: Any) -> Any:
        places = tf.zeros([n])
        means = tf.TensorArray(tf.float32, SIGHTS)
        for t in tf.range(SIGHTS):
            places += 0.5 * tf.random.stateless_normal([n], [seed, 2 * t])
            scores = -2.0 * tf.square(seen[t] - places)
            means = means.write(t, tf.reduce_sum(tf.nn.softmax(scores) * places))
            drawn = tf.random.stateless_categorical(scores[None, :], n, [seed, 2 * t + 1])
            places = tf.gather(places, drawn[0])
        return means.stack()

    seen, seed = tf.constant(track()), tf.constant(7)
    return lambda: follow(seen, seed)


def particles_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def follow(seen: Any, key: Any) -> Any:
        def step(places: Any, row: Any) -> Any:
            place, key = row
            moved, chosen = jax.random.split(key)
            places += 0.5 * jax.random.normal(moved, (n,))
            shares = jax.nn.softmax(-2.0 * jnp.square(place - places))
            return jax.random.choice(chosen, places, (n,), p=shares), jnp.sum(shares * places)

        keys = jax.random.split(key, SIGHTS)
        return jax.lax.scan(step, jnp.zeros(n), (seen, keys))[1]

    return blocking(jax, follow, jnp.asarray(track()), jax.random.key(7))


def particles_torch(torch: Any, n: int) -> Step:
    seen = torch.tensor(track())

    def follow() -> Any:
        source = torch.Generator().manual_seed(7)
        places, means = torch.zeros(n), []
        for place in seen:
            places = places + 0.5 * torch.randn(n, generator=source)
            shares = torch.softmax(-2.0 * (place - places).square(), 0)
            means.append((shares * places).sum())
            places = places[shares.multinomial(n, True, generator=source)]
        return torch.stack(means)

    return follow


def track() -> Any:
    """Where something was seen at each time."""
    import numpy as np

    return (3 + np.cumsum(0.3 * numbers(SIGHTS))).astype(np.float32)


# Markov chains: a step is taken where chance allows it.

CHAIN_STEPS = 200


def chains_tf(tf: Any, n: int) -> Step:
    def density(x: Any) -> Any:
        return tf.reduce_logsumexp(tf.stack([-0.5 * (x - 2.0) ** 2, -0.5 * (x + 2.0) ** 2]), 0)

    @tf.function
    def walk(seed: Any) -> Any:
        x, taken = tf.zeros([n]), tf.zeros([n])
        squares = tf.zeros([n])
        for i in tf.range(CHAIN_STEPS):
            new = x + 1.5 * tf.random.stateless_normal([n], tf.stack([seed, i]))
            chance = tf.math.log(tf.random.stateless_uniform([n], tf.stack([i, seed])))
            accepted = chance < density(new) - density(x)
            x = tf.where(accepted, new, x)
            taken += tf.cast(accepted, tf.float32)
            squares += x * x
        return tf.reduce_mean(squares) / CHAIN_STEPS, tf.reduce_mean(taken) / CHAIN_STEPS

    seed = tf.constant(7)
    return lambda: walk(seed)


def chains_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def density(x: Any) -> Any:
        return jnp.logaddexp(-0.5 * (x - 2.0) ** 2, -0.5 * (x + 2.0) ** 2)

    @jax.jit
    def walk(key: Any) -> Any:
        def step(i: Any, state: Any) -> Any:
            x, taken, squares = state
            moved, allowed = jax.random.split(jax.random.fold_in(key, i))
            new = x + 1.5 * jax.random.normal(moved, (n,))
            accepted = jnp.log(jax.random.uniform(allowed, (n,))) < density(new) - density(x)
            x = jnp.where(accepted, new, x)
            return x, taken + accepted, squares + x * x

        _, taken, squares = jax.lax.fori_loop(0, CHAIN_STEPS, step, (jnp.zeros(n),) * 3)
        return jnp.mean(squares) / CHAIN_STEPS, jnp.mean(taken) / CHAIN_STEPS

    return blocking(jax, walk, jax.random.key(7))


def chains_torch(torch: Any, n: int) -> Step:
    def density(x: Any) -> Any:
        return torch.logaddexp(-0.5 * (x - 2.0) ** 2, -0.5 * (x + 2.0) ** 2)

    def walk() -> Any:
        source = torch.Generator().manual_seed(7)
        x, taken, squares = torch.zeros(n), torch.zeros(n), torch.zeros(n)
        for _ in range(CHAIN_STEPS):
            new = x + 1.5 * torch.randn(n, generator=source)
            accepted = torch.rand(n, generator=source).log() < density(new) - density(x)
            x = torch.where(accepted, new, x)
            taken, squares = taken + accepted, squares + x * x
        return squares.mean() / CHAIN_STEPS, taken.mean() / CHAIN_STEPS

    return walk


PROGRAMS = (
    WholeProgram(
        "particles", "particle filter, 1,000 of them, 50 steps", 1000, 1000,
        particles_tf, particles_jax, particles_torch, tolerance=0.02,
    ),
    WholeProgram(
        "chains", "1,000 Markov chains of 200 steps", 1000, 1000,
        chains_tf, chains_jax, chains_torch, tolerance=0.02,
    ),
)  # fmt: skip
