"""Models in graphs of sessions: those that TensorFlow's builder wrote, and those written again.

`tools/record_classic_models.py` records them, and has TensorFlow load what graphwright wrote.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.saved_models import (
    CLASSIC,
    CLASSIC_NAMES,
    assert_alike,
    built_again,
    classic_calls,
    classic_result,
    session_result,
    unpacked,
)

import graphwright as tf

v1 = tf.compat.v1


def values(results: Any) -> list[Any]:
    """The arrays of results by name."""
    parts = tf.nest.flatten(results, expand_composites=True)
    return [np.asarray(getattr(part, "numpy", lambda part=part: part)()) for part in parts]


@pytest.mark.parametrize("name", CLASSIC_NAMES)
def test_a_session_computes_what_tensorflow_computes(name: str, tmp_path: Path) -> None:
    folder = unpacked(name, tmp_path, CLASSIC)
    calls = [call for call in classic_calls(folder) if not call.path.startswith("prune ")]
    expected = [values(call.expected) for call in calls]
    with tf.Graph().as_default(), v1.Session() as session:
        message = v1.saved_model.load(session, ["serve"], folder)
        for call, theirs in zip(calls, expected):
            made = values(session_result(session, message.signature_def[call.path], call))
            assert [x.dtype for x in made] == [x.dtype for x in theirs]
            for x, y in zip(made, theirs, strict=True):
                compare = np.testing.assert_array_equal
                if x.dtype.kind == "f":
                    compare = functools.partial(np.testing.assert_allclose, rtol=1e-5, atol=1e-6)
                compare(x, y)


@pytest.mark.parametrize("name", CLASSIC_NAMES)
def test_the_builder_writes_it_again(name: str, tmp_path: Path) -> None:
    folder = unpacked(name, tmp_path, CLASSIC)
    built_again(folder, tmp_path / "again")
    model = tf.saved_model.load(tmp_path / "again")
    for call in classic_calls(folder):
        if not call.path.startswith("prune "):
            assert_alike(classic_result(model, call), call.expected)
