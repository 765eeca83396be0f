"""`tf.compat.v1.train.Coordinator`: threads of a program that stop together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from graphwright.base.errors import OutOfRangeError
from graphwright.base.forks import own_lock
from graphwright.base.logs import LOGGER
from graphwright.ir.default_session import get_default_session
from graphwright.op.refusal import complete
from graphwright.portable.classic.graph_collections import GraphKeys

#: So often somebody who joins threads looks whether they have ended, in seconds.
_LOOK = 0.02


class Coordinator:
    """Tells threads of a program when to stop, and passes an error of one on to who joins them.

    Args:
        clean_stop_exception_types: Classes of errors that end threads without being errors; None is
            `(tf.errors.OutOfRangeError,)`.

    >>> import threading, graphwright as tf
    >>> coord = tf.compat.v1.train.Coordinator()
    >>> def work():
    ...     while not coord.should_stop():
    ...         coord.request_stop()
    >>> thread = threading.Thread(target=work)
    >>> thread.start()
    >>> coord.join([thread])
    >>> coord.should_stop()
    True
    """

    def __init__(
        self, clean_stop_exception_types: tuple[type[BaseException], ...] | None = None
    ) -> None:
        clean = clean_stop_exception_types
        self._clean = (OutOfRangeError,) if clean is None else tuple(clean)
        self.lock = own_lock(self)
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._joined = False
        self._threads: set[threading.Thread] = set()

    def request_stop(self, ex: BaseException | tuple[Any, ...] | None = None) -> None:
        """Asks all threads to stop.

        Args:
            ex: An error, or what `sys.exc_info` returns, which `join` raises; None for none. The
                first one counts.

        Raises:
            BaseException: `ex`, where `join` has returned.
        """
        error = ex[1] if isinstance(ex, tuple) else ex
        if isinstance(error, self._clean):
            error = None
        with self.lock:
            if self._joined and error is not None:
                raise error
            if not self._stop.is_set():
                self._error = error
                self._stop.set()

    def clear_stop(self) -> None:
        """Forgets that somebody asked threads to stop, and the error."""
        with self.lock:
            self._joined, self._error = False, None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Returns whether somebody asked threads to stop."""
        return self._stop.is_set()

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Opens a block whose errors ask all threads to stop; `join` raises them.

        Yields:
            None.
        """
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - `join` raises it
            self.request_stop(error)

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until somebody asks threads to stop.

        Args:
            timeout: So many seconds at most; None waits on.

        Returns:
            A bool: whether somebody asked.
        """
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread that `join` waits for.

        Args:
            thread: A `threading.Thread`.
        """
        with self.lock:
            self._threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until all threads have ended; raises what one of them raised.

        Args:
            threads: Threads, beside those that are registered.
            stop_grace_period_secs: So many seconds threads have to end, once they are asked to.
            ignore_live_threads: A bool: whether threads may go on after that.

        Raises:
            BaseException: The error that `request_stop` was given.
            RuntimeError: Threads go on.
        """
        with self.lock:
            joined = self._threads | set(threads or ())

        def alive() -> list[threading.Thread]:
            return [thread for thread in joined if thread.is_alive()]

        while alive() and not self.wait_for_stop(_LOOK):
            pass
        last = time.monotonic() + stop_grace_period_secs
        while (rest := alive()) and time.monotonic() < last:
            rest[0].join(min(_LOOK, stop_grace_period_secs))
        with self.lock:
            self._joined = True
            self._threads.clear()
            error = self._error
        if error is not None:
            raise error
        names = " ".join([thread.name for thread in alive()])
        if names and ignore_live_threads:
            LOGGER.info("Coordinator stopped with threads still running: %s", names)
        elif names:
            raise RuntimeError(f"Coordinator stopped with threads still running: {names}")

    @property
    def joined(self) -> bool:
        """Whether `join` has returned."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises the error that `request_stop` was given, if there is one.

        Raises:
            BaseException: That error.
        """
        with self.lock:
            error = self._error
        if error is not None:
            raise error


class LooperThread(threading.Thread):
    """A thread that calls a function again and again, until its coordinator stops it.

    Args:
        coord: A `Coordinator`, which joins the thread.
        timer_interval_secs: So many seconds are between the beginnings of calls; None for none.
        target: The function, or None for the method `run_loop` of a subclass.
        args: Its arguments by position.
        kwargs: Its arguments by name.

    Raises:
        ValueError: `coord` is no coordinator.

    >>> import graphwright as tf
    >>> coord = tf.compat.v1.train.Coordinator()
    >>> looper = tf.compat.v1.train.LooperThread.loop(coord, None, coord.request_stop)
    >>> coord.join([looper])
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object] | None = None,
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        self._coord, self._interval = coord, timer_interval_secs
        self._call = target, tuple(args or ()), dict(kwargs or {})
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """Returns a thread that has been started.

        Args:
            coord: A `Coordinator`.
            timer_interval_secs: So many seconds are between calls; None for none.
            target: The function.
            args: Its arguments by position.
            kwargs: Its arguments by name.

        Returns:
            A `LooperThread`.
        """
        thread = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        thread.start()
        return thread

    def run(self) -> None:
        """Calls the function until the coordinator stops the thread."""
        with self._coord.stop_on_exception():
            self.start_loop()
            due = time.monotonic()
            while not self._coord.wait_for_stop(max(0.0, due - time.monotonic())):
                due += self._interval or 0.0
                self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Is called before the first call."""

    def stop_loop(self) -> None:
        """Is called after the last call."""

    def run_loop(self) -> None:
        """Calls the function once."""
        target, args, kwargs = self._call
        if target is not None:
            target(*args, **kwargs)


def start_queue_runners(
    sess: object = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Returns no threads: queues are not here, and `tf.data` starts its own.

    Args:
        sess: A session; None takes the default one.
        coord: It has no effect.
        daemon: It has no effect.
        start: It has no effect.
        collection: It has no effect.

    Returns:
        An empty list.

    Raises:
        ValueError: There is no session.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session():
    ...     tf.compat.v1.train.start_queue_runners()
    []
    """
    if sess is None and get_default_session() is None:
        raise complete(ValueError(
            "Cannot start queue runners: No default session is registered. Use `with "
            "sess.as_default()`, or pass a session as `sess`."
        ))  # fmt: skip
    return []
