"""Tensors with a border: of one value, or mirrored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.op import Call, LateRefusal, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.identity import identity
from graphwright.ops.core.joining import concat
from graphwright.ops.core.reversal import reverse
from graphwright.ops.core.rule_words import along, host, inhabited, padded
from graphwright.ops.core.shapes import shape_of
from graphwright.ops.core.slicing import slice as slice_of
from graphwright.types import dtypes as dt
from graphwright.types.arguments import HostValue, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, show_dims

#: The width (before, after) of the border along each axis.
Borders: TypeAlias = tuple[tuple[int, int], ...]


def padded_dims(dims: Dims | None, paddings: Any) -> Dims | None:
    """The shape after padding; ValueError where the paddings do not fit the tensor."""
    if paddings is None:
        return None if dims is None else (None,) * len(dims)
    if not isinstance(paddings, tuple) or not all(
        p is None or (isinstance(p, tuple) and len(p) == 2) for p in paddings
    ):
        raise ValueError(
            f"paddings must be a matrix with 2 columns: {show_dims(np.shape(paddings))}"
        )
    if dims is not None and len(dims) != len(paddings):
        raise ValueError(
            "The first dimension of paddings must be the rank of inputs"
            f"[{len(paddings)},2] {show_dims(dims)}"
        )
    result: list[int | None] = []
    pair: Any
    unknown: Any = (None, None)
    for d, pair in zip(dims or (None,) * len(paddings), paddings):
        before, after = unknown if pair is None else pair
        both: Any = None if None in (before, after) else before + after
        if any(p is not None and p < 0 for p in (before, after)):
            raise ValueError(f"Paddings must be non-negative: {before} {after}")
        result.append(None if d is None or both is None else d + both)
    return tuple(result)


def uniform_border(x: Array, paddings: Borders, value: object) -> Any:
    """`x` inside a border of one value."""
    x = np.asarray(x)
    shape: Any = padded_dims(x.shape, paddings)
    result = np.full(shape, value, x.dtype)
    inner: list[Any] = [slice(p[0], p[0] + d) for p, d in zip(paddings, x.shape)]
    result[tuple(inner)] = x
    return result


def bordered(x: GraphTensor, paddings: GraphTensor, value: TensorLike) -> Any:
    """A tensor between blocks of a value, in an expansion; None where paddings are not known."""
    pairs = host(paddings)
    if pairs is None or any(n < 0 for pair in pairs for n in pair):
        return None
    return padded(x, pairs, cast(value, x.dtype))


class Pad(Op):
    """The tensor inside a border of zeros; row i of `paddings` is (before, after) of axis i."""

    type_name = "Pad"
    inputs = ("input: T", "paddings: Tpaddings host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tpaddings": dt.INDEX}

    def shapes(self, x: TensorType, paddings: HostValue) -> Shapes:
        return (padded_dims(x.dims, paddings),)

    def kernel(self, x: Array, paddings: Borders) -> Any:
        zero: Any = b"" if np.asarray(x).dtype == object else 0
        return uniform_border(x, paddings, zero)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return unpadded(call, g), None

    def expand(self, x: GraphTensor, paddings: GraphTensor) -> Any:
        return bordered(x, paddings, 0)

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.longer(each.same(1), (0, 0)))


class PadV2(Op):
    """The tensor inside a border of one value."""

    type_name = "PadV2"
    inputs = ("input: T", "paddings: Tpaddings host", "constant_values: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tpaddings": dt.INDEX}

    def shapes(self, x: TensorType, paddings: HostValue, value: TensorType) -> Shapes:
        if value.rank not in (0, None):
            raise LateRefusal(f"constant_values must be a scalar. Found: {show_dims(value.dims)}")
        return (padded_dims(x.dims, paddings),)

    def kernel(self, x: Array, paddings: Borders, value: Array) -> Any:
        if np.ndim(value):
            raise ValueError(f"constant_values must be a scalar. Found: {show_dims(value.shape)}")
        return uniform_border(x, paddings, value)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return unpadded(call, g), None, None

    def expand(self, x: GraphTensor, paddings: GraphTensor, value: GraphTensor) -> Any:
        return bordered(x, paddings, value)

    def batched(self, each: Each) -> Any:
        return apply(self, each.full(0), each.longer(each.same(1), (0, 0)), each.same(2))


def unpadded(call: Call, g: Cotangent) -> Any:
    """The part of `g` inside the border."""
    x, paddings = call.inputs[:2]
    if isinstance(paddings, tuple):
        begin: Any = tuple([before for before, _ in paddings])
    else:
        begin = convert(paddings)[:, 0]
    return slice_of(g, begin, shape_of(x))


class Border(NamedTuple):
    """How much of an axis lies before and after what is inside."""

    axis: int
    inside: int
    before: int
    after: int


class Mirror(Op):
    """What padding by a tensor's own ends and its gradient share."""

    mode: str

    @property
    def edge(self) -> int:
        """How many elements at an end are not in its border."""
        return 1 if self.mode == "REFLECT" else 0

    def borders(self, dims: Any, paddings: GraphTensor, with_them: bool) -> list[Border] | None:
        """The axes with borders; None where these may not fit.

        The dims are those with the borders if `with_them`.
        """
        pairs = host(paddings)
        if pairs is None:
            return None
        result = []
        for axis, (before, after) in enumerate(pairs):
            size = dims[axis]
            if not (before or after):
                continue
            if size is not None and with_them:
                size -= before + after
            most = None if size is None else size - self.edge
            if most is None or not 0 <= min(before, after) <= max(before, after) <= most:
                return None
            result.append(Border(axis, size, before, after))
        return result

    def with_elements(self, x: GraphTensor) -> Any:
        """`x`, which has elements along each axis if a border leaves out the one at the end."""
        for axis in range(x.shape.rank if self.edge else 0):
            x = inhabited(x, axis)
        return x


