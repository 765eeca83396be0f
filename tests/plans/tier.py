"""The fourth tier: every segment that is compiled runs through the interpreter of plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from plans.interpreter import Run, interpret
from plans.meetings import Meeting, meetings
from plans.memory import Refused

from graphwright.compile.nests.element_kinds import DTYPES
from graphwright.compile.nests.nest import Program
from graphwright.compile.run import executable


class Log:
    """What happened while plans were interpreted."""

    def __init__(self) -> None:
        self.runs = 0
        self.refused = 0
        #: Violations, and whatever else ended a run: a program may catch it.
        self.errors: list[tuple[Program, Exception]] = []
        self.meetings: Counter[Meeting] = Counter()

    def note(self, run: Run) -> None:
        """A run that came to its end."""
        self.runs += 1
        self.meetings.update({m for met in run.memory.meetings for m in meetings(*met)})


class Interpreted:
    """A program that is interpreted, with the interface of `executable.Executable`."""

    def __init__(self, program: Program, constants: Sequence[Any], log: Log) -> None:
        self.program, self.log = program, log
        self.constants = [np.ascontiguousarray(c) for c in constants]

    def function(self) -> Callable[..., Any]:
        """What runs it; None for what it refuses."""
        return lambda *arrays: self.run(0, arrays)

    def lending(self) -> Callable[..., Any]:
        """The same, given first the bits of the results that have the memory of inputs."""
        return lambda bits, arrays: self.run(bits, arrays)

    def run(self, bits: int, arrays: Sequence[Any]) -> Any:
        """The results."""
        lent = frozenset(r for r, _ in self.program.reuses if bits >> r & 1)
        if not self.takes(arrays):
            return None
        try:
            run, results = interpret(self.program, self.constants, arrays, lent)
        except Refused:
            self.log.refused += 1
            return None
        except Exception as error:
            self.log.errors.append((self.program, error))
            raise
        self.log.note(run)
        return results

    def takes(self, arrays: Sequence[Any]) -> bool:
        """Whether the arrays are such as machine code takes."""
        buffers = [self.program.buffers[b] for b in self.program.inputs]
        return all(
            type(a) is np.ndarray
            and a.flags.c_contiguous
            and a.flags.aligned
            and a.dtype == DTYPES[b.kind].numpy_dtype
            and a.ndim == len(b.shape)
            for a, b in zip(arrays, buffers)
        )


def as_it_is(program: Program) -> Program:
    """The program."""
    return program


@contextmanager
def interpreted(changed: Callable[[Program], Program] = as_it_is) -> Iterator[Log]:
    """Has what is compiled from here on, with `jit_compile=True` say, run in the interpreter: as
    it is, or with a fault planted in it."""
    log, compiled = Log(), executable.executables

    def programs(segments: Sequence[Any], is_quick: bool) -> Any:
        pairs = [segment.lowered for segment in segments]
        return [Interpreted(changed(program), constants, log) for program, constants in pairs]

    executable.executables = programs
    try:
        yield log
    finally:
        executable.executables = compiled
