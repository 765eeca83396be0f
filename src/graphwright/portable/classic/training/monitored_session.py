"""`tf.compat.v1.train.MonitoredSession`: a session that is made ready, watched and ended."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol

from graphwright.base.errors import AbortedError, OutOfRangeError, UnavailableError
from graphwright.ir.graph import Graph
from graphwright.op.refusal import complete
from graphwright.portable.classic.graph_collections import open_graph
from graphwright.portable.classic.training.common_hooks import (
    CheckpointSaverHook,
    StepCounterHook,
    SummarySaverHook,
)
from graphwright.portable.classic.training.scaffold import ChiefSessionCreator, Scaffold
from graphwright.portable.classic.training.session_hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from graphwright.portable.classic.training.thread_coordinator import Coordinator
from graphwright.portable.graphs.session import Session

#: What is passed for an interval that the program does not state.
USE_DEFAULT = object()
#: Errors that end a loop as a request to stop does.
_ENDS = (OutOfRangeError, StopIteration)


class SessionMaker(Protocol):
    """What makes sessions that are ready."""

    def create_session(self) -> Session:
        """Returns a session."""
        ...


class StepContext:
    """What `run_step_fn` gives a function.

    Args:
        session: The `tf.compat.v1.Session`, for calls of `run` that no hook sees.
        run_with_hooks: The function that runs with hooks.
    """

    def __init__(self, session: Session, run_with_hooks: Callable[..., Any]) -> None:
        self._session, self._run = session, run_with_hooks

    @property
    def session(self) -> Session:
        """The session."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """Runs as `MonitoredSession.run` does.

        Args:
            *args: As those of `run`.
            **kwargs: As those of `run`.

        Returns:
            What `run` returns.
        """
        return self._run(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the loop around the function.

        Raises:
            StopIteration: Always.
        """
        raise StopIteration("step_fn has requested the iterations to stop.")


