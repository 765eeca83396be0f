"""From a Python function and its options to traces."""

from __future__ import annotations

from typing import Any, TypeAlias, Union

from graphwright.autograph import status
from graphwright.autograph.settings import Feature, features
from graphwright.base.named_tuples import NamedTuple
from graphwright.function.concrete import ConcreteFunction, trace
from graphwright.function.weak_method import WeakMethod
from graphwright.op.late_imports import late_module
from graphwright.trace.signature import Binder, FunctionType
from graphwright.trace.tracer import OnVariable
from graphwright.types.arguments import PythonFunction

#: Optional parts of AutoGraph that a function asks for: one, several, or none.
Features: TypeAlias = Union[  # noqa: UP007
    Feature, list[Feature], tuple[Feature, ...], set[Feature], frozenset[Feature], None
]


class TraceMaker(NamedTuple):
    """All that makes a trace. It refers to no trace, nor to the function that has them."""

    function: PythonFunction
    name: str
    binder: Binder
    autograph: bool
    features: Features

    def trace(self, target: FunctionType, on_variable: OnVariable) -> ConcreteFunction:
        """A trace for arguments of certain types."""
        ctx = status.ENABLED if self.autograph else status.SWITCHED_OFF
        with ctx, features(self.features):
            return trace(self.traced_function(), self.name, self.binder, target, on_variable)

    def traced_function(self) -> PythonFunction:
        """The Python function as it is run on placeholders: converted by AutoGraph."""
        function = self.function
        if not self.autograph:
            return function
        conversion: Any = late_module("graphwright.autograph.conversion")
        if isinstance(function, WeakMethod):
            return function.with_function(conversion.staged_form(function.__func__))
        staged: PythonFunction = conversion.staged_form(function)
        return staged
