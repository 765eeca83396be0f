"""Elements that stay on disk are what TensorFlow gives; nothing that is there is half there."""

from __future__ import annotations

import gc
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora.pipelines import running
from corpora.stored_pipelines import PIPELINES
from support.pipelines import unlike_words

import graphwright as tf
from graphwright.base.files import LockFile
from graphwright.data.reader import Reader
from graphwright.data.storage import block_files, stores
from graphwright.data.storage.block_files import HEAD
from graphwright.library.io.records import framed

D = tf.data.Dataset
GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "stored.json").read_text("utf-8"))

#: Pipelines that give something else than TensorFlow does, and why.
OTHERWISE = {
    "cache_of_more_parts": "TensorFlow makes elements of the parts of several",
    "load_with_a_spec_of_more_parts": "TensorFlow makes elements of the parts of several",
    "load_with_a_spec_that_is_none": "TensorFlow has an AttributeError",
    "load_counts_its_shards": "TensorFlow refuses it, as it reads the results in its own format",
    "save_compressed_loaded_without": "the files say how they are compressed",
    "save_plain_loaded_as_compressed": "the files say how they are compressed",
    "load_no_parts": "TensorFlow refuses elements without tensors",
    "load_with_a_path_object": "TensorFlow refuses it",
    "save_with_a_path_object": "TensorFlow refuses it",
    "save_with_a_tensor": "TensorFlow refuses it",
    "save_with_checkpoints": "TensorFlow 2.21 has an InternalError",
}

pytestmark = pytest.mark.filterwarnings("ignore")


def numbers(dataset: Any) -> list[int]:
    return [int(x) for x in dataset]


def shards(folder: Path) -> list[Path]:
    """The files of the whole run of a folder."""
    manifest = stores.manifest_of(folder)
    assert manifest is not None
    return [Path(stores.file_of(folder / manifest.run, s.number)) for s in manifest.shards]


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_gives_what_was_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)  # as where it was recorded
    outcome = running.eager(PIPELINES[name], tf)
    assert running.alike(outcome, GOLDEN[name]) == (name not in OTHERWISE), outcome
    if name not in OTHERWISE:
        assert not unlike_words(outcome, GOLDEN[name])


def test_every_pipeline_is_recorded() -> None:
    assert GOLDEN.keys() == PIPELINES.keys()
    assert OTHERWISE.keys() < PIPELINES.keys()


# -- who writes -----------------------------------------------------------------------------


def test_a_second_writer_of_a_cache_is_refused_in_words(tmp_path: Path) -> None:
    one, two = (iter(D.range(3).cache(str(tmp_path / "c"))) for _ in range(2))
    next(one)
    with pytest.raises(tf.errors.AlreadyExistsError, match="another iterator is writing") as error:
        next(two)
    assert str(tmp_path / "c" / "lock") in str(error.value)
    assert numbers(one) == [1, 2]
    assert numbers(two) == [0, 1, 2]


def test_two_that_save_at_once_are_refused(tmp_path: Path) -> None:
    lock = LockFile(tmp_path / "lock")
    assert lock.acquire()
    with pytest.raises(tf.errors.AlreadyExistsError, match="another iterator is writing"):
        D.range(3).save(str(tmp_path))
    lock.release()
    D.range(3).save(str(tmp_path))
    assert numbers(D.load(str(tmp_path))) == [0, 1, 2]


def test_what_is_not_brought_to_an_end_leaves_nothing(tmp_path: Path) -> None:
    iterator = iter(D.range(3).cache(str(tmp_path / "c")))
    next(iterator)
    assert [p.name[:4] for p in (tmp_path / "c").glob("run-*")] == ["run-"]
    del iterator
    gc.collect()
    assert not list((tmp_path / "c").glob("run-*"))


def test_the_child_of_a_fork_leaves_the_run_of_its_parent(tmp_path: Path) -> None:
    dataset = D.range(3).cache(str(tmp_path / "c"))
    iterator = iter(dataset)
    next(iterator)
    child = os.fork()
    if not child:
        del iterator
        gc.collect()
        os._exit(0)
    os.waitpid(child, 0)
    assert numbers(iterator) == [1, 2]
    assert numbers(D.range(9).cache(str(tmp_path / "c"))) == [0, 1, 2]


