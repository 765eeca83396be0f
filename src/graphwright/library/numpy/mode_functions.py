"""Public functions in the promotion modes: which ones promote, and whose results stay weak.

`mode_arrays` has NumPy's functions. `tests/golden/weak_results.json.gz` has what TensorFlow gives.
A function that is in neither takes a weak tensor for the plain one.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeAlias

from graphwright.library.numpy import mode_arrays
from graphwright.library.numpy.promotion_modes import (
    made_of_values,
    of_plain,
    pair,
    pair_of_strong,
    scaling,
    single,
    strong_pair,
    within_bounds,
)
from graphwright.op.dispatch import opened
from graphwright.op.refusal import boundary, replace
from graphwright.ops.core import creation, identity, movement, sequences
from graphwright.ops.core.casting import cast
from graphwright.ops.linalg import contraction, linear_systems, matrices, norms
from graphwright.ops.math import (
    arithmetic,
    bessel,
    clipping,
    comparison,
    complex_parts,
    logistic,
    magnitude,
    reduction,
    rounding,
    special,
    transcendental,
    trigonometric,
)
from graphwright.ops.nn import activation, softmax
from graphwright.values.convert import constant

Function: TypeAlias = Callable[..., Any]

#: Functions of two operands that promote them; the result is weak where the common dtype is.
PAIRS = (
    arithmetic.add,
    arithmetic.divide,
    arithmetic.floordiv,
    arithmetic.floormod,
    arithmetic.multiply,
    arithmetic.subtract,
    arithmetic.truediv,
    arithmetic.divide_no_nan,
    arithmetic.multiply_no_nan,
    arithmetic.realdiv,
    comparison.equal,
    contraction.matmul,
    contraction.matvec,
    transcendental.pow,
)

#: Functions of two operands that promote them; the result is never weak.
STRONG_PAIRS = (arithmetic.maximum, arithmetic.minimum, comparison.tensor_equals)

#: Functions whose result is weak where the first operand is.
SINGLES = (
    activation.gelu,
    activation.leaky_relu,
    activation.log_sigmoid,
    activation.relu6,
    activation.silu,
    activation.softplus,
    arithmetic.conj,
    arithmetic.negative,
    arithmetic.reciprocal_no_nan,
    bessel.bessel_i0,
    bessel.bessel_i0e,
    bessel.bessel_i1,
    bessel.bessel_i1e,
    bessel.bessel_k0,
    bessel.bessel_k0e,
    bessel.bessel_k1,
    bessel.bessel_k1e,
    bessel.bessel_j0,
    bessel.bessel_j1,
    bessel.bessel_y0,
    bessel.bessel_y1,
    bessel.dawsn,
    bessel.expint,
    bessel.fresnel_cos,
    bessel.fresnel_sin,
    bessel.spence,
    complex_parts.angle,
    complex_parts.imag,
    complex_parts.real,
    creation.ones_like,
    creation.zeros_like,
    identity.identity,
    identity.stop_gradient,
    linear_systems.matrix_transpose,
    logistic.sigmoid,
    magnitude.abs,
    magnitude.sign,
    matrices.diag,
    matrices.diag_part,
    movement.expand_dims,
    movement.reshape,
    movement.squeeze,
    movement.transpose,
    norms.trace,
    reduction.reduce_euclidean_norm,
    reduction.reduce_logsumexp,
    reduction.reduce_max,
    reduction.reduce_mean,
    reduction.reduce_min,
    reduction.reduce_prod,
    reduction.reduce_std,
    reduction.reduce_sum,
    reduction.reduce_variance,
    rounding.ceil,
    rounding.floor,
    rounding.rint,
    rounding.round,
    softmax.log_softmax,
    special.digamma,
    special.erf,
    special.erfc,
    special.lgamma,
    special.erfinv,
    special.ndtri,
    transcendental.exp,
    transcendental.expm1,
    transcendental.log,
    transcendental.log1p,
    transcendental.reciprocal,
    transcendental.rsqrt,
    transcendental.sqrt,
    transcendental.square,
    trigonometric.acos,
    trigonometric.acosh,
    trigonometric.asin,
    trigonometric.asinh,
    trigonometric.atan,
    trigonometric.atanh,
    trigonometric.cos,
    trigonometric.cosh,
    trigonometric.sin,
    trigonometric.sinh,
    trigonometric.tan,
    trigonometric.tanh,
)


#: What undoes each replacement, while a mode is on.
_UNDO: list[Callable[[], None]] = []


def install() -> None:
    """Gives the public functions the rules of the modes, wherever programs have bound them."""
    for functions, rule in (
        (PAIRS, pair),
        (STRONG_PAIRS, strong_pair),
        (SINGLES, single),
        ((constant,), made_of_values),
        ((clipping.clip_by_value,), within_bounds),
        ((arithmetic.scalar_mul,), scaling),
        ((cast, sequences.range), of_plain),
        ((contraction.tensordot,), pair_of_strong),
    ):
        for function in functions:
            _UNDO.append(replace(public(function), rule))
    for function, made in mode_arrays.RULES.items():
        _UNDO.append(replace(public(function), made))


def uninstall() -> None:
    """Gives the public functions their own meaning again."""
    while _UNDO:
        _UNDO.pop()()


def public(function: Function) -> FunctionType:
    """The public form of a function."""
    form = (opened if function.__module__.startswith("graphwright.ops.") else boundary)(function)
    assert isinstance(form, FunctionType)
    return form
