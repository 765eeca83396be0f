"""Datasets of tables give what TensorFlow's give; bad records are errors that name the line."""

from __future__ import annotations

import gc
import gzip
import json
import os
import threading
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora.table_files import drain, outcomes
from support.forking import in_child
from support.interruptions import is_interrupted

import graphwright as tf
from graphwright.data.reader import Reader
from graphwright.ops.strings import field_code

GOLDEN = Path(__file__).parents[2] / "golden" / "table_files.json"
CsvDataset = tf.data.experimental.CsvDataset

#: How many broken files are read.
MUTANTS = 100


@pytest.fixture(params=[False, True], ids=["by NumPy", "by machine code"])
def reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has either read all fields, however few there are."""
    monkeypatch.setattr(field_code, "are_ready_for", lambda count: request.param)


@pytest.mark.usefixtures("reading")
def test_each_dataset_is_what_tensorflows_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recorded = json.loads(GOLDEN.read_text())
    ours = outcomes(tf)
    assert {step: text for step, text in ours.items() if text != recorded[step]} == {}
    assert ours.keys() == recorded.keys()


def rows_of(dataset: Any) -> list[Any]:
    return list(dataset.as_numpy_iterator())


def test_an_error_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'h\n"a\nb"\n' + b"c\n" * 300_000 + b"d,e\nf\n")
    dataset = CsvDataset(str(path), [tf.string], header=True)
    iterator = dataset.as_numpy_iterator()
    for _ in range(300_001):
        next(iterator)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"t.csv: line 300004: Expect 1 fi"):
        next(iterator)
    assert next(iterator) == (b"f",)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 7, 64, None])
def test_records_do_not_depend_on_the_buffer(tmp_path: Path, size: int | None, ending: str) -> None:
    random = np.random.default_rng(1)
    numbers = random.integers(-999, 999, (40, 2)).tolist()
    words = ["plain", 'with "quotes"', f"two{ending}lines", "a,b"]
    lines = [
        f'{a},{b / 8},"{words[n % 4].replace(chr(34), 2 * chr(34))}"'
        for n, (a, b) in enumerate(numbers)
    ]
    path = tmp_path / "t.csv"
    path.write_bytes(ending.join(lines).encode())
    dataset = CsvDataset(str(path), [tf.int32, tf.float64, tf.string], buffer_size=size)
    expected = [(a, b / 8, words[n % 4].encode()) for n, (a, b) in enumerate(numbers)]
    assert rows_of(dataset) == expected


def test_readers_go_on_where_others_were(tmp_path: Path) -> None:
    lines = [f"{n},{n * n}" if n % 7 else "bad" for n in range(60)]
    (tmp_path / "t.csv").write_text("n,m\n" + "\n".join(lines))
    dataset = CsvDataset(
        str(tmp_path / "t.csv"), [tf.int32, tf.int32], header=True, buffer_size=50
    ).ignore_errors()
    whole = rows_of(dataset)
    for place in range(0, len(whole) + 1, 4):
        first, second = Reader(dataset._stage), Reader(dataset._stage)
        for _ in range(place):
            first.row()
        second.restore(first.save())
        rest = []
        while (row := second.row()) is not None:
            rest.append(tuple([array[()] for array in row]))
        assert whole[:place] + rest == whole


def test_after_a_restore_errors_name_the_same_line(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("1\n2\n3\nx\n")
    stage = CsvDataset(str(tmp_path / "t.csv"), [tf.int32], buffer_size=2)._stage
    first, second = Reader(stage), Reader(stage)
    for _ in range(3):
        first.row()
    second.restore(first.save())
    with pytest.raises(tf.errors.InvalidArgumentError, match="line 4: Field 0 in record is not"):
        second.row()


def mutated(random: np.random.Generator, data: bytes, place: int) -> bytes:
    """Data with a byte changed at a place, some bytes inserted, or the end cut off."""
    kind = int(random.integers(3))
    if kind == 0:
        return data[:place]
    if kind == 1:
        return data[:place] + random.bytes(2) + data[place:]
    return data[:place] + bytes([data[place] ^ 1 << int(random.integers(8))]) + data[place + 1 :]


def check_mutants(folder: Path, count: int) -> None:
    """Of a broken file come the records before the damage; errors name file and place."""
    random = np.random.default_rng(5)
    path = folder / "t.csv"
    data = "\n".join([f'{n},{n / 4},"word {n}"' for n in range(8)]).encode()
    whole = [(n, n / 4, f"word {n}".encode()) for n in range(8)]
    errors: list[Any] = []
    for number in range(count):
        compression = "GZIP" if number % 4 == 0 else ""
        packed = gzip.compress(data) if compression else data
        place = int(random.integers(len(packed)))
        path.write_bytes(mutated(random, packed, place))
        seen = []
        iterator = iter(CsvDataset(str(path), [tf.int32, tf.float64, tf.string], compression))
        while True:
            try:
                seen.append(tuple([part.numpy() for part in next(iterator)]))
            except StopIteration:
                break
            except (tf.errors.InvalidArgumentError, tf.errors.DataLossError) as error:
                errors.append(error)
        intact = zlib.decompressobj(31).decompress(packed[:place]) if compression else data[:place]
        right = intact.count(b"\n")
        # What is inflated at once with the damage is lost. What comes is right up to the damage.
        right = min(right, len(seen)) if compression else right
        assert seen[:right] == whole[:right]
    assert len(errors) > count // 4
    assert all("t.csv: " in error.message for error in errors)
    refused = [error.message for error in errors if type(error).__name__[0] == "I"]
    assert all("t.csv: line " in message for message in refused)


@pytest.mark.usefixtures("reading")
def test_a_mutated_file_gives_records_and_errors(tmp_path: Path) -> None:
    check_mutants(tmp_path, MUTANTS)


@pytest.mark.slow
def test_many_mutated_files_give_records_and_errors(tmp_path: Path) -> None:
    check_mutants(tmp_path, 1000)


def test_a_small_file_that_inflates_to_a_huge_record_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphwright.library.io.pieces.MOST", 1 << 20)
    (tmp_path / "bomb").write_bytes(gzip.compress(b"1" * (1 << 23)))
    with pytest.raises(tf.errors.ResourceExhaustedError, match="bomb: the record at 0 of a compr"):
        rows_of(CsvDataset(str(tmp_path / "bomb"), [tf.string], "GZIP"))


def test_rows_of_a_database_go_on_in_another_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    query = (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n + 1 FROM r WHERE n < 9) SELECT n FROM r"
    )
    dataset = tf.data.experimental.SqlDataset("sqlite", "t.db", query, tf.int32)
    first, second = Reader(dataset._stage), Reader(dataset._stage)
    for _ in range(4):
        first.row()
    second.restore(first.save())
    row = second.row()
    assert row is not None
    assert row[0] == 5
    assert len(drain(dataset)) == 9


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_child_reads_on_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("".join([f"{n}\n" for n in range(1000)]))
    iterator = tf.data.TextLineDataset([str(path)] * 2, None, 50, 2).as_numpy_iterator()
    before = [next(iterator) for _ in range(30)]

    def rest() -> list[bytes]:
        return [*before, *iterator]

    whole = [b"%d" % (n // 2) for n in range(2000)]
    assert in_child(lambda: rest() == whole)
    assert rest() == whole


def test_an_iterator_that_nobody_has_leaves_no_thread(tmp_path: Path) -> None:
    paths = [tmp_path / f"t{n}" for n in range(3)]
    for path in paths:
        path.write_text("x\n" * 1000)
    before = threading.active_count()
    iterator = tf.data.TextLineDataset(paths, None, 100, 3).as_numpy_iterator()
    for _ in range(500):
        next(iterator)
    assert threading.active_count() > before
    del iterator
    gc.collect()
    ends = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < ends:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_ctrl_c_ends_an_iteration(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("x\n" * 10_000)
    dataset = tf.data.TextLineDataset([tmp_path / "t"] * 2, None, 100, 2).repeat()

    def endless() -> None:
        for _ in dataset:
            pass

    assert is_interrupted(endless)


def test_a_database_that_cannot_be_opened(tmp_path: Path) -> None:
    source = str(tmp_path / "none" / "t.db")
    rows = tf.data.experimental.SqlDataset("sqlite", source, "select a from t", (tf.int32,))
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be opened"):
        next(iter(rows))
