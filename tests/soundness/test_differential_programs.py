"""Random programs of the most used names come to what TensorFlow 2.21 made of them."""

from __future__ import annotations

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
