"""`graphwright run MODEL` computes a signature on arrays of a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.saved_models import CLASSIC, unpacked

from graphwright.__main__ import main


def arrays(folder: Path, **content: object) -> str:
    """The path of a file with arrays."""
    path = folder / "inputs.npz"
    np.savez(path, **content)  # type: ignore[arg-type]
    return str(path)


def test_a_signature_is_computed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(unpacked("resources", tmp_path, CLASSIC))
    inputs = arrays(tmp_path, features=np.array([[0.0, 0.0]], np.float32))
    output = tmp_path / "output.npz"
    assert main(["run", model, "--inputs", inputs, "--output", str(output)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("score: float32[1, 1]\n[[0.46211")
    with np.load(output) as content:
        assert np.allclose(content["score"], np.tanh([[0.5]]))


def test_another_signature_and_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(unpacked("tables", tmp_path, CLASSIC))
    inputs = arrays(tmp_path, inputs=np.array([b"a", b"zz"]))
    output = tmp_path / "output.npz"
    words = ["--inputs", inputs, "--signature", "classify", "--output", str(output)]
    assert main(["run", model, *words]) == 0
    assert "b'zzzz'" in capsys.readouterr().out
    with np.load(output, allow_pickle=False) as content:
        assert content["classes"].tolist() == [[b"aa"], [b"zzzz"]]


@pytest.mark.parametrize(
    ("content", "more", "words"),
    [
        ({"x": 1.0}, [], "takes (features: float32[?,2]), and --inputs has x"),
        ({"features": np.zeros([2, 3])}, [], "features has the shape [2, 3]"),
        ({}, ["--signature", "none"], "no signature 'none': it has serving_default"),
        ({}, ["--tags", "gpu"], "incompatible argument to `tags`"),
    ],
)
def test_what_does_not_fit_is_said(
    content: dict[str, object], more: list[str], words: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    model = str(unpacked("resources", tmp_path, CLASSIC))
    assert main(["run", model, "--inputs", arrays(tmp_path, **content), *more]) == 2
    assert words in capsys.readouterr().err


def test_nothing_is_unpickled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(unpacked("resources", tmp_path, CLASSIC))
    path = tmp_path / "pickled.npz"
    np.savez(path, features=np.array([object()], dtype=object))
    assert main(["run", model, "--inputs", str(path)]) == 2
    assert "allow_pickle=False" in capsys.readouterr().err


def test_a_folder_without_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(tmp_path)]) == 2
    assert "no saved model in" in capsys.readouterr().err


def test_a_program_runs_still(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(tmp_path / "missing.py")]) == 2
    assert "there is no file" in capsys.readouterr().err
