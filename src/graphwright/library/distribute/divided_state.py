"""Optimizer state that is divided among ranks: each rank changes its share of every variable.

A share is a part of the flat variable, of equal length on all ranks. A step sums the gradients so
that each rank gets its share of the sums, changes its shares, and joins the shares of all ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from graphwright.control.python_call import FreshFunction, fresh_results
from graphwright.library.distribute.distributed_variables import (
    Change,
    DistributedVariable,
    SharedStorage,
)
from graphwright.library.distribute.pending_sums import (
    BUCKET,
    SumOptions,
    SumWay,
    share_of,
    share_size,
)
from graphwright.library.distribute.reduce_op import ReduceOp
from graphwright.ops.core.joining import stack, unstack
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.padding import pad
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.transcendental import sqrt, square
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.variable import Variable, VariableAggregation, VariableSynchronization


class StateShare(Variable):
    """The share of this rank of a variable, flat. No scope makes copies of it."""


class DividedStorage(SharedStorage):
    """The cell of a divided variable, of the shape that the shares have together."""

    def __init__(self, variable: DividedVariable, dims: Dims) -> None:
        super().__init__(variable)
        self.dims = dims

    @property
    def value_type(self) -> TensorType:
        """The type of the whole."""
        return TensorType(self.value_dtype, self.dims)


class DividedVariable(DistributedVariable):
    """A variable of which each rank has a share. Reading it joins the shares, on all ranks at once.

    Args:
        division: Whose share this rank has.
        share: The share.
        dims: The shape of the whole.
    """

    def __init__(self, division: StateDivision, share: StateShare, dims: Dims) -> None:
        self._division = division
        super().__init__(
            division.strategy, [share], VariableSynchronization.NONE, VariableAggregation.NONE
        )
        self._shared = DividedStorage(self, dims)

    @property
    def share(self) -> Variable:
        """The share of this rank."""
        share: Variable = self._values[0]
        return share

    def _read(self) -> Any:
        return self._division.joined([self.share], [self])[0]

    def _whole_array(self) -> Any:
        return convert(self._read())._array

    def _parts_of(self, array: Array) -> list[Array]:
        size = share_size(array.size, self._division.ranks)
        return [share_of(np.asarray(array), self._division.rank, size)]

    def _changed(self, change: Change, value: object, kind: str) -> Any:
        if kind.startswith("ResourceScatter"):
            raise NotImplementedError(
                f"{kind} does not reach {self.name!r}, of which each rank has a share. "
                "Assign the whole value: `variable.assign(value)`."
            )
        given: Any = value
        whole = convert(given, self.dtype)
        self._check_shape(whole)
        change(self.share, self._division.share_in_graph(whole))
        return self


class StateDivision:
    """How the state of an optimizer is divided among the ranks of a strategy.

    Args:
        strategy: A strategy of several processes.
    """

    def __init__(self, strategy: object) -> None:
        given: Any = strategy
        self.strategy = given
        workers = given.extended.workers
        self.ranks: int = workers.size
        self.rank: int = workers.rank
        self.bucket: int | None = given.extended.options.bucket

    def share(self, variable: Variable, name: str = "share", start: float = 0.0) -> StateShare:
        """A share of what has the dtype and the shape of a variable, filled with a number."""
        size = share_size(variable.type.size or 0, self.ranks)
        array = np.full([size], start, variable.dtype.numpy_dtype)
        return StateShare(array, trainable=False, name=f"{variable._name}_{name}")

    def slot(self, variable: Variable, name: str, start: float) -> DividedVariable:
        """A divided variable of the dtype and the shape of another, filled with a number."""
        slot = DividedVariable(self, self.share(variable, name, start), variable.type.dims or ())
        self.strategy.extended._own(slot)
        return slot

    def share_of(self, slot: Variable) -> Variable:
        """The share of this rank of a slot."""
        assert isinstance(slot, DividedVariable)
        return slot.share

    def share_in_graph(self, tensor: TensorValue) -> Any:
        """The share of this rank of a tensor that all ranks have."""
        whole: Any = tensor
        size = share_size(whole.type.size or 0, self.ranks)
        piece: Any = reshape(whole, [-1])[self.rank * size : (self.rank + 1) * size]
        lack = size - int(piece.shape[0])
        return pad(piece, [[0, lack]]) if lack else piece

    def shared_sums(self, gradients: Sequence[TensorLike]) -> list[Any]:
        """The share of this rank of the sum of each gradient over all ranks."""
        if any(isinstance(gradient, IndexedSlices) for gradient in gradients):
            raise ValueError(
                "A gradient is rows of a variable (`tf.IndexedSlices`), and rows have no shares. "
                "An optimizer of divided state takes `tf.convert_to_tensor(gradient)`."
            )
        extended = self.strategy.extended
        dense = [convert(gradient) for gradient in gradients]
        return list(
            extended._dense_sums(ReduceOp.SUM, dense, SumOptions(self.bucket, SumWay.SHARED))
        )

    def norms(self, gradients: Sequence[TensorLike]) -> list[Any]:
        """The norm of each gradient, of which this rank has a share."""
        squares = stack([reduce_sum(square(convert(gradient))) for gradient in gradients])
        (total,) = self.strategy.extended._sums(ReduceOp.SUM, [squares])
        return list(unstack(sqrt(total)))

    def joined(self, shares: Sequence[Variable], wholes: Sequence[Variable]) -> list[Any]:
        """The values of variables, from the shares that all ranks have of them."""
        limit = self.bucket or BUCKET
        join = FreshFunction(partial(self.strategy.extended.workers.join_shares, limit))
        joined = fresh_results(join, [s.value() for s in shares], [s.dtype for s in shares])
        results = []
        for each, whole in zip(joined, wholes):
            size = whole.type.size or 0
            filled = share_size(size, self.ranks) * self.ranks
            each.set_shape([filled])
            flat = each if filled == size else each[:size]
            results.append(reshape(flat, list(whole.type.dims or ())))
        return results

    def open(self, shares: Sequence[Variable], wholes: Sequence[Variable]) -> None:
        """Gives the shares the values that variables have now."""
        for share, whole in zip(shares, wholes):
            share.assign(self.share_in_graph(convert(whole)))

    def close(self, shares: Sequence[Variable], wholes: Sequence[Variable]) -> None:
        """Gives variables the values that the shares of all ranks have."""
        for whole, value in zip(wholes, self.joined(shares, wholes)):
            whole.assign(value)
