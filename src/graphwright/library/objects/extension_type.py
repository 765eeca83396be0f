"""`tf.experimental.ExtensionType`: classes of values made of tensors, declared by annotations."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np

from graphwright.base.annotations import annotations_of
from graphwright.base.errors import frame_above
from graphwright.base.named_tuples import NamedTuple
from graphwright.control.map import items_of as collector_of
from graphwright.control.map import static_count
from graphwright.control.tensor_array import TensorArray
from graphwright.library.objects.extension_fields import REQUIRED, Field, ImmutableDict, field_of
from graphwright.op.interpreter import convert
from graphwright.op.refusal import boundary
from graphwright.ops.core.joining import stack
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math.comparison import equal, logical_not
from graphwright.ops.math.reduction import reduce_all
from graphwright.types import tree
from graphwright.types.arguments import TensorValue
from graphwright.types.composite import Composite
from graphwright.types.keys import distinct
from graphwright.types.specs import TensorSpec
from graphwright.types.type_spec import SAVED_SPECS, TypeSpec
from graphwright.values.tensor import EagerTensor, Tensor

T = TypeVar("T")
B = TypeVar("B", bound="Built")

_BUILDING = "_tf_extension_type_building"  # in an object's dict while its constructor runs
_SPEC = "_tf_extension_type_spec"
_RESERVED = frozenset({"self", "Spec", "_type_spec", "_consumers"})
_PREFIX = "_tf_extension_type_"


class Declared(NamedTuple):
    """A field of an extension type."""

    field: Field
    annotation: object
    default: Any


class Declaration:
    """The fields of an extension type, resolved when all names in its annotations exist."""

    def __init__(self, cls: type, scope: Mapping[str, object]) -> None:
        self._cls = cls
        self._scope: dict[str, object] | None = {**scope, cls.__name__: cls}
        self._fields: dict[str, Declared] = {}

    @property
    def fields(self) -> dict[str, Declared]:
        """The fields by name, those of the bases first; TypeError for an unknown annotation."""
        try:
            self.resolve()
        except NameError as error:
            raise TypeError(
                f"An annotation of {self._cls.__name__} names what does not exist: {error}. Define "
                "it before the first use of the type, where the type is defined, or in its module."
            ) from error
        return self._fields

    def resolve(self) -> None:
        """Looks up what annotations name; NameError for what does not exist."""
        if self._scope is not None:
            self._fields = self._resolved(self._scope)
            self._scope = None

    def _resolved(self, scope: dict[str, object]) -> dict[str, Declared]:
        cls = self._cls
        fields: dict[str, Declared] = {}
        for base in reversed(cls.__mro__[1:]):
            fields |= declared_in(base)
        annotations = annotations_of(cls)
        hints = typing.get_type_hints(cls, localns=scope) if annotations else {}
        for name in annotations:
            fields[name] = declare(cls, name, hints[name])
        return fields

    def signature(self) -> inspect.Signature:
        """The constructor's signature; behind a default, a field without one is keyword-only."""
        parameters = []
        kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
        defaulted = False
        for name, (_, annotation, default) in self.fields.items():
            if default is REQUIRED:
                default = inspect.Parameter.empty
                if defaulted:
                    kind = inspect.Parameter.KEYWORD_ONLY
            else:
                defaulted = True
            parameters.append(inspect.Parameter(name, kind, default=default, annotation=annotation))
        return inspect.Signature(parameters, return_annotation=self._cls)

    def spec_signature(self) -> inspect.Signature:
        """The signature of a type spec's constructor."""
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature([inspect.Parameter(name, kind) for name in self.fields])


def declare(cls: type, name: str, annotation: object) -> Declared:
    """A declared field; TypeError for an annotation of no field, or a default that it refuses."""
    try:
        field = field_of(annotation)
    except TypeError as error:
        raise TypeError(f"In field {name!r}: {error}") from error
    default = vars(cls).get(name, REQUIRED)
    if default is not REQUIRED:
        default = field.value(default, f"default value for {name}")
    return Declared(field, annotation, default)


def check_names(cls: type, annotations: Mapping[str, object]) -> None:
    """Raises ValueError for a field with a reserved name or without an annotation."""
    problem = f"The field annotations for {cls.__name__} are invalid. Field"
    for name in annotations:
        if name in _RESERVED or name.startswith(_PREFIX):
            raise ValueError(f"{problem} {name!r} is reserved.")
    for name, value in vars(cls).items():
        machinery = name.startswith(("__", _PREFIX, "_abc_")) or name == "Spec"
        if not (name in annotations or machinery or callable(value) or hasattr(value, "__get__")):
            raise ValueError(f"{problem} {name} is missing a type annotation.")


