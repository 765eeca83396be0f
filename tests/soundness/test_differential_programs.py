"""Random programs of the most used names come to what TensorFlow 2.21 made of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from differential.author import Sample, write
from differential.choices import choice
from differential.results import difference
from differential.samples import PARTS, recorded
from differential.stages import STAGES, differences, outcomes
from everyday.days import day
from everyday.programs import Program

#: Programs that are looked at by default, other ones each day; and those of a slow test.
_FEW, _MANY = 40, 250


def check(part: int, places: slice, stages: tuple[str, ...]) -> None:
    """Fails for a program that comes to something else, and not by choice."""
    for seed, sample, theirs in recorded(part)[places]:
        cases = differences(sample, theirs, stages)
        faults = [str(case) for case in cases if not choice(case, sample)]
        assert not faults, f"{seed}\n{sample.program.text()}\n{faults}"


@pytest.mark.parametrize("quarter", range(4))
def test_some_programs_that_tensorflow_ran(quarter: int) -> None:
    round, part = divmod(day(), PARTS)
    first = round * _FEW % 2000 + quarter
    check(part, slice(first, first + _FEW, 4), ("eager", "traced"))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2000, _MANY))
@pytest.mark.parametrize("part", range(PARTS))
def test_all_programs_that_tensorflow_ran(part: int, first: int) -> None:
    check(part, slice(first, first + _MANY), tuple(STAGES))


def test_a_sample_is_the_same_again() -> None:
    assert write(5) == write(5)


def test_a_process_begins_anew_after_a_program_that_was_ended(tmp_path: Path) -> None:
    """In three processes of one run, each program is run once and counted once."""
    (tmp_path / "run.py").write_text(_RUN)
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    command = [sys.executable, "run.py", "many"]
    run = subprocess.run(command, cwd=tmp_path, env=environ, text=True, capture_output=True)
    assert (run.returncode, run.stderr) == (1, "")
    lines = (tmp_path / "folder" / "eager.jsonl").read_text().splitlines()
    assert [json.loads(line)[0] for line in lines] == [0, 1, 2, 3, 4, 5]
    processes = (tmp_path / "processes").read_text().split()
    assert processes == ["0", "1", "0", "1", "0", "1"]  # programs that a process ran before
    assert run.stdout.count("== ") == 1  # what differs is shown once
    assert re.findall(r"^ +(\d+) (.*)$", run.stdout, re.M) == [
        ("3", "It takes more time or memory than a program may have"),
        ("2", "agrees"),
        ("1", "differ, and no rule admits it"),
    ]


#: Compares six programs: each second takes too long, and the first one comes to something else.
_RUN = r"""
import itertools
import sys
import differential.__main__ as run
import differential.stages as stages
from differential.author import Sample
from everyday.programs import Program
from pathlib import Path

stages._SECONDS = 0.1
before = itertools.count()
def program(seed):
    end = "while True: pass" if seed % 2 else f"return {7 if seed == 0 else 1}"
    return Sample(Program(f"@tf.function\ndef program():\n    {end}", ("program()",)), "")

def differences(*arguments):
    with open("processes", "a") as file:
        print(next(before), file=file)
    return stages.differences(*arguments)

run.PARTS, run.differences = 2, differences
one = {"eager": [{"value": 1, "state": []}]}
run.recorded = lambda part: [(s, program(s), one) for s in range(part * 3, part * 3 + 3)]
assert sys.argv[1:] == ["many"]
sys.exit(run.rerun(["eager"], Path("folder")).show())
"""


def test_outcomes_differ_by_kind() -> None:
    def of(dtype: str, shape: list[int], *flat: float) -> dict[str, object]:
        return {"value": {"of": dtype, "shape": shape, "flat": list(flat)}, "state": []}

    one = of("float32", [2], 1.0, 2.0)
    kinds = {
        "dtype": of("float64", [2], 1.0, 2.0),
        "shape": of("float32", [1, 2], 1.0, 2.0),
        "value": of("float32", [2], 1.0, 2.1),
        "structure": {"value": {"list": []}, "state": []},
        "refused": {"error": "ValueError", "words": ""},
    }
    for kind, other in kinds.items():
        words = difference(one, other)
        assert words is not None
        assert words.startswith(kind)
    assert difference(one, of("float32", [2], 1.0, 2.00001)) is None
    assert str(difference(kinds["refused"], one)).startswith("no error")


def test_no_rule_admits_a_fault() -> None:
    source = "@tf.function\ndef program(x):\n    return tf.sort(x) * 1.5"
    sample = Sample(Program(source, ("program(tf.constant([2.0, 1.0]))",)), "")
    (right,) = outcomes(sample, "eager")
    assert not differences(sample, {"eager": [right]}, ["eager", "traced", "native"])
    wrong = {"of": "float32", "shape": [2], "flat": [1.5, 3.1]}
    for outcome in (
        {**right, "value": wrong},
        {**right, "value": {**wrong, "of": "float64"}},
        {**right, "value": {**wrong, "shape": [2, 1]}},
        {"error": "ValueError", "words": "no"},
    ):
        cases = differences(sample, {"eager": [outcome]}, ["eager"])
        assert [choice(case, sample) for case in cases] == [""], outcome
    failing = sample._replace(program=sample.program._replace(calls=("program([])",)))
    cases = differences(failing, {"eager": [right]}, ["eager"])
    assert [choice(case, failing) for case in cases] == [""]
