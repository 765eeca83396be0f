"""The table of values and readers, in the words of plans: `python -m plans.table` fills it.

It runs programs as plans, compares them with the kernels, and notes which values have met which
readers: the corpora, `plans.combinations`, and the families that are made for its cells
(`plans.statements`, `plans.lengths`). A cell that stays empty has a rule that says why it cannot be
filled (`RULES`), or words about what was tried (`TRIED`).
"""

from __future__ import annotations

import argparse
import itertools
import json
import logging
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from plans.combinations import combinations, pairs
from plans.issues import ISSUES
from plans.lengths import lengths, scalars
from plans.meetings import Meeting
from plans.programs import CORPORA, Case, check
from plans.statements import statements

#: Which programs fill which cells: `python -m plans.table --record` writes it.
COVER = Path(__file__).parent / "cover.json"

#: How values come to be in memory: with the call, by nests, by other statements.
GIVEN = ("argument", "constant")
NESTS = ("elementwise", "move", "gather", "reduction", "total", "accumulation", "scatter")
STORED = (*NESTS, "straight store", "Multiply", "Scan", "Copy", "Clear", "Call")
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
MEMORY = ("Multiply a", "Multiply b", "Scan", "Copy", "Call", "result", "Transfer", "Deliver",
          *INDICES, *SUMS)  # fmt: skip
PLACES = ("elementwise place", "gather place", "move place", "total place", "straight place")
LENGTHS = (
    "Reserve length", "Extend length", "Extend place", "Extend exactly", "Shorten length",
    "Shorten by", "Locate place", "Locate length", "Transfer number", "Transfer place",
    "Transfer start", "Agree", "Require length", "Deliver length",
)  # fmt: skip
CONTROL = ("Loop first", "Loop next", "Loop again", "Choice condition", "Choice result")
READERS = (*EITHER, *MEMORY, *PLACES, *LENGTHS, *CONTROL)

#: Scalars and sizes; what reads in the end; what reads scalars that are no lengths of lists.
NUMBERS = (*SCALARS, "size")
ENDS = ("result", "Deliver", "Deliver length")
CONDITIONS = ("Loop again", "Choice condition")

#: The nests that compute elements, such as the places of indices.
COMPUTED = ("elementwise", "gather", "reduction", "total", "accumulation")

AXES = (MADE, WAYS, READERS)


def why_not(made: str, way: str, reader: str) -> str:
    """Why a value cannot meet a reader on a way; nothing if it can."""
    return next((words for holds, words in RULES if holds(made, way, reader)), "")


#: Meetings that cannot be, and why. Values, ways, readers.
RULES: tuple[tuple[Callable[[str, str, str], bool], str], ...] = (
    (
        lambda m, w, r: m in NUMBERS and r in MEMORY,
        "it reads memory, and this is none",
    ),
    (
        lambda m, w, r: m not in NUMBERS and r in (*PLACES, *LENGTHS, *CONTROL),
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
        lambda m, w, r: r in ENDS and w not in (BESIDE, *OUT),
        "results are read, and lists delivered, in the end",
    ),
    (
        lambda m, w, r: m in SCALARS and m != "loop variable" and w in (*OUT, CARRIED),
        "a scalar leaves a block as the variable or the result of the block",
    ),
    (
        lambda m, w, r: m == "loop variable" and w == "out of a branch",
        "it leaves a branch as the branch's result",
    ),
    # -- nests
    (
        lambda m, w, r: m in NUMBERS and r in ("move", "scatter"),
        "a nest that moves or scatters elements loads all that it uses",
    ),
    (
        lambda m, w, r: r == "elementwise index",
        "a nest that loads where an index says is a gather",
    ),
    (
        lambda m, w, r: r in INDICES and (w != BESIDE or m not in (*COMPUTED, "straight store")),
        "an index is checked beside what it picks, by a nest or straight code",
    ),
    (
        lambda m, w, r: r in INDICES and m == "straight store" and r != "scatter index",
        "an index of one element is in a register, and only scatters read it from memory",
    ),
    (
        lambda m, w, r: r in PLACES and (m != "straight scalar" or w != BESIDE),
        "a place is an int64 that straight code checks beside it",
    ),
    (
        lambda m, w, r: r == "accumulation sum" and (m, w) != ("Clear", BESIDE),
        "an accumulation adds to what it has cleared",
    ),
    (
        lambda m, w, r: r in SUMS and m in (*GIVEN, *OF_LISTS),
        "a sum is written over what it adds to: an argument, a constant or an item is copied first",
    ),
    # -- lists
    (
        lambda m, w, r: m in OF_LISTS and r == "result",
        "an item is copied to a result, and a list is delivered",
    ),
    (
        lambda m, w, r: m in GIVEN and r == "result",
        "a result is copied from what is given, or written over a lent argument",
    ),
    (
        lambda m, w, r: (
            m == "Transfer" and w in (*OUT, CARRIED) and r not in ("Transfer", "Deliver")
        ),
        "items that were taken from a list are in a list of the block that took them",
    ),
    (
        lambda m, w, r: r == "Transfer start" and (m not in ("list length", "size") or w != BESIDE),
        "items are taken from 0 on, or from the length on that is left",
    ),
    (
        lambda m, w, r: r == "Shorten by" and (m not in ("straight scalar", "size") or w != BESIDE),
        "a list loses one item, or as many as a list of lengths has just said",
    ),
    (
        lambda m, w, r: (
            r == "Transfer place"
            and (m == "total scalar" or (m == "straight scalar" and w != BESIDE))
        ),
        "a list that takes others' items was empty, and then is as long as these made it",
    ),
    (
        lambda m, w, r: (
            r == "Transfer place" and w == "into a loop" and m in SCALARS and m != "loop variable"
        ),
        "a loop that pushes on a list of lists carries it, since it changes the list of lengths",
    ),
    (
        lambda m, w, r: (
            m == "size"
            and r in ("Extend place", "Extend exactly", "Locate place", "Transfer number")
        ),
        "a size becomes a scalar of straight code where one is needed",
    ),
    # -- scalars of blocks
    (
        lambda m, w, r: m == "list length" and r in ("Loop again", "Choice condition"),
        "an int32 is no condition",
    ),
    (
        lambda m, w, r: r == "Loop again" and w not in (BESIDE, *INTO) and m != "loop variable",
        "a condition is asked where it is computed, or is a variable of the loop",
    ),
    (
        lambda m, w, r: (
            r in CONDITIONS
            and (
                (w in INTO and m != "loop variable")
                or (w == "into a branch" and m == "loop variable")
            )
        ),
        "straight code gives a block a scalar of its own for a value from around it",
    ),
)


