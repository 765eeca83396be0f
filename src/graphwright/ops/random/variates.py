"""Categorical, gamma, Poisson and binomial variates: the numbers that TensorFlow draws on CPUs.

All but the categorical sampler reject. Each output has a Philox stream of its own, 256 counters
from its neighbour's, and draws until a number is accepted (`variate_code.py`).

Keys and counters are Python ints.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.base.scalar_code import module_text
from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting_functions
from graphwright.op.special_functions import gammaln
from graphwright.ops.random import philox, variate_code
from graphwright.ops.random.philox_draws import RESERVED, SCRAMBLE_KEY, unit_doubles
from graphwright.types.arrays import Array

Doubles = npt.NDArray[np.float64]

_SEEDS = 8192  # seeds at a time, so that the work arrays stay in the cache
_FEW_CLASSES = 16  # classes up to which comparisons with each are quicker than a search


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
    is_possible = np.isfinite(alpha) & (alpha >= 0)
    shape = np.where(is_possible, alpha, 1.0).astype(np.float64)
    drawn = np.empty((samples, shape.size))
    _functions()["gammas"](
        address(shape), *drawn.shape[::-1], *_start(key, counter), address(drawn)
    )
    if not is_possible.all():
        drawn[:, ~is_possible] = np.where(alpha == np.inf, np.inf, np.nan)[~is_possible]
    if alpha.dtype == np.float16:
        drawn = drawn.astype(np.float32)  # TensorFlow rounds twice
    return drawn.astype(alpha.dtype, copy=False)


def poisson(key: int, counter: int, rate: Array, samples: int, dtype: npt.DTypeLike) -> Array:
    """Poisson variates of `dtype` [samples, rates] for `rate` [rates]; nan for one below 0."""
    is_possible = np.isfinite(rate) & (rate >= 0)
    mean = np.where(is_possible, rate, 0.0).astype(np.float64)
    drawn = np.empty((samples, mean.size))
    _functions()["poissons"](
        address(mean), *drawn.shape[::-1], *_start(key, counter), address(drawn)
    )
    drawn[:, ~is_possible] = np.nan
    return _counts_as(drawn, dtype)


def binomial(
    key: int, counter: int, trials: Array, chance: Array, samples: int, dtype: npt.DTypeLike
) -> Array:
    """Binomial variates of `dtype` [samples, n] for `trials` and `chance`, both [n], or nan."""
    count, success = trials.astype(np.float64), chance.astype(np.float64)
    is_possible = np.isfinite(count) & (count >= 0) & (success >= 0)
    rarer = np.where(success > 0.5, np.maximum(1.0 - success, 0.0), success)
    tried, rarer = [np.where(is_possible, each, 0.0) for each in (count, rarer)]
    tails = _stirling_tails()
    drawn = np.empty((samples, count.size))
    _functions()["binomials"](
        address(tried), address(rarer), address(tails), *drawn.shape[::-1], *_start(key, counter),
        address(drawn),
    )  # fmt: skip
    drawn[:, ~is_possible] = np.nan
    if (success > 0.5).any():
        drawn = np.where(success > 0.5, count - drawn, drawn)
    return _counts_as(drawn, dtype)


def categorical_reserve(batch: int, samples: int) -> int:
    """The number of counters that a stateful categorical draw takes."""
    return batch * -(-samples // 4) * 4 * 2 * RESERVED


def binomial_reserve(parameters: int, samples: int) -> int:
    """The number of counters that a generator's binomial draw takes."""
    return parameters * 2 * 100 * (samples + 3) // 4 * RESERVED


@functools.cache
def _functions() -> dict[str, Any]:
    """The functions of `variate_code`, by their names.

    Whoever draws waits for them: a number must not depend on when they are there.
    """
    place, number = ctypes.c_void_p, ctypes.c_int64
    numbers = [number] * 5
    kinds = {
        "gammas": [place, *numbers, place],
        "poissons": [place, *numbers, place],
        "binomials": [place, place, place, *numbers, place],
    }
    return lasting_functions(
        module_text(variate_code.FUNCTIONS),
        {name: ctypes.CFUNCTYPE(None, *kind) for name, kind in kinds.items()},
    )


def _start(key: int, counter: int) -> tuple[int, int, int]:
    """The key, and the halves of a counter."""
    return key, counter & (1 << 64) - 1, counter >> 64


@functools.cache
def _stirling_tails() -> Doubles:
    """The errors of Stirling's formula for the logarithms of 0! to 9!."""
    near = np.arange(1.0, 11.0)
    half_log_tau = 0.5 * np.log(2.0 * np.pi)
    tails: Doubles = gammaln(near) - ((near - 0.5) * np.log(near) - near + half_log_tau)
    return tails


def _counts_as(drawn: Doubles, dtype: npt.DTypeLike) -> Array:
    """Whole numbers in `dtype`, the largest integer where they do not fit and zero for nan."""
    dtype = np.dtype(dtype)
    if dtype.kind != "i":
        return drawn.astype(dtype)
    bounds = np.iinfo(dtype)
    limited = np.nan_to_num(np.minimum(drawn, np.nextafter(float(bounds.max), 0.0)), nan=0.0)
    return limited.astype(dtype)
