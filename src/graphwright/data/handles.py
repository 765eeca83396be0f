"""The bases of iterators and optionals: a tensor of dtype variant, a type of elements, and ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from graphwright.data.element_type import ElementType
from graphwright.op.op import Op, not_differentiable
from graphwright.types import dtypes as dt
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType
from graphwright.types.specs import NoneTensorSpec, TensorSpec
from graphwright.types.tensor_type import TensorType
from graphwright.types.type_spec import TypeSpec
from graphwright.values.tensor import EagerTensor, Tensor

Handle = TypeVar("Handle", bound="ElementHandle")


class ElementHandle(Composite):
    """The base of values that have elements of one type."""

    #: It has elements, and is no tensor itself.
    _is_native = False
    _handle: Tensor
    _type: ElementType

    @classmethod
    def _of(cls: type[Handle], handle: Tensor, element: ElementType) -> Handle:
        made = cls.__new__(cls)
        made._handle, made._type = handle, element
        return made

    def _sign(self) -> tuple[Any, list[Any]] | None:
        handle = self._handle
        return (self._type.key, [handle]) if type(handle) is EagerTensor else None

    @property
    def element_spec(self) -> Any:
        """The structure of type specs of an element."""
        return self._type.specs

    @property
    def _element_spec(self) -> Any:
        """`element_spec`, by the name under which libraries set it."""
        return self._type.specs

    @_element_spec.setter
    def _element_spec(self, specs: object) -> None:
        self._type = ElementType(specs)


class ElementHandleSpec(TypeSpec):
    """The base of the types of such values."""

    __slots__ = ("_element", "_element_spec")
    _element: ElementType

    def __init__(self, element_spec: object) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """The structure of type specs of an element."""
        return self._element_spec

    @classmethod
    def from_value(cls, value: ElementHandle) -> Any:
        """The type of a value.

        Args:
            value: An object of `value_type`.

        Returns:
            A spec of this class.
        """
        return cls(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> Any:
        return TensorSpec([], dt.variant)

    def _to_components(self, value: ElementHandle) -> Tensor:
        return value._handle

    def _from_components(self, components: Tensor) -> Any:
        kind: Any = self.value_type
        try:
            element = self._element
        except AttributeError:
            specs = NoneTensorSpec() if self._element_spec is None else self._element_spec
            element = self._element = ElementType(specs)
        return kind._of(components, element)


class ElementOp(Op):
    """The base of ops whose results are the tensors of an element."""

    outputs = ("components: Tout...",)
    returns_tuple = True
    gradient = not_differentiable

    element: ElementType

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return tuple([type_.dtype for type_ in self.element.types])

    def infer(self, operands: Sequence[object]) -> tuple[TensorType, ...]:
        return tuple(self.element.types)
