"""The thread that compiles: what becomes of jobs that fail, and what it leaves behind."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from support.forking import in_child

from graphwright.machine import background
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
