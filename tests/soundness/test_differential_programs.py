"""Random programs of the most used names come to what TensorFlow 2.21 made of them."""

from __future__ import annotations

import pytest
from differential.author import write
from differential.results import difference
from differential.samples import recorded
from differential.stages import STAGES, differences

#: Programs that are looked at by default, eagerly and traced.
_FEW = 40


@pytest.mark.parametrize("part", range(4))
def test_some_programs_that_tensorflow_ran(part: int) -> None:
    for seed, sample, theirs in recorded()[part:_FEW:4]:
        words = differences(sample, theirs, ("eager", "traced"))
        assert not words, f"{seed}\n{sample.program.text()}\n{words}"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(16))
def test_all_programs_that_tensorflow_ran(part: int) -> None:
    stages = [stage for stage in STAGES if stage != "check"]  # which asks for the last digits
    for seed, sample, theirs in recorded()[part::16]:
        words = differences(sample, theirs, stages)
        assert not words, f"{seed}\n{sample.program.text()}\n{words}"


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
