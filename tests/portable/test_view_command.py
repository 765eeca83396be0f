"""`graphwright view` writes a page with the graphs of a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.saved_models import CLASSIC, unpacked

from graphwright.__main__ import main


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("traces", ["f(x: TensorSpec(shape=(None,), dtype=tf.float32"]),
        ("structures", ["f(", "layers.0.__call__(", "named.other.deep.__call__("]),
    ],
)
def test_traces_are_drawn(
    name: str, titles: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    words = ["view", str(unpacked(name, tmp_path)), "-o", str(page), "--no-browser"]
    assert main(words) == 0
    content = page.read_text()
    assert capsys.readouterr().out == f"{page}\n"
    assert content.count("<svg") >= len(titles)
    for title in titles:
        assert f"<summary>{title}" in content
    assert "<script" not in content


def test_signatures_of_tensorflow_1_are_drawn(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    model = str(unpacked("branches_and_loops", tmp_path, CLASSIC))
    assert main(["view", model, "-o", str(page), "--no-browser"]) == 0
    assert "signatures[&#x27;serving_default&#x27;]" in page.read_text()


def test_what_is_no_model_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(tmp_path)]) == 2
    assert "SavedModel file does not exist at" in capsys.readouterr().err
