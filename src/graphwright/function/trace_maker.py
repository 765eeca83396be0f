"""From a Python function and its options to traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.autograph import status
from graphwright.autograph.conversion import staged_form
from graphwright.autograph.settings import features
from graphwright.base.named_tuples import NamedTuple
from graphwright.function.concrete import ConcreteFunction, trace
from graphwright.function.weak_method import WeakMethod
from graphwright.trace.signature import Binder, FunctionType


class TraceMaker(NamedTuple):
    """All that a trace is made of. It knows no trace, nor the function that has them."""

    function: Callable[..., Any]
    name: str
    binder: Binder
    autograph: bool
    features: Any

    def trace(self, target: FunctionType, on_variable: Any) -> ConcreteFunction:
        """A trace for arguments of certain types."""
        ctx = status.ENABLED if self.autograph else status.DISABLED
        with ctx, features(self.features):
            return trace(self.traced_function(), self.name, self.binder, target, on_variable)

    def traced_function(self) -> Callable[..., Any]:
        """The Python function as it is run on placeholders: converted by AutoGraph."""
        function = self.function
        if not self.autograph:
            return function
        if isinstance(function, WeakMethod):
            return function.with_function(staged_form(function.__func__))
        staged: Callable[..., Any] = staged_form(function)
        return staged
