"""Code that is made quickly at first: who calls it is led to the better one."""

from __future__ import annotations

import ctypes
import gc
import threading
import weakref

import pytest

from graphwright.machine import background, codegen, compiler, drafts
from graphwright.machine.background import Worker
from graphwright.machine.disk_cache import DiskCache
from graphwright.machine.linking import Library, c_function

TEXT = "define i64 @answer(i64 %x) {\n  %y = add i64 %x, 42\n  ret i64 %y\n}\n"


@pytest.fixture
def worker(monkeypatch):
    made = Worker()
    monkeypatch.setattr(background, "_WORKER", made)
    yield made
    made.stop()


class Job:
    def __init__(self, function):
        self.function = function

    def do(self):
        """What is submitted."""
        self.function()


def held(worker):
    """A job that keeps the worker busy until it is let go."""
    began, go = threading.Event(), threading.Event()
    job = Job(lambda: began.set() or go.wait(60))
    worker.submit(job.do)
    assert began.wait(60)
    return go, job


def library():
    return Library({"answer": 1}, lambda: None)


def test_callers_are_led_to_the_better_code_when_it_is_there(worker):
    go, _job = held(worker)
    quick, better, seen = library(), library(), []
    drafts.drafted(quick, lambda: better)
    drafts.follow(quick, seen.append)
    assert seen == []
    go.set()
    assert worker.wait(60)
    assert seen == [better]
    drafts.follow(quick, seen.append)  # one that comes late
    assert seen == [better, better]


def test_who_calls_other_code_stays_there():
    seen = []
    drafts.follow(library(), seen.append)
    assert seen == []


def test_better_code_lives_as_long_as_the_quick_one(worker):
    quick = library()
    better = [library()]
    alive = weakref.ref(better[0])
    drafts.drafted(quick, better.pop)
    assert worker.wait(60)
    gc.collect()
    assert alive() is not None
    del quick
    gc.collect()
    assert alive() is None


def test_nothing_is_made_for_quick_code_that_is_gone(worker):
    go, _job = held(worker)
    made = []
    quick = library()
    drafts.drafted(quick, lambda: made.append(1) or library())
    del quick
    gc.collect()
    go.set()
    assert worker.wait(60)
    assert made == []


def test_what_somebody_waits_for_comes_before_better_code(worker):
    go, _job = held(worker)
    order = []
    jobs = [Job(lambda: order.append("better")), Job(lambda: order.append("first"))]
    worker.submit(jobs[0].do, is_urgent=False)
    worker.submit(jobs[1].do)
    assert not worker.wait_for(lambda: False, 0)
    go.set()
    assert worker.wait_for(lambda: False, 60)
    assert order[0] == "first"
    assert worker.wait(60)
    assert order == ["first", "better"]


def test_a_process_that_begins_makes_no_better_code_at_once(worker, monkeypatch):
    monkeypatch.setattr(background, "PATIENCE", 1e6)
    better = Job((made := threading.Event()).set)
    worker.submit(better.do, is_urgent=False)
    assert not made.wait(0.1)
    assert worker.wait(60)
    assert made.is_set()


@pytest.mark.parametrize("patience", [0.01, 1e6])
def test_better_code_is_made_a_while_later_or_when_somebody_waits(worker, monkeypatch, patience):
    monkeypatch.setattr(background, "PATIENCE", patience)
    urgent, made = Job(lambda: None), threading.Event()
    better = Job(made.set)
    worker.submit(urgent.do)
    assert worker.wait_for(lambda: False, 60)
    worker.submit(better.do, is_urgent=False)
    if patience < 1:
        assert made.wait(60)
    else:
        assert not made.wait(0.05)
        assert worker.wait(60)
        assert made.is_set()


def test_both_kinds_of_code_go_to_the_disk_and_the_better_one_is_taken(tmp_path, monkeypatch):
    cache = DiskCache(tmp_path / "code")
    monkeypatch.setattr(compiler, "disk_cache", lambda: cache)
    levels = []
    generate = codegen.generate

    def noted(text, is_quick=False):
        levels.append(is_quick)
        return generate(text, is_quick)

    monkeypatch.setattr(codegen, "generate", noted)
    assert compiler.quick_link(TEXT, c_function)[1]
    assert compiler.quick_link(TEXT, c_function)[1]
    compiler.compiled(TEXT, is_quick=True)
    assert levels == [True]
    compiler.link(TEXT, c_function)
    compiler.link(TEXT, c_function)
    assert levels == [True, False]
    assert not compiler.quick_link(TEXT, c_function)[1]
    assert levels == [True, False]


def test_lasting_functions_are_those_of_a_draft_and_then_of_better_code(
    tmp_path, monkeypatch, worker
):
    cache = DiskCache(tmp_path / "code")
    monkeypatch.setattr(compiler, "disk_cache", lambda: cache)
    go, _job = held(worker)
    used = []
    drafts.lasting(TEXT, used.append)
    assert len(used) == 1
    go.set()
    assert worker.wait(60)
    quick, better = used
    assert quick.addresses["answer"] != better.addresses["answer"]
    for each in used:
        assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(each.addresses["answer"])(8) == 50
    drafts.lasting(TEXT, used.append)  # the better code is on the disk
    assert worker.wait(60)
    assert len(used) == 3
