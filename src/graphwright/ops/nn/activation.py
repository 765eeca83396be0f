"""Activation functions of neural networks, and the ops that are their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.one_op import one_op
from graphwright.op.op import Call
from graphwright.op.op_families import Alike, Elementwise
from graphwright.op.scalars import NumpyScalars, S, Scalars, extreme
from graphwright.ops.convolution.branchless_choice import keep
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.joining import concat
from graphwright.ops.core.static import get_static_value
from graphwright.ops.math.arithmetic import negative
from graphwright.ops.math.comparison import less, select
from graphwright.ops.math.logistic import sigmoid
from graphwright.ops.math.special import erfc
from graphwright.ops.math.transcendental import exp, pow
from graphwright.ops.math.trigonometric import tanh
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.dtypes import DType

NUMPY = NumpyScalars()
SELU_SCALE = 1.0507009873554804934193349852946
SELU_SCALE_ALPHA = 1.7580993408473768599402175208123


class Activation(Elementwise):
    """A function of each element; its NumPy kernel is its element expression on whole arrays."""

    inputs: ClassVar[tuple[str, ...]] = ("features: T",)
    outputs: ClassVar[tuple[str, ...]] = ("activations: T",)
    dtypes = {"T": dt.FLOATING}

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return self.kernel

    def kernel(self, *arrays: Any) -> Any:
        return self.element(NUMPY, *arrays)


class ActivationGrad(Alike, Activation):
    """The cotangent of an activation's features, from its outputs' and the features."""

    inputs: ClassVar[tuple[str, ...]] = ("gradients: T", "features: T")
    outputs: ClassVar[tuple[str, ...]] = ("backprops: T",)


# -- rectified linear units -----------------------------------------------------------------


def flat(call: Call) -> Any:
    """Zeros, the second derivative of a straight line, if all cotangents are needed; else None."""
    return zeros_like(call.inputs[1]) if all(call.needed[1:]) else None


class Relu(Activation):
    """max(x, 0)."""

    type_name = "Relu"
    dtypes = {"T": dt.REAL}

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        zero, greater = np.zeros((), types[0].numpy_dtype), extreme(np.maximum)
        return lambda x: greater(x, zero)

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.maximum(x, scalars.constant(0, x))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(RELU_GRAD, g, call.outputs[0]),)


class ReluGrad(ActivationGrad):
    """g where x > 0, else 0."""

    type_name = "ReluGrad"
    dtypes = {"T": dt.REAL}

    def element(self, scalars: Scalars[S], g: S, x: S) -> S:
        zero = scalars.constant(0, x)
        return scalars.select(scalars.greater(x, zero), g, zero)

    def kernel(self, *arrays: Any) -> Any:
        g, x = arrays
        return keep(g, x > 0)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return apply(RELU_GRAD, g, call.inputs[1]), flat(call)


class Relu6(Activation):
    """min(max(x, 0), 6)."""

    type_name = "Relu6"
    dtypes = {"T": dt.REAL}

    def element(self, scalars: Scalars[S], x: S) -> S:
        positive = scalars.maximum(x, scalars.constant(0, x))
        return scalars.minimum(positive, scalars.constant(6, x))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(RELU6_GRAD, g, call.outputs[0]),)


class Relu6Grad(ActivationGrad):
    """g times 1 where 0 < x < 6, else g times 0."""

    type_name = "Relu6Grad"
    dtypes = {"T": dt.REAL}

    def element(self, scalars: Scalars[S], g: S, x: S) -> S:
        zero = scalars.constant(0, x)
        inside = scalars.logical_and(
            scalars.greater(x, zero),
            scalars.less(x, scalars.constant(6, x)),
        )
        return scalars.mul(g, scalars.select(inside, scalars.constant(1, x), zero))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return apply(RELU6_GRAD, g, call.inputs[1]), flat(call)


def single(number: float) -> float:
    """The number rounded to float32, as TensorFlow rounds attributes."""
    return float(np.float32(number))


class LeakyRelu(Activation):
    """x where it is positive, else alpha * x."""

    type_name = "LeakyRelu"

    alpha: float = 0.2

    def element(self, scalars: Scalars[S], x: S) -> S:
        sloped = scalars.mul(x, scalars.constant(single(self.alpha), x))
        choose = scalars.maximum if self.alpha <= 1 else scalars.minimum
        return choose(x, sloped)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(LeakyReluGrad.of(self.alpha), g, call.inputs[0]),)


class LeakyReluGrad(ActivationGrad):
    """g where x > 0, else alpha * g."""

    type_name = "LeakyReluGrad"

    alpha: float = 0.2

    def element(self, scalars: Scalars[S], g: S, x: S) -> S:
        positive = scalars.greater(x, scalars.constant(0, x))
        sloped = scalars.mul(g, scalars.constant(single(self.alpha), x))
        return scalars.select(positive, g, sloped)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return apply(self, g, call.inputs[1]), flat(call)


# -- exponential linear units ---------------------------------------------------------------


class Elu(Activation):
    """exp(x) - 1 where x < 0, else x."""

    type_name = "Elu"

    def element(self, scalars: Scalars[S], x: S) -> S:
        negative = scalars.less(x, scalars.constant(0, x))
        return scalars.select(negative, scalars.expm1(x), x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(ELU_GRAD, g, call.outputs[0]),)


class EluGrad(ActivationGrad):
    """(y + 1) * g where y < 0, else g: y is the activation."""

    type_name = "EluGrad"
    inputs = ("gradients: T", "outputs: T")

    def element(self, scalars: Scalars[S], g: S, y: S) -> S:
        slope = scalars.add(y, scalars.constant(1, y))
        negative = scalars.less(y, scalars.constant(0, y))
        return scalars.select(negative, scalars.mul(slope, g), g)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return second_order(self, call, g)


class Selu(Activation):
    """scale * x where x >= 0, else scale * alpha * (exp(x) - 1), which keeps unit variance."""

    type_name = "Selu"

    def element(self, scalars: Scalars[S], x: S) -> S:
        negative = scalars.less(x, scalars.constant(0, x))
        return scalars.select(
            negative,
            scalars.mul(scalars.constant(SELU_SCALE_ALPHA, x), scalars.expm1(x)),
            scalars.mul(scalars.constant(SELU_SCALE, x), x),
        )

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(SELU_GRAD, g, call.outputs[0]),)


class SeluGrad(ActivationGrad):
    """g * (y + scale * alpha) where y < 0, else g * scale: y is the activation."""

    type_name = "SeluGrad"
    inputs = ("gradients: T", "outputs: T")

    def element(self, scalars: Scalars[S], g: S, y: S) -> S:
        slope = scalars.add(y, scalars.constant(SELU_SCALE_ALPHA, y))
        negative = scalars.less(y, scalars.constant(0, y))
        straight = scalars.mul(g, scalars.constant(SELU_SCALE, y))
        return scalars.select(negative, scalars.mul(g, slope), straight)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return second_order(self, call, g)


def second_order(op: Activation, call: Call, g: TensorLike) -> Sequence[Any]:
    """Cotangents of g and y where the slope is y plus a constant for y < 0, else constant."""
    cotangent, y = call.inputs
    return apply(op, g, y), select(less(y, 0), g * cotangent, 0)


# -- smooth ones ----------------------------------------------------------------------------


class Softplus(Activation):
    """log(1 + exp(x))."""

    type_name = "Softplus"

    def element(self, scalars: Scalars[S], x: S) -> S:
        tail = scalars.exp(scalars.neg(scalars.abs(x)))
        positive = scalars.maximum(x, scalars.constant(0, x))
        return scalars.add(positive, scalars.log1p(tail))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(SOFTPLUS_GRAD, g, call.inputs[0]),)


class SoftplusGrad(ActivationGrad):
    """g / (1 + exp(-x))."""

    type_name = "SoftplusGrad"

    def element(self, scalars: Scalars[S], g: S, x: S) -> S:
        tail = scalars.exp(scalars.neg(x))
        return scalars.div(g, scalars.add(tail, scalars.constant(1, x)))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        cotangent, x = call.inputs
        return apply(self, g, x), g * cotangent / (exp(-x) + 2 + exp(x))


class Softsign(Activation):
    """x / (1 + |x|)."""

    type_name = "Softsign"

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.div(x, scalars.add(scalars.abs(x), scalars.constant(1, x)))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(SOFTSIGN_GRAD, g, call.inputs[0]),)


class SoftsignGrad(ActivationGrad):
    """g / (1 + |x|)^2."""

    type_name = "SoftsignGrad"

    def element(self, scalars: Scalars[S], g: S, x: S) -> S:
        base = scalars.add(scalars.abs(x), scalars.constant(1, x))
        return scalars.div(g, scalars.mul(base, base))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        cotangent, x = call.inputs
        size = abs(x) + 1
        slope = select(less(x, 0), 2 / size, -2 / size)
        return apply(self, g, x), g * cotangent * slope / (size * size)


RELU, RELU_GRAD, RELU6, RELU6_GRAD = Relu(), ReluGrad(), Relu6(), Relu6Grad()
ELU, ELU_GRAD, SELU, SELU_GRAD = Elu(), EluGrad(), Selu(), SeluGrad()
SOFTPLUS, SOFTPLUS_GRAD, SOFTSIGN, SOFTSIGN_GRAD = (
    Softplus(),
    SoftplusGrad(),
    Softsign(),
    SoftsignGrad(),
)


# -- the public functions -------------------------------------------------------------------


def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """Computes max(features, 0), element by element.

    Args:
        features: A tensor of real numbers.
        name: A name for the op.

    Returns:
        A tensor like `features`.

    >>> import graphwright as tf
    >>> tf.nn.relu([-2.0, 0.0, 3.0])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0., 0., 3.], dtype=float32)>
    """
    return apply(RELU, convert(features), name=name)


def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """Computes min(max(features, 0), 6), element by element.

    Args:
        features: A tensor of real numbers.
        name: A name for the op.

    Returns:
        A tensor like `features`.

    Source:
        Krizhevsky, Convolutional Deep Belief Networks on CIFAR-10 (2010).

    >>> import graphwright as tf
    >>> tf.nn.relu6([-2.0, 3.0, 9.0]).numpy().tolist()
    [0.0, 3.0, 6.0]
    """
    return apply(RELU6, convert(features), name=name)


def leaky_relu(features: TensorLike, alpha: float | None = 0.2, name: str | None = None) -> Tensor:
    """Multiplies negative elements by a small slope and leaves the others as they are.

    Args:
        features: A tensor of floats or integers; integers become float32.
        alpha: The slope, a number. None means 0.2.
        name: A name for the op.

    Returns:
        A tensor of the shape of `features`.

    Source:
        Maas, Hannun and Ng, Rectifier Nonlinearities Improve Neural Network Acoustic Models (2013).

    >>> import graphwright as tf
    >>> tf.nn.leaky_relu([-2.0, 3.0], alpha=0.5).numpy().tolist()
    [-1.0, 3.0]
    """
    x = convert(features)
    x = cast(x, dt.float32) if x.dtype.is_integer else x
    slope = LeakyRelu.alpha if alpha is None else get_static_value(alpha)
    if slope is None or np.iscomplexobj(slope):
        raise TypeError(f"Expected float for argument 'alpha' not {alpha!r}.")
    return apply(LeakyRelu.of(float(np.float32(slope))), x, name=name)


def crelu(features: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """Joins relu(features) and relu(-features) along an axis.

    Args:
        features: A tensor of signed real numbers, of rank 1 or more.
        axis: The axis, an int.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `features`, twice as long along the axis.

    Raises:
        InvalidArgumentError: `axis` is out of range.

    Source:
        Shang et al., Understanding and Improving Convolutional Neural Networks via Concatenated
        Rectified Linear Units, arXiv:1603.05201.

    >>> import graphwright as tf
    >>> tf.nn.crelu([-2.0, 3.0]).numpy().tolist()
    [0.0, 3.0, 2.0, 0.0]
    """
    x = convert(features)
    return relu(concat([x, -x], axis), name=name)


def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """Computes exp(features) - 1 for negative elements and leaves the others as they are.

    Args:
        features: A tensor of floats.
        name: A name for the op.

    Returns:
        A tensor like `features`.

    Raises:
        InvalidArgumentError: `features` is not of floats.

    Source:
        Clevert, Unterthiner and Hochreiter, Fast and Accurate Deep Network Learning by Exponential
        Linear Units, arXiv:1511.07289.

    >>> import graphwright as tf
    >>> tf.nn.elu([-1.0, 3.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([-0.63212055,  3.        ], dtype=float32)>
    """
    return apply(ELU, convert(features), name=name)


def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """Computes the scaled exponential linear unit, element by element.

    It is `scale * alpha * (exp(x) - 1)` for negative elements and `scale * x` for others, with the
    constants of the paper.

    Args:
        features: A tensor of floats.
        name: A name for the op.

    Returns:
        A tensor like `features`.

    Raises:
        InvalidArgumentError: `features` is not of floats.

    Source:
        Klambauer et al., Self-Normalizing Neural Networks, arXiv:1706.02515.

    >>> import graphwright as tf
    >>> tf.nn.selu([-1.0, 1.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([-1.1113307,  1.050701 ], dtype=float32)>
    """
    return apply(SELU, convert(features), name=name)


def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """Computes log(1 + exp(features)), element by element, without overflow.

    Args:
        features: A tensor of floats.
        name: A name for the op.

    Returns:
        A tensor like `features`.

    Raises:
        InvalidArgumentError: `features` is not of floats.

    >>> import graphwright as tf
    >>> tf.math.softplus([0.0, 1000.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([6.931472e-01, 1.000000e+03], dtype=float32)>
    """
    return apply(SOFTPLUS, convert(features), name=name)


def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the logarithm of the sigmoid, element by element, without overflow.

    Args:
        x: A tensor of floats.
        name: A name for the op.

    Returns:
        A tensor like `x`.

    Raises:
        InvalidArgumentError: `x` is not of floats.

    >>> import graphwright as tf
    >>> tf.math.log_sigmoid([0.0, -1000.0]).numpy()
    array([-6.931472e-01, -1.000000e+03], dtype=float32)
    """
    return negative(softplus(-convert(x)), name)


def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """Computes features / (1 + |features|), element by element.

    Args:
        features: A tensor of floats.
        name: A name for the op.

    Returns:
        A tensor like `features`.

    Raises:
        InvalidArgumentError: `features` is not of floats.

    >>> import graphwright as tf
    >>> tf.nn.softsign([-1.0, 0.0, 3.0]).numpy().tolist()
    [-0.5, 0.0, 0.75]
    """
    return apply(SOFTSIGN, convert(features), name=name)


def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """Multiplies each element by the standard normal distribution function of it.

    Args:
        features: A tensor of floats.
        approximate: Whether that function is approximated by a hyperbolic tangent.
        name: A name for the op.

    Returns:
        A tensor like `features`.

    Raises:
        ValueError: `features` is not of floats.

    Source:
        Hendrycks and Gimpel, Gaussian Error Linear Units, arXiv:1606.08415.

    >>> import graphwright as tf
    >>> tf.nn.gelu([-1.0, 0.0, 3.0]).numpy()
    array([-0.15865526,  0.        ,  2.9959502 ], dtype=float32)
    """
    x = convert(features)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`features.dtype` must be a floating point tensor. Received:features.dtype={x.dtype!r}"
        )
    if approximate:
        cubic = x + cast(0.044715, x.dtype) * pow(x, 3)
        return 0.5 * x * (1.0 + tanh(0.7978845608028654 * cubic))
    return 0.5 * x * erfc(-x * cast(0.7071067811865476, x.dtype))


def silu(features: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """Computes features * sigmoid(beta * features), element by element.

    Args:
        features: A tensor of floats.
        beta: A number or scalar tensor.

    Returns:
        A tensor like `features`.

    Raises:
        InvalidArgumentError: `features` is of integers.

    Source:
        Ramachandran, Zoph and Le, Searching for Activation Functions, arXiv:1710.05941.

    >>> import graphwright as tf
    >>> tf.nn.silu([-1.0, 0.0, 1.0]).numpy()
    array([-0.26894143,  0.        ,  0.7310586 ], dtype=float32)
    """
    x = convert(features)
    return x * sigmoid(cast(convert(beta, None, x.dtype), x.dtype) * x)


one_op(relu, relu6, elu, softplus)
