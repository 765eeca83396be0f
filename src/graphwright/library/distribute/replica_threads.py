"""Replicas as threads, of which one runs at a time.

A thread runs until its function ends or calls `merge_call`. Then the next one runs, so the order of
all that replicas do is fixed. Once all wait in `merge_call`, the thread that started them calls the
function that merges.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from graphwright.base.borrowed_lock import acting_for, actor
from graphwright.library.distribute.distributed_values import regroup, select_replica
from graphwright.op.interpreter import STATE, Interpreter
from graphwright.trace.device_scopes import device
from graphwright.trace.scopes import EAGER, scoped_names
from graphwright.trace.trace_place import PlaceLayer
from graphwright.trace.tracer import Tracer, current_tracer, followed
from graphwright.types.arguments import PythonFunction

#: Calls a function that replicas merge by, with its arguments, across replicas.
Merging: TypeAlias = Callable[[PythonFunction, Sequence[object], Mapping[str, object]], object]


class Stopped(BaseException):
    """Ends the thread of a replica, since another one has failed."""


class MergeCall:
    """What a replica waits for: a function, and its arguments there."""

    def __init__(
        self, function: PythonFunction, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> None:
        self.function = function
        self.args = tuple(args)
        self.kwargs = dict(kwargs)


class ReplicaThread:
    """The thread of one replica.

    Args:
        number: The number of the replica.
        where: The name of its device.
        call: What it runs.
        interpreter: Who interprets its ops.
        scope: The name scope in which it begins.
    """

    def __init__(
        self,
        number: int,
        where: str,
        call: Callable[[], object],
        interpreter: Interpreter | None,
        scope: str,
    ) -> None:
        self.number = number
        self.where = where
        self.call = call
        self.interpreter = interpreter
        self.scope = scope
        self.tracer = current_tracer()
        self.result: Any = None
        self.error: BaseException | None = None
        self.is_done = False
        self.waiting: MergeCall | None = None
        self.merged: Any = None
        self._stop = False
        self._go, self._paused = threading.Semaphore(0), threading.Semaphore(0)
        context, owner = contextvars.copy_context(), actor()
        self._thread = threading.Thread(
            target=lambda: context.run(self._run, owner), name=f"replica {number}", daemon=True
        )
        self._thread.start()

    def _run(self, owner: int) -> None:
        self._go.acquire()
        try:
            if not self._stop:
                EAGER.scope = self.scope
                STATE.active = PlaceLayer()
                STATE.active.below = self.interpreter
                with acting_for(owner), device(self.where):
                    self.result = self.call()
        except Stopped:
            pass
        except BaseException as error:  # noqa: BLE001 - the starting thread raises it
            self.error = error
        self.is_done = True
        self._paused.release()

    def advance(self) -> None:
        """Runs the replica until it ends or waits in `merge_call`."""
        names = scoped_names()
        before = names.scope
        names.scope = self.scope
        self._go.release()
        self._paused.acquire()
        self.scope, names.scope = names.scope, before

    def merge(
        self, function: PythonFunction, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> Any:
        """The replica's part of what a function returns across replicas; its thread calls this."""
        if current_tracer() is not self.tracer:
            raise RuntimeError(
                "`merge_call` called while defining a new graph or a tf.function: a function that "
                "`strategy.run` calls may not merge in a nested `tf.function`, nor in a branch or "
                "a loop of the graph. Merge outside of them."
            )
        self.waiting = MergeCall(function, args, kwargs)
        self._paused.release()
        self._go.acquire()
        if self._stop:
            raise Stopped
        self.waiting = None
        return self.merged

    def stop(self) -> None:
        """Ends the thread where it waits."""
        if not self.is_done:
            self._stop = True
            self._go.release()
        self._thread.join()


class Threads(threading.local):
    """The thread of the replica that runs in each thread."""

    current: ReplicaThread | None = None


RUNNING = Threads()


def run_threads(
    devices: Sequence[str],
    calls: Sequence[Callable[[], object]],
    merge: Merging,
) -> list[Any]:
    """The results of replicas, each of which runs its call on its device.

    Args:
        devices: The names of the devices.
        calls: What each replica runs.
        merge: Calls a function that replicas merge by, across replicas.
    """
    tracer: Tracer | None = current_tracer()
    scope = scoped_names().scope
    threads: list[ReplicaThread] = []
    try:
        for number, (where, call) in enumerate(zip(devices, calls)):
            below: Any = tracer
            inner = scope + (f"replica_{number}/" if number else "")
            interpreter = followed(STATE.active, below)
            threads.append(
                ReplicaThread(number, where, _noted(call, threads, number), interpreter, inner)
            )
        while True:
            for thread in threads:
                thread.advance()
                if thread.error is not None:
                    raise thread.error
            if all(thread.is_done for thread in threads):
                return [thread.result for thread in threads]
            waiting = [thread.waiting for thread in threads if not thread.is_done]
            if len(waiting) < len(threads):
                raise RuntimeError(
                    "Some replicas called `merge_call` and others ended: every replica must merge "
                    "as often as the others, in the same order."
                )
            ready = [call for call in waiting if call is not None]
            args = regroup([call.args for call in ready])
            kwargs = regroup([call.kwargs for call in ready])
            merged = merge(ready[0].function, args, kwargs)
            for number, thread in enumerate(threads):
                thread.merged = select_replica(number, merged)
    finally:
        for thread in threads:
            thread.stop()


def _noted(
    call: Callable[[], object], threads: Sequence[ReplicaThread], number: int
) -> Callable[[], object]:
    """The call, in a thread that knows whose it is."""

    def run() -> object:
        RUNNING.current = threads[number]
        return call()

    return run
