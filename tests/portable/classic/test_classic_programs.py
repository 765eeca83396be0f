"""Programs of TensorFlow 1 give what TensorFlow gives, as it was recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora.classic_programs import plain
from corpora.former_calls import PROGRAMS

import graphwright as tf

FILE = Path(__file__).parents[2] / "golden" / "classic_programs.json"
RECORDED = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_gives_what_tensorflow_gives(name: str, tmp_path: Path) -> None:
    results = plain(PROGRAMS[name](tf.compat.v1, str(tmp_path)))
    assert len(results) == len(RECORDED[name])
    for number, (result, recorded) in enumerate(zip(results, RECORDED[name])):
        agree(result, recorded, f"{name}: result {number}")


def agree(result: Any, recorded: Any, where: str) -> None:
    """Compares numbers within what float32 allows, and all else exactly."""
    if isinstance(recorded, float) or (isinstance(recorded, list) and numeric(recorded)):
        np.testing.assert_allclose(result, recorded, 2e-5, 2e-6, err_msg=where)
    else:
        assert result == recorded, where


def numeric(values: list[Any]) -> bool:
    """Whether a list has numbers, in lists or not."""
    return (
        bool(values)
        and np.asarray(values, object).dtype == object
        and all(numeric(v) if isinstance(v, list) else isinstance(v, float) for v in values)
    )
