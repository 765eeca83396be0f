"""Functions of TensorFlow 1 whose arguments or results are others than those of their namesakes."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from graphwright.autodiff.tape import UnconnectedGradients
from graphwright.control import branch, jacobian, loop
from graphwright.op.interpreter import activate
from graphwright.ops.core import indexing
from graphwright.ops.core.identity import identity
from graphwright.ops.core.movement import reshape
from graphwright.ops.nn.dropout import dropout as drop
from graphwright.portable.classic.former_behaviour import ControlFlow
from graphwright.portable.classic.variable_scopes import list_in
from graphwright.trace.scopes import name_scope as scope_of
from graphwright.trace.tracer import current_tracer
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.shape import TensorShape
from graphwright.values import convert as conversion
from graphwright.values.convert import convert
from graphwright.values.variable import Variable


def variable(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Sequence[Hashable] | None = None,
    validate_shape: bool = True,
    caching_device: object = None,
    name: str | None = None,
    variable_def: object = None,
    dtype: DTypeLike | None = None,
    expected_shape: object = None,
    import_scope: object = None,
    constraint: Callable[[TensorValue], TensorLike] | None = None,
    use_resource: bool | None = None,
    **options: Any,
) -> Variable:
    """Makes a variable, as `tf.Variable` does, and lists it in collections.

    Args:
        initial_value: A tensor, anything that converts to one, or a function that returns one.
        trainable: A bool: whether it is listed as trained. None means True.
        collections: The names of the collections that list it; None is "variables".
        validate_shape: It has no effect: shapes must fit.
        caching_device: It has no effect.
        name: A string; "Variable" by default.
        variable_def: It has no effect.
        dtype: The dtype; None takes that of `initial_value`.
        expected_shape: It has no effect.
        import_scope: It has no effect.
        constraint: A function that takes the value and returns its projection.
        use_resource: It has no effect.
        **options: `synchronization`, `aggregation` and `shape`, as `tf.Variable` takes them.

    Returns:
        A variable.

    Raises:
        ValueError: There is no initial value.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.Variable(0, collections=["local_variables"], trainable=False)
    ...     len(tf.compat.v1.global_variables()), len(tf.compat.v1.local_variables())
    (0, 1)
    """
    made = Variable(
        initial_value, trainable=trainable, name=name, dtype=dtype, constraint=constraint, **options
    )
    list_in(made, collections)
    return made


def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike = None,
    name: str | None = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """Makes a tensor of a value; where it has too few elements for the shape, the last one repeats.

    Args:
        value: A number, a string, a list or an array.
        dtype: The dtype; None takes that of the value.
        shape: The shape; None takes that of the value.
        name: A name for the op.
        verify_shape: A bool: whether the value must have the shape.

    Returns:
        A tensor.

    Raises:
        TypeError: `verify_shape` is True, and the shapes differ.
        ValueError: The value has too many elements.

    >>> import graphwright as tf
    >>> tf.compat.v1.constant([1, 2], shape=[2, 2]).numpy().tolist()
    [[1, 2], [2, 2]]
    """
    title = name or "Const"
    if shape is None:
        return conversion.constant(value, dtype, None, title)
    with activate(None):
        plain: Any = conversion.constant(value, dtype)
    array, dims = plain._array, TensorShape(shape).as_list()
    if verify_shape and list(array.shape) != dims:
        raise TypeError(f"Expected Tensor's shape: {tuple(dims)}, but got {array.shape}.")
    lacking = math.prod(size or 0 for size in dims) - array.size
    if array.size and lacking > 0:
        flat = array.reshape(-1)
        array = np.concatenate([flat, np.repeat(flat[-1:], lacking)])
    return conversion.constant(array, plain.dtype, dims, title)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    shape_invariants: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: TensorLike | None = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeats a body while a condition holds, as `tf.while_loop` does.

    Args:
        cond: A function of the loop variables that returns a scalar of dtype bool.
        body: A function of the loop variables that returns the next ones.
        loop_vars: A list of tensors, or of structures of them.
        shape_invariants: What is known of their shapes in all turns.
        parallel_iterations: It has no effect.
        back_prop: A bool: whether gradients go through.
        swap_memory: It has no effect.
        name: A name for the op.
        maximum_iterations: The greatest number of turns, or None.
        return_same_structure: A bool: whether one loop variable is returned in a list.

    Returns:
        The loop variables after the loop: one alone by itself. Where a program has turned to the
        control flow of TensorFlow 1, they are in a list or tuple as `body` returns it.

    >>> import graphwright as tf
    >>> tf.compat.v1.while_loop(lambda i: i < 10, lambda i: i + 3, [0]).numpy()
    np.int32(12)
    """
    kinds: list[type] = []

    def step(*variables: Any) -> Any:
        following = body(*variables)
        kinds.append(type(following))
        return following

    result = loop.while_loop(
        cond, step if callable(body) else body, loop_vars, shape_invariants, parallel_iterations,
        back_prop, swap_memory, maximum_iterations, name,
    )  # fmt: skip
    if is_former() and type(result) in (list, tuple):
        result = tuple(result) if kinds[-1] is tuple else list(result)
    is_one = isinstance(result, (list, tuple)) and len(result) == 1
    return result[0] if is_one and not return_same_structure else result


