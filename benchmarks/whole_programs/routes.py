"""Programs that look for ways: through a maze, along edges, between two words and sounds."""

from __future__ import annotations

from typing import Any

from benchmarks.whole_programs.whole_program import (
    Step,
    WholeProgram,
    blocking,
    integers,
    numbers,
)

# A*: through a maze, the cell that promises the shortest way first.


def maze_tf(tf: Any, n: int) -> Step:
    far = 1_000_000

    @tf.function
    def search(walls: Any) -> Any:
        steps = tf.constant([[0, 1], [1, 0], [0, -1], [-1, 0]])
        paid = tf.tensor_scatter_nd_update(tf.fill([n * n], far), [[0]], [0])
        hope = tf.tensor_scatter_nd_update(tf.fill([n * n], far), [[0]], [2 * n - 2])
        cell, seen = tf.argmin(hope, output_type=tf.int32), 0
        while cell != n * n - 1 and hope[cell] < far:
            hope = tf.tensor_scatter_nd_update(hope, [[cell]], [far])
            seen += 1
            for step in steps:
                y, x = cell // n + step[0], cell % n + step[1]
                if y < 0 or y >= n or x < 0 or x >= n:
                    continue
                if walls[y, x]:
                    continue
                near, price = y * n + x, paid[cell] + 1
                if price < paid[near]:
                    paid = tf.tensor_scatter_nd_update(paid, [[near]], [price])
                    hope = tf.tensor_scatter_nd_update(hope, [[near]], [price + 2 * n - 2 - y - x])
            cell = tf.argmin(hope, output_type=tf.int32)
        return paid[-1], seen

    walls = tf.constant(maze(n))
    return lambda: search(walls)


def maze_jax(jax: Any, n: int) -> Step:
    jnp, far = jax.numpy, 1_000_000

    @jax.jit
    def search(walls: Any) -> Any:
        moves = jnp.array([[0, 1], [1, 0], [0, -1], [-1, 0]])

        def step(state: Any) -> Any:
            paid, hope, cell, seen = state
            hope = hope.at[cell].set(far)
            y, x = cell // n + moves[:, 0], cell % n + moves[:, 1]
            inside = (y >= 0) & (y < n) & (x >= 0) & (x < n) & ~walls[y, x]
            near, price = y * n + x, paid[cell] + 1
            near = jnp.where(inside & (price < paid[near]), near, n * n)
            paid = paid.at[near].set(price, mode="drop")
            hope = hope.at[near].set(price + 2 * n - 2 - y - x, mode="drop")
            return paid, hope, jnp.argmin(hope), seen + 1

        full = jnp.full(n * n, far)
        start = full.at[0].set(0), full.at[0].set(2 * n - 2), 0, 0
        go_on = lambda state: (state[2] != n * n - 1) & (state[1][state[2]] < far)  # noqa: E731
        paid, _, _, seen = jax.lax.while_loop(go_on, step, start)
        return paid[-1], seen

    return blocking(jax, search, jnp.asarray(maze(n)))


def maze(n: int) -> Any:
    """Which cells are walls; the first and the last are none."""
    walls = integers(4, n, n) == 0
    walls[0, 0] = walls[-1, -1] = False
    return walls


# Bellman and Ford: the shortest ways from a place, until no edge shortens one.


def edges_tf(tf: Any, n: int) -> Step:
    @tf.function
    def shortest(origins: Any, ends: Any, lengths: Any) -> Any:
        ways = tf.concat([[0.0], tf.fill([n - 1], 1e9)], 0)
        shorter = tf.constant(True)
        while shorter:
            reached = tf.gather(ways, origins) + lengths
            new = tf.minimum(ways, tf.math.unsorted_segment_min(reached, ends, n))
            shorter = tf.reduce_any(new < ways)
            ways = new
        return ways

    parts = [tf.constant(part) for part in edges(n)]
    return lambda: shortest(*parts)


def edges_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def shortest(origins: Any, ends: Any, lengths: Any) -> Any:
        def step(state: Any) -> Any:
            ways, _ = state
            new = jnp.minimum(ways, jax.ops.segment_min(ways[origins] + lengths, ends, n))
            return new, jnp.any(new < ways)

        start = jnp.full(n, 1e9).at[0].set(0.0), True
        return jax.lax.while_loop(lambda state: state[1], step, start)[0]

    return blocking(jax, shortest, *map(jnp.asarray, edges(n)))