class Built:
    """The base of values and specs of extension types: only constructors set their fields."""

    __slots__ = ()
    _tf_extension_type: ClassVar[Declaration]
    _tf_extension_type_what: ClassVar[str]

    def __setattr__(self, name: str, value: object) -> None:
        if _BUILDING not in self.__dict__ or name not in self._tf_extension_type.fields:
            raise unchangeable(self, name)
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        raise unchangeable(self, name)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in items_of(self).items())
        return f"{type(self).__qualname__}({shown})"


def unchangeable(built: Built, name: str) -> AttributeError:
    """The error for a change of an attribute."""
    return AttributeError(
        f"Cannot mutate attribute `{name}` outside the custom constructor of "
        f"{built._tf_extension_type_what}."
    )


def items_of(built: Built) -> dict[str, Any]:
    """The fields' values by name."""
    return {name: built.__dict__[name] for name in built._tf_extension_type.fields}


def assembled(cls: type[T], values: Mapping[str, object]) -> T:
    """A value or spec with these fields, unchecked."""
    instance = cls.__new__(cls)
    instance.__dict__.update(values)
    return instance


def constructor(init: Callable[..., None], finish: Callable[[B], None]) -> Callable[..., None]:
    """A constructor in which fields may be set; the outermost call of it runs `finish`."""

    @boundary
    @functools.wraps(init)
    def construct(self: B, *args: Any, **kwargs: Any) -> None:
        if _BUILDING in self.__dict__:
            init(self, *args, **kwargs)
            return
        self.__dict__[_BUILDING] = True
        try:
            init(self, *args, **kwargs)
        finally:
            del self.__dict__[_BUILDING]
        missing = {n for n in self._tf_extension_type.fields if n not in self.__dict__}
        if missing:
            raise ValueError(f"Missing required fields: {missing}")
        finish(self)

    return construct


def set_fields(self: Built, *args: Any, **kwargs: Any) -> None:
    """Sets all fields: the constructor of a class that defines none."""
    bound = self._tf_extension_type.signature().bind(*args, **kwargs)
    bound.apply_defaults()
    self.__dict__.update(bound.arguments)


def set_spec_fields(self: Built, *args: Any, **kwargs: Any) -> None:
    """Sets all fields: the constructor of a spec whose class defines none."""
    bound = self._tf_extension_type.spec_signature().bind(*args, **kwargs)
    self.__dict__.update(bound.arguments)


def finish_value(value: ExtensionType) -> None:
    """Converts the fields of a new value, and validates it."""
    for name, (field, _, _) in value._tf_extension_type.fields.items():
        value.__dict__[name] = field.value(value.__dict__[name], name)
    value.__validate__()


def finish_spec(spec: ExtensionTypeSpec) -> None:
    """Checks the fields of a new spec."""
    for name, (field, _, _) in spec._tf_extension_type.fields.items():
        spec.__dict__[name] = field.spec(spec.__dict__[name], name)


class ExtensionTypeSpec(Built, TypeSpec):
    """The base of the type specs of extension types.

    A field holds the spec of a tensor or composite, and any other value itself.

    >>> import graphwright as tf
    >>> class Sized(tf.experimental.ExtensionType):
    ...     data: tf.Tensor
    ...     size: int
    >>> spec = tf.type_spec_from_value(Sized([1.0], 3))
    >>> spec.size, spec.data
    (3, TensorSpec(shape=(1,), dtype=tf.float32, name=None))
    """

    _tf_extension_type_what = "ExtensionTypeSpec"

    def __setattr__(self, name: str, value: object) -> None:
        if name == "_cached_key":
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    @classmethod
    def from_value(cls, value: ExtensionType) -> ExtensionTypeSpec:
        """Returns the spec of a value.

        Args:
            value: A value of the extension type.

        Returns:
            A spec of this class.
        """
        fields = items_of(value)
        specs = {name: map_leaves(spec_of, item, dict) for name, item in fields.items()}
        return assembled(cls, specs)

    def _serialize(self) -> tuple[Any, ...]:
        return tuple(items_of(self).items())

    @classmethod
    def _deserialize(cls, serialization: Sequence[object]) -> ExtensionTypeSpec:
        pairs: Any = serialization
        return assembled(cls, dict(pairs))

    @property
    def _component_specs(self) -> Any:
        parts = leaves_of(list(items_of(self).values()))
        return tuple([leaf for leaf in parts if isinstance(leaf, TypeSpec)])

    def _to_components(self, value: ExtensionType) -> Any:
        parts = leaves_of([getattr(value, name) for name in items_of(self)])
        return tuple([leaf for leaf in parts if is_part(leaf)])

    def _from_components(self, components: Sequence[object]) -> Any:
        parts = iter(components)

        def filled(leaf: object) -> Any:
            return next(parts) if isinstance(leaf, TypeSpec) else leaf

        fields = items_of(self).items()
        values = {name: map_leaves(filled, item, ImmutableDict) for name, item in fields}
        return assembled(self.value_type, values)


