"""Paths that fsspec reaches stand wherever a file name does, with TensorFlow's errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from corpora.gfile import outcomes

import graphwright as tf
from graphwright.base.file_paths import RemotePath, file_path

fsspec = pytest.importorskip("fsspec")
MemoryFileSystem: Any = pytest.importorskip("fsspec.implementations.memory").MemoryFileSystem

D = tf.data.Dataset
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "gfile.json").read_text())

#: Steps that differ, as a folder is there wherever a file's name says it.
IN_MEMORY = {
    "6 write(d + '/no/such/x.txt', 'x')",
    "30 g.mkdir(d + '/x/y')",
    "43 sorted(g.listdir(d))",
    "46 sorted(g.glob(d + '/*'))",
    "56 sorted((a, sorted(b), sorted(c)) for a, b, c in g.walk(d))",
}

#: Makes files of texts; returns what stands before their names in paths, and what behind.
Maker = Callable[[dict[str, bytes]], tuple[str, str]]


@pytest.fixture(autouse=True)
def memory() -> Any:
    """The files in memory: none."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    return system


@pytest.fixture(params=["file", "memory", "zip", "zip in memory"])
def maker(request: pytest.FixtureRequest, tmp_path: Path, memory: Any) -> Maker:
    """Makes files in a file system."""

    def make(files: dict[str, bytes]) -> tuple[str, str]:
        if request.param == "memory":
            for name, content in files.items():
                memory.pipe_file(f"/d/{name}", content)
            return "memory://d/", ""
        if request.param == "file":
            for name, content in files.items():
                (tmp_path / name).write_bytes(content)
            return f"file://{tmp_path}/", ""
        archive = tmp_path / "d.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            for name, content in files.items():
                file.writestr(name, content)
        if request.param == "zip":
            return "zip://", f"::{archive}"
        memory.pipe_file("/d.zip", archive.read_bytes())
        return "zip://", "::memory://d.zip"

    return make


def records(folder: Path, texts: list[bytes]) -> bytes:
    """A TFRecord file as bytes."""
    with tf.io.TFRecordWriter(str(folder / "records")) as writer:
        for text in texts:
            writer.write(text)
    return (folder / "records").read_bytes()


def elements(dataset: Any) -> list[Any]:
    return list(dataset.as_numpy_iterator())


# -- reading --------------------------------------------------------------------------------


def test_datasets_read_them(maker: Maker, tmp_path: Path) -> None:
    texts = [b"%d" % number * 1000 for number in range(100)]
    before, behind = maker({
        "a.txt": b"one\ntwo\n", "b.txt": b"three", "t": records(tmp_path, texts),
        "f": b"abcdef", "c.csv": b"n,m\n1,2.5\n3,4.5\n",
    })  # fmt: skip

    def at(name: str) -> str:
        return before + name + behind

    assert elements(tf.data.TextLineDataset([at("a.txt"), at("b.txt")])) == [
        b"one", b"two", b"three",
    ]  # fmt: skip
    assert elements(tf.data.TFRecordDataset(at("t"))) == texts
    twice = tf.data.TFRecordDataset([at("t"), at("t")], num_parallel_reads=2)
    assert elements(twice) == [text for text in texts for _ in range(2)]
    assert elements(tf.data.FixedLengthRecordDataset(at("f"), 2, 2)) == [b"cd", b"ef"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="6 bytes"):
        elements(tf.data.FixedLengthRecordDataset(at("f"), 4))
    table = tf.data.experimental.CsvDataset(at("c.csv"), [tf.int32, tf.float32], header=True)
    assert elements(table) == [(1, 2.5), (3, 4.5)]
    batches = tf.data.experimental.make_csv_dataset(
        before + "*.csv" + behind, 2, num_epochs=1, shuffle=False
    )
    assert elements(batches)[0]["n"].tolist() == [1, 3]
    assert tf.io.read_file(at("b.txt")).numpy() == b"three"
    assert list(tf.compat.v1.io.tf_record_iterator(at("t"))) == texts


