"""Lookups of TensorFlow 1 in several tables, which share ids by turns unless told otherwise.

TensorFlow 2 takes several tables as one whose rows follow each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.ops.core.gathering import gather
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.partition import dynamic_partition, dynamic_stitch
from graphwright.ops.core.sequences import range as numbers
from graphwright.ops.core.shapes import shape, size
from graphwright.ops.math.arithmetic import floordiv, floormod
from graphwright.ops.math.sums import add_n
from graphwright.ops.nn import class_sampling, embedding
from graphwright.portable.classic.former_signatures import at
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.values.convert import convert
from graphwright.values.sparse.sparse_tensor import SparseLike


def embedding_lookup(
    params: TensorLike,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """Gathers the rows of a table, or of several that share the ids.

    Args:
        params: A tensor or variable of rank 1 or more, or a list of tables.
        ids: A tensor of int32 or int64, of any shape.
        partition_strategy: "mod": tables get ids by turns; "div": rows of tables follow each other.
        name: A name for the op.
        validate_indices: Accepted for TensorFlow's signature and not used.
        max_norm: The greatest 2-norm of a row; a longer one is scaled down. None sets no limit.

    Returns:
        A tensor of the dtype of `params`, of shape [ids..., row...].

    Raises:
        ValueError: `params` is None or an empty list, or there is no such strategy.
        InvalidArgumentError: An id is no row.

    >>> import graphwright as tf
    >>> tables = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
    >>> tf.compat.v1.nn.embedding_lookup(tables, [0, 1, 2, 3])[:, 0].numpy().tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    if not takes_turns(params, partition_strategy):
        return embedding.embedding_lookup(params, ids, max_norm, name)
    tables: Any = params
    rows = rows_by_turns(tables, convert(ids))
    return rows if max_norm is None else embedding.clipped_rows(rows, convert(ids), max_norm)


def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: SparseLike,
    sp_weights: SparseLike | None,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Combines the rows of each row of ids, as `tf.nn.embedding_lookup_sparse` does.

    Args:
        params: A table of floats, or a list of tables that share the ids.
        sp_ids: A sparse tensor of integers of shape [rows, ids of a row].
        sp_weights: A sparse tensor of floats with elements at the same places; None means 1.
        partition_strategy: "mod": tables get ids by turns; "div": rows of tables follow each other.
        name: A name for the op.
        combiner: "mean", "sqrtn" or "sum". None means "mean".
        max_norm: The greatest 2-norm of a row; a longer one is scaled down. None sets no limit.
        allow_fast_lookup: It has no effect.

    Returns:
        A tensor of the dtype of `params`, of shape [rows, row...].

    Raises:
        ValueError: There is no such strategy or combiner.

    >>> import graphwright as tf
    >>> tables = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
    >>> ids = tf.SparseTensor([[0, 0], [0, 1]], [1, 2], [1, 2])
    >>> tf.compat.v1.nn.embedding_lookup_sparse(tables, ids, None, combiner="sum").numpy().tolist()
    [[3.0]]
    """
    table, ways = in_order(params, partition_strategy), combiner or "mean"
    rows: Tensor = at("nn.embedding_lookup_sparse")(table, sp_ids, sp_weights, ways, max_norm, name)
    return rows


def safe_embedding_lookup_sparse(
    embedding_weights: TensorLike,
    sparse_ids: SparseLike,
    sparse_weights: SparseLike | None = None,
    combiner: str | None = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Combines the rows of ids that may lack, as `tf.nn.safe_embedding_lookup_sparse` does.

    Args:
        embedding_weights: A table of floats, or a list of tables that share the ids.
        sparse_ids: A sparse tensor of integers of shape [..., ids of a row].
        sparse_weights: A sparse tensor of floats with elements at the same places; None means 1.
        combiner: "mean", "sqrtn" or "sum".
        default_id: The id of a row without ids; None means zeros instead.
        name: A name for the op.
        partition_strategy: "mod": tables get ids by turns; "div": rows of tables follow each other.
        max_norm: The greatest 2-norm of a row; a longer one is scaled down. None sets no limit.
        allow_fast_lookup: It has no effect.

    Returns:
        A tensor of the dtype of the table, of shape [..., row...].

    Raises:
        ValueError: There is no such strategy or combiner.

    >>> import graphwright as tf
    >>> ids = tf.SparseTensor([[0, 0]], [1], [2, 1])
    >>> nn = tf.compat.v1.nn
    >>> nn.safe_embedding_lookup_sparse(tf.constant([[1.0], [5.0]]), ids).numpy().tolist()
    [[5.0], [0.0]]
    """
    table = in_order(embedding_weights, partition_strategy)
    rows: Tensor = at("nn.safe_embedding_lookup_sparse")(
        table, sparse_ids, sparse_weights, combiner, default_id, max_norm, name
    )
    return rows


