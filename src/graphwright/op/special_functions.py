"""The functions of `scipy.special` that ops use, imported when the first one is called.

SciPy takes longer to import than all of this package, and most programs call none of these.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from graphwright.op.late_imports import late_extension

#: The module of `scipy.special` that has most of them, and needs no other one.
_PART = "scipy.special._special_ufuncs"


@cache
def _scipys(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] | None = getattr(late_extension(_PART), name, None)
    if function is None:
        from scipy import special

        function = getattr(special, name)
    return function


def _late(name: str) -> Callable[..., Any]:
    """SciPy's function of that name, fetched at its first call."""

    def call(*arguments: Any, **options: Any) -> Any:
        return _scipys(name)(*arguments, **options)

    call.__name__ = call.__qualname__ = name
    return call


def _below_zero(function: Callable[..., Any], value: float) -> Callable[..., Any]:
    """The function, with a value of its own where x < 0, as TensorFlow has it there."""

    def call(x: Any) -> Any:
        result = function(x)
        return np.where(np.less(x, 0), result.dtype.type(value), result)

    return call


def lgamma(x: Any) -> Any:
    """log |gamma(x)|; infinity at -infinity too, as in C, where SciPy has -infinity."""
    result = gammaln(x)
    return np.where(np.isneginf(result), -result, result)


betainc = _late("betainc")
dawsn = _late("dawsn")
erf = _late("erf")
erfc = _late("erfc")
erfinv = _late("erfinv")
expi = _late("expi")
fresnel = _late("fresnel")
gamma = _late("gamma")
gammainc = _late("gammainc")
gammaincc = _late("gammaincc")
gammaln = _late("gammaln")
i0 = _late("i0")
i0e = _late("i0e")
i1 = _late("i1")
i1e = _late("i1e")
j0 = _late("j0")
j1 = _late("j1")
k0 = _below_zero(_late("k0"), np.inf)
k0e = _below_zero(_late("k0e"), np.inf)
k1 = _below_zero(_late("k1"), np.inf)
k1e = _below_zero(_late("k1e"), np.inf)
ndtri = _late("ndtri")
psi = _late("psi")
spence = _late("spence")
y0 = _below_zero(_late("y0"), -np.inf)
y1 = _below_zero(_late("y1"), -np.inf)
zeta = _late("zeta")