def edges_torch(torch: Any, n: int) -> Step:
    origins, ends, lengths = map(torch.tensor, edges(n))
    ends = ends.long()

    def shortest() -> Any:
        ways, shorter = torch.full((n,), 1e9), True
        ways[0] = 0.0
        while shorter:
            new = ways.scatter_reduce(0, ends, ways[origins] + lengths, "amin")
            shorter = (new < ways).any()
            ways = new
        return ways

    return shortest


def edges(n: int) -> tuple[Any, Any, Any]:
    """The origin, the end and the length of five edges for each place."""
    return integers(n, 5 * n), integers(n, 5 * n, seed=1), abs(numbers(5 * n, seed=2)) + 0.1


# Smith and Waterman: the best common part of two words, diagonal by diagonal.


def align_tf(tf: Any, n: int) -> Step:
    @tf.function
    def align(a: Any, b: Any) -> Any:
        others = tf.pad(tf.reverse(b, [0]), [[n, n]], constant_values=-1)
        before = last = tf.zeros([n + 1], tf.int32)
        best = 0
        for d in tf.range(2 * n - 1):
            beside = others[2 * n - 1 - d : 3 * n - 1 - d]
            matched = before[:-1] + tf.where(tf.equal(a, beside), 3, -2)
            gapped = tf.maximum(last[:-1], last[1:]) - 2
            now = tf.nn.relu(tf.maximum(matched, gapped))
            now = tf.where(beside < 0, 0, now)
            before, last = last, tf.concat([[0], now], 0)
            best = tf.maximum(best, tf.reduce_max(now))
        return best

    a, b = map(tf.constant, letters(n))
    return lambda: align(a, b)


def align_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def align(a: Any, b: Any) -> Any:
        others = jnp.pad(b[::-1], n, constant_values=-1)

        def step(state: Any, d: Any) -> Any:
            before, last, best = state
            beside = jax.lax.dynamic_slice(others, (2 * n - 1 - d,), (n,))
            matched = before[:-1] + jnp.where(a == beside, 3, -2)
            gapped = jnp.maximum(last[:-1], last[1:]) - 2
            now = jax.nn.relu(jnp.maximum(matched, gapped))
            now = jnp.where(beside < 0, 0, now)
            best = jnp.maximum(best, jnp.max(now))
            return (last, jnp.pad(now, (1, 0)), best), None

        empty = jnp.zeros(n + 1, jnp.int32)
        return jax.lax.scan(step, (empty, empty, jnp.int32(0)), jnp.arange(2 * n - 1))[0][2]

    return blocking(jax, align, *map(jnp.asarray, letters(n)))


def align_torch(torch: Any, n: int) -> Step:
    a, b = map(torch.tensor, letters(n))

    def align() -> Any:
        others = torch.nn.functional.pad(b.flip(0), (n, n), value=-1)
        before = last = torch.zeros(n + 1, dtype=torch.int32)
        best = torch.tensor(0)
        for d in range(2 * n - 1):
            beside = others[2 * n - 1 - d : 3 * n - 1 - d]
            matched = before[:-1] + torch.where(a == beside, 3, -2)
            gapped = torch.maximum(last[:-1], last[1:]) - 2
            now = torch.where(beside < 0, 0, torch.maximum(matched, gapped).relu()).int()
            before, last = last, torch.nn.functional.pad(now, (1, 0))
            best = torch.maximum(best, now.max())
        return best

    return align


def letters(n: int) -> tuple[Any, Any]:
    """Two words of four letters."""
    return integers(4, n), integers(4, n, seed=1)


# Connectionist classification: how probable labels are, over all ways to stretch them.

LABELS = 10
KINDS = 20


