"""What `function_spec` of a `tf.function` says: the signature of calls, and how they are traced."""

from __future__ import annotations

import inspect
from typing import Any

from graphwright.trace.signature import (
    KEYWORD_ONLY,
    POSITIONAL_ONLY,
    POSITIONAL_OR_KEYWORD,
    VAR_KEYWORD,
    VAR_POSITIONAL,
    FunctionType,
)
from graphwright.types import tree


class FunctionSpec:
    """The signature of the calls of a `tf.function`, without the types of a trace."""

    #: Whether it promises that a trace has no effects.
    is_pure = False

    def __init__(
        self,
        signature: inspect.Signature,
        function_type: FunctionType,
        input_signature: tuple[object, ...] | None,
        jit_compile: bool | None,
    ) -> None:
        self._signature = signature
        self.function_type = function_type
        self.input_signature = input_signature if signature.parameters else ()
        self.jit_compile = jit_compile

    def _names(self, *kinds: object) -> list[str]:
        return [p.name for p in self._signature.parameters.values() if p.kind in kinds]

    @property
    def arg_names(self) -> list[str]:
        """The names of the arguments that may be given by position."""
        return self._names(POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD)

    @property
    def default_values(self) -> dict[str, Any]:
        """The defaults of parameters, by name."""
        parameters = self._signature.parameters.values()
        return {p.name: p.default for p in parameters if p.default is not p.empty}

    @property
    def fullargspec(self) -> inspect.FullArgSpec:
        """The signature as `inspect.getfullargspec` gives it, without annotations."""
        stars, doubles = self._names(VAR_POSITIONAL), self._names(VAR_KEYWORD)
        by_position, by_name = self.arg_names, self._names(KEYWORD_ONLY)
        defaults = self.default_values
        return inspect.FullArgSpec(
            args=by_position,
            varargs=stars[0] if stars else None,
            varkw=doubles[0] if doubles else None,
            defaults=tuple([defaults[n] for n in by_position if n in defaults]) or None,
            kwonlyargs=by_name,
            kwonlydefaults={n: defaults[n] for n in by_name if n in defaults} or None,
            annotations={},
        )

    @property
    def flat_input_signature(self) -> tuple[object, ...]:
        """The specs of the input signature one after the other; None stands for one that is not."""
        if self.input_signature is None:
            return (None,)
        return tuple(tree.flatten(self.input_signature, expand_composites=True))

    def signature_summary(self, default_values: bool = False) -> str:
        """Returns a text with a line for each parameter.

        Args:
            default_values: A bool: whether defaults come after them.

        Returns:
            A string.
        """
        parameters: Any = self.function_type.parameters.values()
        lines = ["Input Parameters:"]
        lines += [f"  {p.name} ({p.kind.name}): {p.type_constraint}" for p in parameters]
        lines += ["Output Type:", "  None", "Captures:", "  None"]
        if default_values:
            defaults = [f"  {name}: {value!r}" for name, value in self.default_values.items()]
            lines += ["Defaults:", *(defaults or ["  None"])]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"FunctionSpec({self.function_type})"
