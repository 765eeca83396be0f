"""tools/write_onnx_docs.py: the document says of each op whether models in ONNX have it."""

from __future__ import annotations

import re

from support.op_samples import our_ops

from tools import write_onnx_docs


def test_every_op_is_written_or_has_a_reason() -> None:
    text = write_onnx_docs.FILE.read_text(encoding="utf-8")
    written, rest = text.split("## Not written")
    rows = re.findall(r"^\| (\w+) \|", written, re.MULTILINE)[1:]
    listed = [name for line in re.findall(r"\) ([\w, ]+)$", rest, re.MULTILINE)
              for name in line.split(", ")]  # fmt: skip
    assert sorted([*rows, *listed]) == our_ops()
