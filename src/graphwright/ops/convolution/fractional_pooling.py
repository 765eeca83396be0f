"""Pooling over windows of random sizes, so that an image shrinks by a ratio that is no integer.

Source: Graham, "Fractional Max-Pooling" (arXiv:1412.6071). With the row sequence s, row i of the
result is pooled from rows [s[i], s[i + 1]) of the image. Windows that overlap also have row s[i +
1]. Columns are pooled likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.base.errors import UnimplementedError
from graphwright.base.named_tuples import NamedTuple
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Effect, Op, Shapes, undefined
from graphwright.op.results import named
from graphwright.ops.core.casting import cast
from graphwright.ops.core.movement import expand_dims
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.shapes import shape, shape_of
from graphwright.ops.linalg.einsum import einsum
from graphwright.ops.math.comparison import logical_and
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.random import philox, philox_draws
from graphwright.ops.random.seeds import anywhere, seeded
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims

POOLED = frozenset({dt.float32, dt.float64, dt.int32, dt.int64})


# -- where the windows are ------------------------------------------------------------------


def cuts(size: int, count: int, words: list[int], pseudo_random: bool) -> Array:
    """The borders of `count` windows of two neighbouring sizes that make up `size` rows."""
    widths: Array | list[int]
    if size % count == 0:
        widths = np.full(count, size // count)
    elif pseudo_random:
        widths = np.diff(random_ceilings(size, count, words))
    else:
        widths = shuffled_widths(size, count, words)
    return np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)


def random_ceilings(size: int, count: int, words: list[int]) -> list[int]:
    """1, ceil(alpha (i + u)), ..., size + 1 for one random u, small enough for both ends to fit."""
    alpha, least = size / count, size // count
    most = min((least + 2) / alpha - 1, (size + 1 - least) / alpha - (count - 1))
    u = float(philox_draws.unit_doubles(np.array([words[:2]], np.uint32))[0]) * most
    return [1, *[int(np.ceil(alpha * (i + u))) for i in range(1, count)], size + 1]


def shuffled_widths(size: int, count: int, words: list[int]) -> list[int]:
    """The larger windows first, then shuffled (Fisher and Yates, from the front)."""
    widths = [size // count + (i < size % count) for i in range(count)]
    for i in range(count - 1):
        j = i + words[i] % (count - i)
        widths[i], widths[j] = widths[j], widths[i]
    return widths


class RandomWindows(NamedTuple):
    """The windows of a pooling: a mask [windows, rows] for rows, another for columns."""

    rows: Array
    columns: Array

    @classmethod
    def between(
        cls, row_cuts: Array, column_cuts: Array, dims: tuple[int, ...], overlapping: bool
    ) -> RandomWindows:
        """The windows between cuts of an image [batch, rows, columns, channels]."""
        masks = []
        for borders, size in ((row_cuts, dims[1]), (column_cuts, dims[2])):
            places = np.arange(size)
            borders = np.asarray(borders)
            last = borders[1:] if overlapping else borders[1:] - 1
            masks.append((places >= borders[:-1, None]) & (places <= last[:, None]))
        return cls(*masks)

    def taps(self) -> tuple[Array, Array]:
        """The rows and columns in each window; the last one again where a window has fewer."""
        places = []
        for mask in self:
            first, count = mask.argmax(1), mask.sum(1)
            steps = np.arange(count.max(initial=1))
            places.append(first[:, None] + np.minimum(steps, count[:, None] - 1))
        rows, columns = places
        return rows[:, None, :, None], columns[None, :, None, :]


# -- the ops --------------------------------------------------------------------------------


class FractionalPool(Op):
    """What maximum and average pooling share: the borders of windows are drawn at random.

    With `deterministic` they are the same each time for the same two seeds.
    """

    inputs: ClassVar[tuple[str, ...]] = ("value: T",)
    outputs: ClassVar[tuple[str, ...]] = (
        "output: T",
        "row_pooling_sequence: int64",
        "col_pooling_sequence: int64",
    )
    dtypes = {"T": POOLED}
    effect = Effect.WRITE
    ruled = True
    differs = True

    seed: int = 0
    seed2: int = 0
    pooling_ratio: tuple[float, ...] = ()
    pseudo_random: bool = False
    overlapping: bool = False
    deterministic: bool = False

    def shapes(self, value: TensorType) -> Shapes:
        dims = self.pooled_dims(value.dims)
        return dims, *[(None if d is None else d + 1,) for d in dims[1:3]]

    def pooled_dims(self, dims: Dims | None) -> Dims:
        """The dims of the result; ValueError if an axis is shorter than its ratio."""
        if dims is not None and len(dims) != 4:
            raise ValueError(
                f"value of {self.type_name} must be 4-dimensional, not {show_dims(dims)}"
            )
        if len(self.pooling_ratio) != 4:
            raise ValueError(
                f"pooling_ratio of {self.type_name} must have 4 entries: {self.pooling_ratio}"
            )
        result: list[int | None] = []
        for axis, (d, ratio) in enumerate(zip(dims or (None,) * 4, self.pooling_ratio)):
            if not ratio >= 1.0:
                raise ValueError(f"pooling_ratio of {self.type_name} must be at least 1: {ratio}")
            if axis in (0, 3) and ratio != 1.0:
                raise UnimplementedError(
                    None,
                    None,
                    f"Pooling is not supported on batch or channels: pooling_ratio[{axis}] of "
                    f"{self.type_name} is {ratio}",
                )
            if d is not None and d < ratio:
                raise ValueError(
                    f"Pooling ratio is higher than input dimension size for dimension {axis}. "
                    f"Input dim size: {d} pooling ratio: {ratio}"
                )
            result.append(d if d is None or axis in (0, 3) else int(d // ratio))
        return tuple(result)

    def kernel(self, value: Array) -> Any:
        dims: Any = self.pooled_dims(value.shape)
        key, counter = philox_draws.key_counter(*self.seeds())
        sequences = []
        for size, count in zip(value.shape[1:3], dims[1:3]):
            needed = -(-(2 if self.pseudo_random else count) // philox.WORDS)
            words = philox.blocks(key, counter, needed).reshape(-1).tolist()
            sequences.append(cuts(size, count, words, self.pseudo_random))
            if size % count or not self.pseudo_random:
                counter += needed
        windows = RandomWindows.between(sequences[0], sequences[1], value.shape, self.overlapping)
        return self.pooled(value, windows), *sequences

    def seeds(self) -> tuple[int, int]:
        """The seeds, or others each time."""
        fixed = self.deterministic and (self.seed or self.seed2)
        return (self.seed, self.seed2) if fixed else anywhere()

    def pooled(self, value: Array, windows: RandomWindows) -> Any:
        """One number for each window."""
        raise NotImplementedError(f"{type(self).__name__} states no pooling")


class FractionalMaxPool(FractionalPool):
    """The largest element of each window."""

    type_name = "FractionalMaxPool"

    def pooled(self, value: Array, windows: RandomWindows) -> Any:
        rows, columns = windows.taps()
        return value[:, rows, columns].max(axis=(3, 4))

    def gradient(self, call: Call, g: Cotangent | None, *_: Any) -> Sequence[Any]:
        if g is None:
            return (None,)
        back = FractionalMaxPoolGrad.of(self.overlapping)
        output, rows, columns = call.outputs
        return (apply(back, call.inputs[0], output, g, rows, columns),)


class FractionalAvgPool(FractionalPool):
    """The mean of each window."""

    type_name = "FractionalAvgPool"

    def pooled(self, value: Array, windows: RandomWindows) -> Any:
        rows, columns = (mask.astype(value.dtype) for mask in windows)
        sums = np.einsum("ih,bhwc,jw->bijc", rows, value, columns, optimize=True)
        counts = (rows.sum(1)[:, None] * columns.sum(1))[..., None]
        if value.dtype.kind == "f":
            return (sums / counts).astype(value.dtype)
        towards_zero = np.sign(sums) * (np.abs(sums) // counts.astype(value.dtype))
        return towards_zero.astype(value.dtype)

    def gradient(self, call: Call, g: Cotangent | None, *_: Any) -> Sequence[Any]:
        if g is None:
            return (None,)
        back = FractionalAvgPoolGrad.of(self.overlapping)
        return (apply(back, shape_of(call.inputs[0]), g, *call.outputs[1:]),)


def windows_between(rows: TensorType, columns: TensorType) -> Dims:
    """How many windows there are along rows and columns; ValueError for cuts that are no vector."""
    for name, borders in (("row", rows), ("col", columns)):
        if borders.rank not in (1, None) or borders.dims == (0,):
            raise ValueError(
                f"{name}_pooling_sequence must be a vector that has elements, got shape "
                f"{show_dims(borders.dims)}"
            )
    sizes = [None if v.dims is None else v.dims[0] for v in (rows, columns)]
    return tuple([None if size is None else size - 1 for size in sizes])


def check_cuts(row_cuts: Array, column_cuts: Array, dims: tuple[int, ...]) -> None:
    """ValueError for cuts that do not grow from window to window, or lie outside of an image."""
    for name, borders, size in (("row", row_cuts, dims[1]), ("col", column_cuts, dims[2])):
        if (np.diff(borders) <= 0).any() or borders[0] < 0 or borders[-1] > size:
            raise ValueError(
                f"{name}_pooling_sequence must grow and lie in [0, {size}], got {borders.tolist()}"
            )


class FractionalMaxPoolGrad(Op):
    """Each window's cotangent at the first place of its largest element."""

    type_name = "FractionalMaxPoolGrad"
    inputs = (
        "orig_input: T",
        "orig_output: T",
        "out_backprop: T",
        "row_pooling_sequence: int64",
        "col_pooling_sequence: int64",
    )
    outputs = ("output: T",)
    dtypes = {"T": POOLED}
    ranks = dict.fromkeys(("orig_input", "orig_output", "out_backprop"), 4)
    gradient = undefined("the derivative of windows of random sizes has none itself")

    overlapping: bool = False

    def shapes(
        self, x: TensorType, y: TensorType, g: TensorType, rows: TensorType, columns: TensorType
    ) -> Shapes:
        counts = windows_between(rows, columns)
        batch, channels = (None, None) if x.dims is None else (x.dims[0], x.dims[3])
        for name, operand in (("orig_output", y), ("out_backprop", g)):
            if not is_compatible(operand.dims, (batch, *counts, channels)):
                raise ValueError(
                    f"{name} of {self.type_name} must have the shape "
                    f"{show_dims((batch, *counts, channels))}, got {show_dims(operand.dims)}"
                )
        return (x.dims if x.dims is not None else (None,) * 4,)

    def kernel(self, x: Array, y: Array, g: Array, row_cuts: Array, column_cuts: Array) -> Any:
        check_cuts(row_cuts, column_cuts, x.shape)
        rows, columns = RandomWindows.between(
            row_cuts, column_cuts, x.shape, self.overlapping
        ).taps()
        if not x.size:
            return x
        taken = x[:, rows, columns]
        flat = taken.reshape(*taken.shape[:3], -1, taken.shape[-1])
        if x.dtype.kind == "f":
            flat = np.where(np.isnan(flat), -np.inf, flat)
        best = flat.argmax(3)
        if not np.array_equal(np.take_along_axis(flat, best[:, :, :, None], 3)[:, :, :, 0], y):
            raise ValueError(f"orig_output of {self.type_name} is not what orig_input is pooled to")
        batch, row, column, channel = np.ogrid[tuple(map(slice, best.shape))]
        places = [p.reshape(*best.shape[1:3], -1) for p in np.broadcast_arrays(rows, columns)]
        best_places = [place[row, column, best] for place in places]
        result = np.zeros(x.shape, x.dtype)
        np.add.at(result, (batch, *best_places, channel), g)
        return result


