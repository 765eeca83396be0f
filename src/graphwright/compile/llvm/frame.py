"""The frame of a call: one block of 8-byte slots that native code works on.

Slot 0 is the status, slot 1 the state of Python's thread. Then come the values of symbols, the
addresses of buffers, the scalars, and the dimensions of results. The caller fills in the dimensions
and addresses of the inputs.
"""

from __future__ import annotations

from typing import Any

from graphwright.compile.nests.nest import Program, exchanged

#: The status of a run that a signal has ended. After any other but 0 the slow tier does the call.
INTERRUPTED = 2

#: The status of a run that lacks memory when it may have overwritten arguments: the call cannot be
#: done again.
EXHAUSTED = 4

THREAD = 1  # the slot

#: A run that computes more elements than this releases the interpreter's lock.
RELEASE = 20_000


class Frame:
    """The slots of a program; a `sanitizer` may instrument its code."""

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
        moved = set(exchanged(program.body))
        #: Buffers that lie in the memory of another one as long as the program runs.
        self.guests = {
            i: home for i, home in program.homes if i != home and moved.isdisjoint((i, home))
        }
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
        """The slot of a buffer's address, which may be that of others in the same memory."""
        return self.buffers + self.guests.get(i, i)

    def scalar(self, i: int) -> int:
        """The slot of a scalar."""
        return self.scalars + i

    def shadow(self, i: int) -> int:
        """The slot of the address of a buffer's shadow, in sanitized code."""
        return self.shadows + i
