"""Sparse tensors behave as TensorFlow's: eagerly, traced with and without sizes, differentiated.

What is compared was recorded by tools/record_sparse_goldens.py.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from corpora import sparse as corpus

import graphwright as tf
from tools import golden_format as gf

OUTCOMES = json.loads((gf.GOLDEN / "sparse.json").read_text(encoding="utf-8"))
CASES = list(zip(range(len(OUTCOMES)), corpus.PROGRAMS, OUTCOMES, strict=True))
VALUES = [c for c in CASES if "values" in c[2]]


def unpacked(entry: Any) -> Any:
    """The recorded array."""
    name, shape, values = entry
    if name == "string":
        return np.array([v.encode("latin-1") for v in values] + [None], object)[:-1].reshape(shape)
    dtype = np.dtype(name)
    flat = np.array(values, dtype.type(0).real.dtype).view(dtype)
    return flat.reshape(shape)


def assert_same(found: list[Any], expected: list[Any]) -> None:
    assert len(found) == len(expected)
    for ours, entry in zip(found, expected):
        theirs = unpacked(entry)
        ours = np.asarray(ours, object if isinstance(ours, bytes) else None)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        if theirs.dtype.kind in "fc":
            np.testing.assert_allclose(ours, theirs, rtol=4e-6, atol=4e-6)
        else:
            assert ours.tolist() == theirs.tolist()


def ids(cases: list[Any]) -> list[str]:
    return [f"{number}-line{program.__code__.co_firstlineno}" for number, (program, _), _ in cases]


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
@pytest.mark.filterwarnings("ignore")
def test_a_program_gives_what_tensorflow_gives(case: Any) -> None:
    _, (program, inputs), outcome = case
    if outcome.get("error") == "NotFoundError":  # TensorFlow has no kernel there
        return
    if "error" in outcome:
        with pytest.raises(Exception) as raised:  # noqa: PT011 - which one is what is tested
            corpus.run(tf, program, inputs)
        assert outcome["error"] in {kind.__name__ for kind in type(raised.value).__mro__}
        return
    assert_same(corpus.run(tf, program, inputs), outcome["values"])


@pytest.mark.parametrize("known", [True, False], ids=["sizes", "no sizes"])
@pytest.mark.parametrize("case", VALUES, ids=ids(VALUES))
def test_a_traced_program_gives_the_same(case: Any, known: bool) -> None:
    _, (program, inputs), outcome = case
    assert_same(corpus.run_traced(tf, program, inputs, known), outcome["values"])


@pytest.mark.parametrize("case", VALUES, ids=ids(VALUES))
def test_gradients_are_tensorflows(case: Any) -> None:
    _, (program, inputs), outcome = case
    if outcome["gradient"] is None:
        return
    result = corpus.run_gradient(tf, program, inputs)
    assert len(result) == len(outcome["gradient"])
    for ours, entry in zip(result, outcome["gradient"]):
        if ours is None:
            assert entry is None or not np.any(unpacked(entry))
        elif entry is not None:  # several ops have no gradient there
            near = max(1e-5, float(np.finfo(ours.dtype).eps))
            np.testing.assert_allclose(ours, unpacked(entry), rtol=near, atol=near)
