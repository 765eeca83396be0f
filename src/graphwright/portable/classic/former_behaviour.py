"""Switches between the behaviour of TensorFlow 1 and 2, where programs can see a difference."""

from __future__ import annotations

from graphwright.portable.classic.default_graph import disable_eager_execution
from graphwright.types.shape import TensorShape
from graphwright.values.tensor_operators import Operators


def enable_v2_tensorshape() -> None:
    """Lets entries of shapes be ints and None, as they are unless a program says otherwise.

    >>> import graphwright as tf
    >>> tf.compat.v1.enable_v2_tensorshape()
    >>> tf.TensorShape([2, None])[0]
    2
    """
    TensorShape.gives_dimensions = False


def disable_v2_tensorshape() -> None:
    """Lets entries of shapes be `tf.compat.v1.Dimension`, whose sizes are in `value`.

    >>> import graphwright as tf
    >>> tf.compat.v1.disable_v2_tensorshape()
    >>> tf.TensorShape([2, None])[0].value
    2
    >>> tf.compat.v1.enable_v2_tensorshape()
    """
    TensorShape.gives_dimensions = True


def enable_tensor_equality() -> None:
    """Lets `==` compare elements of tensors, as it does unless a program says otherwise.

    >>> import graphwright as tf
    >>> tf.compat.v1.enable_tensor_equality()
    >>> bool(tf.constant(1) == tf.constant(1))
    True
    """
    Operators._compares_elements = True


def disable_tensor_equality() -> None:
    """Lets `==` say whether two tensors, or variables, are the same one.

    >>> import graphwright as tf
    >>> tf.compat.v1.disable_tensor_equality()
    >>> tf.constant([1, 1]) == tf.constant([1, 2])
    False
    >>> tf.compat.v1.enable_tensor_equality()
    """
    Operators._compares_elements = False


def disable_v2_behavior() -> None:
    """Turns to what TensorFlow 1 does: ops are added to a graph, for sessions to run.

    Entries of shapes are `tf.compat.v1.Dimension`, `==` says whether tensors are the same one, and
    branches and loops return what `disable_control_flow_v2` says.

    Raises:
        RuntimeError: A function is being traced, or a block of a graph is open.

    >>> import graphwright as tf
    >>> tf.compat.v1.disable_v2_behavior()
    >>> tf.constant([2.0, 3.0]).shape[0]
    Dimension(2)
    >>> tf.compat.v1.reset_default_graph()
    >>> tf.compat.v1.enable_eager_execution()
    >>> tf.compat.v1.enable_v2_tensorshape()
    >>> tf.compat.v1.enable_tensor_equality()
    >>> tf.compat.v1.enable_control_flow_v2()
    """
    disable_eager_execution()
    disable_v2_tensorshape()
    disable_tensor_equality()
    disable_control_flow_v2()


class ControlFlow:
    """What `tf.compat.v1.cond` and `while_loop` return in graphs that sessions run."""

    #: Whether it has the structures of TensorFlow 2.
    is_modern = True


def enable_control_flow_v2() -> None:
    """Lets branches and loops return what they do in TensorFlow 2.

    A list of one tensor stays a list, and a loop has the structure of its first values.

    >>> import graphwright as tf
    >>> tf.compat.v1.enable_control_flow_v2()
    """
    ControlFlow.is_modern = True


def disable_control_flow_v2() -> None:
    """Lets branches and loops of graphs return what they do in TensorFlow 1.

    A tensor takes the place of a list of one, and a loop has the structure that its body returns.

    >>> import graphwright as tf
    >>> tf.compat.v1.disable_control_flow_v2()
    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1)
    ...     tf.compat.v1.cond(x > 0, lambda: [x], lambda: [-x])
    <tf.Tensor 'cond:0' shape=() dtype=int32>
    >>> tf.compat.v1.enable_control_flow_v2()
    """
    ControlFlow.is_modern = False


def control_flow_v2_enabled() -> bool:
    """Says whether branches and loops return what they do in TensorFlow 2.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.compat.v1.control_flow_v2_enabled()
    True
    """
    return ControlFlow.is_modern


def enable_resource_variables() -> None:
    """Does nothing: variables are always those of TensorFlow 2.

    >>> import graphwright as tf
    >>> tf.compat.v1.enable_resource_variables()
    """


def disable_resource_variables() -> None:
    """Does nothing: variables are always those of TensorFlow 2.

    >>> import graphwright as tf
    >>> tf.compat.v1.disable_resource_variables()
    """


def resource_variables_enabled() -> bool:
    """Says whether variables are those of TensorFlow 2: always.

    Returns:
        True.

    >>> import graphwright as tf
    >>> tf.compat.v1.resource_variables_enabled()
    True
    """
    return True
