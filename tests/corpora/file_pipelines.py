"""Datasets of files: expressions evaluated in turn with either package (`tf`), in a folder."""

from __future__ import annotations

import gzip
import os
import zlib
from typing import Any

STEPS = """
elements(text(["a.txt", "e.txt", "b.txt"]))
elements(text(["a.txt", "e.txt", "b.txt"], num_parallel_reads=2))
elements(text(["a.txt", "e.txt", "b.txt"], num_parallel_reads=-1))
elements(text("a.txt", buffer_size=1))
elements(text(b"a.txt"))
elements(text(tf.constant("a.txt")))
elements(text([["a.txt"], ["b.txt"]]))
elements(text([]))
elements(text(slices(["a.txt", "b.txt"])))
elements(text("a.gz", "GZIP"))
elements(text("a.z", compression_type="ZLIB"))
elements(text(["a.gz", "a.gz"], tf.constant("GZIP")))
text(tf.data.Dataset.from_tensors(["a.txt", "b.txt"]))
text([1])
text(tf.data.Dataset.range(2))
elements(text("none.txt"))
elements(text(["a.txt", "none.txt"]))
elements(text("."))
elements(text("a.txt", "LZ4"))
elements(text("a.txt", buffer_size=-1))
elements(text("a.txt", num_parallel_reads=0))
text("a.txt")
text("a.txt", num_parallel_reads=2)
text("a.txt").element_spec
int(text("a.txt").cardinality())
isinstance(text("a.txt"), tf.data.Dataset)
isinstance(text("a.txt").take(1), tf.data.TextLineDataset)
elements(text("a.txt").take(2))
elements(text("a.txt").batch(3))
elements(records("r"))
elements(records(["r", "r"], num_parallel_reads=2))
elements(records("r", buffer_size=0))
elements(records("r.gz", "GZIP"))
elements(records("r.z", "ZLIB"))
elements(records("two.gz", "GZIP"))
elements(records("a.txt"))
elements(records("none"))
elements(records(["head", "r"]))
elements(records(["head", "r"]).ignore_errors())
elements(records(["body", "r"]).ignore_errors())
elements(records(["middle", "r"]).ignore_errors())
elements(records("r.z", "LZ4"))
elements(records("r", "GZIP"))
records("r")
records(["r"], num_parallel_reads=1).element_spec
int(records("r").cardinality())
elements(fixed("f", 2, 3, 2))
elements(fixed("f", 4, header_bytes=3, footer_bytes=2))
elements(fixed("f.gz", 2, 3, 2, compression_type="GZIP"))
elements(fixed("f.z", 2, 3, 2, compression_type="ZLIB", buffer_size=1))
elements(fixed("f", 13))
elements(fixed("f", 1, 12))
elements(fixed(["f", "f"], 8, 3, 2, num_parallel_reads=2))
elements(fixed("f", 3, 3, 2))
elements(fixed("f.gz", 3, 3, 2, compression_type="GZIP"))
elements(fixed("f", 0))
elements(fixed("f", 2, -1))
elements(fixed("f", 2, None, -1))
elements(fixed("f", 2, buffer_size=-1))
elements(fixed("none", 2))
fixed("f", 2)
elements(text(["p0", "p1", "p2"], num_parallel_reads=1))
elements(text(["p0", "p1", "p2"], num_parallel_reads=2))
elements(text(["p0", "p1", "p2"], num_parallel_reads=3))
elements(text(["p0", "p1", "p2"], num_parallel_reads=5))
elements(text(["p0", "none", "p2"], num_parallel_reads=2).ignore_errors().take(1))
elements(files("p*", shuffle=False))
elements(files(["p[12]", "*.txt"], shuffle=False))
elements(files("./sub/*", shuffle=False))
elements(files("sub/*", shuffle=False))
elements(files("*/x?", shuffle=False))
files("nope*")
files([])
files(3)
twice(files("p*", seed=1))
twice(files("q*", seed=1))
twice(files("q*", seed=7))
tf.random.set_seed(5) or twice(files("q*"))
files("q*")
files("q*", False)
int(files("q*").cardinality())
"""


def prepare(tf: Any) -> None:
    """Writes the files that the steps read, into the present folder."""

    def write(name: str, data: bytes) -> None:
        with open(name, "wb") as file:
            file.write(data)

    lines = b"one\ntw\ro\r\n\nthree"
    with tf.io.TFRecordWriter("r") as writer:
        for number in range(3):
            writer.write(b"r%d" % number)
    with open("r", "rb") as file:
        records = file.read()
    fixed = b"HHHaabbccddFF"
    contents = {
        "a.txt": lines, "a.gz": gzip.compress(lines), "a.z": zlib.compress(lines),
        "b.txt": b"four\n", "e.txt": b"",
        "r.gz": gzip.compress(records), "r.z": zlib.compress(records),
        "two.gz": gzip.compress(records) * 2,
        "head": flipped(records, 18), "body": flipped(records, 12), "middle": flipped(records, 30),
        "f": fixed, "f.gz": gzip.compress(fixed), "f.z": zlib.compress(fixed),
    }  # fmt: skip
    for name, data in contents.items():
        write(name, data)
    for number in range(3):
        count = 4 if number == 1 else 2
        write(f"p{number}", b"".join([b"%d%d\n" % (number, line) for line in range(count)]))
    for number in range(20):
        write(f"q{number:02d}", b"")
    os.mkdir("sub")
    for name in ("x1", "x2"):
        write(f"sub/{name}", b"")


def flipped(data: bytes, place: int) -> bytes:
    """Data with another bit at a place."""
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def outcomes(tf: Any) -> dict[str, str]:
    """What each step gives, or the class of the error that it raises."""
    prepare(tf)

    def elements(dataset: Any) -> list[Any]:
        return list(dataset.as_numpy_iterator())

    names = {
        "tf": tf, "text": tf.data.TextLineDataset, "records": tf.data.TFRecordDataset,
        "fixed": tf.data.FixedLengthRecordDataset, "files": tf.data.Dataset.list_files,
        "slices": tf.data.Dataset.from_tensor_slices, "elements": elements,
        "twice": lambda dataset: [elements(dataset), elements(dataset)],
    }  # fmt: skip
    results = {}
    for number, step in enumerate(STEPS.strip().splitlines()):
        try:
            text = repr(eval(step, names))
        except Exception as error:  # noqa: BLE001 - which error is what is compared
            text = f"! {type(error).__name__}"
        results[f"{number} {step}"] = text
    return results
