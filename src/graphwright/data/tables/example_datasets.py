"""Datasets of features of serialized `Example` messages, and records written from a dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from graphwright.data.dataset import Dataset
from graphwright.data.dataset_value import DatasetValue
from graphwright.data.file_datasets import TFRecordDataset
from graphwright.data.tables.csv_batches import mixed
from graphwright.data.tuning.pipeline_budget import AUTOTUNE
from graphwright.library.io import record_file
from graphwright.library.io.example_parsing import (
    Feature,
    SparseFeature,
    VarLenFeature,
    parse_example,
)
from graphwright.library.io.ragged_partitions import RaggedFeature
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.specs import TensorSpec
from graphwright.types.type_spec import TypeSpec
from graphwright.values.convert import convert
from graphwright.values.sparse.sparse_tensor import SparseTensorSpec

#: Where features stand in the dict; dense ones are 1.
_ORDER: dict[type, int] = {VarLenFeature: 0, RaggedFeature: 2, SparseFeature: 3}


def parse_example_dataset(
    features: Mapping[str, Feature],
    num_parallel_calls: TensorLike = 1,
    deterministic: bool | None = None,
) -> Callable[[Any], Any]:
    """Returns a function for `apply` that parses batches of `Example` messages.

    Args:
        features: A dict from the names of features to their kinds, as in `tf.io.parse_example`.
        num_parallel_calls: An int64 scalar: how many threads parse.
        deterministic: Accepted for TensorFlow's signature: the order is always fixed.

    Returns:
        A function from a dataset of string vectors to one of dicts of tensors.

    Raises:
        ValueError: `features` is None.
        TypeError: The elements of the dataset are no vectors of strings.

    >>> import graphwright as tf
    >>> values = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"a": values}))
    >>> dataset = tf.data.Dataset.from_tensors([example.SerializeToString()])
    >>> features = {"a": tf.io.FixedLenFeature([], tf.float32)}
    >>> dataset = dataset.apply(tf.data.experimental.parse_example_dataset(features))
    >>> next(iter(dataset))["a"].numpy()
    array([0.5], dtype=float32)
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")
    kinds = features.values()
    has_composites = any(isinstance(kind, (RaggedFeature, SparseFeature)) for kind in kinds)
    in_order = sorted(features, key=lambda key: (_ORDER.get(type(features[key]), 1), key))

    def parsed(dataset: DatasetValue) -> Any:
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or not TensorSpec([None], dt.string).is_compatible_with(
            spec
        ):
            raise TypeError(
                f"Input dataset should be a dataset of vectors of strings. Instead it is `{spec}`."
            )
        source: Any = dataset

        def dictionary(messages: Any) -> dict[str, Any]:
            tensors = parse_example(messages, features)
            return {key: tensors[key] for key in in_order}

        made = source.map(dictionary, num_parallel_calls)
        made._type = made._type.mapped(partial(with_rows, rows=spec.shape[0]))
        if not has_composites:
            made._name = "ParseExampleDataset"
        return made

    return parsed


def with_rows(spec: TypeSpec, rows: int | None) -> TypeSpec:
    """The type of a parsed feature, which has the rows of the batch if it is sparse."""
    if not isinstance(spec, SparseTensorSpec):
        return spec
    return SparseTensorSpec([rows, *spec.shape[1:]], spec.dtype)


