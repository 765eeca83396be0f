"""Templates with tensors in them: the op, and how it shows numbers and arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from graphwright.op.batching import one_by_one
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.types.arrays import Array, ArrayDType
from graphwright.types.dtypes import of_numpy
from graphwright.types.tensor_type import TensorType

#: The text of an element of an array, of whatever dtype.
Shower: TypeAlias = Callable[[Any], str]


class StringFormat(Op):
    """The template with each placeholder replaced by a tensor, as `tf.print` shows it."""

    type_name = "StringFormat"
    inputs = ("inputs: T...",)
    outputs = ("output: string",)
    gradient = not_differentiable
    batched = one_by_one
    ruled = True

    template: str = "%s"
    placeholder: str = "%s"
    summarize: int = 3

    def shapes(self, *tensors: TensorType) -> Shapes:
        places = self.template.count(self.placeholder)
        if places != len(tensors):
            raise ValueError(
                "num placeholders in template and num inputs must match: "
                f"{places} vs. {len(tensors)}"
            )
        return ((),)

    def kernel(self, *arrays: Any) -> Any:
        pieces = self.template.split(self.placeholder)
        shown = [show(array, self.summarize) for array in arrays]
        text = pieces[0] + "".join(s + piece for s, piece in zip(shown, pieces[1:]))
        return np.array(text.encode("utf-8", "surrogateescape"), dtype=object)


def show(value: object, summarize: int) -> str:
    """An array in brackets, of each axis the first and last `summarize` entries (all if < 0)."""
    if not hasattr(value, "shape"):
        return repr(value)
    array = np.asarray(value)
    if array.dtype.kind == "c" and array.ndim:  # TensorFlow has no words for complex numbers
        count = array.size if summarize < 0 else min(summarize, array.size)
        return "[" + " ".join(["?"] * count) + ("..." if count < array.size else "") + "]"
    ends = array.size if summarize < 0 else min(summarize, array.size)
    return show_axis(array, array.ndim, ends, shower(array.dtype))


def show_axis(array: Array, rank: int, ends: int, element: Shower) -> str:
    """One axis of an array that had `rank` axes at first, and the axes in it."""
    if not array.ndim:
        return element(array[()])
    inner = array.ndim - 1
    gap = "\n" * inner + " " * (rank - inner) if inner else " "
    count = len(array)
    head = [show_axis(array[i, ...], rank, ends, element) for i in range(min(ends, count))]
    last = range(max(ends, count - ends), count)
    tail = [show_axis(array[i, ...], rank, ends, element) for i in last]
    text = gap.join(head)
    if count > 2 * ends:
        text += gap + "..."
    return "[" + text + "".join(gap + row for row in tail) + "]"


def shower(dtype: ArrayDType) -> Shower:
    """The function that writes the elements of a NumPy dtype."""
    if dtype == np.float64:
        return show_double
    if dtype.kind == "O":
        return quoted
    known = of_numpy(dtype)
    if known.is_floating:
        return show_float
    if known.is_bool:
        return lambda value: str(int(value))
    if known.is_complex:
        return lambda value: "?"
    return str if known.is_integer else lambda value: str(value.item()[0])  # quantized


def show_float(number: np.floating) -> str:
    """A float32 in six digits where these tell it from all others, else in nine."""
    value = np.float32(number)
    text = f"{value:.6g}"
    return text if np.float32(text) == value or value != value else f"{value:.9g}"


def show_double(value: np.float64) -> str:
    """A float64 in fifteen digits where these tell it from all others, else in seventeen."""
    text = f"{value:.15g}"
    return text if float(text) == value or value != value else f"{value:.17g}"


_ESCAPES = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}


def quoted(value: object) -> str:
    """Bytes in double quotes, with what cannot be printed escaped and others as they are."""
    if not isinstance(value, bytes):
        return repr(value)
    text = "".join(
        _ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 or byte > 127 else f"\\{byte:03o}")
        for byte in value
    )
    return '"' + text.encode("latin-1").decode("utf-8", "surrogateescape") + '"'