def test_names_are_listed_as_the_program_writes_them(maker: Maker) -> None:
    before, behind = maker({"b.txt": b"", "a.txt": b"", "c.csv": b""})
    names = [before + name + behind for name in ("a.txt", "b.txt")]
    pattern = before + "*.txt" + behind
    assert sorted(tf.io.gfile.glob(pattern)) == names
    assert [os.fsdecode(name) for name in tf.io.matching_files(pattern).numpy()] == names
    listed = elements(D.list_files(pattern, shuffle=False))
    assert [os.fsdecode(name) for name in listed] == names
    assert tf.io.read_file(listed[0]).numpy() == b""
    assert tf.io.gfile.glob(before + "none*" + behind) == []
    folder = before.rstrip("/") + behind if "zip" not in before else before + behind
    assert sorted(tf.io.gfile.listdir(folder)) == ["a.txt", "b.txt", "c.csv"]
    ((path, folders, files),) = tf.io.gfile.walk(folder)
    assert (path, folders, sorted(files)) == (folder, [], ["a.txt", "b.txt", "c.csv"])


def test_what_is_missing_is_tensorflows_error(maker: Maker) -> None:
    before, behind = maker({"a.txt": b"12"})
    none = before + "none" + behind
    for attempt in (
        lambda: tf.io.read_file(none),
        lambda: tf.io.gfile.stat(none),
        lambda: tf.io.gfile.GFile(none).read(),
        lambda: elements(tf.data.TextLineDataset(none)),
        lambda: elements(tf.data.TFRecordDataset(none)),
        lambda: tf.io.gfile.listdir(none),
    ):
        with pytest.raises(tf.errors.NotFoundError, match="none"):
            attempt()
    assert not tf.io.gfile.exists(none)
    assert not tf.io.gfile.isdir(none)
    assert tf.io.gfile.exists(before + "a.txt" + behind)
    assert tf.io.gfile.stat(before + "a.txt" + behind).length == 2


def test_an_iterator_goes_on_where_it_was_saved(maker: Maker, tmp_path: Path) -> None:
    texts = [b"%d" % number * 3000 for number in range(300)]
    before, behind = maker({"t": records(tmp_path, texts)})
    iterator = iter(tf.data.TFRecordDataset(before + "t" + behind))
    for _ in range(200):
        next(iterator)
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    path = checkpoint.save(str(tmp_path / "place"))
    next(iterator)
    checkpoint.restore(path)
    assert [element.numpy() for element in iterator] == texts[200:]


def test_an_archive_that_is_missing_or_broken(tmp_path: Path) -> None:
    (tmp_path / "broken.zip").write_bytes(b"no archive")
    for name, kind in (("none", tf.errors.NotFoundError), ("broken", tf.errors.UnknownError)):
        path = f"zip://a.txt::{tmp_path}/{name}.zip"
        with pytest.raises(kind, match=name):
            tf.io.read_file(path)
        with pytest.raises(kind, match=name):
            elements(tf.data.TextLineDataset(path))
    assert not tf.io.gfile.exists(f"zip://a.txt::{tmp_path}/none.zip")


def test_each_reader_has_its_own_place() -> None:
    tf.io.write_file("memory://a.txt", "one\ntwo\n")
    one, two = (tf.io.gfile.GFile("memory://a.txt") for _ in range(2))
    assert [one.readline(), two.readline(), one.readline()] == ["one\n", "one\n", "two\n"]


class HostedFiles(MemoryFileSystem):  # type: ignore[misc]  # it ships no types
    """Files whose paths leave out the host, as FTP's do."""

    protocol = "hosted"

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.removeprefix("hosted://host")))


