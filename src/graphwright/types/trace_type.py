"""`TraceType`: what tracing must know of an argument's type, and how a type says it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable


class CastContext(Protocol):
    """How far a cast may go."""

    @property
    def allow_specs(self) -> bool:
        """Whether a spec stands for a value of its type."""
        ...


class TraceType(ABC):
    """A type of arguments that a function can be traced for.

    Types form a partial order: a trace made for a type serves all its subtypes.

    >>> import graphwright as tf
    >>> class Fruit(tf.types.experimental.TraceType):
    ...     def __init__(self, kind):
    ...         self.kind = kind
    ...     def is_subtype_of(self, other):
    ...         return self == other
    ...     def most_specific_common_supertype(self, others):
    ...         return self if all(self == other for other in others) else None
    ...     def placeholder_value(self, placeholder_context):
    ...         return self.kind
    ...     def __hash__(self):
    ...         return hash(self.kind)
    ...     def __eq__(self, other):
    ...         return isinstance(other, Fruit) and self.kind == other.kind
    >>> Fruit("apple").is_subtype_of(Fruit("pear"))
    False
    """

    __slots__ = ()

    @property
    def _is_exact(self) -> bool:
        """Whether neither of this type and another exact one is a subtype of the other."""
        return False

    @abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Returns whether every value of this type is one of `other`.

        Args:
            other: A trace type.

        Returns:
            A bool.
        """

    @abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """Returns the most specific type of which this type and all others are subtypes.

        Args:
            others: A sequence of trace types.

        Returns:
            A trace type, or None if there is none.
        """

    @abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Returns the value that stands for an argument of this type while a function is traced.

        Args:
            placeholder_context: What makes placeholders.

        Returns:
            Any value.
        """

    @abstractmethod
    def __hash__(self) -> int: ...

    @abstractmethod
    def __eq__(self, other: object) -> bool: ...

    def cast(self, value: object, cast_context: CastContext) -> Any:
        """Returns a value made fit for a trace of this type; by default only the placeholder fits.

        Args:
            value: An argument of a call.
            cast_context: What says whether a spec stands for a value of its type.

        Returns:
            A value of this type.

        Raises:
            AssertionError: `value` does not fit.
        """
        if value != self.placeholder_value(None):
            raise AssertionError(f"Can not cast {value!r} to {self!r}")
        return value

    def flatten(self) -> list[Any]:
        """The `TensorSpec`s of the tensors in a value of this type: by default none."""
        return []

    def to_tensors(self, value: object) -> list[Any]:
        """Returns the tensors in a value of this type: by default none.

        Args:
            value: A value of this type.

        Returns:
            A list of tensors, in the order of `flatten`.
        """
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Returns a value of this type, made of tensors.

        Args:
            tensors: An iterator of tensors, in the order of `flatten`.

        Returns:
            A value of this type.
        """
        return self.placeholder_value(None)


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """Values that say themselves of which `TraceType` they are.

    >>> import graphwright as tf
    >>> isinstance(tf.constant(1), tf.types.experimental.SupportsTracingProtocol)
    False
    >>> isinstance(tf.TensorSpec([]), tf.types.experimental.SupportsTracingProtocol)
    True
    """

    def __tf_tracing_type__(self, context: Any) -> TraceType:
        """The type of this value for the trace that `context` describes."""


@runtime_checkable
class Callable(Protocol):
    """A traced function: it is called, and says its type.

    >>> import graphwright as tf
    >>> f = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
    >>> isinstance(f, tf.types.experimental.Callable)
    True
    """

    @property
    def function_type(self) -> Any:
        """The signature, of which the annotations are trace types."""
        ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function.

        Args:
            *args: Its positional arguments.
            **kwargs: Its arguments by name.

        Returns:
            The result of the function.
        """
        ...
