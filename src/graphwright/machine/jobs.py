"""Native calls that threads share: each row of a table has the arguments of one call.

The calls need no interpreter, so no thread waits for its lock.
"""

from __future__ import annotations

import ctypes
import itertools
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine import threads

if TYPE_CHECKING:
    from graphwright.machine.linking import Library

#: Kinds of arguments: addresses and numbers.
PLACE, NUMBER = "ptr", "i64"


class Job(NamedTuple):
    """A native function, to be called once or with every row of a table."""

    call: Any
    row_function: int

    def run(self, rows: Sequence[tuple[int, ...]], shared: bool = True) -> None:
        """Calls the function with each row; the memory at its addresses must stay alive."""
        if len(rows) == 1 or not shared:
            for row in rows:
                self.call(*row)
            return
        table = array("q", itertools.chain.from_iterable(rows))
        threads.run(self.row_function, table.buffer_info()[0], len(rows))


def text(name: str, kinds: Sequence[str]) -> str:
    """The function `NAME_row(table, i)`, which calls `NAME` with the row's arguments."""
    lines = [f"define void @{name}_row(ptr %table, i64 %i) #0 {{"]
    lines.append(f"  %row = getelementptr [{len(kinds)} x i64], ptr %table, i64 %i")
    for i, kind in enumerate(kinds):
        lines.append(f"  %at{i} = getelementptr i64, ptr %row, i64 {i}")
        lines.append(f"  %x{i} = load {kind}, ptr %at{i}")
    arguments = ", ".join(f"{kind} %x{i}" for i, kind in enumerate(kinds))
    return "\n".join([*lines, f"  call void @{name}({arguments})", "  ret void", "}"])


def words(context: str) -> str:
    """The text that loads a context, `"ptr a, i64 n"` and so on, into registers of these names."""
    lines = []
    for i, word in enumerate(context.split(", ")):
        kind, name = word.split()
        lines.append(f"  %{name}.at = getelementptr i64, ptr %context, i64 {i}")
        lines.append(f"  %{name} = load {kind}, ptr %{name}.at")
    return "\n".join(lines)


def load(library: Library, name: str, kinds: Sequence[str]) -> Job:
    """The job of a compiled module that has the function and its `text`."""
    types = [ctypes.c_void_p if kind == PLACE else ctypes.c_int64 for kind in kinds]
    call = ctypes.CFUNCTYPE(None, *types)(library.addresses[name])
    return Job(call, library.addresses[f"{name}_row"])
