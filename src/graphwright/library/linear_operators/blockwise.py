"""Operators of blocks: operands and results as lists of blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeGuard

from graphwright.library.linear_operators.linear_operator import LinearOperator
from graphwright.op.interpreter import is_tensor
from graphwright.ops.core.joining import concat, split
from graphwright.ops.core.movement import broadcast_to
from graphwright.ops.core.shapes import broadcast_dynamic_shape
from graphwright.ops.core.shapes import shape as shape_vector
from graphwright.types.arguments import TensorLike, TensorValue


def level(blocks: Sequence[TensorValue]) -> list[Any]:
    """The tensors, with their batches broadcast to one shape."""
    batches = [block.shape[:-2].as_list() for block in blocks]
    if all(batch == batches[0] for batch in batches):
        return list(blocks)
    batch = reduce(broadcast_dynamic_shape, [shape_vector(block)[:-2] for block in blocks])
    return [broadcast_to(b, concat([batch, shape_vector(b)[-2:]], 0)) for b in blocks]


def joined(vectors: Sequence[TensorValue]) -> Any:
    """The vectors joined to one, with their batches broadcast to one shape."""
    return concat(level([v[..., None] for v in vectors]), -2)[..., 0]


class Blockwise(LinearOperator):
    """An operator whose operand may be a list of blocks of rows; then the result is a list, too."""

    def _block_sizes(self, side: str) -> list[Any]:
        """The rows of each block of an operand (`side` "domain") or of a result ("range")."""
        raise NotImplementedError(f"{type(self).__name__} does not state its blocks")

    def matmul(
        self,
        x: TensorLike | LinearOperator,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "matmul",
    ) -> Any:
        """Returns the product A @ x.

        Args:
            x: A tensor [..., N, R], another operator, or a list of blocks of rows.
            adjoint: A bool: whether A is replaced by its conjugate transpose.
            adjoint_arg: A bool: whether the operand is.
            name: A name for the op.

        Returns:
            A tensor [..., M, R]; a list of blocks for a list, an operator for an operator.

        >>> import graphwright as tf
        >>> diagonal = tf.linalg.LinearOperatorDiag
        >>> a = tf.linalg.LinearOperatorBlockDiag([diagonal([2.0, 3.0]), diagonal([5.0])])
        >>> blocks = a.matmul([tf.ones([2, 1]), tf.ones([1, 1])])
        >>> [block.numpy().tolist() for block in blocks]
        [[[2.0], [3.0]], [[5.0]]]
        """
        whole = super().matmul
        if not is_list_of_blocks(x):
            return whole(x, adjoint, adjoint_arg, name)
        axis = -1 if adjoint_arg else -2
        result = whole(concat(level(self._operands(x)), axis), adjoint, adjoint_arg, name)
        return split(result, self._block_sizes("domain" if adjoint else "range"), axis=-2)

    def solve(
        self,
        rhs: TensorLike | LinearOperator,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "solve",
    ) -> Any:
        """Returns the x of A @ x = rhs.

        Args:
            rhs: A tensor [..., M, R], another operator, or a list of blocks of rows.
            adjoint: A bool: whether A is replaced by its conjugate transpose.
            adjoint_arg: A bool: whether the operand is.
            name: A name for the op.

        Returns:
            A tensor [..., N, R]; a list of blocks for a list, an operator for an operator.
        """
        whole = super().solve
        if not is_list_of_blocks(rhs):
            return whole(rhs, adjoint, adjoint_arg, name)
        axis = -1 if adjoint_arg else -2
        result = whole(concat(level(self._operands(rhs)), axis), adjoint, adjoint_arg, name)
        return split(result, self._block_sizes("range" if adjoint else "domain"), axis=-2)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Any:
        """Returns the product A @ x of vectors.

        Args:
            x: A tensor [..., N], or a list of blocks.
            adjoint: A bool: whether A is replaced by its conjugate transpose.
            name: A name for the op.

        Returns:
            A tensor [..., M]; a list of blocks for a list.
        """
        if not is_list_of_blocks(x):
            return super().matvec(x, adjoint, name)
        return self._of_columns(self.matmul, x, adjoint)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Any:
        """Returns the x of A @ x = rhs, both vectors.

        Args:
            rhs: A tensor [..., M], or a list of blocks.
            adjoint: A bool: whether A is replaced by its conjugate transpose.
            name: A name for the op.

        Returns:
            A tensor [..., N]; a list of blocks for a list.
        """
        if not is_list_of_blocks(rhs):
            return super().solvevec(rhs, adjoint, name)
        return self._of_columns(self.solve, rhs, adjoint)

    def _of_columns(
        self,
        method: Callable[[list[TensorValue], bool], list[TensorValue]],
        blocks: Sequence[TensorLike],
        adjoint: bool,
    ) -> list[TensorValue]:
        columns = [block[..., None] for block in self._operands(blocks)]
        return [block[..., 0] for block in method(columns, adjoint)]

    def _operands(self, blocks: Sequence[TensorLike]) -> list[TensorValue]:
        return [self._operand(block) for block in blocks]


def is_list_of_blocks(x: object) -> TypeGuard[Sequence[TensorLike]]:
    """Whether an operand is a list of tensors, and not rows of numbers."""
    return isinstance(x, (list, tuple)) and any(map(is_tensor, x))