def test_names_keep_their_host() -> None:
    fsspec.register_implementation("hosted", HostedFiles, clobber=True)
    tf.io.write_file("hosted://host/d/a.txt", "Hello")
    assert tf.io.gfile.glob("hosted://host/d/*") == ["hosted://host/d/a.txt"]
    assert tf.io.read_file("hosted://host/d/a.txt").numpy() == b"Hello"


# -- writing --------------------------------------------------------------------------------


def test_files_in_memory_do_as_those_of_the_machine() -> None:
    steps = outcomes(tf, "memory://root/d")
    differences = {step for step in steps if steps[step] != GOLDEN[step]}
    assert differences == IN_MEMORY


def test_what_is_written_is_read(memory: Any) -> None:
    tf.io.write_file("memory://new/a.txt", "Hello")
    assert memory.cat_file("/new/a.txt") == b"Hello"
    with tf.io.TFRecordWriter("memory://new/records") as writer:
        writer.write(b"one")
    assert elements(tf.data.TFRecordDataset("memory://new/records")) == [b"one"]
    tf.io.gfile.copy("memory://new/a.txt", "memory://b.txt")
    assert tf.io.gfile.GFile("memory://b.txt").read() == "Hello"


def test_files_are_copied_between_systems_and_not_moved(tmp_path: Path) -> None:
    tf.io.write_file("memory://a.txt", "Hello")
    with pytest.raises(tf.errors.UnimplementedError, match="copy it"):
        tf.io.gfile.rename("memory://a.txt", str(tmp_path / "a.txt"))
    tf.io.gfile.copy("memory://a.txt", str(tmp_path / "a.txt"))
    assert (tmp_path / "a.txt").read_text() == "Hello"
    with pytest.raises(tf.errors.UnimplementedError, match="copy it"):
        tf.io.gfile.rename(str(tmp_path / "a.txt"), "memory://b.txt")


def test_elements_stay_in_memory(memory: Any) -> None:
    calls: list[int] = []

    def square(x: Any) -> Any:
        calls.append(1)
        return x * x

    squares = [x * x for x in range(1000)]
    dataset = D.range(1000).map(lambda x: tf.py_function(square, [x], tf.int64))
    for stored in (dataset.cache("memory://cached"), dataset.snapshot("memory://snapshots")):
        calls.clear()
        assert [elements(stored) for _ in range(2)] == [squares, squares]
        assert len(calls) == 1000
    dataset.save("memory://saved", shard_func=lambda x: x % 3)
    loaded = D.load("memory://saved", reader_func=lambda shards: shards.flat_map(lambda x: x))
    assert sorted(elements(loaded)) == squares
    assert elements(D.load("memory://saved").take(4)) == [0, 1, 9, 4]


def test_who_loads_gets_a_whole_run(memory: Any) -> None:
    D.range(3).save("memory://saved")
    before = D.load("memory://saved")
    iterator = iter(D.range(10).cache("memory://saved/other"))
    next(iterator)
    del iterator
    assert "/saved/other/manifest" not in memory.store
    assert [name for name in memory.store if "other" in name] == []
    D.range(5).save("memory://saved")
    assert elements(before) == [0, 1, 2]
    assert elements(D.load("memory://saved")) == [0, 1, 2, 3, 4]
    with pytest.raises(tf.errors.NotFoundError, match="none"):
        D.load("memory://none")


def test_damage_is_seen(memory: Any) -> None:
    D.range(3).save("memory://saved")
    (shard,) = [name for name in memory.store if name.endswith("shard0")]
    content = memory.cat_file(shard)
    memory.pipe_file(shard, content[:-1] + b"\xff" if content[-1] != 255 else content[:-1])
    with pytest.raises(tf.errors.DataLossError, match="memory://saved/run"):
        elements(D.load("memory://saved"))


