"""Programs of Keras get explanations at their own lines, with fixes that keep what they promise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(find_spec("keras") is None, reason="the extra `keras`")

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("keras_retraces.py")

#: The method of a program, and parts of the sentence and of the code.
TOLD = {
    "tail": ("model.predict", "2 shapes: [4, 3] and [2, 3]", "-rows % 4"),
    "executions": ("model.predict", "no multiple of `steps_per_execution`", "rows, step = len(x)"),
    "rows": ("model.predict_on_batch", "3 shapes: [8, 3], [4, 3] and [3, 3]", "8 - rows"),
    "training rows": ("model.train_on_batch", "3 shapes: [8, 3]", "model.fit(x, y, batch_size"),
    "lengths": ("model.predict_on_batch", "[4, 5, 3], [4, 4, 3]", "keras.utils.pad_sequences"),
    "drop_remainder": ("model.fit", "3 shapes: [8, 3], [4, 3] and [3, 3]", "dataset.batch(n)"),
    "dtypes": ("model.predict", "batches of float32 and int64", 'x.astype("float32")'),
    "rebuilt": ("model.fit", "6 models were built or compiled", "model.set_weights(weights)"),
    "weights": ("model.fit", "batches of 2 or 3 tensors", "sample_weight=np.ones(len(x)"),
}


@cache
def reports() -> dict[str, Any]:
    """What one process says of all programs, behind the progress that Keras prints."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(PROGRAM)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "KERAS_BACKEND": "tensorflow"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.parametrize("name", TOLD)
def test_the_cause_is_told_at_the_line_of_the_program(name: str) -> None:
    report, (method, words, code) = reports()[name], TOLD[name]
    assert report["name"] == method
    assert words in report["sentence"]
    assert code in report["code"]
    places = [report["place"], *report["callers"]]
    assert all(place.startswith(f"{PROGRAM}:") for place in places)


@pytest.mark.parametrize("name", TOLD)
def test_the_fix_leaves_the_traces_that_it_promises(name: str) -> None:
    report = reports()[name]
    assert report["left"] == report["promised"] == 1


def test_the_warning_about_models_of_a_loop_names_the_line_and_the_fix() -> None:
    report = reports()["rebuilt"]
    warning = report["warning"]
    assert f"`model.fit` ({report['place']}) was traced" in warning
    assert "Build and compile the model once (1 trace): weights = model.get_weights()" in warning
    assert "trainer.py" not in warning
    first, *others = report["losses"]  # each round begins with the same weights
    assert others == pytest.approx([first, first], rel=1e-5)


def test_a_function_of_the_program_around_a_model_keeps_its_own_explanation() -> None:
    report = reports()["numbers"]
    assert report["name"] == "scaled"
    assert "`factor` is a Python float with 3 values" in report["sentence"]
    assert "tf.constant(factor)" in report["code"]
