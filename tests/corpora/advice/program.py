"""One program with a mistake: what is said about it, and the edit that mends it."""

from __future__ import annotations

import linecache
import logging
import textwrap
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import graphwright as tf

PREAMBLE = "import numpy as np\nimport graphwright as tf\n"


@dataclass(frozen=True, eq=False)
class Advised:
    """A program whose last line binds `result`, and its repair."""

    name: str
    says: str
    program: str
    edits: tuple[tuple[str, str], ...]
    result: Any

    @property
    def repaired(self) -> str:
        """The program after the edits."""
        text = self.program
        for old, new in self.edits:
            assert old in text, (self.name, old)
            text = text.replace(old, new)
        return text


@dataclass(frozen=True)
class Outcome:
    """What a program printed: errors, warnings, explanations; and its result."""

    complaints: tuple[str, ...]
    result: Any


ADVISED: list[Advised] = []


def advised(name: str, says: str, program: str, *edits: tuple[str, str], result: Any) -> None:
    """Adds a program. `says` is the part of the advice that the edits follow."""
    ADVISED.append(Advised(name, says, textwrap.dedent(program).strip(), edits, result))


class Lines(logging.Handler):
    """Collects what a logger is given, with the explanations of records."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())
        self.texts.append(getattr(record, "explanation", ""))


def run(name: str, program: str) -> Outcome:
    """Runs a program, with all that it says."""
    file = f"<advice {name}>"
    text = f"{PREAMBLE}{program}\n"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": "advised"}
    handler = Lines()
    logger = logging.getLogger("tensorflow")
    logger.addHandler(handler)
    errors: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(compile(text, file, "exec"), scope)
            except Exception as error:  # noqa: BLE001
                errors.append("\n".join([str(error), *getattr(error, "__notes__", ())]))
    finally:
        logger.removeHandler(handler)
    complaints = [*errors, *handler.texts, *[str(w.message) for w in caught]]
    for value in scope.values():
        if isinstance(value, tf.types.experimental.PolymorphicFunction):
            complaints += explained(value)
    return Outcome(tuple(filter(None, complaints)), plain(scope.get("result")))


def explained(function: Any) -> list[str]:
    """The causes, failures and changes that a function's explanation names."""
    report = function.explain()
    texts = [*report.effects, *report.changes]
    for cause in report.causes:
        texts += [cause.sentence, *(f"{f.title}\n{f.code}\n{f.note}" for f in cause.fixes)]
    for failure in report.failures:
        fix = failure.fix
        texts.append(failure.sentence + ("" if fix is None else f"\n{fix.title}\n{fix.code}"))
    return texts


def plain(value: Any) -> Any:
    """A result as Python values, floats rounded."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "to_list"):
        return value.to_list()
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, float):
        return round(value, 4)
    return [plain(item) for item in value] if isinstance(value, list) else value
