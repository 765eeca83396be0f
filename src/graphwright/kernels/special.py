"""The functions of `scipy.special` that ops use, imported when the first one is called.

SciPy takes longer to import than all of this package, and most programs call none of these.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any


@cache
def _scipys(name: str) -> Callable[..., Any]:
    from scipy import special

    function: Callable[..., Any] = getattr(special, name)
    return function


def _late(name: str) -> Callable[..., Any]:
    """SciPy's function of that name, fetched at its first call."""

    def call(*arguments: Any, **options: Any) -> Any:
        return _scipys(name)(*arguments, **options)

    call.__name__ = call.__qualname__ = name
    return call


erf = _late("erf")
erfc = _late("erfc")
erfinv = _late("erfinv")
gammaln = _late("gammaln")
