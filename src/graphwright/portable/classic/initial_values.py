"""Operations that give variables of a graph their values: initializers and assignments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graphwright.control.dependencies import group
from graphwright.control.graph_variable import GraphVariable
from graphwright.ops.core.indexing import boolean_mask
from graphwright.ops.core.joining import stack
from graphwright.ops.math.comparison import logical_not
from graphwright.ops.state import variable_counts
from graphwright.portable.classic.graph_collections import (
    GraphKeys,
    get_collection,
    global_variables,
    local_variables,
)
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.values.convert import constant, convert
from graphwright.values.variable import Variable


def variables_initializer(var_list: Sequence[Variable], name: str = "init") -> Any:
    """Returns an operation that gives variables their initial values.

    Args:
        var_list: A list of variables of the open graph.
        name: A name for the operation.

    Returns:
        A `tf.Operation`; None where ops run at once, and variables have their values already.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable(2.0)
    ...     session.run(tf.compat.v1.variables_initializer([v]))
    ...     session.run(v)
    np.float32(2.0)
    """
    operations = [v.initializer for v in var_list if isinstance(v, GraphVariable)]
    return group(*operations, name=name)


def global_variables_initializer() -> Any:
    """Returns an operation that gives all global variables of the graph their initial values.

    Returns:
        A `tf.Operation`; None where ops run at once.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable([1, 2])
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(v)
    array([1, 2], dtype=int32)
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """Returns an operation that gives all local variables of the graph their initial values.

    Returns:
        A `tf.Operation`; None where ops run at once.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.local_variables_initializer()
    <tf.Operation 'init' type=NoOp>
    """
    return variables_initializer(local_variables())


def tables_initializer(name: str = "init_all_tables") -> Any:
    """Returns an operation that does nothing: tables are filled as they are made.

    Args:
        name: A name for the operation.

    Returns:
        A `tf.Operation`; None where ops run at once.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.tables_initializer()
    <tf.Operation 'init_all_tables' type=NoOp>
    """
    return group(*get_collection(GraphKeys.TABLE_INITIALIZERS), name=name)


def is_variable_initialized(variable: Variable) -> Any:
    """Returns whether a variable has a value.

    Args:
        variable: A variable.

    Returns:
        A scalar tensor of dtype bool.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     session.run(tf.compat.v1.is_variable_initialized(tf.Variable(1.0)))
    np.False_
    """
    return variable.is_initialized()


def report_uninitialized_variables(
    var_list: Iterable[Variable] | None = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """Returns the names of variables that have no value.

    Args:
        var_list: Variables; None takes all global and local ones.
        name: It has no effect.

    Returns:
        A vector of strings.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable(1.0, name="v")
    ...     session.run(tf.compat.v1.report_uninitialized_variables())
    array([b'v'], dtype=object)
    """
    every: list[Any] = (
        [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    )
    if not every:
        return constant([], dt.string)
    flags = stack([convert(v.is_initialized(), dt.bool_) for v in every])
    names = constant([v.name.partition(":")[0] for v in every], dt.string)
    return boolean_mask(names, logical_not(flags))


def assign(
    ref: Variable,
    value: TensorLike,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Variable:
    """Sets the value of a variable.

    Args:
        ref: The variable.
        value: A tensor of its dtype and shape.
        validate_shape: It has no effect: shapes must fit.
        use_locking: It has no effect.
        name: A name for the op.

    Returns:
        The variable after the assignment.

    Raises:
        ValueError: The shape of `value` does not fit.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     session.run(tf.compat.v1.assign(tf.Variable(1.0), 5.0))
    np.float32(5.0)
    """
    result: Variable = ref.assign(value, name=name)
    return result


def assign_add(
    ref: Variable, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Variable:
    """Adds to the value of a variable.

    Args:
        ref: The variable.
        value: A tensor of its dtype and shape.
        use_locking: It has no effect.
        name: A name for the op.

    Returns:
        The variable after the assignment.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable(1.0)
    ...     session.run(v.initializer)
    ...     session.run(tf.compat.v1.assign_add(v, 5.0))
    np.float32(6.0)
    """
    result: Variable = ref.assign_add(value, name=name)
    return result


def count_up_to(ref: Variable, limit: int, name: str | None = None) -> Tensor:
    """Returns the value of a variable, and adds one to it, unless it has reached a limit.

    Args:
        ref: The variable, a scalar of dtype int32 or int64.
        limit: An int.
        name: A name for the op.

    Returns:
        A scalar tensor of its dtype: the value before.

    Raises:
        OutOfRangeError: The value is `limit` or more. It stays as it is.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable(7)
    ...     session.run(v.initializer)
    ...     print(session.run(tf.compat.v1.count_up_to(v, 9)), session.run(v))
    7 8
    """
    result: Tensor = variable_counts.count_up_to(
        ref.handle, limit, ref._storage.value_type, name
    )
    return result


def assign_sub(
    ref: Variable, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Variable:
    """Subtracts from the value of a variable.

    Args:
        ref: The variable.
        value: A tensor of its dtype and shape.
        use_locking: It has no effect.
        name: A name for the op.

    Returns:
        The variable after the assignment.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable(1.0)
    ...     session.run(v.initializer)
    ...     session.run(tf.compat.v1.assign_sub(v, 5.0))
    np.float32(-4.0)
    """
    result: Variable = ref.assign_sub(value, name=name)
    return result
