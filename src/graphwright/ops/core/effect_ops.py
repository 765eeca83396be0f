"""Ops that refuse to go on, look at the clock or do nothing: Assert, CheckNumerics, NoOp."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.batching import Each, elementwise
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Effect, Op, Shapes, not_differentiable
from graphwright.ops.math.reduction import reduce_all
from graphwright.ops.strings.string_format import shower
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType


class Assert(Op):
    """Raises InvalidArgumentError with the `data` unless the condition is true."""

    type_name = "Assert"
    inputs = ("condition: bool", "data: T...")
    effect = Effect.WRITE
    gradient = not_differentiable
    ranks = {"condition": 0}
    least = {"data": 1}

    summarize: int = 3

    def shapes(self, condition: TensorType, *data: TensorType) -> Shapes:
        return ()

    def kernel(self, condition: Array, *data: Any) -> None:
        if not condition:
            shown = " ".join(f"[{summary(array, self.summarize)}]" for array in data)
            raise InvalidArgumentError(None, None, f"assertion failed: {shown}")

    def batched(self, each: Each) -> Any:
        every = reduce_all(each.full(0))
        return apply(self, every, *each.inputs[1:])


class CheckNumerics(Op):
    """The tensor itself; InvalidArgumentError if it has an infinity or NaN in it."""

    type_name = "CheckNumerics"
    inputs = ("tensor: T",)
    outputs = ("output: T",)
    dtypes = {"T": dt.FLOATING}
    batched = elementwise
    effect = Effect.WRITE

    message: str

    def shapes(self, tensor: TensorType) -> Shapes:
        return (tensor.dims,)

    def kernel(self, tensor: Array) -> Any:
        array = np.asarray(tensor, np.float64) if tensor.dtype.kind == "V" else tensor
        if not np.isfinite(array).all():
            raise InvalidArgumentError(None, None, f"{self.message} : {self.complaint(array)}")
        return tensor

    def complaint(self, array: Array) -> str:
        """The words for infinities and NaN in the tensor."""
        kinds = [k for k, test in (("Inf", np.isinf), ("NaN", np.isnan)) if test(array).any()]
        return f"Tensor had {' and '.join(kinds)} values"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (
            apply(
                CheckNumerics.of(
                    f"Not a number (NaN) or infinity (Inf) values detected in "
                    f"gradient. {self.message}"
                ),
                g,
            ),
        )


class CheckNumericsV2(CheckNumerics):
    """The same check, which tells the signs of infinities."""

    type_name = "CheckNumericsV2"

    def complaint(self, array: Array) -> str:
        """The words for infinities, by sign, and NaN in the tensor."""
        tests: tuple[tuple[str, Callable[[Any], Any]], ...] = (
            ("-Inf", np.isneginf),
            ("+Inf", np.isposinf),
            ("NaN", np.isnan),
        )
        kinds = [kind for kind, test in tests if test(array).any()]
        first, last = ", ".join(kinds[:-1]), kinds[-1]
        return f"Tensor had {f'{first}, and {last}' if first else last} values"


class Timestamp(Op):
    """Seconds since 1970."""

    type_name = "Timestamp"
    outputs = ("ts: float64",)
    effect = Effect.WRITE
    gradient = not_differentiable

    def shapes(self) -> Shapes:
        return ((),)

    def kernel(self) -> Any:
        return np.float64(time.time())


class NoOp(Op):
    """Does nothing."""

    type_name = "NoOp"
    effect = Effect.WRITE
    gradient = not_differentiable

    def shapes(self) -> Shapes:
        return ()

    def kernel(self) -> None:
        return None


def summary(array: Array, count: int) -> str:
    """The first elements of an array, as messages of the runtime show them."""
    flat = np.asarray(array).ravel()
    show = plain if flat.dtype == object else shower(flat.dtype)
    shown = [show(v) for v in (flat if count < 0 else flat[:count])]
    return " ".join(shown) + ("..." if 0 <= count < flat.size else "")


def plain(value: object) -> str:
    """Text without quotes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else repr(value)


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """Returns a tensor whose elements are all finite, and fails where one is not.

    Args:
        tensor: A tensor of floats, of any shape.
        message: What the error says first.
        name: A name for the op.

    Returns:
        The tensor itself.

    Raises:
        InvalidArgumentError: An element is NaN or infinite.

    >>> import graphwright as tf
    >>> tf.debugging.check_numerics([1.0, 2.0], "x")
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    """
    return apply(CheckNumerics.of(message), convert(tensor), name=name)


def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """Returns a tensor whose elements are all finite, and fails where one is not.

    Args:
        x: A tensor of floats, of any shape.
        message: What the error says first.
        name: A name for the op.

    Returns:
        The tensor itself.

    Raises:
        InvalidArgumentError: An element is NaN or infinite.

    >>> import graphwright as tf
    >>> tf.debugging.assert_all_finite([1.0, 2.0], "x").shape
    TensorShape([2])
    """
    return check_numerics(x, message, name)


def timestamp(name: str | None = None) -> Tensor:
    """Returns the seconds since the start of 1970, read from the clock whenever the op runs.

    Args:
        name: A name for the op.

    Returns:
        A scalar of float64.

    >>> import graphwright as tf
    >>> later = tf.timestamp() - tf.timestamp()
    >>> later.dtype, (later <= 0).numpy().item()
    (tf.float64, True)
    """
    return apply(Timestamp.of(), name=name)
