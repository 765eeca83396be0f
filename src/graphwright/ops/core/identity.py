"""Ops that give their operand as it is, and say something about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, overload

import numpy as np

from graphwright.base.errors import InvalidArgumentError, NotDifferentiableError
from graphwright.op.batching import Each, Same, elementwise
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes, undefined
from graphwright.types import dtypes as dt
from graphwright.types.arguments import HostValue, ShapeLike, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.composite import Composite, map_components
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, merge_dims, show_dims

C = TypeVar("C", bound=Composite)


class Identity(Op):
    """The tensor itself."""

    type_name = "Identity"
    inputs = ("input: T",)
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY}
    passes_rows = True
    batched = elementwise

    def shapes(self, x: TensorType) -> Shapes:
        return (x.dims,)

    def kernel(self, x: Array) -> Any:
        return x

    def known(self, x: HostValue) -> Any:
        return x

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g,)


class IdentityN(Op):
    """The tensors themselves."""

    type_name = "IdentityN"
    gives_parts = True
    inputs = ("input: T...",)
    outputs = ("output: T...",)
    least = {"input": 1}
    passes_rows = True
    returns_tuple = True

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return tuple(types)

    def shapes(self, *operands: TensorType) -> Shapes:
        return tuple([x.dims for x in operands])

    def kernel(self, *arrays: Any) -> Any:
        return arrays

    def known(self, *values: Any) -> Any:
        return values

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        return cotangents

    def expand(self, *values: GraphTensor) -> Any:
        return tuple([identity(v) for v in values])

    def batched(self, each: Each) -> Any:
        pairs = zip(each.inputs, each.stacked)
        return tuple([x if stacked else Same(x) for x, stacked in pairs])


class StopGradient(Identity):
    """The tensor itself, as a constant to gradients."""

    type_name = "StopGradient"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (None,)


class GuaranteeConst(Identity):
    """The tensor itself, with the promise that it never changes."""

    type_name = "GuaranteeConst"
    gradient = undefined("what is promised to stay the same has none")


class PreventGradient(Identity):
    """The tensor itself; a gradient through it is an error."""

    type_name = "PreventGradient"

    message: str = ""

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        raise NotDifferentiableError(f"Gradient explicitly disabled. Reason: {self.message}")


class EnsureShape(Op):
    """The tensor itself, if its shape fits."""

    type_name = "EnsureShape"
    inputs = ("input: T",)
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY}
    passes_rows = True

    shape: Dims | None

    def shapes(self, x: TensorType) -> Shapes:
        if not is_compatible(x.dims, self.shape):
            raise ValueError(
                f"Shape of tensor input {show_dims(x.dims)} is not compatible with expected "
                f"shape {show_dims(self.shape)}."
            )
        return (merge_dims(x.dims, self.shape),)

    def kernel(self, x: Array) -> Any:
        dims = np.shape(x)
        if not is_compatible(dims, self.shape):
            raise InvalidArgumentError(
                None,
                None,
                f"Shape of tensor Input {show_dims(dims)} is not compatible with expected shape "
                f"{show_dims(self.shape)}.",
            )
        return x

    def known(self, x: HostValue) -> Any:
        return x

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g,)

    def batched(self, each: Each) -> Any:
        shape = None if self.shape is None else (None, *self.shape)
        return apply(EnsureShape.of(shape), each.inputs[0])


IDENTITY, IDENTITY_N, STOP_GRADIENT = Identity(), IdentityN(), StopGradient()


# -- the public functions -------------------------------------------------------------------


@overload
def identity(input: C, name: str | None = None) -> C: ...
@overload
def identity(input: TensorLike, name: str | None = None) -> Tensor: ...
def identity(input: TensorLike | Composite, name: str | None = None) -> Any:
    """Returns a tensor, or a composite of tensors, of the same shape and contents.

    Args:
        input: A tensor, a composite such as `tf.RaggedTensor`, a variable, or what converts to a
            tensor.
        name: A name for the op.

    Returns:
        A tensor or composite like `input`.

    >>> import graphwright as tf
    >>> v = tf.Variable(1)
    >>> before = tf.identity(v)
    >>> _ = v.assign(2)
    >>> before
    <tf.Tensor: shape=(), dtype=int32, numpy=1>
    """
    if isinstance(input, Composite):
        return map_components(lambda part: identity(part, name), input)
    return apply(IDENTITY, convert(input), name=name)


def identity_n(input: Sequence[TensorLike], name: str | None = None) -> list[Tensor]:
    """Returns tensors of the same shapes and contents, from one op.

    Args:
        input: A list of tensors, of any dtypes and shapes.
        name: A name for the op.

    Returns:
        A list of tensors like `input`.

    >>> import graphwright as tf
    >>> [x.numpy().tolist() for x in tf.identity_n([[1, 2], 3.0])]
    [[1, 2], 3.0]
    """
    return list(apply(IDENTITY_N, *[convert(x) for x in input], name=name))


def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns a tensor, with the promise that its value never changes.

    No gradient flows through it.

    Args:
        input: A tensor of any dtype and shape.
        name: A name for the op.

    Returns:
        A tensor like `input`.

    >>> import graphwright as tf
    >>> tf.guarantee_const([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    return apply(GuaranteeConst.of(), convert(input), name=name)


@overload
def stop_gradient(input: C, name: str | None = None) -> C: ...
@overload
def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor: ...
def stop_gradient(input: TensorLike | Composite, name: str | None = None) -> Any:
    """Returns a tensor that gradients take as a constant.

    Args:
        input: A tensor, or a composite such as `tf.RaggedTensor`.
        name: A name for the op.

    Returns:
        A tensor or composite like `input`.

    >>> import graphwright as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * tf.stop_gradient(x)
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
    """
    if isinstance(input, Composite):
        return map_components(lambda part: stop_gradient(part, name), input)
    return apply(STOP_GRADIENT, convert(input), name=name)


def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Merges a shape into the static shape of a tensor, and fails where it does not fit.

    Args:
        x: A tensor of any dtype and shape.
        shape: A `tf.TensorShape`, or what converts to one; None stands for an unknown size.
        name: A name for the op.

    Returns:
        The tensor itself, with all that both shapes say.

    Raises:
        InvalidArgumentError: The tensor does not have such a shape.
        ValueError: Its static shape does not fit, while tracing.

    >>> import graphwright as tf
    >>> tf.ensure_shape([1, 2, 3], [None]).shape
    TensorShape([3])
    """
    return apply(EnsureShape.of(TensorShape(shape)._dims), convert(x), name=name)
