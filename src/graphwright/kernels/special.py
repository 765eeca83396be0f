"""The functions of `scipy.special`, imported when the first one is called.

SciPy takes longer to import than all of this package, and most programs call none of these:
`special.erf` here is a function that fetches SciPy's when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any


@cache
def _function(name: str) -> Callable[..., Any]:
    from scipy import special

    function: Callable[..., Any] = getattr(special, name)
    return function


def __getattr__(name: str) -> Callable[..., Any]:
    """The function of that name; a name that SciPy lacks is an error only when it is called."""
    if name.startswith("_"):
        raise AttributeError(name)

    def call(*arguments: Any, **options: Any) -> Any:
        return _function(name)(*arguments, **options)

    call.__name__ = call.__qualname__ = name
    return call