def test_where_nothing_appears_at_once_nothing_is_stored(tmp_path: Path) -> None:
    folder = f"zip://d::{tmp_path}/a.zip"
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr("a.txt", "Hello")
    for attempt in (
        lambda: D.range(3).save(folder),
        lambda: elements(D.range(3).cache(folder)),
        lambda: elements(D.range(3).snapshot(folder)),
    ):
        with pytest.raises(tf.errors.UnimplementedError):
            attempt()
    arguments = {"directory": str(tmp_path / "place"), "max_to_keep": 1}
    with pytest.raises(tf.errors.UnimplementedError, match="folder of the machine"):
        D.range(3).save("memory://saved", checkpoint_args=arguments)
    with pytest.raises(OSError, match="at once"):
        file_path("simplecache::memory://a").write(b"", durable=True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_the_child_of_a_fork_reads_for_itself(memory: Any, tmp_path: Path) -> None:
    D.range(200_000).save("memory://saved")
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as file:
        for name in memory.store:
            file.writestr(name.lstrip("/"), memory.cat_file(name))
    dataset = D.load(f"zip://saved::{tmp_path}/d.zip")
    iterator = iter(dataset.batch(1000))
    first = next(iterator)
    child = os.fork()
    if not child:
        try:
            is_right = [b.numpy()[0] for b in iterator] == list(range(1000, 200_000, 1000))
            os._exit(0 if is_right else 1)
        finally:
            os._exit(2)
    assert [b.numpy()[0] for b in iterator] == list(range(1000, 200_000, 1000))
    assert first.numpy()[0] == 0
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# -- what is imported -----------------------------------------------------------------------


def test_plain_paths_import_nothing(tmp_path: Path) -> None:
    program = (
        "import sys, graphwright as tf\n"
        "tf.io.write_file(sys.argv[1] + '/a', 'one')\n"
        "print(list(tf.data.TextLineDataset('file://' + sys.argv[1] + '/a').as_numpy_iterator()))\n"
        "tf.data.Dataset.range(3).save(sys.argv[1] + '/b')\n"
        "print(tf.io.gfile.glob('file://' + sys.argv[1] + '/a'), 'fsspec' in sys.modules)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert output == f"[b'one']\n['file://{tmp_path}/a'] False\n"


def test_without_the_package_an_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "fsspec"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    for attempt in (
        lambda: tf.io.read_file("memory://a"),
        lambda: tf.io.gfile.exists("memory://a"),
        lambda: tf.io.gfile.isdir("memory://a"),
        lambda: elements(tf.data.TextLineDataset("memory://a")),
    ):
        with pytest.raises(ModuleNotFoundError, match=r"pip install 'graphwright\[fsspec\]'"):
            attempt()


def test_a_scheme_that_nobody_knows() -> None:
    message = "File system scheme 'foo' not implemented"
    for attempt in (
        lambda: tf.io.read_file("foo://a/b"),
        lambda: tf.io.gfile.exists("foo://a/b"),
        lambda: tf.io.gfile.glob("foo://a/*"),
        lambda: tf.io.gfile.makedirs("foo://a/b"),
        lambda: tf.io.gfile.GFile("foo://a/b", "w").write("a"),
        lambda: elements(tf.data.TextLineDataset("foo://a/b")),
        lambda: tf.io.gfile.rmtree("foo://a/b"),
    ):
        with pytest.raises(tf.errors.UnimplementedError, match=message):
            attempt()
    assert not tf.io.gfile.isdir("foo://a/b")


def test_parts_of_paths() -> None:
    path = file_path("simplecache::zip://a/b.txt::memory://c.zip")
    assert isinstance(path, RemotePath)
    assert (path.before, path.scheme, path.place, path.rest) == (
        "simplecache::", "zip", "a/b.txt", "::memory://c.zip",
    )  # fmt: skip
    assert str(path / "c") == "simplecache::zip://a/b.txt/c::memory://c.zip"
    assert path.name == "b.txt"
    for plain in ("a://", "C:\\a", "a:b", "//a/b", "a/b::c", b"a\xff", "file:///a/b"):
        assert not file_path(plain).is_remote
