"""Programs that apply a model or a filter: boxes, trees, signals, tracks, ranks, neighbours."""

from __future__ import annotations

from typing import Any

from benchmarks.whole_programs.whole_program import (
    Step,
    WholeProgram,
    blocking,
    integers,
    numbers,
)

# Soft NMS: the best box lowers the scores of those that overlap it.

PICKS = 20


def boxes_tf(tf: Any, n: int) -> Step:
    @tf.function
    def pick(boxes: Any, scores: Any) -> Any:
        areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        chosen = tf.TensorArray(tf.int32, PICKS)
        values = tf.TensorArray(tf.float32, PICKS)
        for i in tf.range(PICKS):
            best = tf.argmax(scores, output_type=tf.int32)
            box = boxes[best]
            corner = tf.maximum(boxes[:, :2], box[:2])
            sides = tf.nn.relu(tf.minimum(boxes[:, 2:], box[2:]) - corner)
            common = sides[:, 0] * sides[:, 1]
            overlap = common / (areas + areas[best] - common)
            chosen = chosen.write(i, best)
            values = values.write(i, scores[best])
            lower = scores * tf.exp(-2.0 * overlap * overlap)
            scores = tf.where(tf.equal(tf.range(n), best), -1.0, lower)
        return chosen.stack(), values.stack()

    boxes, scores = map(tf.constant, rectangles(n))
    return lambda: pick(boxes, scores)


def boxes_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def pick(boxes: Any, scores: Any) -> Any:
        areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])

        def step(scores: Any, _: Any) -> Any:
            best = jnp.argmax(scores)
            box = boxes[best]
            corner = jnp.maximum(boxes[:, :2], box[:2])
            sides = jax.nn.relu(jnp.minimum(boxes[:, 2:], box[2:]) - corner)
            common = sides[:, 0] * sides[:, 1]
            overlap = common / (areas + areas[best] - common)
            lower = scores * jnp.exp(-2.0 * overlap * overlap)
            return jnp.where(jnp.arange(n) == best, -1.0, lower), (best, scores[best])

        return jax.lax.scan(step, scores, None, PICKS)[1]

    return blocking(jax, pick, *map(jnp.asarray, rectangles(n)))


def boxes_torch(torch: Any, n: int) -> Step:
    boxes, given = map(torch.tensor, rectangles(n))

    def pick() -> Any:
        scores = given
        areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        chosen, values = [], []
        for _ in range(PICKS):
            best = scores.argmax()
            box = boxes[best]
            corner = torch.maximum(boxes[:, :2], box[:2])
            sides = (torch.minimum(boxes[:, 2:], box[2:]) - corner).relu()
            common = sides[:, 0] * sides[:, 1]
            overlap = common / (areas + areas[best] - common)
            chosen.append(best)
            values.append(scores[best])
            scores = scores * torch.exp(-2.0 * overlap * overlap)
            scores[best] = -1.0
        return torch.stack(chosen), torch.stack(values)

    return pick


def rectangles(n: int) -> tuple[Any, Any]:
    """Boxes by two corners, and their scores."""
    import numpy as np

    random = np.random.RandomState(0)
    corners = random.uniform(0, 10, (n, 2))
    boxes = np.concatenate([corners, corners + random.uniform(1, 4, (n, 2))], 1)
    return boxes.astype(np.float32), random.uniform(0, 1, n).astype(np.float32)


# An ensemble of trees: every row goes down all of them at once.

TREES = 50
DEPTH = 6
COLUMNS = 16


def trees_tf(tf: Any, n: int) -> Step:
    @tf.function
    def infer(x: Any, columns: Any, bounds: Any, leaves: Any) -> Any:
        trees = tf.range(TREES)[None, :]
        place = tf.zeros([n, TREES], tf.int32)
        for _ in tf.range(DEPTH):
            column = tf.gather_nd(columns, tf.stack([tf.zeros_like(place) + trees, place], 2))
            bound = tf.gather_nd(bounds, tf.stack([tf.zeros_like(place) + trees, place], 2))
            value = tf.gather(x, column, batch_dims=1)
            place = 2 * place + tf.where(value > bound, 2, 1)
        leaf = place - (2**DEPTH - 1)
        return tf.reduce_sum(tf.gather(leaves, tf.transpose(leaf), batch_dims=1), 0)

    parts = [tf.constant(part) for part in forest(n)]
    return lambda: infer(*parts)


def trees_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def infer(x: Any, columns: Any, bounds: Any, leaves: Any) -> Any:
        trees = jnp.arange(TREES)[None, :]

        def step(_: Any, place: Any) -> Any:
            value = jnp.take_along_axis(x, columns[trees, place], 1)
            return 2 * place + jnp.where(value > bounds[trees, place], 2, 1)

        place = jax.lax.fori_loop(0, DEPTH, step, jnp.zeros((n, TREES), jnp.int32))
        return jnp.sum(leaves[trees, place - (2**DEPTH - 1)], 1)

    return blocking(jax, infer, *map(jnp.asarray, forest(n)))


