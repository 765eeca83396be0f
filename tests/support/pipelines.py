"""How a pipeline behaves otherwise than TensorFlow did, and which are known to."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpora.pipelines import running
from corpora.pipelines.descriptions import MOST_ELEMENTS, MOST_ERRORS, described, refusal
from corpora.pipelines.table import PIPELINES

import graphwright as tf
from graphwright.data.state_coding import decode, encode

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


#: What pipelines say that cannot be saved, nor in TensorFlow: a generator of Python, a stream of
#: random numbers, and a dataset that stands in another one as a value.
_NOT_SAVED = "where a Python generator is", " is stateful. ", "that holds <"


def resumed(name: str, place: int) -> str:
    """How the elements differ if an iterator is saved at a place, and another one goes on there.

    Nothing where they do not, and where a pipeline is known not to be saved.
    """
    recorded, source = GOLDEN[name]["eager"], PIPELINES[name]
    with running.folder_for(source) as folder:
        datasets = []
        for _ in range(2):
            tf.random.set_seed(1)
            datasets.append(running.value_of(source, tf, folder))
        before, after = map(iter, datasets)
        seen = elements(before, tf, place)
        try:
            state = encode(before._reader.save())
        except tf.errors.OpError as error:
            return "" if any(words in error.message for words in _NOT_SAVED) else str(error)
        after._reader.restore(decode(state))
        seen += elements(after, tf, len(recorded["elements"]) + 1 - place)
        outcome = json.loads(json.dumps(seen).replace(folder, "FOLDER"))
    expected = recorded["elements"]
    is_cut = len(expected) == MOST_ELEMENTS or errors_in(expected) == MOST_ERRORS
    outcome = outcome[: len(expected)] if is_cut else outcome
    return "" if running.alike(outcome, expected) else f"{outcome}, not {expected}"


def elements(iterator: Any, tf: Any, count: int) -> list[Any]:
    """The next elements, at most so many, and errors where they come."""
    seen: list[Any] = []
    while len(seen) < count:
        try:
            seen.append(described(next(iterator), tf))
        except StopIteration:
            break
        except tf.errors.OpError as error:
            seen.append(refusal(error))
    return seen


def errors_in(outcome: list[Any]) -> int:
    """How many errors there are among elements."""
    return sum(isinstance(element, dict) and "error" in element for element in outcome)
