"""The graph that a whole program adds to, once it has turned off that ops run at once."""

from __future__ import annotations

from contextlib import ExitStack

from graphwright.control.graph_variable import as_default
from graphwright.ir.default_session import SESSIONS
from graphwright.ir.graph import Graph
from graphwright.portable.classic.graph_collections import EAGER, open_graph
from graphwright.portable.graphs.session import Session
from graphwright.trace.tracer import Tracer, current_tracer


class DefaultGraph:
    """The block that is open all the time while ops do not run at once."""

    block: ExitStack | None = None
    graph: Graph | None = None
    #: What adds to the graph while no other block is open in the block, not even one of the graph.
    tracer: Tracer | None = None

    @classmethod
    def open(cls) -> None:
        """Opens a block of a new graph."""
        cls.block, cls.graph = ExitStack(), Graph("default")
        cls.block.enter_context(as_default(cls.graph))
        cls.tracer = current_tracer()

    @classmethod
    def close(cls) -> None:
        """Ends the block, if there is one."""
        if cls.block is not None:
            cls.block.close()
            cls.block = cls.graph = cls.tracer = None


def disable_eager_execution() -> None:
    """Lets ops of this thread be added to a graph, the default one, for sessions to run.

    Raises:
        RuntimeError: A function is being traced, or a block of a graph is open.

    >>> import graphwright as tf
    >>> tf.compat.v1.disable_eager_execution()
    >>> x = tf.constant(2.0) * 3.0
    >>> with tf.compat.v1.Session() as session:
    ...     print(session.run(x))
    6.0
    >>> tf.compat.v1.reset_default_graph()
    >>> tf.compat.v1.enable_eager_execution()
    """
    if DefaultGraph.block is not None:
        return
    if current_tracer() is not None:
        raise RuntimeError(
            "tf.compat.v1.disable_eager_execution() is for the beginning of a program: call it "
            "outside of functions and of blocks of graphs"
        )
    DefaultGraph.open()


def enable_eager_execution(*args: object, **kwargs: object) -> None:
    """Lets ops run at once, as they do unless a program says otherwise.

    Args:
        *args: Ignored.
        **kwargs: Ignored.

    Raises:
        ValueError: The default graph has ops already.

    >>> import graphwright as tf
    >>> tf.compat.v1.enable_eager_execution()
    """
    if DefaultGraph.graph is not None and DefaultGraph.graph.nodes:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    DefaultGraph.close()


def reset_default_graph() -> None:
    """Takes a new default graph, where ops do not run at once; elsewhere empties the collections.

    Raises:
        AssertionError: A block of another graph is open, or a function is being traced.

    >>> import graphwright as tf
    >>> tf.compat.v1.reset_default_graph()
    """
    if current_tracer() is not DefaultGraph.tracer:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    if DefaultGraph.block is None:
        EAGER.collections.clear()
        return
    DefaultGraph.close()
    DefaultGraph.open()


def get_default_graph() -> Graph:
    """Returns the graph that ops are added to.

    Returns:
        A `tf.Graph`: that of the innermost block or function; one without ops where ops run at
        once.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default() as graph:
    ...     tf.compat.v1.get_default_graph() is graph
    True
    """
    tracer = current_tracer()
    return open_graph() if tracer is None else tracer.graph


class InteractiveSession(Session):
    """A session that is the default one from the start, until it is closed.

    Args:
        target: It must be empty.
        graph: A `tf.Graph`; None takes the one whose block is open.
        config: It has no effect.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     session = tf.compat.v1.InteractiveSession()
    ...     print((tf.constant(2.0) * 3.0).eval())
    ...     session.close()
    6.0
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        super().__init__(target, graph, config)
        SESSIONS.set((*SESSIONS.get(), self))

    def close(self) -> None:
        """Ends the session, which is no default one any more."""
        SESSIONS.set(tuple([session for session in SESSIONS.get() if session is not self]))
        super().close()
