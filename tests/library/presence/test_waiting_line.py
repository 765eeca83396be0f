"""The line on a terminal while a program waits for a trace, for machine code or for a loop."""

from __future__ import annotations

import argparse
import io
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import graphwright as tf
from graphwright.base.waits import Waits, unseen
from graphwright.compile.run.loop_counts import LoopPatience
from graphwright.library.presence import running, waiting_line
from graphwright.library.presence.waiting_line import WaitingLine


class Terminal(io.StringIO):
    """A terminal that remembers what was written."""

    def __init__(self, encoding: str = "utf-8", is_terminal: bool = True) -> None:
        super().__init__()
        self.code = encoding
        self.is_terminal = is_terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.code

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """Nobody looks at waits before a test, and after it."""
    assert Waits.around is unseen
    yield
    Waits.around, Waits.loop = unseen, None


def slow_trace(shown: list[str]) -> None:
    """Traces a function whose trace ends when something was shown of it."""
    is_shown = threading.Event()

    def show(text: str) -> None:
        shown.append(text)
        is_shown.set()

    Waits.around = WaitingLine(show, 0.0).around

    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return x + 1

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        x = inner(x)
        assert is_shown.wait(60)
        return x

    assert int(outer(tf.constant(1))) == 2


@pytest.mark.usefixtures("usual_tiers")  # in `sanitize` a first call waits for machine code, too
def test_a_wait_is_shown_by_the_outermost_work_and_is_gone_after_it() -> None:
    shown: list[str] = []
    slow_trace(shown)
    assert shown[0] == "tracing outer  0 s"
    assert all(text.startswith("tracing outer") for text in shown[:-1])
    assert shown[-1] == ""
    assert not [t for t in threading.enumerate() if isinstance(t, threading.Timer)]


def test_machine_code_that_a_call_waits_for_is_work() -> None:
    works = []

    class Line(WaitingLine):
        def around(self, kind: str, name: str):  # type: ignore[no-untyped-def]
            works.append((kind, name))
            return unseen(kind, name)

    Waits.around = Line(lambda text: None).around
    tf.function(lambda x: x * 3.0 + 1.0, jit_compile=True)(tf.ones([3]))
    assert [kind for kind, _ in works] == ["tracing", "compiling"]


def test_other_threads_wait_unseen() -> None:
    shown: list[str] = []
    line = WaitingLine(shown.append, 0.0)

    def work() -> None:
        with line.around("compiling", "f"):
            pass

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert shown == []


def test_an_error_ends_the_line() -> None:
    shown: list[str] = []
    line = WaitingLine(shown.append, 60.0)
    with pytest.raises(KeyError), line.around("tracing", "f"):
        raise KeyError
    assert shown == []
    assert not line.is_waiting


@pytest.mark.parametrize(("encoding", "frames"), [("utf-8", "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"), ("ascii", "|/-\\")])
def test_a_terminal_has_one_line_as_wide_as_itself(
    encoding: str, frames: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    terminal = Terminal(encoding)
    show = waiting_line.on_terminal(terminal)
    show("compiling a_long_name  1 s")
    show("")
    first, last = terminal.getvalue().split("\r\x1b[2K")[1:]
    assert first[0] in frames
    assert first[1:] == " compiling a_long_"
    assert last == ""


@pytest.mark.parametrize("is_terminal", [True, False])
def test_the_command_shows_waits_on_terminals_alone(
    is_terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal(is_terminal=is_terminal)
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(running, "install_as_tensorflow", lambda: None)
    monkeypatch.setattr("sys.argv", [])
    monkeypatch.setattr("sys.path", [""])
    program = tmp_path / "program.py"
    program.write_text("pass")
    assert running.run(argparse.Namespace(program=str(program), arguments=[])) == 0
    assert (Waits.around is not unseen) == is_terminal
    assert terminal.getvalue() == ""


@tf.function
def summed(first: tf.Tensor, end: tf.Tensor) -> tf.Tensor:
    total = tf.constant(0.0, tf.float64)
    for i in tf.range(first, end, 2):
        total += tf.cast(i, tf.float64)
    return total


@pytest.mark.usefixtures("usual_tiers")
@pytest.mark.parametrize("is_native", [True, False])
def test_a_loop_says_how_far_it_is(is_native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """From Python and from the code that goes on: the iterations that are left are counted."""
    monkeypatch.setattr(LoopPatience, "shows", 0.002)
    monkeypatch.setattr(waiting_line, "INTERVAL", 0.0)
    if not is_native:
        monkeypatch.setattr(LoopPatience, "asks", 1e9)
    lengths = []

    class Line(WaitingLine):
        def loop(self, name: str) -> waiting_line.LoopLine | None:
            assert name == "summed"
            return View(self, name)

    class View(waiting_line.LoopLine):
        def show(self, done: int, left: int | None) -> None:
            assert left is not None
            lengths.append((done, done + left))
            super().show(done, left)

    shown: list[str] = []
    Waits.loop = Line(shown.append, 0.0).loop
    count = 3_000_000 if is_native else 3_000
    result = tf.function(summed.python_function)(tf.constant(3), tf.constant(3 + 2 * count))
    assert float(result) == count * (count + 2.0)
    done = [turns for turns, _ in lengths]
    assert len(done) > 2
    assert done[-1] <= count
    assert {whole for _, whole in lengths} <= {count} if not is_native else max(done) > count / 10
    assert shown[0].startswith("running summed  [")
    assert shown[-1] == ""


@pytest.mark.parametrize(
    ("done", "left", "expected"),
    [
        (5, 15, "[#####...............]  25 %  2 s, about 6 s left"),
        (20, 0, "[####################] 100 %  2 s, about 0 s left"),
        (12_345, None, "12,345 iterations  2 s"),
    ],
)
def test_a_loop_has_a_bar_where_its_length_is_known(
    done: int, left: int | None, expected: str
) -> None:
    assert waiting_line.progress(done, left, 2.0) == expected


def test_a_loop_inside_of_a_loop_is_part_of_it() -> None:
    shown: list[str] = []
    line = WaitingLine(shown.append, 0.0)
    outer, inner = line.loop("outer"), line.loop("inner")
    assert outer is not None
    assert inner is not None
    outer.show(1, None)
    inner.show(7, None)
    inner.end()
    assert line.loop("more") is None
    outer.end()
    assert shown == ["running outer  1 iterations  0 s", ""]
    inner.show(8, None)
    assert shown[2] == "running inner  8 iterations  0 s"
