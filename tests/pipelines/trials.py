"""One pipeline in all ways; the smallest pipeline that differs in the same way."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from everyday.limits import TooLong, limit
from everyday.programs import Program
from everyday.shrinking import shrink
from pipelines.composer import compose
from pipelines.streams import Endless
from pipelines.ways import WAYS, Case, model

#: Seconds that one way of one pipeline may compute.
_SECONDS = 10.0


class Finding(NamedTuple):
    """How a pipeline differs in a way; `kind` stays the same as it shrinks."""

    way: str
    kind: str
    words: str

    def __str__(self) -> str:
        return f"{self.way}: {self.words}"


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings: pipelines trace often."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


def is_sound(program: Program) -> bool:
    """Whether the model can run a pipeline to its end, or far enough."""
    pipeline = model(program)
    try:
        pipeline.run(pipeline.dataset.read())
    finally:
        pipeline.close()
    return True


def examine(program: Program, seed: int, tf: Any, ways: Sequence[str]) -> list[Finding]:
    """How a pipeline differs from its model."""
    findings = []
    with quiet(), np.errstate(all="ignore"):
        is_sound(program)
        for way in ways:
            try:
                with limit(_SECONDS):
                    words = WAYS[way](Case(program, seed, tf))
            except TooLong:
                words = "endless: it does not come to its end"
            except Exception as error:  # noqa: BLE001 - the package has refused something
                words = f"refused {type(error).__name__}: {error}"
                kind = f"refused {type(error).__name__} {str(error)[:40]}"
                findings.append(Finding(way, kind, words))
                continue
            if words:
                findings.append(Finding(way, words.partition(":")[0], words))
    return findings


def smallest(
    program: Program, seed: int, tf: Any, finding: Finding, seconds: float
) -> tuple[Program, Finding]:
    """The smallest pipeline that differs in the same way, and how it does."""
    latest = [finding]

    def differs(candidate: Program) -> bool:
        try:
            with limit(2.0):
                findings = examine(candidate, seed, tf, [finding.way])
        except (TooLong, Endless):
            return False
        except Exception:  # noqa: BLE001 - it is no pipeline any more
            return False
        for one in findings:
            if one.kind == finding.kind:
                latest[0] = one
                return True
        return False

    return shrink(program, differs, seconds), latest[0]


def run(seeds: Iterable[int], tf: Any, ways: Sequence[str]) -> Iterator[tuple[int, list[Finding]]]:
    """How the pipelines of numbers differ."""
    for seed in seeds:
        yield seed, examine(compose(seed), seed, tf, ways)


def explain(seed: int, tf: Any, finding: Finding, seconds: float) -> str:
    """A pipeline that differs, shrunk if there is time for it, and the command that runs it."""
    program = compose(seed)
    title = f"== --seed {seed} differs {finding}"
    if seconds:
        program, finding = smallest(program, seed, tf, finding, seconds)
    command = f"PYTHONPATH=src:tests python -m pipelines --seed {seed} --ways {finding.way}"
    return f"\n{title}\n{program.text()}\n{finding}\n{command}"
