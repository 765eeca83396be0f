"""Programs over each place of a picture: rays that march, piles of sand, changed images."""

from __future__ import annotations

from typing import Any

from benchmarks.whole_programs.whole_program import (
    Step,
    WholeProgram,
    blocking,
    integers,
    numbers,
)

# Ray marching: each ray goes on by the distance to the scene, which shades it by its slope.

MOST_MARCHES = 60


def march_tf(tf: Any, n: int) -> Step:
    def distance(x: Any, y: Any, z: Any) -> Any:
        ball = tf.sqrt(x * x + y * y + z * z) - 1.0
        ring = tf.sqrt(tf.square(tf.sqrt(x * x + z * z) - 1.6) + y * y) - 0.3
        return tf.minimum(tf.minimum(ball, ring), y + 1.2)

    @tf.function
    def render(a: Any, b: Any) -> Any:
        scale = tf.math.rsqrt(a * a + b * b + 1.0)
        along, going, i = tf.zeros_like(a), tf.ones_like(a, tf.bool), 0
        while i < MOST_MARCHES and tf.reduce_any(going):
            far = along * scale
            apart = distance(a * far, b * far + 0.5, far - 4.0)
            along += tf.where(going, apart, 0.0)
            going = (apart > 1e-3) & (along < 20.0)
            i += 1
        far = along * scale
        places = [a * far, b * far + 0.5, far - 4.0]
        with tf.GradientTape() as tape:
            tape.watch(places)
            apart = distance(*places)
        x, y, z = tape.gradient(apart, places)
        return tf.where(along < 20.0, tf.nn.relu(0.6 * x + 0.7 * y - 0.4 * z), 0.0)

    a, b = map(tf.constant, lens(n))
    return lambda: render(a, b)


def march_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def distance(x: Any, y: Any, z: Any) -> Any:
        ball = jnp.sqrt(x * x + y * y + z * z) - 1.0
        ring = jnp.sqrt(jnp.square(jnp.sqrt(x * x + z * z) - 1.6) + y * y) - 0.3
        return jnp.minimum(jnp.minimum(ball, ring), y + 1.2)

    @jax.jit
    def render(a: Any, b: Any) -> Any:
        scale = jax.lax.rsqrt(a * a + b * b + 1.0)

        def places(along: Any) -> Any:
            far = along * scale
            return a * far, b * far + 0.5, far - 4.0

        def step(state: Any) -> Any:
            along, going, i = state
            apart = distance(*places(along))
            along += jnp.where(going, apart, 0.0)
            return along, (apart > 1e-3) & (along < 20.0), i + 1

        start = jnp.zeros_like(a), jnp.ones_like(a, bool), 0
        go_on = lambda state: (state[2] < MOST_MARCHES) & jnp.any(state[1])  # noqa: E731
        along = jax.lax.while_loop(go_on, step, start)[0]
        total = lambda x, y, z: jnp.sum(distance(x, y, z))  # noqa: E731
        x, y, z = jax.grad(total, (0, 1, 2))(*places(along))
        return jnp.where(along < 20.0, jax.nn.relu(0.6 * x + 0.7 * y - 0.4 * z), 0.0)

    return blocking(jax, render, *map(jnp.asarray, lens(n)))


def march_torch(torch: Any, n: int) -> Step:
    a, b = map(torch.tensor, lens(n))

    def distance(x: Any, y: Any, z: Any) -> Any:
        ball = torch.sqrt(x * x + y * y + z * z) - 1.0
        ring = torch.sqrt(torch.square(torch.sqrt(x * x + z * z) - 1.6) + y * y) - 0.3
        return torch.minimum(torch.minimum(ball, ring), y + 1.2)

    def render() -> Any:
        scale = torch.rsqrt(a * a + b * b + 1.0)
        along, going, i = torch.zeros_like(a), torch.ones_like(a, dtype=torch.bool), 0
        while i < MOST_MARCHES and going.any():
            far = along * scale
            apart = distance(a * far, b * far + 0.5, far - 4.0)
            along = along + torch.where(going, apart, 0.0)
            going = (apart > 1e-3) & (along < 20.0)
            i += 1
        far = along * scale
        places = [p.requires_grad_() for p in (a * far, b * far + 0.5, far - 4.0)]
        x, y, z = torch.autograd.grad(distance(*places).sum(), places)
        return torch.where(along < 20.0, (0.6 * x + 0.7 * y - 0.4 * z).relu(), 0.0)

    return render