class MirrorPad(Mirror):
    """The tensor inside a border that mirrors it, without (REFLECT) or with its edge."""

    type_name = "MirrorPad"
    ruled = True
    inputs = ("input: T", "paddings: Tpaddings host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tpaddings": dt.INDEX}

    def shapes(self, x: TensorType, paddings: Any) -> Shapes:
        dims = padded_dims(x.dims, paddings)
        for d, pair in zip(x.dims or (), paddings or ()):
            if d is None or pair is None or None in pair:
                continue
            if self.mode == "REFLECT" and max(pair) >= d:
                raise ValueError(
                    "paddings must be less than the dimension size: "
                    f"{pair[0]}, {pair[1]} not less than {d}"
                )
            if max(pair) > d:
                raise ValueError(
                    "paddings must be no greater than the dimension size: "
                    f"{pair[0]}, {pair[1]} greater than {d}"
                )
        return (dims,)

    def kernel(self, x: Array, paddings: Borders) -> Any:
        return np.pad(x, paddings, mode=self.mode.lower())  # type: ignore[call-overload]

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return apply(MirrorPadGrad.of(self.mode), g, call.inputs[1]), None

    def expand(self, x: GraphTensor, paddings: GraphTensor) -> Any:
        """The tensor between its own ends, reversed."""
        borders, rank, edge = self.borders(x.shape, paddings, False), x.shape.rank, self.edge
        if borders is None:
            return None
        x = self.with_elements(x)
        for axis, size, before, after in borders:
            ends = (edge, edge + before), (size - edge - after, size - edge)
            sides = [reverse(x[along(rank, axis, slice(*end))], [axis]) for end in ends]
            parts = (sides[0] if before else None, x, sides[1] if after else None)
            x = concat([part for part in parts if part is not None], axis)
        return identity(x)

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.longer(each.same(1), (0, 0)))