class MonitoredSession:
    """A session with initial values or those of a checkpoint, which hooks watch.

    In a `with` block, StopIteration and `tf.errors.OutOfRangeError` end the block without an error.
    Where a hook or a step raises `tf.errors.AbortedError`, the session is made anew.

    Args:
        session_creator: What makes the session; None is a `ChiefSessionCreator`.
        hooks: A list of `SessionRunHook`.
        stop_grace_period_secs: So many seconds threads have to end.

    Raises:
        RuntimeError: A variable has no value after initialization.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     more = tf.compat.v1.assign_add(step, 1)
    ...     stop = tf.compat.v1.train.StopAtStepHook(last_step=3)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[stop]) as session:
    ...         while not session.should_stop():
    ...             print(session.run(more))
    1
    2
    3
    """

    _recovers = True

    def __init__(
        self,
        session_creator: SessionMaker | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._hooks = list(hooks or [])
        self._maker: SessionMaker = session_creator or ChiefSessionCreator()
        self._grace = stop_grace_period_secs
        self._graph = open_graph()
        self._was_final = self._graph.finalized
        for hook in self._hooks:
            hook.begin()
        self._session: Session | None = None
        self._create()

    def _create(self) -> None:
        """Makes the session, and tells the hooks."""
        self._session = self._maker.create_session()
        self._coordinator, self._wants_stop = Coordinator(), False
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coordinator)

    @property
    def graph(self) -> Graph | None:
        """The graph, or None once the session is closed."""
        return None if self._session is None else self._session.graph

    def _open_session(self) -> Session:
        if self._session is None:
            raise complete(AttributeError("the monitored session is closed, and runs nothing"))
        return self._session

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        options: object = None,
        run_metadata: object = None,
    ) -> Any:
        """Computes fetches, as `tf.compat.v1.Session.run` does, and what hooks ask for.

        Args:
            fetches: A structure of tensors, operations and names.
            feed_dict: A dict from tensors, or their names, to values.
            options: It has no effect.
            run_metadata: It has no effect.

        Returns:
            The fetches in their structure: arrays, and None for operations.

        Raises:
            RuntimeError: A stop was requested before, or a tensor is fed twice.
            AttributeError: The session is closed.
        """
        while True:
            session = self._open_session()
            try:
                return self._run(session, fetches, feed_dict, options, run_metadata)
            except (AbortedError, UnavailableError):
                if not self._recovers:
                    raise
                session.close()
                self._create()
            except Exception:
                self._coordinator.raise_requested_exception()
                raise

    def _run(
        self,
        session: Session,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None,
        options: object,
        run_metadata: object,
    ) -> Any:
        """One call, which hooks see."""
        if self.should_stop():
            raise complete(RuntimeError("Run called even after should_stop requested."))
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), session)
        requests: list[Any] = []
        feeds = dict(feed_dict or {})
        fed_by_hooks: dict[Any, Any] = {}
        for hook in self._hooks:
            request = hook.before_run(context)
            requests.append(None if request is None else request.fetches)
            for tensor, value in ((request and request.feed_dict) or {}).items():
                if tensor in fed_by_hooks:
                    raise complete(RuntimeError("Same tensor is fed by two hooks."))
                if tensor in feeds:
                    raise complete(RuntimeError("Same tensor is fed by a hook and user."))
                fed_by_hooks[tensor] = value
        wanted = [fetches, *[each for each in requests if each is not None]]
        result, *others = session.run(wanted, {**feeds, **fed_by_hooks})
        for hook, each in zip(self._hooks, requests):
            part = None if each is None else others.pop(0)
            hook.after_run(context, SessionRunValues(part, options, run_metadata))
        self._wants_stop = self._wants_stop or context.stop_requested
        return result

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls a function, which may run without hooks and with them.

        Args:
            step_fn: A function of one argument, `step_context`, which has `session`,
                `run_with_hooks` and `request_stop`.

        Returns:
            What the function returns.

        Raises:
            TypeError: It is no function.
            ValueError: It has other arguments.
            StopIteration: It has requested a stop.
        """
        if not callable(step_fn):
            raise complete(TypeError(f"`step_fn` must be callable, not {step_fn!r}"))
        names = [name for name in inspect.signature(step_fn).parameters if name != "self"]
        if names != ["step_context"]:
            raise complete(ValueError(
                f"`step_fn` must have one argument, `step_context`. Got {tuple(names)}."
            ))  # fmt: skip
        return step_fn(StepContext(self._open_session(), self.run))

    def should_stop(self) -> bool:
        """Returns whether the loop ends: a hook or a thread has asked, or the session is closed."""
        return self._session is None or self._wants_stop or self._coordinator.should_stop()

    def close(self) -> None:
        """Ends the session, and tells the hooks.

        Raises:
            RuntimeError: It is closed already.
        """
        self._end(None)

    def _end(self, error: type[BaseException] | None) -> None:
        """Ends the session; hooks learn of it unless there was an error."""
        session = self._session
        if session is None:
            raise complete(RuntimeError("Session is already closed."))
        try:
            if error is None:
                for hook in self._hooks:
                    hook.end(session)
        finally:
            try:
                self._coordinator.request_stop()
                self._coordinator.join([], self._grace, ignore_live_threads=True)
            finally:
                session.close()
                self._session = None
                self._graph.finalized = self._was_final

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if kind is not None and issubclass(kind, _ENDS):
            kind = None
        self._end(kind)
        return kind is None


class SingularMonitoredSession(MonitoredSession):
    """A monitored session that is not made anew where a step is aborted.

    Args:
        hooks: A list of `SessionRunHook`.
        scaffold: A `Scaffold`, or None.
        master: It must be empty.
        config: It has no effect.
        checkpoint_dir: A folder whose newest checkpoint is restored, if it has one.
        stop_grace_period_secs: So many seconds threads have to end.
        checkpoint_filename_with_path: The path of the checkpoint that is restored.

    Raises:
        RuntimeError: A variable has no value after initialization.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(2.0)
    ...     with tf.compat.v1.train.SingularMonitoredSession() as session:
    ...         session.raw_session().run(v)
    np.float32(2.0)
    """

    _recovers = False

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: object = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        path = checkpoint_filename_with_path
        maker = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, path)
        super().__init__(maker, hooks, stop_grace_period_secs)

    def raw_session(self) -> Session:
        """Returns the session that no hook sees.

        Returns:
            A `tf.compat.v1.Session`.
        """
        return self._open_session()


def monitored_training_session(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: object = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """Returns a session for training, which saves checkpoints and summaries by itself.

    Args:
        master: It must be empty.
        is_chief: It must be True.
        checkpoint_dir: A folder: its newest checkpoint is restored, and new ones are written there.
        scaffold: A `Scaffold`, or None.
        hooks: A list of `SessionRunHook`.
        chief_only_hooks: More of them, which are called first.
        save_checkpoint_secs: So many seconds are between checkpoints; 600 where neither these nor
            steps are stated. None or 0 for none.
        save_summaries_steps: So many steps are between summaries, 100 by default.
        save_summaries_secs: So many seconds are between summaries, in place of steps.
        config: It has no effect.
        stop_grace_period_secs: So many seconds threads have to end.
        log_step_count_steps: So many steps are between measures of speed; None for none.
        max_wait_secs: It has no effect.
        save_checkpoint_steps: So many steps are between checkpoints, in place of seconds.
        summary_dir: The folder of summaries; None is `checkpoint_dir`.
        save_graph_def: A bool: whether the graph is written too.

    Returns:
        A `MonitoredSession`.

    Raises:
        ValueError: `is_chief` is False, or `master` names a server.
        RuntimeError: Summaries or checkpoints are saved, and nothing counts steps.

    >>> import tempfile, graphwright as tf
    >>> folder = tempfile.mkdtemp()
    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     more = tf.compat.v1.assign_add(step, 1)
    ...     for _ in range(2):
    ...         with tf.compat.v1.train.MonitoredTrainingSession(
    ...                 checkpoint_dir=folder) as session:
    ...             print(session.run(more))
    1
    2
    >>> tf.compat.v1.summary.FileWriterCache.clear()
    """
    if not is_chief:
        raise complete(ValueError(
            "there are no other processes to wait for: `is_chief` must be True. "
            "`tf.distribute.MultiWorkerMirroredStrategy` trains in several."
        ))  # fmt: skip
    checkpoints = intervals(save_checkpoint_steps, save_checkpoint_secs, (None, 600))
    summaries = intervals(save_summaries_steps, save_summaries_secs, (100, None))
    every = Scaffold() if scaffold is None else scaffold
    watchers = list(chief_only_hooks or [])
    folder = summary_dir or checkpoint_dir
    if folder and log_step_count_steps:
        watchers.append(StepCounterHook(log_step_count_steps, output_dir=folder))
    if folder and any(summaries):
        watchers.append(SummarySaverHook(*summaries, output_dir=folder, scaffold=every))
    if checkpoint_dir and any(checkpoints):
        steps, seconds = checkpoints
        watchers.append(CheckpointSaverHook(
            checkpoint_dir, seconds, steps, scaffold=every, save_graph_def=save_graph_def
        ))  # fmt: skip
    maker = ChiefSessionCreator(every, master, config, checkpoint_dir)
    return MonitoredSession(maker, [*watchers, *(hooks or [])], stop_grace_period_secs)


def intervals(steps: Any, seconds: Any, default: tuple[Any, Any]) -> tuple[Any, Any]:
    """Steps and seconds between two events; 0 is none, and both are default or neither is."""
    if steps is USE_DEFAULT and seconds is USE_DEFAULT:
        return default
    stated = [None if each is USE_DEFAULT else each or None for each in (steps, seconds)]
    return stated[0], stated[1]
