"""`TypeSpec`: the description of values that are made of tensors.

The serialization of a spec is a tuple of plain values, shapes, dtypes and other specs. Two specs
are compared by these, part by part.
"""

from __future__ import annotations

import weakref
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, MutableMapping, Sequence
from typing import Any, NoReturn

import numpy as np

from graphwright.types import tree
from graphwright.types.arguments import ShapeLike
from graphwright.types.dtypes import DType
from graphwright.types.keys import signed
from graphwright.types.shape import TensorShape
from graphwright.types.trace_type import CastContext, TraceType


class AbsentMessage:
    """A method of TensorFlow's specs about messages of Protocol Buffers, which are not here."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, spec: object, owner: type) -> NoReturn:
        raise AttributeError(
            f"{owner.__name__!r} object has no attribute {self.name!r}: specs are no messages of "
            "Protocol Buffers here. Use `pickle.dumps(spec)`, or `dataset.save`, which writes the "
            "spec of the elements too",
            name=self.name,
            obj=spec or owner,
        )


class TypeSpec(TraceType):
    """The description of the values of one type: the base of all specs.

    A subclass says what it is by `_serialize`, which must return the arguments that build it.
    `_component_specs`, `_to_components` and `_from_components` say how its values are made of
    tensors.

    >>> import graphwright as tf
    >>> spec = tf.type_spec_from_value(tf.constant([1, 2]))
    >>> isinstance(spec, tf.TypeSpec), spec
    (True, TensorSpec(shape=(2,), dtype=tf.int32, name=None))
    """

    __slots__ = ("__weakref__", "_cached_key")
    _cached_key: Hashable

    experimental_as_proto = AbsentMessage()
    experimental_from_proto = AbsentMessage()
    experimental_type_proto = AbsentMessage()

    @property
    @abstractmethod
    def value_type(self) -> type:
        """The Python type of the values that this spec describes."""

    @abstractmethod
    def _serialize(self) -> tuple[Any, ...]:
        """The arguments of the constructor that build this spec again."""

    @property
    @abstractmethod
    def _component_specs(self) -> Any:
        """A structure of the specs of the parts that a value is made of."""

    @abstractmethod
    def _to_components(self, value: Any) -> Any:
        """The parts of a value, in the structure of `_component_specs`."""

    @abstractmethod
    def _from_components(self, components: Any) -> Any:
        """The value of such parts."""

    @classmethod
    def _deserialize(cls, serialization: Sequence[object]) -> TypeSpec:
        return cls(*serialization)

    @property
    def __graphwright_spec__(self) -> Any:
        return self

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return self.flatten()

    # -- comparison ---------------------------------------------------------------------

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Returns whether some value is of this type and of another.

        Args:
            spec_or_value: A spec, or a value that stands for its own spec.

        Returns:
            A bool.
        """
        spec = getattr(spec_or_value, "__graphwright_spec__", None)
        if type(self) is not type(spec):
            return False
        return _all_parts(_is_compatible, self._serialize(), spec._serialize())

    def is_subtype_of(self, other: TraceType) -> bool:
        """Returns whether every value of this type is one of `other`.

        Args:
            other: A `tf.types.experimental.TraceType`.

        Returns:
            A bool.
        """
        if type(self) is not type(other):
            return False
        theirs: Any = other
        return _all_parts(_is_subtype, self._serialize(), theirs._serialize())

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TypeSpec | None:
        """Returns the most specific spec that describes what this one or any of others does.

        Args:
            others: A sequence of trace types.

        Returns:
            A spec of this class, or None if there is none.
        """
        if any(type(other) is not type(self) for other in others):
            return None
        specs: list[Any] = [self, *others]
        mine, *theirs = [spec._serialize() for spec in specs]
        if not all(_alike(mine, other) for other in theirs):
            return None
        try:
            joined = [_join(parts) for parts in zip(*map(tree.flatten, [mine, *theirs]))]
        except _Unlike:
            return None
        return self._deserialize(tree.pack_sequence_as(mine, joined))

    def most_specific_compatible_type(self, other: TypeSpec) -> TypeSpec:
        """Returns the most specific spec that describes what this one or another does.

        Args:
            other: A spec.

        Returns:
            A spec of this class.

        Raises:
            ValueError: There is none.
        """
        joined = self.most_specific_common_supertype([other])
        if joined is None:
            raise ValueError(f"no TypeSpec describes the values of both {self!r} and {other!r}")
        return joined

    # -- as a TraceType -----------------------------------------------------------------

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Returns a value whose tensors are placeholders.

        Args:
            placeholder_context: What makes placeholders while a function is traced.

        Returns:
            A value of `value_type`.
        """
        parts = [spec.placeholder_value(placeholder_context) for spec in self._parts()]
        return self._pack(parts)

    def cast(self, value: object, cast_context: CastContext) -> Any:
        """Returns a value with its tensors fit for a trace of this type.

        Args:
            value: A value of `value_type`.
            cast_context: What says whether a spec stands for a value.

        Returns:
            A value of `value_type`, or the spec itself.

        Raises:
            TypeError: `value` has other components.
        """
        if cast_context.allow_specs and isinstance(value, TypeSpec):
            if not value.is_subtype_of(self):
                raise AssertionError(f"Can not cast {value!r} to {self!r}")
            return self
        try:
            components = self._to_components(value)
        except AttributeError as error:
            raise TypeError(f"Can not cast {value!r} to {self!r}: {error}") from None
        specs, parts = self._parts(), tree.flatten(components, expand_composites=True)
        if len(parts) != len(specs):
            raise TypeError(f"Can not cast {value!r} to {self!r}: it has {len(parts)} components")
        return self._pack([spec.cast(part, cast_context) for spec, part in zip(specs, parts)])

    def flatten(self) -> list[Any]:
        """The specs of the tensors in a value of this type."""
        return [tensor for spec in self._parts() for tensor in spec.flatten()]

    def to_tensors(self, value: object) -> list[Any]:
        """Returns the tensors in a value of this type.

        Args:
            value: A value of `value_type`.

        Returns:
            A list of tensors, in the order of `flatten`.
        """
        parts = zip(self._parts(), tree.flatten(self._to_components(value), True))
        return [tensor for spec, part in parts for tensor in spec.to_tensors(part)]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Returns a value of this type, made of tensors.

        Args:
            tensors: An iterator of tensors, in the order of `flatten`.

        Returns:
            A value of `value_type`.
        """
        return self._pack([spec.from_tensors(tensors) for spec in self._parts()])

    def _parts(self) -> list[Any]:
        return tree.flatten(self._component_specs, expand_composites=True)

    def _pack(self, parts: list[object]) -> Any:
        return self._from_components(
            tree.pack_sequence_as(self._component_specs, parts, expand_composites=True)
        )

    def _with_shape(self, shape: ShapeLike) -> TypeSpec:
        """The type of such values of another shape, for the shape invariants of loops."""
        raise TypeError(
            f"a shape invariant of a {self.value_type.__name__} must be a TypeSpec, not {shape!r}"
        )

    def __tf_tracing_type__(self, context: object) -> TypeSpec:
        return self

    # -- as a value ---------------------------------------------------------------------

    def _key(self) -> Hashable:
        try:
            return self._cached_key
        except AttributeError:
            self._cached_key = hashable((type(self), self._serialize()))
            return self._cached_key

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return type(self)._deserialize, (self._serialize(),)

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


