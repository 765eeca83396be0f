"""Functions applied to the values of ragged tensors: `tf.ragged.map_flat_values` and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.control.assertions import assert_equal
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.segment_reduction import counts
from graphwright.ops.core.sorting import argsort
from graphwright.ragged.factories import as_values
from graphwright.ragged.positions import splits_of_lengths
from graphwright.ragged.ragged_conversion import same_rows
from graphwright.ragged.ragged_tensor import RaggedOrTensor, RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition
from graphwright.ragged.taking import take
from graphwright.types import tree
from graphwright.types.arguments import TensorLike


def map_flat_values(op: Callable[..., TensorLike], *args: Any, **kwargs: Any) -> Any:
    """Applies a function to the flat values of ragged tensors, and keeps their rows.

    Args:
        op: A function of tensors. Its result has as many values as the ragged arguments.
        *args: Its arguments; the ragged ones, also in nested structures, all have the same rows.
        **kwargs: Its keyword arguments, which may be ragged too.

    Returns:
        A `tf.RaggedTensor` with the rows of the arguments, or the result of `op` where none is
        ragged.

    Raises:
        ValueError: The ragged arguments differ in their rows, or the result has too few or too many
            values.

    >>> import graphwright as tf
    >>> tf.ragged.map_flat_values(tf.add, tf.ragged.constant([[1, 2], [3]]), 10)
    <tf.RaggedTensor [[11, 12], [13]]>
    """
    ragged = [leaf for leaf in tree.flatten([args, kwargs]) if is_ragged(leaf)]
    if not ragged:
        return op(*args, **kwargs)
    for other in ragged[1:]:
        check_alike(ragged[0], other)

    def flat(leaf: object) -> object:
        return leaf.flat_values if is_ragged(leaf) else leaf

    inner_args, inner_kwargs = tree.map_structure(flat, (args, kwargs))
    result = convert(op(*inner_args, **inner_kwargs))
    have, need = result.shape[:1], ragged[0].flat_values.shape[:1]
    if result.shape.rank == 0 or not have.is_compatible_with(need):
        raise ValueError(
            f"tf.ragged.map_flat_values requires that the output of `op` have the same "
            f"outer-dimension size as flat_values of any ragged inputs. (output shape: "
            f"{result.shape}; expected outer dimension size: {need})"
        )
    return ragged[0].with_flat_values(result)


def check_alike(a: RaggedTensor, b: RaggedTensor) -> None:
    """ValueError unless two ragged tensors have the same rows."""
    if a.ragged_rank != b.ragged_rank:
        raise ValueError("All ragged inputs must have the same ragged_rank.")
    for mine, theirs in zip(a.partitions, b.partitions):
        if same_rows(mine, theirs):
            continue
        first, second = mine.row_splits(), theirs.row_splits()
        if first.known and second.known and None not in (*first.known, *second.known):
            raise ValueError(
                f"Inputs must have identical ragged splits. Got {first.known} and {second.known}"
            )
        assert_equal(first, second, "Inputs must have identical ragged splits")


def stack_dynamic_partitions(
    data: TensorLike, partitions: TensorLike, num_partitions: TensorLike, name: str | None = None
) -> RaggedTensor:
    """Groups the rows of a tensor by their partitions, one row of the result for each partition.

    Args:
        data: A tensor or ragged tensor of shape [n, ...].
        partitions: A tensor of int32 or int64 of shape [n], in [0, num_partitions): the partition
            of each row. A ragged tensor stands for its values, where `data` has such rows too.
        num_partitions: An int or scalar of integers.
        name: A name for the op.

    Returns:
        A ragged tensor of the dtype of `data` of shape [num_partitions, None, ...].

    Raises:
        ValueError: `partitions` is no vector, or of unknown rank.
        InvalidArgumentError: A partition is not below `num_partitions`.

    >>> import graphwright as tf
    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [1, 0, 1], 2)
    <tf.RaggedTensor [[b'b'], [b'a', b'c']]>
    """
    if is_ragged(partitions):
        data = data.merge_dims(0, partitions.ragged_rank) if is_ragged(data) else data
        partitions = partitions.flat_values
    rows: RaggedOrTensor = as_values(data)
    which = convert(partitions)
    rank = which.type.rank
    if rank is None:
        raise ValueError("partitions must have known rank.")
    if rank != 1:
        raise ValueError(
            f"partitions must be a vector that says where each row belongs, not {rank}D"
        )
    if not rows.shape[:1].is_compatible_with(which.shape):
        raise ValueError(f"Shapes {which.shape} and {rows.shape[:1]} are incompatible")

    dtype = rows.row_splits.dtype if is_ragged(rows) else which.dtype
    ids = cast(which, dtype)
    lengths = counts(ids, cast(convert(num_partitions), dtype))
    order = argsort(which, stable=True)
    return RaggedTensor(take(rows, cast(order, dtype)), RowPartition(splits_of_lengths(lengths)))
