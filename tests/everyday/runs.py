"""One program in some tiers; many programs one after the other."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from everyday import tiers
from everyday.limits import TooLong, limit
from everyday.outcomes import Difference, Outcome, first_difference
from everyday.programs import Program
from everyday.tiers import TIERS, Tier
from everyday.writer import write

#: Tiers that every program runs in, and those of which it runs in one.
USUAL = ("steps", "kernels", "native", "plans")
OTHERS = tuple(name for name in TIERS if name not in USUAL)


class Finding(NamedTuple):
    """A program that gives something else in a tier."""

    tier: str
    call: int
    difference: Difference
    expected: Outcome

    def __str__(self) -> str:
        kind, detail, words = self.difference
        head = f"{self.tier}, call {self.call}: {kind} {detail}"
        return f"{head}\n  gives {words}\n  eager {self.expected}"


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings: programs trace often, and have branches that nothing comes of."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


def tiers_of(seed: int) -> list[Tier]:
    """The tiers in which the program of a number is tried by default."""
    return [TIERS[name] for name in (*USUAL, OTHERS[seed % len(OTHERS)])]


def examine(program: Program, wanted: Sequence[Tier], seconds: float = 60.0) -> list[Finding]:
    """How a program differs from plain Python, tier by tier, each within some seconds."""
    with quiet():
        try:
            with limit(seconds):
                references = tiers.expected(program, wanted)
        except TooLong:
            return [Finding("eager", 0, Difference("endless", "", ""), Outcome())]
        findings = []
        for tier in wanted:
            if tier.name == "relaxed" and ".shape[" in program.source:
                continue  # such a size is None where shapes are relaxed
            reference = references[tier.rounds]
            try:
                with limit(seconds):
                    found = tiers.outcomes(program, tier)
            except TooLong:
                findings.append(Finding(tier.name, 0, Difference("endless", "", ""), reference[0]))
                continue
            except Exception as error:  # noqa: BLE001 - the tier itself has found something
                difference = Difference("tier", type(error).__name__, str(error))
                findings.append(Finding(tier.name, 0, difference, reference[0]))
                continue
            first = first_difference(reference, found)
            if first:
                findings.append(Finding(tier.name, first[0], first[1], reference[first[0]]))
    return findings


def is_refusal(findings: Sequence[Finding]) -> bool:
    """Whether all that is wrong is that the program cannot be staged."""
    return bool(findings) and all(f.difference.kind == "refused" for f in findings)


def is_dropped(findings: Sequence[Finding], count: int) -> bool:
    """Whether all tiers leave out an op that fails, since nobody needs its result."""
    return len(findings) == count and all(f.difference.kind == "no error" for f in findings)


def verdict(findings: Sequence[Finding], count: int) -> str:
    """What became of a program, in a word."""
    if not findings:
        return "agree"
    if is_refusal(findings) and len(findings) == count:
        return "refused"
    if is_dropped(findings, count):
        return "dropped"
    return "differ"


def run(
    seeds: Iterable[int], wanted: Sequence[Tier] = (), folder: Path | None = None
) -> Iterator[tuple[int, str, list[Finding]]]:
    """What becomes of the programs of these numbers; what a folder holds is not done again."""
    log = folder / "results.jsonl" if folder else None
    finished: set[int] = set()
    if log and log.exists():
        finished = {json.loads(line)["seed"] for line in log.read_text().splitlines()}
    for seed in seeds:
        if seed in finished:
            continue
        chosen = wanted or tiers_of(seed)
        findings = examine(write(seed), chosen)
        word = verdict(findings, len(chosen))
        if log:
            record: dict[str, Any] = {"seed": seed, "verdict": word}
            if findings:
                record["findings"] = [str(f) for f in findings]
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("a") as file:
                file.write(json.dumps(record) + "\n")
        yield seed, word, findings
