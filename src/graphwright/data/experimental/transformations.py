"""Functions of a dataset, for `Dataset.apply`, that methods of datasets can be made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from graphwright.data.dataset import Dataset
from graphwright.data.dataset_value import DatasetValue, int64, make
from graphwright.data.experimental.public_datasets import PublicDataset
from graphwright.data.stages import guard_stages, select_stages
from graphwright.ops.core.creation import zeros
from graphwright.ops.math.arithmetic import maximum
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike
from graphwright.types.specs import TensorSpec

#: What `Dataset.apply` takes.
Transformation: TypeAlias = Callable[[Dataset], Dataset]


def assert_cardinality(expected_cardinality: TensorLike) -> Transformation:
    """Returns a function that states how many elements a dataset has.

    Args:
        expected_cardinality: An int64 scalar: the number, which is known from then on.

    Returns:
        A function for `tf.data.Dataset.apply`. While elements are taken there is a
        FailedPreconditionError where there are fewer or more.

    >>> import graphwright as tf
    >>> dataset = tf.data.Dataset.range(8).filter(lambda x: x % 2 == 0)
    >>> len(dataset.apply(tf.data.experimental.assert_cardinality(4)))
    4
    """
    return lambda dataset: make(
        guard_stages.AssertCardinalityStage, dataset._type, [dataset], [int64(expected_cardinality)]
    )


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


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """Returns a function that puts the elements of a dataset on a device.

    Args:
        target_device: The name of the device. All are in the memory of the processor.
        source_device: The name of the device on which they are.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> dataset = tf.data.Dataset.range(3)
    >>> [int(x) for x in dataset.apply(tf.data.experimental.copy_to_device("/cpu:0"))]
    [0, 1, 2]
    """
    return lambda dataset: make(guard_stages.CopyToDeviceStage, dataset._type, [dataset])


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


def dense_to_sparse_batch(batch_size: TensorLike, row_shape: ShapeLike) -> Transformation:
    """Returns `tf.data.Dataset.sparse_batch` as a function of a dataset.

    Args:
        batch_size: An int64 scalar: how many elements a batch has.
        row_shape: The shape of the rows. A size that is not known is the largest in a batch.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> dataset = tf.data.Dataset.range(1, 3).map(lambda x: tf.fill([x], x))
    >>> batch = next(iter(dataset.apply(tf.data.experimental.dense_to_sparse_batch(2, [3]))))
    >>> batch.values.numpy().tolist(), batch.dense_shape.numpy().tolist()
    ([1, 2, 2], [2, 3])
    """
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


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
    reduce_func: Callable[..., Dataset],
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


def map_and_batch(
    map_func: Callable[..., object],
    batch_size: TensorLike,
    num_parallel_batches: int | None = None,
    drop_remainder: TensorLike = False,
    num_parallel_calls: TensorLike | None = None,
) -> Transformation:
    """Returns `map` and then `batch` as one function of a dataset.

    Args:
        map_func: A function of an element. A tuple arrives as several arguments.
        batch_size: An int64 scalar: how many results a batch has.
        num_parallel_batches: An int: how many batches may be computed at the same time.
        drop_remainder: A bool scalar: whether fewer results at the end are left out.
        num_parallel_calls: How many elements may be computed at the same time.

    Returns:
        A function for `tf.data.Dataset.apply`.

    Raises:
        ValueError: Both `num_parallel_batches` and `num_parallel_calls` are given.

    >>> import graphwright as tf
    >>> squares = tf.data.experimental.map_and_batch(lambda x: x * x, 2)
    >>> list(tf.data.Dataset.range(4).apply(squares).as_numpy_iterator())
    [array([0, 1]), array([4, 9])]
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to "
            f"be set, but `num_parallel_batches` was set to {num_parallel_batches} and "
            f"`num_parallel_calls` as set to {num_parallel_calls}."
        )
    calls: Any = num_parallel_calls
    if num_parallel_batches is not None:
        calls = int64(batch_size) * num_parallel_batches

    def transform(dataset: Dataset) -> Any:
        batches = dataset.map(map_func, calls).batch(batch_size, drop_remainder)
        return DatasetValue.of(batches._variant, batches._type, "MapAndBatchDataset")

    return transform


