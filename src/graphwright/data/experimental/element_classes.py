"""The dtypes, shapes and classes of elements apart, as TensorFlow 1 asked for them."""

from __future__ import annotations

from typing import Any

from graphwright.data.dataset import Dataset
from graphwright.data.experimental.dataset_functions import get_structure
from graphwright.data.iterator import Iterator
from graphwright.types import tree
from graphwright.types.specs import TensorSpec
from graphwright.values.tensor import Tensor


def get_output_types(dataset_or_iterator: Dataset | Iterator) -> Any:
    """Returns the dtypes of the elements of a dataset or an iterator.

    Args:
        dataset_or_iterator: A `tf.data.Dataset` or a `tf.data.Iterator`.

    Returns:
        A structure of dtypes.

    >>> import graphwright as tf
    >>> tf.compat.v1.data.get_output_types(tf.data.Dataset.range(3))
    tf.int64
    """
    return tree.map_structure(lambda spec: spec.dtype, get_structure(dataset_or_iterator))


def get_output_shapes(dataset_or_iterator: Dataset | Iterator) -> Any:
    """Returns the shapes of the elements of a dataset or an iterator.

    Args:
        dataset_or_iterator: A `tf.data.Dataset` or a `tf.data.Iterator`.

    Returns:
        A structure of shapes.

    >>> import graphwright as tf
    >>> tf.compat.v1.data.get_output_shapes(tf.data.Dataset.range(3).batch(2))
    TensorShape([None])
    """
    return tree.map_structure(lambda spec: spec.shape, get_structure(dataset_or_iterator))


def get_output_classes(dataset_or_iterator: Dataset | Iterator) -> Any:
    """Returns the classes of the elements of a dataset or an iterator.

    Args:
        dataset_or_iterator: A `tf.data.Dataset` or a `tf.data.Iterator`.

    Returns:
        A structure of classes: `tf.Tensor`, or the type specs of composites.

    >>> import graphwright as tf
    >>> tf.compat.v1.data.get_output_classes(tf.data.Dataset.range(3)) is tf.Tensor
    True
    """
    return tree.map_structure(
        lambda spec: Tensor if isinstance(spec, TensorSpec) else spec,
        get_structure(dataset_or_iterator),
    )
