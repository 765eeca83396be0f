"""Calls of compiled libraries by ctypes, as a program without this package would make them."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes  # noqa: F401 - its dtypes are NumPy's by name
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: A function in a header: a comment with its arrays, and its name.
_FUNCTION = re.compile(r"/\*\n((?: \* .*\n)+) \*/\nint (\w+)\(")


class LibraryError(Exception):
    """A function of a library returned a code."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


class DeclaredArray(NamedTuple):
    """An argument or a result, as a header has it."""

    name: str
    dtype: Any
    dims: tuple[int | None, ...]


def declared(header: str) -> dict[str, tuple[list[DeclaredArray], list[DeclaredArray]]]:
    """The arguments and results of each function of a header."""
    functions = {}
    for comment, name in _FUNCTION.findall(header):
        before, after = comment.split(" * ->\n")
        functions[name] = arrays_of(before), arrays_of(after)
    return functions


def arrays_of(lines: str) -> list[DeclaredArray]:
    """The arrays that lines of a comment declare."""
    arrays = []
    for name, dtype, dims in re.findall(r" \* (\w+): (\w+)(?:\[(.*)\])?", lines):
        sizes = [None if size == "?" else int(size) for size in dims.split(",") if size]
        arrays.append(DeclaredArray(name, np.dtype(dtype), tuple(sizes)))
    return arrays


class LoadedLibrary:
    """A library in this process, with the functions that its header declares."""

    def __init__(self, path: Path) -> None:
        self.library = ctypes.CDLL(str(path))
        self.prefix = path.name.partition(".")[0].removeprefix("lib")
        self.functions = declared(path.with_suffix(".h").read_text())
        self.error = getattr(self.library, f"{self.prefix}_error")
        self.error.restype = ctypes.c_char_p
        self.free = getattr(self.library, f"{self.prefix}_free")
        self.free.argtypes = [ctypes.c_void_p]

    def call(self, name: str, *arrays: Array) -> list[Array]:
        """The results of a function, as new arrays; `LibraryError` for what is no success."""
        symbol = f"{self.prefix}_{name}"
        parameters, results = self.functions[symbol]
        arguments: list[Any] = []
        inputs = [np.require(x, p.dtype, "C") for x, p in zip(arrays, parameters, strict=True)]
        for array in inputs:
            arguments.append(ctypes.c_void_p(array.ctypes.data))
            if array.ndim:
                arguments.append((ctypes.c_int64 * array.ndim)(*array.shape))
        places = []
        for result in results:
            data, dims = ctypes.c_void_p(1), (ctypes.c_int64 * len(result.dims))()
            places.append((data, dims))
            arguments += [ctypes.byref(data), dims] if result.dims else [ctypes.byref(data)]
        code = getattr(self.library, symbol)(*arguments)
        if code:
            assert all(data.value is None for data, _ in places), "a result is left"
            raise LibraryError(code, self.error(code).decode())
        return [self.taken(*place, result) for place, result in zip(places, results)]

    def taken(self, data: ctypes.c_void_p, dims: Sequence[int], result: DeclaredArray) -> Array:
        """A copy of a result, whose memory is freed."""
        shape = tuple(dims)
        for size, expected in zip(shape, result.dims):
            assert expected in (None, size), f"{result.name} has the sizes {shape}"
        size = int(np.prod(shape, dtype=np.int64)) * result.dtype.itemsize
        raw = ctypes.string_at(data, size)
        self.free(data)
        return np.frombuffer(raw, result.dtype).reshape(shape)
