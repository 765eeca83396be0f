"""`TensorSpec`: the description of one tensor, and the spec of any value."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike, TensorValue, Typed
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype, float32
from graphwright.types.shape import TensorShape, as_shape
from graphwright.types.tensor_type import Dims, TensorType, broadcast_dims, is_compatible
from graphwright.types.trace_type import CastContext, TraceType
from graphwright.types.type_spec import TypeSpec as TypeSpec
from graphwright.types.type_spec import hashable


class Runtime(Protocol):
    """What specs ask of the layer that has tensors."""

    @property
    def tensor_class(self) -> Any:
        """The class of all tensors, eager and symbolic; its instances have a `type`."""

    def convert(self, value: TensorLike, dtype: DType | None) -> Any:
        """A tensor of `value`; TypeError or ValueError if there is none."""

    def refine(self, tensor: TensorValue, dims: Dims | None) -> Any:
        """The same tensor, known from now on to be of these dims."""


class _Installed:
    """The runtime, once there is one."""

    runtime: Runtime


def install(runtime: Runtime) -> None:
    """Gives the specs the layer that has tensors."""
    _Installed.runtime = runtime


class NamedTensor(Typed, Protocol):
    """What says the dtype, the shape and perhaps the name of a tensor."""

    @property
    def name(self) -> str | None: ...


class TensorSpec(TypeSpec):
    """The dtype, shape and perhaps name of a tensor.

    A spec without a name is a subtype of one with it; two of different names have no common
    supertype.

    Args:
        shape: A `tf.TensorShape`, or what makes one, of which dimensions may be unknown.
        dtype: The dtype of the elements.
        name: A string or None: of the placeholder in a graph.

    >>> import graphwright as tf
    >>> spec = tf.TensorSpec([None, 3], tf.int32)
    >>> spec.is_compatible_with(tf.zeros([2, 3], tf.int32))
    True
    >>> spec.most_specific_compatible_type(tf.TensorSpec([2, 4], tf.int32))
    TensorSpec(shape=(None, None), dtype=tf.int32, name=None)
    """

    __slots__ = ("_name", "_type")
    _type: TensorType
    _name: str | None

    __graphwright_spec__ = None  # a leaf of nested structures, and its own only component

    def __init__(
        self, shape: ShapeLike, dtype: DTypeLike = float32, name: str | None = None
    ) -> None:
        self._type = TensorType(as_dtype(dtype), as_shape(shape)._dims)
        self._name = name

    @classmethod
    def from_type(cls, tensor_type: TensorType, name: str | None = None) -> TensorSpec:
        """Makes the spec of an internal type.

        Args:
            tensor_type: The dtype and the dims.
            name: A string or None.

        Returns:
            A `tf.TensorSpec`.
        """
        spec = TensorSpec.__new__(TensorSpec)
        spec._type = tensor_type
        spec._name = name
        return spec

    @classmethod
    def from_spec(cls, spec: NamedTensor, name: str | None = None) -> TensorSpec:
        """Makes a spec like another, perhaps of another name.

        Args:
            spec: A spec, or what else has a shape, a dtype and a name.
            name: A string; None takes that of `spec`.

        Returns:
            A spec of this class.

        >>> import graphwright as tf
        >>> tf.TensorSpec.from_spec(tf.TensorSpec([2]), name="x")
        TensorSpec(shape=(2,), dtype=tf.float32, name='x')
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: TensorValue, name: str | None = None) -> TensorSpec:
        """Makes the spec of a tensor.

        Args:
            tensor: A `tf.Tensor`.
            name: A string; None takes the name of the op that made a symbolic tensor.

        Returns:
            A `tf.TensorSpec`.

        Raises:
            ValueError: `tensor` is no tensor.

        >>> import graphwright as tf
        >>> tf.TensorSpec.from_tensor(tf.constant([1, 2]), name="x")
        TensorSpec(shape=(2,), dtype=tf.int32, name='x')
        """
        if not isinstance(tensor, _Installed.runtime.tensor_class):
            raise ValueError(
                f"tensor must be a tf.Tensor, not {tensor!r} ({type(tensor).__name__})"
            )
        operation = getattr(tensor, "op", None)
        return cls.from_type(tensor.type, name or getattr(operation, "name", None))

    @property
    def type(self) -> TensorType:
        """The internal type: dtype and dims."""
        return self._type

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return TensorShape.from_dims(self._type.dims)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._type.dtype

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    @property
    def value_type(self) -> Any:
        """`tf.Tensor`."""
        return _Installed.runtime.tensor_class

    def _batch(self, batch_size: int | None) -> TensorSpec:
        """The spec of several such tensors, stacked."""
        return TensorSpec(TensorShape([batch_size]).concatenate(self.shape), self.dtype, self._name)

    def _unbatch(self) -> TensorSpec:
        """The spec of one row of such a tensor."""
        shape = self.shape
        return TensorSpec(shape if shape.rank is None else shape[1:], self.dtype, self._name)

    def is_compatible_with(self, spec_or_tensor: object) -> bool:
        """Returns whether another spec or a tensor has the dtype, and a shape that could be the
        same.

        Args:
            spec_or_tensor: A `tf.TensorSpec` or a tensor; nothing else is compatible.

        Returns:
            A bool.

        >>> import graphwright as tf
        >>> tf.TensorSpec([None, 3]).is_compatible_with(tf.zeros([2, 4]))
        False
        """
        if not isinstance(spec_or_tensor, (TensorSpec, _Installed.runtime.tensor_class)):
            return False
        other: TensorType = spec_or_tensor.type
        return self._type.dtype is other.dtype and is_compatible(self._type.dims, other.dims)

    def is_subtype_of(self, other: TraceType) -> bool:
        """Returns whether every tensor of this spec is one of `other`.

        Args:
            other: A `tf.types.experimental.TraceType`. If this spec has a name, it must have the
                same.

        Returns:
            A bool.

        >>> import graphwright as tf
        >>> tf.TensorSpec([2, 3]).is_subtype_of(tf.TensorSpec([None, 3]))
        True
        """
        return (
            isinstance(other, TensorSpec)
            and (not self._name or self._name == other._name)
            and self._type.is_subtype_of(other._type)
        )

    @property
    def _is_exact(self) -> bool:
        return self._name is None and self._type.is_static

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TensorSpec | None:
        """Returns the most specific spec of all tensors of this spec and others.

        Args:
            others: A sequence of trace types.

        Returns:
            A `tf.TensorSpec`, or None if dtypes or names differ.

        >>> import graphwright as tf
        >>> tf.TensorSpec([2]).most_specific_common_supertype([tf.TensorSpec([3])])
        TensorSpec(shape=(None,), dtype=tf.float32, name=None)
        """
        joined = self._type
        for other in others:
            if not isinstance(other, TensorSpec) or type(other) is not type(self):
                return None
            join = joined.join(other._type)
            if join is None or other._name != self._name:
                return None
            joined = join
        return self if joined is self._type else self._with_type(joined)

    def _with_type(self, tensor_type: TensorType) -> TensorSpec:
        return TensorSpec.from_type(tensor_type, self._name)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Returns a symbolic tensor of this spec.

        Args:
            placeholder_context: What makes placeholders while a function is traced.

        Returns:
            A symbolic `tf.Tensor`.
        """
        return placeholder_context.placeholder(self)

    def cast(self, value: object, cast_context: CastContext) -> Any:
        """Returns a value as a tensor of this spec.

        Args:
            value: A tensor, or what converts to one.
            cast_context: What says whether a spec stands for a tensor.

        Returns:
            A tensor, or the spec itself.

        Raises:
            TypeError: The dtype or the shape of `value` is another.
        """
        if cast_context.allow_specs and isinstance(value, TensorSpec):
            if not value.is_subtype_of(self):
                raise AssertionError(f"Can not cast {value!r} to {self!r}")
            return self
        runtime = _Installed.runtime
        tensor: Any = value
        if not isinstance(tensor, runtime.tensor_class):
            tensor = runtime.convert(tensor, self._type.dtype)
        tensor_type: TensorType = tensor.type
        if tensor_type.is_subtype_of(self._type):
            return tensor
        if self._type.is_subtype_of(tensor_type):
            return runtime.refine(tensor, self._type.dims)
        raise TypeError(f"Can not cast {TensorSpec.from_type(tensor_type)!r} to {self!r}")

    def flatten(self) -> list[Any]:
        """The spec itself."""
        return [self]

    def to_tensors(self, value: object) -> list[Any]:
        """Returns a value as the one tensor that it is made of.

        Args:
            value: A tensor, or what converts to one.

        Returns:
            A list of one tensor.

        Raises:
            TypeError: The dtype or the shape of `value` is another.
        """
        return [self.cast(value, NoSpecs)]

    def from_tensors(self, tensors: Iterator[TensorValue]) -> Any:
        """Returns the next tensor.

        Args:
            tensors: An iterator of tensors.

        Returns:
            A tensor.
        """
        return next(tensors)

    @property
    def _component_specs(self) -> TensorSpec:
        return self

    def _to_components(self, value: object) -> Any:
        return value

    def _from_components(self, components: object) -> Any:
        return components

    def _serialize(self) -> tuple[Any, ...]:
        return (self.shape, self.dtype, self._name)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, TensorSpec)
            and type(self) is type(other)
            and self._type is other._type
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash(self._type)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self._name!r})"


class BoundedTensorSpec(TensorSpec):
    """A `TensorSpec` with bounds, both included, of the elements.

    `minimum` and `maximum` are numbers or arrays that broadcast to the shape. ValueError if
    they do not, or are None. Bounds do not take part in subtyping.
    """

    __slots__ = ("_maximum", "_minimum")

    def __init__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike,
        minimum: npt.ArrayLike | None,
        maximum: npt.ArrayLike | None,
        name: str | None = None,
    ) -> None:
        super().__init__(shape, dtype, name)
        self._minimum = self._bound("minimum", minimum)
        self._maximum = self._bound("maximum", maximum)

    def _bound(self, role: str, value: npt.ArrayLike | None) -> Array:
        if value is None:
            raise ValueError(f"{role} must be a number or an array, not None")
        try:
            broadcast_dims(np.shape(value), self._type.dims)
        except ValueError as error:
            raise ValueError(
                f"{role} {value!r} does not broadcast to the shape {self.shape}: {error}"
            ) from None
        bound = np.array(value, dtype=self.dtype.as_numpy_dtype)
        bound.setflags(write=False)
        return bound

    @classmethod
    def from_spec(cls, spec: NamedTensor, name: str | None = None) -> BoundedTensorSpec:
        """A spec like `spec`; its dtype's limits are the bounds if it has none."""
        dtype = as_dtype(spec.dtype)
        minimum = getattr(spec, "minimum", None)
        maximum = getattr(spec, "maximum", None)
        return cls(
            spec.shape,
            dtype,
            dtype.min if minimum is None else minimum,
            dtype.max if maximum is None else maximum,
            name or spec.name,
        )

    @property
    def _is_exact(self) -> bool:
        return False

    @property
    def minimum(self) -> Array:
        """The least values of the elements, read-only."""
        return self._minimum

    @property
    def maximum(self) -> Array:
        """The greatest values of the elements, read-only."""
        return self._maximum

    def _bounds(self) -> Hashable:
        return hashable((self._minimum, self._maximum))

    def most_specific_common_supertype(
        self, others: Sequence[TraceType]
    ) -> BoundedTensorSpec | None:
        """As of a `TensorSpec`; None if bounds differ."""
        for other in others:
            if not isinstance(other, BoundedTensorSpec) or other._bounds() != self._bounds():
                return None
        joined = super().most_specific_common_supertype(others)
        return joined if isinstance(joined, BoundedTensorSpec) else None

    def _with_type(self, tensor_type: TensorType) -> BoundedTensorSpec:
        shape = TensorShape.from_dims(tensor_type.dims)
        return BoundedTensorSpec(shape, self.dtype, self._minimum, self._maximum, self._name)

    def _serialize(self) -> tuple[Any, ...]:
        return (self.shape, self.dtype, self._minimum, self._maximum, self._name)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundedTensorSpec)
            and super().__eq__(other)
            and self._bounds() == other._bounds()
        )

    def __hash__(self) -> int:
        return hash((self._type, self._bounds()))

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self._name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )


