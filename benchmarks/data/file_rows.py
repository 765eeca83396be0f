"""Files: CSV, and TFRecords of examples."""

from __future__ import annotations

import csv
import functools
import os
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from benchmarks.data.epochs import Again, Epoch, Make, loaders, shared
from benchmarks.data.number_rows import in_memory, loader, stream
from benchmarks.workload import Bar, Workload

BATCH = 100

# D7: CSV of ten columns, line by line and in batches of lines.

LINES = 50_000


@functools.cache
def table_file() -> str:
    """A file of ten columns: five of integers, five of decimals."""
    generator = np.random.default_rng(0)
    whole = generator.integers(0, 100_000, (LINES, 5)).tolist()
    parts = (generator.random((LINES, 5)) * 100).tolist()
    path = os.path.join(tempfile.mkdtemp(), "table.csv")
    with open(path, "w", encoding="ascii") as file:
        for numbers, decimals in zip(whole, parts):
            file.write(",".join([*map(str, numbers), *[f"{x:.4f}" for x in decimals]]) + "\n")
    return path


def csv_dataset_tf(tf: Any) -> Make:
    path, kinds = table_file(), [tf.int32] * 5 + [tf.float32] * 5
    return lambda: tf.data.experimental.CsvDataset(path, kinds).batch(BATCH)


def lines_tf(tf: Any) -> Make:
    path, defaults = table_file(), [0] * 5 + [0.0] * 5

    def make() -> Any:
        lines = tf.data.TextLineDataset(path)
        return lines.map(lambda line: tf.io.decode_csv(line, defaults)).batch(BATCH)

    return make


def batches_of_lines_tf(tf: Any) -> Make:
    path, defaults = table_file(), [0] * 5 + [0.0] * 5

    def make() -> Any:
        lines = tf.data.TextLineDataset(path).batch(BATCH)
        return lines.map(lambda batch: tf.io.decode_csv(batch, defaults))

    return make


def own_lines(path: str, worker: int, workers: int) -> Iterator[str]:
    """The lines of a worker: each takes batches in turn."""
    with open(path, encoding="ascii") as file:
        batches = iter(lambda: list(islice(file, BATCH)), [])
        yield from chain.from_iterable(islice(batches, worker, None, workers))


def lines_torch(torch: Any, workers: int = 0) -> Make:
    path = table_file()

    def rows(worker: int, workers: int) -> Iterator[Any]:
        for fields in csv.reader(own_lines(path, worker, workers)):
            yield [*map(int, fields[:5]), *map(float, fields[5:])]

    def columns(rows: list[Any]) -> list[Any]:
        dtypes = [torch.int32] * 5 + [torch.float32] * 5
        return [torch.tensor(values, dtype=dtype) for values, dtype in zip(zip(*rows), dtypes)]

    return lambda: loader(torch, stream(torch, rows), workers, batch_size=BATCH, collate_fn=columns)


def table_dtype(np: Any) -> Any:
    return np.dtype(
        [(f"n{i}", np.int32) for i in range(5)] + [(f"x{i}", np.float32) for i in range(5)]
    )


def parsed(lines: Iterable[str]) -> Iterator[list[Any]]:
    """Columns of batches of lines, which NumPy parses."""
    dtype, lines = table_dtype(np), iter(lines)
    while batch := list(islice(lines, BATCH)):
        table = np.loadtxt(batch, dtype, delimiter=",", ndmin=1)
        yield [table[name] for name in dtype.names]


def batches_of_lines_torch(torch: Any, workers: int = 0) -> Make:
    path = table_file()

    def batches(worker: int, workers: int) -> Iterator[Any]:
        for columns in parsed(own_lines(path, worker, workers)):
            yield [torch.from_numpy(np.ascontiguousarray(column)) for column in columns]

    return lambda: loader(torch, stream(torch, batches), workers, batch_size=None)


def lines_grain(grain: Any) -> Make:
    path = table_file()

    def fields(line: str) -> list[Any]:
        parts = line.split(",")
        return [*map(np.int32, parts[:5]), *map(np.float32, parts[5:])]

    def make() -> Any:
        with open(path, encoding="ascii") as file:
            source = grain.MapDataset.source(file.readlines())
        return in_memory(grain, source.map(fields)).batch(BATCH)

    return make


def lines_numpy(np: Any) -> Make:
    path = table_file()
    return lambda: Again(lambda: parsed(own_lines(path, 0, 1)))


# D8: records of examples, of which four files give one in turn, parsed in batches.

RECORDS = 2_500  # of a file
PIXELS = 16


def checksum(data: bytes) -> int:
    """The masked CRC-32C of a record."""
    table, crc = checksum_table(), 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


@functools.cache
def checksum_table() -> list[int]:
    def entry(value: int) -> int:
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        return value

    return [entry(value) for value in range(256)]


