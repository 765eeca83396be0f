"""Random programs as people write them: all tiers give what plain Python gives."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from everyday.coding import decoded, encoded
from everyday.days import first_seed
from everyday.golden import KNOWN, differences, recorded
from everyday.outcomes import Outcome, compare
from everyday.programs import Program
from everyday.runs import Finding, explain, run
from everyday.shrinking import shrink
from everyday.tiers import TIERS
from everyday.writer import write

#: How many programs of the slow run are one test.
_SLICE = 1_000
#: Seconds for shrinking a program that differs.
_SHRINKING = 20.0


def check(seed: int, word: str, findings: list[Finding]) -> None:
    """Fails with the shrunk program and the command that runs it."""
    if word == "differ":
        pytest.fail(explain(f"--seed {seed}", write(seed), findings, _SHRINKING))


@pytest.mark.parametrize("part", range(4))
def test_programs_of_the_day(part: int) -> None:
    names = list(TIERS)
    for seed in range(first_seed() + 25 * part, first_seed() + 25 * part + 25):
        tiers = [TIERS["steps"], TIERS[names[seed % len(names)]]]
        for result in run([seed], tiers):
            check(*result)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(100))
def test_many_programs(part: int, request: pytest.FixtureRequest) -> None:
    """A run that was ended goes on: pytest's cache has what is done."""
    assert request.config.cache is not None
    folder = Path(request.config.cache.mkdir("everyday")) / str(part)
    for result in run(range(_SLICE * part, _SLICE * (part + 1)), folder=folder):
        check(*result)


@pytest.mark.slow
def test_a_second_process_runs_code_from_the_disk(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "everyday", "--seeds", "0", "60", "--tiers", "native"]
    environment = {
        **os.environ,
        "GRAPHWRIGHT_CACHE_DIR": str(tmp_path / "code"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    for _ in range(2):
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert list((tmp_path / "code").iterdir())


def compare_with_tensorflow(count: int | None = None) -> None:
    """Runs the first of the programs that TensorFlow ran, or all."""
    for number, (program, eager, traced) in enumerate(recorded()[:count]):
        words = differences(program, eager, traced)
        assert bool(words) == (number in KNOWN), f"{words}\n{program.text('tensorflow')}"


def test_programs_that_tensorflow_ran() -> None:
    compare_with_tensorflow(60)


@pytest.mark.slow
def test_all_programs_that_tensorflow_ran() -> None:
    compare_with_tensorflow()


def test_a_program_is_the_same_again() -> None:
    assert write(3) == write(3)


def test_a_shrunk_program_has_what_matters_alone() -> None:
    source = "def f(x):\n    if x:\n        y = tf.abs(tf.tanh(x) + 1)\n    return [y, x]"
    program = Program(source, ("f(tf.constant(1.0))", "f(2)"))
    small = shrink(program, lambda p: "tf.tanh" in p.source and "f(" in "".join(p.calls))
    assert small.source == "def f(x):\n    y = tf.tanh"
    assert len(small.calls) == 1


def test_outcomes_differ_by_type_shape_number_and_error() -> None:
    outcomes = [
        Outcome((np.float32([1.0, 2.0]),), "."),
        Outcome((np.float32([1.0, 2.01]),), "."),
        Outcome((np.float64([1.0, 2.0]),), "."),
        Outcome((np.float32([[1.0, 2.0]]),), "."),
        Outcome((np.float32([1.0, np.nan]),), "."),
        Outcome((np.float32([1.0, 2.0]),), "list(.)"),
        Outcome(error="InvalidArgumentError"),
    ]
    for one, other in itertools.product(outcomes, repeat=2):
        assert (compare(one, other) is None) == (one is other)
    assert compare(outcomes[0], Outcome((np.float32([1.0, 2.00001]),), ".")) is None


def test_outcomes_are_the_same_as_json() -> None:
    numbers = np.float32([0.1, np.inf, np.nan, 1e-30])
    outcome = Outcome((numbers, np.int32([[1]]), 3, True), "tuple(., ., ., .)")
    again = decoded(json.loads(json.dumps(encoded(outcome))))
    assert compare(outcome, again) is None
    np.testing.assert_array_equal(again.leaves[0], numbers)
