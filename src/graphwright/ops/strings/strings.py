"""Strings of bytes and of UTF-8 characters: parts, case, patterns, joining."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from graphwright.base.errors import OutOfRangeError
from graphwright.op.batching import elementwise, last_axes_of_first
from graphwright.op.interpreter import apply, convert, convert_first, convert_pair
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.op.op_families import reduced_dims
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.shapes import rank_of
from graphwright.ops.strings import string_kernels
from graphwright.ops.strings.string_format import StringFormat
from graphwright.ops.strings.text_operands import Text, refused, scalar, string, texts
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import (
    Dims,
    TensorType,
    broadcast_dims,
    is_compatible,
    merge_dims,
    normalize_axes,
    show_dims,
)

Unit: TypeAlias = Literal["BYTE", "UTF8_CHAR"]


class StringLength(Text):
    """How many bytes or characters each string has."""

    type_name = "StringLength"
    outputs = ("output: int32",)
    batched = elementwise

    unit: str = "BYTE"

    def kernel(self, text: Array) -> Array:
        return string_kernels.length(texts(text), unit_of(self.unit))


class StringUpper(Text):
    """Upper case: of ASCII letters, or of all where the encoding is "utf-8"."""

    type_name = "StringUpper"
    batched = elementwise

    encoding: str = ""

    def kernel(self, text: Array) -> Array:
        return string_kernels.upper(texts(text), cased(self.encoding))


class StringLower(Text):
    """Lower case: of ASCII letters, or of all where the encoding is "utf-8"."""

    type_name = "StringLower"
    batched = elementwise

    encoding: str = ""

    def kernel(self, text: Array) -> Array:
        return string_kernels.lower(texts(text), cased(self.encoding))


def cased(encoding: str) -> str:
    """The encoding in small letters; ValueError where letters have no case in it."""
    if encoding.lower() not in ("", "utf-8"):
        raise ValueError(f"only utf8 or '' (no encoding) is supported, got {encoding!r}")
    return encoding.lower()


class StringStrip(Text):
    """Each string without white space at its ends."""

    type_name = "StringStrip"
    batched = elementwise

    def kernel(self, text: Array) -> Array:
        return string_kernels.strip(texts(text))


class Substr(Op):
    """`len` bytes or characters from `pos` on, of each string; negative `pos` from the end."""

    type_name = "Substr"
    inputs = ("input: string", "pos: T", "len: T")
    outputs = ("output: string",)
    dtypes = {"T": dt.INDEX}
    gradient = not_differentiable
    batched = elementwise

    unit: str = "BYTE"

    def shapes(self, text: TensorType, pos: TensorType, len: TensorType) -> Shapes:
        try:
            together = merge_dims(pos.dims, len.dims)
        except ValueError:
            raise ValueError(
                f"pos and len should have the same shape, got: {show_dims(pos.dims)} vs. "
                f"{show_dims(len.dims)}"
            ) from None
        return (broadcast_dims(text.dims, together),)

    def kernel(self, text: Array, pos: Array, len: Array) -> Array:
        if np.shape(pos) != np.shape(len):
            raise ValueError("pos and len should have the same shape")
        if self.unit == "UTF8_CHAR" and np.any(np.less(pos, 0) & np.less(len, 0)):
            raise ValueError(f"pos {pos} and len {len} cannot both be negative in characters")
        return string_kernels.substr(
            texts(text), np.asarray(pos), np.asarray(len), unit_of(self.unit)
        )


class StringJoin(Op):
    """Strings of several tensors of one shape, or scalars, joined element by element."""

    type_name = "StringJoin"
    inputs = ("inputs: string*",)
    outputs = ("output: string",)
    gradient = not_differentiable

    separator: str = ""

    def shapes(self, *operands: TensorType) -> Shapes:
        dims: Any = ()
        for operand in operands:
            if operand.dims == ():
                continue
            try:
                dims = operand.dims if dims == () else merge_dims(dims, operand.dims)
            except ValueError:
                shown = " vs. ".join(show_dims(o.dims) for o in operands)
                raise ValueError(f"Input shapes do not match: {shown}") from None
        return (dims,)

    def kernel(self, *operands: Array) -> Array:
        if len({np.shape(o) for o in operands} - {()}) > 1:
            raise ValueError("Input shapes do not match")
        if not operands:
            return np.array(b"", object)
        return string_kernels.join([texts(o) for o in operands], self.separator.encode())


class ReduceJoin(Op):
    """Strings joined along axes, in the order in which these are named."""

    type_name = "ReduceJoin"
    inputs = ("inputs: string", "reduction_indices: int32 host")
    outputs = ("output: string",)
    gradient = not_differentiable

    keep_dims: bool = False
    separator: str = ""

    def shapes(self, text: TensorType, axes: int | Dims | None) -> Shapes:
        return (reduced_dims(text.dims, axes, self.keep_dims),)

    def kernel(self, text: Array, axes: int | tuple[int, ...]) -> Array:
        array = texts(text)
        try:
            places = normalize_axes(axes, array.ndim)
        except ValueError:
            raise OutOfRangeError(
                None, None, f"Invalid reduction dimension {axes} for input with {array.ndim} axes"
            ) from None
        return string_kernels.reduce_join(array, places, self.keep_dims, self.separator.encode())


class UnsortedSegmentJoin(Op):
    """Strings of the same segment joined."""

    type_name = "UnsortedSegmentJoin"
    inputs = ("inputs: string", "segment_ids: Tindices", "num_segments: Tnumsegments host")
    outputs = ("output: string",)
    dtypes = {"Tindices": dt.INDEX, "Tnumsegments": dt.INDEX}
    ruled = True
    gradient = not_differentiable

    separator: str = ""

    def shapes(self, text: TensorType, ids: TensorType, count: int | None) -> Shapes:
        if ids.dims == ():
            raise ValueError("segment_ids cannot have rank 0")
        if text.dims is None or ids.dims is None:
            return (None,)
        if not is_compatible(text.dims[: len(ids.dims)], ids.dims):
            raise ValueError(
                f"inputs.shape {show_dims(text.dims)} does not start with segment_ids.shape "
                f"{show_dims(ids.dims)}"
            )
        return ((count, *text.dims[len(ids.dims) :]),)

    def kernel(self, text: Array, ids: Array, count: int) -> Array:
        array, ids = texts(text), np.asarray(ids)
        flat = ids.ravel()
        if np.any((flat < 0) | (flat >= count)):
            raise ValueError(f"segment_ids must be in [0, num_segments = {count}), got {flat}")
        inner = array.shape[ids.ndim :]
        rows = array.reshape(flat.size, math.prod(inner))
        joined = np.empty((count, rows.shape[1]), object)
        for segment in range(count):
            chosen = rows[flat == segment]
            for place in range(rows.shape[1]):
                joined[segment, place] = self.separator.encode().join(chosen[:, place])
        return joined.reshape(count, *inner)


# -- patterns -------------------------------------------------------------------------------


class StaticRegexFullMatch(Text):
    """Whether each string as a whole matches a pattern in RE2's syntax."""

    type_name = "StaticRegexFullMatch"
    outputs = ("output: bool",)
    batched = elementwise

    pattern: str

    def kernel(self, text: Array) -> Array:
        return string_kernels.regex_full_match(texts(text), self.pattern.encode())