def is_part(leaf: object) -> bool:
    """Whether a leaf of a value is one of its components."""
    return isinstance(leaf, (Tensor, Composite))


def leaves_of(item: object) -> Iterator[Any]:
    """The leaves of a field, in its tuples and mappings."""
    if isinstance(item, (tuple, list)):
        for each in item:
            yield from leaves_of(each)
    elif isinstance(item, Mapping):
        for key in sorted(item):
            yield from leaves_of(item[key])
    else:
        yield item


def collect(item: object, sign: list[object], parts: list[EagerTensor]) -> bool:
    """Adds the tensors of a field to `parts`, and the rest of its type to `sign`.

    False where the type is not known.
    """
    if type(item) is EagerTensor and type(item._array) is np.ndarray:
        sign.append((item._array.dtype, item._array.shape))
        parts.append(item)
    elif isinstance(item, Composite):
        signed = item._sign()
        if signed is None:
            return False
        sign.append((type(item), signed[0]))
        parts += signed[1]
    elif isinstance(item, Tensor):
        return False
    elif isinstance(item, tuple):
        sign.append(len(item))
        return all(collect(each, sign, parts) for each in item)
    elif isinstance(item, Mapping):
        sign.append(tuple(map(distinct, item)))
        return all(collect(item[key], sign, parts) for key in sorted(item))
    else:
        sign.append((type(item), distinct(item)))
    return True


def map_leaves(function: Callable[[object], object], item: object, mapping: type) -> Any:
    """A field with `function` of its leaves, in order; its mappings become of class `mapping`."""
    if isinstance(item, tuple):
        return tuple([map_leaves(function, each, mapping) for each in item])
    if isinstance(item, Mapping):
        mapped = {key: map_leaves(function, item[key], mapping) for key in sorted(item)}
        return mapping({key: mapped[key] for key in item})
    return function(item)


def spec_of(leaf: object) -> Any:
    """The part of a spec for a leaf of a value."""
    if isinstance(leaf, Tensor):
        return TensorSpec.from_type(leaf.type)
    return leaf.__graphwright_spec__ if isinstance(leaf, Composite) else leaf


class ExtensionTypeBatchEncoder:
    """Stacks values of a batchable type: `encode` takes them apart, `decode` builds them.

    The attribute `__batch_encoder__` of a class is its encoder. This one stacks each tensor among
    the fields. A subclass that changes `encode` changes `decode` and `encoding_specs` too.

    >>> import graphwright as tf
    >>> class Whole(tf.experimental.ExtensionTypeBatchEncoder):
    ...     def encode(self, spec, value, minimum_rank=0):
    ...         return [value.half * 2.0]
    ...     def decode(self, spec, encoded_value):
    ...         return Half(encoded_value[0] / 2.0)
    >>> class Half(tf.experimental.BatchableExtensionType):
    ...     __batch_encoder__ = Whole()
    ...     half: tf.Tensor
    >>> tf.map_fn(lambda x: x.half, Half([0.0, 1.0]), fn_output_signature=tf.float32)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 1.], dtype=float32)>
    """

    def batch(self, spec: BatchableExtensionTypeSpec, batch_size: int | None) -> Any:
        """Returns the type of several stacked values of a type.

        Args:
            spec: The type of one.
            batch_size: An int; None for any number.

        Returns:
            A type spec.
        """
        return spec._with_parts(lambda part: part._batch(batch_size))

    def unbatch(self, spec: BatchableExtensionTypeSpec) -> Any:
        """Returns the type of one of the values that are stacked in a value of a type.

        Args:
            spec: The type of that.

        Returns:
            A type spec.
        """
        return spec._with_parts(lambda part: part._unbatch())

    def encode(
        self, spec: BatchableExtensionTypeSpec, value: ExtensionType, minimum_rank: int = 0
    ) -> Any:
        """Returns a value as a structure of tensors and composites.

        Args:
            spec: The type of the value.
            value: The value.
            minimum_rank: An int: how many axes each part must have at least.

        Returns:
            The parts.
        """
        return spec._to_components(value)

    def decode(self, spec: BatchableExtensionTypeSpec, encoded_value: Any) -> Any:
        """Returns the value of a type from what `encode` returned.

        Args:
            spec: The type of the value.
            encoded_value: The parts, in the structure that `encode` returns.

        Returns:
            The value.
        """
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec: BatchableExtensionTypeSpec) -> Any:
        """Returns the types of what `encode` returns, without the axes of the batch.

        Args:
            spec: The type of the value.

        Returns:
            Type specs in the structure that `encode` returns.
        """
        return spec._component_specs


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """The type spec of a batchable extension type."""

    def _encoder(self) -> ExtensionTypeBatchEncoder:
        kind: Any = self.value_type
        encoder: ExtensionTypeBatchEncoder = kind.__batch_encoder__
        return encoder

    def _batch(self, batch_size: int | None) -> Any:
        return self._encoder().batch(self, batch_size)

    def _unbatch(self) -> Any:
        return self._encoder().unbatch(self)

    def _of_rows(self) -> Any:
        return self._unbatch()

    def _items(self) -> BatchedItems:
        return BatchedItems(self)

    def _with_parts(self, function: Callable[[Any], object]) -> Any:
        def changed(leaf: object) -> Any:
            return function(leaf) if isinstance(leaf, TypeSpec) else leaf

        fields = items_of(self).items()
        return assembled(type(self), {n: map_leaves(changed, item, dict) for n, item in fields})


