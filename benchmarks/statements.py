"""What Python's own statements cost in converted code, beside what they cost as they are.

A statement stands ten times in the body of a loop, so that what the loop costs does not count; the
same with `pass` in its place is taken off. Both functions run in turns, and the best of all turns
is what each costs.
"""

from __future__ import annotations

import linecache
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.workload import Workload

#: The variables of a statement, and the statement.
STATEMENTS: dict[str, tuple[str, str]] = {
    "if": ("x = 1", "if x > 0: y = 1"),
    "if_int": ("x = 3", "if x: y = 1"),
    "if_list": ("x = [1]", "if x: y = 1"),
    "if_not": ("x = 3", "if not x: y = 1"),
    "if_and": ("x, z = 1, 2", "if x > 0 and z > 1: y = 1"),
    "if_or": ("x, z = 1, 2", "if x > 3 or z > 1: y = 1"),
    "elif": ("x = 1", "if x < 0:\n    y = 1\nelif x == 1:\n    y = 2"),
    "and": ("x, z = 1, 2", "y = x and z"),
    "not": ("x = 1", "y = not x"),
    "chain": ("x = 1", "y = 0 < x < 3"),
    "in": ("x, z = 1, (1, 2)", "y = x in z"),
    "if_exp": ("x = 1", "y = 1 if x > 0 else 2"),
    "assert": ("x = 1", "assert x > 0"),
    "for": ("x = [1, 2, 3, 4]", "for i in x: y = i"),
    "for_range": ("y = 0", "for i in range(4): y = i"),
    "for_enumerate": ("x = [1, 2, 3, 4]", "for i, y in enumerate(x): pass"),
    "for_else": ("x = [1, 2, 3, 4]", "for i in x:\n    y = i\nelse:\n    y = 5"),
    "break": ("x = [1, 2, 3, 4]", "for i in x:\n    if i > 2: break\n    y = i"),
    "continue": ("x = [1, 2, 3, 4]", "for i in x:\n    if i > 2: continue\n    y = i"),
    "while": ("y = 0", "y = 0\nwhile y < 4: y += 1"),
    "while_true": ("y = 0", "y = 0\nwhile True:\n    if y > 3: break\n    y += 1"),
    "return": ("y = 0", "early(y)"),
    "try": ("y = 0", "try:\n    y = 1\nexcept ValueError:\n    y = 2"),
    "match": ("x = 2", "match x:\n    case 1: y = 1\n    case 2: y = 2"),
}
_OTHERS = """
def early(x):
    for i in (1, 2, 3):
        if i > 2:
            return i
    return 0
"""
_COPIES, _TURNS = 10, 200


def function_of(start: str, statement: str) -> Callable[[Any], None]:
    """A function that runs the statement many times, with a source that can be read."""
    lines = [start, "y = 0", "for _ in turns:"]
    lines.append(textwrap.indent("\n".join([statement] * _COPIES), "    "))
    source = f"{_OTHERS}\ndef program(turns):\n{textwrap.indent(chr(10).join(lines), '    ')}\n"
    name = f"<statement {len(linecache.cache)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope: dict[str, Any] = {"__name__": "statements"}
    exec(compile(source, name, "exec"), scope)
    program: Callable[[Any], None] = scope["program"]
    return program


@dataclass(frozen=True)
class Overhead(Workload):
    """How many times as long a statement takes in converted code."""

    fresh = False

    def prepare(self, peer: str) -> Callable[[], float]:
        convert: Any = self.program(peer)
        start, statement = STATEMENTS[self.name.removeprefix("S_")]
        plain = [function_of(start, statement), function_of(start, "pass")]
        functions = [*plain, *map(convert, plain)]
        turns = [None] * _TURNS

        def sample() -> float:
            best = [float("inf")] * 4
            for _ in range(30):
                for position, function in enumerate(functions):
                    begin = time.perf_counter()
                    function(turns)
                    best[position] = min(best[position], time.perf_counter() - begin)
            return (best[2] - best[3]) / (best[0] - best[1])

        return sample


def converter(tf: Any) -> Any:
    return tf.autograph.to_graph


TABLE: tuple[Workload, ...] = tuple(
    Overhead(f"S_{name}", f"`{name}`, converted", "times plain", 2, {"graphwright": converter})
    for name in STATEMENTS
)
