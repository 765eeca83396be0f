"""Features of serialized `SequenceExample` messages: of the whole, and of each step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.io.example import (
    check_counts,
    check_defaults,
    dense_part,
    ragged_parts,
    rank_of_parts,
    sparse_parts,
)
from graphwright.ops.io.example_features import (
    KINDS,
    DecodedColumns,
    FeatureColumns,
    decoded,
    values_of,
)
from graphwright.ops.strings.text_operands import texts
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType

if TYPE_CHECKING:
    from graphwright.proto.example_pb2 import Feature, FeatureList

#: The values of each step of each message; None where a message has no such feature.
Steps: TypeAlias = list["list[Any] | None"]


class ParseSequenceExampleV2(Op):
    """Features of messages (`context`) and of their steps (`feature_list`), of three kinds each."""

    type_name = "ParseSequenceExampleV2"
    inputs = (
        "serialized: string",
        "debug_name: string",
        "context_sparse_keys: string",
        "context_dense_keys: string",
        "context_ragged_keys: string",
        "feature_list_sparse_keys: string",
        "feature_list_dense_keys: string",
        "feature_list_ragged_keys: string",
        "feature_list_dense_missing_assumed_empty: bool",
        "context_dense_defaults: Tcontext_dense...",
    )
    outputs: ClassVar[tuple[str, ...]] = (
        "context_sparse_indices: int64*Ncontext_sparse",
        "context_sparse_values: context_sparse_types...",
        "context_sparse_shapes: int64*Ncontext_sparse",
        "context_dense_values: Tcontext_dense...",
        "context_ragged_values: context_ragged_value_types...",
        "context_ragged_row_splits: context_ragged_split_types...",
        "feature_list_sparse_indices: int64*Nfeature_list_sparse",
        "feature_list_sparse_values: feature_list_sparse_types...",
        "feature_list_sparse_shapes: int64*Nfeature_list_sparse",
        "feature_list_dense_values: feature_list_dense_types...",
        "feature_list_dense_lengths: int64*Nfeature_list_dense",
        "feature_list_ragged_values: feature_list_ragged_value_types...",
        "feature_list_ragged_outer_splits: feature_list_ragged_split_types...",
        "feature_list_ragged_inner_splits: feature_list_ragged_split_types...",
    )
    dtypes = {"Tcontext_dense": frozenset(KINDS.values())}
    returns_tuple = True
    ruled = True
    gradient = not_differentiable
    least = {"Ncontext_sparse": 0, "Nfeature_list_sparse": 0, "Nfeature_list_dense": 0}

    Ncontext_sparse: int = 0
    Tcontext_dense: tuple[DType, ...] = ()
    context_sparse_types: tuple[DType, ...] = ()
    context_ragged_value_types: tuple[DType, ...] = ()
    context_ragged_split_types: tuple[DType, ...] = ()
    context_dense_shapes: tuple[Dims, ...] = ()
    Nfeature_list_sparse: int = 0
    Nfeature_list_dense: int = 0
    feature_list_dense_types: tuple[DType, ...] = ()
    feature_list_sparse_types: tuple[DType, ...] = ()
    feature_list_ragged_value_types: tuple[DType, ...] = ()
    feature_list_ragged_split_types: tuple[DType, ...] = ()
    feature_list_dense_shapes: tuple[Dims, ...] = ()

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        self._bind_dtypes(types)
        wide = (dt.int64,)
        return (
            *wide * self.Ncontext_sparse, *self.context_sparse_types, *wide * self.Ncontext_sparse,
            *self.Tcontext_dense,
            *self.context_ragged_value_types, *self.context_ragged_split_types,
            *wide * self.Nfeature_list_sparse, *self.feature_list_sparse_types,
            *wide * self.Nfeature_list_sparse,
            *self.feature_list_dense_types, *wide * self.Nfeature_list_dense,
            *self.feature_list_ragged_value_types, *self.feature_list_ragged_split_types * 2,
        )  # fmt: skip

    def shapes(self, serialized: TensorType, *operands: TensorType) -> Shapes:
        batch = serialized.dims
        rank = rank_of_parts(batch)
        self.check_keys(operands[1:8])
        check_defaults(operands[8:], self.context_dense_shapes)
        deep = None if rank is None else rank + 1
        ragged, lists = len(self.context_ragged_value_types), self.feature_list_ragged_value_types
        return (
            *[(None, rank)] * self.Ncontext_sparse,
            *[(None,)] * self.Ncontext_sparse,
            *[(rank,)] * self.Ncontext_sparse,
            *[None if batch is None else (*batch, *dims) for dims in self.context_dense_shapes],
            *[(None,)] * (2 * ragged),
            *[(None, deep)] * self.Nfeature_list_sparse,
            *[(None,)] * self.Nfeature_list_sparse,
            *[(deep,)] * self.Nfeature_list_sparse,
            *[
                None if batch is None else (*batch, None, *dims)
                for dims in self.feature_list_dense_shapes
            ],
            *[batch] * self.Nfeature_list_dense,
            *[(None,)] * (3 * len(lists)),
        )

    def check_keys(self, keys: Sequence[TensorType]) -> None:
        """ValueError where there are not as many keys of a kind as types and shapes."""
        counts = (
            (self.Ncontext_sparse, self.context_sparse_types),
            (self.Tcontext_dense, self.context_dense_shapes),
            (self.context_ragged_value_types, self.context_ragged_split_types),
            (self.Nfeature_list_sparse, self.feature_list_sparse_types),
            (
                self.Nfeature_list_dense,
                self.feature_list_dense_types,
                self.feature_list_dense_shapes,
            ),
            (self.feature_list_ragged_value_types, self.feature_list_ragged_split_types),
            (self.Nfeature_list_dense,),
        )
        names = [operand.name for operand in self.operands[2:9]]
        for name, key, attributes in zip(names, keys, counts):
            check_counts(name, key, *attributes)

    def kernel(self, serialized: Array, names: Array, *operands: Any) -> Any:
        messages = texts(serialized)
        keys = [[key.decode() for key in texts(each).flat] for each in operands[:6]]
        parsed = [decoded("SequenceExample", each, i) for i, each in enumerate(messages.flat)]
        contexts = DecodedColumns([message.context.feature for message in parsed])
        lists = [message.feature_lists.feature_list for message in parsed]
        batch = messages.shape
        context = self.context(contexts, keys[:3], operands[7:], batch)
        return *context, *self.steps(lists, keys[3:], operands[6].reshape(-1), batch)

    def context(
        self,
        features: FeatureColumns,
        keys: Sequence[Sequence[str]],
        defaults: Sequence[Array],
        batch: tuple[int, ...],
    ) -> Any:
        """The features of whole messages."""
        sparse = [
            sparse_parts(features.column(key, dtype), batch)
            for key, dtype in zip(keys[0], self.context_sparse_types)
        ]
        dense = [
            dense_part(features.column(*about[:2]), *about, batch)
            for about in zip(keys[1], self.Tcontext_dense, self.context_dense_shapes, defaults)
        ]
        kinds = zip(keys[2], self.context_ragged_value_types, self.context_ragged_split_types)
        ragged = [
            ragged_parts(features.column(key, dtype), split, batch)
            for key, dtype, split in kinds
        ]
        return *in_turn(sparse), *dense, *in_turn(ragged)

    def steps(
        self,
        lists: Sequence[Mapping[str, FeatureList]],
        keys: Sequence[Sequence[str]],
        may_lack: Array,
        batch: tuple[int, ...],
    ) -> Any:
        """The features of steps."""
        sparse = [
            sparse_steps(steps_of(lists, key, dtype), dtype, batch)
            for key, dtype in zip(keys[0], self.feature_list_sparse_types)
        ]
        dense = [
            dense_steps(steps_of(lists, *about[:2]), *about, batch)
            for about in zip(
                keys[1], self.feature_list_dense_types, self.feature_list_dense_shapes, may_lack
            )
        ]
        kinds = self.feature_list_ragged_value_types, self.feature_list_ragged_split_types
        ragged = [
            ragged_steps(steps_of(lists, key, dtype), dtype, split, batch)
            for key, dtype, split in zip(keys[2], *kinds)
        ]
        return *in_turn(sparse), *in_turn(dense), *in_turn(ragged)


def in_turn(parts: Sequence[Sequence[object]]) -> list[Any]:
    """The first parts of all, then the second ones, and so on."""
    return [part for same in zip(*parts) for part in same]


def steps_of(lists: Sequence[Mapping[str, FeatureList]], key: str, dtype: DType) -> Steps:
    """The values of a feature in each step of each message."""
    empty = np.empty(0, dtype.numpy_dtype)

    def values(feature: Feature) -> Any:
        array = values_of(feature, key, dtype)
        return empty if array is None else array

    return [[values(step) for step in each[key].feature] if key in each else None
            for each in lists]  # fmt: skip


def flattened(steps: Steps, dtype: DType) -> tuple[Any, Any, Any]:
    """All values, how many each step has, and how many steps each message."""
    every = [values for each in steps for values in each or ()]
    flat = np.concatenate([np.empty(0, dtype.numpy_dtype), *every])
    sizes = np.array([len(values) for values in every], np.int64)
    return flat, sizes, np.array([len(each or ()) for each in steps], np.int64)


def places_in(lengths: Array) -> Any:
    """The place of each item in its row, of rows of these lengths."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def sparse_steps(steps: Steps, dtype: DType, batch: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """Indices (message, step, place), values and shape; of one message without the first."""
    flat, sizes, counts = flattened(steps, dtype)
    messages = np.repeat(np.repeat(np.arange(len(counts)), counts), sizes)
    numbers = np.repeat(places_in(counts), sizes)
    indices = np.column_stack([messages, numbers, places_in(sizes)])
    shape = np.array([len(counts), counts.max(initial=0), sizes.max(initial=0)])
    return (indices, flat, shape) if batch else (indices[:, 1:], flat, shape[1:])


def ragged_steps(
    steps: Steps, dtype: DType, split: DType, batch: tuple[int, ...]
) -> tuple[Any, Any, Any]:
    """Values, where messages start and where steps do; of one message the former is empty."""
    flat, sizes, counts = flattened(steps, dtype)
    outer = np.concatenate([[0], np.cumsum(counts)]) if batch else np.empty(0)
    inner = np.concatenate([[0], np.cumsum(sizes)])
    return flat, outer.astype(split.numpy_dtype), inner.astype(split.numpy_dtype)


def dense_steps(
    steps: Steps, key: str, dtype: DType, dims: Dims, may_lack: bool, batch: tuple[int, ...]
) -> tuple[Any, Any]:
    """The values of all steps in the feature's shape, filled up with zeros, and their numbers."""
    for i, each in enumerate(steps):
        if each is None and not may_lack:
            raise InvalidArgumentError(
                None,
                None,
                f"Name: <unknown>, Feature list '{key}' is required but could not be found in "
                f"message {i}.  Did you mean to include it in feature_list_dense_missing_assumed_"
                "empty or feature_list_dense_defaults?",
            )
    flat, sizes, counts = flattened(steps, dtype)
    size = math.prod(d for d in dims if d is not None)
    if (sizes != size).any():
        place = int(np.flatnonzero(sizes != size)[0])
        raise InvalidArgumentError(
            None,
            None,
            f"Key: {key}, Step: {place}.  Number of {dtype.name} values != expected.  Values size: "
            f"{sizes[place]} but output shape: {list(dims)}",
        )
    longest = int(counts.max(initial=0))
    result = np.empty((len(counts), longest, size), dtype.numpy_dtype)
    result[...] = b"" if dtype is dt.string else 0
    result[np.arange(longest) < counts[:, None]] = flat.reshape(-1, size)
    return result.reshape(*batch, longest, *dims), counts.reshape(batch)  # type: ignore[arg-type]
