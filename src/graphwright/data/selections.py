"""Methods of datasets that keep some elements and leave out others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.dataset_value import DatasetValue, function_for, int64, make, staged
from graphwright.data.stage import DatasetStage
from graphwright.data.tuning.pipeline_budget import AUTOTUNE
from graphwright.op.late_imports import late_module
from graphwright.ops.core.static import TENSOR, check_whole
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.result_types import Dataset, Tensor
from graphwright.types.specs import TensorSpec
from graphwright.types.type_parameters import Element
from graphwright.values.convert import convert
from graphwright.values.tensor import wrap

if TYPE_CHECKING:
    from typing_extensions import Never, Unpack

    from graphwright.data.element_function import ElementFunction
    from graphwright.types.type_parameters import Parts

_MASK = (1 << 64) - 1


class Selections(DatasetValue[Element]):
    """Methods of `tf.data.Dataset` that keep some of its elements."""

    def take(self, count: TensorLike, name: str | None = None) -> Dataset[Element]:
        """Returns the first elements.

        Args:
            count: An int64 scalar: the number of elements; -1 for all.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.range(10).take(3)]
        [0, 1, 2]
        """
        return make("select_stages:TakeStage", self._type, [self], [int64(count)])

    def skip(self, count: TensorLike, name: str | None = None) -> Dataset[Element]:
        """Returns the elements after the first ones.

        Args:
            count: An int64 scalar: the number of elements to leave out; -1 for all.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
        [3, 4]
        """
        return make("select_stages:SkipStage", self._type, [self], [int64(count)])

    def shard(
        self, num_shards: TensorLike, index: TensorLike, name: str | None = None
    ) -> Dataset[Element]:
        """Returns one of every `num_shards` elements.

        Args:
            num_shards: An int64 scalar: the number of parts, which get elements in turn.
            index: An int64 scalar: the number of the part to return.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        Raises:
            InvalidArgumentError: `num_shards` is not positive, or there is no such part.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.range(10).shard(3, 1)]
        [1, 4, 7]
        """
        numbers = [int64(num_shards), int64(index)]
        return make("select_stages:ShardStage", self._type, [self], numbers)

    def _own(self, workers: int, index: int) -> Any:
        """The dataset of one of several workers, where a policy gives each elements of its own.

        It is None where each worker takes its rows of every batch.
        """
        policy = self._options.experimental_distribute.auto_shard_policy
        if policy.name in ("AUTO", "DATA"):
            return None
        shares = _worker_shares()
        stage = shares.own_stage(self._stage, policy, workers, index)
        share: Any = self._with_stage(stage)
        return share.rebatch(shares.rows_of_worker(stage, workers, index))

    def _seeds(self) -> list[tuple[int, int]]:
        """The seeds of shuffles and the like, as uint64; those that nobody stated are random."""
        seeds = [generator.seeds for generator in _worker_shares().seed_generators(self._stage)]
        return [(seed & _MASK, seed2 & _MASK) for seed, seed2 in seeds]

    def _seeded(self, seeds: Sequence[Sequence[int]]) -> Any:
        """The dataset with other seeds of shuffles and the like, in the order of `_seeds`."""
        shares = _worker_shares()
        new = {
            generator: type(generator)(int(seed), int(seed2), generator.is_fixed)
            for generator, (seed, seed2) in zip(shares.seed_generators(self._stage), seeds)
        }
        return self._with_stage(shares.with_generators(self._stage, new))

    def _with_stage(self, stage: DatasetStage) -> Any:
        """A dataset of this type and with these options, of another stage."""
        made = DatasetValue.of(wrap(stage), self._type, self._name)
        made._options = self._options
        return made

    def repeat(self, count: TensorLike | None = None, name: str | None = None) -> Dataset[Element]:
        """Returns all elements several times.

        Args:
            count: An int64 scalar: the number of rounds; None or -1 for no end.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return make(
            "select_stages:RepeatStage", self._type, [self], [int64(-1 if count is None else count)]
        )

    @overload  # a tuple arrives as several arguments
    def filter(
        self: Selections[tuple[Unpack[Parts]]],
        predicate: Callable[[Unpack[Parts]], object],
        name: str | None = None,
    ) -> Dataset[tuple[Unpack[Parts]]]: ...
    @overload
    def filter(
        self, predicate: Callable[[Element], object], name: str | None = None
    ) -> Dataset[Element]: ...
    @overload  # the type of the elements is not known
    def filter(
        self: Selections[Never], predicate: Callable[..., object], name: str | None = None
    ) -> Dataset[Any]: ...
    def filter(self, predicate: Callable[..., object], name: str | None = None) -> Dataset[Any]:
        """Returns the elements for which a function is true.

        Args:
            predicate: A function of an element, which returns a bool scalar.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        Raises:
            ValueError: The function does not return a bool scalar.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.range(6).filter(lambda x: x % 2 == 1)]
        [1, 3, 5]
        """
        return make(
            "map_stages:FilterStage", self._type, [self], [], [predicate_for(predicate, self)]
        )

    def take_while(
        self, predicate: Callable[..., object], name: str | None = None
    ) -> Dataset[Element]:
        """Returns the elements before the first for which a function is false.

        Args:
            predicate: A function of an element, which returns a bool scalar.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        Raises:
            ValueError: The function does not return a bool scalar.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.range(10).take_while(lambda x: x < 3)]
        [0, 1, 2]
        """
        function = predicate_for(predicate, self)
        return make("sequential_stages:TakeWhileStage", self._type, [self], [], [function])

    def unique(self, name: str | None = None) -> Dataset[Element]:
        """Returns the elements without repetitions of earlier ones.

        Args:
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        Raises:
            InvalidArgumentError: The elements are not single tensors.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.from_tensor_slices([1, 37, 2, 37, 2, 1])
        >>> [int(x) for x in dataset.unique()]
        [1, 37, 2]
        """
        if len(self._type.leaves) != 1 or not isinstance(self.element_spec, TensorSpec):
            raise InvalidArgumentError(
                None, None,
                "`unique` takes datasets whose elements are single tensors: it only supports "
                f"inputs with a single component, not {self.element_spec}",
            )  # fmt: skip
        return make("group_stages:UniqueStage", self._type, [self])

    def rejection_resample(
        self,
        class_func: Callable[..., object],
        target_dist: TensorLike,
        initial_dist: TensorLike | None = None,
        seed: TensorLike | None = None,
        name: str | None = None,
    ) -> Dataset[tuple[Tensor, Element]]:
        """Returns elements with their classes, some of them twice and others not at all.

        So each class becomes as frequent as `target_dist` says.

        Args:
            class_func: A function of an element, which returns its class: an integer scalar.
            target_dist: A float vector: how frequent each class shall be.
            initial_dist: A float vector: how frequent each is; it is estimated unless it is given.
            seed: An int, with which the elements are those of TensorFlow; see `tf.random.set_seed`.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of pairs of a class and an element.

        Raises:
            TypeError: The classes are no integers.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.range(6).rejection_resample(
        ...     lambda x: tf.cast(x % 2, tf.int32), [0.0, 1.0], [0.5, 0.5])
        >>> [(int(label), int(x)) for label, x in dataset]
        [(1, 1), (1, 3), (1, 5)]
        """
        target: Any = convert(target_dist)
        initial: Any = None if initial_dist is None else convert(initial_dist)
        sampling: Any = late_module("graphwright.data.sampling")
        return sampling.resampled(self, staged(class_func), target, initial, seed)

    def prefetch(self, buffer_size: TensorLike | None, name: str | None = None) -> Dataset[Element]:
        """Returns the elements, some of which a thread computes before they are taken.

        Args:
            buffer_size: An int64 scalar: the most elements that wait. `tf.data.AUTOTUNE` leaves the
                number to the dataset.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.range(3).prefetch(2)]
        [0, 1, 2]
        """
        check_whole(buffer_size, "buffer_size", cut=(TENSOR,))
        size = int64(AUTOTUNE if buffer_size is None else buffer_size)
        return make("buffer_stages:PrefetchStage", self._type, [self], [size])

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset[Element]:
        """Returns the elements that can be computed without an error.

        Args:
            log_warning: Whether a warning is logged for each error.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.from_tensor_slices([1, 0, 2])
        >>> dataset = dataset.map(lambda x: 10 // x).ignore_errors()
        >>> [int(x) for x in dataset]
        [10, 5]
        """
        return make(
            "guard_stages:IgnoreErrorsStage", self._type, [self], log_warning=bool(log_warning)
        )


def _worker_shares() -> Any:
    """The module of what workers have of a dataset, which few programs need."""
    return late_module("graphwright.data.stages.worker_shares")


def predicate_for(predicate: Callable[..., object], dataset: DatasetValue) -> ElementFunction:
    """A condition on elements, traced; ValueError if it returns no bool scalar."""
    function = function_for(predicate, dataset)
    types = function.result.types
    if len(types) != 1 or types[0].dtype is not dt.bool_ or types[0].dims not in ((), None):
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
            f"return type is {function.result.specs}."
        )
    return function