class NoneTensorSpec(TypeSpec):
    """The type of None, where a structure of specs has a place for it.

    >>> import graphwright as tf
    >>> spec = tf.NoneTensorSpec()
    >>> spec, spec.is_compatible_with(None), spec.is_compatible_with(3)
    (NoneTensorSpec(), True, False)
    """

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """The class of None."""
        return type(None)

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    @property
    def _component_specs(self) -> Any:
        return []

    def _to_components(self, value: object) -> Any:
        return []

    def _from_components(self, components: object) -> None:
        return None

    def _batch(self, batch_size: int | None) -> NoneTensorSpec:
        return self

    def _unbatch(self) -> NoneTensorSpec:
        return self

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Returns whether a value is None, or this spec.

        Args:
            spec_or_value: Any value.

        Returns:
            A bool.
        """
        return spec_or_value is None or type(spec_or_value) is NoneTensorSpec


class NoSpecs:
    """The context of a cast of values."""

    allow_specs = False


def type_spec_from_value(value: object) -> TypeSpec:
    """Returns the spec that describes a value.

    Args:
        value: A tensor, a composite such as `tf.RaggedTensor`, or what converts to a tensor.

    Returns:
        A `tf.TypeSpec`: for a tensor, a `tf.TensorSpec`.

    Raises:
        TypeError: The value does not convert to a tensor.

    >>> import graphwright as tf
    >>> tf.type_spec_from_value([[1.0], [2.0]])
    TensorSpec(shape=(2, 1), dtype=tf.float32, name=None)
    """
    runtime = _Installed.runtime
    if isinstance(value, runtime.tensor_class):
        return TensorSpec.from_type(value.type)
    spec = getattr(value, "__graphwright_spec__", None)
    if isinstance(spec, TypeSpec) and spec is not value:
        return spec
    if not isinstance(value, TypeSpec):
        try:
            argument: Any = value
            return TensorSpec.from_type(runtime.convert(argument, None).type)
        except (TypeError, ValueError):
            pass  # the error below names the value
    raise TypeError(f"no TypeSpec describes {value!r} ({type(value).__name__})")
