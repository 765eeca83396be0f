"""`tf.onnx` without the package that it needs, and what it offers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import graphwright as tf
from graphwright.portable.onnx.onnx_models import export, load


def test_without_the_package_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'graphwright\[onnx\]'"):
        export(tf.square, tmp_path / "a.onnx", input_signature=[tf.TensorSpec([])])
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'graphwright\[onnx\]'"):
        load(tmp_path / "a.onnx")
