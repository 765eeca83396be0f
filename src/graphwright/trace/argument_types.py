"""Trace types: what of an argument decides which trace can serve a call.

A tensor's is its `TensorSpec`, and a Python number's the number itself. A structure's has the
types of its components, and any other object's is a weak reference to it. Types form a lattice:
`is_subtype_of` orders them, `most_specific_common_supertype` joins them.
"""

from __future__ import annotations

import dataclasses
import weakref
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeGuard

import numpy as np

from graphwright.op.refusal import complete
from graphwright.types.containers import is_attrs, is_namedtuple
from graphwright.types.keys import distinct
from graphwright.types.shape import TensorShape
from graphwright.types.specs import NoSpecs, TensorSpec, TypeSpec
from graphwright.types.tensor_type import TensorType
from graphwright.types.trace_type import CastContext, TraceType
from graphwright.values.convert import convert, type_of
from graphwright.values.tensor import Dense, Tensor
from graphwright.values.variable import Variable

PRIMITIVES = (int, float, bool, str, bytes, complex, type(None), type(...))


class PlaceholderContext(Protocol):
    """Makes what stands for tensors and variables while a function is traced."""

    def placeholder(self, spec: TensorSpec) -> Tensor:
        """A tensor of the graph."""

    def variable(self, type_: VariableType) -> Variable:
        """A variable whose handle is a tensor of the graph."""


