"""The whole programs of the benchmarks: what they compute, and that their loops are native."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.tiers import calls_left

import graphwright as tf
from benchmarks.whole_programs.native_loops import loops_outside
from benchmarks.whole_programs.table import PROGRAMS
from benchmarks.whole_programs.whole_program import Settled, contents_of
from graphwright.machine import background

GOLDEN = Path(__file__).parents[1] / "golden" / "whole_programs.json"
RESULTS = json.loads(GOLDEN.read_text(encoding="utf-8"))

#: Programs with a loop that something keeps out of machine code, and what.
#: This table only shrinks.
OUTSIDE = {
    "beams": "an iteration changes the size of a variable",
    "samples": "has no elements",
    "epoch": "it reads or changes state",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_computes_what_tensorflow_does(name: str) -> None:
    program = PROGRAMS[name]
    call = program.tf(tf, program.small)
    for count, total in RESULTS[name]:
        assert contents_of(call()) == (count, pytest.approx(total, rel=program.tolerance))


@pytest.mark.parametrize("name", PROGRAMS)
def test_its_machine_code_computes_the_same(name: str) -> None:
    program = PROGRAMS[name]
    call = program.tf(Compiled(), program.small)
    with calls_left() as left:
        for count, total in RESULTS[name]:
            assert contents_of(call()) == (count, pytest.approx(total, rel=program.tolerance))
    assert left == []
    background.wait()


class Compiled:
    """The module, whose functions are native from their first call on."""

    def __getattr__(self, name: str) -> object:
        return getattr(tf, name)

    def function(self, function: object) -> object:
        return tf.function(function, jit_compile=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_loop_stays_in_python(name: str) -> None:
    program = PROGRAMS[name]
    outside = loops_outside(program, program.small)
    assert bool(outside) == (name in OUTSIDE)
    assert all(OUTSIDE[name] in reason for reason in outside)


def test_contents_tell_results_of_another_order_apart() -> None:
    count, total = contents_of((np.array([3.0, 1.0, -2.0]), np.array([b"ab"])))
    assert (count, total) == (4, pytest.approx(3.0 + 1.125 + 2.5 + 2.0))
    assert contents_of(np.array([1.0, 3.0]))[1] != contents_of(np.array([3.0, 1.0]))[1]


def test_a_settled_sample_holds_what_the_first_call_computes() -> None:
    workload = Settled("T", "a test", "µs", None, {"numpy": lambda numpy: lambda: numpy.ones(2)})
    sample = workload.prepare("numpy")
    assert vars(sample)["contents"] == (2, 2.25)
    assert sample() > 0
