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

from tools import golden_format as gf

RECORDED = json.loads((gf.GOLDEN / "distribution.json").read_text(encoding="utf-8"))
TESTS = Path(__file__).resolve().parents[2]
CASES = [(module, name) for module, programs in RECORDED.items() for name in programs]

#: What is otherwise here, and why.
DEPARTURES: dict[str, str] = {}


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


def test_departures_are_programs() -> None:
    assert set(DEPARTURES) <= {name for _, name in CASES}