class FractionalAvgPoolGrad(Op):
    """Each window's cotangent shared out among its elements."""

    type_name = "FractionalAvgPoolGrad"
    inputs = (
        "orig_input_tensor_shape: int64 host",
        "out_backprop: T",
        "row_pooling_sequence: int64",
        "col_pooling_sequence: int64",
    )
    outputs = ("output: T",)
    dtypes = {"T": POOLED}
    ranks = {"orig_input_tensor_shape": 1, "out_backprop": 4}

    overlapping: bool = False

    def shapes(
        self, dims: Dims | None, g: TensorType, rows: TensorType, columns: TensorType
    ) -> Shapes:
        if dims is None:
            return ((None,) * 4,)
        if len(dims) != 4 or any(d is not None and d < 0 for d in dims):
            raise ValueError(f"orig_input_tensor_shape must be of 4 sizes, got {show_dims(dims)}")
        expected = (dims[0], *windows_between(rows, columns), dims[3])
        if not is_compatible(g.dims, expected):
            raise ValueError(
                f"out_backprop of {self.type_name} must have the shape {show_dims(expected)}, got "
                f"{show_dims(g.dims)}"
            )
        return (dims,)

    def kernel(self, dims: tuple[int, ...], g: Array, row_cuts: Array, column_cuts: Array) -> Any:
        check_cuts(row_cuts, column_cuts, dims)
        windows = RandomWindows.between(row_cuts, column_cuts, dims, self.overlapping)
        rows, columns = (mask.astype(np.float64) for mask in windows)
        shares = g / (rows.sum(1)[:, None] * columns.sum(1))[..., None]
        result = np.einsum("ih,bijc,jw->bhwc", rows, shares, columns, optimize=True)
        return result.astype(g.dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        _, _, row_cuts, column_cuts = call.inputs
        rows, columns = (
            self.weights(cuts, size, g.dtype)
            for cuts, size in zip((row_cuts, column_cuts), (shape(g)[1], shape(g)[2]))
        )
        return None, einsum("ih,bhwc,jw->bijc", rows, g, columns), None, None

    def weights(self, cuts: TensorValue, size: TensorValue, dtype: DType) -> Any:
        """How much each row or column counts in each window: [windows, size]."""
        places = cast(range_of(size), dt.int64)
        last = cuts[1:] if self.overlapping else cuts[1:] - 1
        first, last = expand_dims(cuts[:-1], 1), expand_dims(last, 1)
        inside = cast(logical_and(places >= first, places <= last), dtype)
        return inside / reduce_sum(inside, axis=1, keepdims=True)


# -- the public functions -------------------------------------------------------------------


def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: float | Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Returns the largest elements of windows whose sizes are drawn at random.

    Args:
        value: A tensor of float32, float64, int32 or int64 of shape [batch, rows, columns,
            channels].
        pooling_ratio: How many times fewer rows and columns the result has. It is a number of at
            least 1, or a list [1, rows, columns, 1] of them.
        pseudo_random: Whether the borders follow a random start with even steps. Otherwise the two
            possible sizes are shuffled.
        overlapping: Whether neighbouring windows share the row or column at their border.
        seed: An int that determines the sizes; 0 means that they are drawn anew each time.
        name: A name for the op.

    Returns:
        A named tuple: `output`, a tensor of the dtype of `value`, and the borders of the windows as
        1-D int64 tensors, `row_pooling_sequence` and `col_pooling_sequence`.

    Raises:
        ValueError: `pooling_ratio` is below 1 or no such list.
        InvalidArgumentError: `value` does not have 4 axes.

    Source:
        Graham, "Fractional max-pooling" (2014).

    >>> import graphwright as tf
    >>> tf.nn.fractional_max_pool(tf.ones([1, 10, 7, 3]), 1.5, seed=1).output.shape
    TensorShape([1, 6, 4, 3])
    """
    shown = f"Received: pooling_ratio={pooling_ratio}"
    ratios: Sequence[float]
    if isinstance(pooling_ratio, (list, tuple)):
        if pooling_ratio[0] != 1.0 or pooling_ratio[-1] != 1.0:
            raise ValueError(
                f"`pooling_ratio` should have first and last elements with value 1.0. {shown}"
            )
        if any(ratio < 1.0 for ratio in pooling_ratio):
            raise ValueError(f"`pooling_ratio` elements should be >= 1.0. {shown}")
        ratios = pooling_ratio
    elif isinstance(pooling_ratio, (int, float)):
        if pooling_ratio < 1.0:
            raise ValueError(f"`pooling_ratio` should be >= 1.0. {shown}")
        ratios = (1.0, pooling_ratio, pooling_ratio, 1.0)
    else:
        raise ValueError(f"`pooling_ratio` should be an int or a list of ints. {shown}")
    return pooled(FractionalMaxPool, value, ratios, (pseudo_random, overlapping), seed, name)


def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Returns the means of windows whose sizes are drawn at random.

    Args:
        value: A tensor of float32, float64, int32 or int64 of shape [batch, rows, columns,
            channels].
        pooling_ratio: How many times fewer rows and columns the result has, as a list [1, rows,
            columns, 1] of numbers of at least 1.
        pseudo_random: Whether the borders follow a random start with even steps. Otherwise the two
            possible sizes are shuffled.
        overlapping: Whether neighbouring windows share the row or column at their border.
        seed: An int that determines the sizes; 0 means that they are drawn anew each time.
        name: A name for the op.

    Returns:
        A named tuple: `output`, a tensor of the dtype of `value`, and the borders of the windows as
        1-D int64 tensors, `row_pooling_sequence` and `col_pooling_sequence`.

    Raises:
        TypeError: `pooling_ratio` is no list.
        InvalidArgumentError: A ratio is below 1, or `value` does not have 4 axes.
        UnimplementedError: The first or last ratio is not 1.

    >>> import graphwright as tf
    >>> ratio = [1.0, 1.5, 1.5, 1.0]
    >>> tf.nn.fractional_avg_pool(tf.ones([1, 10, 7, 3]), ratio, seed=1).output.shape
    TensorShape([1, 6, 4, 3])
    """
    if not isinstance(pooling_ratio, (list, tuple)):
        raise TypeError(
            "Expected list for 'pooling_ratio' argument to 'fractional_avg_pool' Op, not "
            f"{pooling_ratio}."
        )
    flags = (pseudo_random, overlapping)
    return pooled(FractionalAvgPool, value, pooling_ratio, flags, seed, name)


def pooled(
    kind: type[FractionalPool],
    value: TensorLike,
    ratios: Sequence[float],
    flags: tuple[bool, bool],
    seed: int,
    name: str | None,
) -> Any:
    """Applies a pooling with the seeds that `seed` stands for; 0 stands for none."""
    attributes = (tuple(map(float, ratios)), *map(bool, flags), bool(seed))
    op = seeded(kind, seed, *attributes) if seed else kind.of(0, 0, *attributes)
    return named(kind)(*apply(op, convert(value), name=name))