class MirrorPadGrad(Mirror):
    """The border folded back and added onto what it mirrors."""

    type_name = "MirrorPadGrad"
    inputs = ("input: T", "paddings: Tpaddings host")
    outputs = ("output: T",)
    dtypes = {"T": dt.NUMERIC, "Tpaddings": dt.INDEX}
    ruled = True

    def shapes(self, x: TensorType, paddings: Any) -> Shapes:
        if x.dims is None and paddings is None:
            return (None,)
        padded_dims(x.dims, paddings)
        dims = (None,) * len(paddings) if x.dims is None else x.dims
        result: list[int | None] = []
        for d, pair in zip(dims, paddings or (None,) * len(dims)):
            if d is None or pair is None or None in pair:
                result.append(None)
                continue
            before, after = pair
            left = d - before - after
            if any(pair) and max(pair) > left - (self.mode == "REFLECT" or not left):
                raise ValueError(
                    "Total paddings must be less than the input dimension size, and each no "
                    f"greater than what it mirrors: {before}, {after} of {d}"
                )
            result.append(left)
        return (tuple(result),)

    def kernel(self, x: Array, paddings: Borders) -> Any:
        edge = self.edge
        for axis, (before, after) in enumerate(paddings):
            x = np.moveaxis(x, axis, 0)
            size = len(x) - before - after
            folded = np.array(x[before : before + size])
            if before:
                folded[edge : edge + before] += x[:before][::-1]
            if after:
                folded[size - edge - after : size - edge] += x[before + size :][::-1]
            x = np.moveaxis(folded, 0, axis)
        return x

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return apply(MirrorPad.of(self.mode), g, call.inputs[1]), None

    def expand(self, x: GraphTensor, paddings: GraphTensor) -> Any:
        """What is between the borders, with these added where they come from."""
        borders, rank, edge = self.borders(x.shape, paddings, True), x.shape.rank, self.edge
        if borders is None:
            return None
        x = self.with_elements(x)
        for axis, size, before, after in borders:
            whole, x = x, x[along(rank, axis, slice(before, before + size))]
            end_after = slice(before + size, before + size + after)
            for end, place in ((slice(0, before), edge), (end_after, size - edge - after)):
                count = end.stop - end.start
                if count:
                    folded = reverse(whole[along(rank, axis, end)], [axis])
                    around = [(0, 0)] * rank
                    around[axis] = place, size - place - count
                    x = x + padded(folded, around, cast(0, x.dtype))
        return identity(x)

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.longer(each.same(1), (0, 0)))


PAD, PAD_V2 = Pad(), PadV2()


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """Surrounds a tensor with a border: of one value, or of its mirror image.

    Args:
        tensor: A tensor of any dtype.
        paddings: A matrix of int32 or int64: row i is the width (before, after) of the border along
            axis i.
        mode: "CONSTANT", "REFLECT" (mirrored without the edge) or "SYMMETRIC" (with it), in any
            case.
        constant_values: A scalar of the dtype of `tensor`: the border in the mode "CONSTANT".
        name: A name for the op.

    Returns:
        A tensor of the dtype and rank of `tensor`.

    Raises:
        ValueError: `mode` is none of the three.
        InvalidArgumentError: `paddings` has not a row for each axis, is negative, or is wider than
            the mirror.

    >>> import graphwright as tf
    >>> tf.pad([1, 2, 3], [[2, 1]]).numpy().tolist()
    [0, 0, 1, 2, 3, 0]
    >>> tf.pad([1, 2, 3], [[2, 1]], "REFLECT").numpy().tolist()
    [3, 2, 1, 2, 3, 2]
    """
    x, mode = convert(tensor), mode.upper()
    if mode == "CONSTANT":
        if isinstance(constant_values, (int, float)) and constant_values == 0:
            return apply(PAD, x, paddings, name=name)
        kind = None if is_tensor(constant_values) else x.dtype
        return apply(PAD_V2, x, paddings, convert(constant_values, kind), name=name)
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or '
            f'"SYMMETRIC". Received `mode` = {mode}'
        )
    return apply(MirrorPad.of(mode), x, paddings, name=name)
