"""`WeakTensor`: a tensor of a weak dtype, which adapts to other operands' dtypes.

It is a composite of one tensor, so arguments, results and gradients of functions stay weak. Where a
tensor is needed it converts to the plain one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from graphwright.control.map import MappedTensors
from graphwright.control.tensor_array import TensorArray
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec, TypeSpec
from graphwright.types.type_spec import SAVED_SPECS
from graphwright.values.convert import convert, register_conversion
from graphwright.values.tensor import EagerTensor, Reference

#: The dtypes of which there are weak tensors.
WEAK_DTYPES = frozenset({dt.int32, dt.int64, dt.float32, dt.float64, dt.complex128})


class WeakTensor(Composite):
    """A tensor whose dtype adapts to the other operand.

    Its operators are those of a promotion mode, which installs them.

    Args:
        tensor: A tensor of int32, int64, float32, float64 or complex128.

    Raises:
        TypeError: There is no weak tensor of the dtype.
    """

    _is_native = True
    __array_priority__ = 100

    def __init__(self, tensor: Tensor) -> None:
        if tensor.dtype not in WEAK_DTYPES:
            raise TypeError(f"There is no WeakTensor of {tensor.dtype.name}.")
        self._tensor = tensor

    @property
    def tensor(self) -> Any:
        """The plain tensor of the same elements and dtype."""
        return self._tensor

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._tensor.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._tensor.shape

    @property
    def __graphwright_spec__(self) -> WeakTensorSpec:
        return WeakTensorSpec(TensorSpec.from_type(self._tensor.type))

    def _sign(self) -> tuple[Any, list[Any]] | None:
        tensor = self._tensor
        if type(tensor) is not EagerTensor:
            return None
        return (tensor.dtype, tensor.type.dims), [tensor]

    @property
    def _differentiable_part(self) -> Any:
        return self._tensor

    def _with_differentiable_part(self, part: TensorValue) -> WeakTensor:
        return WeakTensor(convert(part))

    def _row(self, index: TensorValue) -> Any:
        return WeakTensor(self._tensor[index])

    def _row_count(self) -> Any:
        return self._tensor.shape[0]

    @property
    def _static_row_count(self) -> int | None:
        count = self._tensor.shape[0]
        return None if count is None else int(count)

    def ref(self) -> Reference:
        """Returns a key for this tensor, hashed by identity."""
        return Reference(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name, name=name, obj=self)
        return getattr(self._tensor, name)

    def __hash__(self) -> int:
        return hash(self._tensor)

    def __iter__(self) -> Iterator[Any]:
        return map(WeakTensor, self._tensor)

    def __format__(self, spec: str) -> str:
        return f"{self._tensor:{spec}} weakly typed"

    def __repr__(self) -> str:
        return repr(self._tensor).removesuffix(">") + ", weak=True>"

    def __str__(self) -> str:
        return str(self._tensor).removesuffix(")") + ", weak=True)"


def of_plain(name: str) -> Callable[..., Any]:
    """The special method that hands a call to the plain tensor."""

    def method(self: WeakTensor, *args: object, **kwargs: object) -> Any:
        return getattr(self._tensor, name)(*args, **kwargs)

    method.__name__ = name
    return method


for _name in (
    "__array__",
    "__bool__",
    "__complex__",
    "__dlpack__",
    "__dlpack_device__",
    "__float__",
    "__getitem__",
    "__index__",
    "__int__",
    "__len__",
    "__setitem__",
):
    setattr(WeakTensor, _name, of_plain(_name))


class WeakTensorSpec(TypeSpec):
    """The type of a weak tensor.

    Args:
        tensor: The spec of the plain tensor.
    """

    __slots__ = ("_tensor",)

    def __init__(self, tensor: TensorSpec) -> None:
        self._tensor = tensor

    @property
    def tensor(self) -> TensorSpec:
        """The spec of the plain tensor."""
        return self._tensor

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._tensor.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._tensor.shape

    @property
    def value_type(self) -> type:
        """`WeakTensor`."""
        return WeakTensor

    def _serialize(self) -> tuple[Any, ...]:
        return (("tensor", self._tensor),)  # as an extension type with a field of that name

    @classmethod
    def _deserialize(cls, serialization: Sequence[Any]) -> WeakTensorSpec:
        ((_, tensor),) = serialization
        return cls(tensor)

    @property
    def _component_specs(self) -> Any:
        return self._tensor

    def _to_components(self, value: WeakTensor) -> Any:
        return value.tensor

    def _from_components(self, components: Tensor) -> WeakTensor:
        return WeakTensor(components)

    def _batch(self, batch_size: int | None) -> WeakTensorSpec:
        return WeakTensorSpec(self._tensor._batch(batch_size))

    def _unbatch(self) -> WeakTensorSpec:
        return WeakTensorSpec(self._tensor._unbatch())

    def _of_rows(self) -> WeakTensorSpec:
        return self._unbatch()

    def _items(self) -> WeakItems:
        return WeakItems(self.dtype, self.shape._dims)

    def __repr__(self) -> str:
        return f"WeakTensor.Spec(tensor={self._tensor!r})"


# TensorFlow's models have the first name for arguments, the second for results. Ours have the first
# for both, which TensorFlow takes.
SAVED_SPECS["tf.EagerWeakTensor.Spec"] = WeakTensorSpec
SAVED_SPECS["tf.GraphWeakTensor.Spec"] = WeakTensorSpec


class WeakItems(MappedTensors):
    """Results of `tf.map_fn` that are the rows of a weak tensor."""

    def together(self, arrays: Sequence[TensorArray], length: int | None) -> Any:
        """All results as the rows of a weak tensor."""
        return WeakTensor(super().together(arrays, length))


def plain(value: WeakTensor, dtype: DType | None, name: str | None) -> Any:
    """The conversion of a weak tensor to the plain one; ValueError if it is of another dtype."""
    return convert(value.tensor, dtype, None, name)


register_conversion(WeakTensor, plain)
