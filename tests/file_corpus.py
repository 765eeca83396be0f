"""What recorded files hold, written with either package (`tf`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
