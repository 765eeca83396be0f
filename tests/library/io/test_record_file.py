"""Record files are TensorFlow's, byte for byte where they are not compressed."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpora.files import COMPRESSIONS, examples

import graphwright as tf
from graphwright.library.io.records import masked

GOLDEN = Path(__file__).parent.parent.parent / "golden"
MESSAGES = [message.SerializeToString(deterministic=True) for message in examples(tf)]


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_recorded_files_are_read(suffix: str) -> None:
    path = GOLDEN / f"examples.tfrecord{suffix}"
    found = list(tf.compat.v1.io.tf_record_iterator(path, COMPRESSIONS[suffix]))
    assert found == MESSAGES
    assert tf.train.Example.FromString(found[2]) == list(examples(tf))[2]


def test_a_written_file_is_the_recorded_one(tmp_path: Path) -> None:
    with tf.io.TFRecordWriter(tmp_path / "out") as file:
        for message in MESSAGES:
            file.write(message)
    assert (tmp_path / "out").read_bytes() == (GOLDEN / "examples.tfrecord").read_bytes()


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_compressed_files_are_read_again(tmp_path: Path, compression: str) -> None:
    options = tf.io.TFRecordOptions(compression, compression_level=9, mem_level=3)
    with tf.io.TFRecordWriter(str(tmp_path / "out"), options) as file:
        for message in MESSAGES:
            file.write(message)
            file.flush()
    assert list(tf.compat.v1.io.tf_record_iterator(tmp_path / "out", options)) == MESSAGES
    assert (tmp_path / "out").read_bytes()[:1] == {"GZIP": b"\x1f", "ZLIB": b"\x78"}[compression]


@pytest.mark.parametrize("compression", COMPRESSIONS.values())
def test_damage_is_found(tmp_path: Path, compression: str) -> None:
    whole = (GOLDEN / "examples.tfrecord").read_bytes()
    if compression:
        suffix = {kind: s for s, kind in COMPRESSIONS.items()}[compression]
        whole = (GOLDEN / f"examples.tfrecord{suffix}").read_bytes()
    path = tmp_path / "bad"
    for place in (20, len(whole) // 2):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 64]) + whole[place + 1 :])
        with pytest.raises(tf.errors.DataLossError, match="bad: "):
            list(tf.compat.v1.io.tf_record_iterator(path, compression))
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(tf.errors.DataLossError, match="truncated record"):
        list(tf.compat.v1.io.tf_record_iterator(path, compression))


def test_what_cannot_be_opened_or_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        next(tf.compat.v1.io.tf_record_iterator(tmp_path / "none"))
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        tf.io.TFRecordWriter(tmp_path / "no" / "folder")
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        tf.io.TFRecordWriter(tmp_path)
    with pytest.raises(ValueError, match='Not a valid compression_type: "LZ4"'):
        tf.io.TFRecordOptions("LZ4")
    writer = tf.io.TFRecordWriter(tmp_path / "out")
    with pytest.raises(TypeError, match="a record must be bytes, got 3"):
        writer.write(3)
    writer.close()
    writer.close()
    for use in (lambda: writer.write(b""), writer.flush):
        with pytest.raises(tf.errors.FailedPreconditionError, match="Writer is closed"):
            use()


def test_checksums_of_the_standard() -> None:
    # RFC 3720, appendix B.4; record files store it turned by 15 bits, and a constant more.
    for data, plain in (
        (bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43), (bytes(range(32)), 0x46DD794E),
    ):  # fmt: skip
        turned = (plain >> 15 | plain << 17) & 0xFFFFFFFF
        assert masked(data) == (turned + 0xA282EAD8) & 0xFFFFFFFF
