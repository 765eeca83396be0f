"""Random numbers as a dataset, and what is drawn with them: datasets in turn, and elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.data.dataset_value import DatasetValue, make
from graphwright.data.element_type import ElementType
from graphwright.data.random_words import seed_numbers
from graphwright.op.late_imports import late_module
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.indicators import one_hot
from graphwright.ops.core.joining import stack
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.repetition import tile
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.core.static import NUMPY, PYTHON, check_whole
from graphwright.ops.math.arithmetic import truediv
from graphwright.ops.math.reduction import reduce_max, reduce_min, reduce_sum
from graphwright.ops.math.transcendental import log
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.specs import TensorSpec
from graphwright.values.convert import convert
from graphwright.values.tensor import EagerTensor, Tensor


def random_numbers(seed: TensorLike | None, rerandomize: bool | None) -> Any:
    """A dataset of random 32-bit numbers, as int64 scalars, without an end."""
    check_whole(seed, "seed", cut=(PYTHON, NUMPY), error=ValueError)
    pair = seed_numbers(seed)
    element = ElementType(TensorSpec([], dt.int64))
    return make("choice_stages:RandomStage", element, [], pair, is_fixed=not rerandomize)


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
    count = weights.shape[0] if isinstance(weights, Tensor) else len(weights)
    if count not in (len(datasets), None):
        raise ValueError(
            "Invalid `weights`. `weights` should have the same length as `datasets` but got "
            f"`len(weights)={count}` vs. `len(datasets)={len(datasets)}`."
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
    element = ElementType(TensorSpec([], dt.int64))
    return make("choice_stages:DrawnNumbersStage", element, [pairs], [log(weights)])


def drawn(logits: TensorValue, pair: TensorValue) -> Any:
    """A number drawn by the logarithms of weights and a pair of seeds."""
    stateless: Any = late_module("graphwright.ops.random.stateless_random")
    return reshape(stateless.stateless_categorical(reshape(logits, [1, -1]), 1, pair), [])


#: So many elements of each class are taken for seen before the first, and so many are counted at
#: once. The numbers are TensorFlow's, and results depend on them.
_SEEN_BEFORE, _COUNTED_AT_ONCE = 10, 32


def resampled(
    dataset: Any,
    class_of: Callable[..., object],
    target: TensorValue,
    initial: TensorValue | None,
    seed: TensorLike | None,
) -> Any:
    """Pairs of a class and an element, among which each class is as frequent as `target` says.

    With the probability `share` an element comes from the dataset as it is. All others come from
    those that are left where each class is accepted with a probability of its own.
    """

    def labelled(*element: Any) -> Any:
        return class_of(*element), element[0] if len(element) == 1 else element

    def with_chance(chance: TensorValue, element: Any) -> Any:
        parts = element if isinstance(element, tuple) else (element,)
        label: Any = class_of(*parts)
        return label, gather(chance, label), element

    stateful: Any = late_module("graphwright.ops.random.stateful_random")

    def is_accepted(_: object, chance: TensorValue, element: object) -> Any:
        return stateful.uniform([], seed=seed, dtype=chance.dtype) < chance

    share = None if initial is None else share_of_all(initial, target)
    if share == 1:
        return dataset.map(labelled)
    zip_of, one = type(dataset).zip, type(dataset).from_tensors
    if initial is None:
        frequencies = estimated(dataset.map(class_of), target)
        pairs = frequencies.map(lambda initial: acceptance(initial, target))
    else:
        pairs = one(acceptance(initial, target)).repeat()
    accepted = zip_of(pairs.map(lambda chance, _: chance), dataset).map(with_chance)
    accepted = accepted.filter(is_accepted).map(lambda label, _, element: (label, element))
    accepted = accepted.prefetch(3)
    if share == 0:
        return accepted
    weights = pairs.map(lambda _, share: stack([share, 1.0 - share]))
    return type(dataset).sample_from_datasets(
        [dataset.map(labelled), accepted], weights, seed, stop_on_empty_dataset=True
    )


def acceptance(initial: TensorValue, target: TensorValue) -> tuple[Any, Any]:
    """The probability to accept each class, and that to take an element as it is."""
    tiny = np.finfo(initial.dtype.as_numpy_dtype).tiny
    ratios = target / (initial + tiny)
    least = reduce_min(ratios)
    return (ratios - least) / (reduce_max(ratios) - least), least


def share_of_all(initial: TensorValue, target: TensorValue) -> float | None:
    """The probability to take an element as it is, where it is known."""
    if not (isinstance(initial, EagerTensor) and isinstance(target, EagerTensor)):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.min(target.numpy() / initial.numpy()))


def estimated(classes: Any, target: TensorValue) -> Any:
    """A dataset of how frequent the classes are, by those that came so far."""
    count = shape_of(target)[0]
    start = fill([count], convert(_SEEN_BEFORE, dt.int64))

    def update(seen: Any, labels: TensorValue) -> Any:
        seen = seen + reduce_sum(one_hot(labels, count, dtype=dt.int64), 0)
        frequencies = cast(truediv(seen, reduce_sum(seen)), dt.float32)
        return seen, tile(frequencies[None], [_COUNTED_AT_ONCE, 1])

    return classes.batch(_COUNTED_AT_ONCE).scan(start, update).unbatch()
