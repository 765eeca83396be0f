"""Control flow behaves as TensorFlow's: values, classes of errors, gradients, printed text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from corpora import control as corpus

import graphwright as tf

GOLDEN = json.loads(
    (Path(__file__).parent.parent / "golden" / "control.json").read_text(encoding="utf-8")
)

#: Where the outcome is meant to be another one, and why.
DEPARTURES = {
    "tf.switch_case(c(1, tf.int64), [lambda: c(1), lambda: c(3)])": "any integer chooses",
    "tf.case([(c(True), lambda: c(1)), (c(True), lambda: c(2))], exclusive=True)": (
        "the last predicate counts as the others do, as TensorFlow's documentation has it"
    ),
    "tf.py_function(lambda x: {'a': x}, [c(1.0)], {'a': tf.float32})": "Tout is any structure",
}


def test_the_record_covers_the_corpus():
    assert set(GOLDEN["outcomes"]) == set(corpus.EXPRESSIONS)
    assert set(GOLDEN["derivatives"]) == set(corpus.GRADIENTS)
    assert set(GOLDEN["printed"]) == set(corpus.PRINTED)


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("expression", [e for e in corpus.EXPRESSIONS if e not in DEPARTURES])
def test_an_outcome_is_tensorflow_s(expression, graph):
    assert corpus.outcome(expression, tf, graph) == GOLDEN["outcomes"][expression][graph]


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("name", corpus.GRADIENTS)
def test_a_derivative_is_tensorflow_s(name, graph):
    for point, recorded in zip(corpus.POINTS, GOLDEN["derivatives"][name]):
        found = corpus.derivatives(tf, name, point, graph)
        for mine, theirs in zip(found, recorded):
            np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("arguments", corpus.PRINTED)
def test_what_is_printed_is_tensorflow_s(arguments, graph):
    assert corpus.printed(arguments, tf, graph) == GOLDEN["printed"][arguments]