def is_former() -> bool:
    """Whether branches and loops return what they do in TensorFlow 1: never in functions."""
    tracer = current_tracer()
    return tracer is not None and tracer.is_for_sessions and not ControlFlow.is_modern


def cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """Calls one of two functions, as `tf.cond` does.

    Args:
        pred: A scalar of dtype bool.
        true_fn: A function of no arguments.
        false_fn: A function of no arguments.
        strict: A bool: whether a list of one item stays one where ops run at once. In graphs it
            does, unless a program has turned to the control flow of TensorFlow 1.
        name: A name for the op.
        fn1: An earlier name of `true_fn`.
        fn2: An earlier name of `false_fn`.

    Returns:
        What the function returns.

    Raises:
        TypeError: A function is missing.

    >>> import graphwright as tf
    >>> tf.compat.v1.cond(True, lambda: [tf.constant(1)], lambda: [tf.constant(2)]).numpy()
    np.int32(1)
    """
    true_fn, false_fn = true_fn or fn1, false_fn or fn2
    for role, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is None:
            raise TypeError(f"cond(): '{role}' argument required")
    result = branch.cond(pred, true_fn, false_fn, name)
    unpacks = (current_tracer() is None or is_former()) and not strict
    is_one = isinstance(result, (list, tuple)) and len(result) == 1
    return result[0] if unpacks and is_one else result


def gradients(
    ys: object,
    xs: object,
    grad_ys: object = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: object = None,
    stop_gradients: object = None,
    unconnected_gradients: UnconnectedGradients | str = "none",
) -> list[Tensor]:
    """Differentiates the sum of tensors of a graph, as `tf.gradients` does.

    Args:
        ys: A tensor or a list of tensors: what is differentiated.
        xs: A tensor or a list of tensors or variables: with respect to what.
        grad_ys: Weights of `ys`, or None for ones.
        name: It has no effect.
        colocate_gradients_with_ops: It has no effect.
        gate_gradients: It has no effect.
        aggregation_method: It has no effect.
        stop_gradients: Tensors that are taken as constants, or None.
        unconnected_gradients: "none" or "zero".

    Returns:
        A list with a tensor for each x, or None where no y depends on it.

    Raises:
        RuntimeError: Ops run at once.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.constant(3.0)
    ...     y = tf.compat.v1.while_loop(lambda y: y < 50.0, lambda y: y * x, [x])
    ...     session.run(tf.compat.v1.gradients(y, x))
    [np.float32(108.0)]
    """
    return jacobian.gradients(
        ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients,
        unconnected_gradients,
    )  # fmt: skip