def test_the_child_of_a_fork_does_not_move_where_its_parent_reads(tmp_path: Path) -> None:
    D.range(200_000).save(str(tmp_path))
    manifest = stores.manifest_of(tmp_path)
    assert manifest is not None
    file = block_files.BlockFile(shards(tmp_path)[0], manifest.run, manifest.shards[0].size)
    first, offset = file.block_at(HEAD, 0)
    child = os.fork()
    try:
        for _ in range(1000):
            place, before = (offset, first.count) if child else (HEAD, 0)
            assert int(file.block_at(place, before)[0].columns[0][0]) == before
    finally:
        if not child:
            os._exit(sys.exc_info()[0] is not None)
    assert os.waitpid(child, 0)[1] == 0
    file.close()


def test_a_run_that_its_writer_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / f"run-{'0' * 16}"
    left.mkdir()
    (tmp_path / "run-of-mine").mkdir()
    D.range(2).save(str(tmp_path))
    assert not left.exists()
    assert (tmp_path / "run-of-mine").exists()


def test_elements_without_a_form_on_disk_are_refused(tmp_path: Path) -> None:
    some = D.range(2).map(tf.experimental.Optional.from_value)
    with pytest.raises(tf.errors.UnimplementedError, match="cannot be saved"):
        some.save(str(tmp_path))
    assert not list(tmp_path.glob("run-*"))
    assert not (tmp_path / "manifest").exists()


def test_an_error_while_saving_leaves_what_was_there(tmp_path: Path) -> None:
    D.range(3).save(str(tmp_path))
    with pytest.raises(tf.errors.InvalidArgumentError):
        D.range(4).map(lambda x: 6 // (x - 2)).save(str(tmp_path))
    assert numbers(D.load(str(tmp_path))) == [0, 1, 2]


def test_an_element_without_a_shard_is_an_error_and_nothing_is_whole(tmp_path: Path) -> None:
    dataset = D.range(4).snapshot(str(tmp_path), shard_func=lambda x: 6 // (x - 2))
    assert numbers(dataset.ignore_errors()) == [0, 1, 3]
    assert not list(tmp_path.glob("*/manifest"))


# -- what is there ---------------------------------------------------------------------------


class Pair(tf.experimental.ExtensionType):
    """A composite whose type has no form on disk."""

    left: tf.Tensor
    right: tf.Tensor


def test_composites_are_loaded_with_their_type(tmp_path: Path) -> None:
    dataset = D.from_tensors(Pair(tf.constant(1), tf.constant([2.0])))
    dataset.save(str(tmp_path))
    with pytest.raises(tf.errors.NotFoundError, match="give `element_spec`"):
        D.load(str(tmp_path))
    (pair,) = D.load(str(tmp_path), dataset.element_spec)
    assert (int(pair.left), pair.right.numpy().tolist()) == (1, [2.0])


def test_many_elements_of_every_kind_come_back(tmp_path: Path) -> None:
    def rows() -> Iterator[tuple[np.ndarray[Any, Any], bytes, list[bytes]]]:
        for i in range(3000):
            yield np.arange(i % 7, dtype=np.float32), b"x" * (i % 5), [b"y"] * (i % 3)

    types = (
        tf.TensorSpec([None], tf.float32),
        tf.TensorSpec([], tf.string),
        tf.TensorSpec([None], tf.string),
    )
    dataset = D.from_generator(rows, output_signature=types)
    for name, compression in (("plain", None), ("deflated", "GZIP")):
        dataset.save(str(tmp_path / name), compression)
        for theirs, mine in zip(rows(), D.load(str(tmp_path / name)), strict=True):
            assert mine[0].numpy().tolist() == theirs[0].tolist()
            assert (mine[1].numpy(), mine[2].numpy().tolist()) == theirs[1:]


def test_dense_blocks_are_handed_on_whole_and_aligned(tmp_path: Path) -> None:
    rows = np.arange(200_000, dtype=np.float64).reshape(-1, 2)
    D.from_tensor_slices(rows).save(str(tmp_path))
    reader = Reader(D.load(str(tmp_path))._stage)
    reader.limit.number = 1 << 14
    blocks = []
    while (block := reader.rest()) is not None:
        blocks.append(block.columns[0])
    assert len(blocks) < 20
    assert all(not b.flags.writeable and b.ctypes.data % 16 == 0 for b in blocks)
    np.testing.assert_array_equal(np.concatenate(blocks), rows)


def test_what_is_saved_again_is_loaded_by_who_loads_then(tmp_path: Path) -> None:
    D.range(2).save(str(tmp_path))
    before = iter(D.load(str(tmp_path)))
    assert int(next(before)) == 0
    D.range(5).save(str(tmp_path), shard_func=lambda x: x % 2)
    assert numbers(before) == [1]
    assert sorted(numbers(D.load(str(tmp_path)))) == [0, 1, 2, 3, 4]


def test_load_waits_for_elements(tmp_path: Path) -> None:
    program = (
        "import sys, time, graphwright as tf\n"
        "time.sleep(0.3)\ntf.data.Dataset.range(3).save(sys.argv[1])"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)]):
        assert numbers(D.load(str(tmp_path), wait=True)) == [0, 1, 2]


