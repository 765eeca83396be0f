"""The coefficients in the package are those that the tool finds."""

from __future__ import annotations

import pytest

from graphwright.compile.llvm.functions import polynomials
from tools.fit_polynomials import CONSTANTS, FITS, Fit, digits_of_two_over_pi, parts, rounded_fit


@pytest.mark.parametrize("fit", FITS, ids=lambda fit: fit.name)
def test_polynomials(fit: Fit) -> None:
    for kind in fit.degrees:
        assert rounded_fit(fit, kind) == getattr(polynomials, fit.name)[kind]


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants(name: str) -> None:
    value, count = CONSTANTS[name]
    for kind in ("f32", "f64"):
        assert parts(value, kind, count) == getattr(polynomials, name)[kind]


def test_digits_of_two_over_pi() -> None:
    assert digits_of_two_over_pi() == polynomials.TWO_OVER_PI
