"""What recorded files hold, written with either package (`tf`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

#: By the suffixes of the recorded files.
COMPRESSIONS = {"": "", ".gz": "GZIP", ".z": "ZLIB"}


def examples(tf: Any) -> Iterator[Any]:
    """Messages of training data, some of them empty, one longer than a checksum's lanes."""
    train = tf.train

    def of(**kinds: Any) -> Any:
        return train.Feature(**kinds)

    yield train.Example()
    for size in (0, 3, 1000):
        feature = {
            "bytes": of(bytes_list=train.BytesList(value=[b"\x00\xff", b"word"] * size)),
            "floats": of(float_list=train.FloatList(value=[0.5 * i for i in range(size)])),
            "ints": of(int64_list=train.Int64List(value=[(-3) ** (i % 30) for i in range(size)])),
            "none": of(),
        }
        yield train.Example(features=train.Features(feature=feature))
    lists = {"steps": train.FeatureList(feature=[of(int64_list=train.Int64List(value=[1, 2]))] * 2)}
    yield train.SequenceExample(
        context=train.Features(feature={"id": of(bytes_list=train.BytesList(value=[b"x"]))}),
        feature_lists=train.FeatureLists(feature_list=lists),
    )


def write_summaries(tf: Any, folder: str) -> None:
    """An event file with a summary of every kind but images, whose bytes depend on zlib."""
    summary = tf.summary
    writer = summary.create_file_writer(folder, filename_suffix=".events")
    with writer.as_default():
        summary.scalar("loss", 0.5, step=0)
        with tf.name_scope("outer"), tf.name_scope("in ner"):
            summary.scalar("loss", np.float64(2), step=1, description="of *all*")
            summary.scalar("complex", tf.constant(1 + 2j), step=1)
        summary.text("words", [["a", "b"], ["c", "é"]], step=2)
        summary.write("raw", tf.constant([[1, 2], [3, 4]], tf.int64), step=3)
        summary.write("text", "scalar", step=3)
        summary.write("empty", tf.zeros([0, 2]), step=3)
        summary.write("complex", tf.constant([1 + 2j], tf.complex64), step=3)
        for number, (data, buckets) in enumerate(HISTOGRAMS):
            summary.histogram(f"h{number}", data, step=number, buckets=buckets)
        sounds = np.sin(np.arange(40, dtype=np.float32)).reshape(4, 5, 2)
        summary.audio("sound", sounds, 8000, step=4)
        summary.audio("one sound", sounds, 8000, step=4, max_outputs=1, description="first")
        summary.experimental.write_raw_pb(b"", step=5)
    with writer.as_default(step=6):
        summary.write("default step", 1)
        summary.experimental.set_step(tf.Variable(7, dtype=tf.int64))
        summary.write("variable step", True)
        with summary.record_if(False):
            summary.write("not recorded", 1)
        with summary.record_if(lambda: tf.constant(True)):
            summary.write("recorded", 1)
        traced(tf)(tf.constant(3))
        traced(tf)(tf.constant(-3))
    writer.close()


def traced(tf: Any) -> Any:
    """A function that writes, some of it only if its argument is positive."""

    @tf.function
    def step(x: Any) -> Any:
        tf.summary.scalar("always", x, step=tf.cast(x, tf.int64))
        with tf.summary.record_if(x > 0):
            tf.summary.scalar("positive", x)
            tf.summary.histogram("three", [1.0, 2.0, tf.cast(x, tf.float32)], buckets=3)
        for i in tf.range(2):
            tf.summary.write("loop", i)
        return x

    return step


HISTOGRAMS: list[tuple[Any, int | None]] = [
    ([1.0, 2.0, 2.5, 4.0], 3),
    (np.linspace(-1, 1, 100).reshape(10, 10).astype(np.float32), None),
    ([3, 3, 3], 4),
    ([], 2),
    ([1.0], 1),
    ([1.0, 2.0], 0),
    (5, 2),
    ([1 + 2j, 3 - 1j, 2 + 7j], 2),
]