def test_a_save_with_checkpoints_goes_on_where_it_stopped(tmp_path: Path) -> None:
    seen: list[int] = []
    fails = [True]

    def look(x: Any) -> Any:
        if fails[0] and x == 7:
            raise ValueError("stop")
        seen.append(int(x))
        return x

    dataset = D.range(10).map(lambda x: tf.py_function(look, [x], tf.int64))
    step = tf.Variable(0)
    arguments = {
        "checkpoint_interval": 2, "step_counter": step,
        "directory": str(tmp_path / "places"), "max_to_keep": 2,
    }  # fmt: skip
    with pytest.raises(tf.errors.InvalidArgumentError):
        dataset.save(str(tmp_path / "s"), checkpoint_args=arguments)
    fails[0] = False
    dataset.save(str(tmp_path / "s"), checkpoint_args=arguments)
    assert numbers(D.load(str(tmp_path / "s"))) == list(range(10))
    assert seen.count(0) == 1


def test_a_function_saves_and_loads_what_it_saved(tmp_path: Path) -> None:
    @tf.function
    def total(count: tf.Tensor) -> tf.Tensor:
        D.range(count).save(str(tmp_path))
        result = tf.constant(0, tf.int64)
        for x in D.load(str(tmp_path)):
            result += x
        return result

    assert [int(total(tf.constant(n, tf.int64))) for n in (4, 7, 2)] == [6, 21, 1]


# -- what made it ---------------------------------------------------------------------------


def made_by(change: int) -> Any:
    """A pipeline of which a number, a function or a captured value differs."""
    add, times = tf.constant(3 if change == 1 else 2, tf.int64), 5 if change == 2 else 4

    def rows() -> Iterator[int]:
        yield from range(4 if change == 3 else 5)

    words = D.from_tensor_slices(["a", "c" if change == 4 else "b"])
    source = D.from_generator(rows, output_signature=tf.TensorSpec([], tf.int64))
    mapped = source.map(lambda x: x * times + add)
    if change == 5:
        mapped = mapped.shuffle(3, seed=6, reshuffle_each_iteration=False)
    return D.zip(mapped.batch(3 if change == 6 else 2), words).repeat(1)


def test_each_part_of_a_pipeline_keys_its_snapshot(tmp_path: Path) -> None:
    for change in (*range(7), *range(7)):
        dataset = made_by(change)
        expected = list(dataset.as_numpy_iterator())
        for _ in range(2):
            kept = list(dataset.snapshot(str(tmp_path)).as_numpy_iterator())
            assert str(kept) == str(expected)
    assert len(list(tmp_path.iterdir())) == 7


