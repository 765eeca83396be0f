"""`graphwright show` prints what is in a model, and words about what is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.saved_models import NAMES, unpacked

import graphwright as tf
from graphwright.__main__ import main
from graphwright.proto.saved_model_pb2 import SavedModel


def test_a_model_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(unpacked("traces", tmp_path))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:7] == [
        "TensorFlow 2.21.0, tags serve",
        "",
        "functions",
        "  f(x: float32[?], 2, negate=False) -> float32[?]",
        "  f(x: float32[?], 3, negate=False) -> float32[?]",
        "  f(x: int64[], 2, negate=True) -> int64[]",
        "  f(x: float64[2,?], power: float64[], negate=False) -> float64[2,?]",
    ]


def test_variables_come_with_their_sizes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = [tf.Variable(tf.zeros([100, 20])), tf.Variable(["a"])]
            self.count = tf.Variable(1)

        @tf.function(input_signature=[{"a": tf.TensorSpec([])}])
        def f(self, x: dict[str, tf.Tensor]) -> tuple[tf.Tensor, None]:
            return x["a"], None

    tf.saved_model.save(Model(), tmp_path / "model")
    assert main(["show", str(tmp_path / "model")]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert "  f({'a': float32[]}) -> (float32[], None)" in shown
    start = shown.index("variables")
    assert shown[start + 1 : start + 5] == [
        "  count    int32[]          4 bytes",
        "  parts/0  float32[100,20]  8.0 kB",
        "  parts/1  string[1]        6 bytes",
        "  3 of 8.0 kB",
    ]
    assert "  variables/variables.index  " in capsys.readouterr().out + "\n".join(shown)


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_model_is_shown(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(unpacked(name, tmp_path)), "--tags", "serve"]) == 0
    assert "saved_model.pb" in capsys.readouterr().out


def test_signatures_are_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", str(unpacked("signatures", tmp_path))])
    shown = capsys.readouterr().out
    assert "  above(features: float32[?,2], limit: float32[]) -> output_0: bool[?,1]\n" in shown
    assert (
        "  serving_default(features: float32[?,2]) -> "
        "probability: float32[?,1], raw: float32[?,1]\n" in shown
    )


def test_what_is_no_model_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(tmp_path)]) == 2
    assert "SavedModel file does not exist at" in capsys.readouterr().err
    folder = unpacked("traces", tmp_path)
    message = SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    message.meta_graphs[0].object_graph_def.nodes[0].children[0].node_id = 99
    (folder / "saved_model.pb").write_bytes(message.SerializeToString())
    assert main(["show", str(folder)]) == 2
    assert "there is no object 99" in capsys.readouterr().err