class LiteralType(TraceType):
    """A Python value that a trace was made for."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value: Any = value

    @property
    def _is_exact(self) -> bool:
        return True

    def is_subtype_of(self, other: TraceType) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> LiteralType | None:
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: object = None) -> Any:
        return self.value

    def cast(self, value: object, cast_context: CastContext = NoSpecs) -> Any:
        if LiteralType(value) == self:
            return value
        raise TypeError(f"Can not cast {value} to {self}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LiteralType):
            return False
        return bool(distinct(self.value) == distinct(other.value))

    def __hash__(self) -> int:
        return hash(distinct(self.value))

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


class Weakref(TraceType):
    """An object of no special type: the same or an equal one, while the first is alive."""

    __slots__ = ("_reference",)

    def __init__(self, reference: weakref.ref[object]) -> None:
        self._reference = reference

    def is_subtype_of(self, other: TraceType) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> Weakref | None:
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: object = None) -> Any:
        return self._reference()

    def cast(self, value: object, cast_context: CastContext = NoSpecs) -> Any:
        first = self._reference()
        if first is None or not (value is first or value == first):
            raise TypeError(f"Can not cast {value!r} to the object that the trace was made for.")
        return value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weakref):
            return False
        mine, others = self._reference(), other._reference()
        if mine is None or others is None:
            return False
        return mine is others or bool(mine == others)

    def __hash__(self) -> int:
        return hash(self._reference)

    def __repr__(self) -> str:
        return f"WeakRef[{self._reference()!r}]"


class VariableType(TraceType):
    """A variable: the type of its value, its number among a call's variables, and whether tapes
    watch it.

    `original` is the variable of the call that asked for the type, while it lives. The function
    that is traced gets it, as libraries know variables by their identity. Types are equal without
    it.
    """

    __slots__ = ("alias", "original", "spec", "trainable")

    def __init__(
        self,
        spec: TensorSpec,
        alias: int,
        trainable: bool = True,
        original: weakref.ref[Variable] | None = None,
    ) -> None:
        self.spec = spec
        self.alias = alias
        self.trainable = trainable
        self.original = original

    @property
    def _is_exact(self) -> bool:
        return self.spec._is_exact

    def is_subtype_of(self, other: TraceType) -> bool:
        return self._same_kind(other) and self.spec.is_subtype_of(other.spec)

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> VariableType | None:
        specs = [other.spec for other in others if self._same_kind(other)]
        if len(specs) != len(others):
            return None
        spec = self.spec.most_specific_common_supertype(specs)
        return None if spec is None else VariableType(spec, self.alias, self.trainable)

    def placeholder_value(self, placeholder_context: PlaceholderContext) -> Any:
        return placeholder_context.variable(self)

    def cast(self, value: object, cast_context: CastContext = NoSpecs) -> Any:
        if not isinstance(value, Variable):
            raise TypeError(f"Can not cast {value!r} to {self}: a tf.Variable is needed.")
        return value

    def flatten(self) -> list[Any]:
        return [self]

    def to_tensors(self, value: object) -> list[Any]:
        variable: Any = value
        return [variable.handle]

    def __eq__(self, other: object) -> bool:
        return self._same_kind(other) and self.spec == other.spec

    def _same_kind(self, other: object) -> TypeGuard[VariableType]:
        return (
            isinstance(other, VariableType)
            and self.alias == other.alias
            and self.trainable is other.trainable
        )

    def __hash__(self) -> int:
        return hash((self.alias, self.trainable, self.spec))

    def __repr__(self) -> str:
        trained = "" if self.trainable else ", trainable=False"
        return (
            f"Reference(VariableSpec(shape={self.spec.shape}, dtype={self.spec.dtype!r}{trained}), "
            f"{self.alias})"
        )


class Structure(TraceType):
    """A list, tuple, named tuple, attrs object or mapping of typed components.

    `kind` is the Python type, `keys` the names of the components (None for sequences).
    Structures of different kinds or keys have nothing in common. A mapping's keys are sorted, and
    `order` has them as they came: so a traced function goes over its argument as Python does.
    """

    __slots__ = ("children", "distinct_keys", "keys", "kind", "order")

    def __init__(
        self,
        kind: type,
        keys: tuple[Hashable, ...] | None,
        children: tuple[TraceType, ...],
        order: tuple[Hashable, ...] | None = None,
    ) -> None:
        self.kind = kind
        self.keys = keys
        self.order = keys if order is None else order
        self.distinct_keys = all_distinct(keys)
        self.children = children

    @property
    def _is_exact(self) -> bool:
        return all(child._is_exact for child in self.children)

    def _same_shape(self, other: object) -> TypeGuard[Structure]:
        return (
            isinstance(other, Structure)
            and self.kind is other.kind
            and self.distinct_keys == other.distinct_keys
            and len(self.children) == len(other.children)
        )

    def is_subtype_of(self, other: TraceType) -> bool:
        return self._same_shape(other) and all(
            a.is_subtype_of(b) for a, b in zip(self.children, other.children)
        )

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> Structure | None:
        peers = [other for other in others if self._same_shape(other)]
        if len(peers) != len(others):
            return None
        joined = []
        for i, child in enumerate(self.children):
            join = child.most_specific_common_supertype([peer.children[i] for peer in peers])
            if join is None:
                return None
            joined.append(join)
        return Structure(self.kind, self.keys, tuple(joined), self.order)

    def placeholder_value(self, placeholder_context: object = None) -> Any:
        return self.build([c.placeholder_value(placeholder_context) for c in self.children])

    def build(self, values: Sequence[object]) -> Any:
        """A structure of this kind with other components."""
        if self.keys is None:
            return values if self.kind is list else self.kind(values)
        if is_namedtuple(self.kind):
            return self.kind(*values)
        if issubclass(self.kind, Mapping):
            # A trace knows no default factory, so what lacks a key raises a KeyError there.
            mapping: Any = dict if issubclass(self.kind, defaultdict) else self.kind
            return mapping(self.in_order(values))
        return self.kind(**{str(k): v for k, v in zip(self.keys, values)})

    def in_order(self, values: Sequence[object]) -> list[tuple[Hashable, Any]]:
        """The keys with values of theirs, in the order in which the keys came."""
        named = dict(zip(self.keys or (), values))
        return [(key, named[key]) for key in self.order or ()]

    def components(self, value: object) -> list[Any]:
        """The components of a value of this type; TypeError if it is of another."""
        kind, keys, components = structure_parts(value) or (None, None, ())
        if kind is not self.kind:
            raise TypeError(f"Can not cast {value!r} to {self}")
        if all_distinct(keys) != self.distinct_keys or len(components) != len(self.children):
            raise TypeError(f"Can not cast {value!r} to {self}")
        return list(components)

    def cast(self, value: object, cast_context: CastContext = NoSpecs) -> Any:
        parts = zip(self.children, self.components(value))
        return self.build([child.cast(part, cast_context) for child, part in parts])

    def flatten(self) -> list[Any]:
        return [leaf for child in self.children for leaf in child.flatten()]

    def to_tensors(self, value: object) -> list[Any]:
        parts = zip(self.children, self.components(value))
        return [t for child, part in parts for t in child.to_tensors(part)]

    def from_tensors(self, tensors: Iterator[object]) -> Any:
        return self.build([child.from_tensors(tensors) for child in self.children])

    def __eq__(self, other: object) -> bool:
        return self._same_shape(other) and self.children == other.children

    def __hash__(self) -> int:
        return hash((self.kind, self.distinct_keys, self.children))

    def __repr__(self) -> str:
        children = ", ".join(map(repr, self.children))
        if self.keys is None:
            return f"{'List' if issubclass(self.kind, list) else 'Tuple'}[{children}]"
        pairs = ", ".join(f"[{k!r}, {c!r}]" for k, c in self.in_order(self.children))
        if issubclass(self.kind, Mapping):
            return f"Dict[{pairs}]"
        name = "NamedTuple" if is_namedtuple(self.kind) else "Attrs"
        return f"{name}[{self.kind.__name__}, [{pairs}]]"


def structure_parts(
    value: object,
) -> tuple[type, tuple[Hashable, ...] | None, Sequence[Any]] | None:
    """Kind, keys and components of a structure; None for anything else."""
    kind: Any = type(value)
    if isinstance(value, tuple) and is_namedtuple(kind):
        return kind, kind._fields, tuple(value)
    if isinstance(value, (list, tuple)):
        return kind, None, value
    if isinstance(value, Mapping):
        keys = sorted_keys(value)
        return kind, keys, [value[k] for k in keys]
    if is_attrs(value):
        names = tuple(a.name for a in kind.__attrs_attrs__)
        return kind, names, [getattr(value, n) for n in names]
    if dataclasses.is_dataclass(value) and hasattr(value, "__tf_flatten__"):
        names = tuple(f.name for f in dataclasses.fields(value))
        return kind, names, [getattr(value, n) for n in names]
    return None


def all_distinct(keys: tuple[Hashable, ...] | None) -> tuple[Hashable, ...] | None:
    """The keys of a structure as they are compared: 1, 1.0 and True are three."""
    return None if keys is None else tuple(map(distinct, keys))


def sorted_keys(keys: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """The keys of a mapping in order where they have one, else as they come."""
    comparable: Any = keys
    try:
        return tuple(sorted(comparable))
    except TypeError:
        return tuple(keys)


class TypeContext:
    """Numbers the distinct variables of one call, so that `f(v, v)` is not `f(v, w)`.

    >>> import graphwright as tf
    >>> context = tf.types.experimental.TracingContext()
    >>> context.type_of([1, tf.constant(2.0)])
    List[Literal[1], TensorSpec(shape=(), dtype=tf.float32, name=None)]
    """

    def __init__(self) -> None:
        self._aliases: dict[int, int] = {}
        self._path: set[int] = set()

    def alias(self, variable: Variable) -> int:
        """Returns the number of a variable in this call.

        Args:
            variable: A `tf.Variable`.

        Returns:
            An int.
        """
        return self._aliases.setdefault(id(variable), len(self._aliases))

    def type_of(self, value: object) -> TraceType:
        """Returns the trace type of a value.

        Args:
            value: An argument of a call.

        Returns:
            A `tf.types.experimental.TraceType`.

        Raises:
            TypeError: The value has no type, or states one that is no trace type.
            ValueError: The value contains itself.
        """
        if isinstance(value, TensorShape):  # a value here, though elsewhere a type
            return LiteralType(value)
        if isinstance(value, TraceType):
            return value
        if isinstance(value, Tensor):  # tensors look for attributes that they lack by words
            return spec_of(value.type)
        if hasattr(value, "__tf_tracing_type__"):
            type_ = value.__tf_tracing_type__(self)
            if not isinstance(type_, TraceType):
                raise TypeError(
                    "Expected an instance of TraceType for Tracing Protocol call to "
                    f"{value!r} but got {type_!r}"
                )
            return type_
        spec = getattr(value, "__graphwright_spec__", None)
        if isinstance(spec, TypeSpec):
            return spec
        if isinstance(value, Variable):
            spec, alias = spec_of(value.type), self.alias(value)
            return VariableType(spec, alias, value.trainable, weakref.ref(value))
        if isinstance(value, (np.ndarray, np.generic)):
            return spec_of(type_of(value))
        if isinstance(value, PRIMITIVES) and type(value) in PRIMITIVES:
            return LiteralType(value)
        if isinstance(value, Dense):  # as a variable of Keras
            tensor: Any = value
            return spec_of(convert(tensor).type)
        parts = structure_parts(value)
        if parts is not None:
            return self._structure(value, *parts)
        return self._other(value)

    def _structure(
        self,
        value: object,
        kind: type,
        keys: tuple[Hashable, ...] | None,
        parts: Sequence[object],
    ) -> Structure:
        if id(value) in self._path:
            raise ValueError(
                "A structure that contains itself cannot be an argument of a tf.function: "
                f"{kind.__name__} at {id(value):#x}"
            )
        self._path.add(id(value))
        try:
            order = tuple(value) if isinstance(value, Mapping) else None
            return Structure(kind, keys, tuple([self.type_of(p) for p in parts]), order)
        finally:
            self._path.discard(id(value))

    def _other(self, value: object) -> TraceType:
        if isinstance(value, PRIMITIVES):
            return LiteralType(value)
        try:
            reference = weakref.ref(value)
            hash(reference)
            return Weakref(reference)
        except TypeError:
            pass
        try:
            hash(value)
        except TypeError:
            words = (
                f"Could not generate a generic TraceType for {value!r}. Please verify that it is "
                "immutable/hashable. Otherwise, consider implementing the Tracing Protocol for it: "
                "a method `__tf_tracing_type__(self, context)` that returns a "
                "`tf.types.experimental.TraceType`."
            )
            raise complete(TypeError(words)) from None
        return LiteralType(value)


def spec_of(type_: TensorType) -> TensorSpec:
    """The TensorSpec of a TensorType."""
    return TensorSpec.from_type(type_)


def from_value(value: object, context: TypeContext | None = None) -> TraceType:
    """The trace type of a value."""
    return (context or TypeContext()).type_of(value)


def is_tensor(x: object) -> bool:
    """Returns whether a value is a tensor, a variable, or a composite made of tensors.

    So is an object of a library's class that is a `tf.__internal__.types.Tensor`.

    Args:
        x: Any value.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor([1])
    (True, False)
    """
    return isinstance(x, Dense) or (
        isinstance(getattr(x, "__graphwright_spec__", None), TypeSpec)
        and not isinstance(x, TypeSpec)
        and getattr(x, "_is_native", True)
    )
