"""Ops that draw from a generator's state, which a variable holds, and move it on."""

from __future__ import annotations

from graphwright.base.errors import UnimplementedError
from graphwright.op.op import Effect, Op, Shapes, not_differentiable, undefined
from graphwright.ops.random import philox_draws, variates
from graphwright.ops.random.stateful_random import COUNTS
from graphwright.ops.random.stateless_random import (
    Algorithm,
    algorithm_number,
    parameterized_shape,
    samples_of,
)
from graphwright.ops.state.variable_ops import Storage
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType


def move(storage: Storage, alg: int, outputs: int) -> Array:
    """Moves the state in a variable past so many outputs; returns the state before."""
    if algorithm_number(alg) == Algorithm.THREEFRY.value:
        raise UnimplementedError(
            None, None, "A generator cannot draw with the ThreeFry algorithm, only with Philox."
        )
    before: list[Array] = []

    def change(state: Array) -> Array:
        before.append(state)
        return philox_draws.skip(state, outputs)

    storage.update(change)
    return before[0]


class RngReadAndSkip(Op):
    """The state, which moves past `delta` outputs."""

    type_name = "RngReadAndSkip"
    inputs = ("resource: resource", "alg: int32 host", "delta: uint64")
    outputs = ("value: int64",)
    behind = Storage
    ranks = {"alg": 0}
    effect = Effect.WRITE
    gradient = not_differentiable

    def shapes(self, resource: TensorType, alg: int | None, delta: TensorType) -> Shapes:
        return ((None,) if alg is None else (3,),)

    def kernel(self, storage: Storage, alg: int, delta: Array) -> Array:
        return move(storage, alg, int(delta))


class StatefulRandomBinomial(Op):
    """Binomial variates from the state, which moves past them."""

    type_name = "StatefulRandomBinomial"
    inputs = (
        "resource: resource", "algorithm: int64 host", "shape: S host", "counts: T", "probs: T",
    )  # fmt: skip
    outputs = ("output: dtype",)
    dtypes = {"T": COUNTS, "dtype": COUNTS, "S": dt.INDEX}
    behind = Storage
    ranks = {"algorithm": 0}
    effect = Effect.WRITE
    gradient = undefined("counts change by jumps")

    dtype: DType = dt.int64

    def shapes(
        self,
        resource: TensorType,
        alg: int | None,
        shape: Dims | None,
        counts: TensorType,
        probs: TensorType,
    ) -> Shapes:
        return parameterized_shape(shape, counts, probs)

    def kernel(
        self, storage: Storage, alg: int, shape: tuple[int, ...], counts: Array, probs: Array
    ) -> Array:
        samples, (trials, chance) = samples_of(shape, counts, probs)
        reserve = variates.binomial_reserve(trials.size, samples)
        state = move(storage, alg, reserve // philox_draws.RESERVED)
        key, counter = philox_draws.unpack(state)
        dtype = self.dtype.numpy_dtype
        drawn = variates.binomial(key, counter, trials, chance, samples, dtype)
        return drawn.reshape(shape)


READ_AND_SKIP = RngReadAndSkip()
