"""The table of values and readers, in the words of plans: `python -m plans.table` fills it.

It runs the programs of the corpora and of `plans.combinations` as plans, compares them with the
kernels, and notes which values have met which readers. What stays empty is listed: with the reason
where it cannot be.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from plans.combinations import combinations, pairs
from plans.issues import ISSUES
from plans.meetings import Meeting
from plans.programs import CORPORA, Case, check

#: How values come to be in memory: with the call, by nests, by other statements.
GIVEN = ("argument", "constant")
NESTS = ("elementwise", "move", "gather", "reduction", "total", "accumulation", "scatter")
STORED = (*NESTS, "straight store", "Multiply", "Scan", "Copy", "Clear")
OF_LISTS = ("Transfer", "list zeros")
#: The same of scalars.
SCALARS = ("straight scalar", "total scalar", "loop variable", "choice scalar", "list length")
MADE = (*GIVEN, *STORED, *OF_LISTS, *SCALARS, "size")

BESIDE, CARRIED = "beside", "carried"
INTO, OUT = ("into a branch", "into a loop"), ("out of a branch", "out of a loop")
WAYS = (BESIDE, *INTO, *OUT, CARRIED)

#: What reads memory or scalars, memory alone (of lists, indices, what is added to), scalars alone.
EITHER = (*NESTS, "straight")
INDICES = ("gather index", "scatter index", "accumulation index", "elementwise index",
           "reduction index", "total index")  # fmt: skip
SUMS = ("accumulation sum", "scatter sum", "Multiply c")
MEMORY = ("Multiply a", "Multiply b", "Scan", "Copy", "result", "Transfer", "Deliver",
          *INDICES, *SUMS)  # fmt: skip
PLACES = ("elementwise place", "gather place", "move place", "total place", "straight place")
LENGTHS = (
    "Reserve length", "Extend length", "Extend place", "Extend exactly", "Shorten length",
    "Shorten by", "Locate place", "Locate length", "Transfer number", "Transfer place",
    "Transfer start", "Agree", "Require length", "Deliver length",
)  # fmt: skip
CONTROL = ("Loop first", "Loop next", "Loop again", "Choice condition", "Choice result")
READERS = (*EITHER, *MEMORY, *PLACES, *LENGTHS, *CONTROL)

AXES = (MADE, WAYS, READERS)


def why_not(made: str, way: str, reader: str) -> str:
    """Why a value cannot meet a reader on a way; nothing if it can."""
    return next((words for holds, words in RULES if holds(made, way, reader)), "")


#: Meetings that cannot be, and why. Values, ways, readers.
RULES: tuple[tuple[Callable[[str, str, str], bool], str], ...] = (
    (
        lambda m, w, r: m in (*SCALARS, "size") and r in MEMORY,
        "it reads memory, and this is none",
    ),
    (
        lambda m, w, r: m not in (*SCALARS, "size") and r in (*PLACES, *LENGTHS, *CONTROL),
        "it reads scalars, and this is memory",
    ),
    (
        lambda m, w, r: m == "size" and (w != BESIDE or r in (*PLACES, *CONTROL)),
        "a size is the same everywhere, and becomes a scalar of straight code where one is needed",
    ),
    (
        lambda m, w, r: m in GIVEN and w not in (BESIDE, *INTO),
        "it is there before everything",
    ),
    (
        lambda m, w, r: r == "result" and w not in (BESIDE, *OUT),
        "results are read in the end",
    ),
    (
        lambda m, w, r: m in SCALARS and m != "loop variable" and w in (*OUT, CARRIED),
        "a scalar leaves a block as the variable or the result of the block",
    ),
    (
        lambda m, w, r: m == "loop variable" and w == "out of a branch",
        "it leaves a branch as the branch's result",
    ),
    (
        lambda m, w, r: r in SUMS[:2] and (w != BESIDE or m in (*GIVEN, "total", *OF_LISTS)),
        "it adds to what the statement before it has begun",
    ),
    (
        lambda m, w, r: (
            r in INDICES
            and (
                w != BESIDE
                or m not in ("elementwise", "gather", "straight store", "reduction", "total")
            )
        ),
        "an index is checked beside what it picks, by a nest or straight code",
    ),
    (
        lambda m, w, r: r in PLACES and (m != "straight scalar" or w != BESIDE),
        "a place is an int64 that straight code checks beside it",
    ),
    (
        lambda m, w, r: m == "list length" and r in ("Loop again", "Choice condition"),
        "an int32 is no condition",
    ),
    (
        lambda m, w, r: r == "Loop again" and w not in (BESIDE, *INTO) and m != "loop variable",
        "a condition is asked where it is computed, or is a variable of the loop",
    ),
)


# -- filling it -----------------------------------------------------------------------------


def programs(count: int) -> Iterator[Case]:
    """What fills the table: the corpora in part, and so many combinations."""
    yield from ISSUES.values()
    for corpus in CORPORA.values():
        yield from islice(corpus(), 0, None, 7)
    yield from pairs()
    yield from islice(combinations(1), count)


def filled(cases: Iterator[Case]) -> tuple[Counter[Meeting], list[str]]:
    """Which values met which readers, in how many runs; and what went wrong."""
    met: Counter[Meeting] = Counter()
    wrong = []
    for case in cases:
        try:
            met.update(check(case).meetings)
        except AssertionError as error:
            wrong.append(f"{case.name}: {error}")
    return met, wrong


def unknown(met: Counter[Meeting]) -> list[Meeting]:
    """What met although the table has no cell for it, or says that it cannot be."""
    return [m for m in met if m.made != "Deliver" and not is_cell(m)]


def is_cell(m: Meeting) -> bool:
    """Whether the table has an open cell for a meeting."""
    known = m.made in MADE and m.way in WAYS and m.reader in READERS
    return known and not why_not(*m)


def empty(met: Counter[Meeting]) -> list[Meeting]:
    """The cells that can be filled, and are not."""
    cells = itertools.starmap(Meeting, itertools.product(*AXES))
    return [cell for cell in cells if cell not in met and not why_not(*cell)]


def text(met: Counter[Meeting]) -> str:
    """The table: a part for each way, a line for each value, the runs in which each reader met it;
    `.` is an empty cell, nothing a cell that cannot be."""
    lines = []
    for way in WAYS:
        readers = [r for r in READERS if any(not why_not(m, way, r) for m in MADE)]
        lines.append(f"{way}: " + ", ".join([f"{i} {r}" for i, r in enumerate(readers)]))
        lines.append(" " * 16 + "".join([f"{i:>6}" for i in range(len(readers))]))
        for made in MADE:
            cells = ["" if why_not(made, way, r) else str(met.get(Meeting(made, way, r), "."))
                     for r in readers]  # fmt: skip
            if any(cells):
                lines.append(f"{made:<16}" + "".join([f"{cell:>6}" for cell in cells]).rstrip())
        lines.append("")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table, its empty cells, and what went wrong."""
    parser = argparse.ArgumentParser("plans.table", description=__doc__)
    parser.add_argument("--combinations", type=int, default=300, metavar="COUNT")
    parser.add_argument("--empty", action="store_true", help="lists the empty cells, too")
    given = parser.parse_args(arguments)
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore", RuntimeWarning)
    met, wrong = filled(programs(given.combinations))
    print(text(met))
    left = empty(met)
    print(f"{len(met)} cells are filled, {len(left)} are empty, {len(wrong)} programs are wrong")
    for cell in left if given.empty else ():
        print(f"empty: {cell.made}, {cell.way}, {cell.reader}")
    for words in wrong:
        print(f"wrong: {words}")
    for met_anyway in unknown(met):
        print(f"no cell: {met_anyway}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
