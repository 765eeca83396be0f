"""`tf.io.gfile`: the files and directories of the machine, with TensorFlow's errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import IO, Any, TypeVar

from graphwright.base.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
)
from graphwright.base.file_paths import file_path
from graphwright.base.files import PathLike, TextPath
from graphwright.base.named_tuples import NamedTuple
from graphwright.ops.io.file_system import attempted, failed, matching, matching_files, opened
from graphwright.types.arguments import TensorLike
from graphwright.values.variable import Variable

#: A part of a path; the parts of one path are all text or all bytes.
Part = TypeVar("Part", str | os.PathLike[str], bytes | os.PathLike[bytes])

MODES = ("r", "w", "a", "r+", "w+", "a+")


class FileStatistics(NamedTuple):
    """The size of a file, when it was changed, and whether it is a directory."""

    length: int
    mtime_nsec: int
    is_directory: bool


class GFile:
    """A file that the first read or write opens; a context manager, an iterator over its lines.

    Text is UTF-8; with "b" in the mode, reading gives bytes. A mode with "+" may read and write;
    with "r+" the first write starts a new file.

    Args:
        name: The path, as text or a path object.
        mode: "r", "w", "a", or one of these with "+" or "b" or both.

    Raises:
        InvalidArgumentError: There is no such mode.

    >>> import graphwright as tf
    >>> import os, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
    >>> with tf.io.gfile.GFile(path, "w") as file:
    ...     file.write("one two")
    >>> tf.io.gfile.GFile(path).read()
    'one two'
    """

    def __init__(self, name: PathLike, mode: str = "r") -> None:
        plain = mode.replace("b", "")
        if plain not in MODES:
            raise InvalidArgumentError(
                None, None, f"mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+': {mode!r}"
            )
        self._path = os.fspath(name)
        self._mode = mode
        self._plain = plain
        self._binary = "b" in mode
        self._reader: IO[bytes] | None = None
        self._writer: IO[bytes] | None = None

    @property
    def name(self) -> str | bytes:
        """The path, as text or bytes."""
        return self._path

    @property
    def mode(self) -> str:
        """The mode, as the constructor got it."""
        return self._mode

    def read(self, n: int = -1) -> Any:
        """Reads on.

        Args:
            n: An int: the number of bytes. A negative one means all that are left.

        Returns:
            A str, or bytes where the mode has "b".

        Raises:
            PermissionDeniedError: The mode does not read.
            NotFoundError: There is no such file.
        """
        return self._decoded(self._reading().read(n))

    def readline(self) -> Any:
        r"""The next line with its end, without carriage returns; empty at the end of the file.

        >>> import os, tempfile, graphwright as tf
        >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
        >>> with tf.io.gfile.GFile(path, "wb") as file:
        ...     file.write(b"one\r\ntwo\r\n")
        >>> with tf.io.gfile.GFile(path) as file:
        ...     file.readline()
        'one\n'
        """
        return self._decoded(self._reading().readline().replace(b"\r", b""))

    def readlines(self) -> list[Any]:
        """All lines that are left."""
        return list(self)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Goes to a position.

        Args:
            offset: An int: how far to go.
            whence: What the offset is relative to: 0 for the start, 1 for here, 2 for the end.
            position: The former name of `offset`.

        Raises:
            TypeError: There is no offset.
            InvalidArgumentError: `whence` is another number.

        >>> import graphwright as tf
        >>> import os, tempfile, graphwright as tf
        >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
        >>> with tf.io.gfile.GFile(path, "w") as file:
        ...     file.write("one two")
        >>> with tf.io.gfile.GFile(path) as file:
        ...     file.seek(-3, whence=2)
        ...     file.read()
        'two'
        """
        target = position if offset is None else offset
        if target is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise InvalidArgumentError(None, None, f"whence must be 0, 1 or 2, got {whence}")
        self._reading().seek(target, whence)

    def tell(self) -> int:
        """The position of the next read, or behind the last write."""
        file = self._writer if self._writer is not None else self._reading()
        return file.tell()

    def seekable(self) -> bool:
        """True."""
        return True

    def size(self) -> int:
        """The length of the file in bytes."""
        return stat(self._path).length

    def write(self, file_content: str | bytes) -> None:
        """Writes text, as UTF-8, or bytes.

        Args:
            file_content: A str or bytes.

        Raises:
            PermissionDeniedError: The mode does not write.
        """
        content = file_content.encode() if isinstance(file_content, str) else bytes(file_content)
        self._writing().write(content)

    def flush(self) -> None:
        """Hands what was written to the system."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Closes the file; a later read or write opens it again."""
        for file in (self._reader, self._writer):
            if file is not None:
                file.close()
        self._reader = self._writer = None

    def _reading(self) -> IO[bytes]:
        if self._plain in ("w", "a"):
            raise PermissionDeniedError(None, None, "File isn't open for reading")
        if self._reader is None:
            self._reader = opened(self._path, "rb")
        return self._reader

    def _writing(self) -> IO[bytes]:
        if self._plain == "r":
            raise PermissionDeniedError(None, None, "File isn't open for writing")
        if self._writer is None:
            self._writer = opened(self._path, "ab" if self._plain[0] == "a" else "wb")
        return self._writer

    def _decoded(self, data: bytes) -> Any:
        return data if self._binary else data.decode()

    def __enter__(self) -> GFile:
        if self._plain[0] in "wa":
            self._writing()  # a block that writes nothing makes a file too
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __del__(self) -> None:
        if getattr(self, "_writer", None) is not None or getattr(self, "_reader", None) is not None:
            self.close()