def trees_torch(torch: Any, n: int) -> Step:
    x, columns, bounds, leaves = map(torch.tensor, forest(n))
    columns, trees = columns.long(), torch.arange(TREES)[None, :]

    def infer() -> Any:
        place = torch.zeros(n, TREES, dtype=torch.int64)
        for _ in range(DEPTH):
            value = x.gather(1, columns[trees, place])
            place = 2 * place + torch.where(value > bounds[trees, place], 2, 1)
        return leaves[trees, place - (2**DEPTH - 1)].sum(1)

    return infer


def forest(n: int) -> list[Any]:
    """Rows, the column and the bound of each inner node, the values of leaves."""
    nodes = 2**DEPTH - 1
    return [
        numbers(n, COLUMNS), integers(COLUMNS, TREES, nodes), numbers(TREES, nodes, seed=1),
        numbers(TREES, nodes + 1, seed=2),
    ]  # fmt: skip


# Convolution by Fourier transforms.


def filter_tf(tf: Any, n: int) -> Step:
    @tf.function
    def convolve(signal: Any, kernel: Any) -> Any:
        size = [2 * n]
        product = tf.signal.rfft(signal, size) * tf.signal.rfft(kernel, size)
        return tf.signal.irfft(product, size)[: 2 * n - 1]

    signal, kernel = tf.constant(numbers(n)), tf.constant(numbers(n, seed=1))
    return lambda: convolve(signal, kernel)


def filter_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def convolve(signal: Any, kernel: Any) -> Any:
        product = jnp.fft.rfft(signal, 2 * n) * jnp.fft.rfft(kernel, 2 * n)
        return jnp.fft.irfft(product, 2 * n)[: 2 * n - 1]

    return blocking(jax, convolve, jnp.asarray(numbers(n)), jnp.asarray(numbers(n, seed=1)))


def filter_torch(torch: Any, n: int) -> Step:
    signal, kernel = torch.tensor(numbers(n)), torch.tensor(numbers(n, seed=1))

    def convolve() -> Any:
        product = torch.fft.rfft(signal, 2 * n) * torch.fft.rfft(kernel, 2 * n)
        return torch.fft.irfft(product, 2 * n)[: 2 * n - 1]

    return convolve


# A Kalman filter: a track of four numbers from noisy pairs, a 2x2 system in every step.


def track_tf(tf: Any, n: int) -> Step:
    @tf.function
    def follow(pairs: Any, move: Any, look: Any) -> Any:
        state, spread = tf.zeros([4, 1]), tf.eye(4)
        states = tf.TensorArray(tf.float32, n)
        for t in tf.range(n):
            state = tf.matmul(move, state)
            spread = tf.matmul(tf.matmul(move, spread), move, transpose_b=True) + 0.01 * tf.eye(4)
            seen = tf.matmul(look, spread)
            inner = tf.matmul(seen, look, transpose_b=True) + 0.5 * tf.eye(2)
            root = tf.linalg.cholesky(inner)
            gain = tf.transpose(tf.linalg.cholesky_solve(root, seen))
            state += tf.matmul(gain, pairs[t][:, None] - tf.matmul(look, state))
            spread -= tf.matmul(gain, seen)
            states = states.write(t, state[:, 0])
        return states.stack()

    pairs, move, look = map(tf.constant, motion(n))
    return lambda: follow(pairs, move, look)


def track_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def follow(pairs: Any, move: Any, look: Any) -> Any:
        def step(carried: Any, pair: Any) -> Any:
            state, spread = carried
            state = move @ state
            spread = move @ spread @ move.T + 0.01 * jnp.eye(4)
            seen = look @ spread
            root = jnp.linalg.cholesky(seen @ look.T + 0.5 * jnp.eye(2))
            gain = jax.scipy.linalg.cho_solve((root, True), seen).T
            state += gain @ (pair - look @ state)
            return (state, spread - gain @ seen), state

        return jax.lax.scan(step, (jnp.zeros(4), jnp.eye(4)), pairs)[1]

    return blocking(jax, follow, *map(jnp.asarray, motion(n)))


def track_torch(torch: Any, n: int) -> Step:
    pairs, move, look = map(torch.tensor, motion(n))

    def follow() -> Any:
        state, spread, states = torch.zeros(4), torch.eye(4), []
        for pair in pairs:
            state = move @ state
            spread = move @ spread @ move.T + 0.01 * torch.eye(4)
            seen = look @ spread
            root = torch.linalg.cholesky(seen @ look.T + 0.5 * torch.eye(2))
            gain = torch.cholesky_solve(seen, root).T
            state = state + gain @ (pair - look @ state)
            spread = spread - gain @ seen
            states.append(state)
        return torch.stack(states)

    return follow


def motion(n: int) -> tuple[Any, Any, Any]:
    """Noisy places, how a state moves, and what of it is seen."""
    import numpy as np

    time = np.arange(n, dtype=np.float32)[:, None]
    move = np.eye(4, k=2) * 0.1 + np.eye(4)
    return 0.05 * time + numbers(n, 2), move.astype(np.float32), np.eye(2, 4, dtype=np.float32)


# The ranks of pages that link to each other, until they change no more.


