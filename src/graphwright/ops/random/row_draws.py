"""Draws for many rows at once: each row has a key and a counter, and draws what it would alone.

Functions of the elements of datasets become these ops (`data/columns/drawn_rows.py`). Their numbers
are those of the ops for one row, bit by bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from graphwright.op.expansion import GraphTensor
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.core.rule_words import host
from graphwright.ops.random import philox, philox_draws
from graphwright.ops.random.philox_words import (
    key_and_counter_of_rows,
    normals_of,
    shaped_rows,
    units_of,
)
from graphwright.ops.random.stateful_random import bounds, size_of
from graphwright.ops.random.stateless_random import (
    Algorithm,
    Positioned,
    check_algorithm,
    position,
    sampler_of,
)
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType

#: Blocks of words of a row from which on it is drawn by machine code, and how many are enciphered
#: at a time elsewhere, so that the work arrays stay in the cache.
_LONG, _CHUNK = 32, 8192
#: Numbers of a row up to which machine code draws them where they are used.
_MANY = 64


class RowKeys(Op):
    """The Philox keys and counters of the seeds of rows."""

    type_name = "_RowKeys"
    inputs = ("seed: Tseed",)
    outputs = ("key: uint64", "counter: uint64")
    dtypes = {"Tseed": dt.INDEX}
    gradient = not_differentiable

    def shapes(self, seed: TensorType) -> Shapes:
        rows = seed.dims[0] if seed.dims else None
        return ((rows, 1), (rows, 2))

    def kernel(self, seed: Array) -> tuple[Array, Array]:
        low, high = seed.astype(np.int64).view(np.uint64).reshape(-1, 2).T
        words = philox.encipher(philox_draws.SCRAMBLE_KEY, low, high)
        key, counter = [words[i] | words[i + 1] << np.uint64(32) for i in (0, 2)]
        return key[:, None], np.stack([np.zeros_like(counter), counter], axis=1)

    def expand(self, seed: GraphTensor) -> Any:
        return key_and_counter_of_rows(seed)


class RowDraws(Op):
    """Numbers of a shape for each row, from its key and counter on."""

    type_name = "_RowDraws"
    inputs: ClassVar[tuple[str, ...]] = Positioned.inputs
    outputs = ("output: dtype",)
    dtypes = {"dtype": dt.ANY, "Tshape": dt.INDEX}
    gradient = not_differentiable

    dtype: DType = dt.float32
    #: The sampler's name in the modules of both algorithms.
    sampler: str = ""

    def shapes(
        self,
        shape: Dims | None,
        key: TensorType,
        counter: TensorType,
        alg: int | None,
        *operands: TensorType,
    ) -> Shapes:
        check_algorithm(alg)
        rows = key.dims[0] if key.dims else None
        return (None if shape is None else (rows, *shape),)

    def kernel(
        self, shape: tuple[int, ...], key: Array, counter: Array, alg: int, *limits: Array
    ) -> Array:
        count, dtype = size_of(shape), self.dtype.numpy_dtype
        ends = bounds(limits[0], limits[1], count) if limits else ()
        rows = _ROWS.get(self.sampler)
        if rows is not None and alg != Algorithm.THREEFRY.value:
            drawn = rows(key, counter, count, dtype, *ends)
        else:
            sampler = sampler_of(self.sampler, alg)
            drawn = np.empty((len(key), count), dtype)
            for i in range(len(key)):
                drawn[i] = sampler(*position(key[i], counter[i], alg), count, *ends, dtype)
        return drawn.reshape(len(key), *shape)

    def expand(
        self,
        shape: GraphTensor,
        key: GraphTensor,
        counter: GraphTensor,
        alg: GraphTensor,
        *limits: GraphTensor,
    ) -> Any:
        """Floats by Philox: machine code draws no others."""
        dims = host(shape)
        if host(alg) in (None, Algorithm.THREEFRY.value) or not isinstance(dims, tuple):
            return None
        is_normal = self.sampler == "normal" and self.dtype is dt.float32
        is_uniform = self.sampler == "uniform" and self.dtype in (dt.float32, dt.float64)
        if not (is_normal or is_uniform) or not 0 < math.prod(dims) <= _MANY:
            return None
        units = units_of(key, counter, dims, self.dtype)
        return shaped_rows(normals_of(units) if is_normal else units, dims)


class RowIntegers(RowDraws):
    """Integers in [minval, maxval) of a shape for each row."""

    type_name = "_RowIntegers"
    inputs = (*RowDraws.inputs, "minval: dtype", "maxval: dtype")


def words_of_rows(key: Array, counter: Array, count: int) -> Array:
    """At least so many words of 32 bits for each row, whole blocks of them."""
    rows, blocks = len(key), -(-count // philox.WORDS)
    is_native = blocks >= _LONG and philox.NATIVE.is_ready_for(rows * blocks)
    if is_native and (counter[:, 0] < np.uint64((1 << 64) - 2 * blocks)).all():  # no half wraps
        return philox.NATIVE.rows(key, counter, blocks)
    words = np.empty((rows, blocks, philox.WORDS), np.uint32)
    steps = np.arange(blocks, dtype=np.uint64)
    height = max(1, _CHUNK // max(1, blocks))
    for start in range(0, rows, height):
        part = slice(start, start + height)
        low = counter[part, :1] + steps
        high = counter[part, 1:2] + (low < counter[part, :1])
        for place, word in enumerate(philox.encipher(key[part], low, high)):
            words[part, :, place] = word
    return words.reshape(rows, -1)


def uniform_rows(key: Array, counter: Array, count: int, dtype: Any) -> Array:
    """Floats in [0, 1)."""
    if dtype == np.float64:
        words = words_of_rows(key, counter, 2 * count)[:, : 2 * count]
        pairs = np.ascontiguousarray(words).reshape(-1, 2)
        return philox_draws.unit_doubles(pairs).reshape(len(key), count)
    return philox_draws.unit_floats(words_of_rows(key, counter, count)[:, :count], dtype)


def normal_rows(key: Array, counter: Array, count: int, dtype: Any) -> Array:
    """Standard normals."""
    words = words_of_rows(key, counter, count * (2 if dtype == np.float64 else 1))
    drawn = philox_draws.box_muller(words.reshape(-1, philox.WORDS), dtype)
    return drawn.reshape(len(key), -1)[:, :count].astype(dtype)


def integer_rows(key: Array, counter: Array, count: int, dtype: Any, low: int, high: int) -> Array:
    """Integers in [low, high)."""
    drawn = full_range_rows(key, counter, count, np.dtype(f"u{dtype.itemsize}"))
    drawn %= drawn.dtype.type(high - low)
    drawn += np.asarray(low, dtype).view(drawn.dtype)
    return drawn.view(dtype)


def full_range_rows(key: Array, counter: Array, count: int, dtype: Any) -> Array:
    """Integers of which every value is equally likely."""
    width = count * dtype.itemsize // 4
    return np.ascontiguousarray(words_of_rows(key, counter, width)[:, :width]).view(dtype)


#: What draws few numbers for each of many rows at once.
_ROWS: dict[str, Callable[..., Array]] = {
    "uniform": uniform_rows,
    "normal": normal_rows,
    "integers": integer_rows,
    "full_range": full_range_rows,
}
