"""Methods of datasets that make one of several."""

from __future__ import annotations

from typing import Any

from graphwright.data.dataset_value import DatasetValue, int64, make
from graphwright.data.element_type import ElementType
from graphwright.data.stages import combining, sources
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike
from graphwright.types.specs import TensorSpec


class Combinations(DatasetValue):
    """What a dataset offers to go with others."""

    @staticmethod
    def zip(*args: Any, datasets: object = None, name: str | None = None) -> Any:
        """Returns the elements of several datasets side by side.

        Args:
            *args: Datasets, or structures of datasets.
            datasets: A structure of datasets, where there are no positional arguments.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset that ends with the first of them.

        Raises:
            TypeError: There is no dataset, or something else is among them.

        >>> import graphwright as tf
        >>> a = tf.data.Dataset.range(3)
        >>> list(tf.data.Dataset.zip(a, a.skip(1)).as_numpy_iterator())
        [(0, 1), (1, 2)]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        structure: Any = datasets if not args else args[0] if len(args) == 1 else args
        inputs = tree.flatten(structure)
        for dataset in inputs:
            if not isinstance(dataset, DatasetValue):
                if isinstance(dataset, list):
                    message = "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. Python `list` is not supported and you should use `tuple` instead."
                else:
                    message = f"Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects but encountered object of type {type(dataset)}."
                raise TypeError(message)
        element = ElementType(tree.pack_sequence_as(structure, [d.element_spec for d in inputs]))
        return make(combining.Zip, element, inputs)

    def concatenate(self, dataset: Any, name: str | None = None) -> Any:
        """Returns the elements of this dataset and then those of another.

        Args:
            dataset: A dataset of elements of the same structure and dtypes.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of either type.

        Raises:
            TypeError: The elements are of different types.

        >>> import graphwright as tf
        >>> a = tf.data.Dataset.range(2)
        >>> list(a.concatenate(a).as_numpy_iterator())
        [0, 1, 0, 1]
        """
        element = self._type.joined(dataset._type)
        if element is None:
            raise TypeError(
                "Incompatible types of input datasets: "
                f"{self.element_spec} vs. {dataset.element_spec}."
            )
        return make(combining.Concatenate, element, [self, dataset])

    def enumerate(self, start: TensorLike = 0, name: str | None = None) -> Any:
        """Returns the elements with their numbers.

        Args:
            start: An int64 scalar: the number of the first element.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of pairs of a number and an element.

        >>> import graphwright as tf
        >>> list(tf.data.Dataset.range(3, 5).enumerate(10).as_numpy_iterator())
        [(10, 3), (11, 4)]
        """
        element = ElementType(TensorSpec([], dt.int64))
        last = int64((1 << 63) - 1)
        numbers = make(sources.Range, element, [], [int64(start), last, int64(1)])
        return Combinations.zip(numbers, self)
