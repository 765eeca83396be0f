"""What this package once got wrong is as in TensorFlow: `docs/agreement.md` lists the checks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from corpora.agreement import PROGRAMS, outcome

import graphwright as tf
from tools import golden_format as gf

GOLDEN: dict[str, Any] = json.loads((gf.GOLDEN / "agreement.json").read_text(encoding="utf-8"))

#: Programs that are meant to come to something else, and why.
DEPARTURES = {
    "tensordot_beyond_the_axes_traced": "the same IndexError as eagerly, of another class there",
    "shape_invariant_of_sparse": "both refuse a matrix's shape; a TypeSpec is what is wanted",
    "return_in_finally": "both refuse it, here as a bool of a tensor",
    "slice_of_a_saved_variable": "there is no message of TensorFlow 1",
    "cond_of_other_structure": "a TypeError with both structures, not a bare AssertionError",
    "refusal_of_sobel": "a ValueError, not an AttributeError of a float",
    "index_into_nothing": "no element is touched, and derivatives of empty operands ask for it",
    "update_of_nothing": "no element is touched, and derivatives of empty operands ask for it",
    "derivatives_of_a_linear_call": "None where nothing depends on a source, as without a function",
}


def test_the_record_covers_the_programs() -> None:
    assert list(GOLDEN) == list(PROGRAMS)
    assert DEPARTURES.keys() <= GOLDEN.keys()


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_a_program_comes_to_what_tensorflow_has(name: str) -> None:
    same = outcome(PROGRAMS[name], tf) == GOLDEN[name]
    assert same is (name not in DEPARTURES), f"{outcome(PROGRAMS[name], tf)}, not {GOLDEN[name]}"
