"""`tf.io.gfile` does to files and directories what TensorFlow's does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from corpora.gfile import outcomes

import graphwright as tf

GOLDEN = Path(__file__).parents[2] / "golden" / "gfile.json"


def test_each_step_gives_what_tensorflows_gives(tmp_path: Path) -> None:
    assert outcomes(tf, str(tmp_path)) == json.loads(GOLDEN.read_text())


def test_a_directory_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    seen: list[Exception] = []
    assert list(tf.io.gfile.walk(str(tmp_path / "none"), onerror=seen.append)) == []
    assert [type(error) for error in seen] == [tf.errors.NotFoundError]


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_lines_lack_carriage_returns_as_tensorflows_do(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(b"one\r\ntw\ro\n\r\nlast\r")
    lines: list[str] = ["one\n", "two\n", "\n", "last"]
    expected = [line.encode() for line in lines] if mode == "rb" else lines
    with tf.io.gfile.GFile(str(path), mode) as file:
        assert file.readline() == expected[0]
        assert file.tell() == 5
        assert file.readlines() == expected[1:]
    with tf.io.gfile.GFile(str(path), mode) as file:
        assert list(file) == expected
    with tf.io.gfile.GFile(str(path), "rb") as file:
        assert file.read() == path.read_bytes()


def test_a_copy_replaces_a_file_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("old")
    new.write_text("new")

    def refuse(*paths: object) -> None:
        raise PermissionError(13, "refused")

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(tf.errors.PermissionDeniedError):
        tf.io.gfile.copy(str(new), str(old), overwrite=True)
    assert old.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new", "old"]


def test_a_refusal_shows_a_path_of_bytes_as_text(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.FailedPreconditionError) as refusal:
        tf.io.gfile.remove(bytes(tmp_path))
    assert refusal.value.message.startswith(f"{tmp_path} is a directory")
