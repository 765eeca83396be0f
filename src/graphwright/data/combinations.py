"""Methods of datasets that combine several datasets into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from graphwright.data.dataset_value import DatasetValue, int64, make
from graphwright.data.element_type import ElementType
from graphwright.data.stage import LAST
from graphwright.op.late_imports import late_module
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike
from graphwright.types.result_types import Dataset
from graphwright.types.specs import TensorSpec
from graphwright.types.type_parameters import Element
from graphwright.values.tensor import Tensor

if TYPE_CHECKING:
    from graphwright.types.type_parameters import First, Name, Second, Third


class Combinations(DatasetValue[Element]):
    """Methods of `tf.data.Dataset` about several datasets."""

    @overload
    @staticmethod
    def zip(
        first: DatasetValue[First], second: DatasetValue[Second], /, *, name: str | None = None
    ) -> Dataset[tuple[First, Second]]: ...
    @overload
    @staticmethod
    def zip(
        first: DatasetValue[First], second: DatasetValue[Second], third: DatasetValue[Third], /,
        *, name: str | None = None,
    ) -> Dataset[tuple[First, Second, Third]]: ...  # fmt: skip
    @overload
    @staticmethod
    def zip(
        datasets: tuple[DatasetValue[First], DatasetValue[Second]], /, *, name: str | None = None
    ) -> Dataset[tuple[First, Second]]: ...
    @overload
    @staticmethod
    def zip(
        datasets: tuple[DatasetValue[First], DatasetValue[Second], DatasetValue[Third]], /,
        *, name: str | None = None,
    ) -> Dataset[tuple[First, Second, Third]]: ...  # fmt: skip
    @overload
    @staticmethod
    def zip(
        datasets: Mapping[Name, DatasetValue[First]], /, *, name: str | None = None
    ) -> Dataset[dict[Name, First]]: ...
    @overload
    @staticmethod
    def zip(*args: Any, datasets: object = None, name: str | None = None) -> Dataset[Any]: ...
    @staticmethod
    def zip(*args: Any, datasets: object = None, name: str | None = None) -> Dataset[Any]:
        """Returns the elements of several datasets side by side.

        Args:
            *args: Datasets, or structures of datasets.
            datasets: A structure of datasets, where there are no positional arguments.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset that ends with the shortest of them.

        Raises:
            TypeError: There is no dataset, or an argument is something else.

        >>> import graphwright as tf
        >>> a = tf.data.Dataset.range(3)
        >>> [(int(x), int(y)) for x, y in tf.data.Dataset.zip(a, a.skip(1))]
        [(0, 1), (1, 2)]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        structure: Any = datasets if not args else args[0] if len(args) == 1 else args
        if isinstance(structure, list):
            raise TypeError(
                "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                "`tf.data.Dataset` objects. Python `list` is not supported and you should use "
                "`tuple` instead."
            )
        inputs = tree.flatten(structure)
        for dataset in inputs:
            if not isinstance(dataset, DatasetValue):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    f"`tf.data.Dataset` objects but encountered object of type {type(dataset)}."
                )
        element = ElementType(tree.pack_sequence_as(structure, [d.element_spec for d in inputs]))
        return make("combine_stages:ZipStage", element, inputs)

    def concatenate(self, dataset: DatasetValue, name: str | None = None) -> Dataset[Element]:
        """Returns the elements of this dataset and then those of another.

        Args:
            dataset: A dataset of elements of the same structure and dtypes.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of the elements of both.

        Raises:
            TypeError: The elements are of different types.

        >>> import graphwright as tf
        >>> a = tf.data.Dataset.range(2)
        >>> [int(x) for x in a.concatenate(a)]
        [0, 1, 0, 1]
        """
        element = self._type.joined(dataset._type)
        if element is None:
            raise TypeError(
                "Incompatible types of input datasets: "
                f"{self.element_spec} vs. {dataset.element_spec}."
            )
        return make("combine_stages:ConcatenateStage", element, [self, dataset])

    def enumerate(
        self, start: TensorLike = 0, name: str | None = None
    ) -> Dataset[tuple[Tensor, Element]]:
        """Returns the elements with their numbers.

        Args:
            start: An int64 scalar: the number of the first element.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of pairs of a number and an element.

        >>> import graphwright as tf
        >>> [(int(i), int(x)) for i, x in tf.data.Dataset.range(3, 5).enumerate(10)]
        [(10, 3), (11, 4)]
        """
        element = ElementType(TensorSpec([], dt.int64))
        last = int64(LAST)
        numbers = make("source_stages:RangeStage", element, [], [int64(start), last, int64(1)])
        return Combinations.zip(numbers, self)

    @staticmethod
    def choose_from_datasets(
        datasets: Sequence[DatasetValue[First]],
        choice_dataset: DatasetValue,
        stop_on_empty_dataset: bool = True,
    ) -> Dataset[First]:
        """Returns elements of several datasets, chosen by the numbers in another one.

        Args:
            datasets: A list of datasets with elements of one structure and the same dtypes.
            choice_dataset: A dataset of int64 scalars: positions in the list.
            stop_on_empty_dataset: Whether the result ends when a chosen dataset has ended. If not,
                that choice is skipped.

        Returns:
            A dataset of the elements.

        Raises:
            TypeError: The elements of `choice_dataset` are no int64 scalars, or those of the
                datasets have different types.
            ValueError: There are no datasets.

        >>> import graphwright as tf
        >>> a = tf.data.Dataset.range(3)
        >>> choices = tf.data.Dataset.from_tensor_slices(tf.constant([1, 0, 1], tf.int64))
        >>> chosen = tf.data.Dataset.choose_from_datasets([a, a.skip(1)], choices)
        >>> [int(x) for x in chosen]
        [1, 0, 2]
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        if not isinstance(choice_dataset, DatasetValue):
            raise TypeError(
                "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                f"{type(choice_dataset)}."
            )
        number = TensorSpec([], dt.int64)
        if not number.is_compatible_with(choice_dataset.element_spec):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
                f"tensors but are {choice_dataset.element_spec}."
            )
        return chosen(choice_dataset, datasets, stop_on_empty_dataset)

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[DatasetValue[First]],
        weights: Sequence[float] | Tensor | DatasetValue | None = None,
        seed: TensorLike | None = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset[First]:
        """Returns elements of several datasets, chosen at random.

        Args:
            datasets: A list of datasets with elements of one structure and the same dtypes.
            weights: A list or a float tensor: the probability of each, by default the same for
                all; or a dataset of such tensors.
            seed: An int, with which the order is that of TensorFlow; see `tf.random.set_seed`.
            stop_on_empty_dataset: Whether the result ends when a chosen dataset has ended. If not,
                that choice is skipped.
            rerandomize_each_iteration: Whether each iteration has another order; by default only
                without a seed.

        Returns:
            A dataset of the elements.

        Raises:
            TypeError: `weights` is no list of floats, or the elements have different types.
            ValueError: There are no datasets, or their number is not that of the weights.

        >>> import graphwright as tf
        >>> a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
        >>> mixed = tf.data.Dataset.sample_from_datasets([a, b], seed=2)
        >>> sorted([int(x) for x in mixed])
        [0, 1, 2, 10, 11, 12]
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        sampling: Any = late_module("graphwright.data.sampling")
        possible, probabilities = sampling.weighted(datasets, weights)
        if len(possible) == 1 and not isinstance(probabilities, DatasetValue):
            only: Any = possible[0]
            return only
        choices = sampling.choices(probabilities, seed, rerandomize_each_iteration)
        return chosen(choices, possible, stop_on_empty_dataset)


def chosen(choices: DatasetValue, datasets: Sequence[DatasetValue], stops_at_empty: bool) -> Any:
    """The elements of datasets whose numbers come from another dataset."""
    element: ElementType = datasets[0]._type
    for dataset in datasets[1:]:
        joined = element.joined(dataset._type)
        if joined is None:
            raise TypeError(
                "Invalid `datasets`. `datasets` must have the same type signature: "
                f"{element.specs} vs. {dataset.element_spec}."
            )
        element = joined
    inputs = [choices, *datasets]
    return make("choice_stages:ChooseStage", element, inputs, stops_at_empty=bool(stops_at_empty))
