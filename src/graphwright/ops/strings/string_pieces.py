"""Ops that take strings apart, or put them together, into as many pieces as the data has."""

from __future__ import annotations

import sys
from itertools import compress, islice
from typing import ClassVar

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.strings import string_kernels
from graphwright.ops.strings.string_kernels import Errors, filled
from graphwright.ops.strings.strings import chosen
from graphwright.ops.strings.text_operands import texts
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType, num_elements

_ERRORS = ("strict", "replace", "ignore")


class StringSplitV2(Op):
    """The pieces of each string of a vector between separators, as a sparse matrix."""

    type_name = "StringSplitV2"
    inputs = ("input: string", "sep: string host")
    outputs = ("indices: int64", "values: string", "shape: int64")
    returns_tuple = True
    ranks = {"input": 1, "sep": 0}
    gradient = not_differentiable

    maxsplit: int = -1

    def shapes(self, text: TensorType, sep: str | bytes | None) -> Shapes:
        return ((None, 2), (None,), (2,))

    def kernel(self, text: Array, sep: str | bytes) -> tuple[Array, ...]:
        values, counts = string_kernels.split(texts(text), as_bytes(sep), self.maxsplit)
        rows = np.repeat(np.arange(len(counts)), counts)
        columns = np.arange(len(values)) - np.repeat(np.cumsum(counts) - counts, counts)
        shape = np.array([len(counts), counts.max(initial=0)], np.int64)
        return np.stack([rows, columns], 1).astype(np.int64), values, shape


def as_bytes(text: object) -> bytes:
    """Text as UTF-8; ValueError for what is none."""
    if not isinstance(text, (str, bytes)):
        raise ValueError(f"sep must be a string, got {text!r}")
    return text.encode() if isinstance(text, str) else text


class Decoding(Op):
    """Code points of the strings of a vector."""

    inputs: ClassVar[tuple[str, ...]] = ("input: string",)
    returns_tuple = True
    gradient = not_differentiable

    input_encoding: str
    errors: str = "replace"
    replacement_char: int = 0xFFFD
    replace_control_characters: bool = False
    Tsplits: DType = dt.int64

    def decoded(self, text: Array) -> tuple[Array, Array, Array]:
        """Splits, code points, and the bytes that these start at."""
        errors: Errors = chosen(self.errors, "errors", _ERRORS)
        check_point(self.replacement_char)
        try:
            points, starts, counts = string_kernels.code_points(
                texts(text).reshape(-1).tolist(), self.input_encoding, errors
            )
        except LookupError:
            raise InvalidArgumentError(
                None, None, f"Could not create converter for input encoding: {self.input_encoding}"
            ) from None
        wrong = points < (0x20 if self.replace_control_characters else 0)
        splits = np.concatenate([[0], np.cumsum(counts)])
        if errors == "ignore":
            valid = ~wrong
            points, starts = points[valid], starts[valid]
            splits = np.concatenate([[0], np.cumsum(valid)])[splits]
        else:
            points[wrong] = self.replacement_char
        return splits.astype(self.Tsplits.numpy_dtype), points, starts


class UnicodeDecode(Decoding):
    """Code points of the strings of a vector, and the splits between strings."""

    type_name = "UnicodeDecode"
    outputs = ("row_splits: Tsplits", "char_values: int32")

    def shapes(self, text: TensorType) -> Shapes:
        return (splits_dims(text), (None,))

    def kernel(self, text: Array) -> tuple[Array, ...]:
        return self.decoded(text)[:2]


class UnicodeDecodeWithOffsets(Decoding):
    """Code points, the splits between strings, and the places of their bytes in the strings."""

    type_name = "UnicodeDecodeWithOffsets"
    outputs = ("row_splits: Tsplits", "char_values: int32", "char_to_byte_starts: int64")

    def shapes(self, text: TensorType) -> Shapes:
        return (splits_dims(text), (None,), (None,))

    def kernel(self, text: Array) -> tuple[Array, ...]:
        return self.decoded(text)


def splits_dims(text: TensorType) -> tuple[int | None]:
    """The shape of the splits between the strings of a vector."""
    size = num_elements(text.dims)
    return (None if size is None else size + 1,)


def check_point(replacement: int) -> None:
    """ValueError for a replacement that is no character."""
    if not 0 <= replacement <= sys.maxunicode:
        raise ValueError(f"replacement_char must be a unicode code point, got {replacement}")


class UnicodeEncode(Op):
    """Strings of code points, in rows that splits tell."""

    type_name = "UnicodeEncode"
    inputs = ("input_values: int32", "input_splits: Tsplits")
    outputs = ("output: string",)
    dtypes = {"Tsplits": dt.INDEX}
    ranks = {"input_values": 1, "input_splits": 1}
    gradient = not_differentiable

    output_encoding: str
    errors: str = "replace"
    replacement_char: int = 0xFFFD

    def shapes(self, points: TensorType, splits: TensorType) -> Shapes:
        size = None if splits.dims is None else splits.dims[0]
        return ((None if size is None else size - 1,),)

    def kernel(self, points: Array, splits: Array) -> Array:
        errors: Errors = chosen(self.errors, "errors", _ERRORS)
        chosen(self.output_encoding, "output_encoding", ("UTF-8", "UTF-16-BE", "UTF-32-BE"))
        check_point(self.replacement_char)
        if not len(splits):
            raise ValueError("input_splits must have elements, but there are none")
        check_splits(splits, points.size)
        counts: Array = np.diff(splits.astype(np.int64))
        return string_kernels.unicode_encode(
            points, counts, self.output_encoding, errors, self.replacement_char
        )


