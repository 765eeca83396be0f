"""The files of the machine, read, written and found by ops."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import IO, Any, TypeVar

import numpy as np

from graphwright.base.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from graphwright.base.file_paths import FilePath, file_path
from graphwright.base.files import PathLike
from graphwright.op.interpreter import apply
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.ops.strings.text_operands import only, scalar, string, texts
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, show_dims

T = TypeVar("T")

#: The error for each reason of the system; Python's class says it where there is no number.
_KINDS: dict[type[OpError], tuple[int, ...]] = {
    NotFoundError: (errno.ENOENT, errno.ENODEV, errno.ENXIO),
    AlreadyExistsError: (errno.EEXIST,),
    PermissionDeniedError: (errno.EACCES, errno.EPERM, errno.EROFS),
    FailedPreconditionError: (errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.EBUSY),
    ResourceExhaustedError: (
        errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE,
        errno.EFBIG,  # in TensorFlow an OutOfRangeError, which ends a dataset
    ),
    InvalidArgumentError: (errno.EINVAL, errno.ENAMETOOLONG),
    UnimplementedError: (errno.ENOTSUP, errno.ENOSYS),
}  # fmt: skip
_OF_NUMBERS = {number: kind for kind, numbers in _KINDS.items() for number in numbers}
_OF_CLASSES: dict[type[OSError], int] = {
    FileNotFoundError: errno.ENOENT,
    FileExistsError: errno.EEXIST,
    PermissionError: errno.EACCES,
    IsADirectoryError: errno.EISDIR,
    NotADirectoryError: errno.ENOTDIR,
}


class ReadFile(Op):
    """The contents of a file."""

    type_name = "ReadFile"
    inputs = ("filename: string",)
    outputs = ("contents: string",)
    effect = Effect.READ
    gradient = not_differentiable

    def shapes(self, filename: TensorType) -> Shapes:
        return (only(filename, "filename"),)

    def kernel(self, filename: Array) -> Any:
        path = file_path(scalar(filename, "Input filename tensor"))
        with system_errors(path):
            return np.array(path.read(), object)


class WriteFile(Op):
    """Replaces the contents of a file, at once or not at all; makes its directory."""

    type_name = "WriteFile"
    inputs = ("filename: string", "contents: string")
    effect = Effect.WRITE
    gradient = not_differentiable

    def shapes(self, filename: TensorType, contents: TensorType) -> Shapes:
        only(filename, "filename")
        only(contents, "contents")
        return ()

    def kernel(self, filename: Array, contents: Array) -> None:
        path = file_path(scalar(filename, "Input filename tensor"))
        data = scalar(contents, "Contents tensor")
        with system_errors(path):
            path.write(data)


class MatchingFiles(Op):
    """The paths that match patterns, in order."""

    type_name = "MatchingFiles"
    inputs = ("pattern: string",)
    outputs = ("filenames: string",)
    effect = Effect.READ
    gradient = not_differentiable

    def shapes(self, pattern: TensorType) -> Shapes:
        if pattern.rank is not None and pattern.rank > 1:
            raise ValueError(f"pattern must be a scalar or a vector, not {show_dims(pattern.dims)}")
        return ((None,),)

    def kernel(self, pattern: Array) -> Any:
        patterns = texts(pattern)
        if patterns.ndim > 1:
            raise ValueError(f"pattern must be a scalar or a vector, not {patterns.shape}")
        paths = [path for each in patterns.ravel() for path in matching(each)]
        names = np.empty(len(paths), object)
        names[:] = [os.fsencode(path) for path in sorted(paths)]
        return names


def failed(error: OSError, path: PathLike) -> Exception:
    """An error of ours with the words of the system about a file."""
    number = error.errno or _OF_CLASSES.get(type(error), 0)  # fsspec leaves numbers and words out
    words = error.strerror or (str(error) if not number else os.strerror(number))
    kind = _OF_NUMBERS.get(number, UnknownError)
    return kind(None, None, f"{os.fsdecode(path)}; {words}")


class system_errors:
    """Makes errors of the system in a block those of `tf.errors`, with a path.

    It is a class, since `contextlib` would stand in the tracebacks.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, place: object) -> None:
        if isinstance(error, OSError):
            raise failed(error, self.path) from error


def opened(path: PathLike, mode: str) -> IO[bytes]:
    """An open file; errors of the system become those of `tf.errors`."""
    return attempted(lambda each: each.opened(mode), path)


def attempted(call: Callable[[FilePath], T], path: PathLike) -> T:
    """The result of a call for a path; errors of the system become those of `tf.errors`."""
    with system_errors(path):
        return call(file_path(path))


def matching(pattern: PathLike) -> list[str]:
    """The paths that match a pattern, in any order; those in no directory begin with "./"."""
    with system_errors(pattern):
        return file_path(pattern).matches()


READ_FILE, WRITE_FILE, MATCHING_FILES = ReadFile(), WriteFile(), MatchingFiles()


# -- the public functions -------------------------------------------------------------------


def read_file(filename: TensorLike, name: str | None = None) -> Tensor:
    """Reads a whole file.

    Args:
        filename: A scalar of string: the path.
        name: A name for the op.

    Returns:
        A scalar of string: the contents.

    Raises:
        NotFoundError: There is no such file.

    >>> import graphwright as tf
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.txt")
    ...     _ = path.write_text("Hello")
    ...     print(tf.io.read_file(str(path)).numpy())
    b'Hello'
    """
    return apply(READ_FILE, string(filename), name=name)


def write_file(filename: TensorLike, contents: TensorLike, name: str | None = None) -> Any:
    """Replaces the contents of a file, at once or not at all, and makes its directory.

    Args:
        filename: A scalar of string: the path.
        contents: A scalar of string.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    >>> import graphwright as tf
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new", "a.txt")
    ...     tf.io.write_file(str(path), "Hello")
    ...     print(path.read_text())
    Hello
    """
    return apply(WRITE_FILE, string(filename), string(contents), name=name)


def matching_files(pattern: TensorLike, name: str | None = None) -> Tensor:
    """Returns the sorted paths that match any of some patterns.

    `*`, `?` and `[...]` stand for characters of a file's name, not of its directory.

    Args:
        pattern: A scalar or vector of strings.
        name: A name for the op.

    Returns:
        A 1-D tensor of strings.

    Raises:
        InvalidArgumentError: `pattern` has more than one axis.

    >>> import graphwright as tf
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for file in ("b.txt", "a.txt", "c.csv"):
    ...         pathlib.Path(folder, file).touch()
    ...     found = tf.io.matching_files(folder + "/*.txt").numpy()
    >>> [path[-5:] for path in found]
    [b'a.txt', b'b.txt']
    """
    return apply(MATCHING_FILES, string(pattern), name=name)
