"""Strings and ragged tensors: splitting, characters, joining, runs of words, text of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from graphwright.op.dispatch import implement, opened
from graphwright.op.interpreter import apply, convert, convert_first
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.io.raw_bytes import decode_raw
from graphwright.ops.math.comparison import select
from graphwright.ops.strings import strings
from graphwright.ops.strings.encoding import as_string
from graphwright.ops.strings.string_format import StringFormat
from graphwright.ops.strings.string_pieces import (
    StringNGrams,
    StringSplitV2,
    UnicodeDecode,
    UnicodeDecodeWithOffsets,
    UnicodeEncode,
)
from graphwright.ragged.broadcasting import apply_flat
from graphwright.ragged.ragged_conversion import from_tensor
from graphwright.ragged.ragged_indexing import sliced_columns
from graphwright.ragged.ragged_reduction import Axes, reduced
from graphwright.ragged.ragged_tensor import RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue

#: What pads rows at both ends: one string, one for each end, or none.
Padding: TypeAlias = str | bytes | tuple[str | bytes, str | bytes] | None


def each_string(
    cut: Callable[[TensorValue], tuple[RaggedTensor, ...]], input: TensorLike
) -> tuple[Any, ...]:
    """The pieces of each string, as `cut` makes them of a vector of strings.

    A scalar has one row of pieces, a vector.
    """
    input = input if is_ragged(input) else convert_first(input)
    rank = input.shape.rank
    if rank is None:
        raise ValueError("the strings to be taken apart must be of known rank")
    if rank == 0:
        return tuple([part.values for part in cut(reshape(input, [1]))])
    if not is_ragged(input):
        if rank == 1:
            return cut(input)
        input = from_tensor(input, None, None, rank - 1, dt.int64)
    flat = input.flat_values
    if flat.shape.rank > 1:
        nested = from_tensor(flat, None, None, flat.shape.rank - 1, input.row_splits.dtype)
        input = input.with_flat_values(nested)
    return tuple([input.with_flat_values(part) for part in cut(input.flat_values)])


def split(
    input: TensorLike, sep: TensorLike | None = None, maxsplit: int = -1, name: str | None = None
) -> RaggedTensor:
    """Splits each string at separators.

    Args:
        input: A tensor or ragged tensor of strings. One of unknown rank is taken for a vector.
        sep: The separator; None and "" mean runs of white space.
        maxsplit: The greatest number of splits of a string; -1 means no limit.
        name: A name for the op.

    Returns:
        A ragged tensor of strings with one axis more than `input`, or a vector for a scalar.

    Raises:
        InvalidArgumentError: `input` is of unknown rank and no vector.

    >>> import graphwright as tf
    >>> tf.strings.split(["hello world", "a b c"])
    <tf.RaggedTensor [[b'hello', b'world'], [b'a', b'b', b'c']]>
    """

    def cut(vector: TensorLike) -> tuple[RaggedTensor, ...]:
        indices, values, shape = apply(
            StringSplitV2.of(maxsplit), vector, convert("" if sep is None else sep)
        )
        rows = RowPartition.from_value_rowids(indices[:, 0], shape[0], validate=False)
        return (RaggedTensor(values, rows),)

    if not is_ragged(input):
        input = convert(input, dt.string)
        if input.shape.rank is None:
            return cut(input)[0]
    result: RaggedTensor = each_string(cut, input)[0]
    return result


def bytes_split(input: TensorLike, name: str | None = None) -> RaggedTensor:
    """Splits each string into its bytes.

    Args:
        input: A tensor or ragged tensor of strings, of known rank.
        name: A name for the op.

    Returns:
        A ragged tensor of strings with one axis more than `input`, or a vector for a scalar.

    >>> import graphwright as tf
    >>> tf.strings.bytes_split(["ab", ""])
    <tf.RaggedTensor [[b'a', b'b'], []]>
    """

    def cut(vector: TensorLike) -> tuple[RaggedTensor, ...]:
        lengths = cast(strings.length(vector), dt.int64)
        numbers = decode_raw(strings.reduce_join(vector), dt.uint8)
        texts = gather([bytes([i]) for i in range(256)], cast(numbers, dt.int32))
        return (RaggedTensor(texts, RowPartition.from_row_lengths(lengths, validate=False)),)

    result: RaggedTensor = each_string(cut, input)[0]
    return result


def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> RaggedTensor:
    """Decodes each string to its code points.

    Args:
        input: A tensor or ragged tensor of strings, of known rank.
        input_encoding: The name of an encoding, as "UTF-8" or "ISO-8859-1".
        errors: What happens to bytes that the encoding does not allow: "replace" (by
            `replacement_char`), "ignore" or "strict", which refuses them.
        replacement_char: A code point.
        replace_control_characters: Whether control characters are replaced too.
        name: A name for the op.

    Returns:
        A ragged tensor of int32 with one axis more than `input`, or a vector for a scalar.

    Raises:
        InvalidArgumentError: An argument is not valid, or a string is not under "strict".

    >>> import graphwright as tf
    >>> tf.strings.unicode_decode(["Gö", "a"], "UTF-8")
    <tf.RaggedTensor [[71, 246], [97]]>
    """
    op = UnicodeDecode.of(
        input_encoding, errors, replacement_char, replace_control_characters, dt.int64
    )

    def cut(vector: TensorLike) -> tuple[RaggedTensor, ...]:
        splits, points = apply(op, vector)
        return (RaggedTensor(points, RowPartition(splits)),)

    result: RaggedTensor = each_string(cut, input)[0]
    return result


def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[RaggedTensor, RaggedTensor]:
    """Decodes each string to its code points and the places of their first bytes.

    Args:
        input: A tensor or ragged tensor of strings, of known rank.
        input_encoding: The name of an encoding, as "UTF-8" or "ISO-8859-1".
        errors: What happens to bytes that the encoding does not allow: "replace" (by
            `replacement_char`), "ignore" or "strict", which refuses them.
        replacement_char: A code point.
        replace_control_characters: Whether control characters are replaced too.
        name: A name for the op.

    Returns:
        The code points as int32 and the places as int64. Both are ragged tensors with one axis
        more than `input`, or vectors for a scalar.

    Raises:
        InvalidArgumentError: An argument is not valid, or a string is not under "strict".

    >>> import graphwright as tf
    >>> tf.strings.unicode_decode_with_offsets(["öa"], "UTF-8")
    (<tf.RaggedTensor [[246, 97]]>, <tf.RaggedTensor [[0, 2]]>)
    """
    op = UnicodeDecodeWithOffsets.of(
        input_encoding, errors, replacement_char, replace_control_characters, dt.int64
    )

    def cut(vector: TensorLike) -> tuple[RaggedTensor, ...]:
        splits, points, starts = apply(op, vector)
        rows = RowPartition(splits)
        return RaggedTensor(points, rows), RaggedTensor(starts, rows)

    return each_string(cut, input)


def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> RaggedTensor:
    r"""Splits each string into its characters, in the same encoding.

    Args:
        input: A tensor or ragged tensor of strings, of known rank.
        input_encoding: The name of an encoding, as "UTF-8" or "ISO-8859-1".
        errors: What happens to bytes that the encoding does not allow: "replace" (by
            `replacement_char`), "ignore" or "strict", which refuses them.
        replacement_char: A code point.
        name: A name for the op.

    Returns:
        A ragged tensor of strings with one axis more than `input`, or a vector for a scalar.

    Raises:
        InvalidArgumentError: An argument is not valid, or a string is not under "strict".

    >>> import graphwright as tf
    >>> tf.strings.unicode_split(["Gö", "a"], "UTF-8")
    <tf.RaggedTensor [[b'G', b'\xc3\xb6'], [b'a']]>
    """
    points = unicode_decode(input, input_encoding, errors, replacement_char)
    result: RaggedTensor = encoded_each(points, input_encoding, errors, replacement_char)
    return result


def encoded_each(points: TensorLike, encoding: str, errors: str, replacement_char: int) -> Any:
    """Each code point as a string."""
    longer = opened(expand_dims)(points, -1)
    return unicode_encode(longer, encoding, errors, replacement_char)


def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> tuple[RaggedTensor, RaggedTensor]:
    r"""Splits each string into its characters, with the places of their first bytes.

    Args:
        input: A tensor or ragged tensor of strings, of known rank.
        input_encoding: The name of an encoding, as "UTF-8" or "ISO-8859-1".
        errors: What happens to bytes that the encoding does not allow: "replace" (by
            `replacement_char`), "ignore" or "strict", which refuses them.
        replacement_char: A code point.
        name: A name for the op.

    Returns:
        The characters as strings and the places as int64. Both are ragged tensors with one axis
        more than `input`, or vectors for a scalar.

    Raises:
        InvalidArgumentError: An argument is not valid, or a string is not under "strict".

    >>> import graphwright as tf
    >>> tf.strings.unicode_split_with_offsets(["Gö", "a"], "UTF-8")
    (<tf.RaggedTensor [[b'G', b'\xc3\xb6'], [b'a']]>, <tf.RaggedTensor [[0, 1], [0]]>)
    """
    points, starts = unicode_decode_with_offsets(input, input_encoding, errors, replacement_char)
    return encoded_each(points, input_encoding, errors, replacement_char), starts


def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    r"""Encodes the code points of each innermost row as a string.

    Args:
        input: A tensor or ragged tensor of int32, of at least one axis.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: What happens to numbers that are no code points: "replace" (by `replacement_char`),
            "ignore" or "strict", which refuses them.
        replacement_char: A code point.
        name: A name for the op.

    Returns:
        A tensor or ragged tensor of strings with one axis fewer than `input`.

    Raises:
        ValueError: `input` is a scalar or of unknown rank.
        InvalidArgumentError: An argument is not valid, or a number is no code point under "strict".

    >>> import graphwright as tf
    >>> tf.strings.unicode_encode([[71, 246], [97, 98]], "UTF-8").numpy()
    array([b'G\xc3\xb6', b'ab'], dtype=object)
    """
    op = UnicodeEncode.of(output_encoding, errors, replacement_char)
    input = input if is_ragged(input) else convert_first(input)
    rank = input.shape.rank
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank == 0:
        raise ValueError("input_tensor's rank must be at least 1")
    if is_ragged(input) and rank > 2:
        inner = unicode_encode(input.values, output_encoding, errors, replacement_char)
        return input.with_values(inner)
    if rank == 1:
        return unicode_encode(input[None], output_encoding, errors, replacement_char)[0]
    if rank > 2:
        outer = from_tensor(input, None, None, 1, dt.int64)
        inner = unicode_encode(outer.values, output_encoding, errors, replacement_char)
        return outer.with_values(inner).to_tensor()
    rows = input if is_ragged(input) else from_tensor(input, None, None, 1, dt.int64)
    return apply(op, rows.values, rows.row_splits)


def ngrams(
    data: TensorLike,
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pad_values: Padding = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Joins each run of `ngram_width` neighbours in the innermost rows.

    Args:
        data: A tensor or ragged tensor of strings, of at least one axis.
        ngram_width: A positive int, or a list of them for runs of several widths.
        separator: The text between neighbours.
        pad_values: A string for both ends of a row, or a pair of strings. None means no padding.
        padding_width: How many times a row is padded at each end, at most one less than a width.
            None means as often as that.
        preserve_short_sequences: Whether a row that is too short for all widths is joined as a
            whole.
        name: A name for the op.

    Returns:
        A tensor or ragged tensor of strings of the rank of `data`.

    Raises:
        ValueError: A width is not positive, `data` is a scalar, or `padding_width` comes without
            `pad_values`.

    >>> import graphwright as tf
    >>> tf.strings.ngrams(["a", "b", "c"], 2).numpy()
    array([b'a b', b'b c'], dtype=object)
    """
    each: Any = ngram_width if isinstance(ngram_width, (list, tuple)) else [ngram_width]
    widths = tuple([int(width) for width in each])
    if any(width < 1 for width in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    left, right, padding = paddings(pad_values, padding_width)
    op = StringNGrams.of(separator, widths, left, right, padding, preserve_short_sequences)
    data = data if is_ragged(data) else convert(data, dt.string)
    rank: Any = data.shape.rank
    if rank is None:
        raise ValueError("Rank of data must be known: fix it with tf.ensure_shape.")
    if rank == 0:
        raise ValueError("Data must have rank>0")
    if rank == 1:
        return rows_of_ngrams(op, from_tensor(data[None], None, None, 1, dt.int64)).values
    if is_ragged(data):
        return rows_of_ngrams(op, data)
    return rows_of_ngrams(op, from_tensor(data, None, None, rank - 1, dt.int64)).to_tensor()


def paddings(pad_values: Padding, padding_width: int | None) -> tuple[str, str, int]:
    """The strings that pad rows at their two ends, and how often."""
    if pad_values is None:
        if padding_width:
            raise ValueError("pad_values must be provided if padding_width is set.")
        return "", "", 0
    pair = (pad_values, pad_values) if isinstance(pad_values, (str, bytes)) else pad_values
    texts = isinstance(pair, (tuple, list)) and all(isinstance(t, (str, bytes)) for t in pair)
    if not texts or len(pair) != 2:
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    left, right = pair
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"padding_width must be greater than 0. Got {padding_width}")
    left, right = (text.decode() if isinstance(text, bytes) else text for text in (left, right))
    return left, right, -1 if padding_width is None else padding_width