def takes_turns(params: object, strategy: str) -> bool:
    """Whether there are several tables, which get ids by turns; ValueError for other strategies."""
    if strategy not in ("mod", "div"):
        words = f"Unrecognized partition strategy: {strategy}."
        raise ValueError(f"{words} Must be one of either `mod` or `div`.")
    return isinstance(params, (list, tuple)) and len(params) > 1 and strategy == "mod"


def rows_by_turns(tables: Sequence[Any], ids: Any) -> Any:
    """The rows of ids, of which each table has every n-th one."""
    flat, count = reshape(ids, [-1]), len(tables)
    turns = floormod(flat, count)
    places = dynamic_partition(numbers(size(flat)), turns, count)
    rows = dynamic_partition(floordiv(flat, count), turns, count)
    stitched = dynamic_stitch(places, [gather(table, r) for table, r in zip(tables, rows)])
    return reshape(stitched, concat([shape(ids), shape(stitched)[1:]], 0))


def in_order(params: Any, strategy: str) -> Any:
    """One table of several, with rows in the order of ids."""
    if not takes_turns(params, strategy):
        return params
    count = add_n([shape(table)[0] for table in params])
    return rows_by_turns(params, numbers(count))


def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = "nce_loss",
) -> Tensor:
    """Returns the loss of noise-contrastive estimation, as `tf.nn.nce_loss` does.

    Args:
        weights: A tensor of shape [num_classes, dim], or a list of such tables, which share the
            classes.
        biases: A tensor of shape [num_classes].
        labels: A tensor of int64 of shape [batch, num_true].
        inputs: A tensor of floats of shape [batch, dim].
        num_sampled: An int: how many classes are drawn.
        num_classes: An int.
        num_true: An int: the number of classes of each example.
        sampled_values: What a sampler of candidates returned. None draws by a log-uniform one.
        remove_accidental_hits: Whether drawn classes that are targets are left out.
        partition_strategy: "mod": tables get classes by turns; "div": one after the other.
        name: A name for the ops.

    Returns:
        A tensor of floats of shape [batch].

    Raises:
        ValueError: There is no such strategy.

    >>> import graphwright as tf
    >>> loss = tf.compat.v1.nn.nce_loss(tf.ones([4, 2]), tf.zeros([4]), [[1]], [[0.5, 1.0]], 2, 4)
    >>> loss.shape
    TensorShape([1])
    """
    return class_sampling.nce_loss(
        in_order(weights, partition_strategy), biases, labels, inputs, num_sampled, num_classes,
        num_true, sampled_values, remove_accidental_hits, name,
    )  # fmt: skip


def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str | None = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """Returns the loss of a softmax over drawn classes, as `tf.nn.sampled_softmax_loss` does.

    Args:
        weights: A tensor of shape [num_classes, dim], or a list of such tables, which share the
            classes.
        biases: A tensor of shape [num_classes].
        labels: A tensor of int64 of shape [batch, num_true].
        inputs: A tensor of floats of shape [batch, dim].
        num_sampled: An int: how many classes are drawn.
        num_classes: An int.
        num_true: An int: the number of classes of each example.
        sampled_values: What a sampler of candidates returned. None draws by a log-uniform one.
        remove_accidental_hits: Whether drawn classes that are targets are left out.
        partition_strategy: "mod": tables get classes by turns; "div": one after the other.
        name: A name for the ops.
        seed: An int for the sampler. None draws anew in each process.

    Returns:
        A tensor of floats of shape [batch].

    Raises:
        ValueError: There is no such strategy.

    >>> import graphwright as tf
    >>> nn, inputs = tf.compat.v1.nn, [[0.5, 1.0]]
    >>> nn.sampled_softmax_loss(tf.ones([4, 2]), tf.zeros([4]), [[1]], inputs, 2, 4).shape
    TensorShape([1])
    """
    return class_sampling.sampled_softmax_loss(
        in_order(weights, partition_strategy), biases, labels, inputs, num_sampled, num_classes,
        num_true, sampled_values, remove_accidental_hits, seed, name,
    )  # fmt: skip
