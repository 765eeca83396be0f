"""What strings stand for: numbers as text, hashes, encodings."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import elementwise
from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.strings import string_kernels, unicode_scripts
from graphwright.ops.strings.fingerprint import fingerprints64
from graphwright.ops.strings.strings import chosen
from graphwright.ops.strings.text_operands import Text, refused, string, texts
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType

NUMBERS = frozenset({dt.float32, dt.float64, dt.int32, dt.int64, dt.uint32, dt.uint64})


class StringToNumber(Text):
    """The number that each string shows."""

    type_name = "StringToNumber"
    inputs = ("string_tensor: string",)
    outputs = ("output: out_type",)
    dtypes = {"out_type": NUMBERS}
    batched = elementwise

    out_type: DType = dt.float32

    def kernel(self, text: Array) -> Any:
        return string_kernels.to_number(texts(text), self.out_type.numpy_dtype)


class AsString(Text):
    """Each element as text."""

    type_name = "AsString"
    inputs = ("input: T",)
    dtypes = {"T": dt.NUMERIC | dt.BOOL | dt.STRING}
    batched = elementwise

    precision: int = -1
    scientific: bool = False
    shortest: bool = False
    width: int = -1
    fill: str = ""

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        if self.scientific and self.shortest:
            raise refused("Cannot select both scientific and shortest notation")
        if len(self.fill) > 1:
            raise refused(f"Fill string must be one or fewer characters, got {self.fill!r}")
        dtype = types[0]
        if not (dtype.is_floating or dtype.is_complex or dtype is dt.string):
            if self.scientific or self.shortest:
                raise refused(
                    f"scientific and shortest format not supported for datatype {dtype.name}"
                )
            if self.precision >= 0:
                raise refused(f"precision not supported for datatype {dtype.name}")
        return self.kernel

    def kernel(self, values: Array) -> Any:
        return string_kernels.as_string(
            np.asarray(values) if hasattr(values, "dtype") else texts(values),
            self.precision,
            self.scientific,
            self.shortest,
            self.width,
            self.fill,
        )


class StringToHashBucketFast(Text):
    """The bucket of each string by a fingerprint that is the same everywhere."""

    type_name = "StringToHashBucketFast"
    outputs = ("output: int64",)
    batched = elementwise
    least = {"num_buckets": 1}

    num_buckets: int

    def kernel(self, text: Array) -> Any:
        return string_kernels.hash_bucket_fast(texts(text), self.num_buckets)


class StringToHashBucket(Text):
    """The bucket of each string by a hash that may differ elsewhere."""

    type_name = "StringToHashBucket"
    inputs = ("string_tensor: string",)
    outputs = ("output: int64",)
    batched = elementwise
    least = {"num_buckets": 1}

    num_buckets: int

    def kernel(self, text: Array) -> Any:
        return string_kernels.hash_bucket(texts(text), self.num_buckets)


class StringToHashBucketStrong(Text):
    """The bucket of each string by a hash under a key."""

    type_name = "StringToHashBucketStrong"
    outputs = ("output: int64",)
    batched = elementwise
    least = {"num_buckets": 1}

    num_buckets: int
    key: tuple[int, ...]

    def kernel(self, text: Array) -> Any:
        if len(self.key) != 2:
            raise ValueError(f"Key must have 2 elements, got {len(self.key)}")
        first, second = self.key
        return string_kernels.hash_bucket_strong(texts(text), self.num_buckets, (first, second))


class Fingerprint(Op):
    """FarmHash's fingerprint of each row, as eight bytes, the lowest first.

    That of a row of strings is of their fingerprints.
    """

    type_name = "Fingerprint"
    inputs = ("data: T", "method: string")
    outputs = ("fingerprint: uint8",)
    dtypes = {"T": dt.ANY}
    ranks = {"method": 0}
    gradient = not_differentiable

    def shapes(self, data: TensorType, method: TensorType) -> Shapes:
        if data.rank == 0:
            raise ValueError("Shape must be at least rank 1 but is rank 0")
        return ((None if data.dims is None else data.dims[0], 8),)

    def kernel(self, data: Array, method: Array) -> Any:
        chosen_method = np.asarray(method, object).item()
        if chosen_method != b"farmhash64":
            raise ValueError(f"Unsupported fingerprint method: {chosen_method!r}")
        array = np.asarray(data)
        if array.ndim == 0:
            raise ValueError("Shape must be at least rank 1 but is rank 0")
        if array.dtype == object and array.ndim > 1:
            array = fingerprints64(array)
        if array.dtype != object:
            rows = np.empty(len(array), object)
            rows[:] = [row.tobytes() for row in array]
            array = rows
        return fingerprints64(array).view(np.uint8).reshape(len(array), 8)


class UnicodeTranscode(Text):
    """Each string in another encoding."""

    type_name = "UnicodeTranscode"

    input_encoding: str
    output_encoding: str
    errors: str = "replace"
    replacement_char: int = 0xFFFD
    replace_control_characters: bool = False

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        try:
            codecs.lookup(self.input_encoding)
        except LookupError:
            raise refused(f"Could not create converter for {self.input_encoding!r}") from None
        return self.kernel

    def kernel(self, text: Array) -> Any:
        array = texts(text)
        errors = chosen(self.errors, "errors", ("strict", "replace", "ignore"))
        if self.replace_control_characters:
            array = string_kernels.unicode_transcode(
                array, self.input_encoding, "UTF-8", errors, self.replacement_char
            )
            shown = chr(self.replacement_char).encode()
            array = string_kernels.regex_replace(
                array, rb"[\x00-\x1f]", shown.replace(b"\\", b"\\\\")
            )
            return string_kernels.unicode_transcode(array, "UTF-8", self.output_encoding)
        return string_kernels.unicode_transcode(
            array, self.input_encoding, self.output_encoding, errors, self.replacement_char
        )


# -- the public functions -------------------------------------------------------------------


def to_number(
    input: TensorLike, out_type: DTypeLike = dt.float32, name: str | None = None
) -> Tensor:
    """Converts each string to the number that it shows.

    Args:
        input: A tensor of strings, of any shape.
        out_type: The dtype of the result: float32, float64, int32, int64, uint32 or uint64.
        name: A name for the op.

    Returns:
        A tensor of `out_type` of the shape of `input`.

    Raises:
        InvalidArgumentError: A string shows no number.

    >>> import graphwright as tf
    >>> tf.strings.to_number(["3.5", "1e3"])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([   3.5, 1000. ], dtype=float32)>
    """
    op = StringToNumber.of(StringToNumber.dtype_for("out_type", out_type))
    return apply(op, string(input), name=name)


def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Converts each element to text, numbers as `printf` of C shows them.

    Args:
        input: A tensor of numbers, bools or strings, of any shape.
        precision: The digits after the point; -1 means the default of `printf`. For floats and
            complex numbers only.
        scientific: Whether floats are shown with an exponent.
        shortest: Whether floats are shown with or without an exponent, as is shorter.
        width: The least number of characters; -1 means no such limit.
        fill: What fills up to `width`: one character, or "" for spaces.
        name: A name for the op.

    Returns:
        A tensor of strings of the shape of `input`.

    Raises:
        InvalidArgumentError: The options exclude each other, or do not suit the dtype of `input`.

    >>> import graphwright as tf
    >>> tf.strings.as_string([3.1415926, 2.5], precision=2).numpy().tolist()
    [b'3.14', b'2.50']
    """
    op = AsString.of(precision, scientific, shortest, width, fill)
    return apply(op, convert(input), name=name)


