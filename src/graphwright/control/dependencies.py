"""Order and grouping of effects: `no_op`, `group`, `control_dependencies`.

Program order is the order of effects in a graph, so these functions only require that their
arguments were made before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from graphwright.op.interpreter import apply
from graphwright.ops.core.effect_ops import NoOp
from graphwright.ops.core.identity import identity
from graphwright.trace.tracer import current_tracer
from graphwright.types import tree
from graphwright.types.arguments import TensorLike


def no_op(name: str | None = None) -> None:
    """Does nothing; while tracing, it adds an op that does nothing to the graph.

    Args:
        name: A name for the op.

    >>> import graphwright as tf
    >>> tf.no_op()
    """
    if current_tracer() is not None:
        apply(NoOp.of(), name=name)


def group(*inputs: object, **kwargs: str | None) -> None:
    """Makes one operation that comes after others.

    Effects happen in the order of the program in any case, so it adds an op that does nothing.

    Args:
        *inputs: Tensors, operations, or nested structures of them.
        **kwargs: `name`: a name for the op.

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
    tree.flatten(list(inputs), expand_composites=True)
    no_op(name)


@contextmanager
def control_dependencies(control_inputs: object) -> Iterator[None]:
    """Opens a block whose ops come after others.

    Effects happen in the order of the program in any case, so it only calls the callables it is
    given.

    Args:
        control_inputs: Tensors, operations or functions without parameters, or None.

    Yields:
        None.

    >>> import graphwright as tf
    >>> v = tf.Variable(0)
    >>> with tf.control_dependencies([v.assign(1)]):
    ...     after = v + 1
    >>> after
    <tf.Tensor: shape=(), dtype=int32, numpy=2>
    """
    for value in tree.flatten([] if control_inputs is None else control_inputs):
        if callable(value) and not hasattr(value, "dtype"):
            value()
    yield


def tuple(
    tensors: Sequence[TensorLike | None], control_inputs: object = None, name: str | None = None
) -> Any:
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
        return tensors
    if all(t is None for t in tensors):
        raise ValueError(f"`tensors` must have at least one tensor. Received: {tensors}.")
    for value in tree.flatten([] if control_inputs is None else control_inputs):
        if not hasattr(value, "dtype") and not hasattr(value, "outputs"):
            raise TypeError(f"`control_inputs` must be tensors or operations, got {value!r}.")
    return [None if t is None else identity(t, name=name) for t in tensors]
