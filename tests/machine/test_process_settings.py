"""What is changed of the process: when, for how long, and not where the environment forbids it."""

from __future__ import annotations

import gc
import json
import os
import platform
import random
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import FrameType
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from threadpoolctl import ThreadpoolController

import graphwright as tf
from graphwright.machine import background, process_settings, threads
from graphwright.machine.process_settings import (
    BLAS,
    SETTINGS,
    VARIABLE,
    Hold,
    OneThread,
    Turns,
    quick_turns,
    rarely_collected,
    uncollected,
)

ROOT = Path(__file__).parents[2]
#: What `sys.settrace` calls for each line.
TraceFunction: TypeAlias = "Callable[[FrameType, str, object], TraceFunction]"
on_glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of glibc")


def output_of(program: str, **settings: str) -> str:
    """What a program in a process of its own prints, without settings of this one's."""
    ours = (VARIABLE, "GRAPHWRIGHT_NATIVE", "OPENBLAS_NUM_THREADS")
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ours and not name.startswith("MALLOC_")
    }
    paths = os.pathsep.join(p for p in sys.path if p)
    return subprocess.run(
        [sys.executable, "-c", program],
        env=environment | {"PYTHONPATH": paths} | settings,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


# -- before it is needed, and never ----------------------------------------------------------

#: Notes what a program changes. What is in place of a function of the system notes its calls.
WATCHING = """
import ctypes, gc, json, sys, threading, warnings
import numpy as np
from numpy._core import _multiarray_umath
from threadpoolctl import ThreadpoolController

changes = []

def noting(owner, name):
    function = getattr(owner, name)
    def noted(*arguments):
        changes.append(name)
        return function(*arguments)
    setattr(owner, name, noted)

class Library(ctypes.CDLL):
    def __getattr__(self, name):
        if name == "mallopt":
            changes.append(name)
        return super().__getattr__(name)

ctypes.CDLL = Library
noting(sys, "setswitchinterval")
for name in WATCHED_OF_GC:
    noting(gc, name)

def state():
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get(_multiarray_umath._ARRAY_API, None)
    handler = ctypes.PYFUNCTYPE(ctypes.py_object)(
        ctypes.c_void_p.from_address(table + 8 * 305).value
    )
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    return {
        "collector": [gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()],
        "warnings": list(map(str, warnings.filters)),
        "turns": sys.getswitchinterval(),
        "allocator": id(handler()),
        "threads of BLAS": [library.num_threads for library in libraries],
        "floating point": np.geterr(),
        "hooks": list(map(str, [sys.getprofile(), sys.gettrace(), sys.excepthook])),
        "threads": threading.active_count(),
    }

before = state()
import graphwright as tf
x = tf.constant([1.0, 2.0]) * 3.0
"""

#: Everything for which something is changed.
WORKING = """
import os, warnings
from graphwright.machine import background
from graphwright.machine.preparation import Preparation
from graphwright.machine.process_settings import ThreadBound

during = []
made = Preparation(lambda: during.append([len(ThreadBound.holds), sys.getswitchinterval()]))
made.is_ready()
background.wait()

@tf.function(jit_compile=True)
def line(x):
    return x * 2.0 + 1.0

@tf.function
def retraced(x):
    return x

for size in (1 << 23, 5):
    line(tf.ones([size]))
with warnings.catch_warnings(record=True) as caught:
    for i in range(8):
        retraced(i)
background.wait()
"""
REPORT = """
print(json.dumps([before, state(), changes]))
"""


def watched(*collector: str) -> str:
    return WATCHING.replace("WATCHED_OF_GC", repr(collector))


def test_the_import_and_an_eager_op_change_nothing() -> None:
    before, after, changes = json.loads(output_of(watched() + REPORT))
    assert after == before
    assert changes == []


def test_the_import_leaves_frozen_objects_frozen() -> None:
    program = "import gc; gc.freeze(); n = gc.get_freeze_count(); import graphwright; "
    assert output_of(program + "print(n > 0, gc.get_freeze_count() > 0.9 * n)") == "True True\n"


def test_the_engine_changes_what_it_needs_and_puts_it_back() -> None:
    """So the next test would see it."""
    program = watched("disable", "enable", "freeze") + WORKING
    program += "\nassert during[0][0] == 1 and during[0][1] < 0.0011, during\n"
    before, after, changes = json.loads(output_of(program + REPORT))
    expected = {"setswitchinterval", "disable", "enable", "freeze"}
    assert set(changes) - {"mallopt"} == expected
    assert ("mallopt" in changes) is (platform.libc_ver()[0] == "glibc")
    for name in ("collector", "turns", "allocator", "threads of BLAS"):
        assert after[name] == before[name]


@pytest.mark.parametrize("value", ["all", "malloc, allocator,turns,blas,collector,warnings"])
def test_what_the_environment_forbids_is_never_changed(value: str) -> None:
    program = watched("disable", "enable", "freeze") + WORKING
    program += "\nassert during == [[0, 0.005]], during\n"
    program += "from graphwright.machine import large_arrays\n"
    program += "assert large_arrays.allocator() is None\n"
    before, after, changes = json.loads(output_of(program + REPORT, **{VARIABLE: value}))
    assert changes == []
    after["threads"] = before["threads"]  # the one that compiles
    assert after == before


def test_words_that_name_no_setting_are_ignored_with_a_note(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(VARIABLE, "blas,BLAS")
    process_settings._unchanged.cache_clear()
    assert [s.name for s in SETTINGS if not s.applies()] == ["blas"]
    names = ", ".join(s.name for s in SETTINGS)
    assert f"{VARIABLE}: BLAS is ignored: it may be {names}, all" in caplog.text
    assert len(caplog.records) == 1


def test_the_document_has_each_setting() -> None:
    page = (ROOT / "docs" / "engineering" / "machine_code.md").read_text()
    rows = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in page.splitlines()]
    for setting in SETTINGS:
        assert (f"`{setting.name}`", setting.change, setting.time, setting.gain) in rows


# -- memory ----------------------------------------------------------------------------------

FAULTS = """
import resource
import numpy as np
from graphwright.machine import process_settings
process_settings.keep_freed()
def step():
    arrays = [np.empty(1 << 20, np.float32) for _ in range(4)]
    for array in arrays:
        array[:] = 1
step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@on_glibc
def test_freed_memory_is_kept() -> None:
    def faults(**settings: str) -> int:
        """Page faults of ten steps that allocate 16 MiB each."""
        return int(output_of(FAULTS, NUMPY_MADVISE_HUGEPAGE="0", **settings))

    assert faults() < 1000
    assert faults(MALLOC_MMAP_THRESHOLD_="65536") > 10_000
    assert faults(**{VARIABLE: "malloc"}) > 10_000


# -- turns of threads ------------------------------------------------------------------------


def test_turns_are_as_long_as_before_where_the_block_is_left_by_an_exception():
    usual = sys.getswitchinterval()
    with pytest.raises(KeyError, match=r"0\.001"), quick_turns():
        raise KeyError(round(sys.getswitchinterval(), 6))
    assert sys.getswitchinterval() == usual


def test_a_length_of_turns_that_the_program_sets_meanwhile_stays():
    usual = sys.getswitchinterval()
    try:
        with quick_turns():
            sys.setswitchinterval(0.02)
        assert sys.getswitchinterval() == 0.02
    finally:
        sys.setswitchinterval(usual)
    assert Turns.usual is None


# -- threads of BLAS -------------------------------------------------------------------------


@pytest.fixture
def unbound() -> Iterator[None]:
    yield
    tf.config.threading.set_intra_op_parallelism_threads(0)


def blas_threads() -> list[int]:
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    return [library.num_threads for library in libraries]


@pytest.mark.usefixtures("unbound")
def test_settings_bound_every_thread() -> None:
    before = blas_threads()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    assert threads.available() == 1
    assert set(blas_threads()) == {1}
    tf.config.threading.set_intra_op_parallelism_threads(0)
    assert blas_threads() == before
    assert threads.available() == threads.cores()


@pytest.fixture
def two_threads(unbound: None) -> None:
    import scipy.linalg  # noqa: F401, which brings a BLAS of its own

    process_settings.bound(2)
    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        library.set_num_threads(2)


@pytest.mark.usefixtures("two_threads")
def test_a_hold_ends_in_whichever_thread_releases_it() -> None:
    """By itself threadpoolctl heeds only the thread that was the first to set a number."""
    hold = Hold()
    assert set(blas_threads()) == {1}
    thread = threading.Thread(target=hold.release)
    thread.start()
    thread.join()
    assert set(blas_threads()) == {2}


@pytest.mark.usefixtures("two_threads")
def test_no_hold_where_it_is_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, BLAS.name)
    hold = Hold()
    assert set(blas_threads()) == {2}
    hold.release()
    assert set(blas_threads()) == {2}


@pytest.mark.usefixtures("two_threads")
def test_blas_has_one_thread_until_the_last_block_ends() -> None:
    outer, inner = OneThread(), OneThread()
    with outer:
        assert set(blas_threads()) == {1}
        thread = threading.Thread(target=inner.__enter__)
        thread.start()
        thread.join()
    assert set(blas_threads()) == {1}
    inner.__exit__()
    assert set(blas_threads()) == {2}


@pytest.mark.usefixtures("two_threads")
def test_a_bound_in_a_block_of_one_thread_stands_behind_it() -> None:
    with OneThread():
        process_settings.bound(3)
        assert set(blas_threads()) == {1}
    assert set(blas_threads()) <= {2, 3}  # no more than BLAS was built for
    with OneThread():
        hold = Hold()
    assert set(blas_threads()) == {1}
    hold.release()
    assert set(blas_threads()) <= {2, 3}


@pytest.mark.usefixtures("two_threads")
def test_decompositions_of_some_sizes_have_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[int]] = []

    def noted(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        seen.append(set(blas_threads()))
        return x

    monkeypatch.setattr(np.linalg, "inv", noted)
    for rows in (4, 64, 900):
        tf.linalg.inv(tf.eye(rows))
    assert seen == [{2}, {1}, {2}]
    assert set(blas_threads()) == {2}


# -- the collector, and warnings -------------------------------------------------------------


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("collects", [False, True])
def test_the_collector_goes_on_as_before(fails: bool, collects: bool) -> None:
    frozen: list[object] = []  # not a count: what other threads drop meanwhile may be frozen, too
    gc.freeze()
    if not collects:
        gc.disable()
    try:
        with uncollected(ages=True):
            assert not gc.isenabled()
            if fails:
                raise KeyError
    except KeyError:
        assert fails
    finally:
        after = gc.isenabled()
        gc.enable()
    assert after is collects
    assert not any(each is frozen for each in gc.get_objects())


@pytest.fixture
def thresholds() -> Iterator[tuple[int, ...]]:
    """Those of the collector, as they are before and after a test."""
    background.wait(60)  # what is compiled for other tests changes them
    before = gc.get_threshold()
    yield before
    gc.set_threshold(*before)


@pytest.mark.parametrize("fails", [False, True])
def test_collections_are_as_frequent_as_before(thresholds: tuple[int, ...], fails: bool) -> None:
    try:
        with rarely_collected(), rarely_collected():
            assert gc.isenabled()
            assert gc.get_threshold()[0] > thresholds[0]
            if fails:
                raise KeyError
    except KeyError:
        assert fails
    assert gc.get_threshold() == thresholds


@pytest.mark.parametrize("block", [rarely_collected, quick_turns])
def test_blocks_of_several_threads_end_as_they_began(
    thresholds: tuple[int, ...], block: Callable[[], AbstractContextManager[None]]
) -> None:
    turns = sys.getswitchinterval()
    delays = random.Random(0)

    def worker() -> None:
        for _ in range(1000):
            with block():
                pass

    def with_delays(frame: FrameType, event: str, argument: object) -> TraceFunction:
        if delays.random() < 0.1:
            time.sleep(1e-5)  # before any line other threads may have their turns
        return with_delays

    threading.settrace(with_delays)
    try:
        others = [threading.Thread(target=worker) for _ in range(2)]
        for thread in others:
            thread.start()
        for thread in others:
            thread.join()
    finally:
        threading.settrace(None)  # type: ignore[arg-type]  # as its documentation says
        after = sys.getswitchinterval()
        sys.setswitchinterval(turns)
    assert (gc.get_threshold(), after) == (thresholds, turns)


@pytest.mark.parametrize("first", [0, 1_000_000])
def test_a_program_may_want_fewer_collections(thresholds: tuple[int, ...], first: int) -> None:
    gc.set_threshold(first, 7, 7)
    with rarely_collected():
        assert gc.get_threshold()[:2] == (first, 7)
    assert gc.get_threshold()[:2] == (first, 7)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without forks")
def test_a_child_collects_as_before(thresholds: tuple[int, ...]) -> None:
    with rarely_collected():
        child = os.fork()
        if not child:
            os._exit(gc.get_threshold() != thresholds)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert gc.get_threshold() != thresholds


@pytest.mark.usefixtures("thresholds")
def test_what_a_program_sets_while_it_is_traced_stands() -> None:
    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        gc.set_threshold(333, 7, 7)
        return x + 1.0

    f(tf.constant(1.0))
    assert gc.get_threshold()[:2] == (333, 7)


def test_a_trace_waits_for_more_objects(thresholds: tuple[int, ...]) -> None:
    during = []

    @tf.function(autograph=False)
    def f(x: tf.Tensor) -> tf.Tensor:
        during.append(gc.get_threshold()[0])
        return x + 1.0

    f(tf.constant(1.0))
    assert during[0] > thresholds[0]
    assert gc.get_threshold() == thresholds


def test_a_filter_of_the_program_has_precedence() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        process_settings.ignore_warnings_of(tf.explain.RetracingWarning)
        with pytest.raises(tf.explain.RetracingWarning):
            warnings.warn("again", tf.explain.RetracingWarning, stacklevel=1)


def test_what_no_filter_is_about_is_ignored() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        process_settings.ignore_warnings_of(tf.explain.RetracingWarning)
        warnings.warn("again", tf.explain.RetracingWarning, stacklevel=1)
    assert caught == []
