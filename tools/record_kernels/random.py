"""Random numbers: stateless ops, stateful ops with seeds, generators, ThreeFry under XLA."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

FLOATS = (tf.float16, tf.bfloat16, tf.float32, tf.float64)
INTS = (tf.int32, tf.int64, tf.uint32, tf.uint64)
SEEDS = ((3, -7), (0, 0), (2**40 + 1, -(2**50)))
ALPHA = np.array([0.3, 1.0, 2.5, 0.9, 17.0])
RATE = np.array([0.3, 1.0, 9.9, 10.0, 50.0, 1000.0, 0.0])
TRIALS = np.array([10.0, 100.0, 50.0, 1000.0, 3.0, 7.0, 7.0, 0.0, 400.0])
CHANCE = np.array([0.5, 0.05, 0.9, 0.3, 0.2, 0.0, 1.0, 0.4, 0.75])
BOUNDS = (
    (-1, 1),
    (2, 3),
    (5, 9),
    (-np.inf, 1),
    (0.5, np.inf),
    (-3, -2),
    (4, np.inf),
    (-9, -7),
    (0, 3),
)
# Box-Muller in float32 rests on float32 log, sin and cos, where good libraries differ by an ulp
# each.
NORMAL_ULPS = {"float16": 1, "bfloat16": 1, "float32": 2, "float64": 2}


def record(recorder: Any) -> None:
    """All cases of the family."""
    _stateless(recorder)
    _variates(recorder)
    _stateful(recorder)
    _generator(recorder)
    _threefry(recorder)


def _key_counter(seed: Any) -> tuple[int, int]:
    key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=np.array(seed, np.int64))
    return int(key[0]), int(counter[0]) | int(counter[1]) << 64


def _dtype(dtype: tf.DType) -> np.dtype[Any]:
    return np.dtype(dtype.as_numpy_dtype)


def _stateless(recorder: Any) -> None:
    for count in (1, 6, 1003):
        for seed in SEEDS:
            at = _key_counter(seed)
            for dtype in FLOATS:
                for kind in ("uniform", "normal", "truncated_normal"):
                    result = getattr(tf.random, f"stateless_{kind}")([count], seed, dtype=dtype)
                    ulps = 0 if kind == "uniform" else NORMAL_ULPS[dtype.name]
                    name = f"{kind}-{dtype.name}-{count}-{seed}"
                    recorder.case(
                        name, f"random.{kind}", result, *at, count, _dtype(dtype), ulps=ulps
                    )
            for dtype in INTS:
                full = tf.random.stateless_uniform([count], seed, None, None, dtype)
                name = f"full-{dtype.name}-{count}-{seed}"
                recorder.case(name, "random.full_range", full, *at, count, _dtype(dtype))
            for dtype in INTS[:2]:
                for low, high in ((-5, 1000), (0, 7), (dtype.min, dtype.max)):
                    result = tf.random.stateless_uniform([count], seed, low, high, dtype)
                    name = f"integers-{dtype.name}-{count}-{seed}-{low}"
                    args = (*at, count, low, high, _dtype(dtype))
                    recorder.case(name, "random.integers", result, *args)
    for count in (0, 1, 2, 7, 100):
        order = tf.random.experimental.stateless_shuffle(tf.range(count, dtype=tf.int64), (3, -7))
        recorder.case(f"shuffle-{count}", "random.shuffle", order, *_key_counter((3, -7)), count)


def _variates(recorder: Any) -> None:
    seed = (3, -7)
    at = _key_counter(seed)
    logits = np.random.default_rng(0).normal(size=(5, 7))
    logits[1, 2], logits[2, 3] = -np.inf, 50.0
    for dtype in FLOATS:
        typed = tf.cast(logits, dtype)
        result = tf.random.stateless_categorical(typed, 11, seed)
        recorder.case(f"categorical-{dtype.name}", "variates.categorical", result, *at, typed, 11)
        result = tf.random.stateless_categorical(typed, 2, seed)
        recorder.case(
            f"categorical-few-{dtype.name}", "variates.categorical", result, *at, typed, 2
        )
        if dtype == tf.bfloat16:
            continue
        alpha, rate = tf.cast(ALPHA, dtype), tf.cast(RATE, dtype)
        result = tf.random.stateless_gamma([21, 5], seed, alpha, dtype=dtype)
        recorder.case(f"gamma-{dtype.name}", "variates.gamma", result, *at, alpha, 21, ulps=2)
        for output in (tf.int32, tf.int64, tf.float16, tf.float32, tf.float64):
            result = tf.random.stateless_poisson([33, 7], seed, rate, dtype=output)
            name = f"poisson-{dtype.name}-{output.name}"
            recorder.case(name, "variates.poisson", result, *at, rate, 33, _dtype(output))
            trials, chance = tf.cast(TRIALS, dtype), tf.cast(CHANCE, dtype)
            result = tf.random.stateless_binomial(
                [33, 9], seed, trials, chance, output_dtype=output
            )
            name = f"binomial-{dtype.name}-{output.name}"
            recorder.case(
                name, "variates.binomial", result, *at, trials, chance, 33, _dtype(output)
            )
        means, deviations = np.full(9, 0.5, _dtype(dtype)), np.full(9, 2.0, _dtype(dtype))
        lows, highs = np.array(BOUNDS, _dtype(dtype)).T.copy()
        result = tf.random.stateless_parameterized_truncated_normal(
            [67, 9], seed, means, deviations, lows, highs
        )
        parameters = (means, deviations, lows, highs, 67)
        kernel = "truncated_normal.truncated_normal"
        recorder.case(f"truncated-{dtype.name}", kernel, result, *at, *parameters, ulps=4)


def _stateful(recorder: Any) -> None:
    """The second call of each stateful op shows how far the first one moved its stream."""
    key, counter = 42, 9 << 64
    calls = {}
    for dtype in FLOATS:
        for kind in ("uniform", "normal", "truncated_normal"):
            ulps = 0 if kind == "uniform" else NORMAL_ULPS[dtype.name]
            draw = getattr(tf.random, kind)
            args = (103, _dtype(dtype))
            calls[f"{kind}-{dtype.name}"] = (
                f"random.{kind}", ulps, 103 * 256, args,
                lambda d=draw, t=dtype: d([103], dtype=t, seed=9),
            )  # fmt: skip
    for dtype in INTS[:2]:
        args = (103, -3, 100, _dtype(dtype))
        calls[f"integers-{dtype.name}"] = (
            "random.integers", 0, 103 * 256, args,
            lambda t=dtype: tf.random.uniform([103], -3, 100, t, seed=9),
        )  # fmt: skip
    vector = tf.range(37, dtype=tf.int64)
    calls["shuffle"] = ("random.shuffle", 0, 9, (37,), lambda: tf.random.shuffle(vector, seed=9))
    logits = tf.cast(np.random.default_rng(1).normal(size=(5, 7)), tf.float32)
    calls["categorical"] = (
        "variates.categorical", 0, 5 * 12 * 2 * 256, (logits, 11),
        lambda: tf.random.categorical(logits, 11, seed=9),
    )  # fmt: skip
    alpha, rate = tf.constant(ALPHA, tf.float32), tf.constant(RATE, tf.float32)
    calls["gamma"] = (
        "variates.gamma", 2, 21 * 5 * 256, (alpha, 21), lambda: tf.random.gamma([21], alpha, seed=9)
    )  # fmt: skip
    calls["poisson"] = (
        "variates.poisson", 0, 21 * 7 * 256, (rate, 21, np.dtype("f4")),
        lambda: tf.random.poisson([21], rate, seed=9),
    )  # fmt: skip
    for name, (kernel, ulps, moved, args, call) in calls.items():
        tf.random.set_seed(42)
        for turn in range(2):
            result = call()
            at = counter + turn * moved
            recorder.case(f"stateful-{name}-{turn}", kernel, result, key, at, *args, ulps=ulps)


def _generator(recorder: Any) -> None:
    for seed in (5, -5, 2**70 + 5, [1, 2], [1, 2, 3, 4]):
        state = tf.random.Generator.from_seed(seed).state
        recorder.case(f"from_seed-{seed}", "random.seed_state", state, seed, 3)
        state = tf.random.create_rng_state(seed, "threefry")
        recorder.case(f"from_seed-threefry-{seed}", "random.seed_state", state, seed, 2)
    for start in ([-1, -1, 99], [2**62, 7, -3], [5, 0, 0]):
        generator = tf.random.Generator.from_state(start, "philox")
        for step in (1, 10):
            before = generator.state.numpy()
            drawn = generator.uniform_full_int([step])
            key, counter = (
                (int(before[2]) % 2**64),
                int(before[0]) % 2**64 | int(before[1]) % 2**64 << 64,
            )
            recorder.case(f"skip-{start}-{step}", "random.skip", generator.state, before, step)
            name = f"generator-{start}-{step}"
            recorder.case(name, "random.full_range", drawn, key, counter, step, np.dtype("u8"))


def _threefry(recorder: Any) -> None:
    seed = (3, -7)
    key = 3 | (2**32 - 7) << 32

    def draw(kind: str, **kwargs: Any) -> Any:
        call = getattr(tf.random, f"stateless_{kind}")
        compiled = tf.function(lambda s: call([103], s, alg="threefry", **kwargs), jit_compile=True)
        return compiled(tf.constant(seed))

    for dtype in INTS:
        result = draw("uniform", dtype=dtype, minval=None, maxval=None)
        name = f"threefry-full-{dtype.name}"
        recorder.case(name, "threefry.full_range", result, key, 0, 103, _dtype(dtype))
    for dtype in INTS[:2]:
        result = draw("uniform", dtype=dtype, minval=-5, maxval=1000)
        name = f"threefry-integers-{dtype.name}"
        recorder.case(name, "threefry.integers", result, key, 0, 103, -5, 1000, _dtype(dtype))
    # XLA has rougher functions of its own in float32, and works in float16 for float16.
    for dtype, ulps in zip(FLOATS, (40, 1, 24, 64), strict=True):
        for kind in ("uniform", "normal", "truncated_normal"):
            allowed = 0 if kind == "uniform" else ulps
            args = (key, 0, 103, _dtype(dtype))
            name = f"threefry-{kind}-{dtype.name}"
            result = draw(kind, dtype=dtype)
            recorder.case(name, f"threefry.{kind}", result, *args, ulps=allowed, of_largest=True)
