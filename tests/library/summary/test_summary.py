"""Event files: what summaries write is what TensorFlow's write, event by event."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora.files import write_summaries

import graphwright as tf
from graphwright.proto.event_pb2 import Event, RunMetadata, SummaryMetadata

GOLDEN = Path(__file__).parent.parent.parent / "golden" / "summaries.events"


@pytest.fixture(autouse=True)
def _state() -> Iterator[None]:
    """No default writer and step before and after each test."""
    tf.summary.experimental.set_step(None)
    yield
    tf.summary.experimental.set_step(None)


def events(path: Path) -> list[Any]:
    """The events of a file, or of the only file in a directory, without the time."""
    if path.is_dir():
        (path,) = path.iterdir()
    found = [Event.FromString(data) for data in tf.compat.v1.io.tf_record_iterator(path)]
    assert all(event.wall_time > 1.7e9 for event in found)
    for event in found:
        event.ClearField("wall_time")
    return found


def test_summaries_are_tensorflows(tmp_path: Path) -> None:
    write_summaries(tf, str(tmp_path))
    found, expected = events(tmp_path), events(GOLDEN)
    for ours, theirs in zip(found, expected):
        if ours.summary.value and ours.summary.value[0].tensor.dtype == tf.float64:
            assert close(ours, theirs)
        else:
            assert ours == theirs
    assert len(found) == len(expected)
    (path,) = tmp_path.iterdir()
    assert path.name.startswith("events.out.tfevents.")
    assert path.suffix == ".events"


def close(ours: Any, theirs: Any) -> bool:
    """Whether events are equal up to the rounding of their float64 values."""
    a, b = (np.frombuffer(event.summary.value[0].tensor.tensor_content) for event in (ours, theirs))
    for event in (ours, theirs):
        event.summary.value[0].tensor.tensor_content = b""
    return ours == theirs and np.allclose(a, b, rtol=1e-14, atol=1e-14)


def test_images_are_png_files(tmp_path: Path) -> None:
    image_module = pytest.importorskip("PIL.Image")
    images = np.random.default_rng(0).random((4, 5, 7, 3), np.float32)
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=1) as writer:
        tf.summary.image("pictures", images)
        tf.summary.image("gray", images[:1, ..., :1], max_outputs=5, description="one")
    writer.close()
    pictures, gray = (event.summary.value[0] for event in events(tmp_path)[1:])
    assert pictures.metadata.plugin_data.plugin_name == "images"
    assert (gray.tag, gray.metadata.summary_description) == ("gray", "one")
    width, height, *files = pictures.tensor.string_val
    assert (width, height, len(files)) == (b"7", b"5", 3)
    assert len(gray.tensor.string_val) == 3
    expected = tf.image.convert_image_dtype(images, tf.uint8, saturate=True).numpy()
    for file, image in zip(files, expected):
        assert np.array_equal(np.asarray(image_module.open(io.BytesIO(file))), image)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_png_files_hold_the_pixels(channels: int, dtype: str) -> None:
    limit = np.iinfo(dtype).max
    image = np.random.default_rng(1).integers(0, limit, (3, 4, channels), dtype, endpoint=True)
    data = tf.io.encode_png(image, compression=9).numpy()
    place, chunks = 8, {}
    while place < len(data):
        size, kind = struct.unpack_from(">I4s", data, place)
        body = data[place + 8 : place + 8 + size]
        assert struct.unpack_from(">I", data, place + 8 + size)[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        place += size + 12
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"])[:2] == (4, 3)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(3, -1)
    plain = np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8)  # each row is stored less that above
    assert set(rows[:, 0]) == {2}
    assert np.array_equal(plain.reshape(-1).view(f">{dtype[0]}{image.itemsize}"), image.reshape(-1))


def test_what_is_no_image_is_refused() -> None:
    for shape in ((2, 3), (2, 3, 5), (0, 3, 3), (2, 3, 0)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.encode_png(tf.zeros(shape, tf.uint8))
    with pytest.raises(tf.errors.InvalidArgumentError, match="uint8"):
        tf.io.encode_png(tf.zeros([2, 2, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="compression"):
        tf.io.encode_png(tf.zeros([2, 2, 3], tf.uint8), compression=12)
    assert tf.io.encode_png(tf.zeros([2, 3, 4, 4, 1], tf.uint8)).shape == (2, 3)


def test_without_a_writer_nothing_is_written() -> None:
    assert not tf.summary.should_record_summaries()
    assert not tf.summary.scalar("a", 1)
    assert not tf.summary.write("a", 1)
    tf.summary.flush()
    with tf.summary.create_noop_writer().as_default(), tf.summary.record_if(True):
        assert not tf.summary.write("a", 1, step=1)
        assert tf.summary.should_record_summaries()


def test_misuse_is_refused(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path / "new" / "folder"))
    with writer.as_default() as same:
        assert same is writer
        for write in (tf.summary.write, tf.summary.scalar):
            with pytest.raises(ValueError, match="No step set"):
                write("a", 1)
        with pytest.raises(ValueError, match="Expected scalar shape"):
            tf.summary.scalar("a", [1, 2], step=1)
        with pytest.raises(TypeError, match="string; got tf"):
            tf.summary.text("a", 1, step=1)
        with pytest.raises(ValueError, match="rank 4"):
            tf.summary.image("a", np.zeros([2, 2]), step=1)
        with pytest.raises(TypeError):
            tf.summary.write("a", 1, step="now")
        with pytest.raises(ValueError, match="GraphDef"):
            tf.summary.graph(3)
        with pytest.raises(ValueError, match="mp3"):
            tf.summary.audio("a", [[[0.0]]], 8000, step=1, encoding="mp3")
        with pytest.raises(tf.errors.DataLossError, match="at index 0"):
            tf.summary.experimental.write_raw_pb(b"junk", 1)
    with pytest.raises(ValueError, match="Invalid argument to flush"):
        tf.summary.flush(3)
    writer.close()
    writer.close()
    writer.flush()
    with pytest.raises(RuntimeError, match="already closed"), writer.as_default():
        pass
    with pytest.raises(RuntimeError, match="already closed"):
        writer.set_as_default()
    with pytest.raises(tf.errors.OpError):
        tf.summary.create_file_writer("/proc/none/of/it")


def test_a_function_writes_to_the_writer_it_was_traced_with(tmp_path: Path) -> None:
    first, second = (tf.summary.create_file_writer(str(tmp_path / n)) for n in ("1", "2"))

    @tf.function
    def step(n: Any) -> None:
        tf.summary.write("n", n, step=n)

    with first.as_default():
        step(tf.constant(1, tf.int64))
    with second.as_default():
        step(tf.constant(2, tf.int64))
    first.flush()
    assert [event.step for event in events(tmp_path / "1")] == [0, 1, 2]
    assert [event.step for event in events(tmp_path / "2")] == [0]
    first.close()
    with pytest.raises(tf.errors.NotFoundError, match="closed"):
        step(tf.constant(3, tf.int64))


def test_metadata_and_lazy_tensors(tmp_path: Path) -> None:
    calls = []

    def lazy() -> Any:
        calls.append(1)
        return tf.constant(2)

    shown = SummaryMetadata(display_name="shown")
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=1):
        with tf.summary.record_if(False):
            tf.summary.write("a", lazy)
        assert not calls
        tf.summary.write("a", lazy, metadata=shown)
        tf.summary.write("a", lazy, metadata=shown.SerializeToString())
    assert [e.summary.value[0].metadata for e in events(tmp_path)[1:]] == [shown, shown]
    assert len(calls) == 2


def test_graphs_are_written(tmp_path: Path) -> None:
    double = tf.function(lambda x: x * 2)
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=4):
        graph = double.get_concrete_function(1.0).graph
        tf.summary.graph(graph)
        tf.summary.trace_on()
        double(tf.constant(1.0))
        tf.function(lambda x: double(x) + 1.0)(tf.constant(1.0))
        tf.summary.trace_export("calls")
        with pytest.raises(ValueError, match="trace_on"):
            tf.summary.trace_export("calls")
    _, written, calls = events(tmp_path)
    assert written.graph_def == graph.as_graph_def().SerializeToString()
    value = calls.summary.value[0]
    assert value.metadata.plugin_data.plugin_name == "graph_run_metadata_graph"
    graphs = RunMetadata.FromString(value.tensor.string_val[0]).function_graphs
    ops = [{node.op for node in each.pre_optimization_graph.node} for each in graphs]
    assert len(ops) == 2
    assert {"Mul"} <= ops[0]
    assert {"AddV2"} <= ops[1]


def test_wav_files_are_read_again() -> None:
    sound = np.linspace(-1.2, 1.2, 12, dtype=np.float32).reshape(6, 2)
    file = tf.audio.encode_wav(sound, 8000)
    audio, rate = tf.audio.decode_wav(file)
    assert rate.numpy() == 8000
    assert np.allclose(audio, np.clip(sound, -1, 1), atol=1e-4)
    wide = tf.audio.decode_wav(file, desired_channels=3, desired_samples=8).audio.numpy()
    assert wide.shape == (8, 3)
    assert np.array_equal(wide[:6, 2], audio.numpy()[:, 1])
    assert not wide[6:].any()
    assert tf.audio.decode_wav(file, desired_samples=2).audio.shape == (2, 2)
    whole = file.numpy()
    for bad in (b"", whole[:20], whole[:-1], whole + b"abc", b"x" * 60):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.audio.decode_wav(bad)
