"""Normal variates between two bounds, number for number as TensorFlow's CPU kernel draws them.

Three samplers share the work, after Robert, "Simulation of truncated normal variables" (1995). All
of them propose numbers and reject those outside. They propose normals where the bounds hold much of
the density, uniforms between close bounds, and a shifted exponential in a tail.

The distributions of a batch draw from one Philox stream, one after the other, so the numbers that
one consumes move the next. TensorFlow splits very large draws among threads, each with a stream of
its own; there the numbers differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphwright.ops.random import philox
from graphwright.ops.random.philox_draws import box_muller, unit_doubles, unit_floats
from graphwright.types.arrays import Array, ArrayDType

_Real = np.floating[Any]  # a number of the stream's dtype

_WIDE = 1.3  # standard deviations on one side that make rejection from the normal cheap


def truncated_normal(
    key: int, counter: int, means: Array, deviations: Array, lows: Array, highs: Array, samples: int
) -> Array:
    """Variates [samples, n] of the parameters' dtype; the parameters have shape [n].

    Raises ValueError where a mean is not finite, a deviation not positive, a low bound not below
    its high one, or both infinite. An infinite deviation gives nan.
    """
    drawn = np.empty((samples, means.size), means.dtype)
    stream = _Stream(key, counter, means.dtype)
    for column, row in enumerate(zip(means, deviations, lows, highs, strict=True)):
        drawn[:, column] = _draw(stream, *row, samples)
    return drawn


class _Stream:
    """A Philox stream read in blocks, each as four (float64: two) numbers of the dtype."""

    def __init__(self, key: int, counter: int, dtype: ArrayDType) -> None:
        self.key, self.counter, self.dtype = key, counter, dtype

    def normals(self, start: int, count: int) -> Array:
        words = philox.blocks(self.key, self.counter + start, count)
        return box_muller(words, self.dtype).astype(self.dtype)

    def uniforms(self, start: int, count: int) -> Array:
        words = philox.blocks(self.key, self.counter + start, count)
        if self.dtype == np.float64:
            return unit_doubles(words.reshape(-1, 2)).reshape(-1, 2)
        return unit_floats(words.reshape(-1), self.dtype).reshape(-1, philox.WORDS)


def _draw(
    stream: _Stream, mean: _Real, deviation: _Real, low: _Real, high: _Real, samples: int
) -> Array:
    bounded = low < high and (np.isfinite(low) or np.isfinite(high))
    if bounded and np.isfinite(mean) and deviation == np.inf:
        return np.full(samples, np.nan, stream.dtype)
    if not (bounded and np.isfinite(mean) and deviation > 0):
        raise ValueError(
            "a truncated normal needs a finite mean, a positive deviation and low < high, one of "
            f"them finite; got mean {mean}, deviation {deviation}, low {low}, high {high}"
        )
    if (np.isinf(low) and low < 0) or high < mean:  # mirrored: the finite or nearer bound is low
        low, high, deviation = high, low, -deviation
    real = stream.dtype.type
    low, high = (low - mean) / deviation, (high - mean) / deviation
    root = np.sqrt(low * low + real(4))
    with np.errstate(over="ignore"):
        cutoff = real(2) * np.exp(real(0.5) + low * (low - root) / real(4)) / (low + root)
    if (low < -_WIDE and high >= 0) or (high > _WIDE and low <= 0):
        propose = _from_normal(stream, low, high)
    elif high - low < cutoff:
        propose = _from_uniform(stream, low, high)
    else:
        propose = _from_exponential(stream, low, high)
    drawn: Array = _accept(stream, propose, samples) * deviation + mean
    return drawn


_Proposal: TypeAlias = Callable[[int], tuple[Array, npt.NDArray[np.bool_], int]]


def _accept(stream: _Stream, propose: _Proposal, samples: int) -> Array:
    """The first `samples` accepted proposals; the stream moves past the step of the last one."""
    parts: list[Array] = []
    missing = samples
    while missing > 0:
        drawn, accepted, blocks = propose(missing // 2 + 8)
        total = np.cumsum(accepted.sum(axis=1))
        steps = min(int(np.searchsorted(total, missing)) + 1, len(total))
        chosen = drawn[:steps][accepted[:steps]][:missing]
        stream.counter += steps * blocks
        missing -= chosen.size
        parts.append(chosen)
    return np.concatenate(parts) if parts else np.empty(0, stream.dtype)


def _from_normal(stream: _Stream, low: _Real, high: _Real) -> _Proposal:
    def propose(steps: int) -> tuple[Array, npt.NDArray[np.bool_], int]:
        drawn = stream.normals(0, steps)
        return drawn, (drawn >= low) & (drawn <= high), 1

    return propose


def _from_uniform(stream: _Stream, low: _Real, high: _Real) -> _Proposal:
    real = stream.dtype.type
    peak = low * low if low >= 0 else real(0)

    def propose(steps: int) -> tuple[Array, npt.NDArray[np.bool_], int]:
        pairs = stream.uniforms(0, 2 * steps).reshape(steps, 2, -1)
        drawn = pairs[:, 0] * (high - low) + low
        return drawn, pairs[:, 1] <= np.exp((peak - drawn * drawn) / real(2)), 2

    return propose


def _from_exponential(stream: _Stream, low: _Real, high: _Real) -> _Proposal:
    real = stream.dtype.type
    alpha = (low + np.sqrt(low * low + real(4))) / real(2)

    def propose(steps: int) -> tuple[Array, npt.NDArray[np.bool_], int]:
        unit = stream.uniforms(0, steps)
        with np.errstate(divide="ignore"):
            drawn = -np.log(unit[:, 0::2]) / alpha + low
        offset = alpha - drawn if low < alpha else low - alpha
        return drawn, (unit[:, 1::2] <= np.exp(-offset * offset / real(2))) & (drawn < high), 1

    return propose
