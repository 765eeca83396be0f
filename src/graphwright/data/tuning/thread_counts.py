"""How many threads call functions of elements, by the times that are measured."""

from __future__ import annotations

import math

from graphwright.data.tuning.pipeline_budget import AUTOTUNE, PipelineBudget

#: So many seconds of work are worth a thread of their own.
_WORTH = 0.001
#: Threads must take at most such a part of the time of one; if not, they are tried again each so
#: many blocks.
_GAIN = 0.9
_AGAIN = 64
#: A way to call is measured with so many elements, and for so many times what a thread is worth.
_TRIED = 16
_TRIAL = 2
#: The middle one of so many measured times counts.
_LAST = 5
#: After so many times the other way is tried again, then after twice as many, at most `_AGAIN`.
_SOON = 4
#: Where the program does not say it, so many calls are taken ahead for each thread.
_CALLS_EACH = 4
#: And so many results are taken at once at most, where a stage needs many.
_TOGETHER = 64
#: So many threads more than keep the processors busy: while one waits for the interpreter's lock,
#: its processor has another call.
_SPARE = 1
#: At most so many threads for each processor.
_MOST = 8.0
_TINY = 1e-9
#: Tracing, compiling and other programs make single blocks slow. So a time grows by such a factor
#: at most.
_GROWTH = 1.25


class WorkDivision:
    """Among how many threads the elements of a block are divided, by the times that were measured.

    Args:
        calls: How many threads the program allows, or AUTOTUNE: as many as are of use.
    """

    def __init__(self, calls: int) -> None:
        self.calls = calls
        self.is_free = calls == AUTOTUNE
        #: Seconds that an element takes in one thread, and when threads have parts of a block.
        self.alone = self.divided = 0.0
        self.parts = 1
        self.blocks = self.measured = 0

    def choose(self, count: int, budget: PipelineBudget) -> int:
        """The number of parts for a block of so many elements."""
        self.blocks += 1
        parts = min(budget.threads(self.calls), count, int(self.alone * count / _WORTH))
        is_vain = (
            self.is_free
            and budget.is_tuned
            and self.divided > _GAIN * self.alone
            and self.blocks % _AGAIN
        )
        self.parts = 1 if parts < 2 or is_vain else parts
        return self.parts

    def measure(self, parts: int, count: int, seconds: float) -> None:
        """Notes how long a block took."""
        self.measured += 1
        if self.is_free and self.measured == 1:
            return
        if parts > 1:
            self.divided = seconds / count
            if not self.is_free:
                self.alone = self.divided * parts  # nobody asks whether one would be quicker
        else:
            self.alone = noted(seconds / count, self.alone)

    @property
    def words(self) -> str:
        """What was chosen, and why; nothing where nothing was measured."""
        if not self.alone:
            return ""
        time = duration(self.divided if self.parts > 1 else self.alone)
        if self.parts > 1:
            return f"{self.parts} threads: each element takes {time}"
        others = f", and {duration(self.divided)} in several" if self.divided else ""
        return f"1 thread: each element takes {time}{others}"


class CallsAtOnce:
    """How many calls of a function that Python sees are in progress, by times that are measured.

    Threads help where calls wait, or let go of the interpreter's lock. Elsewhere they only hinder
    each other. So both ways are tried, and what a reader waits for an element decides. The more a
    call waits, the more threads there are. No trial begins while each time is much shorter than the
    one before: elements wait for imports and for code then. And nothing but a trial changes the
    way: a busy moment makes both slow.

    Args:
        calls: How many a program allows, or AUTOTUNE: as many as are of use.
    """

    def __init__(self, calls: int) -> None:
        self.calls = calls
        #: The last times that an element took: in a call of the reader's own, and from threads.
        self.alone: tuple[float, ...] = ()
        self.ahead: tuple[float, ...] = ()
        #: What was measured since a time was last noted.
        self.seconds = self.worked = 0.0
        self.elements = 0
        #: How many times are noted from one trial to the next, and how many until the next one.
        self.gap, self.left = _SOON // 2, 1
        self.is_alone = self.is_trial = False
        #: How many calls are taken ahead for each thread. A thread that has another one does not
        #: wait until the reader, which has more to do, takes a result.
        self.calls_each = _CALLS_EACH if calls == AUTOTUNE else 1
        #: How many results are taken at once at most.
        self.together = _TOGETHER if calls == AUTOTUNE else 1
        #: How many threads keep a processor busy, and how many there are.
        self.each = 1.0
        self.threads = 0

    def choose(self, budget: PipelineBudget) -> int:
        """How many calls threads make ahead; 0 for a call by the reader, where it needs one."""
        self.threads = budget.threads(self.calls, self.each, _SPARE)
        return 0 if self.is_alone else self.threads

    def measure(
        self, seconds: float, worked: float, count: int, budget: PipelineBudget
    ) -> None:
        """Notes how long a reader waited for elements in the present way, and itself worked."""
        if self.calls != AUTOTUNE or not budget.is_tuned:
            return
        self.seconds += seconds
        self.worked += worked
        self.elements += count
        if self.elements < _TRIED or self.seconds < _TRIAL * _WORTH:
            return
        if self.is_alone:
            self.each = min(_MOST, max(1.0, self.seconds / max(self.worked, _TINY)))
        self.note(self.seconds / self.elements)
        self.seconds, self.worked, self.elements = 0.0, 0.0, 0

    def note(self, taken: float) -> None:
        """Notes a time in the present way, and chooses the way for the next one."""
        before = self.alone if self.is_alone else self.ahead
        is_start = not self.alone and (not before or taken < _GAIN * before[-1])
        times = (taken,) if self.is_trial or is_start else (*before, taken)[-_LAST:]
        if self.is_alone:
            self.alone = times
        else:
            self.ahead = times
        if self.is_trial:
            self.end_trial()
        elif not is_start:
            self.left -= 1
            if self.left <= 0:
                self.is_alone, self.is_trial = not self.is_alone, True

    def end_trial(self) -> None:
        """Chooses the quicker way."""
        is_alone = middle(self.alone) < _GAIN * middle(self.ahead)
        self.gap = _SOON if is_alone == self.is_alone else min(2 * self.gap, _AGAIN)
        self.is_alone, self.is_trial, self.left = is_alone, False, self.gap

    @property
    def words(self) -> str:
        """What was chosen, and why; nothing where nothing was measured."""
        if not self.alone or not self.ahead:
            return ""
        alone, ahead = duration(middle(self.alone)), duration(middle(self.ahead))
        if self.is_alone:
            return f"no threads: an element takes {alone}, and {ahead} with {self.threads} of them"
        return f"{self.threads} threads: an element takes {ahead}, and {alone} without them"


def middle(times: tuple[float, ...]) -> float:
    """The middle one of some times, or the shorter one of two; none is as long as can be."""
    return sorted(times)[(len(times) - 1) // 2] if times else math.inf


def noted(taken: float, before: float) -> float:
    """A time that was measured, and hardly more than the one before it, if there is one."""
    return min(taken, _GROWTH * before) if before else taken


def duration(seconds: float) -> str:
    """A time with a unit that fits."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
