"""The stages that one of several workers goes through, by the policy that a program states."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.experimental.option_choices import AutoShardPolicy
from graphwright.data.random_words import SeedGenerator
from graphwright.data.stage import SHARD_HINT, DatasetStage
from graphwright.data.stages.batch_stages import BatchStage
from graphwright.data.stages.buffer_stages import PrefetchStage
from graphwright.data.stages.combine_stages import FlatMapStage
from graphwright.data.stages.guard_stages import OptionsStage
from graphwright.data.stages.interleave_stages import InterleaveStage
from graphwright.data.stages.map_stages import MapStage
from graphwright.data.stages.select_stages import RepeatStage, ShardStage
from graphwright.data.stages.shuffle_stages import ShuffleStage
from graphwright.types import dtypes as dt

#: Stages through which names of files go, each once in a round.
_PASSING = (ShuffleStage, RepeatStage, OptionsStage, PrefetchStage, MapStage)


def own_stage(
    stage: DatasetStage, policy: AutoShardPolicy, workers: int, index: int
) -> DatasetStage:
    """The stage of one worker, by a policy that gives each worker elements of its own.

    Args:
        stage: The last stage of a dataset.
        policy: FILE, HINT or OFF.
        workers: The number of workers.
        index: The number of this one.

    Raises:
        InvalidArgumentError: There is nothing that the policy could divide.
    """
    if policy is AutoShardPolicy.OFF:
        return stage
    by_file = policy is AutoShardPolicy.FILE
    divided = with_own_files(stage, workers, index) if by_file else hinted(stage, workers, index)
    if divided is None:
        lacking = (
            "its elements are read from no files that a dataset names"
            if by_file
            else "it has no `shard(tf.data.experimental.SHARD_HINT, ...)`"
        )
        raise InvalidArgumentError(
            None, None,
            f"The dataset cannot be divided by AutoShardPolicy.{policy.name}: {lacking}. "
            "AutoShardPolicy.DATA divides any dataset.",
        )  # fmt: skip
    return divided


def with_own_files(stage: DatasetStage, workers: int, index: int) -> DatasetStage | None:
    """The stage, which reads one of every so many files; None if it reads none."""
    if isinstance(stage, (FlatMapStage, InterleaveStage)) and are_names(stage.inputs[0]):
        divided: DatasetStage = stage.behind(own_names(stage.inputs[0], workers, index))
        return divided
    inputs = [with_own_files(each, workers, index) for each in stage.inputs]
    divided_inputs = [each for each in inputs if each is not None]
    if not inputs or len(divided_inputs) < len(inputs):
        return None
    changed: DatasetStage = stage.behind(*divided_inputs)
    return changed


def are_names(stage: DatasetStage) -> bool:
    """Whether the elements may be names of files: each is a text."""
    types = stage.element.types
    return len(types) == 1 and types[0].dtype is dt.string and types[0].dims in ((), None)


def own_names(names: DatasetStage, workers: int, index: int) -> DatasetStage:
    """One of every so many names, chosen before a shuffle: workers shuffle in other orders."""
    if isinstance(names, _PASSING) and are_names(names.inputs[0]):
        behind: DatasetStage = names.behind(own_names(names.inputs[0], workers, index))
        return behind
    count = names.cardinality()
    if 0 <= count < workers:
        raise InvalidArgumentError(
            None, None,
            f"AutoShardPolicy.FILE gives each of {workers} workers files of its own, and there are "
            f"{count}. AutoShardPolicy.DATA divides the elements.",
        )  # fmt: skip
    return ShardStage(names.element, names, np.int64(workers), np.int64(index))


def hinted(stage: DatasetStage, workers: int, index: int) -> DatasetStage | None:
    """The stage with real numbers in place of `SHARD_HINT`; None if there is no hint."""
    if isinstance(stage, ShardStage) and stage.count == SHARD_HINT:
        return ShardStage(stage.element, stage.inputs[0], np.int64(workers), np.int64(index))
    inputs = [hinted(each, workers, index) for each in stage.inputs]
    if all(each is None for each in inputs):
        return None
    changed: DatasetStage = stage.behind(*[a or b for a, b in zip(inputs, stage.inputs)])
    return changed


def rows_of_worker(stage: DatasetStage, workers: int, index: int) -> int:
    """The rows that a worker takes in each step, so that all take a batch of the dataset together.

    Raises:
        InvalidArgumentError: There is no batch, or it has fewer rows than there are workers.
    """
    batch = stage
    while not isinstance(batch, BatchStage):
        if len(batch.inputs) != 1:
            raise InvalidArgumentError(
                None, None,
                "A dataset is divided among workers by its batches, and it has none: batch it "
                "before, as in dataset.batch(global_batch_size).",
            )  # fmt: skip
        batch = batch.inputs[0]
    if batch.size < workers:
        raise InvalidArgumentError(
            None, None,
            f"A batch of {batch.size} rows is too small for {workers} workers, each of which takes "
            f"rows of its own. The batch of a dataset is that of all workers.",
        )  # fmt: skip
    return batch.size // workers + (index < batch.size % workers)


def seed_generators(stage: DatasetStage) -> dict[SeedGenerator, None]:
    """What draws the seeds of shuffles and the like, in an order that equal datasets share."""
    result = {v: None for v in vars(stage).values() if isinstance(v, SeedGenerator)}
    for each in stage.inputs:
        result |= seed_generators(each)
    return result


def with_generators(
    stage: DatasetStage, new: Mapping[SeedGenerator, SeedGenerator]
) -> DatasetStage:
    """The stage with other generators of seeds, before its first round."""
    made: DatasetStage = stage.behind(*[with_generators(each, new) for each in stage.inputs])
    for name, value in vars(made).items():
        if isinstance(value, SeedGenerator):
            setattr(made, name, new[value])
    return made
