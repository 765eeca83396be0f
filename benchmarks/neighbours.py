"""What a process has left where another one does the same: calls alone, and two beside each other.

    python -m benchmarks.neighbours [--only T_mlp N3 ...] [--rounds 3] [--seconds 2]

Both processes use all cores. The table has the calls of each in a second as a part of half the
calls that one makes alone. 1 means that two share the machine without a loss.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from benchmarks import launches
from benchmarks.programs import WORKLOADS

#: Training, nests and products that threads share, and a loop on one core.
NAMES = ("T_mlp", "T_cnn", "W8g", "N3", "N4", "W11b", "T_rnn_f")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=NAMES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="of calls, and before the first")
    parser.add_argument("--count", help="be one of the processes, with this program")
    given = parser.parse_args()
    if given.count:
        count_calls(given.count, given.seconds)
        return
    lines = [("", "alone, calls a second", "each of two, of half of that")]
    for name in given.only:
        alone: list[float] = []
        beside: list[float] = []
        for _ in range(given.rounds):
            alone += rates(name, 1, given.seconds)
            beside += rates(name, 2, given.seconds)
        half = statistics.median(alone) / 2
        least, middle = min(beside) / half, statistics.median(beside) / half
        lines.append((name, f"{2 * half:.0f}", f"{middle:.2f}, the least {least:.2f}"))
    print(launches.table(*lines))


def rates(name: str, processes: int, seconds: float) -> list[float]:
    """The calls in a second of so many processes at the same time."""
    command = [sys.executable, "-m", "benchmarks.neighbours", "--count", name]
    command += ["--seconds", str(seconds)]
    counters = [
        subprocess.Popen(
            command, env=launches.environment(), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for _ in range(processes)
    ]  # fmt: skip
    answers(counters)  # all have settled
    for counter in counters:
        assert counter.stdin is not None
        counter.stdin.write("\n")
        counter.stdin.flush()
    counts = [float(answer) for answer in answers(counters)]
    for counter in counters:
        counter.communicate()
    return counts


def answers(counters: Sequence[subprocess.Popen[str]]) -> list[str]:
    """The next line of each process."""
    lines = [counter.stdout.readline() for counter in counters if counter.stdout is not None]
    if not all(lines):
        raise ChildProcessError("a process ended before it had counted")
    return lines


def count_calls(name: str, seconds: float) -> None:
    """Calls a program until it is settled, then counts its calls from a line of input on."""
    call = WORKLOADS[name].program("graphwright")
    calls_within(call, seconds)  # code comes in the background meanwhile
    print("settled", flush=True)
    sys.stdin.readline()
    print(calls_within(call, seconds) / seconds, flush=True)


def calls_within(call: Callable[[], object], seconds: float) -> int:
    """How many calls there are in so many seconds."""
    end = time.perf_counter() + seconds
    count = 0
    while time.perf_counter() < end:
        call()
        count += 1
    return count


if __name__ == "__main__":
    main()