def field(number: int, content: bytes) -> bytes:
    """A field of a message, whose content is shorter than 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def example(label: int, pixels: Any) -> bytes:
    """An encoded `tf.train.Example` with a label and pixels."""
    varint = bytes([label & 0x7F | 0x80, label >> 7]) if label > 127 else bytes([label])
    integers = field(3, field(1, varint))
    decimals = field(2, field(1, pixels.astype("<f4").tobytes()))
    entries = {b"label": integers, b"pixels": decimals}
    features = [field(1, field(1, key) + field(2, value)) for key, value in entries.items()]
    return field(1, b"".join(features))


@functools.cache
def record_files() -> list[str]:
    """Four files of examples."""
    folder, generator = tempfile.mkdtemp(), np.random.default_rng(0)
    paths = [os.path.join(folder, f"{number}.tfrecord") for number in range(4)]
    for path in paths:
        with open(path, "wb") as file:
            for label in range(RECORDS):
                data = example(label, generator.random(PIXELS))
                length = struct.pack("<Q", len(data))
                file.write(length + struct.pack("<I", checksum(length)))
                file.write(data + struct.pack("<I", checksum(data)))
    return paths


def examples_tf(tf: Any) -> Make:
    paths = record_files()
    kinds = {
        "label": tf.io.FixedLenFeature([], tf.int64),
        "pixels": tf.io.FixedLenFeature([PIXELS], tf.float32),
    }

    def make() -> Any:
        dataset = tf.data.TFRecordDataset(paths, num_parallel_reads=4).batch(BATCH)
        return dataset.map(lambda batch: tf.io.parse_example(batch, kinds))

    return make


def message_class() -> Any:
    """The class of `tf.train.Example`, made by protobuf from its description."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="example.proto", package="e", syntax="proto3")

    def message(name: str, *fields: tuple[str, int, int, int, str], parent: Any = file) -> Any:
        add = parent.message_type if parent is file else parent.nested_type
        made = add.add(name=name)
        for title, number, kind, label, type_name in fields:
            made.field.add(
                name=title, number=number, type=kind, label=label, type_name=type_name or None
            )
        return made

    one, many, part = kinds.LABEL_OPTIONAL, kinds.LABEL_REPEATED, kinds.TYPE_MESSAGE
    message("BytesList", ("value", 1, kinds.TYPE_BYTES, many, ""))
    message("FloatList", ("value", 1, kinds.TYPE_FLOAT, many, ""))
    message("Int64List", ("value", 1, kinds.TYPE_INT64, many, ""))
    message(
        "Feature", ("bytes_list", 1, part, one, ".e.BytesList"),
        ("float_list", 2, part, one, ".e.FloatList"), ("int64_list", 3, part, one, ".e.Int64List"),
    )  # fmt: skip
    features = message("Features", ("feature", 1, part, many, ".e.Features.FeatureEntry"))
    entry = message(
        "FeatureEntry", ("key", 1, kinds.TYPE_STRING, one, ""),
        ("value", 2, part, one, ".e.Feature"), parent=features,
    )  # fmt: skip
    entry.options.map_entry = True
    message("Example", ("features", 1, part, one, ".e.Features"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("e.Example"))


def parser() -> Callable[[bytes], dict[str, Any]]:
    """What makes arrays of an encoded example."""
    message = message_class()

    def parse(data: bytes) -> dict[str, Any]:
        feature = message.FromString(data).features.feature
        return {
            "label": feature["label"].int64_list.value[0],
            "pixels": np.array(feature["pixels"].float_list.value, np.float32),
        }

    return parse


def records(path: str) -> Iterator[bytes]:
    """The records of a file, whose checksums nobody looks at."""
    with open(path, "rb") as file:
        while head := file.read(12):
            (length,) = struct.unpack("<Q", head[:8])
            yield file.read(length + 4)[:-4]


def in_turn(paths: list[str]) -> Iterator[bytes]:
    """A record of each file in turn; the files have equally many."""
    return chain.from_iterable(zip(*map(records, paths)))


def stacked(examples: list[dict[str, Any]]) -> dict[str, Any]:
    """A batch of examples."""
    return {
        "label": np.array([e["label"] for e in examples]),
        "pixels": np.stack([e["pixels"] for e in examples]),
    }


def examples_torch(torch: Any, workers: int = 0) -> Make:
    paths, parse = record_files(), parser()

    def examples(worker: int, workers: int) -> Iterator[Any]:
        return map(parse, in_turn(paths[worker::workers]))

    def collate(examples: list[Any]) -> dict[str, Any]:
        return {name: torch.from_numpy(values) for name, values in stacked(examples).items()}

    return lambda: loader(
        torch, stream(torch, examples), workers, batch_size=BATCH, collate_fn=collate
    )


def examples_grain(grain: Any) -> Make:
    paths, parse = record_files(), parser()

    def make() -> Any:
        files = [grain.experimental.TFRecordIterDataset(path) for path in paths]
        dataset = grain.experimental.InterleaveIterDataset(files, cycle_length=4)
        return dataset.map(parse).batch(BATCH, batch_fn=stacked)

    return make


def examples_numpy(np: Any) -> Make:
    paths, parse = record_files(), parser()

    def batches() -> Iterator[Any]:
        examples = map(parse, in_turn(paths))
        while batch := list(islice(examples, BATCH)):
            yield stacked(batch)

    return lambda: Again(batches)


LINE_PROGRAMS = {
    **shared(csv_dataset_tf),
    **loaders(lines_torch),
    "grain": lines_grain,
    "numpy": lines_numpy,
}
EXAMPLE_PROGRAMS = {
    **shared(examples_tf),
    **loaders(examples_torch),
    "grain": examples_grain,
    "numpy": examples_numpy,
}

TABLE: tuple[Workload, ...] = (
    Epoch(
        "D7", "50,000 lines of CSV, ten columns, of a CsvDataset", "ms", None, LINE_PROGRAMS,
        bar=Bar(4), tolerance=1e-5,
    ),
    Epoch(
        "D7l", "the same lines, decoded one by one", "ms", None, LINE_PROGRAMS | shared(lines_tf),
        bar=Bar(4), tolerance=1e-5,
    ),
    Epoch(
        "D7b", "the same lines, decoded in batches", "ms", None,
        {
            **shared(batches_of_lines_tf), **loaders(batches_of_lines_torch),
            "numpy": lines_numpy,
        },
        bar=Bar(4), tolerance=1e-5,
    ),
    Epoch(
        "D8", "10,000 examples of four files in turn", "ms", None, EXAMPLE_PROGRAMS, bar=Bar(3),
    ),
)  # fmt: skip