def test_another_process_reads_the_snapshot(tmp_path: Path) -> None:
    program = (
        "import sys, graphwright as tf\n"
        "k = tf.constant(3, tf.int64)\n"
        "def f(x):\n"
        "    if x > 1:\n"
        "        x += k\n"
        "    return {'x': x, 's': tf.strings.as_string(x)}\n"
        "d = tf.data.Dataset.range(5).map(f).shuffle(3, seed=2).snapshot(sys.argv[1])\n"
        "print([e['s'].numpy() for e in d])\n"
    )
    path = tmp_path / "program.py"
    path.write_text(program, "utf-8")
    outputs = [
        subprocess.run(
            [sys.executable, str(path), str(tmp_path / "s")],
            capture_output=True, text=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in "12"
    ]  # fmt: skip
    assert outputs[0] == outputs[1]
    (folder,) = (tmp_path / "s").iterdir()
    assert len(list(folder.glob("run-*"))) == 1


# -- checkpoints ----------------------------------------------------------------------------


def pipelines(folder: str) -> dict[str, Callable[[], Any]]:
    """Pipelines of ten numbers that stay on disk."""

    def in_two(shard: Any) -> Any:
        return shard % 2

    def read(shards: Any) -> Any:
        return shards.shuffle(2, seed=1).interleave(lambda s: s, cycle_length=2)

    def loaded() -> Any:
        if not os.path.exists(folder + "/s/manifest"):
            D.range(10).save(folder + "/s", shard_func=in_two)
        return D.load(folder + "/s")

    return {
        "cache": lambda: D.range(10).cache(folder + "/c"),
        "snapshot": lambda: D.range(10).snapshot(folder + "/n"),
        "shards": lambda: D.range(10).snapshot(folder + "/h", "GZIP", read, in_two),
        "load": loaded,
    }


@pytest.mark.parametrize("count", [0, 1, 4, 9, 10])
@pytest.mark.parametrize("is_whole", [False, True])
@pytest.mark.parametrize("name", pipelines(""))
def test_a_place_comes_back(name: str, is_whole: bool, count: int, tmp_path: Path) -> None:
    make = pipelines(str(tmp_path))[name]
    if is_whole:
        numbers(make())
    one = iter(make())
    taken = [int(next(one)) for _ in range(count)]
    path = tf.train.Checkpoint(place=one).save(str(tmp_path / "place"))
    two = iter(make())
    tf.train.Checkpoint(place=two).restore(path).assert_consumed()
    rest = numbers(two)
    assert rest == numbers(one)
    assert sorted(taken + rest) == list(range(10))
    assert sorted(numbers(make())) == list(range(10))


def test_a_first_round_goes_on_in_another_process(tmp_path: Path) -> None:
    program = (
        "import os, sys, graphwright as tf\n"
        "folder = sys.argv[1]\n"
        "i = iter(tf.data.Dataset.range(50).cache(folder + '/c'))\n"
        "point = tf.train.Checkpoint(i=i)\n"
        "if sys.argv[2] == 'first':\n"
        "    for _ in range(20):\n        next(i)\n"
        "    point.write(folder + '/place')\n"
        "    for _ in range(7):\n        next(i)\n"
        "    os._exit(0)\n"
        "point.read(folder + '/place')\n"
        "print([int(x) for x in i])\n"
    )
    for stage in ("first", "second"):
        result = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path), stage],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert result.stdout.strip() == str(list(range(20, 50)))
    assert numbers(D.range(3).cache(str(tmp_path / "c"))) == list(range(50))


def test_elements_that_were_written_anew_are_no_place(tmp_path: Path) -> None:
    D.range(4).save(str(tmp_path / "s"))
    one = iter(D.load(str(tmp_path / "s")))
    next(one)
    path = tf.train.Checkpoint(place=one).save(str(tmp_path / "place"))
    D.range(4).save(str(tmp_path / "s"))
    two = iter(D.load(str(tmp_path / "s")))
    with pytest.raises(tf.errors.FailedPreconditionError, match="written anew"):
        tf.train.Checkpoint(place=two).restore(path)


# -- damage ---------------------------------------------------------------------------------


def test_a_truncated_file_says_which_and_where(tmp_path: Path) -> None:
    rows = np.arange(100_000.0)
    D.from_tensor_slices(rows).save(str(tmp_path))
    (path,) = shards(tmp_path)
    os.truncate(path, path.stat().st_size - 1)
    iterator = D.load(str(tmp_path)).as_numpy_iterator()
    seen = []
    with pytest.raises(tf.errors.DataLossError, match=rf"{path}: truncated record at \d+"):
        seen += list(iter(lambda: seen.append(next(iterator)), 0))
    assert 0 < len(seen) < 100_000
    assert seen == rows[: len(seen)].tolist()
    assert list(iterator) == []


def test_a_block_that_inflates_beyond_bounds_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    D.from_tensors(np.zeros(1 << 20)).save(str(tmp_path), "GZIP")
    monkeypatch.setattr(block_files, "MOST", 1 << 20)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="claims to inflate"):
        next(iter(D.load(str(tmp_path))))


