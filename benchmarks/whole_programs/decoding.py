"""Programs that write a sequence token by token: beams that grow, a cache of keys and values."""

from __future__ import annotations

from typing import Any

from benchmarks.whole_programs.whole_program import (
    Step,
    WholeProgram,
    blocking,
    numbers,
)

TOKENS = 64
FEATURES = 32

# Beam search: the sequences grow by a token in every step.

BEAMS = 4


def beams_tf(tf: Any, n: int) -> Step:
    @tf.function
    def search(table: Any, weights: Any) -> Any:
        sequences = tf.zeros([BEAMS, 1], tf.int32)
        scores = tf.constant([0.0] + [-1e9] * (BEAMS - 1))
        states = tf.zeros([BEAMS, FEATURES])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(sequences, tf.TensorShape([BEAMS, None]))]
            )
            states = tf.tanh(tf.gather(table, sequences[:, -1]) + tf.matmul(states, weights))
            logits = tf.nn.log_softmax(tf.matmul(states, table, transpose_b=True))
            scores, best = tf.math.top_k(tf.reshape(scores[:, None] + logits, [-1]), BEAMS)
            origins, tokens = best // TOKENS, best % TOKENS
            states = tf.gather(states, origins)
            sequences = tf.concat([tf.gather(sequences, origins), tokens[:, None]], 1)
        return sequences, scores

    table, weights = map(tf.constant, language())
    return lambda: search(table, weights)


def beams_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def search(table: Any, weights: Any) -> Any:
        def step(i: Any, state: Any) -> Any:
            sequences, scores, states = state
            states = jnp.tanh(table[sequences[:, i]] + states @ weights)
            logits = jax.nn.log_softmax(states @ table.T)
            scores, best = jax.lax.top_k((scores[:, None] + logits).reshape(-1), BEAMS)
            origins, tokens = best // TOKENS, best % TOKENS
            sequences = sequences[origins].at[:, i + 1].set(tokens)
            return sequences, scores, states[origins]

        sequences = jnp.zeros((BEAMS, n + 1), jnp.int32)
        scores = jnp.array([0.0] + [-1e9] * (BEAMS - 1))
        start = sequences, scores, jnp.zeros((BEAMS, FEATURES))
        return jax.lax.fori_loop(0, n, step, start)[:2]

    return blocking(jax, search, *map(jnp.asarray, language()))


def beams_torch(torch: Any, n: int) -> Step:
    table, weights = map(torch.tensor, language())

    def search() -> Any:
        sequences = torch.zeros(BEAMS, 1, dtype=torch.int64)
        scores = torch.tensor([0.0] + [-1e9] * (BEAMS - 1))
        states = torch.zeros(BEAMS, FEATURES)
        for _ in range(n):
            states = torch.tanh(table[sequences[:, -1]] + states @ weights)
            logits = torch.log_softmax(states @ table.T, -1)
            scores, best = (scores[:, None] + logits).reshape(-1).topk(BEAMS)
            origins, tokens = best // TOKENS, best % TOKENS
            states = states[origins]
            sequences = torch.cat([sequences[origins], tokens[:, None]], 1)
        return sequences, scores

    return search


def language() -> tuple[Any, Any]:
    """The vectors of tokens, and the weights of a recurrence."""
    return 0.5 * numbers(TOKENS, FEATURES), 0.3 * numbers(FEATURES, FEATURES, seed=1)


# Greedy decoding: attention to the keys and values of all earlier tokens.


def greedy_tf(tf: Any, n: int) -> Step:
    @tf.function
    def decode(table: Any, wq: Any, wk: Any, wv: Any) -> Any:
        keys = tf.zeros([n, FEATURES])
        values = tf.zeros([n, FEATURES])
        places = tf.range(n)
        tokens = tf.TensorArray(tf.int32, n)
        token = tf.constant(0)
        for i in tf.range(n):
            x = table[token][None, :]
            keys = tf.tensor_scatter_nd_update(keys, [[i]], tf.matmul(x, wk))
            values = tf.tensor_scatter_nd_update(values, [[i]], tf.matmul(x, wv))
            scores = tf.matmul(tf.matmul(x, wq), keys, transpose_b=True) / FEATURES**0.5
            weights = tf.nn.softmax(tf.where(places <= i, scores, -1e9))
            y = x + tf.matmul(weights, values)
            token = tf.argmax(tf.matmul(y, table, transpose_b=True)[0], output_type=tf.int32)
            token = (token + i) % TOKENS
            tokens = tokens.write(i, token)
        return tokens.stack(), values

    parts = [tf.constant(part) for part in attention()]
    return lambda: decode(*parts)


def greedy_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def decode(table: Any, wq: Any, wk: Any, wv: Any) -> Any:
        def step(state: Any, i: Any) -> Any:
            keys, values, token = state
            x = table[token]
            keys, values = keys.at[i].set(x @ wk), values.at[i].set(x @ wv)
            scores = keys @ (x @ wq) / FEATURES**0.5
            weights = jax.nn.softmax(jnp.where(jnp.arange(n) <= i, scores, -1e9))
            token = (jnp.argmax(table @ (x + weights @ values)) + i) % TOKENS
            return (keys, values, token.astype(jnp.int32)), token

        empty = jnp.zeros((n, FEATURES))
        state, tokens = jax.lax.scan(step, (empty, empty, jnp.int32(0)), jnp.arange(n))
        return tokens, state[1]

    return blocking(jax, decode, *map(jnp.asarray, attention()))


