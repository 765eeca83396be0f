"""`tf.test.compute_gradient`: the derivatives of a function, by its rules and by differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from graphwright.autodiff.tape import GradientTape
from graphwright.op.interpreter import convert
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.arrays import Array, ArrayDType

#: A function of tensors.
TensorFunction: TypeAlias = Callable[..., TensorValue]

_DELTA = 1.0 / 1024


def compute_gradient(
    f: TensorFunction, x: Sequence[TensorLike], delta: float | None = None
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Returns the Jacobians of a function, by gradients and by finite differences.

    Args:
        f: A function of as many tensors as `x` has, which returns a tensor.
        x: A list of its arguments: tensors of floats or complex numbers, or values that make them.
        delta: The step of the central differences. None means 1/1024.

    Returns:
        Two tuples, exact and approximate, with a NumPy matrix for each argument. It has a row for
        each element of the result and a column for each of the argument. A complex number counts as
        two elements.

    Raises:
        ValueError: `x` is no list or tuple.
        AssertionError: An argument has another dtype.

    >>> import graphwright as tf
    >>> exact, near = tf.test.compute_gradient(lambda x: x * x, [tf.constant([1.0, 3.0])])
    >>> exact[0]
    array([[2., 0.],
           [0., 6.]], dtype=float32)
    >>> bool(np.allclose(exact, near, atol=1e-2))
    True
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), "
            f"not a {type(x)}"
        )
    arguments = [convert(value) for value in x]
    for place, tensor in enumerate(arguments):
        if not (tensor.dtype.is_floating or tensor.dtype.is_complex):
            raise AssertionError(
                f"Cannot compute gradient for unsupported type {tensor.dtype.name} of argument "
                f"{place}"
            )
    exact = by_rules(f, arguments)
    step = _DELTA if delta is None else delta
    near = tuple(by_differences(f, arguments, i, step) for i in range(len(arguments)))
    return exact, near


def parts(array: Array) -> Array:
    """The real numbers of an array in a row, complex ones as two each."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def by_rules(f: TensorFunction, arguments: Sequence[TensorValue]) -> tuple[Array, ...]:
    """The Jacobians, a row for each element of the result, by gradients."""
    with GradientTape(persistent=True) as tape:
        tape.watch(arguments)
        result = f(*arguments)
    value = np.asarray(result)
    count = parts(value).size
    matrices = [np.zeros((count, parts(np.asarray(a)).size), real(a)) for a in arguments]
    for row in range(count):
        seed = np.zeros_like(value)
        parts_of_seed = parts(seed)
        parts_of_seed[row] = 1
        seed = parts_of_seed.view(value.dtype).reshape(value.shape)
        gradients = tape.gradient(result, arguments, output_gradients=convert(seed))
        for matrix, gradient in zip(matrices, gradients):
            if gradient is not None:
                matrix[row] = parts(np.asarray(convert(gradient)))
    return tuple(matrices)


def real(tensor: TensorValue) -> ArrayDType:
    """The dtype of the real numbers in a tensor."""
    return parts(np.asarray(tensor)).dtype


def by_differences(
    f: TensorFunction, arguments: Sequence[TensorValue], place: int, delta: float
) -> Array:
    """The Jacobian with respect to one argument, a column for each element, by differences."""
    value = np.asarray(arguments[place])
    columns = []
    for i in range(parts(value).size):
        sides = []
        for step in (delta, -delta):
            moved = parts(value).copy()
            moved[i] += step
            argument = convert(moved.view(value.dtype).reshape(value.shape))
            result = f(*arguments[:place], argument, *arguments[place + 1 :])
            sides.append(parts(np.asarray(result)))
        columns.append((sides[0] - sides[1]) / np.asarray(2 * delta, sides[0].dtype))
    if columns:
        return np.stack(columns, axis=1)
    return np.zeros((parts(np.asarray(f(*arguments))).size, 0), real(arguments[place]))