def make_batched_features_dataset(
    file_pattern: TensorLike,
    batch_size: TensorLike,
    features: Mapping[str, Feature],
    reader: Callable[..., Any] | None = None,
    label_key: str | None = None,
    reader_args: Sequence[object] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: TensorLike = 10000,
    shuffle_seed: TensorLike | None = None,
    prefetch_buffer_size: TensorLike | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Returns batches of features of the `Example` messages in files.

    Args:
        file_pattern: A string tensor: a pattern of files' names, or several.
        batch_size: An int64 scalar: how many messages are in a batch.
        features: A dict from the names of features to their kinds, as in `tf.io.parse_example`.
        reader: A function that returns a dataset of messages, or of pairs of a key and a message,
            for the name of a file; None for `tf.data.TFRecordDataset`.
        label_key: The feature that stands beside the others, not among them.
        reader_args: Further arguments of `reader`.
        num_epochs: How often the messages come; None for no end.
        shuffle: Whether files and messages come in random order.
        shuffle_buffer_size: An int64 scalar: how many messages wait to be drawn.
        shuffle_seed: An int, with which the order is that of TensorFlow.
        prefetch_buffer_size: An int64 scalar: how many batches are read ahead.
        reader_num_threads: From how many files messages come in turn; None for 1.
        parser_num_threads: How many threads parse; None for 2.
        sloppy_ordering: Accepted for TensorFlow's signature: the order is always fixed.
        drop_final_batch: Whether a last batch that is smaller is left out.

    Returns:
        A dataset of dicts of tensors, or of pairs of such a dict and the label.

    Raises:
        InvalidArgumentError: No file matches.
        ValueError: `label_key` is not in `features`.

    >>> import os, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "two.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     for number in (1, 2):
    ...         values = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
    ...         example = tf.train.Example(features=tf.train.Features(feature={"n": values}))
    ...         writer.write(example.SerializeToString())
    >>> dataset = tf.data.experimental.make_batched_features_dataset(
    ...     path, 2, {"n": tf.io.FixedLenFeature([], tf.int64)}, num_epochs=1, shuffle=False)
    >>> next(iter(dataset))["n"].numpy()
    array([1, 2])
    """
    names: Any = DatasetValue._class
    names = names.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    arguments = [] if reader_args is None else list(reader_args)
    read: Callable[..., Any] = TFRecordDataset if reader is None else reader
    threads = 1 if reader_num_threads in (None, AUTOTUNE) else reader_num_threads
    if threads == 1:
        dataset = names.flat_map(lambda path: read(path, *arguments))
    else:
        dataset = names.interleave(
            lambda path: read(path, *arguments), cycle_length=threads, block_length=1
        )
    if isinstance(dataset.element_spec, tuple):
        dataset = dataset.map(lambda key, message: message)
    dataset = mixed(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    parser_threads = 2 if parser_num_threads is None else parser_num_threads
    dataset = dataset.apply(parse_example_dataset(features, parser_threads))
    if label_key:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key}) must be one of the `features` keys: "
                f"{list(features)}."
            )
        dataset = dataset.map(lambda parsed: (parsed, parsed.pop(label_key)))
    result: Dataset = dataset.prefetch(
        AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size
    )
    return result


class TFRecordWriter:
    """Writes the elements of a dataset, scalars of string, to a file of records.

    Args:
        filename: A scalar of string: the path of the file.
        compression_type: A scalar of string: "", "GZIP" or "ZLIB"; None for "".

    >>> import os, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "two.tfrecord")
    >>> dataset = tf.data.Dataset.from_tensor_slices(["one", "two"])
    >>> tf.data.experimental.TFRecordWriter(path).write(dataset)
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'one', b'two']
    """

    def __init__(self, filename: TensorLike, compression_type: TensorLike | None = None) -> None:
        self._filename: Any = convert(filename, dt.string)
        kind = "" if compression_type is None else compression_type
        self._compression_type: Any = convert(kind, dt.string)

    def write(self, dataset: DatasetValue) -> None:
        """Writes all elements of a dataset to the file, which is replaced.

        Args:
            dataset: A `tf.data.Dataset` of string scalars.

        Raises:
            TypeError: It is no such dataset.
            NotFoundError: There is no such folder.
        """
        if not isinstance(dataset, DatasetValue):
            raise TypeError(
                f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}."
            )
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or not spec.is_compatible_with(
            TensorSpec([], dt.string)
        ):
            raise TypeError(
                "Invalid `dataset`. Expected a `dataset` that produces scalar `tf.string` "
                f"elements, but got a dataset which produces elements of `{spec}`."
            )
        path = self._filename.numpy()
        kind = self._compression_type.numpy().decode()
        elements: Any = dataset
        with record_file.TFRecordWriter(path, kind) as writer:
            for record in elements.as_numpy_iterator():
                writer.write(record)
