"""Programs of Keras 3 learn on graphwright as they do on TensorFlow, to four digits of each loss.

`tools/record_keras_histories.py` records, and compares anew where TensorFlow is installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.histories import differences

pytestmark = pytest.mark.skipif(find_spec("keras") is None, reason="the extra `keras`")

TESTS = Path(__file__).resolve().parents[2]
RECORDED = json.loads((TESTS / "golden" / "keras_histories.json").read_text(encoding="utf-8"))


#: The programs that prepare texts, pictures, columns or sounds: they take longer.
PREPARING = list(RECORDED)[list(RECORDED).index("columns_of_numbers") :]
LEARNING = [name for name in RECORDED if name not in PREPARING]


@pytest.fixture(scope="module")
def histories() -> Any:
    """What the programs give in a process of their own."""
    return run(LEARNING)


@pytest.fixture(scope="module")
def prepared_histories() -> Any:
    """What the programs that prepare their data give, in two processes, one after the other."""
    return run(PREPARING[:5]) | run(PREPARING[5:])


def run(names: list[str]) -> Any:
    """The histories of programs."""
    program = str(TESTS / "corpora" / "keras_programs.py")
    done = subprocess.run(
        [sys.executable, "-m", "graphwright", "run", program, *names],
        env=os.environ | {"PYTHONPATH": str(TESTS.parent / "src"), "KERAS_BACKEND": "tensorflow"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", LEARNING)
def test_a_program_learns_as_on_tensorflow(name: str, histories: Any) -> None:
    assert differences(name, RECORDED[name], histories[name]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PREPARING)
def test_a_program_prepares_data_as_on_tensorflow(name: str, prepared_histories: Any) -> None:
    assert differences(name, RECORDED[name], prepared_histories[name]) == []


def test_a_difference_is_noticed() -> None:
    """The comparison is no formality: a loss that is 0.1 % off is named, and so is one too few."""
    name, history = next(iter(RECORDED.items()))
    off = {key: [value * 1.001 for value in values] for key, values in history.items()}
    assert len(differences(name, history, off)) == len(history)
    short = {key: values[:-1] for key, values in history.items()}
    assert len(differences(name, history, short)) == len(history)
    assert len(differences(name, history, {})) == len(history)
