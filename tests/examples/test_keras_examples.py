"""The programs of `examples/` that use Keras 3, each run as a user would, on a small setting."""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest
from support.example_runs import run

pytestmark = [
    pytest.mark.slow,  # half a minute in all
    pytest.mark.skipif(find_spec("keras") is None, reason="the extra `keras`"),
]


def numbers(pattern: str, text: str) -> list[float]:
    """The numbers that a pattern finds in a text."""
    return [float(number) for number in re.findall(pattern, text)]


def test_digits_are_read() -> None:
    read = numbers(r"([\d.]+)% of pictures", run("keras_digits", "--epochs", "4"))
    assert len(read) == 4
    assert read[-1] > 85


def test_sentences_are_sorted_out() -> None:
    out = run("keras_topics", "--epochs", "2")
    assert numbers(r"([\d.]+)% of sentences", out)[-1] > 75
    assert re.findall(r"^(statements|types): ", out, re.MULTILINE) == ["statements", "types"]


def test_a_series_is_foretold_better_than_by_a_guess() -> None:
    error, again, day_before = numbers(
        r"(?:mean error|the last value|that of a day before) ([\d.]+)",
        run("keras_waves", "--epochs", "3").splitlines()[-1],
    )
    assert error < 0.8 * again < 0.8 * day_before


def test_points_come_near_the_ring_on_all_sides() -> None:
    before, after = re.findall(r"([\d.]+) from the ring, on (\d)", run("keras_rivals"))
    assert float(before[0]) > 0.4
    assert float(after[0]) < 0.15
    assert after[1] == "8"


def test_a_file_passes_knowledge_on() -> None:
    taught, alone = numbers(r"([\d.]+)% are read right", run("keras_transfer"))
    assert taught > alone + 5
