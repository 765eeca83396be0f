"""The records of files are TensorFlow's; damage is an error that names file and offset."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora.file_pipelines import outcomes

import graphwright as tf
from graphwright.data.reader import Reader
from graphwright.library.io import pieces
from graphwright.library.io.records import framed, masked

GOLDEN = Path(__file__).parents[2] / "golden" / "file_pipelines.json"

#: How many broken files are read.
MUTANTS = 1000


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


@pytest.mark.parametrize("compression", PACKINGS)
def test_of_a_mutated_file_come_whole_records_and_then_an_error(
    tmp_path: Path, compression: str
) -> None:
    random = np.random.default_rng(7)
    errors = 0
    for number in range(MUTANTS // len(PACKINGS) + 1):
        records = random_records(random, int(random.integers(1, 8)))
        data = bytearray(PACKINGS[compression](b"".join(map(framed, records))))
        place = int(random.integers(len(data)))
        if number % 4 == 0:
            del data[place:]
        elif number % 4 == 1:
            data[place:place] = random.bytes(3)
        else:
            data[place] ^= 1 << int(random.integers(8))
        path = tmp_path / "mutant"
        path.write_bytes(data)
        iterator = iter(tf.data.TFRecordDataset(path, compression))
        seen: list[bytes] = []
        try:
            seen.extend(record.numpy() for record in iterator)
        except tf.errors.DataLossError as raised:
            error = raised
            errors += 1
            assert str(path) in error.message
            assert any(letter.isdigit() for letter in error.message.removeprefix(str(path)))
            assert list(iterator) == []
        assert seen == records[: len(seen)]
    assert errors > MUTANTS // 4


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
