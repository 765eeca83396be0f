"""Cases of the stateless random functions: (public name, arguments, keyword arguments).

What draws from a state is tested in tests/ops/test_random.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

Case = tuple[str, tuple[Any, ...], dict[str, Any]]

TOLERANCES: list[tuple[str, float, float]] = [("", 4, 0)]
DEPARTURES: list[tuple[str, str]] = [
    (
        r"(uniform|normal|gamma)\(list\([^)]*\), int64\[2\]\[3, -7\], \w+\[3\].*, \w+\[3\]",
        "TensorFlow says the shape asked for where parameters of unknown shape may enlarge it",
    ),
]

SEED = np.array([3, -7])
SHAPES = ([], [1], [5], [2, 3], [0, 2], [-1], 3, [[2]], [2.0])
FLOATS = ("float16", "bfloat16", "float32", "float64")
OTHERS = ("int32", "int64", "uint32", "uint64", "uint8", "string", "bool")


def numbers() -> Iterator[Case]:
    kinds = ("uniform", "normal", "truncated_normal")
    for kind in kinds:
        name = f"random.stateless_{kind}"
        for shape in SHAPES:
            yield name, (shape, SEED), {}
            yield name, (shape, [1, 2]), {}
        yield name, (np.array([2, 3]), SEED), {}
        yield name, (np.array([4], np.int64), SEED.astype(np.int32)), {}
        for dtype in FLOATS + OTHERS:
            yield name, ([7], SEED), {"dtype": dtype}
        for seed in ([1], [1, 2, 3], [[1, 2]], [1.0, 2.0], 5):
            yield name, ([2], seed), {}
        for alg in ("philox", "auto_select", "no_such", 1, 9):
            yield name, ([2], SEED), {"alg": alg}
    for dtype in FLOATS:
        yield "random.stateless_uniform", ([7], SEED, -2, 3), {"dtype": dtype}
        yield "random.stateless_normal", ([7], SEED, -2, 3), {"dtype": dtype}
        yield "random.stateless_truncated_normal", ([7], SEED, 1.5, 0.5), {"dtype": dtype}
    spread = np.array([1.0, 10.0, 100.0], np.float32)
    yield "random.stateless_uniform", ([2, 3], SEED, -spread, spread), {}
    yield "random.stateless_normal", ([2, 3], SEED, spread, spread), {}
    for dtype in OTHERS:
        for low, high in ((None, None), (0, 10), (-5, 5), (5, 5), (6, 5), (0, None), (None, 5)):
            yield "random.stateless_uniform", ([6], SEED, low, high, dtype), {}


def variates() -> Iterator[Case]:
    logits = np.array([[0.0, 1.0, -1.0], [5.0, 0.0, -np.inf]])
    for dtype in ("float32", "float64", "float16", "int32"):
        scores = np.nan_to_num(logits, neginf=-9).astype(dtype)
        yield "random.stateless_categorical", (scores, 6, SEED), {}
    yield "random.stateless_categorical", (logits, 2, SEED, "int32"), {}
    yield "random.stateless_categorical", (logits, 0, SEED, "int64"), {}
    yield "random.stateless_categorical", (logits, 2, SEED, "float32"), {}
    yield "random.stateless_categorical", (logits, -2, SEED), {}
    yield "random.stateless_categorical", (logits[0], 2, SEED), {}
    yield "random.stateless_categorical", (logits[:, :0], 2, SEED), {}
    rate = np.array([0.5, 3.0, 40.0], np.float32)
    shapes: tuple[Any, ...] = ([3], [4, 3], [2, 1, 3], [3, 4], [], [0, 3])
    for shape in shapes:
        yield "random.stateless_poisson", (shape, SEED, rate), {}
        yield "random.stateless_gamma", (shape, SEED, rate), {}
        yield "random.stateless_gamma", (shape, SEED, rate, rate[::-1].copy()), {}
        yield "random.stateless_binomial", (shape, SEED, rate, 0.25), {}
        yield "random.stateless_parameterized_truncated_normal", (shape, SEED, rate), {
            "minvals": -1.0, "maxvals": 50.0, "stddevs": 2.0}  # fmt: skip
    for dtype in ("int32", "int64", "float32", "float64", "uint8"):
        yield "random.stateless_poisson", ([4, 3], SEED, rate, dtype), {}
        yield "random.stateless_binomial", ([4, 3], SEED, rate, 0.25, dtype), {}
    yield "random.stateless_gamma", ([4, 3], SEED, rate), {"dtype": "float64"}
    yield "random.stateless_gamma", ([2], SEED, 0.5), {"dtype": "float64"}
    for low, high, deviation in ((-1.0, 1.0, 1.0), (0.0, 1.0, -1.0)):
        yield "random.stateless_parameterized_truncated_normal", (
            [5], SEED, 0.0, deviation, low, high), {}  # fmt: skip


def seeds() -> Iterator[Case]:
    for seed in (SEED, SEED.astype(np.int32)):
        for count in (1, 2, 5):
            yield "random.split", (seed, count), {}
        yield "random.experimental.stateless_split", (seed,), {}
        yield "random.fold_in", (seed, np.array(5)), {}
        yield "random.fold_in", (seed, np.array(5, np.int32)), {}
        for value in (np.arange(7), np.arange(6.0).reshape(3, 2), np.array(3)):
            yield "random.experimental.stateless_shuffle", (value, seed), {}
    words = np.array([b"a", b"b", b"c"], object)
    yield "random.experimental.stateless_shuffle", (words, SEED), {}
    for seed, alg in product((1, -1, 2**64 + 5, [1, 2], [1, 2, 3, 4]), ("philox", "threefry", 3)):
        yield "random.create_rng_state", (seed, alg), {}
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for rate, shape in product((0.0, 0.3, 0.9, 1.0, -0.1), (None, [3, 1], [1, 4], [None, 1])):
        args = (x, rate, SEED)
        yield "nn.experimental.stateless_dropout", args, {"noise_shape": shape}
    yield "nn.experimental.stateless_dropout", (np.arange(3), 0.5, SEED), {}


def index_shuffles() -> Iterator[Case]:
    """Where shuffles put indices."""
    name = "random.experimental.index_shuffle"
    index = np.arange(6, dtype=np.int32)
    for last in (5, 9, 100, 65535, 65536, 10**6):
        yield name, (index, np.array([1, last], np.int32), np.array(last, np.int32)), {}
    yield name, (np.arange(3), np.array([5, -7]), np.array(2**40)), {}
    yield name, (np.arange(3).astype(np.uint64), np.array([5, 7]), np.array(2**62, np.uint64)), {}
    yield name, (np.array(0, np.int32), np.array([5, 7]), np.array(0, np.int32)), {}
    for bad in ((7, [1, 2], 5), (-1, [1, 2], 5), (0, [1, 2], -5), (0, [1, 2, 3], 5), (0, 1, 5)):
        yield name, bad, {}
    three = np.array([[1, 2, 3], [4, 5, 6]], np.uint32)
    raw = "random_index_shuffle"
    yield raw, (index, three[0], np.array(9, np.int32)), {"rounds": 8}
    yield raw, (index[:2], three, np.array(9, np.int32)), {}
    yield raw, (index[0], three, np.array([9, 10], np.int32)), {}
    yield raw, (index[:3], three, np.array(9, np.int32)), {}
    yield raw, (index, three[0], np.array(9)), {}


def cases() -> Iterator[Case]:
    """All cases of the area."""
    yield from numbers()
    yield from variates()
    yield from seeds()
    yield from index_shuffles()
