"""The cache of machine code: whole entries or none, from a safe directory only."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from graphwright.machine import compiler, targets
from graphwright.machine.disk_cache import DiskCache, disk_cache, header_of, key_of
from graphwright.machine.targets import Target, aimed_at


@pytest.fixture
def cache(tmp_path):
    return DiskCache(tmp_path / "code")


def test_what_was_put_is_got(cache):
    assert cache.get("a") is None
    cache.put("a", b"code")
    assert cache.get("a") == b"code"
    assert os.stat(cache.directory).st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damage", [b"", b"x", b"graphwright code 2\n" + b"0" * 40])
def test_a_damaged_entry_is_removed_with_a_note(cache, damage, caplog):
    cache.put("a", b"code")
    (path,) = cache.entries()
    path.write_bytes(damage)
    assert cache.get("a") is None
    assert not path.exists()
    assert "is damaged" in caplog.text


def test_an_entry_of_another_version_is_replaced_without_a_word(cache, caplog):
    cache.put("a", b"code")
    (path,) = cache.entries()
    path.write_bytes(b"graphwright code 1\n" + b"0" * 40)
    assert cache.get("a") is None
    cache.put("a", b"code")
    assert cache.get("a") == b"code"
    assert not caplog.text


def test_an_entry_under_another_name_is_damaged(cache):
    cache.put("a", b"code")
    (path,) = cache.entries()
    path.rename(path.with_name("b.code"))
    assert cache.get("b") is None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes as POSIX has them")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720, 0o702], ids=oct)
def test_a_directory_that_others_can_write_is_refused_with_a_note(cache, caplog, mode):
    cache.put("a", b"code")
    cache.directory.chmod(mode)
    assert cache.get("a") is None
    cache.put("b", b"code")
    assert cache.get("a") is None
    assert caplog.text.count("can be written by others") == 1
    cache.directory.chmod(0o700)
    assert cache.get("a") is None  # what others could have changed is gone
    cache.put("b", b"code")
    assert cache.get("b") == b"code"


def test_the_oldest_entries_go_first(tmp_path):
    cache = DiskCache(tmp_path / "code", limit=10_000)
    for i in range(20):
        cache.put(f"entry{i}", bytes(1500))
        os.utime(tmp_path / "code" / f"entry{i}.code", (i, i))
    cache.prune()
    assert cache.get("entry0") is None
    assert cache.get("entry19") is not None
    assert sum(p.stat().st_size for p in cache.entries()) <= 10_000


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners as POSIX has them")
def test_a_directory_of_somebody_else_is_refused(cache, caplog, monkeypatch):
    cache.put("a", b"code")
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    assert cache.get("a") is None
    assert "belongs to another user" in caplog.text


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners as POSIX has them")
def test_an_entry_of_somebody_else_in_an_own_directory_is_removed(cache, caplog, monkeypatch):
    cache.put("a", b"code")
    look = os.fstat

    def foreign(descriptor):
        status = list(look(descriptor))
        status[stat.ST_UID] += 1
        return os.stat_result(status)

    monkeypatch.setattr(os, "fstat", foreign)
    assert cache.get("a") is None
    assert not list(cache.entries())
    assert "belongs to another user; it is removed" in caplog.text


def planted(path):
    """An entry as another user could write it, who has no secret."""
    path.parent.mkdir(mode=0o777, exist_ok=True)
    path.write_bytes(header_of(path.stem, b"evil", b"guess") + b"evil")
    path.chmod(0o600)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes as POSIX has them")
@pytest.mark.parametrize("looked", [False, True])
def test_what_was_planted_while_all_could_write_is_not_read(cache, looked, caplog):
    planted(cache.directory / "a.code")
    cache.directory.chmod(0o777)
    if looked:
        assert cache.get("a") is None
        assert not list(cache.entries())
        assert f"chmod 700 {cache.directory}" in caplog.text
        planted(cache.directory / "a.code")
    cache.directory.chmod(0o700)
    assert cache.get("a") is None
    assert not list(cache.entries())
    assert "was not written here" in caplog.text


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes as POSIX has them")
@pytest.mark.parametrize("name", ["secret", "a.code"])
@pytest.mark.parametrize("mode", [0o666, 0o620], ids=oct)
def test_a_file_that_others_can_write_is_not_read(cache, name, mode):
    cache.put("a", b"code")
    assert (cache.directory / name).stat().st_mode & 0o777 == 0o600
    (cache.directory / name).chmod(mode)
    assert cache.get("a") is None
    cache.put("a", b"code")
    assert cache.get("a") == b"code"


def test_an_entry_that_is_no_file_or_too_large_is_removed(cache, tmp_path, caplog):
    cache.put("a", b"code")
    (path,) = cache.entries()
    with open(path, "ab") as file:
        file.truncate(3 << 30)  # takes no place on the disk
    assert cache.get("a") is None
    assert "more than any entry" in caplog.text
    if hasattr(os, "mkfifo"):
        os.mkfifo(cache.directory / "b.code")
        assert cache.get("b") is None
    (cache.directory / "c.code").mkdir()
    assert cache.get("c") is None
    (cache.directory / "d.code").symlink_to(tmp_path / "elsewhere")
    assert cache.get("d") is None


@pytest.mark.parametrize("place", ["x" * 300, "file", "file/code"])
def test_a_directory_that_cannot_be_gives_a_warning(place, tmp_path, caplog):
    (tmp_path / "file").write_bytes(b"")
    cache = DiskCache(tmp_path / place)
    cache.put("a", b"code")
    assert cache.get("a") is None
    assert "the cache of machine code" in caplog.text


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use stays")
def test_a_working_directory_that_is_gone_gives_a_warning(tmp_path, monkeypatch, caplog):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setenv("GRAPHWRIGHT_CACHE_DIR", "code")
    assert disk_cache.__wrapped__() is None
    assert "an absolute path" in caplog.text


def test_a_link_to_a_directory_is_refused(cache, tmp_path, caplog):
    cache.put("a", b"code")
    (tmp_path / "link").symlink_to(cache.directory, target_is_directory=True)
    assert DiskCache(tmp_path / "link").get("a") is None
    assert "is no directory" in caplog.text


TARGET = Target("x86_64-linux-gnu", "haswell", frozenset({"+avx2", "+fma"}))
OTHERS = [
    TARGET._replace(triple="aarch64-linux-gnu"),
    TARGET._replace(processor="skylake"),
    TARGET._replace(features=TARGET.features | {"+avx512f"}),
    TARGET._replace(features=frozenset({"+avx2", "-fma"})),
]


@pytest.mark.parametrize("other", OTHERS, ids=lambda t: "-".join([*t[:2], *sorted(t.features)]))
def test_code_for_another_processor_has_another_key(other):
    keys = []
    for target in (TARGET, other, TARGET):
        with aimed_at(target):
            keys.append(key_of("text", *compiler.circumstances()))
    assert keys[0] == keys[2] != keys[1]


@pytest.mark.parametrize("part", ["version", "sys.version", "np.__version__"])
def test_code_of_another_version_has_another_key(part, monkeypatch):
    before = compiler.circumstances()
    if part == "version":
        result = targets.description()._replace(version="0.0.0")
        monkeypatch.setattr(compiler, "description", lambda: result)
    else:
        module = sys if part.startswith("sys") else np
        monkeypatch.setattr(module, part.partition(".")[2], "0.0.0")
    assert key_of("text", *before) != key_of("text", *compiler.circumstances())


@pytest.mark.skipif(targets._circumstances() is None, reason="what a description depends on")
def test_a_description_is_of_the_features_that_numpy_finds(monkeypatch):
    result = dict(targets._multiarray_umath.__cpu_features__)
    before = targets._circumstances()
    feature = next(iter(result))
    changed = result | {feature: not result[feature]}
    monkeypatch.setattr(targets._multiarray_umath, "__cpu_features__", changed)
    assert key_of("a description", *before) != key_of("a description", *targets._circumstances())


def test_keys_tell_their_parts_apart():
    assert key_of("a", "b", "c") != key_of("a", "bc")


PROGRAM = textwrap.dedent(
    """
    import graphwright as tf
    from graphwright.machine import background, codegen

    made = []
    generate = codegen.generate
    codegen.generate = lambda text, quick: made.append(text) or generate(text, quick)
    f = tf.function(lambda x: tf.nn.softmax(x * 2.0), jit_compile=True)
    result = f(tf.constant([1.0, 2.0, 3.0])).numpy().tolist()
    background.wait()
    print(result, len(made))
    """
)


def run(directory):
    environment = {**os.environ, "GRAPHWRIGHT_CACHE_DIR": str(directory), "PYTHONPATH": "src"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    values, _, made = done.stdout.rpartition(" ")
    return values, int(made)


def test_a_second_process_compiles_nothing(tmp_path):
    first, made = run(tmp_path / "code")
    # The pool of threads, the keeper of large arrays, the program, and the boundary twice.
    assert made == 5
    second, made = run(tmp_path / "code")
    assert (first, made) == (second, 0)
    for path in (tmp_path / "code").iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    third, made = run(tmp_path / "code")
    assert (first, made) == (third, 5)


WRITER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from graphwright.machine.disk_cache import DiskCache

    cache = DiskCache(Path(sys.argv[1]))
    print("ready", flush=True)
    i = 0
    while True:
        cache.put(f"k{i % 7}", bytes([i % 256]) * 100_000)
        i += 1
    """
)


def killed(directory, times):
    for i in range(times):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(directory)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": "src"},
        ) as process:
            process.stdout.readline()
            time.sleep(0.005 + 0.001 * (i % 20))
            process.send_signal(signal.SIGKILL)
        cache = DiskCache(directory)
        for k in range(7):
            result = cache.get(f"k{k}")
            assert result is None or (len(result) == 100_000 and len(set(result)) == 1)
    assert not cache._noted
    cache.prune()
    assert not list(directory.glob(".*"))


def test_a_writer_that_is_killed_leaves_whole_entries(tmp_path):
    killed(tmp_path / "code", 3)


@pytest.mark.slow
def test_many_writers_that_are_killed_leave_whole_entries(tmp_path):
    killed(tmp_path / "code", 200)


def test_a_directory_stays_where_it_is_however_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("~/code", "code", str(tmp_path / "code")):
        monkeypatch.setenv("GRAPHWRIGHT_CACHE_DIR", name)
        result = disk_cache.__wrapped__()
        assert result is not None
        assert result.directory == tmp_path / "code"
