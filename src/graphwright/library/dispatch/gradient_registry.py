"""Gradient rules that programs register for ops that have none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from graphwright.op.cotangents import Cotangent
from graphwright.op.op import Call, Op, not_differentiable, registered

F = TypeVar("F", bound=Callable[..., Any])
#: The cotangents of an op's inputs, from the op, its call and the cotangents of its results.
GradientRule: TypeAlias = Callable[..., Sequence[Any]]
#: The names for which a program has registered a rule, or the absence of one.
_NAMES: set[str] = set()


class OperationView:
    """An executed op, as rules for TensorFlow look at it."""

    def __init__(self, op: Op, call: Call) -> None:
        self.type = op.type_name
        self.inputs = list(call.inputs)
        self.outputs = list(call.outputs)
        self._op = op

    def get_attr(self, name: str) -> Any:
        """The value of an attribute; ValueError if there is none of this name."""
        if name not in self._op.fields:
            raise ValueError(
                f"{self.type} has no attribute {name!r}: it has "
                f"{', '.join(self._op.fields) or 'none'}"
            )
        return getattr(self._op, name)


class RegisterGradient:
    """A decorator that registers the gradient of an op that has none, by the op's name.

    The function takes the executed op, with its `inputs`, `outputs` and `get_attr`, and the
    gradient with respect to each output. It returns one for each input, or None. A name that no op
    has is accepted without an effect.

    Args:
        op_type: The name of the op's type, such as "Sin".

    Raises:
        TypeError: `op_type` is no string.
        KeyError: The op has a gradient.

    >>> import graphwright as tf
    >>> @tf.RegisterGradient("LeftAlone")
    ... def straight_through(op, grad):
    ...     return grad * tf.ones_like(op.inputs[0])
    """

    def __init__(self, op_type: str) -> None:
        self._op_type = checked(op_type)

    def __call__(self, f: F) -> F:
        """Registers a function.

        Args:
            f: The function.

        Returns:
            The function.
        """

        def gradient(op: Op, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
            gradients = f(OperationView(op, call), *cotangents)
            return gradients if isinstance(gradients, (list, tuple)) else [gradients]

        register(self._op_type, gradient)
        return f


def no_gradient(op_type: str) -> None:
    """Declares that no gradient flows through an op that has no gradient yet.

    Args:
        op_type: The name of the op's type, such as "Sin".

    Raises:
        TypeError: `op_type` is no str.
        KeyError: The op has a gradient.

    >>> import graphwright as tf
    >>> tf.no_gradient("Sin")
    Traceback (most recent call last):
    KeyError: "Registering two gradient with name 'Sin'!"
    """
    register(checked(op_type), not_differentiable)


def checked(op_type: str) -> str:
    """The name of an op; TypeError if it is no string."""
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    return op_type


def register(name: str, rule: GradientRule) -> None:
    """Gives an op a rule; KeyError if it has one."""
    op = registered(name)
    if name in _NAMES or (op is not None and not getattr(op.gradient, "is_undefined", False)):
        raise KeyError(f"Registering two gradient with name '{name}'!")
    _NAMES.add(name)
    if op is not None:
        op.gradient = rule  # type: ignore[method-assign]
