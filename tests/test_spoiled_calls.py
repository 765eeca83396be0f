"""Bad calls of the most used functions come to what TensorFlow has: refusals, in its classes.

tests/golden/calls.json.gz has 4,000 calls of 400 functions and their outcomes, eagerly and in
graphs of unknown shapes (`tools/record_call_goldens.py`). Natively they come to what they come to
in graphs.
"""

from __future__ import annotations

import gzip
import json
import logging
from collections import Counter
from functools import cache
from typing import Any

import pytest
from support.spoiled_calls import MODES, SpoiledCall, outcome

import graphwright as tf
from tools import golden_format as gf

#: Errors that Python raises by itself, where nobody has looked at an argument.
BARE = {
    "AttributeError", "IndexError", "ZeroDivisionError", "OverflowError", "KeyError", "MemoryError",
    "RecursionError", "AssertionError", "UnboundLocalError", "StopIteration", "NotImplementedError",
}  # fmt: skip
#: How many calls may come to what TensorFlow does not: docs/agreement.md says which they are.
MOST = {"bare": 1, "lenient": 167, "strict": 46, "class": 540, "native": 0}
#: Every so many calls are looked at by default.
STEP = 20


@cache
def calls() -> list[tuple[SpoiledCall, list[str]]]:
    """The calls that TensorFlow survives, and its outcomes."""
    rows = json.loads(gzip.decompress((gf.GOLDEN / "calls.json.gz").read_bytes()))
    return [(SpoiledCall(*row[:-1]), row[-1]) for row in rows if row[-1] is not None]


def difference(here: str, there: str) -> str | None:
    """How an outcome differs from TensorFlow's; None where it does not."""
    if here == there or "no arguments" in here or there in ("NotFoundError", "UnimplementedError"):
        return None
    if here in BARE:
        return "bare"
    if here == "ok":
        return "lenient"
    return "strict" if there == "ok" else "class"


def differences(step: int) -> tuple[Counter[str], list[str]]:
    """How many calls differ and how, and what is worse than a class."""
    counts: Counter[str] = Counter()
    lines = []
    for call, expected in calls()[::step]:
        got = [outcome(call, tf, mode) for mode in MODES]
        kinds: list[Any] = [difference(here, there) for here, there in zip(got, expected)]
        kinds += ["native"] if got[1] != got[2] else []
        for kind in filter(None, kinds):
            counts[kind] += 1
            if kind != "class":
                lines.append(f"{kind}: {call.text()} | {got} | {expected}")
    return counts, lines


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> Any:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.filterwarnings("ignore")
def test_a_sample_of_bad_calls_raises_no_bare_error() -> None:
    counts, lines = differences(STEP)
    assert not counts["bare"], "\n".join(lines)
    assert not counts["native"], "\n".join(lines)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_all_bad_calls_differ_as_the_page_says() -> None:
    counts, lines = differences(1)
    assert all(counts[kind] <= most for kind, most in MOST.items()), f"{counts}\n" + "\n".join(
        lines
    )
