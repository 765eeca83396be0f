"""Programs on four logical devices, compared with what TensorFlow recorded of them.

They all run in one child process, since a process divides its CPU before it computes anything.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import graphwright as tf
from tools import golden_format as gf

RECORDED = json.loads((gf.GOLDEN / "distribution.json").read_text(encoding="utf-8"))
TESTS = Path(__file__).resolve().parents[2]
CASES = [(module, name) for module, programs in RECORDED.items() for name in programs]

#: What is otherwise here, and why.
DEPARTURES = {
    "values_that_are_divided": "all parts are in one memory, so the value is there",
    "plain_beside_divided": "a plain tensor counts as one that each device has",
    "public_names": "names of what is not here raise an AttributeError that says why",
}


@pytest.fixture(scope="module")
def outcomes() -> dict[str, dict[str, Any]]:
    """The outcomes of all programs here."""
    paths = os.pathsep.join([str(TESTS), *[p for p in sys.path if p]])
    done = subprocess.run(
        [sys.executable, "-m", "corpora.distribution"],
        env=os.environ | {"PYTHONPATH": paths},
        check=True,
        capture_output=True,
        text=True,
    )
    result: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize(("module", "name"), CASES, ids=[name for _, name in CASES])
def test_outcome_is_tensorflows(
    module: str, name: str, outcomes: dict[str, dict[str, Any]]
) -> None:
    same = outcomes[module][name] == RECORDED[module][name]
    assert same is not (name in DEPARTURES), (outcomes[module][name], RECORDED[module][name])


def test_every_public_name_is_here_or_says_why_it_is_not() -> None:
    spaces = ["tf.distribute", "tf.distribute.experimental", "tf.distribute.cluster_resolver"]
    names = RECORDED["mirrored"]["public_names"]
    for space, expected in zip(spaces, names):
        module = eval(space, {"tf": tf})
        for name in expected:
            try:
                getattr(module, name)
            except AttributeError as error:
                assert str(error).startswith(f"graphwright has no {space}.{name}. ")  # noqa: PT017
    kinds = [tf.distribute.ReplicaContext, tf.distribute.StrategyExtended]
    for kind, expected in zip(kinds, names[6:]):
        assert set(expected) <= set(dir(kind))


def test_there_are_enough_programs() -> None:
    assert len(CASES) >= 150
    assert set(DEPARTURES) <= {name for _, name in CASES}