def fingerprint(data: TensorLike, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """Returns the fingerprint of each row: a hash of eight bytes that is the same everywhere.

    Args:
        data: A tensor of any dtype and of at least one axis.
        method: "farmhash64".
        name: A name for the op.

    Returns:
        A tensor of uint8 of shape [rows, 8].

    Raises:
        InvalidArgumentError: `data` is a scalar, or `method` is another string.

    >>> import graphwright as tf
    >>> tf.fingerprint(["a"]).numpy().tolist()
    [[227, 117, 223, 182, 101, 66, 69, 179]]
    """
    return apply(Fingerprint(), convert(data), string(method), name=name)


def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """Hashes each string to one of `num_buckets` numbers, by FarmHash's fingerprint.

    Args:
        input: A tensor of strings, of any shape.
        num_buckets: A positive int.
        name: A name for the op.

    Returns:
        A tensor of int64 of the shape of `input`, with values in [0, num_buckets).

    Raises:
        InvalidArgumentError: `num_buckets` is not positive.

    >>> import graphwright as tf
    >>> tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow"], 3).numpy().tolist()
    [0, 2]
    """
    return apply(StringToHashBucketFast.of(num_buckets), string(input), name=name)


def to_hash_bucket(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """Hashes each string to one of `num_buckets` numbers, by MurmurHash.

    Args:
        input: A tensor of strings, of any shape.
        num_buckets: A positive int.
        name: A name for the op.

    Returns:
        A tensor of int64 of the shape of `input`, with values in [0, num_buckets).

    Raises:
        InvalidArgumentError: `num_buckets` is not positive.

    >>> import graphwright as tf
    >>> tf.strings.to_hash_bucket(["a", "b"], 10).numpy()
    array([8, 0])
    """
    return apply(StringToHashBucket.of(num_buckets), string(input), name=name)


def to_hash_bucket_strong(
    input: TensorLike, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Tensor:
    """Hashes each string to one of `num_buckets` numbers, by SipHash under a key.

    Args:
        input: A tensor of strings, of any shape.
        num_buckets: A positive int.
        key: Two ints.
        name: A name for the op.

    Returns:
        A tensor of int64 of the shape of `input`, with values in [0, num_buckets).

    Raises:
        InvalidArgumentError: `num_buckets` is not positive, or `key` does not have 2 entries.

    >>> import graphwright as tf
    >>> tf.strings.to_hash_bucket_strong(["a", "b"], 10, key=[1, 2]).numpy().tolist()
    [6, 4]
    """
    op = StringToHashBucketStrong.of(num_buckets, tuple(int(k) for k in key))
    return apply(op, string(input), name=name)


def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    r"""Converts strings from one encoding to another.

    Args:
        input: A tensor of strings, of any shape.
        input_encoding: The name of an encoding, as "UTF-8" or "ISO-8859-1".
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: What happens to bytes that the encoding does not allow: "replace" (by
            `replacement_char`), "ignore" or "strict", which refuses them.
        replacement_char: A code point.
        replace_control_characters: Whether control characters are replaced too.
        name: A name for the op.

    Returns:
        A tensor of strings of the shape of `input`.

    Raises:
        InvalidArgumentError: An encoding or `errors` is not valid, or a string is not under
            "strict".

    >>> import graphwright as tf
    >>> tf.strings.unicode_transcode("ab", "UTF-8", "UTF-16-BE").numpy()
    b'\x00a\x00b'
    """
    op = UnicodeTranscode.of(
        input_encoding,
        chosen(output_encoding, "output_encoding", ("UTF-8", "UTF-16-BE", "UTF-32-BE")),
        chosen("replace" if errors is None else errors, "errors", ("strict", "replace", "ignore")),
        replacement_char,
        replace_control_characters,
    )
    return apply(op, string(input), name=name)


class UnicodeScript(Op):
    """The script of each code point, by ICU's number; -1 for what is no code point."""

    type_name = "UnicodeScript"
    inputs = ("input: int32",)
    outputs = ("output: int32",)
    gradient = not_differentiable
    batched = elementwise

    def shapes(self, points: TensorType) -> Shapes:
        return (points.dims,)

    def kernel(self, points: Array) -> Any:
        return unicode_scripts.scripts(np.asarray(points))


def unicode_script(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the script of each code point, as the number that ICU gives it.

    Args:
        input: A tensor of int32, of any shape.
        name: A name for the op.

    Returns:
        A tensor of int32 of the shape of `input`, with -1 for what is no code point.

    >>> import graphwright as tf
    >>> tf.strings.unicode_script([ord("a"), ord("α"), ord("1"), -1]).numpy().tolist()
    [25, 14, 0, -1]
    """
    points = convert(input) if is_tensor(input) else convert(input, dt.int32)
    return apply(UnicodeScript.of(), points, name=name)
