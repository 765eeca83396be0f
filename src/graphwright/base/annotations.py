"""Annotations that users write, as they are: nothing here evaluates them.

Python 3.14 evaluates an annotation when somebody asks for it. It may name what is defined later,
or what only a type checker imports; then asking for its value raises a NameError.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

if sys.version_info >= (3, 14):
    import annotationlib

    def signature_of(function: Callable[..., object]) -> inspect.Signature:
        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)

    def annotations_of(cls: type) -> dict[str, Any]:
        return annotationlib.get_annotations(cls, format=annotationlib.Format.STRING)

    def annotate_alike(copy: types.FunctionType, function: types.FunctionType) -> None:
        if function.__annotate__ is None:
            copy.__annotations__ = function.__annotations__
        else:
            copy.__annotate__ = function.__annotate__

else:

    def signature_of(function: Callable[..., object]) -> inspect.Signature:
        """The parameters of a function; a name that is unknown yet is a `ForwardRef`."""
        return inspect.signature(function)

    def annotations_of(cls: type) -> dict[str, Any]:
        """The annotations in the body of a class, by name; some may be text."""
        annotations: dict[str, Any] = vars(cls).get("__annotations__", {})
        return annotations

    def annotate_alike(copy: types.FunctionType, function: types.FunctionType) -> None:
        """Gives a copy of a function the same annotations."""
        copy.__annotations__ = function.__annotations__


class WrappedSignature:
    """The signature of what an object wraps, as `__signature__` in its class.

    `inspect` takes an object that has `__get__` for a routine of C, and asks only for this.
    """

    def __get__(self, instance: Any, owner: type | None = None) -> inspect.Signature | None:
        return None if instance is None else signature_of(instance.__wrapped__)