def rows_of_ngrams(op: StringNGrams, data: RaggedTensor) -> Any:
    """The runs of each innermost row."""
    if is_ragged(data.values):
        return data.with_values(rows_of_ngrams(op, data.values))
    values, splits = apply(op, data.values, data.row_splits)
    return RaggedTensor(values, RowPartition(splits))


@implement(strings.join, RaggedTensor)
def join(inputs: Sequence[TensorLike], separator: str = "", name: str | None = None) -> Any:
    """Strings at the same places joined."""
    if is_ragged(inputs):
        raise TypeError(f"`inputs` must be a list of tensors of strings, got {inputs!r}")
    return apply_flat(lambda *parts: strings.join(parts, separator), list(inputs))


@implement(strings.reduce_join, RaggedTensor, first=True)
def reduce_join(
    inputs: RaggedTensor,
    axis: Axes | None = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Strings joined along axes."""

    def dense(x: TensorLike, axis: int | None = None, keepdims: bool = False) -> Any:
        return strings.reduce_join(x, axis, keepdims, separator)

    def segments(x: TensorLike, ids: TensorLike, count: TensorLike) -> Any:
        return strings.unsorted_segment_join(x, ids, count, separator)

    return reduced(dense, segments, inputs, axis, keepdims)


@implement(strings.format, RaggedTensor)
def format(
    template: str,
    inputs: TensorLike,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Any:
    """The template with each placeholder replaced by a tensor or ragged tensor."""
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    pieces = template.split(placeholder)
    if len(pieces) != len(values) + 1:
        raise ValueError(
            f"The template expects {len(pieces) - 1} tensors, but the inputs only has {len(values)}"
        )
    texts: list[Any] = [convert(pieces[0])]
    for value, piece in zip(values, pieces[1:]):
        shown = StringFormat.of("{}", "{}", summarize)
        texts.append(
            text_of(value, summarize) if is_ragged(value) else apply(shown, convert(value))
        )
        texts.append(convert(piece))
    return strings.join(texts)


def text_of(ragged: RaggedTensor, summarize: int = 3) -> Any:
    """The rows as text, of each the first and last entries: `[[1, 2], []]`."""
    values = ragged.flat_values
    if values.dtype is dt.string:
        entries = strings.join([convert("'"), values, convert("'")])
    else:
        entries = as_string(values)
    rows = text_of_rows(ragged.with_flat_values(entries), summarize)
    whole = RaggedTensor(rows, RowPartition.from_uniform_row_length(ragged.nrows(), nrows=1))
    return text_of_rows(whole, summarize)[0]


def text_of_rows(texts: RaggedTensor, summarize: int) -> Any:
    """The text of each row of texts."""
    if is_ragged(texts.values):
        texts = texts.with_values(text_of_rows(texts.values, summarize))
    elif texts.values.shape.rank > 1:
        count = texts.values.shape.rank
        inner = from_tensor(texts.values, None, None, count - 1, texts.row_splits.dtype)
        texts = texts.with_values(text_of_rows(inner, summarize))
    joined = reduce_join(texts, -1, separator=", ")
    if summarize >= 0:
        ends = [
            reduce_join(sliced_columns(texts, piece), -1, separator=", ")
            for piece in (slice(None, summarize), slice(-summarize, None))
        ]
        short = strings.join([ends[0], convert(", ..., "), ends[1]])
        joined = select(texts.row_lengths() > 2 * summarize, short, joined)
    return strings.join([convert("["), joined, convert("]")])
