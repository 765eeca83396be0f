"""What a graph lists by name: its variables, and what programs add."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from graphwright.control.graph_variable import GLOBAL, LOCAL, TRAINABLE, GraphVariable
from graphwright.ir.graph import Graph
from graphwright.trace.tracer import current_tracer


class GraphKeys:
    """The names of the collections that programs share.

    >>> import graphwright as tf
    >>> tf.compat.v1.GraphKeys.TRAINABLE_VARIABLES
    'trainable_variables'
    """

    ACTIVATIONS = "activations"
    BIASES = "biases"
    COND_CONTEXT = "cond_context"
    EVAL_STEP = "eval_step"
    GLOBAL_STEP = "global_step"
    GLOBAL_VARIABLES = GLOBAL
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    LOCAL_VARIABLES = LOCAL
    LOSSES = "losses"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    QUEUE_RUNNERS = "queue_runners"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    READY_OP = "ready_op"
    REGULARIZATION_LOSSES = "regularization_losses"
    RESOURCES = "resources"
    SAVEABLE_OBJECTS = "saveable_objects"
    SAVERS = "savers"
    SUMMARIES = "summaries"
    SUMMARY_OP = "summary_op"
    TABLE_INITIALIZERS = "table_initializer"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    TRAINABLE_VARIABLES = TRAINABLE
    TRAIN_OP = "train_op"
    UPDATE_OPS = "update_ops"
    VARIABLES = GLOBAL
    WEIGHTS = "weights"
    WHILE_CONTEXT = "while_context"


#: The collections of programs that open no graph.
EAGER = Graph("default")


def open_graph() -> Graph:
    """The graph that the program adds to; one of no ops where ops run at once."""
    tracer = current_tracer()
    while tracer is not None and not tracer.graph.is_plain:
        tracer = tracer.outer
    return EAGER if tracer is None else tracer.graph


def get_collection(key: Hashable, scope: str | None = None) -> list[Any]:
    """Returns what the open graph lists under a name.

    Args:
        key: The name, as those of `tf.compat.v1.GraphKeys`.
        scope: A regular expression: only items count whose names begin so. None takes all.

    Returns:
        A new list.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0, name="rate")
    ...     [v.name for v in tf.compat.v1.get_collection("variables")]
    ['rate:0']
    """
    return open_graph().get_collection(key, scope)


def get_collection_ref(key: Hashable) -> list[Any]:
    """Returns the list itself that the open graph has under a name.

    Args:
        key: The name.

    Returns:
        A list, which changes the graph's collection when it is changed.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.get_collection_ref("names").append("a")
    ...     tf.compat.v1.get_collection("names")
    ['a']
    """
    return open_graph().get_collection_ref(key)


def add_to_collection(name: Hashable, value: object) -> None:
    """Adds a value to what the open graph lists under a name.

    Args:
        name: The name of the collection.
        value: Anything.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.add_to_collection("losses", 3)
    ...     tf.compat.v1.get_collection("losses")
    [3]
    """
    get_collection_ref(name).append(value)


def add_to_collections(names: str | Iterable[str], value: object) -> None:
    """Adds a value to several collections of the open graph.

    Args:
        names: The name of one collection, or several names.
        value: Anything.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.add_to_collections(["a", "b"], 3)
    ...     tf.compat.v1.get_collection("b")
    [3]
    """
    for name in [names] if isinstance(names, str) else dict.fromkeys(names):
        add_to_collection(name, value)


def global_variables(scope: str | None = None) -> list[GraphVariable]:
    """Returns the variables of the open graph, but for local ones.

    Args:
        scope: A regular expression for the beginnings of names, or None.

    Returns:
        A list of variables.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0, trainable=False)
    ...     len(tf.compat.v1.global_variables()), len(tf.compat.v1.trainable_variables())
    (1, 0)
    """
    return get_collection(GLOBAL, scope)


def trainable_variables(scope: str | None = None) -> list[GraphVariable]:
    """Returns the variables of the open graph that are trained.

    Args:
        scope: A regular expression for the beginnings of names, or None.

    Returns:
        A list of variables.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0, name="rate")
    ...     [v.name for v in tf.compat.v1.trainable_variables("ra")]
    ['rate:0']
    """
    return get_collection(TRAINABLE, scope)


def local_variables(scope: str | None = None) -> list[GraphVariable]:
    """Returns the local variables of the open graph, which no saver saves.

    Args:
        scope: A regular expression for the beginnings of names, or None.

    Returns:
        A list of variables.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.local_variables()
    []
    """
    return get_collection(LOCAL, scope)
