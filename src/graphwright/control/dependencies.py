"""Order and grouping of effects: `no_op`, `group`, `control_dependencies`.

Program order is the order of effects in a function, so these functions only require that their
arguments were made before. In a graph that blocks of a program add to, a session runs what its
fetches need alone: there they say what is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from graphwright.control.graph_variable import GraphVariable
from graphwright.ir.control_edges import waiting
from graphwright.ir.graph import Node
from graphwright.ir.operation import Operation
from graphwright.op.interpreter import apply, convert
from graphwright.ops.core.effect_ops import NoOp
from graphwright.ops.core.identity import identity
from graphwright.trace.tracer import Tracer, current_tracer
from graphwright.types import tree
from graphwright.types.arguments import Tensor, TensorLike


def no_op(name: str | None = None) -> Any:
    """Does nothing; while tracing, it adds an op that does nothing to the graph.

    Args:
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    >>> import graphwright as tf
    >>> tf.no_op()
    """
    return None if current_tracer() is None else apply(NoOp.of(), name=name)


def group(*inputs: object, **kwargs: str | None) -> Any:
    """Makes one operation that comes after others.

    In a function effects happen in the order of the program, so it adds an op that does nothing.

    Args:
        *inputs: Tensors, operations, or nested structures of them.
        **kwargs: `name`: a name for the op.

    Returns:
        In a block of `tf.Graph.as_default` a `tf.Operation`, which runs all others. Else None.

    Raises:
        ValueError: Another keyword is given.

    >>> import graphwright as tf
    >>> v = tf.Variable(0)
    >>> tf.group(v.assign(1), v.assign_add(2))
    >>> v.numpy()
    np.int32(3)
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}.")
    flat = tree.flatten(list(inputs), expand_composites=True)
    tracer = current_tracer()
    if tracer is None or not tracer.graph.is_plain:
        return no_op(name)
    with waiting(tracer.graph, nodes_of(tracer, flat)):
        return no_op(name or "group_deps")


@contextmanager
def control_dependencies(control_inputs: object) -> Iterator[None]:
    """Opens a block whose ops come after others.

    In a function effects happen in the order of the program in any case, so it only calls the
    callables it is given. In a block of `tf.Graph.as_default` a session that runs an op of this
    block runs those others first.

    Args:
        control_inputs: Tensors, operations or functions without parameters, or None, which leaves
            the blocks around.

    Yields:
        None.

    >>> import graphwright as tf
    >>> v = tf.Variable(0)
    >>> with tf.control_dependencies([v.assign(1)]):
    ...     after = v + 1
    >>> after
    <tf.Tensor: shape=(), dtype=int32, numpy=2>
    """
    flat = tree.flatten([] if control_inputs is None else control_inputs, expand_composites=True)
    values = [v() if callable(v) and not hasattr(v, "dtype") else v for v in flat]
    tracer = current_tracer()
    if tracer is None or not tracer.graph.is_plain:
        yield
    else:
        nodes = None if control_inputs is None else nodes_of(tracer, values)
        with waiting(tracer.graph, nodes):
            yield


def nodes_of(tracer: Tracer, values: Sequence[Any]) -> list[Node]:
    """The nodes that must run for tensors, operations and variables."""
    nodes = []
    for value in values:
        if isinstance(value, Operation):
            nodes.append(value.node)
        elif isinstance(value, GraphVariable):
            nodes.append(value.op.node)
        elif hasattr(value, "dtype"):
            nodes.append(tracer.value_of(convert(value)).node)
    return nodes


def tuple(
    tensors: Sequence[TensorLike | None], control_inputs: object = None, name: str | None = None
) -> list[Tensor]:
    """Returns tensors that are all computed before one of them is used.

    Args:
        tensors: A list of tensors; None stays None.
        control_inputs: Tensors or operations that come before them too, or None.
        name: A name for the op.

    Returns:
        A list of tensors like `tensors`; eagerly, `tensors` itself.

    Raises:
        ValueError: While tracing, `tensors` holds no tensor.
        TypeError: While tracing, `control_inputs` holds something else.

    >>> import graphwright as tf
    >>> [x.numpy().item() for x in tf.tuple([tf.constant(1), tf.constant(2)])]
    [1, 2]
    """
    if current_tracer() is None:
        return tensors  # type: ignore[return-value]
    if all(t is None for t in tensors):
        raise ValueError(f"`tensors` must have at least one tensor. Received: {tensors}.")
    others = tree.flatten([] if control_inputs is None else control_inputs)
    for value in others:
        if not hasattr(value, "dtype") and not hasattr(value, "outputs"):
            raise TypeError(f"`control_inputs` must be tensors or operations, got {value!r}.")
    with control_dependencies([*[t for t in tensors if t is not None], *others]):
        after: list[Any] = [None if t is None else identity(t, name=name) for t in tensors]
    return after
