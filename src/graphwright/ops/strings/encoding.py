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
from graphwright.ops.strings.strings import Text, chosen, refused, string, texts
from graphwright.types import dtypes as dt
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

    def kernel(self, text: Any) -> Any:
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

    def kernel(self, values: Any) -> Any:
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

    def kernel(self, text: Any) -> Any:
        return string_kernels.hash_bucket_fast(texts(text), self.num_buckets)


class StringToHashBucket(Text):
    """The bucket of each string by a hash that may differ elsewhere."""

    type_name = "StringToHashBucket"
    inputs = ("string_tensor: string",)
    outputs = ("output: int64",)
    batched = elementwise
    least = {"num_buckets": 1}

    num_buckets: int

    def kernel(self, text: Any) -> Any:
        return string_kernels.hash_bucket(texts(text), self.num_buckets)


class StringToHashBucketStrong(Text):
    """The bucket of each string by a hash under a key."""

    type_name = "StringToHashBucketStrong"
    outputs = ("output: int64",)
    batched = elementwise
    least = {"num_buckets": 1}

    num_buckets: int
    key: tuple[int, ...]

    def kernel(self, text: Any) -> Any:
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

    def kernel(self, data: Any, method: Any) -> Any:
        chosen_method = np.asarray(method, object).item()
        if chosen_method != b"farmhash64":
            raise ValueError(f"Unsupported fingerprint method: {chosen_method!r}")
        array = np.asarray(data)
        if array.ndim == 0:
            raise ValueError("Shape must be at least rank 1 but is rank 0")
        if array.dtype == object and array.ndim > 1:
            array = fingerprints64(array.reshape(-1).tolist()).reshape(array.shape)
        rows = array.tolist() if array.dtype == object else [row.tobytes() for row in array]
        prints = fingerprints64(rows)
        return prints.view(np.uint8).reshape(len(rows), 8)


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

    def kernel(self, text: Any) -> Any:
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


def to_number(input: Any, out_type: Any = dt.float32, name: str | None = None) -> Any:
    """The number that each string shows; InvalidArgumentError where one shows none.

    >>> import graphwright as tf
    >>> tf.strings.to_number(["3.5", "1e3"])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([   3.5, 1000. ], dtype=float32)>
    """
    op = StringToNumber.of(StringToNumber.dtype_for("out_type", out_type))
    return apply(op, string(input), name=name)


def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Any:
    """Each element as text: numbers as C's `printf` shows them, booleans as `true` and `false`.

    >>> import graphwright as tf
    >>> tf.strings.as_string([3.1415926, 2.5], precision=2).numpy().tolist()
    [b'3.14', b'2.50']
    """
    op = AsString.of(precision, scientific, shortest, width, fill)
    return apply(op, convert(input), name=name)


def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Any:
    """The fingerprint of each row of `data` as eight bytes: a hash that is the same everywhere.

    >>> import graphwright as tf
    >>> tf.fingerprint(["a"]).numpy().tolist()
    [[227, 117, 223, 182, 101, 66, 69, 179]]
    """
    return apply(Fingerprint(), convert(data), string(method), name=name)


def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """The bucket of each string by FarmHash's fingerprint.

    >>> import graphwright as tf
    >>> tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow"], 3).numpy().tolist()
    [0, 2]
    """
    return apply(StringToHashBucketFast.of(num_buckets), string(input), name=name)


def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """The bucket of each string by MurmurHash.

    >>> import graphwright as tf
    >>> tf.strings.to_hash_bucket(["a", "b"], 10).numpy()
    array([8, 0])
    """
    return apply(StringToHashBucket.of(num_buckets), string(input), name=name)


def to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Any:
    """The bucket of each string by SipHash under a key of two integers."""
    op = StringToHashBucketStrong.of(num_buckets, tuple(int(k) for k in key))
    return apply(op, string(input), name=name)


def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Each string in another encoding.

    `errors` says what becomes of bytes that are none in `input_encoding`: "replace" by
    `replacement_char`, "ignore", or "strict" for an InvalidArgumentError.
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

    def kernel(self, points: Any) -> Any:
        return unicode_scripts.scripts(np.asarray(points))


def unicode_script(input: Any, name: str | None = None) -> Any:
    """The script of each code point, by the number that ICU gives it; -1 for no code point.

    >>> import graphwright as tf
    >>> tf.strings.unicode_script([ord("a"), ord("\u03b1"), ord("1"), -1]).numpy().tolist()
    [25, 14, 0, -1]
    """
    points = convert(input) if is_tensor(input) else convert(input, dt.int32)
    return apply(UnicodeScript.of(), points, name=name)
