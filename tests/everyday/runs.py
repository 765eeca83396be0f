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
from everyday.fillers import filled
from everyday.limits import TooLong, limit
from everyday.outcomes import Difference, Outcome, compare, differences
from everyday.programs import Program
from everyday.shrinking import shrink
from everyday.tiers import EAGER, TIERS, Tier, is_stateful
from everyday.writer import write

#: Seconds that plain Python may take: programs that end are done in less than one.
_PYTHON = 4.0
#: Tiers that every program runs in, and those of which it runs in one. The first rounds of
#: `kernels` are what `steps` does.
USUAL = ("kernels", "native", "plans")
OTHERS = tuple(name for name in TIERS if name not in (*USUAL, "steps"))


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


def examine(program: Program, wanted: Sequence[Tier], seconds: float = 20.0) -> list[Finding]:
    """How a program differs from plain Python, in tiers that may compute for some seconds each."""
    with quiet():
        try:
            with limit(min(seconds, _PYTHON)):
                references = tiers.expected(program, wanted)
        except TooLong:
            return [Finding(EAGER.name, 0, Difference("endless", "", ""), Outcome())]
        findings: list[Finding] = []
        missing: list[tuple[Finding, Outcome]] = []
        raised = set()
        for tier in wanted:
            if tier.name == "relaxed" and ".shape[" in program.source:
                continue  # such a size is None where shapes are relaxed
            reference = references[tier.rounds]
            try:
                with limit(seconds):
                    found = tiers.outcomes(program, tier)
            except TooLong:  # a loop may end in Python by an error that a graph leaves out
                kind = "dropped" if any(o.error for o in reference) else "endless"
                findings.append(Finding(tier.name, 0, Difference(kind, "", ""), reference[0]))
                continue
            except Exception as error:  # noqa: BLE001 - the tier itself has found something
                difference = Difference("tier", type(error).__name__, str(error))
                findings.append(Finding(tier.name, 0, difference, reference[0]))
                continue
            calls = len(program.calls)
            raised |= {(call % calls, o.error) for call, o in enumerate(found)}
            for call, difference in differences(reference, found, is_stateful(program)):
                finding = Finding(tier.name, call, difference, reference[call])
                if difference.kind == "no error":
                    missing.append((finding, found[call]))
                else:
                    findings.append(finding)
        for finding, outcome in missing:
            error = finding.call % calls, finding.difference.detail
            if error not in raised or is_unneeded(finding, program, outcome):
                difference = finding.difference._replace(kind="dropped")
                finding = finding._replace(difference=difference)
            findings.append(finding)
    return findings


def is_unneeded(finding: Finding, program: Program, outcome: Outcome) -> bool:
    """Whether plain Python gives the same with any number where an op fails to give one.

    A graph leaves out an op that nobody needs, even one that fails, and one tier sees more of them
    than another.
    """
    for number in 0, 1:
        try:
            with filled(number), limit(20.0):
                same = tiers.outcomes(program, EAGER, TIERS[finding.tier].rounds)[finding.call]
        except TooLong:
            return False
        if compare(same, outcome):
            return False
    return True


def verdict(findings: Sequence[Finding], wanted: Sequence[Tier]) -> str:
    """What became of a program, in a word."""
    if not findings:
        return "agree"
    if findings[0].tier == EAGER.name:
        return "endless"
    kinds = {f.difference.kind for f in findings}
    if kinds <= {"dropped"}:
        return "dropped"
    # Where sizes are not known, less can be refused before the program runs.
    refusing = {f.tier for f in findings} | {"relaxed"}
    if kinds <= {"refused", "dropped"} and refusing >= {tier.name for tier in wanted}:
        return "refused"
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
        word = verdict(findings, chosen)
        if log:
            record: dict[str, Any] = {"seed": seed, "verdict": word}
            if findings:
                record["findings"] = [str(f) for f in findings]
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("a") as file:
                file.write(json.dumps(record) + "\n")
        yield seed, word, findings


def explain(name: str, program: Program, findings: Sequence[Finding], seconds: float) -> str:
    """A program that differs, shrunk if there is time for it, and the command that runs it."""
    first = next((f for f in findings if f.difference.kind != "refused"), findings[0])
    title = f"== {name} differs in {', '.join(f.tier for f in findings)}"
    if seconds:
        program, first = smallest(program, first, seconds)
    command = f"PYTHONPATH=src:tests python -m everyday {name} --tiers {first.tier}"
    return f"\n{title}\n{program.text()}\n{first}\n{command}"


def smallest(program: Program, finding: Finding, seconds: float) -> tuple[Program, Finding]:
    """The smallest program that differs in the same way, and how it does."""
    latest = [finding]

    def differs(candidate: Program) -> bool:
        for one in examine(candidate, [TIERS[finding.tier]], 2.0):
            if one.difference[:2] == finding.difference[:2]:
                latest[0] = one
                return True
        return False

    return shrink(program, differs, seconds), latest[0]
