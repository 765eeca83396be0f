"""Methods of datasets that are about files: their names, and elements that are kept in them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from graphwright.base.errors import NotFoundError
from graphwright.control.assertions import assert_true
from graphwright.data.dataset_value import DatasetSpec, DatasetValue, function_for, make
from graphwright.data.element_type import ElementType
from graphwright.data.iterator import Iterator
from graphwright.op.interpreter import apply
from graphwright.op.late_imports import late_module
from graphwright.ops.core.shapes import shape
from graphwright.ops.core.static import static_value
from graphwright.ops.math.arithmetic import maximum
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.dtypes import DType
from graphwright.types.result_types import Dataset, Tensor
from graphwright.types.specs import TensorSpec
from graphwright.types.type_parameters import Element
from graphwright.values.convert import convert

if TYPE_CHECKING:
    from graphwright.data.element_function import ElementFunction

#: Seconds between two looks for elements that are not there yet.
_PAUSE = 0.1

STRING = ElementType(TensorSpec([], dt.string))


class FileSources(DatasetValue[Element]):
    """Methods of `tf.data.Dataset` about files."""

    @staticmethod
    def list_files(
        file_pattern: TensorLike,
        shuffle: bool | None = None,
        seed: TensorLike | None = None,
        name: str | None = None,
    ) -> Dataset[Tensor]:
        """Returns the names of the files that match patterns.

        Args:
            file_pattern: A string tensor: a pattern or several, with `*`, `?` and `[...]`.
            shuffle: Whether the names come in random order, as for None.
            seed: An int, with which the order is that of TensorFlow; see `tf.random.set_seed`.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of string scalars.

        Raises:
            InvalidArgumentError: No file matches.

        >>> import pathlib, tempfile, graphwright as tf
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> for file in ("b.txt", "a.txt"):
        ...     (folder / file).touch()
        >>> dataset = tf.data.Dataset.list_files(f"{folder}/*.txt", shuffle=False)
        >>> [name[-5:] for name in dataset.as_numpy_iterator()]
        [b'a.txt', b'b.txt']
        """
        patterns: Any = convert(file_pattern, dt.string)
        files: Any = late_module("graphwright.ops.io.file_system")
        texts: Any = late_module("graphwright.ops.strings.strings")
        names = files.matching_files(patterns)
        count = shape(names, dt.int64)[0]
        message = "No files matched pattern: " + texts.reduce_join(patterns, separator=", ")
        assert_true(count > 0, [message], summarize=1)
        dataset: Any = make("source_stages:SlicesStage", STRING, [], [names])
        if shuffle is None or shuffle:
            dataset = dataset.shuffle(maximum(count, 1), seed)
        return dataset

    def cache(self, filename: TensorLike = "", name: str | None = None) -> Dataset[Element]:
        """Returns the elements, which are computed only once.

        Args:
            filename: "": they are kept in memory, until nobody has the dataset any more. Otherwise
                a scalar of string: the folder in which they stay. A folder that has elements is
                read, whatever the dataset is.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        Raises:
            TypeError: `filename` is no string.
            AlreadyExistsError: While elements are taken: another iterator is in its first round.
            DataLossError: While elements are taken: a file is damaged or truncated.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.range(3).map(lambda x: x * 2).cache()
        >>> [int(x) for x in dataset] + [int(x) for x in dataset]
        [0, 2, 4, 0, 2, 4]
        """
        path = convert(filename, dt.string)
        return make("cache_stages:CacheStage", self._type, [self], [path], name="CacheDataset")

    def snapshot(
        self,
        path: TensorLike,
        compression: str | None = "AUTO",
        reader_func: Callable[..., object] | None = None,
        shard_func: Callable[..., object] | None = None,
        name: str | None = None,
    ) -> Dataset[Element]:
        """Returns the elements, which are computed once and stay on disk.

        The first round writes them to a folder in `path`, whose name stands for all that makes the
        elements: stages, numbers, tensors and functions. Later rounds of an equal dataset read
        them, in any process. While one iterator writes, others compute the elements for themselves.

        Args:
            path: A scalar of string: a folder.
            compression: "GZIP" deflates blocks of elements, "SNAPPY" does it faster and less;
                blocks are plain with any other name, and with None.
            reader_func: A function of a dataset of shards, which returns a dataset of elements.
            shard_func: A function of an element, which returns the number of its shard, int64.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        Raises:
            TypeError: A function returns something else.
            DataLossError: While elements are taken: a file is damaged or truncated.

        >>> import tempfile, graphwright as tf
        >>> dataset = tf.data.Dataset.range(3).map(lambda x: x * 2).snapshot(tempfile.mkdtemp())
        >>> [int(x) for x in dataset] + [int(x) for x in dataset]
        [0, 2, 4, 0, 2, 4]
        """
        functions = []
        if shard_func is not None:
            sharder = function_for(shard_func, self)
            spec = sharder.result.specs
            if not any(_is_scalar(spec, dtype) for dtype in (dt.int32, dt.int64)):
                raise TypeError(
                    "Invalid `shard_func`. `shard_func` must return `tf.int64` scalar tensor but "
                    f"its return type is {spec}."
                )
            functions.append(sharder)
        shards = ElementType(DatasetSpec(self.element_spec))
        if reader_func is not None:
            functions.append(_reader(reader_func, shards))
        return make(
            "stored_stages:SnapshotStage",
            self._type,
            [self],
            [convert(path, dt.string)],
            functions,
            "MapDataset" if shard_func is None else "SnapshotDataset",
            compression=compression or "",
            is_sharded=shard_func is not None,
            shards=shards,
        )

    def save(
        self,
        path: TensorLike,
        compression: str | None = None,
        shard_func: Callable[..., object] | None = None,
        checkpoint_args: Mapping[str, object] | None = None,
    ) -> None:
        """Writes all elements to a folder, at once or not at all.

        Who loads them meanwhile gets those that were there before.

        Args:
            path: A scalar of string: the folder, which is made where there is none.
            compression: "GZIP" deflates blocks of elements, "SNAPPY" does it faster and less;
                blocks are plain with any other name, and with None.
            shard_func: A function of an element, which returns the number of its shard, int64. All
                are in one unless it is given.
            checkpoint_args: The arguments of a `tf.train.CheckpointManager`, without `checkpoint`.
                The place in the dataset is saved as they say. The next call with the same
                directory goes on there, also in another process.

        Raises:
            ValueError: `checkpoint_args` have a checkpoint.
            InvalidArgumentError: `shard_func` returns no int64 scalar.
            AlreadyExistsError: Somebody else is saving to the folder.

        >>> import tempfile, graphwright as tf
        >>> path = tempfile.mkdtemp()
        >>> tf.data.Dataset.range(3).save(path)
        >>> [int(x) for x in tf.data.Dataset.load(path)]
        [0, 1, 2]
        """
        if checkpoint_args and "checkpoint" in checkpoint_args:
            raise ValueError(
                "Invalid `checkpoint_args`. `checkpoint_args` are not allowed to include "
                "'checkpoint'."
            )
        functions = [] if shard_func is None else [function_for(shard_func, self)]
        written = make(
            "stored_stages:SaveStage",
            self._type,
            [self],
            [convert(_text(path), dt.string)],
            functions,
            compression=compression or "",
            stays=bool(checkpoint_args),
        )
        if checkpoint_args and current_tracer() is None:
            _take_all(Iterator.over(written), checkpoint_args)
            return
        if current_tracer() is not None and static_value(_text(path)) is not None:
            _stores().announce_type(_folder(_text(path)), self._type)
        apply(late_module("graphwright.data.dataset_ops").TakeAll(), written._variant)

    @staticmethod
    def load(
        path: TensorLike,
        element_spec: object = None,
        compression: str | None = None,
        reader_func: Callable[..., object] | None = None,
        wait: bool = False,
    ) -> Dataset:
        """Returns the elements that `save` wrote.

        Args:
            path: A scalar of string: the folder.
            element_spec: The type specs of an element, in its structure; those that were saved
                unless it is given.
            compression: Accepted for TensorFlow's signature: the files say how they are compressed.
            reader_func: A function of a dataset of shards, which returns a dataset of elements. An
                element of each shard in turn is taken unless it is given.
            wait: Whether to wait until the elements are there.

        Returns:
            A dataset of the elements that are there now, even if others are saved later.

        Raises:
            NotFoundError: Nothing was saved there, or its type has no form on disk.
            ValueError: A function is being traced, and neither the path nor the type is known.
            InvalidArgumentError: While elements are taken: they are of another type.
            DataLossError: While elements are taken: a file is damaged or truncated.

        >>> import tempfile, graphwright as tf
        >>> path = tempfile.mkdtemp()
        >>> tf.data.Dataset.from_tensor_slices({"a": [1, 2]}).save(path)
        >>> tf.data.Dataset.load(path).element_spec
        {'a': TensorSpec(shape=(), dtype=tf.int32, name=None)}
        """
        path = _text(path)
        while wait and _stores().manifest_of(_folder(path)) is None:
            time.sleep(_PAUSE)
        if element_spec is None:
            element_spec = _stores().type_of(_folder(path))
        if element_spec is None:
            file = _folder(path) / _stores().MANIFEST
            words = f"tf.data snapshot element_spec file not found: {file}."
            raise NotFoundError(None, None, words)
        element = ElementType(element_spec)
        shards = ElementType(DatasetSpec(element_spec))
        functions = [] if reader_func is None else [_reader(reader_func, shards)]
        numbers = [convert(path, dt.string)]
        return make("stored_stages:LoadStage", element, [], numbers, functions, shards=shards)


def _stores() -> Any:
    """The module of the files of elements."""
    return late_module("graphwright.data.storage.stores")


def _text(path: object) -> Any:
    """A path as it converts to a tensor."""
    return os.fspath(path) if isinstance(path, os.PathLike) else path


def _is_scalar(spec: object, dtype: DType) -> bool:
    """Whether a spec is that of a scalar of a dtype, as far as it says."""
    return isinstance(spec, TensorSpec) and spec.is_compatible_with(TensorSpec([], dtype))


def _reader(function: Callable[..., object], shards: ElementType) -> ElementFunction:
    """A function of a dataset of shards, traced."""
    return function_for(function, ElementType(DatasetSpec(shards.specs)))


def _folder(path: object) -> Any:
    """The path of a folder; ValueError where it is known only at run time."""
    text = static_value(path)
    if text is None:
        raise ValueError("`element_spec` must be given where the path is known only at run time")
    return late_module("graphwright.base.file_paths").file_path(text)


def _take_all(iterator: Iterator, arguments: Mapping[str, object]) -> None:
    """Takes all elements, from the latest checkpoint on, with checkpoints as they are due."""
    checkpoints: Any = late_module("graphwright.library.checkpoint.checkpoint_manager")
    checkpoint = checkpoints.Checkpoint(iterator=iterator)
    options: dict[str, Any] = dict(arguments)
    manager = checkpoints.CheckpointManager(checkpoint, **options)
    checkpoint.restore(manager.latest_checkpoint)
    step = options.get("step_counter")
    try:
        for _ in iterator:
            if step is not None:
                step.assign_add(1)
            manager.save(check_interval=True)
    finally:
        iterator._reader.close()
