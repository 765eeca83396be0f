"""Blocks of space moved into the batch or into the channels, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain
from operator import mul
from typing import Any, ClassVar

import numpy as np

from graphwright.op.batching import images, leading
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros, zeros_like
from graphwright.ops.core.joining import stack
from graphwright.ops.core.movement import reshape, transpose
from graphwright.ops.core.padding import Borders
from graphwright.ops.core.rule_words import dims_of, host, padded
from graphwright.ops.core.shapes import shape
from graphwright.ops.math.arithmetic import floormod
from graphwright.types import dtypes as dt
from graphwright.types.arguments import HostValue, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType


def block_pairs(
    block_shape: Dims | None, borders: Any, name: str
) -> list[tuple[Any, Any, Any]] | None:
    """(block, before, after) of each blocked axis, or None while their number is unknown."""
    if block_shape is None and borders is None:
        return None
    count = len(block_shape if block_shape is not None else borders)
    blocks = block_shape or (None,) * count
    pairs = borders or (None,) * count
    if len(pairs) != count:
        raise ValueError(f"{name} should have shape [{count}, 2], got {len(pairs)} rows")
    result = []
    for i, (block, pair) in enumerate(zip(blocks, pairs)):
        before, after = (None, None) if pair is None else pair
        if block is not None and block < 1:
            raise ValueError(
                f"All values in block_shape must be positive, got value, {block} at index {i}."
            )
        if any(p is not None and p < 0 for p in (before, after)):
            raise ValueError(f"All {name} must be non-negative: got {before}, {after}")
        result.append((block, before, after))
    return result


def check_rank(dims: Dims, count: int) -> None:
    """ValueError unless a tensor has a batch axis before its blocked axes."""
    if len(dims) < count + 1:
        raise ValueError(f"input rank should be >= {count + 1} instead of {len(dims)}")


def times(a: int | None, b: int | None) -> Any:
    """a * b, or None where one is unknown."""
    return None if a is None or b is None else a * b


def in_other_order(
    x: GraphTensor, pieces: Sequence[Any], order: Sequence[int], sizes: Sequence[Any]
) -> Any:
    """x with its axes taken apart, the pieces in another order, and these put together."""
    return reshape(transpose(reshape(x, pieces), order), sizes)


class SpaceToBatchND(Op):
    """Zero-padded, then each block of space dealt out to as many batches as it has places."""

    type_name = "SpaceToBatchND"
    inputs = ("input: T", "block_shape: Tblock_shape host", "paddings: Tpaddings host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tblock_shape": dt.INDEX, "Tpaddings": dt.INDEX}
    batched = leading

    def shapes(self, x: TensorType, block_shape: Dims | None, paddings: HostValue) -> Shapes:
        blocks = block_pairs(block_shape, paddings, "paddings")
        if x.dims is None or blocks is None:
            return (None if x.dims is None else (None,) * len(x.dims),)
        check_rank(x.dims, len(blocks))
        batch: Any = x.dims[0]
        space: list[Any] = []
        for i, (d, (block, before, after)) in enumerate(zip(x.dims[1:], blocks)):
            batch = times(batch, block)
            if None in (d, block, before, after):
                space.append(None)
                continue
            padded = (d or 0) + before + after
            if padded % block:
                raise ValueError(
                    f"padded_shape[{i}]={padded} is not divisible by block_shape[{i}]={block}"
                )
            space.append(padded // block)
        return ((batch, *space, *x.dims[len(blocks) + 1 :]),)

    def kernel(self, x: Array, block_shape: tuple[int, ...], paddings: Borders) -> Any:
        (result,) = self.shapes(TensorType(dt.float32, np.shape(x)), block_shape, paddings)
        count = len(block_shape)
        rest = np.ndim(x) - count - 1
        x = np.pad(x, [(0, 0), *paddings, *[(0, 0)] * rest])
        split = [x.shape[0]]
        for d, block in zip(x.shape[1:], block_shape):
            split += [d // block, block]
        parts = np.reshape(x, (*split, *x.shape[count + 1 :]))
        order = [2 * i + 2 for i in range(count)] + [0] + [2 * i + 1 for i in range(count)]
        return np.transpose(parts, (*order, *range(2 * count + 1, parts.ndim))).reshape(result)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        _, block_shape, paddings = call.inputs
        return batch_to_space_nd(g, block_shape, paddings), None, None

    def expand(self, x: GraphTensor, block_shape: GraphTensor, paddings: GraphTensor) -> Any:
        """Padded, and blocks of space as batches."""
        blocks, pairs = host(block_shape), host(paddings)
        if blocks is None or pairs is None or None in x.shape[1 : len(blocks) + 1]:
            return None
        count = len(blocks)
        rest = x.shape.rank - count - 1
        x = padded(x, [(0, 0), *pairs, *[(0, 0)] * rest], cast(0, x.dtype))
        n, *dims = dims_of(x)
        pieces = [n, *chain(*[[d // b, b] for d, b in zip(dims, blocks)]), *dims[count:]]
        order = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2)]
        order += range(2 * count + 1, 2 * count + 1 + rest)
        space = [d // b for d, b in zip(dims, blocks)]
        whole = [n * math.prod(blocks), *space, *dims[count:]]
        return in_other_order(x, pieces, order, whole)


class BatchToSpaceND(Op):
    """The batches put together again to blocks of space, then cropped."""

    type_name = "BatchToSpaceND"
    ruled = True
    inputs = ("input: T", "block_shape: Tblock_shape host", "crops: Tcrops host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tblock_shape": dt.INDEX, "Tcrops": dt.INDEX}
    batched = leading

    def shapes(self, x: TensorType, block_shape: Dims | None, crops: HostValue) -> Shapes:
        blocks = block_pairs(block_shape, crops, "crops")
        if x.dims is None or blocks is None:
            return (None if x.dims is None else (None,) * len(x.dims),)
        check_rank(x.dims, len(blocks))
        places: Any = 1
        space: list[Any] = []
        for d, (block, before, after) in zip(x.dims[1:], blocks):
            places = times(places, block)
            if None in (d, block, before, after):
                space.append(None)
                continue
            cropped = (d or 0) * block - before - after
            if cropped < 0:
                raise ValueError(
                    f"cropped_shape={cropped} must be non-negative: {d} * {block} - "
                    f"{before} - {after}"
                )
            space.append(cropped)
        batch = x.dims[0]
        if None not in (batch, places) and (batch or 0) % places:
            raise ValueError(
                f"Input batch dimension ({batch}) is not divisible by product of block sizes "
                f"({places})"
            )
        batch = None if batch is None or places is None else batch // places
        return ((batch, *space, *x.dims[len(blocks) + 1 :]),)

    def kernel(self, x: Array, block_shape: tuple[int, ...], crops: Borders) -> Any:
        x = np.asarray(x)
        count = len(block_shape)
        batch = x.shape[0] // int(np.prod(block_shape))
        parts = np.reshape(x, (*block_shape, batch, *x.shape[1:]))
        order = [count]
        for i in range(count):
            order += [count + 1 + i, i]
        whole = np.transpose(parts, (*order, *range(2 * count + 1, parts.ndim)))
        space = [d * block for d, block in zip(x.shape[1:], block_shape)]
        whole = whole.reshape((batch, *space, *x.shape[count + 1 :]))
        spans = [slice(a, d - b) for d, (a, b) in zip(space, crops)]
        index: Any = (slice(None), *spans)
        return whole[index]

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        _, block_shape, crops = call.inputs
        return space_to_batch_nd(g, block_shape, crops), None, None

    def expand(self, x: GraphTensor, block_shape: GraphTensor, crops: GraphTensor) -> Any:
        """Batches as blocks of space, cropped."""
        blocks, pairs = host(block_shape), host(crops)
        if blocks is None or pairs is None or None in x.shape[: len(blocks) + 1]:
            return None
        count = len(blocks)
        n, *dims = dims_of(x)
        batch = n // math.prod(blocks)
        order = [count]
        for i in range(count):
            order += [count + 1 + i, i]
        order += range(2 * count + 1, count + 1 + len(dims))
        space = [d * b for d, b in zip(dims, blocks)]
        apart, together = [*blocks, batch, *dims], [batch, *space, *dims[count:]]
        whole = in_other_order(x, apart, order, together)
        inside = [slice(a, d - b) for d, (a, b) in zip(space, pairs)]
        index: Any = (slice(None), *inside)
        return whole[index]


class Regrouping(Op):
    """An op that takes the axes of images apart and puts the pieces together to other axes.

    `operand_axes` and `result_axes` say what each axis is made of, the outermost piece first: `y`
    and `x` are the places inside a block, an axis' own letter is the rest of it.
    """

    inputs = ("input: T",)
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY}
    ruled = True
    batched = images
    least = {"block_size": 2}

    block_size: int
    data_format: str = "NHWC"

    operand_axes: ClassVar[Mapping[str, str]]
    result_axes: ClassVar[Mapping[str, str]]

    def shapes(self, x: TensorType) -> Shapes:
        if self.data_format not in ("NHWC", "NCHW"):
            raise ValueError(f"data_format {self.data_format} is not one of NHWC, NCHW")
        dims = (None,) * 4 if x.dims is None else x.dims
        if len(dims) != 4:
            raise ValueError(f"Input rank should be: 4 instead of: {len(dims)}")
        sizes = dict(zip(self.data_format, dims))
        sizes.update(self.regrouped(sizes["H"], sizes["W"], sizes["C"]))
        return (tuple([sizes[axis] for axis in self.data_format]),)

    def regrouped(
        self, height: int | None, width: int | None, channels: int | None
    ) -> dict[str, int | None]:
        """The sizes that axes get, by their letters; ValueError where blocks do not fit."""
        raise NotImplementedError(f"{type(self).__name__} states no sizes")

    def plan(self, dims: Iterable[Any]) -> tuple[list[Any], list[int], list[Any]]:
        """The sizes of the pieces of axes of these sizes, their new order, the sizes they make."""
        sizes: dict[str, Any] = {"y": self.block_size, "x": self.block_size}
        for axis, size in zip(self.data_format, dims):
            places = self.block_size ** (len(self.operand_axes[axis]) - 1)
            sizes[axis.lower()] = size if places == 1 else size // places
        apart = "".join(self.operand_axes[axis] for axis in self.data_format)
        together = [self.result_axes[axis] for axis in self.data_format]
        order = [apart.index(piece) for piece in "".join(together)]
        made = [reduce(mul, [sizes[piece] for piece in pieces]) for pieces in together]
        return [sizes[piece] for piece in apart], order, made

    def kernel(self, x: Array) -> Any:
        pieces, order, made = self.plan(np.shape(x))
        return np.transpose(np.reshape(x, pieces), order).reshape(made)

    def expand(self, x: GraphTensor) -> Any:
        """Blocks of space as channels, or channels as these."""
        return None if None in x.shape[1:] else in_other_order(x, *self.plan(dims_of(x)))


#: Axes of images whose space is in blocks, and of those whose channels are blocks.
SPACE = {"N": "n", "H": "hy", "W": "wx", "C": "c"}
DEPTH = {"N": "n", "H": "h", "W": "w", "C": "yxc"}


class SpaceToDepth(Regrouping):
    """Each block of space becomes channels."""

    type_name = "SpaceToDepth"
    operand_axes, result_axes = SPACE, DEPTH

    def regrouped(
        self, height: int | None, width: int | None, channels: int | None
    ) -> dict[str, int | None]:
        size = self.block_size
        if any(d is not None and d % size for d in (height, width)):
            raise ValueError(
                f"Image width {width} and height {height} should be divisible by block_size: {size}"
            )
        rows, columns = [None if d is None else d // size for d in (height, width)]
        return {"H": rows, "W": columns, "C": times(channels, size * size)}

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(DepthToSpace.of(*self.values()), g),)


class DepthToSpace(Regrouping):
    """The channels become blocks of space."""

    type_name = "DepthToSpace"
    operand_axes, result_axes = DEPTH, SPACE

    def regrouped(
        self, height: int | None, width: int | None, channels: int | None
    ) -> dict[str, int | None]:
        size, places = self.block_size, self.block_size**2
        if channels is not None and channels % places:
            raise ValueError(f"Input depth dimension {channels} should be divisible by: {places}")
        depth = None if channels is None else channels // places
        return {"H": times(height, size), "W": times(width, size), "C": depth}

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(SpaceToDepth.of(*self.values()), g),)


def space_to_batch_nd(
    input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """Pads a tensor with zeros and moves each place inside a block of space to the batch.

    The spatial axes are those behind the batch axis, as many as `block_shape` has entries.

    Args:
        input: A tensor of any dtype: [batch, space..., rest...].
        block_shape: A vector of int32 or int64: the size of a block along each spatial axis.
        paddings: A matrix of int32 or int64: row i is the width (before, after) of the zeros.
        name: A name for the op.

    Returns:
        A tensor of the dtype and rank of `input`; the batch grows by the number of places of a
        block.

    Raises:
        InvalidArgumentError: A padded axis is not divisible by its block.

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(4), [1, 2, 2, 1])
    >>> tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]).shape
    TensorShape([4, 1, 1, 1])
    """
    return apply(SpaceToBatchND.of(), convert(input), block_shape, paddings, name=name)


space_to_batch = space_to_batch_nd


def batch_to_space_nd(
    input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None
) -> Any:
    """The batches put together again to blocks of space, then cropped."""
    return apply(BatchToSpaceND.of(), convert(input), block_shape, crops, name=name)


def batch_to_space(
    input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None
) -> Tensor:
    """Moves batches back to the places inside blocks of space, and crops the result.

    It undoes `tf.space_to_batch`.

    Args:
        input: A tensor of any dtype: [batch, space..., rest...].
        block_shape: A vector of int32 or int64: the size of a block along each spatial axis. One
            int stands for two axes.
        crops: A matrix of int32 or int64: row i is how much is cut (before, after) along axis i.
        name: A name for the op.

    Returns:
        A tensor of the dtype and rank of `input`.

    Raises:
        InvalidArgumentError: The batch is not divisible by the number of places of a block.

    >>> import graphwright as tf
    >>> x = tf.reshape(tf.range(4), [4, 1, 1, 1])
    >>> tf.batch_to_space(x, [2, 2], [[0, 0], [0, 0]])[0, :, :, 0].numpy().tolist()
    [[0, 1], [2, 3]]
    """
    if isinstance(block_shape, int):
        block_shape = [block_shape, block_shape]
    return batch_to_space_nd(input, block_shape, crops, name)


def space_to_depth(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Moves each block of places of images to channels.

    Args:
        input: A tensor of any dtype and of rank 4: images in `data_format`.
        block_size: The height and width of a block, an int of 2 or more.
        data_format: "NHWC" or "NCHW".
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input`: height and width divided by the block size, and channels
        times its square.

    Raises:
        InvalidArgumentError: The height or width is not divisible by the block size, or an
            attribute is wrong.

    >>> import graphwright as tf
    >>> tf.nn.space_to_depth(tf.reshape(tf.range(4), [1, 2, 2, 1]), 2).numpy().tolist()
    [[[[0, 1, 2, 3]]]]
    """
    return apply(SpaceToDepth.of(block_size, data_format), convert(input), name=name)


