"""`graphwright diff` says what differs between two models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.saved_models import CLASSIC, NAMES, unpacked

import graphwright as tf
from graphwright.__main__ import main


class Line(tf.Module):
    """A model whose parts differ by its arguments."""

    def __init__(self, slope: Any = 2.0, power: int = 1) -> None:
        super().__init__()
        self.slope = tf.Variable(slope, name="slope")
        self.power = power

    @tf.function(input_signature=[tf.TensorSpec([None], name="x")])
    def f(self, x: tf.Tensor) -> tf.Tensor:
        for _ in range(self.power):
            x = x * self.slope
        return x


def diff(first: Any, second: Any, folder: Path) -> int:
    """The outcome for two objects that are saved."""
    for name, model in (("a", first), ("b", second)):
        tf.saved_model.save(model, folder / name)
    return main(["diff", str(folder / "a"), str(folder / "b")])


def test_equal_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert diff(Line(), Line(), tmp_path) == 0
    assert capsys.readouterr().out == "nothing differs\n"


def test_values_and_graphs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert diff(Line([2.0, 3.0]), Line([2.0, 3.5], 3), tmp_path) == 1
    assert capsys.readouterr().out.splitlines() == [
        "functions",
        "  ~ f(x: float32[?]) -> float32[2]: +2 Mul, +2 ReadVariableOp",
        "variables",
        "  ~ slope: float32[2]: 1 of 2 elements differ, by at most 0.5",
    ]


def test_variables_that_one_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = Line(2.0)
    other.more = tf.Variable(["a"])
    other.slope = tf.Variable([1.0])
    assert diff(Line(), other, tmp_path) == 1
    assert capsys.readouterr().out.splitlines() == [
        "variables",
        "  + more",
        "  ~ slope: float32[], then float32[1]",
    ]


@pytest.mark.parametrize("name", NAMES[:4])
def test_a_model_does_not_differ_from_itself(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(unpacked(name, tmp_path))
    assert main(["diff", folder, folder]) == 0


def test_assets_and_models_of_tensorflow_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = [str(unpacked(name, tmp_path, CLASSIC)) for name in ("resources", "references")]
    assert main(["diff", first, second]) == 1
    assert "- serving_default(features: float32[?,2])" in capsys.readouterr().out


def test_what_is_no_model_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", str(tmp_path), str(tmp_path)]) == 2
    assert "SavedModel file does not exist at" in capsys.readouterr().err