def check_splits(ends: Array, size: int) -> None:
    """ValueError unless splits begin at 0, do not fall, and end with the values."""
    if not len(ends):
        return
    if ends[0] != 0:
        raise ValueError(f"First split value must be 0, got {ends[0]}")
    wrong = (ends[1:] < ends[:-1]) | (ends[1:] > size)
    if wrong.any():
        before, after = ends[wrong.argmax() :][:2]
        raise ValueError(f"Invalid split value {after}, must be in [{before}, {size}]")
    if ends[-1] != size:
        raise ValueError(f"Last split value must be data size. Expected {size}, got {ends[-1]}")


class StringNGrams(Op):
    """Runs of neighbouring strings, joined, of rows that splits tell."""

    type_name = "StringNGrams"
    inputs = ("data: string", "data_splits: Tsplits")
    outputs = ("ngrams: string", "ngrams_splits: Tsplits")
    dtypes = {"Tsplits": dt.INDEX}
    returns_tuple = True
    ruled = True
    gradient = not_differentiable

    separator: str
    ngram_widths: tuple[int, ...]
    left_pad: str
    right_pad: str
    pad_width: int
    preserve_short_sequences: bool

    def shapes(self, data: TensorType, splits: TensorType) -> Shapes:
        if any(width < 1 for width in self.ngram_widths):
            raise ValueError(f"ngram_widths must be positive, got {list(self.ngram_widths)}")
        return ((None,), (None,) if splits.dims is None else splits.dims)

    def kernel(self, data: Array, splits: Array) -> tuple[Array, ...]:
        words, ends = texts(data).reshape(-1), splits.reshape(-1)
        check_splits(ends, len(words))
        if not (words.size and ends.size):  # rows without a word have no padding, as in TensorFlow
            return np.empty(0, object), np.zeros_like(splits)
        lengths = np.diff(ends.astype(np.int64))
        nothing = np.zeros(len(lengths), np.int64)
        every = [self.runs(words, lengths, width) for width in self.ngram_widths]
        if self.preserve_short_sequences:
            counts = sum([count for _, count in every], nothing)
            is_short = (counts == 0) & (lengths > 0)
            if is_short.any():
                every.append(self.short_rows(words, lengths, is_short))
        counts = sum([count for _, count in every], nothing)
        flat = every[0][0] if len(every) == 1 else np.empty(int(counts.sum()), object)
        if len(every) > 1:  # the runs of a row stand together, width after width
            starts = np.cumsum(counts) - counts
            for runs, numbers in every:
                flat[places_in_groups(starts, numbers)] = runs
                starts += numbers
        places = np.cumsum([0, *counts]).astype(splits.dtype)
        return flat, places.reshape(splits.shape)

    def padded(self, words: Array, lengths: Array, pad: int) -> Array:
        """The words of all rows, with so many strings on both sides of each row."""
        if not pad:
            return words
        sizes = lengths + 2 * pad
        starts = np.cumsum(sizes) - sizes
        strings = np.empty(int(sizes.sum()), object)
        strings[places_in_groups(starts + pad, lengths)] = words
        pads = np.full(len(lengths), pad)
        strings[places_in_groups(starts, pads)] = self.left_pad.encode()
        strings[places_in_groups(starts + pad + lengths, pads)] = self.right_pad.encode()
        return strings

    def runs(self, words: Array, lengths: Array, width: int) -> tuple[Array, Array]:
        """The runs of a width in all rows, and how many each row has."""
        pad = width - 1 if self.pad_width < 0 else min(self.pad_width, width - 1)
        padded, sizes = self.padded(words, lengths, pad), lengths + 2 * pad
        counts = np.maximum(sizes - width + 1, 0)
        firsts = places_in_groups(np.cumsum(sizes) - sizes, counts)
        return string_kernels.runs(padded, firsts, width, self.separator.encode()), counts

    def short_rows(self, words: Array, lengths: Array, is_short: Array) -> tuple[Array, Array]:
        """The chosen rows, each as one run, and whether each row is one of them."""
        pad = max(self.pad_width, 0)
        rest = iter(self.padded(words, lengths, pad).tolist())
        rows = [list(islice(rest, n)) for n in (lengths + 2 * pad).tolist()]
        runs = [*map(self.separator.encode().join, compress(rows, is_short.tolist()))]
        return filled(runs, (len(runs),)), is_short.astype(np.int64)


def places_in_groups(starts: Array, counts: Array) -> Array:
    """So many places from each start on, group after group."""
    ends = np.cumsum(counts)
    return np.arange(counts.sum()) + np.repeat(starts - ends + counts, counts)
