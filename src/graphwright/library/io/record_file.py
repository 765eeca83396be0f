"""Files of records: `tf.io.TFRecordWriter`, its options, and a reader."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from typing import IO, Any, ClassVar, TypeAlias

from graphwright.base.errors import FailedPreconditionError
from graphwright.base.files import PathLike
from graphwright.library.io.pieces import RecordPieces
from graphwright.library.io.plain_bytes import GZIP
from graphwright.library.io.records import framed
from graphwright.ops.io.file_system import opened


class TFRecordOptions:
    """The compression of a record file.

    Args:
        compression_type: "", "GZIP" or "ZLIB"; None means "".
        flush_mode: It has no effect.
        input_buffer_size: It has no effect.
        output_buffer_size: It has no effect.
        window_bits: An int: zlib's `wbits`. This and the arguments below leave zlib's default with
            None.
        compression_level: An int: zlib's `level`.
        compression_method: An int: zlib's `method`.
        mem_level: An int: zlib's `memLevel`.
        compression_strategy: An int: zlib's `strategy`.

    Raises:
        ValueError: There is no such compression.

    >>> import graphwright as tf
    >>> import os, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "data.tfrecord")
    >>> with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions("GZIP")) as file:
    ...     file.write(b"first")
    >>> list(tf.compat.v1.io.tf_record_iterator(path, "GZIP"))
    [b'first']
    """

    compression_type_map: ClassVar[dict[int | str, str]] = {0: "", 1: "ZLIB", 2: "GZIP"}

    def __init__(
        self,
        compression_type: str | None = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Compression) -> str:
        """Returns the compression that options or a type name.

        Args:
            options: A `tf.io.TFRecordOptions`, a string, a number of TensorFlow's, or None.

        Returns:
            "", "GZIP" or "ZLIB".

        Raises:
            ValueError: There is no such compression.
        """
        if isinstance(options, TFRecordOptions):
            options = options.compression_type
        if not options:
            return ""
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return str(options)
        raise ValueError(f'Not a valid compression_type: "{options}"')

    def compressor(self) -> Any:
        """A compressor with these options, or None without compression."""
        kind = self.get_compression_type_string(self)
        if not kind:
            return None
        arguments: dict[str, Any] = {
            "level": self.compression_level,
            "method": self.compression_method,
            "memLevel": self.mem_level,
            "strategy": self.compression_strategy,
        }
        bits = zlib.MAX_WBITS if self.window_bits is None else self.window_bits
        if kind == "GZIP" and bits <= zlib.MAX_WBITS:
            bits += GZIP
        return zlib.compressobj(wbits=bits, **{k: v for k, v in arguments.items() if v is not None})


#: The compression of a record file: options, or a type by name or number.
Compression: TypeAlias = TFRecordOptions | str | int | None


class TFRecordWriter:
    """Writes a new file of records; a context manager that closes it.

    Args:
        path: The path of the file, as text or a path object.
        options: A `tf.io.TFRecordOptions`, or a compression type: "GZIP", "ZLIB" or None.

    Raises:
        ValueError: There is no such compression.
        NotFoundError: There is no such folder.

    >>> import graphwright as tf
    >>> import os, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "data.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as file:
    ...     file.write(b"first")
    ...     file.write(b"second")
    >>> list(tf.compat.v1.io.tf_record_iterator(path))
    [b'first', b'second']
    """

    def __init__(self, path: PathLike, options: TFRecordOptions | str | None = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        self._compressor = options.compressor()
        self._file: IO[bytes] | None = opened(path, "wb")

    def write(self, record: bytes | str) -> None:
        """Adds a record.

        Args:
            record: Bytes, or a str that is written as UTF-8.

        Raises:
            TypeError: It is neither.
            FailedPreconditionError: The file is closed.
        """
        if not isinstance(record, (bytes, str)):
            raise TypeError(f"write(): a record must be bytes, got {record!r}.")
        file = self._open()
        data = framed(record.encode() if isinstance(record, str) else record)
        file.write(data if self._compressor is None else self._compressor.compress(data))

    def flush(self) -> None:
        """Hands everything written so far to the system."""
        file = self._open()
        if self._compressor is not None:
            file.write(self._compressor.flush(zlib.Z_PARTIAL_FLUSH))
        file.flush()

    def close(self) -> None:
        """Closes the file; closing it again does nothing."""
        file, self._file = self._file, None
        if file is not None:
            with file:
                if self._compressor is not None:
                    file.write(self._compressor.flush())

    def _open(self) -> IO[bytes]:
        if self._file is None:
            raise FailedPreconditionError(None, None, "Writer is closed.")
        return self._file

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def read_records(path: PathLike, compression: Compression = None) -> Iterator[bytes]:
    """The records of a file; DataLossError where it is damaged."""
    kind = TFRecordOptions.get_compression_type_string(compression)
    pieces = RecordPieces(os.fsdecode(path), kind)
    try:
        while records := pieces.next():
            yield from records
    finally:
        pieces.close()


def tf_record_iterator(path: PathLike, options: Compression = None) -> Iterator[bytes]:
    """Reads the records of a TFRecord file one after the other.

    Args:
        path: The path of the file, as text or a path object.
        options: A `tf.io.TFRecordOptions`, or a compression type: "GZIP", "ZLIB" or None.

    Returns:
        An iterator over bytes objects.

    Raises:
        NotFoundError: There is no such file.
        DataLossError: The file is damaged.

    >>> import os, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "two.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"first")
    ...     writer.write(b"second")
    >>> list(tf.compat.v1.io.tf_record_iterator(path))
    [b'first', b'second']
    """
    return read_records(path, options)