def ranks_tf(tf: Any, n: int) -> Step:
    @tf.function
    def rank(sources: Any, targets: Any) -> Any:
        degrees = tf.math.unsorted_segment_sum(tf.ones_like(sources, tf.float32), sources, n)
        shares = 0.85 / tf.maximum(degrees, 1.0)
        ranks, change = tf.fill([n], 1.0 / n), tf.constant(1.0)
        while change > 1e-5:
            sent = tf.gather(ranks * shares, sources)
            new = tf.math.unsorted_segment_sum(sent, targets, n) + 0.15 / n
            new /= tf.reduce_sum(new)
            change = tf.reduce_sum(tf.abs(new - ranks))
            ranks = new
        return ranks

    sources, targets = map(tf.constant, links(n))
    return lambda: rank(sources, targets)


def ranks_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def rank(sources: Any, targets: Any) -> Any:
        degrees = jax.ops.segment_sum(jnp.ones(len(sources)), sources, n)
        shares = 0.85 / jnp.maximum(degrees, 1.0)

        def step(state: Any) -> Any:
            ranks, _ = state
            new = jax.ops.segment_sum((ranks * shares)[sources], targets, n) + 0.15 / n
            new /= jnp.sum(new)
            return new, jnp.sum(jnp.abs(new - ranks))

        start = jnp.full(n, 1.0 / n), jnp.float32(1.0)
        return jax.lax.while_loop(lambda state: state[1] > 1e-5, step, start)[0]

    return blocking(jax, rank, *map(jnp.asarray, links(n)))


def ranks_torch(torch: Any, n: int) -> Step:
    sources, targets = map(torch.tensor, links(n))

    def rank() -> Any:
        shares = 0.85 / torch.bincount(sources, minlength=n).clamp(min=1)
        ranks, change = torch.full((n,), 1.0 / n), 1.0
        while change > 1e-5:
            new = torch.zeros(n).index_add(0, targets, (ranks * shares)[sources]) + 0.15 / n
            new = new / new.sum()
            change = (new - ranks).abs().sum()
            ranks = new
        return ranks

    return rank


def links(n: int) -> tuple[Any, Any]:
    """Where links start and end, eight a page."""
    return integers(n, 8 * n), integers(n, 8 * n, seed=1)


# Nearest neighbours: the kinds of those that are near decide.

NEAREST = 5
KINDS = 10


def neighbours_tf(tf: Any, n: int) -> Step:
    @tf.function
    def classify(rows: Any, known: Any, kinds: Any) -> Any:
        cross = tf.matmul(rows, known, transpose_b=True)
        apart = tf.reduce_sum(known * known, 1) - 2.0 * cross
        _, places = tf.math.top_k(-apart, NEAREST)
        votes = tf.reduce_sum(tf.one_hot(tf.gather(kinds, places), KINDS), 1)
        return tf.argmax(votes, 1, tf.int32)

    parts = [tf.constant(part) for part in examples(n)]
    return lambda: classify(*parts)


def neighbours_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def classify(rows: Any, known: Any, kinds: Any) -> Any:
        apart = jnp.sum(known * known, 1) - 2.0 * (rows @ known.T)
        _, places = jax.lax.top_k(-apart, NEAREST)
        votes = jnp.sum(jax.nn.one_hot(kinds[places], KINDS), 1)
        return jnp.argmax(votes, 1)

    return blocking(jax, classify, *map(jnp.asarray, examples(n)))


def neighbours_torch(torch: Any, n: int) -> Step:
    rows, known, kinds = map(torch.tensor, examples(n))
    kinds = kinds.long()

    def classify() -> Any:
        apart = (known * known).sum(1) - 2.0 * (rows @ known.T)
        places = (-apart).topk(NEAREST).indices
        return torch.nn.functional.one_hot(kinds[places], KINDS).sum(1).argmax(1)

    return classify


def examples(n: int) -> tuple[Any, Any, Any]:
    """Rows, other rows, and the kinds of these."""
    return numbers(n, COLUMNS), numbers(4 * n, COLUMNS, seed=1), integers(KINDS, 4 * n)


PROGRAMS = (
    WholeProgram(
        "boxes", "soft NMS, 20 of 400 boxes", 400, 30, boxes_tf, boxes_jax, boxes_torch
    ),
    WholeProgram(
        "trees", "50 trees of depth 6, 1,000 rows", 1000, 5, trees_tf, trees_jax, trees_torch
    ),
    WholeProgram(
        "filter", "convolution by FFT, 16,384 numbers", 16384, 32,
        filter_tf, filter_jax, filter_torch, compiles=True,
    ),
    WholeProgram("track", "Kalman filter, 100 steps", 100, 5, track_tf, track_jax, track_torch),
    WholeProgram(
        "ranks", "page rank of 1,000 pages", 1000, 20, ranks_tf, ranks_jax, ranks_torch
    ),
    WholeProgram(
        "neighbours", "5 nearest of 1,000, for 250 rows", 250, 5,
        neighbours_tf, neighbours_jax, neighbours_torch,
    ),
)  # fmt: skip
