"""One peer's course through a whole program: `python -m benchmarks.whole_programs.course_worker`.

Its arguments are the peer and the program. It prints the milliseconds until each result as JSON,
those of the import under 0. The module imports no library but the peer's: it runs in its Python.
"""

from __future__ import annotations

import json
import sys
import time

from benchmarks.peers import module_of
from benchmarks.whole_programs.table import PROGRAMS
from benchmarks.whole_programs.whole_program import COUNTS

#: Seconds after which a program is not called again.
LIMIT = 15.0


def course(peer: str, name: str) -> dict[int, float]:
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
    return times


if __name__ == "__main__":
    print(json.dumps(course(*sys.argv[1:])))
