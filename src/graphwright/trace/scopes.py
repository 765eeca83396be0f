"""Scopes that name, lift or describe the ops inside them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from graphwright.ir.graph import Names
from graphwright.op.interpreter import activate
from graphwright.trace.device_scopes import current_placement, device
from graphwright.trace.tracer import current_tracer


class EagerScope(threading.local):
    """The scope of each thread while nothing is traced."""

    scope = ""

    def unique(self, name: str) -> str:
        """A name in this scope; eager names may repeat."""
        return self.scope + name


EAGER = EagerScope()


def scoped_names() -> Names | EagerScope:
    """The names of the graph that is being traced, or of the thread; their scope is the current."""
    tracer = current_tracer()
    return EAGER if tracer is None else tracer.graph.names


class name_scope:
    """Names the ops of the block `name/...` in the graph that is being traced.

    Eagerly it names variables and summaries.

    Args:
        name: A string. One that ends in "/" is taken as it is; "" leaves all scopes.

    Raises:
        ValueError: `name` is no string.

    >>> import graphwright as tf
    >>> with tf.name_scope("layer") as scope:
    ...     print(scope)
    layer/
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(f"name for name_scope must be a string, got {name!r}.")
        self._name = name
        self._entered: list[tuple[Names | EagerScope, str]] = []

    @property
    def name(self) -> str:
        """The name, as it was passed."""
        return self._name

    def __enter__(self) -> str:
        names = scoped_names()
        before = names.scope
        if not self._name:
            scope = ""
        elif self._name.endswith("/"):
            scope = self._name
        else:
            scope = names.unique(self._name) + "/"
        self._entered.append((names, before))
        names.scope = scope
        return scope

    def __exit__(self, *exception: object) -> None:
        names, before = self._entered.pop()
        names.scope = before


def get_current_name_scope() -> str:
    """Returns the name scope that the program is in, without the last slash.

    Returns:
        A string; "" outside of all scopes.

    >>> import graphwright as tf
    >>> with tf.name_scope("layer"):
    ...     tf.get_current_name_scope()
    'layer'
    """
    return scoped_names().scope.removesuffix("/")


@contextmanager
def init_scope() -> Iterator[None]:
    """Lifts the ops of a block out of all functions that are being traced: they run eagerly, once.

    Yields:
        None.

    >>> import graphwright as tf
    >>> seen = []
    >>> @tf.function
    ... def f():
    ...     with tf.init_scope():
    ...         seen.append(tf.executing_eagerly())
    >>> f()
    >>> seen
    [True]
    """
    placement = current_placement()
    with activate(None):
        if placement is None:
            yield
        else:
            with device(placement.spec):
                yield


def executing_eagerly() -> bool:
    """Returns whether ops run at once, and no function is being traced.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.executing_eagerly()
    True
    """
    return current_tracer() is None


def inside_function() -> bool:
    """Returns whether a function is being traced.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.inside_function()
    False
    """
    return current_tracer() is not None
