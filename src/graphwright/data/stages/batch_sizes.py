"""The number of rows in the batches of a dataset, for those who share them out."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.data.dataset_value import DatasetValue
from graphwright.data.stage import UNKNOWN, DatasetStage
from graphwright.data.stages.batch_stages import BatchStage
from graphwright.types.specs import TensorSpec
from graphwright.types.tree import flatten
from graphwright.values.convert import convert

#: The kinds of stages that hand on the batches of the stages before them as they are.
_PASSING = frozenset(
    {"AssertCardinalityDataset", "CacheDataset", "ConcatenateDataset", "FilterDataset"}
    | {"OptionsDataset", "PrefetchDataset", "RepeatDataset", "ShardDataset", "ShuffleDataset"}
    | {"ShuffleAndRepeatDataset", "SkipDataset", "TakeDataset", "ZipDataset"}
)


def compute_batch_size(dataset: DatasetValue) -> Any:
    """The number of rows in a batch as a tensor of int64; -1 where it is not known."""
    specs = flatten(dataset.element_spec)
    sizes = {
        spec.shape[0] if isinstance(spec, TensorSpec) and spec.shape.rank else None
        for spec in specs
    }
    size = rows_of_batch(dataset._stage) if None in sizes else common(sizes)
    return convert(np.int64(max(size, -1)))


def rows_of_batch(stage: DatasetStage) -> int:
    """The rows that a stage's batches have, but for the last one; UNKNOWN where that differs."""
    if isinstance(stage, BatchStage):
        return stage.size
    if stage.type_name not in _PASSING:
        return UNKNOWN
    return common({rows_of_batch(before) for before in stage.inputs})


def common(sizes: set[Any]) -> int:
    """The only one of several sizes, or UNKNOWN."""
    return int(sizes.pop()) if len(sizes) == 1 else UNKNOWN