class RegexFullMatch(Text):
    """Whether each string as a whole matches a pattern in RE2's syntax."""

    type_name = "RegexFullMatch"
    inputs = ("input: string", "pattern: string")
    outputs = ("output: bool",)
    batched = last_axes_of_first

    def kernel(self, text: Array, pattern: Array) -> Array:
        return string_kernels.regex_full_match(texts(text), scalar(pattern, "Pattern"))


class StaticRegexReplace(Text):
    """Each string with what matches a pattern in RE2's syntax rewritten."""

    type_name = "StaticRegexReplace"
    batched = elementwise

    pattern: str
    rewrite: str
    replace_global: bool = True

    def kernel(self, text: Array) -> Array:
        pattern, rewrite = self.pattern.encode(), self.rewrite.encode()
        return string_kernels.regex_replace(texts(text), pattern, rewrite, self.replace_global)


class RegexReplace(Text):
    """Each string with what matches a pattern in RE2's syntax rewritten."""

    type_name = "RegexReplace"
    inputs = ("input: string", "pattern: string", "rewrite: string")
    batched = last_axes_of_first

    replace_global: bool = True

    def kernel(self, text: Array, pattern: Array, rewrite: Array) -> Array:
        words = scalar(pattern, "Pattern"), scalar(rewrite, "Rewrite")
        return string_kernels.regex_replace(texts(text), *words, self.replace_global)


STRIP, REGEX_FULL_MATCH = StringStrip(), RegexFullMatch()