class BatchedItems:
    """Collects values of a batchable type as one of a batch: a `control.map.MappedItems`."""

    def __init__(self, spec: BatchableExtensionTypeSpec) -> None:
        self._spec = spec
        self._structure = spec._encoder().encoding_specs(spec)
        self._items = [collector_of(part) for part in tree.flatten(self._structure)]
        self.dtypes = [dtype for items in self._items for dtype in items.dtypes]

    def parts(self, result: ExtensionType) -> list[Any]:
        """The tensors of the fields."""
        encoded = self._spec._encoder().encode(self._spec, result, minimum_rank=0)
        pairs = zip(self._items, tree.flatten(encoded))
        return [tensor for items, part in pairs for tensor in items.parts(part)]

    def together(self, arrays: Sequence[TensorArray], length: int | None) -> Any:
        """The value whose fields hold those of all results."""
        remaining = iter(arrays)
        encoded = [
            items.together([next(remaining) for _ in items.dtypes], length) for items in self._items
        ]
        whole = self._spec._batch(length)
        return self._spec._encoder().decode(whole, tree.pack_sequence_as(self._structure, encoded))


class ExtensionType(Built, Composite):
    """The base of classes of values made of tensors, whose annotations declare their fields.

    A field is a `tf.Tensor`, an int, float, bool, str, bytes or None, a `tf.DType` or
    `tf.TensorShape`. It may also be a composite, such as a `tf.RaggedTensor` or another extension
    type, or a `Tuple`, `Mapping`, `Union` or `Optional` of all these.

    Values cannot be changed; a class may check new ones in `__validate__`. Functions take and
    return them, and their trace type is their `Spec`, which a class may define itself.

    Args:
        *args: The values of the first fields.
        **kwargs: Those of the others, by name.

    Raises:
        TypeError: A value is not of the type of its field.

    >>> import graphwright as tf
    >>> class Interval(tf.experimental.ExtensionType):
    ...     low: tf.Tensor
    ...     high: tf.Tensor
    >>> wider = tf.function(lambda x: Interval(x.low - 1, x.high + 1))
    >>> wider(Interval(1, 2)).high
    <tf.Tensor: shape=(), dtype=int32, numpy=3>
    """

    Spec: ClassVar[Any]
    _tf_extension_type_what = "ExtensionType"
    _tf_extension_type_spec_base: ClassVar[Any] = ExtensionTypeSpec

    def __init_subclass__(cls, abstract: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if abstract:
            return
        check_names(cls, annotations_of(cls))
        # Annotations may name locals of the function around the class, which only its frame has.
        # It costs a class less than 1 us, an instance nothing.
        around = frame_above(1)
        scope = {} if around is None else around.f_locals
        declaration = cls._tf_extension_type = Declaration(cls, scope)
        init = vars(cls).get("__init__", set_fields)
        cls.__init__ = constructor(init, finish_value)  # type: ignore[method-assign]
        cls.Spec = spec_class(cls)
        name = vars(cls).get("__name__")  # what models call it
        if isinstance(name, str):
            SAVED_SPECS[f"{name}.Spec"] = cls.Spec
        try:
            declaration.resolve()
        except NameError:
            return  # of a class that comes later: the first value resolves it
        if init is set_fields:
            cls.__signature__ = declaration.signature()  # type: ignore[attr-defined]
            cls.Spec.__signature__ = declaration.spec_signature()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise AssertionError(
            f"Cannot create an instance of {type(self).__name__} because {type(self).__name__} is "
            "an abstract base class."
        )

    def __validate__(self) -> None:
        """Does nothing; a class may raise if its fields do not fit together."""

    @property
    def __graphwright_spec__(self) -> Any:
        if _SPEC not in self.__dict__:
            self.__dict__[_SPEC] = self.Spec.from_value(self)
        return self.__dict__[_SPEC]

    def _sign(self) -> tuple[Any, list[Any]] | None:
        sign: list[object] = []
        parts: list[EagerTensor] = []
        if not all(collect(item, sign, parts) for item in items_of(self).values()):
            return None
        return tuple(sign), parts

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other) or self._type_spec != other._type_spec:
            return False
        pairs = zip(*[tree.flatten(value, expand_composites=True) for value in (self, other)])
        checks = [reduce_all(equal(a, b)) for a, b in pairs]
        return reduce_all(stack(checks)) if checks else convert(True)

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return logical_not(same) if isinstance(same, Tensor) else not same

    __hash__ = None  # type: ignore[assignment]  # equality is a tensor


