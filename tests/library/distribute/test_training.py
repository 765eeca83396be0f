"""Training gives the same losses with any number of replicas, and the same bits in each run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parents[2]
PROGRAM = """
import json, sys
import graphwright as tf
from corpora.distribution.outcomes import divide
from corpora.distribution.training import MODELS, train
divide(tf)
results = {}
for name in MODELS:
    for count in map(int, sys.argv[1:]):
        strategy = tf.distribute.MirroredStrategy([f"/cpu:{i}" for i in range(count)])
        weights, losses = train(tf, name, strategy)
        results[f"{name} {count}"] = [[w.hex() for w in weights], losses]
    if len(sys.argv) > 2:
        weights, losses = train(tf, name, tf.distribute.get_strategy())
        results[f"{name} plain"] = [[w.hex() for w in weights], losses]
json.dump(results, sys.stdout)
"""


def run(*counts: int) -> dict[str, tuple[list[str], list[float]]]:
    """The weights and losses of all models with these numbers of replicas, from a new process.

    Several numbers bring those of the default strategy along.
    """
    paths = os.pathsep.join([str(TESTS), *[p for p in sys.path if p]])
    environment = os.environ | {"PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, counts)],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    result: dict[str, tuple[list[str], list[float]]] = json.loads(done.stdout)
    return result


@pytest.fixture(scope="module")
def results() -> list[dict[str, tuple[list[str], list[float]]]]:
    return [run(1, 2, 4), run(2)]


@pytest.mark.parametrize("name", ["linear", "layers", "convolutions"])
def test_losses_are_those_of_one_process(name: str, results: list[dict]) -> None:
    expected = results[0][f"{name} plain"][1]
    assert expected[-1] != expected[0]
    for count in (1, 2, 4):
        losses = results[0][f"{name} {count}"][1]
        np.testing.assert_allclose(losses, expected, rtol=2e-5)


def test_runs_agree_bit_for_bit(results: list[dict]) -> None:
    first, again = results
    assert len(again) == 3
    assert {name: first[name] for name in again} == again


SAVING = """
import sys
import graphwright as tf
from corpora.distribution.outcomes import divide
divide(tf)
with tf.distribute.MirroredStrategy().scope():
    module = tf.Module()
    module.v = tf.Variable(2.0)
module.f = tf.function(lambda x: x * module.v, input_signature=[tf.TensorSpec([])])
tf.saved_model.save(module, sys.argv[1])
print(float(tf.saved_model.load(sys.argv[1]).f(tf.constant(3.0))))
"""


def test_a_model_of_mirrored_variables_is_saved_as_one_of_plain_ones(tmp_path: Path) -> None:
    paths = os.pathsep.join([str(TESTS), *[p for p in sys.path if p]])
    command = [sys.executable, "-c", SAVING, str(tmp_path / "model")]
    environment = os.environ | {"PYTHONPATH": paths}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert done.stdout == "6.0\n"