# -- the public functions -------------------------------------------------------------------


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Counts the bytes or the characters of each string.

    Args:
        input: A tensor of strings, of any shape.
        unit: "BYTE" or "UTF8_CHAR".
        name: A name for the op.

    Returns:
        A tensor of int32 of the shape of `input`.

    Raises:
        InvalidArgumentError: `unit` is another string.

    >>> import graphwright as tf
    >>> tf.strings.length(["two", "élan"], unit="UTF8_CHAR").numpy().tolist()
    [3, 4]
    """
    return apply(StringLength.of(unit_of(unit)), string(input), name=name)


def unit_of(name: str | None) -> Unit:
    """The unit of positions, by default bytes; InvalidArgumentError for another word."""
    unit: Unit = chosen("BYTE" if name is None else name, "unit", ("BYTE", "UTF8_CHAR"))
    return unit


def chosen(value: object, what: str, allowed: tuple[str, ...]) -> Any:
    """An attribute that is one of a few words; InvalidArgumentError for another."""
    if isinstance(value, bytes):
        value = value.decode()
    if value not in allowed:
        raise refused(
            f"Value for attr '{what}' of {value!r} is not in the list of allowed values: "
            f"{', '.join(allowed)}"
        )
    return value


def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Converts each string to upper case.

    Args:
        input: A tensor of strings, of any shape.
        encoding: "" for ASCII letters only, or "utf-8" for all letters.
        name: A name for the op.

    Returns:
        A tensor of strings of the shape of `input`.

    Raises:
        InvalidArgumentError: `encoding` is another string.

    >>> import graphwright as tf
    >>> tf.strings.upper("abc").numpy()
    b'ABC'
    """
    return apply(StringUpper.of(encoding), string(input), name=name)


def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Converts each string to lower case.

    Args:
        input: A tensor of strings, of any shape.
        encoding: "" for ASCII letters only, or "utf-8" for all letters.
        name: A name for the op.

    Returns:
        A tensor of strings of the shape of `input`.

    Raises:
        InvalidArgumentError: `encoding` is another string.

    >>> import graphwright as tf
    >>> tf.strings.lower("ABC").numpy()
    b'abc'
    """
    return apply(StringLower.of(encoding), string(input), name=name)


def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Removes white space at both ends of each string.

    Args:
        input: A tensor of strings, of any shape.
        name: A name for the op.

    Returns:
        A tensor of strings of the shape of `input`.

    >>> import graphwright as tf
    >>> tf.strings.strip(["  a b ", "c"]).numpy().tolist()
    [b'a b', b'c']
    """
    return apply(STRIP, string(input), name=name)