def exists(path: PathLike) -> bool:
    """Says whether a path names a file or a directory.

    Args:
        path: A path as text, bytes or a path object.

    Returns:
        A bool.

    >>> import tempfile, graphwright as tf
    >>> tf.io.gfile.exists(tempfile.mkdtemp())
    True
    """
    return attempted(lambda each: each.exists(), path)


def isdir(path: PathLike) -> bool:
    """Says whether a path names a directory.

    Args:
        path: A path as text, bytes or a path object.

    Returns:
        A bool.

    >>> import tempfile, graphwright as tf
    >>> tf.io.gfile.isdir(tempfile.mkdtemp())
    True
    """
    try:
        return attempted(lambda each: each.is_folder(), path)
    except OpError:  # as TensorFlow says it of a scheme that nobody knows
        return False


def join(path: Part, *paths: Part) -> Any:
    """Joins parts to one path.

    Args:
        path: The first part, as text, bytes or a path object.
        *paths: Further parts. An absolute one drops all parts before it.

    Returns:
        A str, or bytes where the parts are bytes.

    >>> import graphwright as tf
    >>> tf.io.gfile.join("logs", "run", "events")
    'logs/run/events'
    """
    return os.path.join(path, *paths)


def stat(path: PathLike) -> FileStatistics:
    """Returns the size of a file, the time of its last change, and whether it is a directory.

    Args:
        path: A path as text, bytes or a path object.

    Returns:
        A named tuple of `length` (bytes), `mtime_nsec` (nanoseconds since 1970) and `is_directory`.

    Raises:
        NotFoundError: There is no such file.

    >>> import tempfile, graphwright as tf
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     tf.io.gfile.stat(file.name).length
    0
    """
    return FileStatistics(*attempted(lambda each: each.status(), path), isdir(path))


def listdir(path: TextPath) -> list[str]:
    """Lists the names in a directory, in any order.

    Args:
        path: The directory, as text or a path object.

    Returns:
        A list of names, without the directory.

    Raises:
        NotFoundError: There is no such directory.

    >>> import os, tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp()
    >>> os.mkdir(os.path.join(folder, "run"))
    >>> tf.io.gfile.listdir(folder)
    ['run']
    """
    if not isdir(path):
        raise NotFoundError(None, None, f"Could not find directory {path}")
    return attempted(lambda each: each.names(), path)


def glob(pattern: TextPath | list[TextPath] | tuple[TextPath, ...]) -> list[str]:
    """Lists the paths that match patterns.

    Args:
        pattern: A pattern as text or a path object, or a list of patterns. `*`, `?` and `[...]`
            match characters within one name, not the separators of directories.

    Returns:
        A list of paths, in any order for each pattern.

    >>> import os, tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp()
    >>> os.mkdir(os.path.join(folder, "run"))
    >>> tf.io.gfile.glob(folder + "/r*") == [folder + "/run"]
    True
    """
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return [path for each in patterns for path in matching(each)]


def mkdir(path: PathLike) -> None:
    """Makes a directory unless there is one already.

    Args:
        path: The directory, as text, bytes or a path object.

    Raises:
        NotFoundError: The directory above it is missing.

    >>> import tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp() + "/run"
    >>> tf.io.gfile.mkdir(folder)
    >>> tf.io.gfile.isdir(folder)
    True
    """
    if not isdir(path):
        attempted(lambda each: each.make_folder(), path)


def makedirs(path: PathLike) -> None:
    """Makes a directory and those above it that are missing.

    Args:
        path: The directory, as text, bytes or a path object.

    Raises:
        FailedPreconditionError: A file has the name of one of the directories.

    >>> import tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp() + "/logs/run"
    >>> tf.io.gfile.makedirs(folder)
    >>> tf.io.gfile.isdir(folder)
    True
    """
    try:
        file_path(path).make_folders()
    except (FileExistsError, NotADirectoryError) as error:
        raise FailedPreconditionError(None, None, f"{os.fsdecode(path)} is no directory") from error
    except OSError as error:
        raise failed(error, path) from error


