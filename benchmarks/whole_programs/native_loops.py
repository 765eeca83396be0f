"""Which loops of the whole programs run in machine code, and what keeps the others out.

    python -m benchmarks.whole_programs.native_loops [--only NAME ...] [--small]

A line for each program, of graphwright alone: the time of a settled call in microseconds, whether
its loops are native, and what keeps one in Python, with the place in the program.
"""

from __future__ import annotations

import argparse
import timeit
from typing import Any

from benchmarks.peers import OURS, module_of
from benchmarks.whole_programs.table import PROGRAMS
from benchmarks.whole_programs.whole_program import Step, WholeProgram, settle


class Recording:
    """The module, whose functions are noted."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf
        self.functions: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tf, name)

    def function(self, function: Any) -> Any:
        self.functions.append(self.tf.function(function))
        return self.functions[-1]

    def traces(self) -> list[Any]:
        """The traces of all functions so far."""
        return [t for function in self.functions for t in function._list_all_concrete_functions()]


def loops_outside(program: WholeProgram, size: int) -> list[str]:
    """What keeps each loop that is not native out of machine code."""
    module = Recording(module_of(OURS))
    program.tf(module, size)()
    return reasons(module)


def reasons(module: Recording) -> list[str]:
    """The same of functions that have been called."""
    from graphwright.compile.run.kernel_loops import kernel_loops

    return [str(loop) for trace in module.traces() for loop in kernel_loops(trace.graph)]


def has_loop(module: Recording) -> bool:
    """Whether there is a loop in functions that have been called."""
    from graphwright.compile.run.kernel_loops import has_loops

    return any(has_loops(trace.graph) for trace in module.traces())


def microseconds(call: Step) -> float:
    """The time of a settled call."""
    settle(call)
    timer = timeit.Timer(call)
    number, _ = timer.autorange()
    block = max(1, number // 10)
    return min(timer.repeat(3, block)) / block * 1e6


def main(arguments: list[str] | None = None) -> None:
    """Prints the lines."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--small", action="store_true", help="the sizes of the tests")
    chosen = parser.parse_args(arguments)
    for name in chosen.only:
        program, module = PROGRAMS[name], Recording(module_of(OURS))
        call = program.tf(module, program.small if chosen.small else program.size)
        time = microseconds(call)
        outside = reasons(module) or ["native" if has_loop(module) else "no loop"]
        print(f"{name:12} {time:10.1f} µs  {'; '.join(outside)}", flush=True)


if __name__ == "__main__":
    main()