def test_a_block_that_inflates_to_more_than_it_claims_is_refused(tmp_path: Path) -> None:
    D.from_tensors(np.zeros(10)).save(str(tmp_path), "GZIP")
    (path,) = shards(tmp_path)
    manifest = stores.manifest_of(tmp_path)
    assert manifest is not None
    bomb = zlib.compress(bytes(1 << 24))
    tail = block_files._TAIL.pack(len(bomb), 100)
    content = bomb + bytes(-len(bomb) % 64) + tail
    path.write_bytes(block_files.head(manifest.run) + framed(content))
    data = {"run": manifest.run, "spec": manifest.spec, "shards": [[0, 1, path.stat().st_size]]}
    (tmp_path / "manifest").write_bytes(framed(json.dumps(data).encode()))
    with pytest.raises(tf.errors.DataLossError, match=f"does not inflate to 100 bytes at {HEAD}"):
        next(iter(D.load(str(tmp_path))))


def test_blocks_that_changed_places_are_noticed(tmp_path: Path) -> None:
    D.range(200_000).save(str(tmp_path))
    (path,) = shards(tmp_path)
    data, starts = path.read_bytes(), [HEAD]
    while starts[-1] < len(data):
        starts.append(starts[-1] + 16 + int.from_bytes(data[starts[-1] : starts[-1] + 8], "little"))
    blocks = [data[start:stop] for start, stop in itertools.pairwise(starts)]
    path.write_bytes(data[:HEAD] + b"".join([blocks[0], blocks[2], blocks[1], *blocks[3:]]))
    with pytest.raises(tf.errors.DataLossError, match=f"another block .* at {starts[1]}"):
        numbers(D.load(str(tmp_path)))


@pytest.mark.parametrize(
    "text",
    [
        "[]", "{", "null", '{"run": 1}', "[" * 100_000,
        '{"run": "run-0123456789abcdef/../..", "spec": null, "shards": []}',
        '{"run": "run-0123456789abcdef", "spec": null, "shards": [[1, -1, 2]]}',
        '{"run": "run-0123456789abcdef", "spec": null, "shards": [[1, 1e999, 2]]}',
    ],
)  # fmt: skip
def test_another_manifest_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest").write_bytes(framed(text.encode()))
    with pytest.raises(tf.errors.DataLossError, match="manifest"):
        D.load(str(tmp_path))


@pytest.mark.parametrize(
    "spec",
    [
        '["fields", "P", ["a b"], [["spec", ["NoneTensorSpec", []]]]]',
        '["spec", ["Nothing", []]]',
        "7",
    ],
)
def test_another_type_is_refused(spec: str, tmp_path: Path) -> None:
    text = f'{{"run": "run-0123456789abcdef", "spec": {spec}, "shards": []}}'
    (tmp_path / "manifest").write_bytes(framed(text.encode()))
    with pytest.raises(tf.errors.DataLossError, match="no type of elements"):
        D.load(str(tmp_path))


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Other bytes than these: some flipped, removed, doubled, or the end cut off."""
    start = chance.randrange(len(data))
    stop = min(len(data), start + chance.choice([1, 1, 4, 64, 1000]))
    kind = chance.choice(["flip", "cut", "remove", "double", "zero"])
    if kind == "flip":
        return data[:start] + bytes([data[start] ^ 1 << chance.randrange(8)]) + data[start + 1 :]
    if kind == "cut":
        return data[:start]
    if kind == "remove":
        return data[:start] + data[stop:]
    if kind == "double":
        return data[:stop] + data[start:]
    return data[:start] + bytes(stop - start) + data[stop:]


def read(folder: Path) -> tuple[list[Any], str]:
    """The elements up to the first error, and what it says."""
    seen: list[Any] = []
    try:
        for row, word in D.load(str(folder)).as_numpy_iterator():
            seen.append((row.tolist(), word))
    except tf.errors.DataLossError as error:
        return seen, str(error)
    return seen, ""


def mutants_are_noticed(folder: Path, count: int, seed: int) -> None:
    """Reads changed files: a DataLossError that names the file, or the same elements."""
    chance = random.Random(seed)
    rows = np.random.default_rng(1).normal(size=(3000, 3))
    words = [f"word {i % 17}" for i in range(3000)]
    for compression in (None, "GZIP"):
        D.from_tensor_slices((rows, words)).save(str(folder / str(compression)), compression)
    expected = list(zip(rows.tolist(), map(str.encode, words)))
    refused = 0
    for number in range(count):
        place = folder / str((None, "GZIP")[number % 2])
        path = place / "manifest" if number % 10 < 2 else shards(place)[0]
        whole = path.read_bytes()
        path.write_bytes(mutated(whole, chance))
        seen, error = read(place)
        assert seen == expected[: len(seen)]
        if error:
            refused += 1
            assert re.search(rf"{path}: .* at \d+", error)
        else:
            assert len(seen) == len(expected)
        path.write_bytes(whole)
    assert refused > count / 2


def test_a_hundred_changed_files_are_noticed(tmp_path: Path) -> None:
    mutants_are_noticed(tmp_path, 100, 1)


@pytest.mark.slow
def test_a_thousand_changed_files_are_noticed(tmp_path: Path) -> None:
    mutants_are_noticed(tmp_path, 1000, 2)


def test_a_changed_element_would_be_seen_without_checksums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above can fail: where nothing is verified, other elements come."""
    monkeypatch.setattr(block_files, "masked", lambda data: WRONG)
    monkeypatch.setattr(block_files, "_SUM", Unverified())
    with pytest.raises(AssertionError):
        mutants_are_noticed(tmp_path, 100, 1)


