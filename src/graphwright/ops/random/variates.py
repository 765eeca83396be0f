"""Categorical, gamma, Poisson and binomial variates: the numbers that TensorFlow draws on CPUs.

All but the categorical sampler reject. Each output has a Philox stream of its own, 256 counters
from its neighbour's, and draws until a number is accepted. The streams advance side by side as
arrays, and the lanes that have their number drop out.

Sources:

- gamma: Marsaglia and Tsang (2000);
- Poisson: Knuth's product of uniforms for rates below 10, the transformed rejection of Hoermann
  (1993) above;
- binomial: sums of geometric variates (Kachitvichyanukul, Schmeiser 1988) for means below 10,
  Hoermann's BTRS above.

Keys and counters are Python ints.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from graphwright.op.special_functions import gammaln
from graphwright.ops.random import philox
from graphwright.ops.random.philox_draws import RESERVED, SCRAMBLE_KEY, box_muller, unit_doubles
from graphwright.types.arrays import Array

Doubles = npt.NDArray[np.float64]
Lanes = npt.NDArray[np.intp]

_SEEDS = 8192  # seeds at a time, so that the work arrays stay in the cache
_FEW_CLASSES = 16  # classes up to which comparisons with each are quicker than a search
_GEOMETRIC_RESERVED = 42  # counters between the outputs' streams in sums of geometric variates


def categorical(key: int, counter: int, logits: Array, samples: int) -> npt.NDArray[np.int64]:
    """Class indices [batch, samples] from the rows of `logits` [batch, classes], by inversion.

    TensorFlow splits large draws among threads, each with a stream of its own; there the numbers
    differ, from the second thread's rows on.
    """
    batch = logits.shape[0]
    pairs = philox.blocks(key, counter, -(-batch * samples // 2)).reshape(-1, 2)
    points = unit_doubles(pairs)[: batch * samples].reshape(batch, samples)
    sums = np.cumsum(weights_of(logits), axis=1)
    points = points * sums[:, -1:]
    drawn = np.empty((batch, samples), np.int64)
    if samples < batch:
        for sample in range(samples):
            drawn[:, sample] = (sums <= points[:, sample, None]).sum(axis=1)
        return drawn
    for row in range(batch):
        drawn[row] = np.searchsorted(sums[row], points[row], side="right")
    return drawn


def categorical_of_seeds(seeds: Array, logits: Array) -> npt.NDArray[np.int64]:
    """A class index for each pair of `seeds` [n, 2]: a stateless draw from `logits` [classes]."""
    points = units_of_seeds(seeds.astype(np.int64, copy=False).view(np.uint64))
    sums = np.cumsum(weights_of(logits[None]), axis=1)[0]
    points *= sums[-1]
    if len(sums) > _FEW_CLASSES:
        return np.searchsorted(sums, points, side="right").astype(np.int64, copy=False)
    drawn = np.zeros(len(points), np.uint8)
    for bound in sums.tolist():
        drawn += (points >= bound).view(np.uint8)
    return drawn.astype(np.int64)


def units_of_seeds(seeds: philox.UInt64s) -> Doubles:
    """For each pair of `seeds` [n, 2] the first number in [0, 1) of a stateless draw."""
    if philox.NATIVE.is_ready_for(len(seeds)):
        return philox.NATIVE.units(seeds, SCRAMBLE_KEY)
    units = np.empty(len(seeds))
    for start in range(0, len(seeds), _SEEDS):
        part = slice(start, start + _SEEDS)
        words = philox.encipher(SCRAMBLE_KEY, *seeds[part].T)
        key, counter = [words[i] | words[i + 1] << np.uint64(32) for i in (0, 2)]
        first = philox.encipher(key, np.zeros_like(key), counter)[:2]
        units[part] = unit_doubles(np.stack(first, 1).astype(np.uint32))
    return units


def weights_of(logits: Array) -> Doubles:
    """The weights of classes, the greatest of each row 1; logits that are not finite have none."""
    wide = logits.astype(np.float64)
    finite = np.isfinite(wide)
    peak = np.max(wide, axis=1, keepdims=True, where=finite, initial=-np.inf)
    weights: Doubles = np.exp(
        np.subtract(wide, peak, where=finite, out=np.full(wide.shape, -np.inf))
    )
    return weights


def gamma(key: int, counter: int, alpha: Array, samples: int) -> Array:
    """Gamma variates of unit scale [samples, alphas] for the shape parameters `alpha` [alphas].

    An infinite parameter gives infinity, one below 0 nan.
    """
    streams = _Streams(key, counter, alpha.size * samples)
    shape = np.repeat(alpha.astype(np.float64), samples)
    drawn = np.where(shape == np.inf, np.inf, np.nan)
    unit = shape == 1.0
    lanes = np.flatnonzero(unit)
    drawn[lanes] = -np.log1p(-streams.uniform(lanes))
    possible = np.isfinite(shape) & (shape >= 0) & ~unit
    _marsaglia_tsang(streams, shape, np.flatnonzero(possible), drawn)
    narrowed: Array = drawn.reshape(alpha.size, samples).T.astype(alpha.dtype)
    return narrowed


def poisson(key: int, counter: int, rate: Array, samples: int, dtype: npt.DTypeLike) -> Array:
    """Poisson variates of `dtype` [samples, rates] for `rate` [rates]; nan for one below 0."""
    streams = _Streams(key, counter, rate.size * samples)
    mean = np.repeat(rate.astype(np.float64), samples)
    drawn = np.full(mean.size, np.nan)
    possible = np.isfinite(mean) & (mean >= 0)
    _product_of_uniforms(streams, mean, np.flatnonzero(possible & (mean < 10)), drawn)
    _transformed_rejection(streams, mean, np.flatnonzero(possible & (mean >= 10)), drawn)
    return _counts_as(drawn.reshape(rate.size, samples).T, dtype)


def binomial(
    key: int, counter: int, trials: Array, chance: Array, samples: int, dtype: npt.DTypeLike
) -> Array:
    """Binomial variates of `dtype` [samples, n] for `trials` and `chance`, both [n], or nan."""
    count = np.repeat(trials.astype(np.float64), samples)
    success = np.repeat(chance.astype(np.float64), samples)
    rarer = np.where(success > 0.5, np.maximum(1.0 - success, 0.0), success)
    drawn = np.full(count.size, np.nan)
    possible = np.isfinite(count) & (count >= 0) & (success >= 0)
    certain = possible & ((count == 0) | (rarer == 0))
    drawn[certain] = 0.0
    few = count * rarer < 10
    possible &= ~certain
    streams = _Streams(key, counter, count.size, _GEOMETRIC_RESERVED)
    _geometric_sums(streams, count, rarer, np.flatnonzero(possible & few), drawn)
    streams = _Streams(key, counter, count.size)
    _btrs(streams, count, rarer, np.flatnonzero(possible & ~few), drawn)
    drawn = np.where(success > 0.5, count - drawn, drawn)
    return _counts_as(drawn.reshape(trials.size, samples).T, dtype)


def categorical_reserve(batch: int, samples: int) -> int:
    """The number of counters that a stateful categorical draw takes."""
    return batch * -(-samples // 4) * 4 * 2 * RESERVED


def binomial_reserve(parameters: int, samples: int) -> int:
    """The number of counters that a generator's binomial draw takes."""
    return parameters * 2 * 100 * (samples + 3) // 4 * RESERVED


