"""Former names of `Dataset.save`, `Dataset.load` and `Dataset.snapshot`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphwright.data.dataset import Dataset
from graphwright.types.arguments import TensorLike


def save(
    dataset: Dataset,
    path: TensorLike,
    compression: str | None = None,
    shard_func: Callable[..., object] | None = None,
    checkpoint_args: Mapping[str, object] | None = None,
) -> None:
    """Writes all elements to a folder; the former name of `tf.data.Dataset.save`.

    Args:
        dataset: The dataset.
        path: A scalar of string: the folder, which is made where there is none.
        compression: As for `tf.data.Dataset.save`.
        shard_func: A function of an element, which returns the number of its shard, int64.
        checkpoint_args: The arguments of a `tf.train.CheckpointManager`, without `checkpoint`.

    Raises:
        ValueError: `checkpoint_args` have a checkpoint.
        InvalidArgumentError: `shard_func` returns no int64 scalar.
        AlreadyExistsError: Somebody else is saving to the folder.

    >>> import tempfile, graphwright as tf
    >>> path = tempfile.mkdtemp()
    >>> tf.data.experimental.save(tf.data.Dataset.range(3), path)
    >>> [int(x) for x in tf.data.experimental.load(path)]
    [0, 1, 2]
    """
    dataset.save(path, compression, shard_func, checkpoint_args)


def load(
    path: TensorLike,
    element_spec: object = None,
    compression: str | None = None,
    reader_func: Callable[..., object] | None = None,
) -> Dataset:
    """Returns the elements that `save` wrote; the former name of `tf.data.Dataset.load`.

    Args:
        path: A scalar of string: the folder.
        element_spec: The type specs of an element; those that were saved unless it is given.
        compression: Accepted for TensorFlow's signature: the files say how they are compressed.
        reader_func: A function of a dataset of shards, which returns a dataset of elements.

    Returns:
        A dataset of the elements that are there now.

    Raises:
        NotFoundError: Nothing was saved there.

    >>> import tempfile, graphwright as tf
    >>> path = tempfile.mkdtemp()
    >>> tf.data.Dataset.from_tensor_slices([1.5, 2.5]).save(path)
    >>> list(tf.data.experimental.load(path).as_numpy_iterator())
    [np.float32(1.5), np.float32(2.5)]
    """
    result: Dataset = Dataset.load(path, element_spec, compression, reader_func)
    return result


def snapshot(
    path: TensorLike,
    compression: str | None = "AUTO",
    reader_func: Callable[..., object] | None = None,
    shard_func: Callable[..., object] | None = None,
) -> Callable[[Dataset], Any]:
    """Returns a function for `tf.data.Dataset.apply` that does what `snapshot` does.

    Args:
        path: A scalar of string: a folder.
        compression: As for `tf.data.Dataset.snapshot`.
        reader_func: A function of a dataset of shards, which returns a dataset of elements.
        shard_func: A function of an element, which returns the number of its shard, int64.

    Returns:
        A function of a dataset, which returns one.

    >>> import tempfile, graphwright as tf
    >>> function = tf.data.experimental.snapshot(tempfile.mkdtemp())
    >>> [int(x) for x in tf.data.Dataset.range(3).apply(function)]
    [0, 1, 2]
    """
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)
