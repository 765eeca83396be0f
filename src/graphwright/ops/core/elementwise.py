"""Which public functions work element by element: a handler of composites serves them all."""

from __future__ import annotations

from graphwright.op.dispatch import BINARY, UNARY
from graphwright.ops.core import casting, creation, effect_ops
from graphwright.ops.image import color, random_images
from graphwright.ops.io import raw_bytes
from graphwright.ops.math import (
    arithmetic,
    bessel,
    bitwise,
    clipping,
    comparison,
    complex_parts,
    logistic,
    magnitude,
    rounding,
    special,
    transcendental,
    trigonometric,
)
from graphwright.ops.nn import activation, losses, softmax
from graphwright.ops.strings import encoding, strings

__all__ = ["BINARY", "UNARY"]

_UNARY = {
    activation: "elu gelu leaky_relu log_sigmoid relu relu6 selu silu softplus softsign",
    arithmetic: "conj negative reciprocal_no_nan",
    bessel: "bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e "
    "bessel_k1 bessel_k1e bessel_y0 bessel_y1 dawsn expint fresnel_cos fresnel_sin spence",
    bitwise: "invert invert_operator",
    clipping: "clip_by_value saturate_cast",
    color: "adjust_brightness adjust_gamma convert_image_dtype",
    random_images: "random_brightness stateless_random_brightness",
    comparison: "logical_not",
    complex_parts: "angle imag real",
    casting: "bitcast cast",
    creation: "ones_like zeros_like",
    effect_ops: "check_numerics",
    encoding: "as_string to_hash_bucket to_hash_bucket_fast to_hash_bucket_strong to_number "
    "unicode_script unicode_transcode",
    raw_bytes: "decode_base64 decode_compressed encode_base64",
    logistic: "sigmoid",
    magnitude: "abs sign",
    rounding: "ceil floor is_finite is_inf is_nan nextafter rint round",
    softmax: "log_softmax",
    special: "digamma erf erfc erfcinv erfinv lgamma ndtri",
    strings: "length lower regex_full_match regex_replace strip substr upper",
    transcendental: "exp expm1 log log1p reciprocal rsqrt sqrt square",
    trigonometric: "acos acosh asin asinh atan atanh cos cosh sin sinh tan tanh",
}

_BINARY = {
    arithmetic: "add divide divide_no_nan floordiv floormod maximum minimum multiply "
    "multiply_no_nan realdiv scalar_mul subtract truediv truncatediv truncatemod",
    bitwise: "and_operator bitwise_and bitwise_or bitwise_xor left_shift or_operator right_shift "
    "xor_operator",
    comparison: "equal greater greater_equal less less_equal logical_and logical_or logical_xor "
    "not_equal tensor_equals tensor_not_equals",
    complex_parts: "complex",
    losses: "sigmoid_cross_entropy_with_logits",
    special: "xdivy xlog1py xlogy zeta",
    transcendental: "pow squared_difference",
    trigonometric: "atan2",
}

for _family, _table in ((UNARY, _UNARY), (BINARY, _BINARY)):
    for _module, _names in _table.items():
        _family.declare(*[getattr(_module, _name) for _name in _names.split()])
