"""`tf.math.special`: Bessel functions and integrals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphwright.api import late

if TYPE_CHECKING:
    from graphwright.ops.math.bessel import (
        bessel_i0,
        bessel_i0e,
        bessel_i1,
        bessel_i1e,
        bessel_j0,
        bessel_j1,
        bessel_k0,
        bessel_k0e,
        bessel_k1,
        bessel_k1e,
        bessel_y0,
        bessel_y1,
        dawsn,
        expint,
        fresnel_cos,
        fresnel_sin,
        spence,
    )

__all__ = [
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "bessel_j0",
    "bessel_j1",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
    "bessel_y0",
    "bessel_y1",
    "dawsn",
    "expint",
    "fresnel_cos",
    "fresnel_sin",
    "spence",
]

__getattr__ = late(__name__, {"graphwright.ops.math.bessel": __all__})
