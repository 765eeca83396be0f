"""A line on a terminal while the program waits for a trace, for machine code, or for a loop.

It comes after a second, and goes with the work. Only commands and notebooks ask for it.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TextIO

from graphwright.base.waits import Waits

#: Seconds that pass before the line comes, and between its changes.
PATIENCE, INTERVAL = 1.0, 0.1
#: The width of a bar.
_BAR = 20
_FRAMES, _PLAIN_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\"

#: Shows a text; an empty one takes it away.
Show = Callable[[str], None]


class LongWait:
    """Work that is going on, and the thread that shows it if it takes long."""

    def __init__(self, work: str, show: Show, patience: float) -> None:
        self.work = work
        self.show = show
        self.began = time.perf_counter()
        self.is_done = threading.Event()
        context = copy_context()  # a notebook finds its cell by it
        self.timer = threading.Timer(patience, lambda: context.run(self.keep_shown))
        self.timer.daemon = True
        self.timer.start()

    def keep_shown(self) -> None:
        """Shows the work until it is done."""
        while not self.is_done.is_set():
            self.show(f"{self.work}  {time.perf_counter() - self.began:.0f} s")
            self.is_done.wait(INTERVAL)
        self.show("")

    def end(self) -> None:
        """Takes away what is shown."""
        self.timer.cancel()
        self.is_done.set()
        self.timer.join()


class LoopLine:
    """A loop that runs: it shows how far it is, unless it is part of other work that is shown."""

    def __init__(self, line: WaitingLine, name: str) -> None:
        self.line = line
        self.name = name
        self.began = self.last = time.perf_counter()
        self.is_shown = False

    def show(self, done: int, left: int | None) -> None:
        """Shows how many iterations are done, and how many are left if that is known."""
        now = time.perf_counter()
        seconds = now - self.began
        if seconds < self.line.patience or (self.line.is_waiting and not self.is_shown):
            return
        if not self.is_shown or now - self.last >= INTERVAL:
            self.line.is_waiting = self.is_shown = True
            self.last = now
            self.line.show(f"running {self.name}  {progress(done, left, seconds)}")

    def end(self) -> None:
        """Takes away what is shown."""
        if self.is_shown:
            self.line.is_waiting = self.is_shown = False
            self.line.show("")


def progress(done: int, left: int | None, seconds: float) -> str:
    """How far a loop is: a bar and the time that is left, or how often it ran."""
    if left is None or done + left <= 0:
        return f"{done:,} iterations  {seconds:.0f} s"
    share = done / (done + left)
    bar = "#" * int(_BAR * share)
    rest = seconds * left / done
    return f"[{bar:.<{_BAR}}] {100 * share:3.0f} %  {seconds:.0f} s, about {rest:.0f} s left"


class WaitingLine:
    """Shows the work that the main thread waits for; work inside of other work is part of that."""

    def __init__(self, show: Show, patience: float = PATIENCE) -> None:
        self.show = show
        self.patience = patience
        self.is_waiting = False

    @contextmanager
    def around(self, kind: str, name: str) -> Iterator[None]:
        """A context around work."""
        if self.is_waiting or threading.current_thread() is not threading.main_thread():
            yield
            return
        self.is_waiting = True
        waiting = LongWait(f"{kind} {name}", self.show, self.patience)
        try:
            yield
        finally:
            waiting.end()
            self.is_waiting = False

    def loop(self, name: str) -> LoopLine | None:
        """The view of a loop; None in another thread, and inside of work that is shown."""
        is_main = threading.current_thread() is threading.main_thread()
        return LoopLine(self, name) if is_main and not self.is_waiting else None

    def look(self) -> None:
        """Shows all long waits from now on."""
        Waits.around, Waits.loop = self.around, self.loop


def on_terminal(stream: TextIO) -> Show:
    """Shows a text as the last line of a terminal."""
    is_unicode = (stream.encoding or "").lower().startswith("utf")
    frames = _FRAMES if is_unicode else _PLAIN_FRAMES

    def show(text: str) -> None:
        frame = frames[int(time.perf_counter() / INTERVAL) % len(frames)]
        width = shutil.get_terminal_size().columns - 1
        line = f"{frame} {text}"[:width] if text else ""
        stream.write(f"\r\x1b[2K{line}")  # to the line's begin, and it is empty
        stream.flush()

    return show


def show_waits(patience: float = PATIENCE) -> None:
    """Shows long waits on the terminal of the errors, if there is one."""
    stream = sys.stderr
    if stream is not None and stream.isatty():
        WaitingLine(on_terminal(stream), patience).look()
