"""Golden cases of ops as models of ONNX, which ONNX Runtime or ONNX's own evaluator computes."""

from __future__ import annotations

import logging
import re
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from support.goldens import AREAS
from support.onnx_cases import golden_outcomes

from tools import golden_format as gf

#: Cases that come out otherwise, and why: those of ONNX Runtime are its faults, or its freedom.
OTHERWISE = [
    (r"^reduce_(max|min)\(.*\bnan\b", "ONNX Runtime drops NaN from maxima and minima"),
    (r"^arg(max|min)\(.*\bnan\b", "ONNX Runtime lets NaN win where it comes first"),
    (r"^sort\(.*\bnan\b", "ONNX Runtime sorts NaN to the front"),
    (r"^unique(_with_counts)?\(.*\bnan\b", "ONNX Runtime finds NaN equal to all numbers"),
    (r"^pow\(int", "ONNX Runtime computes powers of integers as floats"),
    (
        r"reduce_(mean|variance|std)\(float32\[(0|0, 3|3, 0)\]",
        "ONNX Runtime has 0 as the mean of nothing",
    ),
    (r"^reshape\(.*\[0, 3\].*-1", "ONNX Runtime takes no -1 beside 0"),
    (r"^gather\(object", "ONNX Runtime loses strings that it gathers in rows"),
    (r"segment_sum\(.*\[0, 2\]", "the greatest number of no rows is none"),
    (
        r"^image\.resize(_with_pad)?\(.*method='bicubic'",
        "our weights, as TensorFlow's, come from a table; ONNX Runtime refuses some sizes",
    ),
    (r"^clip_by_global_norm\(.*float16", "a norm of another dtype is rounded at another place"),
    (r"golden\.state\.(drawn|set_and_got)", "other random numbers; items that nothing wrote"),
]
#: How many cases of all areas agree at least, with shapes known and unknown.
LEAST = {"full": 6500, "partial": 5500}


def is_otherwise(text: str) -> bool:
    """Whether a case is meant to differ."""
    return any(re.search(pattern, text) for pattern, _ in OTHERWISE)


@pytest.mark.filterwarnings("ignore")
def test_cases_of_quantization_agree(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "tensorflow")
    assert agreement(["quantization"], "full", tmp_path)["same"] >= 70


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("level", LEAST)
def test_all_cases_agree(level: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "tensorflow")
    counts = agreement(AREAS, level, tmp_path)
    assert counts["same"] >= LEAST[level], counts


def agreement(areas: list[str], level: str, folder: Path) -> Counter[str]:
    """How many cases came out how; an assertion that none differs but by a fault of others."""
    counts: Counter[str] = Counter()
    wrong = []
    for area in areas:
        for case, outcome in golden_outcomes(area, level, folder, None):
            text = gf.describe(case)
            counts[outcome.kind] += 1
            if outcome.kind == "differs" and not is_otherwise(text):
                wrong.append(f"{text[:200]}: {outcome.by}: {outcome.words}")
    assert not wrong, f"{len(wrong)} differ, of {dict(counts)}\n" + "\n".join(wrong[:20])
    return counts
