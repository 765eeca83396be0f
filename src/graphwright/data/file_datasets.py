"""Datasets of the records of files: `tf.data.TextLineDataset` and its like."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from graphwright.data.dataset import Dataset
from graphwright.data.dataset_value import DatasetValue, int64, make
from graphwright.data.element_type import ElementType
from graphwright.data.stages.file_stages import (
    FileFormat,
    FilesStage,
    FixedFormat,
    LineFormat,
    RecordFormat,
)
from graphwright.data.tuning.pipeline_budget import AUTOTUNE
from graphwright.ops.core.movement import reshape
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.specs import TensorSpec
from graphwright.values.convert import convert
from graphwright.values.tensor import Tensor

STRING = ElementType(TensorSpec([], dt.string))
_IN_TURN = "files_in_turn_stages:FilesInTurnStage"


class FileDataset(Dataset[Tensor]):
    """A dataset of the records of files."""

    _form: type[FileFormat]

    def _read(
        self,
        filenames: TensorLike | DatasetValue,
        compression: TensorLike | None,
        buffer_size: TensorLike | None,
        parallel: TensorLike | None,
        *numbers: TensorLike | None,
    ) -> None:
        """Sets this object to the dataset of the records of files."""
        compression = convert("" if compression is None else compression, dt.string)
        size = int64(0 if buffer_size is None else buffer_size)
        tensors = [compression, size, *[int64(0 if n is None else n) for n in numbers]]
        names = names_dataset(filenames)
        if parallel is None or (isinstance(parallel, int) and parallel == AUTOTUNE):
            made = make(FilesStage, STRING, [names], tensors, form=self._form)
        else:
            tensors = [int64(parallel), *tensors]
            made = make(_IN_TURN, STRING, [names], tensors, form=self._form)
        self._variant, self._type, self._name = made._variant, STRING, self._form.type_name

    def __repr__(self) -> str:
        return f"<{self._name} element_spec={self.element_spec!r}>"


def names_dataset(filenames: TensorLike | DatasetValue) -> DatasetValue:
    """A dataset of the names of files: the elements of a tensor, a list or a dataset."""
    if isinstance(filenames, DatasetValue):
        types = filenames._type.types
        type_ = types[0] if len(types) == 1 else None
        if type_ is None or type_.dtype is not dt.string:
            kind = filenames.element_spec if type_ is None else type_.dtype
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements. Got a dataset of "
                f"`{kind!r}` elements."
            )
        if type_.dims not in ((), None):
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. "
                f"scalars). Got a dataset of element shape {filenames.element_spec.shape!r}."
            )
        return filenames
    names: Any = convert(with_texts(filenames), None, dt.string)
    if names.dtype is not dt.string:
        raise TypeError(
            f"The `filenames` argument must contain `tf.string` elements. Got `{names.dtype!r}` "
            "elements."
        )
    return make("source_stages:SlicesStage", STRING, [], [reshape(names, [-1])])


def with_texts(names: object) -> Any:
    """Names of files, with text in place of path objects."""
    if isinstance(names, os.PathLike):
        return os.fspath(names)
    if isinstance(names, (list, tuple)):
        return [with_texts(name) for name in names] or np.empty(0, object)
    return names


class TextLineDataset(FileDataset):
    """The lines of text files, one after another, as scalars of string.

    The ends of lines are left out, and so is every carriage return.

    Args:
        filenames: A string tensor, a list of names, or a dataset of them.
        compression_type: A scalar of string: "", "GZIP" or "ZLIB".
        buffer_size: An int64 scalar: the most bytes of one read.
        num_parallel_reads: An int64 scalar: the number of files that give lines in turn; None for
            one file after another.
        name: Accepted for TensorFlow's signature and not used.

    Raises:
        TypeError: `filenames` are no strings.
        NotFoundError: While elements are taken: there is no such file.
        DataLossError: While elements are taken: a compressed file is damaged.

    >>> import os, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "two.txt")
    >>> tf.io.write_file(path, "one\\ntwo\\n")
    >>> list(tf.data.TextLineDataset(path).as_numpy_iterator())
    [b'one', b'two']
    """

    _form = LineFormat

    def __init__(
        self,
        filenames: TensorLike,
        compression_type: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
        name: str | None = None,
    ) -> None:
        self._read(filenames, compression_type, buffer_size, num_parallel_reads)


class TFRecordDataset(FileDataset):
    """The records of TFRecord files, one after another, as scalars of string.

    Both checksums of each record are verified. The records before a damaged one come first. Then an
    error names the file and the offset, and the rest of the file is not read.

    Args:
        filenames: A string tensor, a list of names, or a dataset of them.
        compression_type: A scalar of string: "", "GZIP" or "ZLIB".
        buffer_size: An int64 scalar: the most bytes of one read.
        num_parallel_reads: An int64 scalar: the number of files that give records in turn; None
            for one file after another.
        name: Accepted for TensorFlow's signature and not used.

    Raises:
        TypeError: `filenames` are no strings.
        NotFoundError: While elements are taken: there is no such file.
        DataLossError: While elements are taken: a file is damaged or truncated.

    >>> import os, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "two.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"first")
    ...     writer.write(b"second")
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'first', b'second']
    """

    _form = RecordFormat

    def __init__(
        self,
        filenames: TensorLike,
        compression_type: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
        name: str | None = None,
    ) -> None:
        self._read(filenames, compression_type, buffer_size, num_parallel_reads)


class FixedLengthRecordDataset(FileDataset):
    """The records of files with records of one length, as scalars of string.

    Args:
        filenames: A string tensor, a list of names, or a dataset of them.
        record_bytes: An int64 scalar: the bytes of a record.
        header_bytes: An int64 scalar: the bytes before the first record.
        footer_bytes: An int64 scalar: the bytes after the last record.
        buffer_size: An int64 scalar: the most bytes of one read.
        compression_type: A scalar of string: "", "GZIP" or "ZLIB".
        num_parallel_reads: An int64 scalar: the number of files that give records in turn; None
            for one file after another.
        name: Accepted for TensorFlow's signature and not used.

    Raises:
        TypeError: `filenames` are no strings.
        InvalidArgumentError: While elements are taken: a file ends within a record.
        NotFoundError: While elements are taken: there is no such file.
        DataLossError: While elements are taken: a compressed file is damaged.

    >>> import os, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "pairs")
    >>> tf.io.write_file(path, "aabbcc")
    >>> list(tf.data.FixedLengthRecordDataset(path, 2).as_numpy_iterator())
    [b'aa', b'bb', b'cc']
    """

    _form = FixedFormat

    def __init__(
        self,
        filenames: TensorLike,
        record_bytes: TensorLike,
        header_bytes: TensorLike | None = None,
        footer_bytes: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        compression_type: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
        name: str | None = None,
    ) -> None:
        numbers = (record_bytes, header_bytes, footer_bytes)
        self._read(filenames, compression_type, buffer_size, num_parallel_reads, *numbers)