#: The specs of extension types that say by `__name__` what models call them, by these names.
SAVED_SPECS: MutableMapping[str, type[TypeSpec]] = weakref.WeakValueDictionary()


class _Unlike(Exception):
    """Parts of serializations that have no common supertype."""


def _alike(a: object, b: object) -> bool:
    """Whether two serializations have the same structure."""
    try:
        tree.assert_same_structure(a, b)
    except (TypeError, ValueError):
        return False
    return True


def _all_parts(relation: Callable[[object, object], bool], a: object, b: object) -> bool:
    """Whether two serializations are alike and all their parts are so related."""
    if not _alike(a, b):
        return False
    return all(map(relation, tree.flatten(a), tree.flatten(b)))


def _is_compatible(a: object, b: object) -> bool:
    if type(a) is not type(b):
        return False
    other: Any = b
    if isinstance(a, (TypeSpec, TensorShape)):
        return a.is_compatible_with(other)
    return _is_equal(a, b)


def _is_subtype(a: object, b: Any) -> bool:
    return a.is_subtype_of(b) if isinstance(a, TraceType) else _is_equal(a, b)


def _is_equal(a: object, b: object) -> bool:
    return hashable(a) == hashable(b)


def _join(parts: tuple[Any, ...]) -> Any:
    first, *others = parts
    if isinstance(first, TraceType):
        joined = first.most_specific_common_supertype(others)
        if joined is None:
            raise _Unlike
        return joined
    if not all(_is_equal(first, other) for other in others):
        raise _Unlike
    return first


def hashable(value: object) -> Hashable:
    """A key that is equal for equal serializations, and for no others."""
    if isinstance(value, (list, tuple)):
        return (type(value), tuple([hashable(item) for item in value]))
    if isinstance(value, dict):
        return (dict, tuple([(key, hashable(value[key])) for key in sorted(value)]))
    if isinstance(value, np.ndarray):
        return (np.ndarray, value.dtype, value.shape, value.tobytes())
    if isinstance(value, (DType, TraceType)):  # these are equal to more than their own kind
        return (type(value), value)
    key: Hashable = signed(value)
    return key