class _Streams:
    """One Philox stream an output, each with its pools of unused uniforms and normals."""

    def __init__(self, key: int, counter: int, outputs: int, stride: int = RESERVED) -> None:
        self._key = key
        self._counter = counter
        self._offsets = np.arange(outputs, dtype=np.uint64) * np.uint64(stride)
        self._pools: dict[str, tuple[Doubles, npt.NDArray[np.int8]]] = {}

    def uniform(self, lanes: Lanes) -> Doubles:
        """The next uniform double of each of these lanes."""
        return self._next("uniform", lanes, lambda w: unit_doubles(w.reshape(-1, 2)).reshape(-1, 2))

    def normal(self, lanes: Lanes) -> Doubles:
        """The next normal double of each of these lanes."""
        return self._next("normal", lanes, lambda words: box_muller(words, np.float64))

    def _next(
        self, kind: str, lanes: Lanes, convert: Callable[[philox.UInt32s], Doubles]
    ) -> Doubles:
        """The next number of each lane's pool, which empties from its end; a block fills it."""
        if kind not in self._pools:
            size = self._offsets.size
            self._pools[kind] = np.empty((size, 2)), np.zeros(size, np.int8)
        pool, left = self._pools[kind]
        empty = lanes[left[lanes] == 0]
        if empty.size:
            counters = philox.counters(self._counter, self._offsets[empty])
            pool[empty] = convert(philox.blocks_at(self._key, *counters))
            self._offsets[empty] += np.uint64(1)
            left[empty] = 2
        left[lanes] -= 1
        return pool[lanes, left[lanes]]


def _marsaglia_tsang(streams: _Streams, shape: Doubles, lanes: Lanes, drawn: Doubles) -> None:
    boost = shape < 1.0
    d = shape + np.where(boost, 2.0 / 3.0, -1.0 / 3.0)
    c = 1.0 / 3.0 / np.sqrt(d)
    while lanes.size:
        x = streams.normal(lanes)
        v = 1.0 + c[lanes] * x
        positive = v > 0
        tried, x, v = lanes[positive], x[positive], v[positive] ** 3
        u = streams.uniform(tried)
        scale = d[tried]
        with np.errstate(divide="ignore"):
            slow = np.log(u) < 0.5 * x * x + scale * (1.0 - v + np.log(v))
        accepted = (u < 1.0 - 0.0331 * (x * x) * (x * x)) | slow
        done = tried[accepted]
        result = scale[accepted] * v[accepted]
        boosted = boost[done]
        power = streams.uniform(done[boosted])
        result[boosted] *= power ** (1.0 / shape[done[boosted]])
        drawn[done] = result
        lanes = np.setdiff1d(lanes, done, assume_unique=True)


