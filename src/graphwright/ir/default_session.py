"""The session that runs what a program asks for without naming one: `with session.as_default()`."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

#: The sessions whose blocks are open, innermost last.
SESSIONS: ContextVar[tuple[Any, ...]] = ContextVar("SESSIONS", default=())


def get_default_session() -> Any:
    """Returns the session of the innermost block that is open.

    Returns:
        A `tf.compat.v1.Session`, or None outside of all blocks.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     tf.compat.v1.get_default_session() is session
    True
    """
    sessions = SESSIONS.get()
    return sessions[-1] if sessions else None


def session_for(session: object, what: str, method: str) -> Any:
    """A session that is given, or else the default one; ValueError where there is none."""
    chosen: Any = get_default_session() if session is None else session
    if chosen is None:
        raise ValueError(
            f"Cannot {what}: No default session is registered. Use `with sess.as_default()` or "
            f"pass an explicit session to `{method}(session=sess)`"
        )
    return chosen