def substr(
    input: TensorLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """Cuts a part of some position and length out of each string.

    Args:
        input: A tensor of strings.
        pos: An int or a tensor of int32 or int64 that broadcasts with `input`: the first byte or
            character. A negative one counts from the end.
        len: A tensor of the shape and dtype of `pos`: the greatest length.
        unit: "BYTE" or "UTF8_CHAR".
        name: A name for the op.

    Returns:
        A tensor of strings of the broadcast shape.

    Raises:
        InvalidArgumentError: A string has no such position, or the shapes of `pos` and `len`
            differ.

    >>> import graphwright as tf
    >>> tf.strings.substr(["Hello", "World"], 1, 3).numpy().tolist()
    [b'ell', b'orl']
    """
    op = Substr.of(unit_of(unit))
    return apply(op, string(input), *convert_pair(pos, len), name=name)


def join(inputs: Sequence[TensorLike], separator: str = "", name: str | None = None) -> Tensor:
    """Joins strings of several tensors element by element.

    Args:
        inputs: A list of tensors of strings, each of one shape or a scalar.
        separator: The text between two strings.
        name: A name for the op.

    Returns:
        A tensor of strings of that shape.

    Raises:
        InvalidArgumentError: The shapes differ (`ValueError` while tracing).

    >>> import graphwright as tf
    >>> tf.strings.join([["a", "b"], "c"], "-").numpy().tolist()
    [b'a-c', b'b-c']
    """
    return apply(StringJoin.of(separator), *[string(x) for x in inputs], name=name)


def reduce_join(
    inputs: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """Joins the strings along axes, in the order of `axis`.

    Args:
        inputs: A tensor of strings, of any shape.
        axis: An int or a list of ints. None means all axes, the last one first.
        keepdims: Whether the axes remain, with size 1.
        separator: The text between two strings.
        name: A name for the op.

    Returns:
        A tensor of strings.

    Raises:
        OutOfRangeError: An axis does not exist.

    >>> import graphwright as tf
    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=0).numpy().tolist()
    [b'ac', b'bd']
    """
    tensor = convert_first(inputs, None, dt.string)
    if axis is None:
        rank = rank_of(tensor)
        known = isinstance(rank, int)
        axis = tuple(range(rank - 1, -1, -1)) if known else range_of(rank - 1, -1, -1)
    elif isinstance(axis, int):
        axis = (axis,)
    return apply(ReduceJoin.of(keepdims, separator), tensor, axis, name=name)


def unsorted_segment_join(
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """Joins the strings of each segment.

    Args:
        inputs: A tensor of strings.
        segment_ids: A tensor of int32 or int64, of at least one axis, whose shape begins that of
            `inputs`: the segment of each entry, in [0, num_segments).
        num_segments: An int or scalar of integers.
        separator: The text between two strings.
        name: A name for the op.

    Returns:
        A tensor of strings of shape [num_segments, *rest of the shape of `inputs`].

    Raises:
        InvalidArgumentError: The shapes do not fit, or a segment is not in [0, num_segments).

    >>> import graphwright as tf
    >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 2, "-").numpy().tolist()
    [b'a-c', b'b']
    """
    op = UnsortedSegmentJoin.of(separator)
    return apply(op, string(inputs), convert(segment_ids), num_segments, name=name)


def regex_full_match(input: TensorLike, pattern: TensorLike, name: str | None = None) -> Tensor:
    """Tells which strings match a pattern as a whole.

    Args:
        input: A tensor of strings, of any shape.
        pattern: A Python string or a scalar of string, in the syntax of RE2.
        name: A name for the op.

    Returns:
        A tensor of bool of the shape of `input`.

    Raises:
        InvalidArgumentError: `pattern` is not valid.

    >>> import graphwright as tf
    >>> tf.strings.regex_full_match(["TF lib", "lib TF"], ".*lib$").numpy().tolist()
    [True, False]
    """
    if isinstance(pattern, (str, bytes)):
        return apply(StaticRegexFullMatch.of(plain(pattern)), string(input), name=name)
    return apply(REGEX_FULL_MATCH, string(input), string(pattern), name=name)


def regex_replace(
    input: TensorLike,
    pattern: TensorLike,
    rewrite: TensorLike,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Rewrites what matches a pattern in each string.

    Args:
        input: A tensor of strings, of any shape.
        pattern: A Python string or a scalar of string, in the syntax of RE2.
        rewrite: A Python string or a scalar of string, in which `\0` to `\9` stand for the match
            and its groups.
        replace_global: Whether all matches are rewritten, not only the first of a string.
        name: A name for the op.

    Returns:
        A tensor of strings of the shape of `input`.

    Raises:
        InvalidArgumentError: `pattern` is not valid.

    >>> import graphwright as tf
    >>> tf.strings.regex_replace("one two", "[aeiou]", "*").numpy()
    b'*n* tw*'
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        static = StaticRegexReplace.of(plain(pattern), plain(rewrite), replace_global)
        return apply(static, string(input), name=name)
    op = RegexReplace.of(replace_global)
    return apply(op, string(input), string(pattern), string(rewrite), name=name)


def plain(text: str | bytes) -> str:
    """A Python string, of UTF-8 where bytes are given."""
    return text.decode() if isinstance(text, bytes) else text


def format(
    template: str,
    inputs: TensorLike,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Tensor:
    """Fills the placeholders of a template with tensors, as `tf.print` shows them.

    Args:
        template: A Python string.
        inputs: A tensor, or a list of tensors, one for each placeholder.
        placeholder: The text that stands for a tensor.
        summarize: How many entries at both ends of an axis are shown; all for -1.
        name: A name for the op.

    Returns:
        A scalar of string.

    Raises:
        ValueError: The template has another number of placeholders.

    >>> import graphwright as tf
    >>> tf.strings.format("x = {}", tf.range(3)).numpy()
    b'x = [0 1 2]'
    """
    tensors = [convert(x) for x in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
    if template.count(placeholder) != len(tensors):
        raise ValueError(
            f"The template expects {template.count(placeholder)} tensors, but the inputs only has "
            f"{len(tensors)}. Please ensure the number of placeholders in template matches inputs "
            "length."
        )
    return apply(StringFormat.of(template, placeholder, summarize), *tensors, name=name)