def greedy_torch(torch: Any, n: int) -> Step:
    table, wq, wk, wv = map(torch.tensor, attention())

    def decode() -> Any:
        keys, values = torch.zeros(n, FEATURES), torch.zeros(n, FEATURES)
        token, tokens = torch.tensor(0), []
        for i in range(n):
            x = table[token]
            keys[i], values[i] = x @ wk, x @ wv
            scores = keys[: i + 1] @ (x @ wq) / FEATURES**0.5
            y = x + torch.softmax(scores, 0) @ values[: i + 1]
            token = ((table @ y).argmax() + i) % TOKENS
            tokens.append(token)
        return torch.stack(tokens), values

    return decode


def attention() -> list[Any]:
    """The vectors of tokens, and the weights of queries, keys and values."""
    squares = [numbers(FEATURES, FEATURES, seed=seed) / FEATURES**0.5 for seed in (1, 2, 3)]
    return [numbers(TOKENS, FEATURES), *squares]


# Sampling: a token of the likeliest ten, for eight texts, with the keys and values so far.

TEXTS = 8
LIKELIEST = 10
HEAT = 8.0


def samples_tf(tf: Any, n: int) -> Step:
    @tf.function
    def write(seed: Any, table: Any, wq: Any, wk: Any, wv: Any) -> Any:
        keys = tf.zeros([TEXTS, 0, FEATURES])
        values = tf.zeros([TEXTS, 0, FEATURES])
        token, total = tf.zeros([TEXTS], tf.int32), tf.zeros([TEXTS])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[
                    (keys, tf.TensorShape([TEXTS, None, FEATURES])),
                    (values, tf.TensorShape([TEXTS, None, FEATURES])),
                ]
            )
            x = tf.gather(table, token)[:, None]
            keys = tf.concat([keys, tf.matmul(x, wk)], 1)
            values = tf.concat([values, tf.matmul(x, wv)], 1)
            scores = tf.matmul(tf.matmul(x, wq), keys, transpose_b=True) / FEATURES**0.5
            y = (x + tf.matmul(tf.nn.softmax(scores), values))[:, 0] / HEAT
            logits, likeliest = tf.math.top_k(tf.matmul(y, table, transpose_b=True), LIKELIEST)
            drawn = tf.random.stateless_categorical(logits, 1, [seed, i], tf.int32)
            token = tf.gather(likeliest, drawn[:, 0], batch_dims=1)
            total += tf.gather(tf.nn.log_softmax(logits), drawn[:, 0], batch_dims=1)
        return total / n

    parts = [tf.constant(part) for part in (7, *attention())]
    return lambda: write(*parts)


def samples_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def write(key: Any, table: Any, wq: Any, wk: Any, wv: Any) -> Any:
        def step(i: Any, state: Any) -> Any:
            keys, values, token, total = state
            x = table[token]
            keys, values = keys.at[:, i].set(x @ wk), values.at[:, i].set(x @ wv)
            scores = jnp.einsum("bf,btf->bt", x @ wq, keys) / FEATURES**0.5
            weights = jax.nn.softmax(jnp.where(jnp.arange(n) <= i, scores, -1e9))
            y = (x + jnp.einsum("bt,btf->bf", weights, values)) / HEAT
            logits, likeliest = jax.lax.top_k(y @ table.T, LIKELIEST)
            drawn = jax.random.categorical(jax.random.fold_in(key, i), logits)[:, None]
            token = jnp.take_along_axis(likeliest, drawn, 1)[:, 0]
            total += jnp.take_along_axis(jax.nn.log_softmax(logits), drawn, 1)[:, 0]
            return keys, values, token, total

        empty = jnp.zeros((TEXTS, n, FEATURES))
        start = empty, empty, jnp.zeros(TEXTS, jnp.int32), jnp.zeros(TEXTS)
        return jax.lax.fori_loop(0, n, step, start)[3] / n

    return blocking(jax, write, jax.random.key(7), *map(jnp.asarray, attention()))


def samples_torch(torch: Any, n: int) -> Step:
    table, wq, wk, wv = map(torch.tensor, attention())

    def write() -> Any:
        source = torch.Generator().manual_seed(7)
        keys = values = torch.zeros(TEXTS, 0, FEATURES)
        token, total = torch.zeros(TEXTS, dtype=torch.int64), torch.zeros(TEXTS)
        for _ in range(n):
            x = table[token][:, None]
            keys, values = torch.cat([keys, x @ wk], 1), torch.cat([values, x @ wv], 1)
            scores = x @ wq @ keys.transpose(1, 2) / FEATURES**0.5
            y = (x + torch.softmax(scores, -1) @ values)[:, 0] / HEAT
            logits, likeliest = (y @ table.T).topk(LIKELIEST)
            shares = torch.softmax(logits, -1)
            drawn = shares.multinomial(1, generator=source)
            token = likeliest.gather(1, drawn)[:, 0]
            total = total + shares.log().gather(1, drawn)[:, 0]
        return total / n

    return write


PROGRAMS = (
    WholeProgram(
        "beams", "beam search, 4 beams of 30 tokens", 30, 4, beams_tf, beams_jax, beams_torch
    ),
    WholeProgram(
        "greedy", "greedy decoding of 50 tokens with a cache", 50, 5,
        greedy_tf, greedy_jax, greedy_torch,
    ),
    WholeProgram(
        "samples", "50 tokens drawn for 8 texts, with a cache that grows", 50, 6,
        samples_tf, samples_jax, samples_torch, xla=False, tolerance=0.25,
    ),
)  # fmt: skip
