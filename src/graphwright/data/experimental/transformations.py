"""Functions of a dataset, for `Dataset.apply`, that are methods of datasets by other names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphwright.data.dataset import Dataset
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike

#: What `Dataset.apply` takes.
Transformation = Callable[[Dataset], Any]


def bucket_by_sequence_length(
    element_length_func: Callable[..., object],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: object = None,
    padding_values: object = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """Returns `tf.data.Dataset.bucket_by_sequence_length` as a function of a dataset.

    Args:
        element_length_func: A function of an element, which returns its length, an int32 scalar.
        bucket_boundaries: A list of ints, in rising order: the lengths that divide buckets.
        bucket_batch_sizes: A list of ints: the sizes of batches, one more than boundaries.
        padded_shapes: As in `tf.data.Dataset.padded_batch`.
        padding_values: As in `tf.data.Dataset.padded_batch`.
        pad_to_bucket_boundary: Whether sizes that are not known are padded to the largest length of
            the bucket, and not only to the largest in a batch.
        no_padding: Whether elements are stacked as they are.
        drop_remainder: Whether batches that are not full are left out.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> dataset = tf.data.Dataset.from_tensor_slices([1, 5, 2, 6]).map(lambda n: tf.fill([n], n))
    >>> buckets = tf.data.experimental.bucket_by_sequence_length(tf.size, [4], [2, 2])
    >>> [tuple(batch.shape) for batch in dataset.apply(buckets)]
    [(2, 2), (2, 6)]
    """
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


def dense_to_ragged_batch(
    batch_size: TensorLike,
    drop_remainder: TensorLike = False,
    row_splits_dtype: DTypeLike = dt.int64,
) -> Transformation:
    """Returns `tf.data.Dataset.ragged_batch` as a function of a dataset.

    Args:
        batch_size: An int64 scalar: how many elements a batch has.
        drop_remainder: A bool scalar: whether fewer elements at the end are left out.
        row_splits_dtype: The dtype of the splits: int32 or int64.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> dataset = tf.data.Dataset.range(1, 4).map(tf.range)
    >>> next(iter(dataset.apply(tf.data.experimental.dense_to_ragged_batch(3))))
    <tf.RaggedTensor [[0], [0, 1], [0, 1, 2]]>
    """
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def enumerate_dataset(start: TensorLike = 0) -> Transformation:
    """Returns `tf.data.Dataset.enumerate` as a function of a dataset.

    Args:
        start: An int64 scalar: the number of the first element.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> dataset = tf.data.Dataset.range(3, 5)
    >>> numbered = dataset.apply(tf.data.experimental.enumerate_dataset(10))
    >>> [(int(i), int(x)) for i, x in numbered]
    [(10, 3), (11, 4)]
    """
    return lambda dataset: dataset.enumerate(start)


def group_by_window(
    key_func: Callable[..., object],
    reduce_func: Callable[..., object],
    window_size: TensorLike | None = None,
    window_size_func: Callable[..., object] | None = None,
) -> Transformation:
    """Returns `tf.data.Dataset.group_by_window` as a function of a dataset.

    Args:
        key_func: A function of an element, which returns its key: an int64 scalar.
        reduce_func: A function of a key and a dataset of the elements of a window, which returns a
            dataset.
        window_size: An int64 scalar: how many elements a window has.
        window_size_func: A function of a key, which returns that number, in its place.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> groups = tf.data.experimental.group_by_window(
    ...     lambda x: x % 2, lambda key, window: window.batch(3), window_size=3)
    >>> list(tf.data.Dataset.range(6).apply(groups).as_numpy_iterator())
    [array([0, 2, 4]), array([1, 3, 5])]
    """
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


def ignore_errors(log_warning: bool = False) -> Transformation:
    """Returns `tf.data.Dataset.ignore_errors` as a function of a dataset.

    Args:
        log_warning: Whether a warning is logged for each error.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> dataset = tf.data.Dataset.from_tensor_slices([1, 0, 2]).map(lambda x: 10 // x)
    >>> [int(x) for x in dataset.apply(tf.data.experimental.ignore_errors())]
    [10, 5]
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


def scan(initial_state: object, scan_func: Callable[..., object]) -> Transformation:
    """Returns `tf.data.Dataset.scan` as a function of a dataset.

    Args:
        initial_state: The state before the first element: a structure of tensors.
        scan_func: A function of the state and an element. It returns the next state and an element
            of the result.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> sums = tf.data.experimental.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
    >>> [int(x) for x in tf.data.Dataset.range(5).apply(sums)]
    [0, 1, 3, 6, 10]
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


def take_while(predicate: Callable[..., object]) -> Transformation:
    """Returns `tf.data.Dataset.take_while` as a function of a dataset.

    Args:
        predicate: A function of an element, which returns a bool scalar.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> first = tf.data.experimental.take_while(lambda x: x < 3)
    >>> [int(x) for x in tf.data.Dataset.range(10).apply(first)]
    [0, 1, 2]
    """
    return lambda dataset: dataset.take_while(predicate)


def unbatch() -> Transformation:
    """Returns `tf.data.Dataset.unbatch` as a function of a dataset.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> dataset = tf.data.Dataset.from_tensors([1, 2, 3])
    >>> [int(x) for x in dataset.apply(tf.data.experimental.unbatch())]
    [1, 2, 3]
    """
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """Returns `tf.data.Dataset.unique` as a function of a dataset.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> dataset = tf.data.Dataset.from_tensor_slices([1, 37, 2, 37, 2, 1])
    >>> [int(x) for x in dataset.apply(tf.data.experimental.unique())]
    [1, 37, 2]
    """
    return lambda dataset: dataset.unique()
