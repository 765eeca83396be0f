"""Compiled programs: from a graph to a Python function that runs machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from graphwright.kernels.exclusion import exclusive
from graphwright.lower.kinds import DTYPES
from graphwright.lower.llvm.boundary import (
    boundary,
    is_supported,
    native_function,
    table,
)
from graphwright.lower.llvm.frame import Frame
from graphwright.lower.llvm.machine import Library, machine
from graphwright.lower.llvm.render import render
from graphwright.lower.nest import Program
from graphwright.lower.sizes import NotNative

#: The machine code in use, by the text that it was made of.
_LIBRARIES: WeakValueDictionary[str, Library] = WeakValueDictionary()


@exclusive
def library_of(text: str) -> Library:
    """The machine code of a module, compiled once in this process."""
    if not is_supported():
        raise NotNative("arrays lie in memory otherwise than native code expects")
    found = _LIBRARIES.get(text)
    if found is None:
        boundary()
        found = _LIBRARIES[text] = machine().link(text, ("prepare", "run"))
    return found


class Executable:
    """A program that runs: takes the graph's arguments as arrays, returns a tuple of arrays.

    None says that it cannot do these: an array that is not contiguous, sizes that the program
    did not expect, an integer divided by zero.
    """

    def __init__(self, program: Program, constants: list[Any]) -> None:
        self.program = program
        self.constants = [np.ascontiguousarray(c) for c in constants]
        text, self.frame = render(program)
        self.library = library_of(text)
        self._native = native_function(describe(program, self.frame, self.library))

    def function(self) -> Callable[..., Any]:
        """What calls it: the C function itself where no constants are to be added."""
        native, constants = self._native, self.constants
        if not constants:
            return native
        return lambda *arrays: native(*arrays, *constants)


def describe(program: Program, frame: Frame, library: Library) -> bytes:
    """The program's table for the boundary."""
    inputs = [
        (
            DTYPES[program.buffers[b].kind].numpy_dtype,
            len(program.buffers[b].shape),
            frame.buffer(b),
        )
        for b in program.inputs
    ]
    symbols = [
        (frame.symbol(s), i, axis, expected)
        for (s, i, axis), expected in zip(program.symbols, program.expected)
    ]
    results = [
        (
            DTYPES[program.buffers[b].kind].numpy_dtype,
            len(shape),
            dims,
            frame.buffer(b),
            program.buffers[b].role == "late",
        )
        for (b, shape), dims in zip(program.results, frame.result_dims)
    ]
    return table(frame, inputs, symbols, results, library)