class Unverified:
    """Stands for the checksums of records, and finds every one right."""

    size = 4

    def unpack(self, data: object) -> tuple[object]:
        return (WRONG,)


class Equal:
    """Is equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


WRONG: Any = Equal()

# -- kill -9 --------------------------------------------------------------------------------

#: Writes rounds of elements, each the number of the round so many times, until it is killed.
WRITER = """
import sys, numpy as np, graphwright as tf
kind, folder, first = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(first, first + 1000):
    rows = np.full(100_000 + number % 1000, number)
    dataset = tf.data.Dataset.from_tensor_slices(rows)
    if kind == "save":
        dataset.save(folder)
    else:
        kept = dataset.snapshot(folder)
        if kind == "cache":
            kept = dataset.cache(f"{folder}/{number}")
        for _ in kept.batch(5000):
            pass
    print(number, flush=True)
"""

#: Has each block be whole at once, before those behind it are written.
FAULT = """
from graphwright.data.storage import stores
plain = stores.Run.write_block
def early(run, number, block):
    plain(run, number, block)
    waiting, lock = run.waiting, run.lock
    run.waiting, run.lock = {}, stores.LockFile(run.folder / "other")
    run.finish()
    run.waiting, run.lock = waiting, lock
stores.Run.write_block = early
"""


def whole_rounds(folder: Path, kind: str) -> list[list[int]]:
    """The elements of all that is whole."""
    manifests = folder.glob("manifest" if kind == "save" else "*/manifest")
    rounds = [D.load(str(path.parent)).batch(5000).as_numpy_iterator() for path in manifests]
    return [np.concatenate(list(batches)).tolist() for batches in rounds]


def killed_writers_leave_whole_runs(
    folder: Path, kind: str, count: int, seed: int, fault: str = ""
) -> int:
    """Kills writers at random moments, before their first round or later; how many were whole."""
    chance, whole = random.Random(seed), 0
    for number in range(count):
        command = [sys.executable, "-c", fault + WRITER, kind, str(folder), str(number * 1000)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            if number % 4:
                writer.stdout.readline()
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(chance.uniform(0.001, 0.1))
            writer.kill()
        for elements in whole_rounds(folder, kind):
            whole += 1
            assert set(elements) == {elements[0]}
            assert len(elements) == 100_000 + elements[0] % 1000
        if kind != "save":
            shutil.rmtree(folder)
            folder.mkdir()
    return whole


@pytest.mark.parametrize("kind", ["cache", "snapshot", "save"])
def test_killed_writers_leave_what_is_whole_or_nothing(kind: str, tmp_path: Path) -> None:
    assert killed_writers_leave_whole_runs(tmp_path, kind, 2, 3)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("cache", 33), ("snapshot", 33), ("save", 34)])
def test_a_hundred_killed_writers(kind: str, count: int, tmp_path: Path) -> None:
    assert killed_writers_leave_whole_runs(tmp_path, kind, count, 4) > count / 2


@pytest.mark.slow
def test_a_run_that_is_whole_too_early_would_be_seen(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        killed_writers_leave_whole_runs(tmp_path, "save", 40, 5, FAULT)
