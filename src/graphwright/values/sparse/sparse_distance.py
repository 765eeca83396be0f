"""`tf.edit_distance`: how far the sequences of two sparse tensors are apart."""

from __future__ import annotations

from graphwright.op.interpreter import apply
from graphwright.ops.strings.edit_distance import EditDistance
from graphwright.types.arguments import Tensor
from graphwright.values.sparse.sparse_tensor import SparseTensor


def edit_distance(
    hypothesis: SparseTensor,
    truth: SparseTensor,
    normalize: bool = True,
    name: str | None = "edit_distance",
) -> Tensor:
    """Returns the Levenshtein distances of the rows of two sparse tensors.

    A row without elements is an empty sequence.

    Args:
        hypothesis: A sparse tensor of shape [..., length].
        truth: A sparse tensor of the dtype and rank of `hypothesis`.
        normalize: Whether a distance is divided by the length of the row of `truth`.
        name: A name for the op.

    Returns:
        A tensor of float32 of shape [...].

    Raises:
        TypeError: One of them is not sparse.

    >>> import graphwright as tf
    >>> said, meant = (tf.sparse.from_dense([list(word)]) for word in ("kitten", "sittin"))
    >>> tf.edit_distance(said, meant, normalize=False).numpy().tolist()
    [2.0]
    """
    for what, value in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(value, SparseTensor):
            raise TypeError(f"{what} must be a SparseTensor.")
    parts = [(x.indices, x.values, x.dense_shape) for x in (hypothesis, truth)]
    return apply(EditDistance.of(normalize), *parts[0], *parts[1], name=name)
