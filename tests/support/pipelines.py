"""How a pipeline behaves otherwise than TensorFlow did, and which are known to."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpora.pipelines import running
from corpora.pipelines.table import PIPELINES

import graphwright as tf

TESTS = Path(__file__).parents[1]
GOLDEN: dict[str, dict[str, Any]] = json.loads(
    gzip.decompress((TESTS / "golden" / "data.json.gz").read_bytes())
)
#: Pipelines that differ still, each behind its mode, under headings that say why.
MISSING = TESTS / "data" / "pipelines_missing.txt"


def cases() -> Iterator[tuple[str, str]]:
    """The modes and the names of what is compared."""
    for name, recorded in GOLDEN.items():
        if recorded["eager"] is None:
            continue
        yield "eager", name
        if running.in_functions(recorded["eager"]) and recorded.get("function", ()) is not None:
            yield "function", name
        parallel = running.has_parallel_stages(PIPELINES[name])
        if parallel and recorded.get("parallel", ()) is not None:
            yield "parallel", name


def difference(mode: str, name: str) -> str:
    """How a pipeline differs from what was recorded; nothing where it does not."""
    recorded, source = GOLDEN[name], PIPELINES[name]
    expected = recorded["eager"]
    if mode == "eager":
        outcome = running.eager(source, tf)
    else:
        expected = recorded.get(mode, running.elements_of(expected))
        run = running.traced if mode == "function" else running.parallel
        outcome = running.elements_of(run(source, tf))
    if not running.alike(outcome, expected):
        return f"{outcome}, not {expected}"
    return unlike_words(outcome, expected) if mode == "eager" else ""


def unlike_words(outcome: Any, expected: Any) -> str:
    """Says where the message of a refused program has no word of TensorFlow's message."""
    if not isinstance(expected, dict) or "message" not in expected:
        return ""
    ours, theirs = outcome["message"], expected["message"]
    return "" if not words(theirs) or words(ours) & words(theirs) else f"{ours!r}, not {theirs!r}"


def words(message: str) -> set[str]:
    """The words and numbers of a message, without what TensorFlow puts before it."""
    text = re.sub(r"^(Graph execution error:|\w+Error: )", "", message)
    return set(re.findall(r"[a-z]{4,}|\d+", text.lower()))


def missing() -> dict[tuple[str, str], str]:
    """The pipelines that differ still, and the heading under which they stand."""
    heading, entries = "", {}
    for line in MISSING.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.removeprefix("#").strip()
        elif line:
            mode, _, name = line.partition(" ")
            entries[mode, name] = heading
    return entries