def _product_of_uniforms(streams: _Streams, mean: Doubles, lanes: Lanes, drawn: Doubles) -> None:
    threshold = np.exp(-mean)
    product = np.ones(mean.size)
    count = 0
    while lanes.size:
        product[lanes] *= streams.uniform(lanes)
        stopped = product[lanes] <= threshold[lanes]
        drawn[lanes[stopped]] = count
        lanes = lanes[~stopped]
        count += 1


def _transformed_rejection(streams: _Streams, mean: Doubles, lanes: Lanes, drawn: Doubles) -> None:
    while lanes.size:
        rate = mean[lanes]
        b = 0.931 + 2.53 * np.sqrt(rate)
        a = -0.059 + 0.02483 * b
        u = streams.uniform(lanes) - 0.5
        v = streams.uniform(lanes)
        us = 0.5 - np.abs(u)
        with np.errstate(divide="ignore", invalid="ignore"):
            k = np.floor((2.0 * a / us + b) * u + rate + 0.43)
            inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
            ratio = np.log(v * inverse_alpha / (a / (us * us) + b))
            density = -rate + k * np.log(rate) - gammaln(k + 1.0)
        tight = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2.0))
        outside = (k < 0) | ((us < 0.013) & (v > us))
        accepted = tight | (~outside & (ratio <= density))
        drawn[lanes[accepted]] = k[accepted]
        lanes = lanes[~accepted]


def _geometric_sums(
    streams: _Streams, count: Doubles, chance: Doubles, lanes: Lanes, drawn: Doubles
) -> None:
    total = np.zeros(count.size)
    terms = 0
    while lanes.size:
        with np.errstate(divide="ignore"):
            steps = np.ceil(np.log(streams.uniform(lanes)) / np.log1p(-chance[lanes]))
        total[lanes] += steps
        passed = total[lanes] > count[lanes]
        drawn[lanes[passed]] = terms
        lanes = lanes[~passed]
        terms += 1


def _btrs(streams: _Streams, count: Doubles, chance: Doubles, lanes: Lanes, drawn: Doubles) -> None:
    while lanes.size:
        n, p = count[lanes], chance[lanes]
        deviation = np.sqrt(n * p * (1.0 - p))
        b = 1.15 + 2.53 * deviation
        a = -0.0873 + 0.0248 * b + 0.01 * p
        u = streams.uniform(lanes)
        v = streams.uniform(lanes)
        u = u - 0.5
        us = 0.5 - np.abs(u)
        with np.errstate(divide="ignore", invalid="ignore"):
            k = np.floor((2.0 * a / us + b) * u + (n * p + 0.5))
            alpha = (2.83 + 5.1 / b) * deviation
            ratio = np.log(v * alpha / (a / (us * us) + b))
            bound = _log_binomial_ratio(n, p, k)
        tight = (us >= 0.07) & (v <= 0.92 - 4.2 / b)
        accepted = tight | ((k >= 0) & (k <= n) & (ratio <= bound))
        drawn[lanes[accepted]] = k[accepted]
        lanes = lanes[~accepted]


def _log_binomial_ratio(n: Doubles, p: Doubles, k: Doubles) -> Doubles:
    """The logarithm of the probability of k over that of the mode, by Stirling's series."""
    m = np.floor((n + 1.0) * p)
    odds = p / (1.0 - p)
    return (
        (m + 0.5) * np.log((m + 1.0) / (odds * (n - m + 1.0)))
        + (n + 1.0) * np.log((n - m + 1.0) / (n - k + 1.0))
        + (k + 0.5) * np.log(odds * (n - k + 1.0) / (k + 1.0))
        + _stirling_tail(m)
        + _stirling_tail(n - m)
        - _stirling_tail(k)
        - _stirling_tail(n - k)
    )


def _stirling_tail(k: Doubles) -> Doubles:
    """The error of Stirling's formula for log k!: exact below 10, a series above."""
    near = np.clip(k, 0.0, 9.0) + 1.0
    half_log_tau = 0.5 * np.log(2.0 * np.pi)
    exact = gammaln(near) - ((near - 0.5) * np.log(near) - near + half_log_tau)
    square = (k + 1.0) * (k + 1.0)
    series = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1.0)
    return np.where(k <= 9.0, exact, series)


def _counts_as(drawn: Doubles, dtype: npt.DTypeLike) -> Array:
    """Whole numbers in `dtype`, the largest integer where they do not fit and zero for nan."""
    dtype = np.dtype(dtype)
    if dtype.kind != "i":
        return drawn.astype(dtype)
    bounds = np.iinfo(dtype)
    limited = np.nan_to_num(np.minimum(drawn, np.nextafter(float(bounds.max), 0.0)), nan=0.0)
    return limited.astype(dtype)
