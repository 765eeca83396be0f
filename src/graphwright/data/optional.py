"""`tf.experimental.Optional`: an element, or none."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.blocks import Row
from graphwright.data.element_type import ElementType, normalized
from graphwright.data.handles import ElementHandle, ElementHandleSpec, ElementOp
from graphwright.op.interpreter import apply
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.types.arrays import Array
from graphwright.types.specs import NoneTensorSpec
from graphwright.types.tensor_type import TensorType, VariantValue


class OptionalRow(VariantValue):
    """The arrays of an element, or None: a value of dtype variant."""

    def __init__(self, row: Row | None) -> None:
        self.row = row


class OptionalFromValue(Op):
    """An optional that has a value."""

    type_name = "_OptionalFromValue"
    inputs = ("components: Tin...",)
    outputs = ("optional: variant",)
    gradient = not_differentiable

    def shapes(self, *components: TensorType) -> Shapes:
        return ((),)

    def kernel(self, *components: Any) -> OptionalRow:
        return OptionalRow(list(components))


class OptionalNone(Op):
    """An optional that has none."""

    type_name = "_OptionalNone"
    outputs = ("optional: variant",)
    gradient = not_differentiable

    def shapes(self) -> Shapes:
        return ((),)

    def kernel(self) -> OptionalRow:
        return OptionalRow(None)


class OptionalHasValue(Op):
    """Whether an optional has a value."""

    type_name = "_OptionalHasValue"
    inputs = ("optional: variant",)
    behind = OptionalRow
    outputs = ("has_value: bool",)
    gradient = not_differentiable

    def shapes(self, optional: TensorType) -> Shapes:
        return ((),)

    def kernel(self, optional: OptionalRow) -> Array:
        return np.array(optional.row is not None)


_HAS_VALUE = OptionalHasValue()


class OptionalGetValue(ElementOp):
    """The value of an optional that has one."""

    type_name = "_OptionalGetValue"
    inputs = ("optional: variant",)
    behind = OptionalRow

    def kernel(self, optional: OptionalRow) -> tuple[Any, ...]:
        if optional.row is None:
            raise InvalidArgumentError(
                None, None, "The given optional does not have a value. [Op:OptionalGetValue]"
            )
        return tuple(optional.row)


class OptionalSpec(ElementHandleSpec):
    """The type of optionals of elements of one type.

    Args:
        element_spec: A structure of type specs, of the value.

    >>> import graphwright as tf
    >>> tf.OptionalSpec.from_value(tf.experimental.Optional.from_value(1))
    OptionalSpec(TensorSpec(shape=(), dtype=tf.int32, name=None),)
    """

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """`tf.experimental.Optional`."""
        return Optional


class Optional(ElementHandle):
    """An element, or none: the result of `get_next_as_optional` of an iterator.

    >>> import graphwright as tf
    >>> iterator = iter(tf.data.Dataset.range(1))
    >>> optional = iterator.get_next_as_optional()
    >>> bool(optional.has_value()), int(optional.get_value())
    (True, 0)
    >>> bool(iterator.get_next_as_optional().has_value())
    False
    """

    @staticmethod
    def from_value(value: object) -> Optional:
        """Returns an optional that has a value.

        Args:
            value: A structure of tensors, or of values that convert to tensors.

        Returns:
            An optional.
        """
        element = normalized(value)
        type_ = ElementType.of(element)
        return Optional._of(apply(OptionalFromValue(), *type_.flatten(element)), type_)

    @staticmethod
    def empty(element_spec: object) -> Optional:
        """Returns an optional without a value.

        Args:
            element_spec: A structure of type specs, of the value that it could have. None stands
                for the type of None.

        Returns:
            An optional.
        """
        specs = NoneTensorSpec() if element_spec is None else element_spec
        return Optional._of(apply(OptionalNone()), ElementType(specs))

    def has_value(self, name: str | None = None) -> Any:
        """Returns whether there is a value.

        Args:
            name: A name for the op.

        Returns:
            A bool scalar.
        """
        return apply(_HAS_VALUE, self._handle, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """Returns the value.

        Args:
            name: A name for the op.

        Returns:
            Tensors and composites in the structure of `element_spec`.

        Raises:
            InvalidArgumentError: There is none.
        """
        op = self._type.op(OptionalGetValue)
        return self._type.pack(apply(op, self._handle, name=name) or ())

    @property
    def __graphwright_spec__(self) -> OptionalSpec:
        return OptionalSpec(self.element_spec)

    def __repr__(self) -> str:
        return f"<tf.experimental.Optional element_spec={self.element_spec!r}>"