def refuse_existing(path: PathLike, overwrite: bool) -> None:
    """Raises AlreadyExistsError if there is a file that may not be replaced."""
    if not overwrite and exists(path):
        raise AlreadyExistsError(None, None, f"file already exists: {os.fsdecode(path)}")


def copy(src: PathLike, dst: PathLike, overwrite: bool = False) -> None:
    """Copies a file.

    Args:
        src: The path of the file, as text, bytes or a path object.
        dst: The path of the copy.
        overwrite: Whether a file at `dst` may be replaced.

    Raises:
        AlreadyExistsError: There is a file at `dst`, and `overwrite` is False.
        NotFoundError: There is no file at `src`.

    >>> import tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp()
    >>> with tf.io.gfile.GFile(folder + "/a", "w") as file:
    ...     file.write("one")
    >>> tf.io.gfile.copy(folder + "/a", folder + "/b")
    >>> tf.io.gfile.GFile(folder + "/b").read()
    'one'
    """
    refuse_existing(dst, overwrite)
    with opened(src, "rb") as file:
        content = file.read()
    attempted(lambda target: target.write(content), dst)


def rename(src: PathLike, dst: PathLike, overwrite: bool = False) -> None:
    """Renames or moves a file or directory.

    Args:
        src: The present path, as text, bytes or a path object.
        dst: The new path.
        overwrite: Whether a file at `dst` may be replaced.

    Raises:
        AlreadyExistsError: There is a file at `dst`, and `overwrite` is False.
        NotFoundError: There is no file at `src`.

    >>> import tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.mkdir(folder + "/a")
    >>> tf.io.gfile.rename(folder + "/a", folder + "/b")
    >>> tf.io.gfile.listdir(folder)
    ['b']
    """
    refuse_existing(dst, overwrite)
    attempted(lambda source: source.move(file_path(dst)), src)


def remove(path: PathLike) -> None:
    """Deletes a file.

    Args:
        path: The path of the file, as text, bytes or a path object.

    Raises:
        NotFoundError: There is no such file.
        FailedPreconditionError: The path names a directory.

    >>> import tempfile, graphwright as tf
    >>> path = tempfile.mkdtemp() + "/a"
    >>> with tf.io.gfile.GFile(path, "w") as file:
    ...     file.write("one")
    >>> tf.io.gfile.remove(path)
    >>> tf.io.gfile.exists(path)
    False
    """
    if isdir(path):
        raise FailedPreconditionError(None, None, f"{os.fsdecode(path)} is a directory")
    attempted(lambda each: each.remove_file(), path)


def rmtree(path: PathLike) -> None:
    """Deletes a directory with all that it contains.

    Args:
        path: The path of the directory, as text, bytes or a path object; or of a file.

    Raises:
        NotFoundError: There is no such directory.

    >>> import tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.makedirs(folder + "/logs/run")
    >>> tf.io.gfile.rmtree(folder)
    >>> tf.io.gfile.exists(folder)
    False
    """
    if isdir(path):
        attempted(lambda each: each.remove_folder(), path)
    else:
        remove(path)


def walk(
    top: TextPath, topdown: bool = True, onerror: Callable[[Exception], object] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Visits a directory and every directory below it.

    Args:
        top: The directory, as text or a path object.
        topdown: Whether a directory comes before those in it.
        onerror: A function of one argument: the error where a directory cannot be listed. None
            leaves such directories out.

    Returns:
        An iterator over tuples: the path of a directory, the names of the directories in it, and
        the names of its files.

    >>> import tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.mkdir(folder + "/run")
    >>> [(path.removeprefix(folder), inside) for path, inside, _ in tf.io.gfile.walk(folder)]
    [('', ['run']), ('/run', [])]
    """

    def report(error: OSError) -> None:
        if onerror is not None:
            onerror(failed(error, top))

    return file_path(top).listings(topdown, report)


def get_registered_schemes() -> list[str]:
    """Lists the schemes of the machine's own files; all others are fsspec's.

    Returns:
        A list of str.

    >>> import graphwright as tf
    >>> tf.io.gfile.get_registered_schemes()
    ['', 'file']
    """
    return ["", "file"]


def match_filenames_once(pattern: TensorLike, name: str | None = None) -> Variable:
    """Makes a variable of the paths that match patterns at this moment, in order.

    Args:
        pattern: A string tensor: a pattern or a vector of patterns, with `*`, `?` and `[...]`.
        name: A name for the variable.

    Returns:
        A `tf.Variable` of strings, of shape [None]; it is not trainable.

    >>> import graphwright as tf
    >>> tf.io.match_filenames_once("/no such directory/*").shape
    TensorShape([None])
    """
    paths = matching_files(pattern)
    return Variable(paths, trainable=False, name=name or "matching_filenames", shape=[None])
