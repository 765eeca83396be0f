"""Elements that are there already, such as those of a window."""

from __future__ import annotations

from typing import Any

from graphwright.base.errors import UnimplementedError
from graphwright.data.blocks import ElementBlock
from graphwright.data.element_type import ElementType
from graphwright.data.stage import Cursor, DatasetStage, State
from graphwright.ragged.spec import RaggedTensorSpec
from graphwright.types.dtypes import as_dtype
from graphwright.types.shape import TensorShape
from graphwright.types.specs import NoneTensorSpec, TensorSpec
from graphwright.types.type_spec import TypeSpec
from graphwright.values.sparse.sparse_tensor import SparseTensorSpec

#: Specs that are saved by the arguments that make them, which are shapes, dtypes and numbers.
_SPECS: dict[str, type[TypeSpec]] = {
    kind.__name__: kind for kind in (NoneTensorSpec, RaggedTensorSpec, SparseTensorSpec, TensorSpec)
}


class FixedStage(DatasetStage):
    """Elements that are there already."""

    type_name = "VariantDataset"

    def __init__(self, element: ElementType, block: ElementBlock) -> None:
        super().__init__(element)
        self.block = block

    def saved(self) -> list[Any]:
        """The elements and their type as plain values; UnimplementedError for other types."""
        return [self.block.saved(), [saved_spec(leaf) for leaf in self.element.leaves]]

    @classmethod
    def restored(cls, state: list[Any]) -> FixedStage:
        """The stage that `saved` described."""
        block, (spec,) = state
        return cls(ElementType(restored_spec(spec)), ElementBlock.restored(block))

    def cardinality(self) -> int:
        return self.block.count

    def start(self) -> Cursor:
        return FixedCursor(self)


class FixedCursor(Cursor):
    """A place among elements that are there."""

    def __init__(self, stage: FixedStage) -> None:
        self.block = stage.block
        self.place = 0

    def pull(self, limit: int) -> ElementBlock | None:
        start = self.place
        if start == self.block.count:
            return None
        self.place = min(start + limit, self.block.count)
        return self.block.part(start, self.place)

    def save(self) -> State:
        return self.place

    def restore(self, state: State) -> None:
        self.place = state


def saved_spec(spec: TypeSpec) -> list[Any]:
    """A spec as plain values."""
    name = type(spec).__name__
    if _SPECS.get(name) is not type(spec):
        raise UnimplementedError(None, None, f"a window of {spec!r} cannot be saved")
    arguments: list[Any] = []
    for part in (
        (spec.shape, spec.dtype, None) if isinstance(spec, TensorSpec) else spec._serialize()
    ):
        if isinstance(part, TensorShape):
            arguments.append(["shape", None if part.rank is None else part.as_list()])
        elif part is None or isinstance(part, int):
            arguments.append(["plain", part])
        else:
            arguments.append(["dtype", as_dtype(part).name])
    return [name, arguments]


def restored_spec(state: list[Any]) -> TypeSpec:
    """The spec that `saved_spec` described."""
    name, arguments = state
    makers: dict[str, Any] = {"shape": TensorShape, "dtype": as_dtype, "plain": lambda value: value}
    kind: Any = _SPECS[name]
    spec: TypeSpec = kind(*[makers[what](value) for what, value in arguments])
    return spec
