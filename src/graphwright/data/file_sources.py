"""Methods of datasets that are about files: their names, and elements that are kept in them."""

from __future__ import annotations

from typing import Any

from graphwright.control.assertions import assert_true
from graphwright.data.dataset_value import DatasetValue, make
from graphwright.data.element_type import ElementType
from graphwright.data.stages import buffer_stages
from graphwright.data.stages.source_stages import SlicesStage
from graphwright.ops.core.shapes import shape
from graphwright.ops.io.file_system import matching_files
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.strings.strings import reduce_join
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.specs import TensorSpec
from graphwright.values.convert import convert

STRING = ElementType(TensorSpec([], dt.string))


class FileSources(DatasetValue):
    """Methods of `tf.data.Dataset` about files."""

    @staticmethod
    def list_files(
        file_pattern: TensorLike,
        shuffle: bool | None = None,
        seed: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
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
        names = matching_files(patterns)
        count = shape(names, dt.int64)[0]
        message = "No files matched pattern: " + reduce_join(patterns, separator=", ")
        assert_true(count > 0, [message], summarize=1)
        dataset: Any = make(SlicesStage, STRING, [], [names])
        if shuffle is None or shuffle:
            dataset = dataset.shuffle(maximum(count, 1), seed)
        return dataset

    def cache(self, filename: TensorLike = "", name: str | None = None) -> Any:
        """Returns the elements, which are computed only once.

        Args:
            filename: "": they are kept in memory, until nobody has the dataset any more.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        Raises:
            TypeError: `filename` is no string.
            UnimplementedError: `filename` is not empty.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.range(3).map(lambda x: x * 2).cache()
        >>> [int(x) for x in dataset] + [int(x) for x in dataset]
        [0, 2, 4, 0, 2, 4]
        """
        path = convert(filename, dt.string)
        return make(buffer_stages.MemoryCacheStage, self._type, [self], [path])
