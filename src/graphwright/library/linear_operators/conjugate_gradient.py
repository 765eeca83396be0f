"""The method of conjugate gradients, which solves linear systems by products alone.

Source: Hestenes, Stiefel, "Methods of Conjugate Gradients for Solving Linear Systems" (1952).
"""

from __future__ import annotations

from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.control.loop import while_loop
from graphwright.library.linear_operators.linear_operator import LinearOperator
from graphwright.op.interpreter import convert
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import broadcast_to
from graphwright.ops.core.shapes import broadcast_dynamic_shape, shape
from graphwright.ops.linalg.norms import norm
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.comparison import logical_and
from graphwright.ops.math.reduction import reduce_any, reduce_sum
from graphwright.trace.scopes import name_scope
from graphwright.types.arguments import TensorLike, TensorValue


class CGState(NamedTuple):
    """The state of the method: step, solution, residual, direction, and `inner(r, q)`.

    q is the preconditioned residual.
    """

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def conjugate_gradient(
    operator: LinearOperator,
    rhs: TensorLike,
    preconditioner: LinearOperator | None = None,
    x: TensorLike | None = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """Solves `operator @ x = rhs` iteratively, for a self-adjoint and positive definite operator.

    Args:
        operator: A `tf.linalg.LinearOperator` of shape [..., n, n].
        rhs: A tensor of shape [..., n], of the operator's dtype.
        preconditioner: An operator like `operator` that approximates its inverse, or None.
        x: The first guess, a tensor like the solution. None means zeros.
        tol: The iteration ends when the norm of each residual is at most `tol` times that of its
            right-hand side.
        max_iter: The greatest number of steps.
        name: A name for the scope of the ops.

    Returns:
        A named tuple of the number of steps `i`, the solution `x`, the residual `r`, the direction
        `p`, and `gamma`. The latter is the inner product of the residual and the preconditioned
        residual. `x` has the shape [..., n] that the batches broadcast to.

    Raises:
        ValueError: The operator does not declare that it is self-adjoint and positive definite.

    Source:
        Hestenes and Stiefel, "Methods of Conjugate Gradients for Solving Linear Systems" (1952).

    >>> import graphwright as tf
    >>> operator = tf.linalg.LinearOperatorFullMatrix(
    ...     [[4.0, 1.0], [1.0, 3.0]], is_self_adjoint=True, is_positive_definite=True)
    >>> state = tf.linalg.experimental.conjugate_gradient(operator, tf.constant([1.0, 2.0]))
    >>> [round(v, 4) for v in state.x.numpy().tolist()]
    [0.0909, 0.6364]
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    rhs = convert(rhs)
    with name_scope(name):
        batch = broadcast_dynamic_shape(shape(rhs)[:-1], operator.batch_shape_tensor())
        if preconditioner is not None:
            batch = broadcast_dynamic_shape(batch, preconditioner.batch_shape_tensor())
        whole = concat([batch, shape(rhs)[-1:]], 0)
        r = broadcast_to(rhs, whole)
        limit = tol * norm(r, axis=-1)
        if x is None:
            x = zeros(whole, rhs.dtype)
        else:
            r = rhs - operator.matvec(x)
        p = r if preconditioner is None else preconditioner.matvec(r)
        start = CGState(convert(0), x, r, p, inner(r, p))

        def goes_on(
            i: TensorValue, x: TensorValue, r: TensorValue, p: TensorValue, gamma: TensorValue
        ) -> Any:
            return logical_and(i < max_iter, reduce_any(norm(r, axis=-1) > limit))

        def step(
            i: TensorValue, x: TensorValue, r: TensorValue, p: TensorValue, gamma: TensorValue
        ) -> CGState:
            product = operator.matvec(p)
            alpha = (gamma / inner(p, product))[..., None]
            x, r = x + alpha * p, r - alpha * product
            q = r if preconditioner is None else preconditioner.matvec(r)
            latest = inner(r, q)
            return CGState(i + 1, x, r, q + (latest / gamma)[..., None] * p, latest)

        return CGState(*while_loop(goes_on, step, tuple(start)))


def inner(x: TensorValue, y: TensorValue) -> Any:
    """The inner products of vectors [..., n]."""
    return reduce_sum(conj(x) * y, axis=-1)
