"""Datasets whose classes are public ones in TensorFlow, by which they are shown."""

from __future__ import annotations

from typing import Any

from graphwright.data.dataset import Dataset
from graphwright.data.dataset_value import DatasetValue
from graphwright.data.sampling import random_numbers
from graphwright.types.arguments import TensorLike


class PublicDataset(Dataset):
    """A dataset that is shown by the name of its class in TensorFlow."""

    @classmethod
    def _like(cls, dataset: DatasetValue, name: str) -> Any:
        """A dataset under another name."""
        made = cls.__new__(cls)
        made._become(dataset, name)
        return made

    def _become(self, dataset: DatasetValue, name: str) -> None:
        """Takes the elements of a dataset, and a name."""
        self._variant, self._type, self._name = dataset._variant, dataset._type, name
        self._options = dataset._options

    def __repr__(self) -> str:
        return f"<{self._name} element_spec={self.element_spec!r}>"


class RandomDataset(PublicDataset):
    """Random numbers of 32 bits, as int64 scalars, without an end.

    Args:
        seed: An int, with which the numbers are those of TensorFlow; see `tf.random.set_seed`.
        rerandomize_each_iteration: Whether each iteration has other numbers.
        name: Accepted for TensorFlow's signature and not used.

    >>> import graphwright as tf
    >>> dataset = tf.data.experimental.RandomDataset(seed=4)
    >>> [int(x) for x in dataset.take(2)] == [int(x) for x in dataset.take(2)]
    True
    """

    def __init__(
        self,
        seed: TensorLike | None = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> None:
        self._become(random_numbers(seed, rerandomize_each_iteration), "RandomDatasetV2")
