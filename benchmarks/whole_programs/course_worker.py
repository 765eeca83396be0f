"""One peer's course through a whole program: `python -m benchmarks.whole_programs.course_worker`.

Its arguments are the peer and the program. It prints a `Course` as JSON. The module imports no
library but the peer's: it runs in its Python.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.peers import OURS, module_of
from benchmarks.whole_programs.table import PROGRAMS
from benchmarks.whole_programs.whole_program import COUNTS, Step
from benchmarks.workload import highest_mib

#: Seconds after which a program is not called again.
LIMIT = 15.0


class Course(NamedTuple):
    """What a process takes to go through a program."""

    #: Milliseconds until each result, by its number; those of the import under 0.
    times: dict[int, float]
    #: The memory of the process at its highest, in MiB.
    peak: float
    #: Milliseconds of the compiler, and KiB of machine code that it left in the cache: ours alone.
    compiling: float | None = None
    code: float | None = None


def course(peer: str, name: str) -> Course:
    """The course in this process."""
    start = time.perf_counter()
    module = module_of(peer)
    times = {0: (time.perf_counter() - start) * 1e3}
    program = PROGRAMS[name]
    call = program.programs(program.size)[peer](module)
    start, done = time.perf_counter(), 0
    for count in COUNTS:
        while done < count:
            call()
            done += 1
        times[count] = (time.perf_counter() - start) * 1e3
        if times[count] > LIMIT * 1e3:
            break
    return Course(times, highest_mib(), *costs(module, call) if peer == OURS else ())


def costs(tf: Any, call: Step) -> tuple[float, float]:
    """What the compiler took for the functions of a call, and how much code it stored."""
    from graphwright.machine import background

    background.wait()
    traces = [trace for report in tf.explain.reports(call) for trace in report.traces]
    seconds = sum(sum(trace.compiled.values()) for trace in traces)
    files = Path(os.environ["GRAPHWRIGHT_CACHE_DIR"]).rglob("*")
    return seconds * 1e3, sum(file.stat().st_size for file in files if file.is_file()) / 2**10


if __name__ == "__main__":
    print(json.dumps(course(*sys.argv[1:])))
