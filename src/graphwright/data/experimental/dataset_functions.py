"""Functions that take datasets, iterators and lists, and are no methods of datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.data.dataset import Dataset
from graphwright.data.dataset_ops import ElementAtIndex
from graphwright.data.dataset_value import DatasetValue, int64, make
from graphwright.data.element_function import DebugMode
from graphwright.data.element_type import ElementType, normalized
from graphwright.data.iterator import Iterator
from graphwright.data.optional import Optional
from graphwright.data.stages.fixed_stage import ListStage
from graphwright.op.interpreter import apply
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import DTypeLike, TensorLike
from graphwright.values.tensor import Tensor


def Counter(start: TensorLike = 0, step: TensorLike = 1, dtype: DTypeLike = dt.int64) -> Dataset:
    """Returns `start`, `start + step` and so on, without an end.

    Args:
        start: A number.
        step: A number.
        dtype: The dtype of the elements.

    Returns:
        A dataset of numbers.

    >>> import graphwright as tf
    >>> [int(x) for x in tf.data.experimental.Counter(5, 2).take(3)]
    [5, 7, 9]
    """
    result: Dataset = Dataset.counter(start, step, dtype)
    return result


def at(dataset: DatasetValue, index: TensorLike) -> Any:
    """Returns the element of a dataset with a number, without those before it.

    Args:
        dataset: A `tf.data.Dataset` of stages that allow it: slices, ranges, lists, and what `map`,
            `batch`, `zip`, `concatenate`, `take`, `skip`, `shard`, `repeat`, `shuffle`, `cache` and
            `prefetch` make of them. A shuffled dataset has an order of its own for this.
        index: An int64 scalar.

    Returns:
        Tensors and composites in the structure of `element_spec`.

    Raises:
        OutOfRangeError: There is no such element.
        FailedPreconditionError: The dataset has no end, or its cardinality is not known.
        UnimplementedError: A stage does not allow it.

    >>> import graphwright as tf
    >>> int(tf.data.experimental.at(tf.data.Dataset.range(10).map(lambda x: x * x), 7))
    49
    """
    element = dataset._type
    return element.pack(apply(ElementAtIndex(element), dataset._variant, int64(index)) or ())


def from_list(elements: Sequence[object], name: str | None = None) -> Dataset:
    """Returns the elements of a list.

    Args:
        elements: A list of structures of tensors and of what converts to them. They may differ in
            their shapes.
        name: Accepted for TensorFlow's signature and not used.

    Returns:
        A dataset of the elements.

    Raises:
        ValueError: There are no elements, it is no list, or the structures differ.
        TypeError: The dtypes of elements differ.

    >>> import graphwright as tf
    >>> dataset = tf.data.experimental.from_list([(1, "a"), (2, "b")])
    >>> [(int(number), letter.numpy()) for number, letter in dataset]
    [(1, b'a'), (2, b'b')]
    """
    if not isinstance(elements, list):
        raise ValueError("Invalid `elements`. `elements` must be a list.")
    if not elements:
        raise ValueError(
            "Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use "
            "`tf.data.Dataset.range(0)`."
        )
    rows = [normalized(element) for element in elements]
    type_ = ElementType.of(rows[0])
    for row in rows[1:]:
        other = ElementType.of(row)
        tree.assert_same_structure(type_.specs, other.specs)
        joined = type_.joined(other)
        if joined is None:
            raise TypeError(
                f"the elements of a list are of one dtype each: {type_.specs} vs. {other.specs}"
            )
        type_ = joined
    tensors = [tensor for row in rows for tensor in type_.flatten(row)]
    result: Dataset = make(ListStage, type_, [], tensors, width=len(type_.types))
    return result


def enable_debug_mode() -> None:
    """Lets the functions of datasets that are made from now on run eagerly, element by element.

    So a debugger stops in them, and `print` shows values. Datasets among the elements are passed by
    as before.

    Raises:
        ValueError: A function is being traced.

    >>> import graphwright as tf
    >>> tf.data.experimental.enable_debug_mode()  # doctest: +SKIP
    """
    if current_tracer() is not None:
        raise ValueError(
            "`tf.data.experimental.enable_debug_mode()` is only supported in eager mode."
        )
    DebugMode.is_on = True


def cardinality(dataset: Dataset) -> Tensor:
    """Returns the number of elements of a dataset.

    Args:
        dataset: A `tf.data.Dataset`.

    Returns:
        An int64 scalar: -1 (`INFINITE_CARDINALITY`) where there is no end, and -2
        (`UNKNOWN_CARDINALITY`) where only going through the elements tells.

    >>> import graphwright as tf
    >>> int(tf.data.experimental.cardinality(tf.data.Dataset.range(42).batch(10)))
    5
    """
    result: Tensor = dataset.cardinality()
    return result


def choose_from_datasets(
    datasets: Sequence[DatasetValue],
    choice_dataset: DatasetValue,
    stop_on_empty_dataset: bool = False,
) -> Dataset:
    """Returns elements of several datasets, chosen by numbers from another one.

    Args:
        datasets: A list of datasets with elements of one structure and the same dtypes.
        choice_dataset: A dataset of int64 scalars: the places in the list.
        stop_on_empty_dataset: Whether the first choice of a dataset that has ended is the end; else
            it is left out.

    Returns:
        A dataset of the elements.

    >>> import graphwright as tf
    >>> a, choices = tf.data.Dataset.range(3), tf.data.Dataset.range(2).repeat(2)
    >>> chosen = tf.data.experimental.choose_from_datasets([a, a.skip(1)], choices)
    >>> [int(x) for x in chosen]
    [0, 1, 1, 2]
    """
    result: Dataset = Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)
    return result


def sample_from_datasets(
    datasets: Sequence[DatasetValue],
    weights: Sequence[float] | Tensor | DatasetValue | None = None,
    seed: TensorLike | None = None,
    stop_on_empty_dataset: bool = False,
) -> Dataset:
    """Returns elements of several datasets, chosen at random.

    Args:
        datasets: A list of datasets with elements of one structure and the same dtypes.
        weights: A list or a float tensor: how likely each is chosen, the same for all unless it is
            said; or a dataset of such tensors.
        seed: An int, with which the order is that of TensorFlow; see `tf.random.set_seed`.
        stop_on_empty_dataset: Whether the first choice of a dataset that has ended is the end; else
            it is left out.

    Returns:
        A dataset of the elements.

    >>> import graphwright as tf
    >>> a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
    >>> sorted([int(x) for x in tf.data.experimental.sample_from_datasets([a, b], seed=2)])
    [0, 1, 2, 10, 11, 12]
    """
    result: Dataset = Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)
    return result


def get_next_as_optional(iterator: Iterator) -> Optional:
    """Returns the next element of an iterator, or that there is none.

    Args:
        iterator: A `tf.data.Iterator`.

    Returns:
        A `tf.experimental.Optional` of an element.

    >>> import graphwright as tf
    >>> iterator = iter(tf.data.Dataset.range(1))
    >>> int(tf.data.experimental.get_next_as_optional(iterator).get_value())
    0
    >>> bool(tf.data.experimental.get_next_as_optional(iterator).has_value())
    False
    """
    return iterator.get_next_as_optional()


def get_single_element(dataset: Dataset) -> Any:
    """Returns the only element of a dataset.

    Args:
        dataset: A `tf.data.Dataset`.

    Returns:
        Tensors and composites in the structure of `element_spec`.

    >>> import graphwright as tf
    >>> int(tf.data.experimental.get_single_element(tf.data.Dataset.from_tensors(7)))
    7
    """
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: DatasetValue | Iterator) -> Any:
    """Returns the type of the elements of a dataset or an iterator.

    Args:
        dataset_or_iterator: A `tf.data.Dataset` or a `tf.data.Iterator`.

    Returns:
        A structure of type specs.

    Raises:
        TypeError: It is neither.

    >>> import graphwright as tf
    >>> tf.data.experimental.get_structure(tf.data.Dataset.range(3))
    TensorSpec(shape=(), dtype=tf.int64, name=None)
    """
    if not isinstance(dataset_or_iterator, (DatasetValue, Iterator)):
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
            f"tf.data.Iterator object, but got {type(dataset_or_iterator)}."
        )
    return dataset_or_iterator.element_spec


def to_variant(dataset: DatasetValue) -> Tensor:
    """Returns the tensor that a dataset is.

    Args:
        dataset: A `tf.data.Dataset`.

    Returns:
        A scalar of dtype variant.

    >>> import graphwright as tf
    >>> tf.data.experimental.to_variant(tf.data.Dataset.range(3)).dtype
    tf.variant
    """
    return dataset._variant


def from_variant(variant: Tensor, structure: object) -> Dataset:
    """Returns the dataset that a tensor is.

    Args:
        variant: A scalar of dtype variant, as `tf.data.experimental.to_variant` gives it.
        structure: A structure of type specs, of an element.

    Returns:
        A dataset.

    >>> import graphwright as tf
    >>> variant = tf.data.experimental.to_variant(tf.data.Dataset.range(3))
    >>> dataset = tf.data.experimental.from_variant(variant, tf.TensorSpec([], tf.int64))
    >>> [int(x) for x in dataset]
    [0, 1, 2]
    """
    result: Dataset = DatasetValue.of(variant, ElementType(structure))
    return result
