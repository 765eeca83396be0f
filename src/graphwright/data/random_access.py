"""Elements by their numbers: stages that need not go through those before, as in TensorFlow."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from graphwright.base.errors import FailedPreconditionError, OutOfRangeError, UnimplementedError
from graphwright.data.blocks import Row, joined, of_row
from graphwright.data.stage import INFINITE, UNKNOWN, DatasetStage
from graphwright.data.stages.batch_stages import BatchStage, ParallelBatchStage, batched_columns
from graphwright.data.stages.buffer_stages import PrefetchStage
from graphwright.data.stages.cache_stages import MemoryCacheStage
from graphwright.data.stages.combine_stages import ConcatenateStage, ZipStage
from graphwright.data.stages.fixed_stage import FixedStage
from graphwright.data.stages.guard_stages import AssertCardinalityStage
from graphwright.data.stages.map_stages import MapStage
from graphwright.data.stages.padded_stages import PaddedBatchStage, SparseBatchStage
from graphwright.data.stages.select_stages import (
    RepeatStage,
    ShardStage,
    ShuffleAndRepeatStage,
    SkipStage,
    TakeStage,
)
from graphwright.data.stages.sequential_stages import ScanStage
from graphwright.data.stages.shuffle_stages import ShuffleStage
from graphwright.data.stages.source_stages import RangeStage, SlicesStage, TensorsStage


@singledispatch
def element_at(stage: DatasetStage, index: int) -> Row:
    """The arrays of the element with a number; UnimplementedError where only going there tells."""
    raise UnimplementedError(
        None, None, f"Random access is not implemented for dataset {stage.type_name}Op::Dataset"
    )


def check(stage: DatasetStage, index: int) -> None:
    """Raises where a stage has no element with a number, or does not know."""
    count = stage.cardinality()
    if count in (INFINITE, UNKNOWN):
        what = "infinite" if count == INFINITE else "unknown"
        raise FailedPreconditionError(
            None, None,
            f"Dataset of type {stage.type_name}Op::Dataset has {what} cardinality, which does not "
            "support random access.",
        )  # fmt: skip
    if not 0 <= index < count:
        raise OutOfRangeError(None, None, f"Index out of range [0, {count}):{index}")


def refuse(stage: DatasetStage, index: int) -> Row:
    """Refuses a stage whose base allows random access."""
    return element_at.dispatch(DatasetStage)(stage, index)


REFUSED: tuple[type[DatasetStage], ...] = (
    PaddedBatchStage,
    ParallelBatchStage,
    ScanStage,
    ShuffleAndRepeatStage,
    SparseBatchStage,
)
for _kind in REFUSED:
    element_at.register(_kind)(refuse)


@element_at.register
def _(stage: TensorsStage, index: int) -> Row:
    check(stage, index)
    return list(stage.row)


@element_at.register
def _(stage: RangeStage, index: int) -> Row:
    check(stage, index)
    return stage.at(np.array([index])).row(0)


@element_at.register
def _(stage: SlicesStage, index: int) -> Row:
    check(stage, index)
    return stage.at(np.array([index])).row(0)


@element_at.register
def _(stage: FixedStage, index: int) -> Row:
    check(stage, index)
    return stage.block.row(index)


@element_at.register
def _(stage: MapStage, index: int) -> Row:
    return stage.function(element_at(stage.inputs[0], index))


@element_at.register
def _(stage: BatchStage, index: int) -> Row:
    check(stage, index)
    source = stage.inputs[0]
    first = index * stage.size
    last = min(first + stage.size, source.cardinality())
    rows = joined([of_row(element_at(source, i)) for i in range(first, last)])
    return [column[0] for column in batched_columns(stage.row, rows, rows.count)]


@element_at.register
def _(stage: ZipStage, index: int) -> Row:
    check(stage, index)
    return [array for source in stage.inputs for array in element_at(source, index)]


@element_at.register
def _(stage: ConcatenateStage, index: int) -> Row:
    check(stage, index)
    first, second = stage.inputs
    count = first.cardinality()
    return element_at(first, index) if index < count else element_at(second, index - count)


@element_at.register
def _(stage: ShardStage, index: int) -> Row:
    check(stage, index)
    return element_at(stage.inputs[0], index * stage.count + stage.index)


@element_at.register
def _(stage: SkipStage, index: int) -> Row:
    check(stage, index)
    return element_at(stage.inputs[0], index + stage.count)


@element_at.register
def _(stage: RepeatStage, index: int) -> Row:
    check(stage, index)
    source = stage.inputs[0]
    return element_at(source, index % source.cardinality())


@element_at.register
def _(stage: ShuffleStage, index: int) -> Row:
    check(stage, index)
    return element_at(stage.inputs[0], stage.order()[index])


def same(stage: DatasetStage, index: int) -> Row:
    """The element of the stage before it with the same number."""
    check(stage, index)
    return element_at(stage.inputs[0], index)


HANDING_ON: tuple[type[DatasetStage], ...] = (
    AssertCardinalityStage,
    MemoryCacheStage,
    PrefetchStage,
    TakeStage,
)
for _kind in HANDING_ON:
    element_at.register(_kind)(same)
