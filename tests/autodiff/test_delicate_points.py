"""Derivatives at ties, bends, infinite slopes and of nothing are those of TensorFlow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora import gradients as corpus

import graphwright as tf

RECORDED = json.loads(
    (Path(__file__).resolve().parents[1] / "golden" / "gradients.json").read_text("utf-8")
)
#: Whose second derivatives are meant to be others.
SECOND = {
    "nn.moments": "TensorFlow holds the mean fast there, so its second derivative is wrong",
    "empty batch norm": "TensorFlow divides by the number of elements",
    "angle": "at 0 each is infinite or undefined",
}


def test_every_case_is_recorded() -> None:
    assert RECORDED.keys() == corpus.CASES.keys()


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", corpus.CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_derivatives_are_tensorflows(name: str, staged: bool) -> None:
    program, given = corpus.CASES[name]
    tensors = [tf.constant(x) for x in corpus.operands(given)]

    def both(tensors: Any) -> Any:
        return corpus.derivatives(tf, program, tensors)

    result = (tf.function(both, reduce_retracing=False) if staged else both)(tensors)
    for order, (ours, theirs) in enumerate(zip(result, RECORDED[name])):
        if order and name in SECOND:
            continue
        for mine, wanted, x in zip(ours, theirs, tensors):
            if staged and wanted is None and mine is not None:
                assert not np.any(mine)  # how often a loop runs is not known in a graph
                continue
            assert (mine is None) == (wanted is None)
            if mine is not None:
                assert (mine.shape, mine.dtype) == (x.shape, x.dtype)
                np.testing.assert_allclose(corpus.entry(mine), wanted, rtol=1e-5, atol=1e-6)