def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Chooses elements, or rows, of one of two tensors.

    Args:
        condition: A tensor of dtype bool, of the shape of `x`, or a vector with an element a row.
        x: A tensor, or None.
        y: A tensor of the shape and dtype of `x`, or None.
        name: A name for the op.

    Returns:
        A tensor like `x`; without `x` and `y` the places where the condition holds, as int64 of
        shape [n, rank].

    Raises:
        ValueError: One of `x` and `y` is None, and the other is not.

    >>> import graphwright as tf
    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy().tolist()
    [[1, 2], [7, 8]]
    """
    if x is None and y is None:
        return indexing.where(condition, name=name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    chosen = convert(condition)
    rank = convert(x).type.rank
    if chosen.type.rank == 1 and rank is not None and rank > 1:
        chosen = reshape(chosen, [-1, *[1] * (rank - 1)])
    return indexing.where(chosen, x, y, name)


@contextmanager
def name_scope(
    name: str | None, default_name: str | None = None, values: object = None
) -> Iterator[str]:
    """Names the ops of the block `name/...`.

    Args:
        name: A string, or None.
        default_name: A string for where `name` is None.
        values: It has no effect.

    Yields:
        The name of the scope, with a slash at its end.

    Raises:
        TypeError: A name is no string.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.name_scope(None, "layer") as scope:
    ...     scope
    'layer/'
    """
    text = default_name if name is None else name
    if text is None:
        if values is not None:
            raise ValueError(
                "At least one of name (None) and default_name (None) should be provided."
            )
        text = ""
    if not isinstance(text, str):
        raise TypeError("name for name_scope must be a string.")
    with scope_of(text) as scope:
        yield scope


def placeholder_with_default(
    input: TensorLike, shape: ShapeLike, name: str | None = None
) -> Tensor:
    """Returns a tensor that a session takes another value for, if one is fed.

    Args:
        input: The value where none is fed.
        shape: What the shape of a value may be, such as [None, 3].
        name: A string, or None.

    Returns:
        A tensor.

    Raises:
        ValueError: The shape of `input` does not fit.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     rate = tf.compat.v1.placeholder_with_default(0.5, [])
    ...     session.run(rate * 2.0), session.run(rate * 2.0, {rate: 4.0})
    (np.float32(1.0), np.float32(8.0))
    """
    value = convert(input)
    dims = TensorShape(shape)
    if not dims.is_compatible_with(value.shape):
        raise ValueError(f"the default has the shape {value.shape}, which is not in {dims}")
    made = identity(value, name=name or "PlaceholderWithDefault")
    if hasattr(made, "_value"):
        made._value.type = made._value.type.with_dims(dims._dims)
    return made


def dropout(
    x: TensorLike,
    keep_prob: TensorLike | None = None,
    noise_shape: TensorLike | None = None,
    seed: int | None = None,
    name: str | None = None,
    rate: TensorLike | None = None,
) -> Tensor:
    """Sets random elements to zero, and scales the others up.

    Args:
        x: A tensor of a float dtype.
        keep_prob: The probability that an element stays; an earlier way to say `1 - rate`.
        noise_shape: The shape of what is drawn, which broadcasts to that of `x`.
        seed: An int, or None.
        name: A name for the op.
        rate: The probability that an element becomes zero.

    Returns:
        A tensor like `x`.

    Raises:
        ValueError: Both `keep_prob` and `rate` are given, or none.

    >>> import graphwright as tf
    >>> tf.compat.v1.nn.dropout(tf.ones([2]), keep_prob=1.0).numpy()
    array([1., 1.], dtype=float32)
    """
    if keep_prob is not None:
        if rate is not None:
            raise ValueError("Cannot specify both 'rate' and 'keep_prob'.")
        rate = 1.0 - convert(keep_prob)
    if rate is None:
        raise ValueError(f"`rate` must be a scalar tensor or a float. Got: {rate}")
    return drop(x, rate, noise_shape, seed, name)
