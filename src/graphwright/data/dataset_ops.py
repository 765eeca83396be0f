"""Datasets and iterators as values of graphs: the ops of loops, and those about whole datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.named_tuples import NamedTuple
from graphwright.data.element_function import ElementFunction
from graphwright.data.element_type import ElementType, with_rows
from graphwright.data.handles import ElementOp
from graphwright.data.optional import OptionalRow
from graphwright.data.reader import Reader
from graphwright.data.stage import DatasetStage, iterating
from graphwright.op.late_imports import late_module
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType, VariantValue


class BeginIteration(Op):
    """A new iterator for a loop over a dataset, and true: the loop has to look for an element."""

    type_name = "_BeginIteration"
    inputs = ("dataset: variant",)
    behind = DatasetStage
    outputs = ("iterator: variant", "begun: bool")
    effect = Effect.WRITE
    pure = False
    gradient = not_differentiable

    def shapes(self, dataset: TensorType) -> Shapes:
        return ((), ())

    def kernel(self, stage: DatasetStage) -> tuple[Reader, Array]:
        return Reader(stage), np.array(True)


class NextElement(Op):
    """Whether an iterator has another element, and its tensors; without one, zeros."""

    type_name = "_NextElement"
    inputs = ("iterator: variant",)
    behind = Reader
    outputs = ("has_value: bool", "components: Tout...")
    effect = Effect.WRITE
    pure = False
    returns_tuple = True
    gradient = not_differentiable

    element: ElementType

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return (dt.bool_, *[type_.dtype for type_ in self.element.types])

    def infer(self, operands: Sequence[object]) -> tuple[TensorType, ...]:
        return (TensorType(dt.bool_, ()), *self.element.types)

    def kernel(self, reader: Reader) -> tuple[Any, ...]:
        row = reader.row()
        if row is None:
            return (np.array(False), *map(absent, self.element.types))
        return (np.array(True), *row)


class NextOptional(Op):
    """The next element of an iterator, or none."""

    type_name = "_IteratorGetNextAsOptional"
    inputs = ("iterator: variant",)
    behind = Reader
    outputs = ("optional: variant",)
    effect = Effect.WRITE
    pure = False
    gradient = not_differentiable

    def shapes(self, iterator: TensorType) -> Shapes:
        return ((),)

    def kernel(self, reader: Reader) -> OptionalRow:
        return OptionalRow(reader.row())


class NextBlock(Op):
    """The next elements of an iterator that only a loop reads: their number and their columns.

    At the end the number is 0, and the columns have a row that nobody reads. Elements of different
    shapes come one by one.
    """

    type_name = "_NextBlock"
    inputs = ("iterator: variant",)
    behind = Reader
    outputs = ("count: int32", "columns: Tout...")
    effect = Effect.WRITE
    pure = False
    returns_tuple = True
    gradient = not_differentiable

    element: ElementType

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return (dt.int32, *[type_.dtype for type_ in self.element.types])

    def infer(self, operands: Sequence[object]) -> tuple[TensorType, ...]:
        return (TensorType(dt.int32, ()), *map(with_rows, self.element.types))

    def kernel(self, reader: Reader) -> tuple[Any, ...]:
        block = reader.dense_block()
        if block is None:
            # One row is never read: machine code for the rows takes no column without any.
            return (np.array(0, np.int32), *[absent(t)[None] for t in self.element.types])
        return (np.array(block.count, np.int32), *block.columns)


class AbsentElement(ElementOp):
    """Tensors of an element that is never read."""

    type_name = "_AbsentElement"

    def kernel(self) -> tuple[Any, ...]:
        return tuple(map(absent, self.element.types))


class SingleElement(ElementOp):
    """The only element of a dataset."""

    type_name = "_DatasetToSingleElement"
    inputs = ("dataset: variant",)
    behind = DatasetStage
    effect = Effect.WRITE
    pure = False

    def kernel(self, stage: DatasetStage) -> tuple[Any, ...]:
        reader = Reader(stage)
        row = reader.row()
        if row is None:
            raise InvalidArgumentError(None, None, "Dataset was empty.")
        if reader.row() is not None:
            raise InvalidArgumentError(None, None, "Dataset had more than one element.")
        reader.close()
        return tuple(row)


class StateFunction(NamedTuple):
    """A function of a state and an element, and the type of the state."""

    function: ElementFunction
    state: ElementType


class ReduceDataset(Op):
    """The state after a function of the state and each element in turn."""

    type_name = "_ReduceDataset"
    inputs = ("dataset: variant", "operands: Tin...")
    outputs = ("components: Tout...",)
    effect = Effect.WRITE
    pure = False
    returns_tuple = True
    gradient = not_differentiable

    reduction: StateFunction

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return tuple([type_.dtype for type_ in self.reduction.state.types])

    def infer(self, operands: Sequence[object]) -> tuple[TensorType, ...]:
        return tuple(self.reduction.state.types)

    def kernel(self, stage: DatasetStage, *operands: Any) -> tuple[Any, ...]:
        width = len(self.reduction.state.types)
        state, captured = list(operands[:width]), operands[width:]
        function = self.reduction.function.bound(captured)
        reader = Reader(stage)
        while (block := reader.rest()) is not None:
            with iterating(reader.iteration):
                state, _ = function.step(state, block)
        reader.close()
        return tuple(state)

    def __hash__(self) -> int:
        return id(self.reduction)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReduceDataset) and self.reduction is other.reduction


class TakeAll(Op):
    """Takes all elements of a dataset, for what that does."""

    type_name = "_TakeAll"
    inputs = ("dataset: variant",)
    behind = DatasetStage
    effect = Effect.WRITE
    pure = False
    gradient = not_differentiable

    def shapes(self, dataset: TensorType) -> Shapes:
        return ()

    def kernel(self, stage: DatasetStage) -> None:
        reader = Reader(stage)
        try:
            while reader.rest() is not None:
                pass
        finally:
            reader.close()


class Cardinality(Op):
    """The number of elements of a dataset; -1 for no end, -2 where it is unknown."""

    type_name = "_DatasetCardinality"
    inputs = ("dataset: variant",)
    behind = DatasetStage
    outputs = ("cardinality: int64",)
    gradient = not_differentiable

    def shapes(self, dataset: TensorType) -> Shapes:
        return ((),)

    def kernel(self, stage: DatasetStage) -> Array:
        return np.array(stage.cardinality(), np.int64)


class DatasetFingerprint(Op):
    """A number that differs for datasets that are made otherwise."""

    type_name = "_DatasetFingerprint"
    inputs = ("dataset: variant",)
    behind = DatasetStage
    outputs = ("fingerprint: uint64",)
    gradient = not_differentiable

    def shapes(self, dataset: TensorType) -> Shapes:
        return ((),)

    def kernel(self, stage: DatasetStage) -> Array:
        fingerprints: Any = late_module("graphwright.data.fingerprints")
        return np.array(fingerprints.fingerprint_number(stage), np.uint64)


class ElementAtIndex(ElementOp):
    """The tensors of the element of a dataset with a number."""

    type_name = "_GetElementAtIndex"
    inputs = ("dataset: variant", "index: int64")
    effect = Effect.WRITE
    pure = False

    def kernel(self, stage: DatasetStage, index: Array) -> tuple[Any, ...]:
        if index.ndim:
            raise InvalidArgumentError(None, None, "index must be a scalar")
        access: Any = late_module("graphwright.data.random_access")
        return tuple(access.element_at(stage, int(index)))


def absent(type_: TensorType) -> Any:
    """A value that is never read, as small as its type allows."""
    if type_.dtype is dt.variant:
        return Nothing()
    dims = () if type_.dims is None else type_.dims
    shape = [0 if size is None else size for size in dims]
    if type_.dtype is dt.string:
        return np.full(shape, b"", object)
    return np.zeros(shape, type_.dtype.as_numpy_dtype)


class Nothing(VariantValue):
    """A value of dtype variant in place of an element."""
