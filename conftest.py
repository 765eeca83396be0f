"""What every test and every doctest finds: `tf` and `np` in docstrings, steady hypothesis runs."""

from __future__ import annotations

import faulthandler
import gc
import importlib.util
import itertools
import os
import signal
import sys
import time
from collections.abc import Generator
from typing import Any

# Each of two processes has a core: threads of BLAS that wait for each other would take turns with
# those of the other process, which costs small products tens of times what they take.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Machine code is made anew: what an earlier run left on the disk proves nothing.
os.environ["GRAPHWRIGHT_CACHE_DIR"] = "off"

# Processes that tests start find the package compiled by one of them, as users' do. The next run
# finds the tests compiled.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

import numpy as np
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings
from support.process_state import left_behind, state

import graphwright
from graphwright.compile.run.mishaps import Mishaps
from graphwright.compile.run.options import OPTIONS
from graphwright.machine.preparation import Waiting
from graphwright.ops.random.seeds import Seeding, SeedSource

# They run where TensorFlow is, or Keras.
collect_ignore_glob = [
    "tools/record_*",
    "tools/run_exported.py",
    "tools/golden/*",
    "tests/library/presence/keras_models.py",
    "tests/corpora/keras_*.py",
    "tests/explain/keras_retraces.py",
]
# An import of it puts another module in its place, which pytest would undo.
collect_ignore_glob.append("src/graphwright/compat/__init__.py")
# Their examples need the extra `onnx`.
if importlib.util.find_spec("onnx") is None:
    collect_ignore_glob += [
        "src/graphwright/portable/onnx/onnx_models.py",
        "tests/support/onnx_cases.py",
    ]
# What it runs needs JAX.
if importlib.util.find_spec("jax") is None:
    collect_ignore_glob.append("tests/support/hlo_runs.py")

# A busy machine must not fail a property; the default run tries the same examples each time.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")

# What the engine stumbles over is an error here: kernels would hide it.
Mishaps.are_raised = True

#: How many seconds a test may take that is not `slow`; 0: as long as it likes.
TEST_SECONDS = float(os.environ.get("GRAPHWRIGHT_TEST_SECONDS", "120"))
_STDERR = pytest.StashKey[int]()  # the real one: while a test runs, a file is in its place


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_STDERR] = os.dup(2)
    # Shells have what they start in the background ignore it, and so would what tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure(config: pytest.Config) -> None:
    os.close(config.stash[_STDERR])


class Alarm:
    """What ends the process when a test hangs, and shows where each thread was.

    To set it costs more than most tests take. So tests that follow one another share one setting,
    as long as three quarters of the time are left to each.
    """

    #: When it was set; None while it is not.
    set_at: float | None = None

    @classmethod
    def before(cls, item: pytest.Item) -> None:
        """Leaves a test enough time: all that it wants if it is `slow`."""
        if not TEST_SECONDS or item.get_closest_marker("slow") is not None:
            cls.cancel()
        elif cls.set_at is None or time.monotonic() - cls.set_at > TEST_SECONDS / 4:
            stderr = item.config.stash[_STDERR]
            faulthandler.dump_traceback_later(TEST_SECONDS, exit=True, file=stderr)
            cls.set_at = time.monotonic()

    @classmethod
    def cancel(cls) -> None:
        """Leaves all time to what comes."""
        if cls.set_at is not None:
            faulthandler.cancel_dump_traceback_later()
            cls.set_at = None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Runs a test as pytest does, but reports a setup or teardown only if it failed or took long.

    Nobody reads the others, and each is a message from one process to another.
    """
    Alarm.before(item)
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > 0.1:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_sessionfinish() -> None:
    Alarm.cancel()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Behind the last test of a file, what is alive stays: modules, caches, compiled code.

    The collector need not look at it in every later test. All of it takes a second.
    """
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()


@pytest.fixture
def native_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Native kernels are waited for: what is tested is them, not what stands in for them."""
    monkeypatch.setattr(Waiting, "always", True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Tests stay to the end: the collector of cycles need not look at a million objects of them,
    neither while there are more and more nor whenever it runs from then on.

    pytest looks at each name of a module, and the first look at `tf.keras` changes the process.
    """
    names = [name for name in dir(graphwright) if name != "keras"]
    gc.disable()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(graphwright, "__dir__", lambda: names)
            return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture(autouse=True)
def _as_it_was() -> Generator[None, None, None]:
    """A test has the seeds of a fresh process, and leaves the process as it found it.

    It begins before other fixtures of tests, which come after it in the alphabet, and so ends
    after them. There is one of these: each more costs all tests together two seconds.
    """
    seeds = Seeding.outside, Seeding.epoch
    Seeding.outside, Seeding.epoch = SeedSource(None, itertools.count()), object()
    before = state()
    yield
    Seeding.outside, Seeding.epoch = seeds
    found = left_behind(before)
    if found:
        pytest.fail("the test left behind " + "; ".join(found), pytrace=False)


@pytest.fixture
def usual_tiers(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what a certain tier does: traces run, and code is made, as they are by default.

    That is so here and in processes that the test starts, also where GRAPHWRIGHT_NATIVE gives the
    whole suite a mode. A fixture that wants something else from it asks for this one first.
    """
    monkeypatch.delenv("GRAPHWRIGHT_NATIVE", raising=False)
    monkeypatch.delitem(OPTIONS, "native", raising=False)
    monkeypatch.setattr(Waiting, "always", False)


@pytest.fixture
def unchecked(request: pytest.FixtureRequest) -> None:
    """For tests in which threads change one variable: the mode `check` runs each call twice, and
    compares what another thread may have changed between the two."""
    if OPTIONS.get("native") == "check":
        request.getfixturevalue("usual_tiers")


@pytest.fixture(autouse=True, scope="session")
def _doctest_names(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace["tf"] = graphwright
    doctest_namespace["np"] = np
