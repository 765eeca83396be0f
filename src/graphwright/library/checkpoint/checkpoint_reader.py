"""The content of checkpoints without the objects that were saved: `tf.train.load_checkpoint`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from graphwright.base.errors import NotFoundError
from graphwright.library.checkpoint.bundle_checkpoint import graph_of_objects
from graphwright.library.checkpoint.checkpoint import load
from graphwright.library.checkpoint.checkpoint_files import Saved, SavedValue
from graphwright.library.checkpoint.checkpoint_state import latest_checkpoint
from graphwright.library.checkpoint.tensor_bundle import OBJECTS
from graphwright.op.refusal import boundary
from graphwright.types import dtypes as dt


class CheckpointReader:
    """The values of a checkpoint by their keys, `path/of/the/variable` and TensorFlow's ending,
    `/.ATTRIBUTES/VARIABLE_VALUE`. The graph of objects, a message in bytes, is one of them.
    """

    def __init__(self, saved: Saved) -> None:
        self._saved = saved
        self._nodes = saved.by_key()
        if saved.nodes:  # TensorFlow 1 wrote no objects
            entry: SavedValue = {"value": OBJECTS, "dtype": "string", "shape": []}
            self._nodes = {OBJECTS: entry, **self._nodes}

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a value of this key."""
        return tensor_str in self._nodes

    @boundary
    def get_tensor(self, tensor_str: str) -> Any:
        """A value as a NumPy array, or scalar without axes; NotFoundError for an unknown key."""
        node = self._nodes.get(tensor_str)
        if node is None:
            raise NotFoundError(
                None,
                None,
                f"Key {tensor_str} not found in checkpoint {self._saved.path}. Its keys are "
                f"{', '.join(self._nodes) or 'none: it is empty'}",
            )
        if tensor_str == OBJECTS and OBJECTS not in self._saved.by_key():
            return graph_of_objects(self._saved).SerializeToString(deterministic=True)
        return self._saved.array(node)[()]

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of each value by its key."""
        return {key: list(node["shape"]) for key, node in self._nodes.items()}

    def get_variable_to_dtype_map(self) -> dict[str, dt.DType]:
        """The dtype of each value by its key."""
        return {key: dt.as_dtype(node["dtype"]) for key, node in self._nodes.items()}


def load_checkpoint(ckpt_dir_or_file: str) -> CheckpointReader:
    """Opens a checkpoint, or the newest one of a directory, for reading without its objects.

    Args:
        ckpt_dir_or_file: The path of a checkpoint, as `tf.train.Checkpoint.save` returns it, or of
            a directory.

    Returns:
        A reader with `has_tensor`, `get_tensor`, `get_variable_to_shape_map` and
        `get_variable_to_dtype_map`.

    Raises:
        ValueError: The directory has no checkpoint.
        NotFoundError: There is no such checkpoint.
        DataLossError: The checkpoint is damaged.

    >>> import tempfile, graphwright as tf
    >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/c")
    >>> tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    array([1., 2.], dtype=float32)
    """
    path = str(ckpt_dir_or_file)
    if os.path.isdir(path):
        newest = latest_checkpoint(path)
        if newest is None:
            raise ValueError(
                f"Couldn't find a checkpoint in the directory {path}: no file `checkpoint` in it "
                "names one that is there; `tf.train.Checkpoint.save` writes both."
            )
        path = newest
    return CheckpointReader(load(path))


def load_variable(ckpt_dir_or_file: str, name: str) -> Any:
    """Reads one variable of a checkpoint.

    Args:
        ckpt_dir_or_file: The path of a checkpoint, or of a directory, for its newest one.
        name: The key of the variable, as `tf.train.list_variables` lists it.

    Returns:
        A NumPy array, or a NumPy scalar for a scalar.

    Raises:
        ValueError: The directory has no checkpoint.
        NotFoundError: There is no such checkpoint, or it has no such key.
        DataLossError: The checkpoint is damaged.

    >>> import tempfile, graphwright as tf
    >>> path = tf.train.Checkpoint(v=tf.Variable(3)).write(tempfile.mkdtemp() + "/c")
    >>> tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")
    np.int32(3)
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


def list_variables(ckpt_dir_or_file: str) -> list[tuple[str, list[int]]]:
    """Lists the variables of a checkpoint, and its graph of objects, sorted by key.

    Args:
        ckpt_dir_or_file: The path of a checkpoint, or of a directory, for its newest one.

    Returns:
        A list of tuples: the key of a variable, and its shape as a list of ints.

    Raises:
        ValueError: The directory has no checkpoint.
        NotFoundError: There is no such checkpoint.
        DataLossError: The checkpoint is damaged.

    >>> import tempfile, graphwright as tf
    >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/c")
    >>> tf.train.list_variables(path)
    [('_CHECKPOINTABLE_OBJECT_GRAPH', []), ('v/.ATTRIBUTES/VARIABLE_VALUE', [2])]
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def checkpoints_iterator(
    checkpoint_dir: str,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Waits for checkpoints in a directory, and yields the newest each time there is a new one.

    Args:
        checkpoint_dir: The directory.
        min_interval_secs: The least time between two results, in seconds. Checkpoints that newer
            ones follow within it are left out.
        timeout: The longest wait for a checkpoint, in seconds. None waits for ever.
        timeout_fn: A function of no arguments that is called after such a wait: the iterator ends
            if the result is true. None ends it.

    Yields:
        Paths of checkpoints.

    >>> import tempfile, graphwright as tf
    >>> directory = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(v=tf.Variable(3)).save(directory + "/c")
    >>> [p == path for p in tf.train.checkpoints_iterator(directory, timeout=0)]
    [True]
    """
    seen: str | None = None
    while True:
        newest = _await_newest(str(checkpoint_dir), seen, timeout)
        if newest is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start = time.monotonic()
        seen = newest
        yield newest
        time.sleep(max(0.0, start + min_interval_secs - time.monotonic()))


def _await_newest(directory: str, seen: str | None, timeout: float | None) -> str | None:
    """The newest checkpoint once it is another one than `seen`; None after the timeout."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        newest = latest_checkpoint(directory)
        if newest != seen and newest is not None:
            return newest
        if end is not None and time.monotonic() >= end:
            return None
        time.sleep(0.1 if end is None else max(0.0, min(0.1, end - time.monotonic())))