def depth_to_space(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Moves the channels of images to blocks of places.

    It undoes `tf.nn.space_to_depth`.

    Args:
        input: A tensor of any dtype and of rank 4: images in `data_format`.
        block_size: The height and width of a block, an int of 2 or more.
        data_format: "NHWC" or "NCHW".
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input`: height and width times the block size, and channels
        divided by its square.

    Raises:
        InvalidArgumentError: The channels are not divisible by the square of the block size, or an
            attribute is wrong.

    >>> import graphwright as tf
    >>> tf.nn.depth_to_space(tf.reshape(tf.range(4), [1, 1, 1, 4]), 2).numpy().tolist()
    [[[[0], [1]], [[2], [3]]]]
    """
    return apply(DepthToSpace.of(block_size, data_format), convert(input), name=name)


def required_space_to_batch_paddings(
    input_shape: TensorLike,
    block_shape: TensorLike,
    base_paddings: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Computes paddings that make each axis a multiple of its block, and crops that undo them.

    What is missing is added behind.

    Args:
        input_shape: A vector of int32: the sizes of the spatial axes.
        block_shape: A vector of int32 of the same length: the size of a block along each.
        base_paddings: A matrix of int32: the least padding (before, after) of each axis. None means
            0.
        name: A name for the op.

    Returns:
        A pair of matrices of int32, each with a row (before, after) for each axis: the paddings and
        the crops.

    >>> import graphwright as tf
    >>> paddings, crops = tf.required_space_to_batch_paddings([5, 6], [2, 3])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[0, 1], [0, 0]], [[0, 1], [0, 0]])
    """
    sizes, blocks = convert(input_shape, dt.int32), convert(block_shape, dt.int32)
    base = zeros([shape(blocks)[0], 2], dt.int32)
    if base_paddings is not None:
        base = convert(base_paddings, dt.int32)
    before, behind = base[:, 0], base[:, 1]
    missing = floormod(-(sizes + before + behind), blocks)
    paddings = stack([before, behind + missing], 1, name)
    return paddings, stack([zeros_like(missing), missing], 1)
