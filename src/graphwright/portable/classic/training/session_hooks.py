"""What hooks of sessions are, and what they are given and ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from graphwright.portable.classic.training.thread_coordinator import Coordinator
    from graphwright.portable.graphs.session import Session


class SessionRunArgs(NamedTuple):
    """What a call of `run` asks for: by the program, or by a hook.

    Args:
        fetches: A structure of tensors, operations and names; None for nothing.
        feed_dict: A dict from tensors to values, or None.
        options: It has no effect.

    >>> import graphwright as tf
    >>> tf.compat.v1.train.SessionRunArgs("loss:0").fetches
    'loss:0'
    """

    fetches: Any
    feed_dict: Mapping[Any, Any] | None = None
    options: object = None


class SessionRunValues(NamedTuple):
    """What a call of `run` gives a hook.

    Args:
        results: What the hook asked for, in its structure; None where it asked for nothing.
        options: It says nothing.
        run_metadata: It says nothing.

    >>> import graphwright as tf
    >>> tf.compat.v1.train.SessionRunValues(0.5, None, None).results
    0.5
    """

    results: Any
    options: object
    run_metadata: object


class SessionRunContext:
    """One call of `run`, as hooks see it.

    Args:
        original_args: A `SessionRunArgs`: what the program asked for.
        session: The `tf.compat.v1.Session` that runs it.

    >>> import graphwright as tf
    >>> asked = tf.compat.v1.train.SessionRunArgs("loss:0")
    >>> context = tf.compat.v1.train.SessionRunContext(asked, None)
    >>> context.request_stop()
    >>> context.stop_requested
    True
    """

    def __init__(self, original_args: SessionRunArgs, session: Session) -> None:
        self._original_args, self._session = original_args, session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the program asked for."""
        return self._original_args

    @property
    def session(self) -> Session:
        """The session, which hooks may ask for more."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook has asked for an end."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Lets `should_stop` of the monitored session be True after this call."""
        self._stop_requested = True


class SessionRunHook:
    """The base of hooks: each method is called at one point, and may be left as it is.

    >>> import graphwright as tf
    >>> class Printing(tf.compat.v1.train.SessionRunHook):
    ...     def before_run(self, run_context):
    ...         return tf.compat.v1.train.SessionRunArgs("loss:0")
    ...     def after_run(self, run_context, run_values):
    ...         print(run_values.results)
    >>> with tf.Graph().as_default():
    ...     loss = tf.constant(0.5, name="loss")
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[Printing()]) as session:
    ...         session.run([])
    0.5
    []
    """

    def begin(self) -> None:
        """Is called once, before there is a session: the graph may still get operations."""

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Is called when there is a session, whose graph gets no more operations.

        Args:
            session: The `tf.compat.v1.Session`.
            coord: The `Coordinator` of its threads.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Is called before each call of `run`.

        Args:
            run_context: What the program asked for.

        Returns:
            What is computed and fed besides, or None.
        """
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Is called after each call of `run`.

        Args:
            run_context: What the program asked for; its `request_stop` ends the loop.
            run_values: What the hook itself asked for.
        """

    def end(self, session: Session) -> None:
        """Is called once, when the session ends without an error.

        Args:
            session: The `tf.compat.v1.Session`.
        """
