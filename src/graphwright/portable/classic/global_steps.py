"""The number of training steps as a variable of a graph, and learning rates that depend on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.control.dependencies import control_dependencies
from graphwright.ir.graph import Graph
from graphwright.library.optimizers import schedules
from graphwright.ops.math.transcendental import exp
from graphwright.portable.classic.graph_collections import GraphKeys, open_graph
from graphwright.portable.graphs.session import Session
from graphwright.trace.scopes import name_scope
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.values.convert import convert
from graphwright.values.variable import Variable


def get_global_step(graph: Graph | None = None) -> Variable | None:
    """Returns the variable that counts training steps.

    Args:
        graph: A `tf.Graph`; None takes the open one.

    Returns:
        A variable, or None where there is none.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.train.get_global_step())
    None
    """
    steps = (graph or open_graph()).get_collection(GraphKeys.GLOBAL_STEP, None)
    return steps[0] if steps else None


def create_global_step(graph: Graph | None = None) -> Variable:
    """Makes the variable that counts training steps, of dtype int64.

    Args:
        graph: It must be None: the variable belongs to the open graph.

    Returns:
        A variable.

    Raises:
        ValueError: There is one already.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.create_global_step()
    <tf.Variable 'global_step:0' shape=() dtype=int64>
    """
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with control_dependencies(None), name_scope(""):
        step = Variable(0, dtype=dt.int64, trainable=False, name="global_step")
    open_graph().collections.setdefault(GraphKeys.GLOBAL_STEP, []).append(step)
    return step


def get_or_create_global_step(graph: Graph | None = None) -> Variable:
    """Returns the variable that counts training steps, and makes it where there is none.

    Args:
        graph: A `tf.Graph`; None takes the open one.

    Returns:
        A variable of dtype int64.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     step is tf.compat.v1.train.get_or_create_global_step()
    True
    """
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def global_step(sess: Session, global_step_tensor: object) -> int:
    """Returns how many training steps there have been.

    Args:
        sess: A `tf.compat.v1.Session`.
        global_step_tensor: The variable that counts them.

    Returns:
        An int.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     step = tf.compat.v1.train.create_global_step()
    ...     session.run(step.initializer)
    ...     tf.compat.v1.train.global_step(session, step)
    0
    """
    return int(sess.run(global_step_tensor))


def scalars(*values: TensorLike) -> tuple[Any, ...]:
    """Numbers and tensors as schedules take them, which compute with either."""
    return values


def exponential_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns `learning_rate * decay_rate ** (global_step / decay_steps)`.

    Args:
        learning_rate: The rate at step 0, a float.
        global_step: The step, a scalar of an integer dtype.
        decay_steps: In so many steps the rate decays by `decay_rate`.
        decay_rate: A float.
        staircase: A bool: whether the exponent is a whole number.
        name: A name for the ops.

    Returns:
        A scalar tensor.

    >>> import graphwright as tf
    >>> tf.compat.v1.train.exponential_decay(0.5, 10, 5, 0.5).numpy()
    np.float32(0.125)
    """
    rate, steps, share = scalars(learning_rate, decay_steps, decay_rate)
    return schedules.ExponentialDecay(rate, steps, share, staircase, name or "ExponentialDecay")(
        global_step
    )


def inverse_time_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns `learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    Args:
        learning_rate: The rate at step 0, a float.
        global_step: The step, a scalar of an integer dtype.
        decay_steps: The steps that the quotient counts.
        decay_rate: A float.
        staircase: A bool: whether the quotient is a whole number.
        name: A name for the ops.

    Returns:
        A scalar tensor.

    >>> import graphwright as tf
    >>> tf.compat.v1.train.inverse_time_decay(0.5, 10, 10, 1.0).numpy()
    np.float32(0.25)
    """
    rate, steps, share = scalars(learning_rate, decay_steps, decay_rate)
    return schedules.InverseTimeDecay(rate, steps, share, staircase, name or "InverseTimeDecay")(
        global_step
    )


def polynomial_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    end_learning_rate: TensorLike = 0.0001,
    power: TensorLike = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns a rate that goes to another one along a power of the steps.

    Args:
        learning_rate: The rate at step 0, a float.
        global_step: The step, a scalar of an integer dtype.
        decay_steps: The step that has the other rate.
        end_learning_rate: That rate.
        power: A float.
        cycle: A bool: whether the decay begins anew after its end.
        name: A name for the ops.

    Returns:
        A scalar tensor.

    >>> import graphwright as tf
    >>> tf.compat.v1.train.polynomial_decay(1.0, 5, 10, 0.0).numpy()
    np.float32(0.5)
    """
    rate, steps, end, exponent = scalars(learning_rate, decay_steps, end_learning_rate, power)
    title = name or "PolynomialDecay"
    schedule = schedules.PolynomialDecay(rate, steps, end, exponent, cycle, title)
    return schedule(global_step)


def cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    alpha: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Returns a rate that goes down along half a cosine.

    Args:
        learning_rate: The rate at step 0, a float.
        global_step: The step, a scalar of an integer dtype.
        decay_steps: The step at which the rate is lowest.
        alpha: The share of the rate that remains then.
        name: A name for the ops.

    Returns:
        A scalar tensor.

    >>> import graphwright as tf
    >>> tf.compat.v1.train.cosine_decay(0.5, 10, 20).numpy()
    np.float32(0.25)
    """
    rate, steps = scalars(learning_rate, decay_steps)
    return schedules.CosineDecay(rate, steps, alpha, name or "CosineDecay")(global_step)


def piecewise_constant(
    x: TensorLike, boundaries: Sequence[float], values: Sequence[float], name: str | None = None
) -> Tensor:
    """Returns one of several rates, as steps go on.

    Args:
        x: The step, a scalar.
        boundaries: A list of steps: the last ones of all rates but the last.
        values: A list of rates, one more than there are boundaries.
        name: A name for the ops.

    Returns:
        A scalar tensor.

    Raises:
        ValueError: The lengths do not fit.

    >>> import graphwright as tf
    >>> tf.compat.v1.train.piecewise_constant(7, [5, 10], [1.0, 0.5, 0.1]).numpy()
    np.float32(0.5)
    """
    return schedules.PiecewiseConstantDecay(boundaries, values, name or "PiecewiseConstant")(x)


def natural_exp_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns `learning_rate * exp(-decay_rate * global_step / decay_steps)`.

    Args:
        learning_rate: The rate at step 0, a float.
        global_step: The step, a scalar of an integer dtype.
        decay_steps: The steps that the quotient counts.
        decay_rate: A float.
        staircase: A bool: whether the quotient is a whole number.
        name: A name for the ops.

    Returns:
        A scalar tensor.

    >>> import graphwright as tf
    >>> tf.compat.v1.train.natural_exp_decay(1.0, 0, 5, 0.5).numpy()
    np.float32(1.0)
    """
    rate = exp(-convert(decay_rate, hint=dt.float32))
    return exponential_decay(learning_rate, global_step, decay_steps, rate, staircase, name)
