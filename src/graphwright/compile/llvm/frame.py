"""The frame of a call: one block of 8-byte slots that native code works on.

Slot 0 is the status, slot 1 what the boundary keeps of Python's thread; then the symbols'
values, the buffers' addresses, the scalars, and the results' dimensions. Whoever calls fills in
the dimensions of the inputs and their addresses.
"""

from __future__ import annotations

from typing import Any

from graphwright.compile.nests.nest import Program

#: The status of a run that a signal has ended; with any other but 0 the slow tier must do it.
INTERRUPTED = 2

#: That of a run that finds no memory when it may have written in memory that its arguments lent:
#: nobody can do it again.
EXHAUSTED = 4

THREAD = 1  # the slot

#: With more elements than this to compute, the interpreter's lock is let go of.
RELEASE = 20_000


class Frame:
    """Where everything of a program is; `sanitizer` instruments its code, if anything does."""

    def __init__(self, program: Program, sanitizer: Any = None) -> None:
        count = 1 + max(
            [
                *[s for s, _, _ in program.symbols],
                *[s for s, _, _ in program.derived],
                *[s for s, _ in program.numbers],
            ],
            default=-1,
        )
        self.symbols = 2
        self.buffers = self.symbols + count
        self.scalars = self.buffers + len(program.buffers)
        self.dims = self.scalars + program.scalars
        ranks = [len(shape) for _, shape in program.results]
        self.shadows = self.dims + sum(ranks)
        self.sanitizer = sanitizer
        self.size = self.shadows + (0 if self.sanitizer is None else len(program.buffers))
        self.result_dims = [self.dims + sum(ranks[:i]) for i in range(len(ranks))]

    def symbol(self, i: int) -> int:
        """The slot of a symbol's value."""
        return self.symbols + i

    def buffer(self, i: int) -> int:
        """The slot of a buffer's address."""
        return self.buffers + i

    def scalar(self, i: int) -> int:
        """The slot of a scalar."""
        return self.scalars + i

    def shadow(self, i: int) -> int:
        """The slot of the address of a buffer's shadow, where the code is sanitized."""
        return self.shadows + i
