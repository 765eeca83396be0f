"""Methods that do not keep alive what they are bound to."""

from __future__ import annotations

import functools
import inspect
import weakref
from typing import Any

from graphwright.base.annotations import signature_of
from graphwright.types.arguments import PythonFunction


class WeakMethod:
    """A function bound to an instance that it does not keep alive."""

    def __init__(self, function: PythonFunction, instance: object) -> None:
        self.__func__ = function
        self._instance = weakref.ref(instance)
        functools.update_wrapper(self, function)
        self.__signature__ = _without_first(function)

    def with_function(self, function: PythonFunction) -> WeakMethod:
        """Another function bound to the same instance."""
        other = WeakMethod.__new__(WeakMethod)
        other.__func__, other._instance = function, self._instance
        return other

    @property
    def __self__(self) -> Any:
        """The instance."""
        return self._instance()

    def __call__(self, *args: object, **kwargs: object) -> Any:
        instance = self._instance()
        if instance is None:
            raise ReferenceError(
                f"The object that the method {self.__func__.__name__!r} was bound to is gone: keep "
                "a reference to it while its functions are used."
            )
        return self.__func__(instance, *args, **kwargs)


def _without_first(function: PythonFunction) -> inspect.Signature:
    """The signature of a method whose instance is bound; a first `*args` takes it beside others."""
    signature = signature_of(function)
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        del parameters[0]
    return signature.replace(parameters=parameters)
