"""Programs as source text, and the calls of their functions."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Iterator
from typing import Any, NamedTuple

_NUMBERS = itertools.count()

DECORATOR = "@tf.function"


class Program(NamedTuple):
    """A module's text that reads `tf`, and calls of its functions as expressions."""

    source: str
    calls: tuple[str, ...]

    def text(self, package: str = "graphwright") -> str:
        """A file that runs by itself."""
        calls = [f"print({call})" for call in self.calls]
        return "\n".join([f"import {package} as tf", "", self.source, "", *calls, ""])

    def decorated(self, decorator: str) -> Program:
        """The same with something else than `@tf.function`; nothing if that is empty."""
        lines = []
        for line in self.source.splitlines():
            place = line.find(DECORATOR)
            if place >= 0 and line.strip() == DECORATOR:
                if not decorator:
                    continue
                line = line[:place] + decorator
            lines.append(line)
        return self._replace(source="\n".join(lines))


def parse(text: str) -> Program:
    """The program of a file as `Program.text` writes it."""
    lines, calls = [], []
    for line in text.splitlines():
        if line.startswith("print(") and line.endswith(")"):
            calls.append(line[len("print(") : -1])
        elif not line.startswith("import "):
            lines.append(line)
    return Program("\n".join(lines).strip(), tuple(calls))


class Loaded:
    """A program that was run as a module, ready for its calls."""

    def __init__(self, program: Program, tf: Any) -> None:
        name = f"<everyday program {next(_NUMBERS)}>"
        text = program.source + "\n"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        self.file = name
        self.names: dict[str, Any] = {"tf": tf, "__name__": "everyday_program"}
        exec(compile(text, name, "exec", dont_inherit=True), self.names)
        self.expressions = [compile(c, "<call>", "eval", dont_inherit=True) for c in program.calls]

    def call(self, index: int) -> Any:
        """What one of the calls gives."""
        return eval(self.expressions[index], self.names)

    def variables(self) -> Iterator[Any]:
        """The variables of the module, in the order of their names' definitions."""
        return (v for v in self.names.values() if isinstance(v, self.names["tf"].Variable))

    def close(self) -> None:
        """Forgets its text."""
        linecache.cache.pop(self.file, None)
