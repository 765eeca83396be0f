"""Datasets of random numbers, and of random choices among datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.data.dataset_value import DatasetValue, int64, make
from graphwright.data.element_type import ElementType
from graphwright.data.stages.source_stages import RandomStage
from graphwright.ops.core.movement import reshape
from graphwright.ops.math.transcendental import log
from graphwright.ops.random.seeds import seeds_for
from graphwright.ops.random.stateless_random import stateless_categorical
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.specs import TensorSpec
from graphwright.values.convert import convert
from graphwright.values.tensor import Tensor


def random_numbers(seed: TensorLike | None, rerandomize: bool | None) -> Any:
    """A dataset of random 32-bit numbers, as int64 scalars, without an end."""
    pair = [int64(number) for number in seeds_for(seed)]
    element = ElementType(TensorSpec([], dt.int64))
    return make(RandomStage, element, [], pair, is_fixed=not rerandomize)


def weighted(
    datasets: Sequence[DatasetValue],
    weights: Sequence[float] | Tensor | DatasetValue | None,
) -> tuple[Sequence[DatasetValue], TensorValue | DatasetValue]:
    """The datasets that can be chosen, and their weights."""
    if weights is None:
        return datasets, convert([1.0 / len(datasets)] * len(datasets))
    if isinstance(weights, DatasetValue):
        return datasets, weights
    values: Any = weights
    if len(values) != len(datasets):
        raise ValueError(
            "Invalid `weights`. `weights` should have the same length as `datasets` but got "
            f"`len(weights)={len(values)}` vs. `len(datasets)={len(datasets)}`."
        )
    if not isinstance(values, Tensor):  # a dataset that is never chosen never ends the result
        possible = [(d, w) for d, w in zip(datasets, values) if w > 0]
        datasets, values = [d for d, _ in possible], [w for _, w in possible]
    tensor = convert(values)
    if tensor.dtype not in (dt.float32, dt.float64):
        raise TypeError(
            "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is "
            f"{tensor.dtype}."
        )
    return datasets, tensor


def choices(
    weights: TensorValue | DatasetValue, seed: TensorLike | None, rerandomize: bool | None
) -> Any:
    """A dataset of the numbers of datasets, drawn with these weights."""
    pairs = random_numbers(seed, rerandomize).batch(2)
    if isinstance(weights, DatasetValue):
        dataset: Any = weights
        return dataset.zip(dataset.map(log), pairs).map(drawn)
    logits = log(weights)
    return pairs.map(lambda pair: drawn(logits, pair))


def drawn(logits: TensorValue, pair: TensorValue) -> Any:
    """A number drawn by the logarithms of weights and a pair of seeds."""
    return reshape(stateless_categorical(reshape(logits, [1, -1]), 1, pair), [])
