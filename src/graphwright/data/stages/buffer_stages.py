"""Stages that take elements ahead in a thread: prefetch."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from contextlib import suppress
from time import perf_counter

from graphwright.base.errors import AbortedError, InvalidArgumentError
from graphwright.data.blocks import ElementBlock
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    Abandoned,
    Cursor,
    DatasetStage,
    State,
    at_level,
    cursor_of,
    iterating,
    present_budget,
    present_iteration,
    present_level,
    restored_error,
    saved_error,
    stop_if_abandoned,
    work_ahead,
    works_ahead,
)
from graphwright.data.threads.held_work import Forks, HeldWork
from graphwright.data.tuning.buffer_sizes import BufferSize
from graphwright.data.tuning.pipeline_budget import AUTOTUNE, PipelineBudget
from graphwright.types.arrays import Array

#: A block that a thread takes grows until it takes so long, in seconds.
_LONG = 0.001
#: A thread that waits for another one looks so often, in seconds, whether it is abandoned.
_LOOK = 0.1
#: A thread is started when a reader has been busy between elements for so long, in seconds. That
#: must also be such a part of the time that it has spent on elements. And elements must have taken
#: longer each of the last two times: to hand on less costs as much as to compute it.
_BUSY = 0.0002
_PART = 0.1
#: A thread that is at work for a smaller part of the time, in so many blocks, ends: it would save
#: no more, and what the reader computes meanwhile may need its core.
_LITTLE = 0.05
_JUDGED = 16


class PrefetchStage(DatasetStage):
    """The elements, some of which a thread takes ahead."""

    type_name = "PrefetchDataset"
    scalars = ("buffer_size",)
    waits_for_threads = True

    def __init__(self, element: ElementType, source: DatasetStage, size: Array) -> None:
        super().__init__(element, source)
        if int(size) < AUTOTUNE:
            raise InvalidArgumentError(
                None, None, "buffer_size must be >= 0 or set buffer_size to be "
                f"{AUTOTUNE} for auto-tuning",
            )  # fmt: skip
        self.size = BufferSize(int(size))
        #: How many stages it stands for.
        self.depth = 1

    @property
    def is_idle(self) -> bool:
        return not self.size.number

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self) -> Cursor:
        source = self.inputs[0]
        with at_level(present_level() + 1):
            upstream = cursor_of(source)
        return PrefetchCursor(upstream, self.size, source.is_observable, self.depth)


class Supply(HeldWork):
    """The elements that wait, which a thread and its reader share."""

    def __init__(self, upstream: Cursor, size: BufferSize, is_observable: bool) -> None:
        self.upstream = upstream
        self.size = size
        self.budget: PipelineBudget = present_budget()
        self.is_observable = is_observable
        self.iteration = present_iteration()
        self.waiting: deque[ElementBlock | Exception] = deque()
        self.count = 0
        self.limit = 1
        self.is_over = self.is_closed = False
        #: Whether it had been full, and no reader has found it empty since.
        self.was_full = False
        #: Whether a fork did not wait for a block: in the child, nobody knows where upstream is.
        self.is_torn = False
        #: Who computes elements just now, if that is no thread of its own.
        self.reader: threading.Thread | None = None
        #: Seconds that the reader has spent on elements, and on other things in between.
        self.pulled = self.busy = 0.0
        #: Seconds that the last time took, and the time before.
        self.lately = (0.0, 0.0)
        self.returned: float | None = None
        #: How many blocks the thread has taken since a time, and the seconds that it was at work.
        self.blocks, self.worked, self.since = 0, 0.0, 0.0
        #: When the present block began.
        self.began = 0.0
        self.make_locks()
        super().__init__()

    def make_locks(self) -> None:
        """Makes new locks, also after a fork; the thread starts when it is needed."""
        self.changed = threading.Condition()
        self.pulling = threading.Lock()
        #: Whether a fork waits for the present block, and no other one may begin.
        self.is_held = False
        self.thread: threading.Thread | None = None

    def hold(self, until: float) -> None:
        self.is_held = self.is_torn = True
        is_mine = threading.current_thread() in (self.thread, self.reader)
        has_had_its_time = self.began <= Forks.in_vain
        waits = 0.0 if has_had_its_time else max(0.0, until - perf_counter())
        try:
            self.is_torn = is_mine or not self.pulling.acquire(timeout=waits)
        finally:
            self.changed.acquire()

    def release(self) -> None:
        if not self.is_torn:
            self.began = perf_counter()  # of the block that comes next
            self.pulling.release()
        self.is_held = self.is_torn = False
        self.changed.notify_all()
        self.changed.release()

    def renew(self, is_held: bool) -> None:
        self.is_torn = self.is_torn or (not is_held and self.pulling.locked())
        self.make_locks()

    def run(self) -> None:
        """Takes elements until there are no more, or nobody wants them: the work of the thread."""
        work_ahead(lambda: self.is_closed)
        with suppress(Abandoned):
            self.fill()

    def fill(self) -> None:
        """Takes elements while there is room."""
        while True:
            with self.changed:
                while (room := self.room()) <= 0 and not self.is_closed:
                    self.changed.wait()
                if self.is_closed:
                    return
            with self.pulling, iterating(self.iteration), at_level(self.level + 1):
                if not self.step(1 if self.is_observable else min(room, self.limit)):
                    return
            if self.retires():
                return

    def retires(self) -> bool:
        """Whether the thread ends, since it has little to do: then its reader is on its own."""
        if self.blocks < _JUDGED or self.is_observable:
            return False
        now = perf_counter()
        little = self.worked < _LITTLE * (now - self.since)
        self.blocks, self.worked, self.since = 0, 0.0, now
        if little:
            with self.changed:
                self.thread = None
                self.pulled = self.busy = 0.0
        return little

    def room(self) -> int:
        """How many elements the thread may take just now."""
        if self.is_held:
            return 0
        room = self.size.limit(self, self.budget) - self.count
        self.was_full = self.was_full or room <= 0
        return room

    def saved(self) -> State:
        """The elements and errors that wait."""
        return [
            {"error": saved_error(item)} if isinstance(item, Exception) else item.saved()
            for item in self.waiting
        ]

    def restore(self, state: State) -> None:
        """Has the elements and errors wait that were saved."""
        self.waiting = deque(
            [
                restored_error(item["error"])
                if isinstance(item, dict)
                else ElementBlock.restored(item)
                for item in state
            ]
        )
        self.count = sum([1 if isinstance(x, Exception) else x.count for x in self.waiting])

    def step(self, limit: int) -> bool:
        """Takes a block; False at the end.

        No variable of it has an error. Errors that stages still hold have this frame, and an error
        that was raised has the frames of whoever asked for it, who would stay alive.
        """
        self.began = perf_counter()
        return self.add(self.began, self.outcome(limit))

    def outcome(self, limit: int) -> ElementBlock | Exception | None:
        """The next block, the error in the place of an element, or None at the end."""
        try:
            return self.upstream.pull(limit)
        except Exception as error:  # noqa: BLE001 - it is raised where its element would come
            return error

    def add(self, began: float, block: ElementBlock | Exception | None) -> bool:
        """Has what was taken from a time on wait for the reader; False at the end."""
        seconds = perf_counter() - began
        self.blocks += 1
        self.worked += seconds
        if seconds < _LONG:
            self.limit *= 2
        elif self.limit > 1:
            self.limit //= 2
        with self.changed:
            if block is None:
                self.is_over = True
            else:
                self.waiting.append(block)
                if isinstance(block, Exception):
                    self.count += 1
                else:
                    self.count += block.count
                    self.size.note(block)
            self.changed.notify_all()
        return block is not None

    def take(self, limit: int) -> ElementBlock | None:
        """The next elements; waits until there are some.

        As long as the reader does nothing but wait for elements, it computes them itself: a thread
        would only make it wait for that.
        """
        if self.is_held or self.is_torn:
            self.pass_fork()
        self.level = max(self.level, present_level())
        began = perf_counter()
        if self.returned is not None:
            self.busy += began - self.returned
        try:
            if self.pulling.acquire(blocking=False):
                try:
                    if not self.waiting and not self.is_over and not self.is_worth:
                        self.reader, self.began = threading.current_thread(), began
                        with at_level(self.level + 1):
                            block = self.upstream.pull(limit)
                        self.is_over = block is None
                        return block
                finally:
                    self.reader = None
                    self.pulling.release()
            return self.wait(limit)
        finally:
            self.returned = perf_counter()
            seconds = self.returned - began
            self.pulled += seconds
            self.lately = (seconds, self.lately[0])

    def pass_fork(self) -> None:
        """Waits until a fork is over; an error in a child that cannot go on."""
        with self.changed:
            self.changed.wait_for(lambda: not self.is_held)
            if self.is_torn:
                raise AbortedError(
                    None, None,
                    "the process was forked while a thread computed an element ahead: here, in "
                    "the child, this iterator cannot go on, and a new one can",
                )  # fmt: skip

    @property
    def is_worth(self) -> bool:
        """Whether a thread computes elements."""
        if self.thread is not None or self.is_observable:
            return True
        is_much = self.pulled >= _LITTLE * self.busy
        return is_much and self.busy > _BUSY + _PART * self.pulled and min(self.lately) > _BUSY

    def wait(self, limit: int) -> ElementBlock | None:
        """The next elements, once a thread has computed some."""
        with self.changed:
            if self.is_worth or not self.waiting:
                self.start()
            if not self.waiting and not self.wait_for_one():
                return None
            block = self.waiting.popleft()
            if isinstance(block, Exception):
                self.count -= 1
                self.changed.notify_all()
                raise block
            if block.count > limit:
                self.waiting.appendleft(block.part(limit, block.count))
                block = block.part(0, limit)
            self.count -= block.count
            self.changed.notify_all()
            return block

    def start(self) -> None:
        """Starts the thread, unless there is one or nothing to do."""
        if self.thread is None and not self.is_over and not self.is_closed:
            self.size.has_thread = True
            self.blocks, self.worked, self.since = 0, 0.0, perf_counter()
            self.thread = threading.Thread(target=self.run, daemon=True, name="prefetch")
            self.thread.start()

    def wait_for_one(self) -> bool:
        """Waits until an element is there; False at the end."""
        was_full, self.was_full = self.was_full, False
        began = perf_counter()
        while not self.waiting:
            if self.is_over or self.is_closed:
                return False
            stop_if_abandoned()
            self.changed.wait(_LOOK if works_ahead() else None)
        if was_full:
            self.size.grow(perf_counter() - began, self.budget)
        return True

    def close(self) -> None:
        """Ends the thread."""
        self.budget.memory.leave(self)
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()


class PrefetchCursor(Cursor):
    """The elements of another cursor, of which a thread takes some ahead.

    Its state is that of so many cursors in a row as it stands for: what waits does so in the last.
    """

    def __init__(
        self, upstream: Cursor, size: BufferSize, is_observable: bool, depth: int = 1
    ) -> None:
        self.upstream = upstream
        self.depth = depth
        self.supply = Supply(upstream, size, is_observable)
        self.finalizer = weakref.finalize(self, self.supply.close)

    def pull(self, limit: int) -> ElementBlock | None:
        return self.supply.take(limit)

    def save(self) -> State:
        supply = self.supply
        with supply.pulling, supply.changed:
            state, is_over = self.upstream.save(), supply.is_over
            for _ in range(self.depth - 1):
                state = {"before": state, "waiting": [], "is_over": is_over}
            return {"before": state, "waiting": supply.saved(), "is_over": is_over}

    def restore(self, state: State) -> None:
        supply = self.supply
        with supply.pulling, supply.changed:
            waiting = list(state["waiting"])
            for _ in range(self.depth - 1):
                state = state["before"]
                waiting += state["waiting"]
            self.upstream.restore(state["before"])
            supply.restore(waiting)
            supply.is_over = state["is_over"]

    def close(self) -> None:
        self.finalizer()
        with self.supply.pulling:
            self.upstream.close()
