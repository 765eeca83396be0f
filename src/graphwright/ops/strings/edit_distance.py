"""How many insertions, deletions and exchanges lead from one sequence to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, show_dims


class EditDistance(Op):
    """The Levenshtein distances of the rows of two sparse tensors; 0 where both have none."""

    type_name = "EditDistance"
    inputs = (
        "hypothesis_indices: int64",
        "hypothesis_values: T",
        "hypothesis_shape: int64 host",
        "truth_indices: int64",
        "truth_values: T",
        "truth_shape: int64 host",
    )
    outputs = ("output: float32",)
    dtypes = {"T": dt.NUMERIC | dt.BOOL | dt.STRING}
    ranks = {
        "hypothesis_indices": 2, "hypothesis_values": 1, "hypothesis_shape": 1,
        "truth_indices": 2, "truth_values": 1, "truth_shape": 1,
    }  # fmt: skip
    gradient = not_differentiable

    normalize: bool = True

    def shapes(
        self, h_indices: TensorType, h_values: TensorType, h_shape: Dims | None,
        t_indices: TensorType, t_values: TensorType, t_shape: Dims | None,
    ) -> Shapes:  # fmt: skip
        for name, dims in (("hypothesis_shape", h_shape), ("truth_shape", t_shape)):
            if dims is not None and len(dims) < 2:
                raise ValueError(
                    f"Input SparseTensors of {self.type_name} must have rank at least 2, but "
                    f"{name} is {show_dims(dims)}"
                )
            if dims is not None and any(d is not None and d < 0 for d in dims):
                raise ValueError(f"Dimensions must be >= 0, but {name} is {show_dims(dims)}")
        if h_shape is None or t_shape is None:
            return (None,)
        if len(h_shape) != len(t_shape):
            raise ValueError(
                "Expected truth and hypothesis to have matching ranks, but their shapes are: "
                f"{show_dims(t_shape)} and {show_dims(h_shape)}"
            )
        pairs = list(zip(h_shape, t_shape))[:-1]
        return (tuple([None if a is None or b is None else max(a, b) for a, b in pairs]),)

    def kernel(
        self, h_indices: Array, h_values: Array, h_shape: tuple[int, ...],
        t_indices: Array, t_values: Array, t_shape: tuple[int, ...],
    ) -> Any:  # fmt: skip
        empty = TensorType(dt.int64, None)
        dims: Any = self.shapes(empty, empty, h_shape, empty, empty, t_shape)[0]
        if 0 in dims:
            raise ValueError(f"Got output shape {show_dims(dims)} which has 0 elements")
        _, codes = np.unique(np.concatenate([h_values, t_values]), return_inverse=True)
        hypotheses = padded_rows(h_indices, codes[: len(h_values)], dims)
        truths = padded_rows(t_indices, codes[len(h_values) :], dims)
        result = distances(*hypotheses, *truths).astype(np.float32)
        if self.normalize:
            lengths = truths[1].astype(np.float32)
            result = np.where(result == 0, result, result / lengths)
        return result.astype(np.float32).reshape(dims)


def padded_rows(indices: Array, codes: Array, dims: tuple[int, ...]) -> tuple[Array, Array]:
    """The elements of each row one after another, and how many there are of each."""
    count = int(np.prod(dims))
    rows = np.ravel_multi_index(tuple(indices[:, :-1].T), dims) if count else indices[:, 0]
    lengths = np.bincount(rows, minlength=count)
    places = np.arange(len(rows)) - (np.cumsum(lengths) - lengths)[rows]
    result = np.zeros((count, lengths.max(initial=0)), np.int64)
    result[rows, places] = codes
    return result, lengths


def distances(a: Array, a_lengths: Array, b: Array, b_lengths: Array) -> Array:
    """The distance of each row of `a` to that of `b`, all rows a step at a time.

    `row[j]` is the distance of the first i elements of `a` to the first j of `b`. It is the least
    of what comes from above, from the left above, and from the left. The last is a running minimum
    once j is taken off.
    """
    steps = np.arange(b.shape[1] + 1)
    row = np.broadcast_to(steps, (len(a), len(steps)))
    everyone = np.arange(len(a))
    result = row[everyone, b_lengths] if len(a) else np.zeros(0)
    for i in range(a.shape[1]):
        best = row + 1
        exchanged = row[:, :-1] + (a[:, i : i + 1] != b)
        best[:, 1:] = np.minimum(best[:, 1:], exchanged)
        row = np.minimum.accumulate(best - steps, axis=1) + steps
        result = np.where(a_lengths == i + 1, row[everyone, b_lengths], result)
    return result