def lens(n: int) -> Any:
    """The directions of rays through each place of a square picture."""
    import numpy as np

    line = np.linspace(-1, 1, n, dtype=np.float32)
    return np.meshgrid(line, -line)


# A pile of sand: places of four grains and more topple until none does.


def sand_tf(tf: Any, n: int) -> Step:
    @tf.function
    def settle(grains: Any) -> Any:
        topplings = 0
        while tf.reduce_any(grains >= 4):
            over = grains // 4
            wide = tf.pad(over, [[1, 1], [1, 1]])
            near = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
            grains += near - 4 * over
            topplings += tf.reduce_sum(over)
        return grains, topplings

    grains = tf.constant(integers(8, n, n))
    return lambda: settle(grains)


def sand_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def settle(grains: Any) -> Any:
        def step(state: Any) -> Any:
            grains, topplings = state
            over = grains // 4
            wide = jnp.pad(over, 1)
            near = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
            return grains + near - 4 * over, topplings + jnp.sum(over)

        return jax.lax.while_loop(lambda state: jnp.any(state[0] >= 4), step, (grains, 0))

    return blocking(jax, settle, jnp.asarray(integers(8, n, n)))


def sand_torch(torch: Any, n: int) -> Step:
    start = torch.tensor(integers(8, n, n))

    def settle() -> Any:
        grains, topplings = start, 0
        while (grains >= 4).any():
            over = grains // 4
            wide = torch.nn.functional.pad(over, (1, 1, 1, 1))
            near = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
            grains = grains + near - 4 * over
            topplings = topplings + over.sum()
        return grains, topplings

    return settle


# Images that are changed, one after the other: a part is cut out, turned round, and made even.

PART = 24


def augment_tf(tf: Any, n: int) -> Step:
    def change(given: Any) -> Any:
        image, corner, turned = given
        part = tf.slice(image, [corner[0], corner[1], 0], [PART, PART, 3])
        if turned:
            part = tf.reverse(part, [1])
        mean, variance = tf.nn.moments(part, [0, 1, 2])
        return (part - mean) * tf.math.rsqrt(variance + 1e-6)

    @tf.function
    def augment(images: Any, corners: Any, turned: Any) -> Any:
        return tf.map_fn(change, (images, corners, turned), fn_output_signature=tf.float32)

    parts = [tf.constant(part) for part in shots(n)]
    return lambda: augment(*parts)


def augment_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def change(image: Any, corner: Any, turned: Any) -> Any:
        part = jax.lax.dynamic_slice(image, (corner[0], corner[1], 0), (PART, PART, 3))
        part = jnp.where(turned, part[:, ::-1], part)
        return (part - jnp.mean(part)) * jax.lax.rsqrt(jnp.var(part) + 1e-6)

    return blocking(jax, jax.jit(jax.vmap(change)), *map(jnp.asarray, shots(n)))


def augment_torch(torch: Any, n: int) -> Step:
    images, corners, turned = map(torch.tensor, shots(n))
    places = corners.tolist(), turned.tolist()

    def augment() -> Any:
        parts = []
        for image, (y, x), turn in zip(images, *places):
            part = image[y : y + PART, x : x + PART]
            if turn:
                part = part.flip(1)
            variance, mean = torch.var_mean(part, correction=0)
            parts.append((part - mean) * torch.rsqrt(variance + 1e-6))
        return torch.stack(parts)

    return augment


def shots(n: int) -> tuple[Any, Any, Any]:
    """Images, the corners of what is cut out of them, and which are turned round."""
    return numbers(n, 32, 32, 3), integers(9, n, 2), integers(2, n, seed=1).astype(bool)


PROGRAMS = (
    WholeProgram(
        "march", "ray marching, 96x96 rays", 96, 12, march_tf, march_jax, march_torch,
        tolerance=1e-3,
    ),
    WholeProgram("sand", "pile of sand on 48x48 places", 48, 8, sand_tf, sand_jax, sand_torch),
    WholeProgram(
        "augment", "64 images, cut and turned", 64, 3, augment_tf, augment_jax, augment_torch
    ),
)  # fmt: skip