def spec_class(cls: type[ExtensionType]) -> Any:
    """The `Spec` of an extension type: the nested class of this name, completed."""
    nested = vars(cls).get("Spec")
    if nested is not None and not isinstance(nested, type):
        raise ValueError(f"{cls.__name__}.Spec must be a nested class; got {nested}.")
    machinery = ("__dict__", "__weakref__", "_abc_impl", "__abstractmethods__")
    members = vars(nested) if nested else {}
    body = {
        **{name: value for name, value in members.items() if name not in machinery},
        "__init__": constructor(members.get("__init__", set_spec_fields), finish_spec),
        "__module__": cls.__module__,
        "__qualname__": f"{cls.__qualname__}.Spec",
        "_tf_extension_type": cls._tf_extension_type,
        "value_type": cls,
    }
    metaclass: Any = type(ExtensionTypeSpec)
    return metaclass(f"{cls.__name__}.Spec", (cls._tf_extension_type_spec_base,), body)


def declared_in(base: type) -> dict[str, Declared]:
    """The fields of a base class; none unless it is an extension type."""
    declaration = vars(base).get("_tf_extension_type")
    return declaration.fields if isinstance(declaration, Declaration) else {}


class BatchableExtensionType(ExtensionType, abstract=True):
    """An extension type whose values can be stacked: all tensors get an outer axis.

    A class that stacks its values otherwise sets `__batch_encoder__`. Its constructor is that of
    `tf.experimental.ExtensionType`.

    >>> import graphwright as tf
    >>> class Point(tf.experimental.BatchableExtensionType):
    ...     x: tf.Tensor
    ...     y: tf.Tensor
    >>> points = Point([1.0, 2.0], [3.0, 4.0])
    >>> tf.map_fn(lambda p: p.x + p.y, points, fn_output_signature=tf.float32).numpy()
    array([4., 6.], dtype=float32)
    """

    _tf_extension_type_spec_base = BatchableExtensionTypeSpec
    __batch_encoder__: ClassVar[Any] = ExtensionTypeBatchEncoder()

    def _encoded(self) -> Any:
        return self.__batch_encoder__.encode(self.Spec.from_value(self), self, minimum_rank=1)

    @property
    def _static_row_count(self) -> int | None:
        return static_count(tree.flatten(self._encoded())[0])

    def _row_count(self) -> Any:
        first = tree.flatten(self._encoded())[0]
        return first._row_count() if isinstance(first, Composite) else shape_of(first)[0]

    def _row(self, index: TensorValue) -> Any:
        def row(part: Composite | TensorValue) -> Any:
            return part._row(index) if isinstance(part, Composite) else part[index]

        one = self.Spec.from_value(self)._unbatch()
        return self.__batch_encoder__.decode(one, tree.map_structure(row, self._encoded()))


def as_dict(value: ExtensionType) -> dict[str, Any]:
    """Returns the fields of an extension type's value by name.

    Args:
        value: An instance of a subclass of `tf.experimental.ExtensionType`.

    Returns:
        A dict from names to values, in the order of the fields.

    >>> import graphwright as tf
    >>> class Point(tf.experimental.ExtensionType):
    ...     x: int
    >>> tf.experimental.extension_type.as_dict(Point(3))
    {'x': 3}
    """
    return items_of(value)
