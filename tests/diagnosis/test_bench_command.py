"""`graphwright bench` measures a call of a program on one library after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphwright.__main__ import main
from graphwright.diagnosis.bench_command import Measurement, agree, duration

PROGRAM = """
import tensorflow as tf

@tf.function
def twice(x):
    return {"a": 2.0 * x, "b": [x]}

x = tf.ones([3])
if __name__ == "__main__":
    raise SystemExit("this is not run")
"""


def test_a_call_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    assert main(["bench", str(program), "--call", "twice(x)", "--seconds", "0.05"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows[1:3]] == ["graphwright", "graphwright-eager"]
    assert all(len(row) == 11 for row in rows[1:3])  # five durations with their units


def test_a_call_that_fails_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    assert main(["bench", str(program), "--call", "thrice(x)"]) == 2
    assert "NameError: name 'thrice' is not defined" in " ".join(capsys.readouterr().out.split())


def test_a_program_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "no.py", "--call", "f()"]) == 2
    assert "there is no file 'no.py'" in capsys.readouterr().err


def test_other_numbers_are_noticed() -> None:
    def gave(*numbers: float) -> Measurement:
        return Measurement("x", {"numbers": list(numbers)})

    nan = float("nan")
    assert agree(gave(1.0, nan), gave(1.0000001, nan))
    assert not agree(gave(1.0), gave(1.1))
    assert not agree(gave(1.0), gave(1.0, 2.0))
    assert agree(gave(1.0), Measurement("x", {}, "ImportError"))


def test_durations_have_units_that_fit() -> None:
    assert [duration(s) for s in (2.5, 0.0123, 1.5e-6)] == ["2.5 s", "12.3 ms", "1.5 µs"]
