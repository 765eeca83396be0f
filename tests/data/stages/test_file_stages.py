"""The records of files are TensorFlow's; damage is an error that names file and offset."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from corpora.file_pipelines import outcomes

import graphwright as tf
from graphwright.data.reader import Reader
from graphwright.library.io import pieces
from graphwright.library.io import records as framing
from graphwright.library.io.records import framed, masked

GOLDEN = Path(__file__).parents[2] / "golden" / "file_pipelines.json"


def elements(dataset: Any) -> list[Any]:
    return list(dataset.as_numpy_iterator())


def test_each_dataset_is_what_tensorflows_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert outcomes(tf) == json.loads(GOLDEN.read_text())


def random_records(random: np.random.Generator, count: int) -> list[bytes]:
    return [random.bytes(int(random.integers(0, 40))) for _ in range(count)]


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data, "GZIP": gzip.compress, "ZLIB": zlib.compress,
}  # fmt: skip


def checksum(data: bytes) -> int:
    """The masked CRC-32C, bit by bit: the definition, with nothing of what is tested."""
    rest = 0xFFFFFFFF
    for octet in data:
        rest ^= octet
        for _ in range(8):
            rest = rest >> 1 ^ (0x82F63B78 if rest & 1 else 0)
    rest ^= 0xFFFFFFFF
    return ((rest >> 15 | rest << 17) + 0xA282EAD8) & 0xFFFFFFFF


class Content(NamedTuple):
    """What a file holds: its whole records, and the error behind them, if any."""

    records: list[bytes]
    error: str


def content(data: bytes) -> Content:
    """What plain bytes hold, record by record."""
    records: list[bytes] = []
    place = 0
    while place < len(data):
        head, start = data[place : place + 12], place + 12
        stop = start + int.from_bytes(head[:8], "little")
        signed = int.from_bytes(head[8:], "little")
        if len(head) == 12 and checksum(head[:8]) != signed:
            return Content(records, f"corrupted record at {place}")
        if len(data) < stop + 4:
            return Content(records, f"truncated record at {place}")
        if checksum(data[start:stop]) != int.from_bytes(data[stop : stop + 4], "little"):
            return Content(records, f"corrupted record at {place}")
        records.append(data[start:stop])
        place = stop + 4
    return Content(records, "")


def inflated(data: bytes, compression: str) -> tuple[bytes, bool]:
    """The plain bytes of a file, fed byte by byte, up to damage; and whether there is any."""
    plain = b""
    while data:
        inflate = zlib.decompressobj(31 if compression == "GZIP" else 15)
        try:
            while data and not inflate.eof:
                plain += inflate.decompress(data[:1])
                data = data[1:]
        except zlib.error:
            return plain, True
        if not inflate.eof:
            return plain, True
        if compression == "ZLIB":  # only gzip's files may follow each other
            break
    return plain, False


#: How files are changed; those of the second line before they are packed.
KINDS = (
    "flip", "flips", "cut", "insert", "remove", "double", "zero", "nothing",
    "length", "signed length", "swap", "cut record",
)  # fmt: skip


def changed(random: np.random.Generator, data: bytes, kind: str) -> bytes:
    """Bytes with a fault of a kind."""
    place = int(random.integers(len(data)))
    stop = place + int(random.choice([1, 2, 4, 12, 40]))
    if kind == "nothing":
        return data
    if kind in ("cut", "cut record"):
        return data[:place]
    if kind == "insert":
        return data[:place] + random.bytes(stop - place) + data[place:]
    if kind == "remove":
        return data[:place] + data[stop:]
    if kind == "double":
        return data[:stop] + data[place:]
    if kind == "zero":
        return data[:place] + bytes(len(data[place:stop])) + data[stop:]
    octets = bytearray(data)
    for _ in range(1 if kind == "flip" else 5):
        octets[place] ^= 1 << int(random.integers(8))
        place = int(random.integers(len(data)))
    return bytes(octets)


def with_fault(random: np.random.Generator, records: list[bytes], kind: str) -> bytes:
    """The plain bytes of records, one of which has another length, or changes its place."""
    parts = [framed(record) for record in records]
    place = int(random.integers(len(parts)))
    if kind.endswith("length"):
        added = [-1, 1, 5, 1 << 20, 1 << 62, (1 << 64) - 1][int(random.integers(6))]
        length = (len(records[place]) + added) % (1 << 64)
        head = length.to_bytes(8, "little")
        signed = checksum(head).to_bytes(4, "little") if kind[0] == "s" else parts[place][8:12]
        parts[place] = head + signed + parts[place][12:]
    if kind == "swap":
        parts[place] = parts[place][:12] + framed(b"another record")[12:]
    plain = b"".join(parts)
    return changed(random, plain, kind) if kind == "cut record" else plain


def mutants_are_noticed(folder: Path, count: int, seed: int) -> None:
    """Reads changed files: what comes is what they hold, and then DataLossError where they end ill.

    Of a compressed file, records may be lost that were inflated at once with the damage.
    """
    random = np.random.default_rng(seed)
    errors = 0
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        compression = list(PACKINGS)[number // len(KINDS) % 3]
        data = with_fault(random, random_records(random, int(random.integers(1, 12))), kind)
        data = PACKINGS[compression](data)
        if kind in KINDS[:8]:
            data = changed(random, data, kind)
        path = folder / f"mutant{number}"
        path.write_bytes(data)
        plain, is_broken = inflated(data, compression) if compression else (data, False)
        records, error = content(plain)
        size = int(random.choice([1, 7, 64, 1 << 18]))
        parallel = 2 if number % 5 == 0 else None
        dataset = tf.data.TFRecordDataset([path], compression, size, parallel)
        iterator, seen, message = iter(dataset), [], ""
        try:
            seen.extend(record.numpy() for record in iterator)
        except tf.errors.DataLossError as raised:
            message = raised.message
            errors += 1
        if is_broken:
            assert seen == records[: len(seen)], kind
            assert re.search(rf"{path}: .*\d", message), (kind, message)
        else:
            assert seen == records, kind
            assert message == (f"{path}: {error}" if error else ""), kind
        assert list(iterator) == []
    assert errors > count // 2


def test_changed_files_are_noticed(tmp_path: Path) -> None:
    mutants_are_noticed(tmp_path, 180, 7)


@pytest.mark.slow
def test_a_thousand_changed_files_are_noticed(tmp_path: Path) -> None:
    mutants_are_noticed(tmp_path, 1008, 8)


class Intact:
    """Stands for checksums that are equal to whatever is stored."""

    def __init__(self, data: Sequence[object]) -> None:
        self.count = len(data)

    def __eq__(self, other: object) -> Any:
        return np.ones(self.count, bool)

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("fault", ["of_lengths", "of_records", "end", "place"])
def test_a_fault_of_the_reader_would_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """The tests above can fail: a checksum is not compared, an end is missed, a place is wrong."""
    split, turned = framing.split, framing.turned

    def faulty(data: bytes) -> Any:
        part = split(data)
        if fault == "end":
            return part._replace(is_damaged=False)
        return part._replace(size=part.size + 1) if part.is_damaged and part.records else part

    if fault.startswith("of"):
        monkeypatch.setattr(framing, fault, Intact)
        monkeypatch.setattr(
            framing, "turned", lambda sums: sums if isinstance(sums, Intact) else turned(sums)
        )
    else:
        monkeypatch.setattr(framing, "split", faulty)
    with pytest.raises(AssertionError):
        mutants_are_noticed(tmp_path, 180, 7)


@pytest.mark.parametrize("place", [0, 9, 14, 25])
def test_damage_is_behind_the_records_before_it(tmp_path: Path, place: int) -> None:
    before = [b"%d" % number for number in range(5000)]
    whole = b"".join(map(framed, before))
    bad = bytearray(framed(b"0123456789"))
    bad[place] ^= 4
    (tmp_path / "bad").write_bytes(whole + bad + framed(b"behind"))
    iterator = tf.data.TFRecordDataset(tmp_path / "bad").as_numpy_iterator()
    assert [next(iterator) for _ in before] == before
    with pytest.raises(tf.errors.DataLossError, match=f"bad: corrupted record at {len(whole)}$"):
        next(iterator)
    assert list(iterator) == []


def test_a_length_that_no_file_has_reads_nothing_more(tmp_path: Path) -> None:
    length = (1 << 62).to_bytes(8, "little")
    path = tmp_path / "long"
    path.write_bytes(framed(b"a") + length + masked(length).to_bytes(4, "little") + b"short")
    with pytest.raises(tf.errors.DataLossError, match="long: truncated record at 17"):
        elements(tf.data.TFRecordDataset(path))


@pytest.mark.parametrize("kind", [tf.data.TFRecordDataset, tf.data.TextLineDataset])
def test_a_small_file_that_inflates_to_a_huge_record_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Any
) -> None:
    monkeypatch.setattr(pieces, "MOST", 1 << 20)
    length = (1 << 62).to_bytes(8, "little")
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress(length + masked(length).to_bytes(4, "little") + bytes(1 << 23)))
    assert path.stat().st_size < 1 << 14
    with pytest.raises(tf.errors.ResourceExhaustedError, match="bomb: the record at 0 of a compr"):
        elements(kind(path, "GZIP"))


@pytest.mark.parametrize("size", [1, 3, 64, 1 << 20])
@pytest.mark.parametrize("compression", PACKINGS)
def test_records_do_not_depend_on_the_buffer(tmp_path: Path, compression: str, size: int) -> None:
    random = np.random.default_rng(size)
    records = random_records(random, 60)
    (tmp_path / "r").write_bytes(PACKINGS[compression](b"".join(map(framed, records))))
    dataset = tf.data.TFRecordDataset(tmp_path / "r", compression, size)
    assert elements(dataset) == records
    lines = [record.replace(b"\n", b"").replace(b"\r", b"") for record in records] + [b"x" * 999]
    (tmp_path / "t").write_bytes(PACKINGS[compression](b"\r\n".join(lines)))
    assert elements(tf.data.TextLineDataset(tmp_path / "t", compression, size)) == lines
    (tmp_path / "f").write_bytes(PACKINGS[compression](b"head" + b"".join(records)[:600] + b"end"))
    fixed = tf.data.FixedLengthRecordDataset(tmp_path / "f", 20, 4, 3, size, compression)
    assert b"".join(elements(fixed)) == b"".join(records)[:600]


def make_dataset(folder: Path, kind: str, parallel: int | None, compression: str) -> Any:
    """A dataset of three files."""
    random = np.random.default_rng(3)
    paths = [str(folder / f"{kind}{number}") for number in range(3)]
    for path in paths:
        texts = [b"%d" % n for n in random.integers(10, 99, int(random.integers(1, 40)))]
        data = b"\n".join(texts) if kind == "text" else b"".join(map(framed, texts))
        Path(path).write_bytes(PACKINGS[compression](b"".join(texts) if kind == "fixed" else data))
    if kind == "fixed":
        return tf.data.FixedLengthRecordDataset(
            paths, 2, compression_type=compression, num_parallel_reads=parallel
        )
    make: Any = tf.data.TextLineDataset if kind == "text" else tf.data.TFRecordDataset
    return make(paths, compression, num_parallel_reads=parallel)


@pytest.mark.parametrize("compression", PACKINGS)
@pytest.mark.parametrize("parallel", [None, 1, 2, 4])
@pytest.mark.parametrize("kind", ["text", "records", "fixed"])
def test_readers_go_on_where_others_were(
    tmp_path: Path, kind: str, parallel: int | None, compression: str
) -> None:
    dataset = make_dataset(tmp_path, kind, parallel, compression)
    stage = dataset._stage
    whole = elements(dataset)
    for place in range(0, len(whole) + 1, 5):
        first = Reader(stage)
        for _ in range(place):
            first.row()
        second = Reader(stage)
        second.restore(first.save())
        rest = []
        while (row := second.row()) is not None:
            rest.append(row[0][()])
        assert whole[:place] + rest == whole


def test_functions_make_and_go_through_datasets_of_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n3\n")

    @tf.function
    def total(name: Any) -> Any:
        result = tf.constant(0)
        for line in tf.data.TextLineDataset(name):
            result += tf.strings.to_number(line, tf.int32)
        return result

    assert int(total(tf.constant(str(tmp_path / "a")))) == 6


def test_matching_files_in_a_function(tmp_path: Path) -> None:
    (tmp_path / "a").touch()

    @tf.function
    def count(pattern: Any) -> Any:
        return tf.data.Dataset.list_files(pattern, shuffle=False).reduce(0, lambda n, _: n + 1)

    assert int(count(tf.constant(f"{tmp_path}/*"))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched pattern"):
        count(tf.constant(f"{tmp_path}/none*"))


@pytest.mark.parametrize("parallel", [None, 1, 2, 4])
@pytest.mark.parametrize("kind", ["text", "records", "fixed"])
def test_behind_the_end_there_is_nothing(tmp_path: Path, kind: str, parallel: int | None) -> None:
    iterator = iter(make_dataset(tmp_path, kind, parallel, ""))
    assert list(iterator)
    for _ in range(3):
        with pytest.raises(StopIteration):
            next(iterator)
