"""The thread that compiles: what becomes of jobs that fail, and what it leaves behind."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from support.forking import in_child

import graphwright as tf
from graphwright.compile.run.tiers import native_runner
from graphwright.machine import background, codegen
from graphwright.machine.background import Worker

pytestmark = pytest.mark.usefixtures("native_kernels")


class Job:
    def __init__(self, function):
        self.function = function

    def run(self):
        """What is submitted."""
        self.function()


@pytest.fixture
def worker(monkeypatch):
    made = Worker()
    monkeypatch.setattr(background, "_WORKER", made)
    yield made
    made.stop()


def fails_with(error):
    def job():
        raise error

    return Job(job)


@pytest.mark.parametrize("error", [ValueError, SystemExit, KeyboardInterrupt, GeneratorExit])
def test_a_job_that_fails_keeps_nobody_waiting(worker, error, caplog):
    done = []
    jobs = [fails_with(error("no")), Job(lambda: done.append(sys.getswitchinterval()))]
    usual = sys.getswitchinterval()
    assert all(background.submit(job.run) for job in jobs)
    assert background.wait(60)
    assert worker.pending == 0
    assert worker.thread.is_alive()
    assert done[0] == pytest.approx(1e-3)
    assert sys.getswitchinterval() == usual
    assert "could not be compiled" in caplog.text


def test_a_thread_that_cannot_be_started_leaves_the_worker_as_it_was(worker, monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    done = []
    job = Job(lambda: done.append(1))
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        assert not worker.submit(job.run)
    assert worker.wait(0)
    assert worker.submit(job.run)
    assert worker.wait(60)
    assert done == [1]


def test_a_worker_that_has_stopped_takes_no_jobs(worker):
    job = Job(lambda: None)
    worker.stop()
    assert not worker.submit(job.run)
    assert worker.wait(0)


@pytest.mark.parametrize("native", ["lowering", "machine code"])
def test_a_job_ends_between_its_parts_where_the_process_ends(worker, caplog, monkeypatch, native):
    """Each part is one that the engine would be long at: it is not begun."""
    monkeypatch.setenv("GRAPHWRIGHT_CACHE_DIR", "off")
    began, go, done = threading.Event(), threading.Event(), []

    def part():
        if native == "lowering":
            native_runner(tf.function(lambda x: x * 3 + 1).get_concrete_function(tf.ones(3)).graph)
        else:
            codegen.generate("define void @f() {\n  ret void\n}\n")

    def job():
        began.set()
        go.wait()
        part()
        done.append(1)

    kept = Job(job)
    worker.submit(kept.run)
    assert began.wait(60)
    worker.stopped = True
    go.set()
    assert worker.wait(60)
    assert done == []
    assert caplog.text == ""
    part()  # another thread goes on


def test_a_job_whose_object_is_gone_is_left_out(worker):
    go, done = threading.Event(), []
    first, second = Job(go.wait), Job(lambda: done.append(1))
    worker.submit(first.run)
    worker.submit(second.run)
    del second
    go.set()
    assert worker.wait(60)
    assert done == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_takes_turns_as_long_as_its_parent_did_before_it_compiled(worker):
    usual, began, go = sys.getswitchinterval(), threading.Event(), threading.Event()
    job = Job(lambda: began.set() or go.wait())
    worker.submit(job.run)
    assert began.wait(60)
    try:
        assert in_child(lambda: sys.getswitchinterval() == usual)
    finally:
        go.set()
        assert worker.wait(60)
    assert sys.getswitchinterval() == usual
