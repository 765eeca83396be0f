"""The line on a terminal while a program waits for a trace or for machine code."""

from __future__ import annotations

import argparse
import io
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import graphwright as tf
from graphwright.base.waits import Waits, unseen
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
    Waits.around = unseen


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
