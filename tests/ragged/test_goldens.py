"""Ragged tensors behave as TensorFlow's, eagerly and in functions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from corpora import ragged as corpus

import graphwright as tf

GOLDEN = json.loads(
    (Path(__file__).parent.parent / "golden" / "composites.json").read_text(encoding="utf-8")
)
NAMES = corpus.scope(tf)

#: Where the outcome is meant to be another one, and why.
DEPARTURES = {
    "tf.strings.unicode_decode(['a'], 'latin')": "Python knows this encoding, ICU does not",
    "R.from_nested_row_splits([1, 2], [])": "values are converted even if nothing divides them",
    "r[tf.newaxis, 0]": "what stands behind a new axis is meant for the rows",
    "tf.gather(r, [0], axis=1)": "TensorFlow reads behind the end of an empty row",
    "tf.gather(r, [[0], [0], [1], [0]], batch_dims=1)": "the same",
    "tf.gather_nd(d, [[0, 0], [1, 0]])": "the same",
}
EAGER = [(area, e) for area, cases in corpus.AREAS.items() for e in cases if e not in DEPARTURES]

#: What needs values: Python's lists and texts, or nothing that a graph could return.
VALUES = ("str(", "repr(", "list", "numpy", "spec", "Spec", "shape", "rank", "dtype", "bool(")


def in_graphs(area: str, expression: str) -> bool:
    """Whether an expression gives tensors that a function can return."""
    tensors = isinstance(GOLDEN[area][expression], (dict, list))
    plain = area == "parts" and any(word in expression for word in VALUES)
    return area != "traced" and tensors and not plain


def close(found: Any, recorded: Any) -> bool:
    """Whether two descriptions agree; floats to five digits."""
    if isinstance(found, list) and isinstance(recorded, list):
        return len(found) == len(recorded) and all(map(close, found, recorded))
    if isinstance(found, dict) and isinstance(recorded, dict):
        return found.keys() == recorded.keys() and all(close(found[k], recorded[k]) for k in found)
    if found == recorded:
        return True
    try:
        return float(found) == pytest.approx(float(recorded), rel=2e-5, abs=1e-6)
    except (TypeError, ValueError):
        return False


def test_the_record_covers_the_corpus() -> None:
    for area, expressions in corpus.AREAS.items():
        assert set(GOLDEN[area]) == set(expressions)


@pytest.mark.parametrize(("area", "expression"), EAGER)
def test_an_outcome_is_tensorflow_s(area: str, expression: str) -> None:
    found = json.loads(json.dumps(corpus.outcome(expression, tf, NAMES)))
    assert close(found, GOLDEN[area][expression]), (found, GOLDEN[area][expression])


def values_only(description: Any) -> Any:
    """A description without what only eager execution knows of shapes."""
    if isinstance(description, dict):
        return {k: v for k, v in description.items() if k != "spec"}
    if isinstance(description, list):
        return [values_only(item) for item in description]
    return description


@pytest.mark.parametrize(("area", "expression"), [each for each in EAGER if in_graphs(*each)])
def test_a_function_gives_the_same(area: str, expression: str) -> None:
    found = json.loads(json.dumps(corpus.traced(expression, tf, NAMES)))
    recorded = GOLDEN[area][expression]
    assert close(values_only(found), values_only(recorded)), (found, recorded)
