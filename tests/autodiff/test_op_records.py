"""Each elementwise op's rule against central differences, generated from its record.

Reverse derivatives, forward ones, and second ones by differences of the first, in float64;
operands are of shapes that broadcast.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.autodiff.sweep import is_differentiable
from graphwright.op.families import Elementwise
from graphwright.op.interpreter import apply
from graphwright.op.op import REGISTRY, Op

#: Where an op is smooth, if that is less than (-3, 3); for all its operands or each of them.
DOMAINS: dict[str, Any] = {
    "Acos": (-0.9, 0.9), "Acosh": (1.2, 4.0), "Asin": (-0.9, 0.9), "Atanh": (-0.9, 0.9),
    "BesselI0e": (0.2, 3.0), "BesselI1e": (0.2, 3.0), "BesselK0": (0.3, 3.0),
    "BesselK0e": (0.3, 3.0), "BesselK1": (0.3, 3.0), "BesselK1e": (0.3, 3.0),
    "BesselY0": (0.3, 3.0), "BesselY1": (0.3, 3.0), "Digamma": (0.5, 4.0),
    "Erfinv": (-0.9, 0.9), "Expint": (0.3, 3.0), "FloorMod": (1.1, 1.9),
    "Igamma": ((2.0, 2.5), (0.5, 4.0)), "Igammac": ((2.0, 2.5), (0.5, 4.0)),
    "Lgamma": (0.5, 4.0), "Log": (0.3, 3.0), "Log1p": (-0.7, 3.0), "Ndtri": (0.1, 0.9),
    "Polygamma": ((1.0, 1.0), (0.5, 4.0)), "Pow": (0.3, 2.0), "Reciprocal": (0.3, 3.0),
    "Rsqrt": (0.3, 3.0),
    "Spence": (0.3, 3.0), "Sqrt": (0.3, 3.0), "SqrtGrad": (0.3, 3.0), "Tan": (-1.2, 1.2),
    "Xdivy": (0.3, 3.0),
    "Xlog1py": (0.3, 3.0), "Xlogy": (0.3, 3.0), "Zeta": ((2.0, 4.0), (0.5, 3.0)),
}  # fmt: skip
#: Operands through which no gradient flows though the result depends on them, as in TensorFlow.
CUT: dict[str, set[int]] = {"Polygamma": {0}, "Zeta": {0}}
#: First derivatives that say that they have none themselves, as in TensorFlow.
ONCE = {"Igamma", "Igammac"}
SHAPES = ((2, 3), (3,), (2, 1))
STEP = 1e-5


def differentiable() -> Iterator[type[Elementwise]]:
    """The elementwise ops on float64 that are not constant between jumps."""
    for _, op in sorted(REGISTRY.items()):
        ours = op.__module__.startswith("graphwright.") and issubclass(op, Elementwise)
        real = all(tf.float64 in op.dtypes.get(o.dtype, ()) for o in op.operands)
        stated = op.gradient is not Op.gradient
        if ours and real and stated and op.results[0].dtype in op.dtypes:
            with contextlib.suppress(TypeError):  # attributes without defaults
                if is_differentiable(op()):
                    yield op


OPS = list(differentiable())


def operands(op: type[Elementwise]) -> list[Any]:
    """Samples from where the op is smooth, away from the places where it bends."""
    random = np.random.default_rng(11)
    domain = DOMAINS.get(op.type_name, (-3.0, 3.0))
    each = domain if isinstance(domain[0], tuple) else [domain] * len(op.operands)
    if op.type_name == "ClipByValue":
        each = [(-3.0, 3.0), (-1.5, -1.0), (1.0, 1.5)]
    arrays = [random.uniform(*bounds, shape) for bounds, shape in zip(each, SHAPES)]
    if op.type_name == "ClipByValue":
        arrays[1:] = [a.ravel()[0] for a in arrays[1:]]
    return arrays


def central(function: Callable[..., Any], arrays: Sequence[Any], which: int) -> Any:
    """The derivative of a scalar function with regard to one array."""
    result = np.zeros_like(arrays[which])
    for place in np.ndindex(result.shape):
        ends = []
        for sign in (1, -1):
            moved = [np.array(a) for a in arrays]
            moved[which][place] += sign * STEP
            ends.append(float(function(*[tf.constant(a) for a in moved])))
        result[place] = (ends[0] - ends[1]) / (2 * STEP)
    return result


def weighted(op: type[Elementwise]) -> Callable[..., Any]:
    """A scalar that depends on each element of the op's result differently."""

    def total(*tensors: Any) -> Any:
        result = apply(op(), *tensors)
        weights = 1 + np.cos(np.arange(np.prod(result.shape.as_list()))) / 2
        return tf.reduce_sum(result * tf.constant(weights.reshape(result.shape)))

    return total


def slopes(function: Callable[..., Any], tensors: Sequence[Any]) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        value = function(*tensors)
    return tape.gradient(value, list(tensors), unconnected_gradients="zero")


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.type_name)
def test_first_derivatives(op: type[Elementwise]) -> None:
    arrays = operands(op)
    tensors = [tf.constant(a) for a in arrays]
    function = weighted(op)
    found = slopes(function, tensors)
    random = np.random.default_rng(12)
    for which, (x, slope) in enumerate(zip(tensors, found)):
        wanted = central(function, arrays, which)
        if which in CUT.get(op.type_name, ()):
            wanted = np.zeros_like(wanted)
        np.testing.assert_allclose(slope, wanted, rtol=1e-6, atol=1e-7)
        along = random.normal(size=arrays[which].shape)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(along)) as forward:
            value = function(*tensors)
        tangent = forward.jvp(value, unconnected_gradients="zero")
        np.testing.assert_allclose(tangent, np.sum(slope * along), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "op", [op for op in OPS if op.type_name not in ONCE], ids=lambda op: op.type_name
)
def test_second_derivatives(op: type[Elementwise]) -> None:
    arrays = operands(op)
    cut = CUT.get(op.type_name, set())

    def first(*tensors: Any) -> Any:
        found = slopes(weighted(op), tensors)
        return sum(tf.reduce_sum(tf.sin(g)) for i, g in enumerate(found) if i not in cut)

    found = slopes(first, [tf.constant(a) for a in arrays])
    for which, slope in enumerate(found):
        if which not in cut:
            wanted = central(first, arrays, which)
            np.testing.assert_allclose(slope, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", sorted(ONCE))
def test_second_derivatives_that_are_refused(name: str) -> None:
    op = REGISTRY[name]
    tensors = [tf.constant(a) for a in operands(op)]  # type: ignore[arg-type]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        first = slopes(weighted(op), tensors)[0]  # type: ignore[arg-type]
    with pytest.raises(LookupError, match="No gradient defined for operation IgammaGradA"):
        tape.gradient(first, tensors)
