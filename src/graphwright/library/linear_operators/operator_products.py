"""Products of two operators: those that are simpler than a composition, and all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphwright.library.linear_operators.circulant_operators import (
    Circulant,
    LinearOperatorCirculant,
    LinearOperatorCirculant2D,
    LinearOperatorCirculant3D,
)
from graphwright.library.linear_operators.derived_operators import LinearOperatorComposition
from graphwright.library.linear_operators.diagonal_operators import (
    LinearOperatorDiag,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from graphwright.library.linear_operators.linear_operator import LinearOperator


def product(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The product of two operators: the first of `SIMPLE` that fits, else a composition."""
    for first, second, function in SIMPLE:
        if isinstance(left, first) and isinstance(right, second):
            simple: LinearOperator = function(left, right)
            return simple
    return LinearOperatorComposition([left, right])


def diagonal_product(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The product of two diagonal operators."""
    entries = left.diag_part() * right.diag_part()
    both = all(operator.is_non_singular for operator in (left, right))
    return LinearOperatorDiag(entries, both or None)


def scaled_product(
    left: LinearOperatorScaledIdentity, right: LinearOperatorScaledIdentity
) -> LinearOperator:
    """The product of two multiples of the identity."""
    return LinearOperatorScaledIdentity(left._sizes[0], left.multiplier * right.multiplier)


def spectral_product(left: Circulant, right: Circulant) -> LinearOperator:
    """The product of two circulant operators of one kind."""
    return type(left)(left.spectrum * right.spectrum, left.dtype)


#: Kinds of the left and the right operator, and the function that multiplies them.
SIMPLE: Sequence[tuple[type, type, Callable[[Any, Any], LinearOperator]]] = (
    (LinearOperatorIdentity, LinearOperator, lambda left, right: right),
    (LinearOperator, LinearOperatorIdentity, lambda left, right: left),
    (LinearOperatorZeros, LinearOperator, lambda left, right: left),
    (LinearOperator, LinearOperatorZeros, lambda left, right: right),
    (LinearOperatorScaledIdentity, LinearOperatorScaledIdentity, scaled_product),
    (LinearOperatorDiag, LinearOperatorDiag, diagonal_product),
    (LinearOperatorDiag, LinearOperatorScaledIdentity, diagonal_product),
    (LinearOperatorScaledIdentity, LinearOperatorDiag, diagonal_product),
    (LinearOperatorCirculant, LinearOperatorCirculant, spectral_product),
    (LinearOperatorCirculant2D, LinearOperatorCirculant2D, spectral_product),
    (LinearOperatorCirculant3D, LinearOperatorCirculant3D, spectral_product),
)