#: Cells that nothing fills and no rule explains, and what was tried.
TRIED: dict[Meeting, str] = {
    Meeting("Transfer", "out of a branch", "Deliver"): (
        "a list of lists that a branch pushes on is a result only of a graph that is cut there"
    ),
}


# -- filling it -----------------------------------------------------------------------------


def families() -> Iterator[Case]:
    """The programs that are made for the table."""
    yield from pairs()
    yield from statements()
    yield from scalars()
    yield from lengths()


def programs(count: int) -> Iterator[Case]:
    """What fills the table: the corpora in part, the families, and so many combinations."""
    yield from ISSUES.values()
    for corpus in CORPORA.values():
        yield from islice(corpus(), 0, None, 7)
    yield from families()
    yield from islice(combinations(1), count)


class Filling:
    """Which values met which readers."""

    def __init__(self) -> None:
        self.met: Counter[Meeting] = Counter()  # in how many runs
        self.by: dict[str, set[Meeting]] = {}  # by each program without errors
        self.wrong: list[str] = []

    def add(self, cases: Iterable[Case]) -> Filling:
        """Runs programs."""
        for case in cases:
            try:
                log = check(case)
            except AssertionError as error:
                self.wrong.append(f"{case.name}: {error}")
                continue
            self.met.update(log.meetings)
            if log.runs and not log.refused:
                self.by[case.name] = set(log.meetings)
        return self


def covering(by: Mapping[str, set[Meeting]]) -> dict[str, list[Meeting]]:
    """Some of these programs, with the cells that each fills and none before it: together they
    fill what all fill. Those that fill most come first."""
    left = {m for some in by.values() for m in some if is_cell(m)}
    result = {}
    while left:
        name = max(by, key=lambda name: (len(by[name] & left), -len(by[name])))
        result[name] = sorted(by[name] & left)
        left -= by[name]
    return result


def record(filling: Filling) -> None:
    """Records which programs of the families fill which cells."""
    known = {case.name for case in families()}
    cover = covering({name: met for name, met in filling.by.items() if name in known})
    lines = [f"{json.dumps(name)}: {json.dumps(cells)}" for name, cells in cover.items()]
    COVER.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def recorded() -> dict[str, list[Meeting]]:
    """The cells that programs filled when they were recorded."""
    cover = json.loads(COVER.read_text())
    return {name: list(itertools.starmap(Meeting, cells)) for name, cells in cover.items()}


def unknown(met: Iterable[Meeting]) -> list[Meeting]:
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
    parser.add_argument("--record", action="store_true", help="records programs that fill it")
    given = parser.parse_args(arguments)
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore", RuntimeWarning)
    filling = Filling().add(programs(given.combinations))
    met, wrong, others = filling.met, filling.wrong, unknown(filling.met)
    print(text(met))
    left = empty(met)
    print(f"{len(met)} cells are filled, {len(left)} are empty, {len(wrong)} programs are wrong")
    for cell in left if given.empty else ():
        print(f"empty: {', '.join(cell)}: {TRIED.get(cell, 'nothing was tried')}")
    for words in wrong:
        print(f"wrong: {words}")
    for met_anyway in others:
        print(f"no cell: {met_anyway}")
    if given.record and not wrong:
        record(filling)
    return 1 if wrong or others else 0


if __name__ == "__main__":
    sys.exit(main())