def pad_to_cardinality(cardinality: TensorLike, mask_key: str = "valid") -> Transformation:
    """Returns a function that fills a dataset up with zeros to a number of elements.

    Args:
        cardinality: An int64 scalar: how many elements there are then.
        mask_key: A key that the elements, which are mappings, get: whether an element was there
            before.

    Returns:
        A function for `tf.data.Dataset.apply`. It raises ValueError for a dataset whose elements
        are no mappings, which has more of them, or whose number is not known.

    >>> import graphwright as tf
    >>> dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2]})
    >>> padded = dataset.apply(tf.data.experimental.pad_to_cardinality(3))
    >>> [(int(x["a"]), bool(x["valid"])) for x in padded]
    [(1, True), (2, True), (0, False)]
    """

    def transform(dataset: Dataset) -> Any:
        specs = dataset.element_spec
        if not isinstance(specs, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        if current_tracer() is None:
            check_count(int(dataset.cardinality()), cardinality)
        zero = tree.map_structure(zero_of, specs)
        missing = maximum(int64(cardinality) - dataset.cardinality(), 0)
        padding = Dataset.from_tensors({**zero, mask_key: False}).repeat(missing)
        return dataset.map(lambda element: {**element, mask_key: True}).concatenate(padding)

    return transform


def zero_of(spec: TensorSpec) -> Any:
    """A tensor of zeros; ValueError where the shape is not known."""
    if not spec.shape.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {spec.shape} to a Tensor.")
    return zeros(spec.shape.as_list(), spec.dtype)


def check_count(count: int, wanted: Any) -> None:
    """Raises ValueError for a dataset that cannot be filled up to a number of elements."""
    if count < 0:
        raise ValueError(
            "The dataset passed into `pad_to_cardinality` must have a known cardinalty, but has "
            f"cardinality {count}"
        )
    if count > int(wanted):
        raise ValueError(
            "The dataset passed into `pad_to_cardinality` must have a cardinalty less than the "
            f"target cardinality ({int(wanted)}), but has cardinality {count}"
        )


def parallel_interleave(
    map_func: Callable[..., Dataset],
    cycle_length: TensorLike,
    block_length: TensorLike = 1,
    sloppy: bool | None = False,
    buffer_output_elements: TensorLike | None = None,
    prefetch_input_elements: TensorLike | None = None,
) -> Transformation:
    """Returns `tf.data.Dataset.interleave` in threads as a function of a dataset.

    Args:
        map_func: A function of an element, which returns a dataset.
        cycle_length: An int64 scalar: how many datasets are open at a time.
        block_length: An int64 scalar: how many elements in a row come from each.
        sloppy: Whether the order may be another. It is always that of one after the other.
        buffer_output_elements: Accepted for TensorFlow's signature and not used.
        prefetch_input_elements: Accepted for TensorFlow's signature and not used.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> turns = tf.data.experimental.parallel_interleave(
    ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(2), cycle_length=2)
    >>> [int(x) for x in tf.data.Dataset.range(3).apply(turns)]
    [0, 1, 0, 1, 2, 2]
    """

    def transform(dataset: Dataset) -> Any:
        calls = cycle_length
        made = dataset.interleave(map_func, cycle_length, block_length, num_parallel_calls=calls)
        return PublicDataset._like(made, "ParallelInterleaveDataset")

    return transform


def prefetch_to_device(device: str, buffer_size: TensorLike | None = None) -> Transformation:
    """Returns a function that takes elements of a dataset ahead, on a device.

    Args:
        device: The name of the device. All are in the memory of the processor.
        buffer_size: An int64 scalar: how many elements wait at most; None leaves the number to the
            dataset.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> dataset = tf.data.Dataset.range(3)
    >>> [int(x) for x in dataset.apply(tf.data.experimental.prefetch_to_device("/cpu:0"))]
    [0, 1, 2]
    """
    return lambda dataset: copy_to_device(device)(dataset).prefetch(buffer_size)


def rejection_resample(
    class_func: Callable[..., object],
    target_dist: TensorLike,
    initial_dist: TensorLike | None = None,
    seed: TensorLike | None = None,
) -> Transformation:
    """Returns `tf.data.Dataset.rejection_resample` as a function of a dataset.

    Args:
        class_func: A function of an element, which returns its class: an integer scalar.
        target_dist: A float vector: how frequent each class shall be.
        initial_dist: A float vector: how frequent each is; it is estimated unless it is given.
        seed: An int, with which the elements are those of TensorFlow; see `tf.random.set_seed`.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> resample = tf.data.experimental.rejection_resample(
    ...     lambda x: tf.cast(x % 2, tf.int32), [0.0, 1.0], [0.5, 0.5])
    >>> [(int(label), int(x)) for label, x in tf.data.Dataset.range(6).apply(resample)]
    [(1, 1), (1, 3), (1, 5)]
    """
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


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


def shuffle_and_repeat(
    buffer_size: TensorLike, count: TensorLike | None = None, seed: TensorLike | None = None
) -> Transformation:
    """Returns `shuffle` and then `repeat` as one function of a dataset.

    Args:
        buffer_size: An int64 scalar: how many elements wait to be drawn.
        count: An int64 scalar: how often the elements come. With None or -1 there is no end.
        seed: An int, with which the order is that of TensorFlow; see `tf.random.set_seed`.

    Returns:
        A function for `tf.data.Dataset.apply`.

    >>> import graphwright as tf
    >>> twice = tf.data.experimental.shuffle_and_repeat(3, 2, seed=1)
    >>> [int(x) for x in tf.data.Dataset.range(3).apply(twice)]
    [1, 2, 0, 1, 0, 2]
    """

    def transform(dataset: Dataset) -> Any:
        rounds = int64(-1 if count is None else count)
        shuffled = dataset.shuffle(buffer_size, seed)
        return make(select_stages.ShuffleAndRepeatStage, dataset._type, [shuffled], [rounds])

    return transform


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
