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


betainc = _late("betainc")
dawsn = _late("dawsn")
erf = _late("erf")
erfc = _late("erfc")
erfinv = _late("erfinv")
expi = _late("expi")
expit = _late("expit")
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
k0 = _late("k0")
k0e = _late("k0e")
k1 = _late("k1")
k1e = _late("k1e")
ndtri = _late("ndtri")
psi = _late("psi")
spence = _late("spence")
y0 = _late("y0")
y1 = _late("y1")
zeta = _late("zeta")