def stretched_tf(tf: Any, n: int) -> Step:
    places = 2 * LABELS + 1

    @tf.function
    def loss(logits: Any, labels: Any) -> Any:
        blank = tf.zeros_like(labels)
        spread = tf.reshape(tf.stack([blank, labels], 2), [BATCH, -1])
        spread = tf.pad(spread, [[0, 0], [0, 1]])
        skips = tf.not_equal(spread[:, 2:], spread[:, :-2]) & tf.not_equal(spread[:, 2:], 0)
        skips = tf.pad(skips, [[0, 0], [2, 0]])
        with tf.GradientTape() as tape:
            tape.watch(logits)
            scores = tf.gather(
                tf.nn.log_softmax(logits), tf.tile(spread[:, None], [1, n, 1]), batch_dims=2
            )
            ways = tf.where(tf.range(places) < 2, scores[:, 0], -1e9)
            for t in tf.range(1, n):
                one = tf.pad(ways[:, :-1], [[0, 0], [1, 0]], constant_values=-1e9)
                two = tf.pad(ways[:, :-2], [[0, 0], [2, 0]], constant_values=-1e9)
                together = tf.stack([ways, one, tf.where(skips, two, -1e9)])
                ways = tf.reduce_logsumexp(together, 0) + scores[:, t]
            value = -tf.reduce_mean(tf.reduce_logsumexp(ways[:, -2:], 1))
        return value, tape.gradient(value, logits)

    logits, labels = map(tf.constant, speech(n))
    return lambda: loss(logits, labels)


def stretched_jax(jax: Any, n: int) -> Step:
    jnp, places = jax.numpy, 2 * LABELS + 1

    def loss(logits: Any, labels: Any) -> Any:
        spread = jnp.stack([jnp.zeros_like(labels), labels], 2).reshape(BATCH, -1)
        spread = jnp.pad(spread, ((0, 0), (0, 1)))
        skips = (spread[:, 2:] != spread[:, :-2]) & (spread[:, 2:] != 0)
        skips = jnp.pad(skips, ((0, 0), (2, 0)))
        scores = jnp.take_along_axis(jax.nn.log_softmax(logits), spread[:, None], 2)

        def step(ways: Any, score: Any) -> Any:
            one = jnp.pad(ways[:, :-1], ((0, 0), (1, 0)), constant_values=-1e9)
            two = jnp.pad(ways[:, :-2], ((0, 0), (2, 0)), constant_values=-1e9)
            together = jnp.stack([ways, one, jnp.where(skips, two, -1e9)])
            return jax.nn.logsumexp(together, 0) + score, None

        first = jnp.where(jnp.arange(places) < 2, scores[:, 0], -1e9)
        ways = jax.lax.scan(step, first, jnp.swapaxes(scores[:, 1:], 0, 1))[0]
        return -jnp.mean(jax.nn.logsumexp(ways[:, -2:], 1))

    step = jax.jit(jax.value_and_grad(loss))
    return blocking(jax, step, *map(jnp.asarray, speech(n)))


def stretched_torch(torch: Any, n: int) -> Step:
    logits, labels = map(torch.tensor, speech(n))
    logits.requires_grad_()
    times, lengths = torch.full((BATCH,), n), torch.full((BATCH,), LABELS)

    def step() -> Any:
        scores = torch.log_softmax(logits, 2).transpose(0, 1)
        losses = torch.nn.functional.ctc_loss(scores, labels, times, lengths, reduction="none")
        value = losses.mean()
        return value.detach(), torch.autograd.grad(value, logits)[0]

    return step


BATCH = 8


def speech(n: int) -> tuple[Any, Any]:
    """Scores of kinds at each time, and labels; kind 0 is a blank."""
    return numbers(BATCH, n, KINDS), integers(KINDS - 1, BATCH, LABELS) + 1


PROGRAMS = (
    WholeProgram("maze", "A* through 20x20 cells", 20, 6, maze_tf, maze_jax),
    WholeProgram("edges", "Bellman-Ford, 2,000 places", 2000, 30, edges_tf, edges_jax, edges_torch),
    WholeProgram(
        "align", "Smith-Waterman of 200 letters", 200, 10, align_tf, align_jax, align_torch,
        xla=False,
    ),
    WholeProgram(
        "stretched", "CTC loss and its gradient, 60 times", 60, 24,
        stretched_tf, stretched_jax, stretched_torch, tolerance=1e-3,
    ),
)  # fmt: skip
