"""`tf.data.Dataset`: its sources, and its methods about the whole pipeline."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from graphwright.control.assertions import assert_greater_equal
from graphwright.data.batches import Batches
from graphwright.data.combinations import Combinations
from graphwright.data.dataset_options import Options
from graphwright.data.dataset_value import DatasetValue, int64, make
from graphwright.data.element_type import ElementType, normalized, refuse_row_counts
from graphwright.data.file_sources import FileSources
from graphwright.data.iterator import Iterator, NumpyIterator
from graphwright.data.mappings import Mappings
from graphwright.data.selections import Selections
from graphwright.data.stage import INFINITE, LAST, UNKNOWN
from graphwright.op.interpreter import apply
from graphwright.op.late_imports import late_module
from graphwright.op.refusal import rename_operand
from graphwright.ops.math.comparison import logical_not
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike
from graphwright.types.dtypes import as_dtype
from graphwright.types.specs import TensorSpec
from graphwright.types.type_parameters import Element
from graphwright.values.convert import convert
from graphwright.values.tensor import Tensor

if TYPE_CHECKING:
    from graphwright.data.dataset_loops import BlockFold
    from graphwright.data.explanation import DataReport
    from graphwright.types.type_parameters import First, Made, Name, Rows


class Dataset(
    Batches[Element],
    Combinations[Element],
    FileSources[Element],
    Mappings[Element],
    Selections[Element],
    is_result=True,
):
    """A pipeline of elements, which come one after another.

    A dataset is a value that does not change. Each method returns another dataset, and each `for`
    starts at the first element. Nothing is computed before elements are taken.

    Args:
        variant_tensor: Not taken: a dataset is made by one of the static methods.

    >>> import graphwright as tf
    >>> dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3, 4]).map(lambda x: x * 10).batch(2)
    >>> for batch in dataset:
    ...     print(batch.numpy())
    [10 20]
    [30 40]
    """

    def __init__(self, variant_tensor: object) -> None:
        raise TypeError(
            "a dataset is made by a function such as tf.data.Dataset.from_tensor_slices([1, 2])"
        )

    # -- sources --------------------------------------------------------------------------

    @staticmethod
    def range(
        *args: TensorLike, output_type: DTypeLike = dt.int64, name: str | None = None
    ) -> Dataset[Tensor]:
        """Returns the numbers of a range, as Python's `range` does.

        Args:
            *args: `stop`; or `start` and `stop`; or `start`, `stop` and `step`: int64 scalars.
            output_type: The dtype of the elements.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of scalars.

        Raises:
            ValueError: There are no arguments, or more than three.
            InvalidArgumentError: `step` is 0.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.range(1, 8, 3)]
        [1, 4, 7]
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(
                "Invalid `args`. The length of `args` should be between 1 and 3 but its length is "
                f"{len(args)}."
            )
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        element = ElementType(TensorSpec([], as_dtype(output_type)))
        numbers = [int64(start), int64(stop), int64(step)]
        return make("source_stages:RangeStage", element, [], numbers)

    @overload
    @staticmethod
    def from_tensors(tensors: Rows, name: str | None = None) -> Dataset[Tensor]: ...
    @overload
    @staticmethod
    def from_tensors(tensors: Made, name: str | None = None) -> Dataset[Made]: ...
    @overload
    @staticmethod
    def from_tensors(tensors: object, name: str | None = None) -> Dataset[Any]: ...
    @staticmethod
    def from_tensors(tensors: object, name: str | None = None) -> Dataset[Any]:
        """Returns a dataset of one element.

        Args:
            tensors: The element: a structure of tensors, or of values that convert to tensors.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of the one element.

        >>> import graphwright as tf
        >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        [array([1, 2], dtype=int32)]
        """
        element = normalized(tensors)
        element_type = ElementType.of(element)
        return make("source_stages:TensorsStage", element_type, [], element_type.flatten(element))

    @overload
    @staticmethod
    def from_tensor_slices(
        tensors: tuple[Rows, Rows], name: str | None = None
    ) -> Dataset[tuple[Tensor, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensor_slices(
        tensors: tuple[Rows, Rows, Rows], name: str | None = None
    ) -> Dataset[tuple[Tensor, Tensor, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensor_slices(
        tensors: Mapping[Name, Rows], name: str | None = None
    ) -> Dataset[dict[Name, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensor_slices(tensors: Rows, name: str | None = None) -> Dataset[Tensor]: ...
    @overload
    @staticmethod
    def from_tensor_slices(tensors: object, name: str | None = None) -> Dataset[Any]: ...
    @staticmethod
    def from_tensor_slices(tensors: object, name: str | None = None) -> Dataset[Any]:
        """Returns the rows of tensors.

        Args:
            tensors: A structure of tensors, and of what converts to them, with as many rows each.
                NumPy's arrays, columns of pandas and of Arrow do. Their memory is copied, unless
                no program can write it: `np.load(path, mmap_mode="r")` is read as rows are taken.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of rows, in that structure. They are views of the tensors.

        Raises:
            ValueError: There is no tensor, one is a scalar, or the numbers of rows differ.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"]))
        >>> [(int(number), letter.numpy()) for number, letter in dataset]
        [(1, b'a'), (2, b'b')]
        """
        try:
            element = normalized(tensors)
        except ValueError as error:
            if isinstance(tensors, list):
                rename_operand(error, "value", "tensors")
            raise
        whole = ElementType.of(element)
        if not whole.types:
            raise ValueError("Invalid `tensors`. `tensors` must not be empty.")
        for type_ in whole.types:
            if type_.dims == ():
                raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        if any(not isinstance(leaf, TensorSpec) for leaf in whole.leaves):
            row = whole.flatten(element)
            rows = whole.unbatched()
            return make("unbatch_stages:CompositeSlicesStage", rows, [], row, whole=whole)
        refuse_row_counts(element, whole.types)
        return make("source_stages:SlicesStage", whole.unbatched(), [], whole.flatten(element))

    @overload
    @staticmethod
    def from_generator(
        generator: Callable[..., Iterable[object]],
        output_types: None = None,
        output_shapes: None = None,
        args: Sequence[TensorLike] | None = None,
        *,
        output_signature: TensorSpec,
        name: str | None = None,
    ) -> Dataset[Tensor]: ...
    @overload
    @staticmethod
    def from_generator(
        generator: Callable[..., Iterable[object]],
        output_types: None = None,
        output_shapes: None = None,
        args: Sequence[TensorLike] | None = None,
        *,
        output_signature: tuple[TensorSpec, TensorSpec],
        name: str | None = None,
    ) -> Dataset[tuple[Tensor, Tensor]]: ...
    @overload
    @staticmethod
    def from_generator(
        generator: Callable[..., Iterable[object]],
        output_types: object = None,
        output_shapes: object = None,
        args: Sequence[TensorLike] | None = None,
        output_signature: object = None,
        name: str | None = None,
    ) -> Dataset[Any]: ...
    @staticmethod
    def from_generator(
        generator: Callable[..., Iterable[object]],
        output_types: object = None,
        output_shapes: object = None,
        args: Sequence[TensorLike] | None = None,
        output_signature: object = None,
        name: str | None = None,
    ) -> Dataset[Any]:
        """Returns the values that a Python generator yields.

        Args:
            generator: A function that returns an iterable. It is called for each iteration.
            output_types: The dtypes of an element, in its structure, without an
                `output_signature`.
            output_shapes: Its shapes, in the same structure; unknown by default.
            args: A list of tensors. The function gets their values as NumPy arrays.
            output_signature: The type specs of an element, in its structure.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of the values, converted.

        Raises:
            TypeError: `generator` cannot be called, or there is neither a signature nor dtypes.
            InvalidArgumentError: While elements are taken: one has another type.

        >>> import graphwright as tf
        >>> def squares(count):
        ...     for i in range(count):
        ...         yield i * i
        >>> dataset = tf.data.Dataset.from_generator(
        ...     squares, args=[4], output_signature=tf.TensorSpec([], tf.int32))
        >>> [int(x) for x in dataset]
        [0, 1, 4, 9]
        """
        generators: Any = late_module("graphwright.data.generators")
        element = generators.signature(generator, output_types, output_shapes, output_signature)
        operands = [] if args is None else [convert(a) for a in args]
        return make(
            "source_stages:GeneratedStage",
            element,
            [],
            operands,
            generator=generators.ElementGenerator(generator, element),
        )

    @staticmethod
    def random(
        seed: TensorLike | None = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Dataset[Tensor]:
        """Returns random 32-bit numbers, without an end.

        Args:
            seed: An int, with which the numbers are those of TensorFlow; see `tf.random.set_seed`.
            rerandomize_each_iteration: Whether each iteration has other numbers.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of int64 scalars.

        >>> import graphwright as tf
        >>> a = list(tf.data.Dataset.random(seed=4).take(3).as_numpy_iterator())
        >>> a == list(tf.data.Dataset.random(seed=4).take(3).as_numpy_iterator())
        True
        """
        sampling: Any = late_module("graphwright.data.sampling")
        return sampling.random_numbers(seed, rerandomize_each_iteration)

    @staticmethod
    def counter(
        start: TensorLike = 0,
        step: TensorLike = 1,
        dtype: DTypeLike = dt.int64,
        name: str | None = None,
    ) -> Dataset[Tensor]:
        """Returns `start`, `start + step` and so on, without an end.

        Args:
            start: A number.
            step: A number.
            dtype: The dtype of the elements.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of numbers.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.counter(5, 2).take(3)]
        [5, 7, 9]
        """
        kind = as_dtype(dtype)
        first, more = convert(start, kind), convert(step, kind)
        return Dataset.range(LAST).scan(first, lambda number, _: (number + more, number))

    # -- order ----------------------------------------------------------------------------

    def shuffle(
        self,
        buffer_size: TensorLike,
        seed: TensorLike | None = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset[Element]:
        """Returns the elements in random order.

        Each element is drawn from a buffer of the next ones. So every order is possible only if the
        buffer has room for all elements.

        Args:
            buffer_size: An int64 scalar: the number of elements in the buffer.
            seed: An int, with which the order is that of TensorFlow; see `tf.random.set_seed`.
            reshuffle_each_iteration: Whether each iteration has another order.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of elements of the same type.

        Raises:
            InvalidArgumentError: `buffer_size` is not positive.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.range(5).shuffle(5, seed=1)]
        [0, 4, 3, 1, 2]
        """
        pair = late_module("graphwright.data.random_words").seed_numbers(seed)
        is_fixed = reshuffle_each_iteration is False
        numbers = [int64(buffer_size), *pair]
        return make("shuffle_stages:ShuffleStage", self._type, [self], numbers, is_fixed=is_fixed)

    # -- the whole pipeline -----------------------------------------------------------------

    def cardinality(self, name: str | None = None) -> Any:
        """Returns the number of elements.

        Args:
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            An int64 scalar: `tf.data.INFINITE_CARDINALITY` if there is no end, and
            `tf.data.UNKNOWN_CARDINALITY` if only an iteration can count them.

        >>> import graphwright as tf
        >>> int(tf.data.Dataset.range(42).batch(10).cardinality())
        5
        """
        return apply(_ops().Cardinality(), self._variant)

    def fingerprint(self) -> Any:
        """Returns a number that differs for datasets that are made otherwise.

        It depends on the stages, their numbers, and what their functions do: two datasets that are
        made alike have the same, in another process too.

        Returns:
            A uint64 scalar.

        Raises:
            UnimplementedError: A function or a generator of Python is a part of it.

        >>> import graphwright as tf
        >>> a, b, c = [tf.data.Dataset.range(5).skip(n).fingerprint() for n in (1, 1, 2)]
        >>> bool(a == b), bool(a == c)
        (True, False)
        """
        return apply(_ops().DatasetFingerprint(), self._variant)

    def __len__(self) -> int:
        if current_tracer() is not None:
            raise TypeError(
                "`tf.data.Dataset` only supports `len` in eager mode. Use "
                "`tf.data.Dataset.cardinality()` instead."
            )
        count = self._stage.cardinality()
        if count == INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Element]:
        tracer = current_tracer()
        if tracer is not None and tracer.graph.is_plain:
            raise RuntimeError(
                "__iter__() is only supported inside of tf.function or when eager execution is "
                "enabled. In a graph for sessions, use `make_one_shot_iterator`."
            )
        return Iterator.over(self)

    def make_one_shot_iterator(self) -> Iterator[Element]:
        """Returns an iterator over the elements, as TensorFlow 1 makes it.

        In a graph for sessions, each session begins at the first element.

        >>> import graphwright as tf
        >>> int(tf.data.Dataset.range(3).make_one_shot_iterator().get_next())
        0
        """
        return _sessions().make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Iterator[Element]:
        """Returns an iterator over the elements, whose `initializer` a session runs to begin.

        Args:
            shared_name: Accepted for TensorFlow's signature and not used.

        Returns:
            A `tf.data.Iterator`.

        Raises:
            RuntimeError: Ops run at once.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     iterator = tf.data.Dataset.range(3).make_initializable_iterator()
        ...     x = iterator.get_next()
        ...     session.run(iterator.initializer)
        ...     session.run(x)
        np.int64(0)
        """
        return _sessions().make_initializable_iterator(self, shared_name)

    def __graph_iteration__(self) -> BlockFold:
        loops: Any = late_module("graphwright.data.dataset_loops")
        fold: BlockFold = loops.BlockFold(self._variant, self._type)
        return fold

    def get_single_element(self, name: str | None = None) -> Element:
        """Returns the only element.

        Args:
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            Tensors and composites in the structure of `element_spec`.

        Raises:
            InvalidArgumentError: There is none, or more than one.

        >>> import graphwright as tf
        >>> int(tf.data.Dataset.from_tensors(7).get_single_element())
        7
        """
        return self._type.pack(apply(_ops().SingleElement(self._type), self._variant) or ())

    @staticmethod
    def __graph_builtins__() -> dict[str, Callable[..., Any]]:
        """The forms of Python's `enumerate`, `zip` and the like for datasets in a function."""
        return BUILTINS

    def as_numpy_iterator(self) -> NumpyIterator:
        """Returns the elements as NumPy values, one by one.

        Returns:
            An iterator over structures of arrays and scalars. The arrays are views that cannot be
            written.

        Raises:
            RuntimeError: A function is being traced.

        >>> import graphwright as tf
        >>> list(tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).as_numpy_iterator())
        [array([1, 2], dtype=int32), array([3, 4], dtype=int32)]
        """
        if current_tracer() is not None:
            raise RuntimeError(
                "`tf.data.Dataset.as_numpy_iterator` is only supported in eager mode."
            )
        return NumpyIterator(self)

    def explain(
        self, seconds: float = 1.0, step: Callable[..., object] | None = None
    ) -> DataReport:
        """Returns what the stages of the pipeline do and cost, and what would help.

        Elements are taken for some time, so what their functions do happens. So does what `step`
        does.

        Args:
            seconds: A float: how long elements are taken at most.
            step: A function of an element, such as a training step. It is called with each element,
                as the function of `map` is, and the report says how long it waited for them. None
                takes elements as fast as they come.

        Returns:
            A report, which prints as a table.

        Raises:
            RuntimeError: A function is being traced.

        >>> import graphwright as tf
        >>> report = tf.data.Dataset.range(100).map(lambda x: x * 2).batch(10).explain()
        >>> [stage.name for stage in report.stages]
        ['BatchDataset', 'MapDataset lambda', 'RangeDataset']
        >>> report.elements
        10
        >>> report = tf.data.Dataset.range(100).explain(step=lambda x: x + 1)
        >>> 0 < report.waiting < 1
        True
        """
        if current_tracer() is not None:
            raise RuntimeError("`explain` takes elements, which a function being traced has not.")
        explanation: Any = late_module("graphwright.data.explanation")  # few programs need it
        report: DataReport = explanation.explain(self._stage, seconds, step, self._type.pack)
        return report

    def options(self) -> Options:
        """Returns the options of the dataset.

        Returns:
            The options of this dataset and of its inputs, merged.

        >>> import graphwright as tf
        >>> tf.data.Dataset.range(3).options().deterministic is None
        True
        """
        return Options().merge(self._options)

    def with_options(self, options: Options, name: str | None = None) -> Dataset[Element]:
        """Returns the dataset with further options.

        Args:
            options: The options, which override those that the dataset has.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of the same elements.

        >>> import graphwright as tf
        >>> options = tf.data.Options()
        >>> options.threading.private_threadpool_size = 2
        >>> dataset = tf.data.Dataset.range(3).with_options(options)
        >>> dataset.options().threading.private_threadpool_size
        2
        """
        merged = self._options.merge(options)
        made = make("guard_stages:OptionsStage", self._type, [self], options=merged)
        made._options = merged
        return made

    def apply(
        self, transformation_func: Callable[[Dataset[Element]], Dataset[First]]
    ) -> Dataset[First]:
        """Returns the result of a function of the dataset.

        Args:
            transformation_func: A function of a dataset, which returns a dataset.

        Returns:
            The dataset that the function returns.

        Raises:
            TypeError: The function returns something else.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.range(4).apply(lambda d: d.skip(2))]
        [2, 3]
        """
        dataset: object = transformation_func(self)
        if not isinstance(dataset, DatasetValue):
            raise TypeError(
                "`transformation_func` must return a `tf.data.Dataset` object. Got "
                f"{type(dataset)}."
            )
        result: Any = dataset
        return result


def _sessions() -> Any:
    """The module of iterators of sessions, which few programs have."""
    return late_module("graphwright.data.experimental.session_iterator")


def mapped(function: Callable[..., object], *datasets: Dataset) -> Any:
    """`map` of datasets in a function."""
    return datasets[0].map(function) if len(datasets) == 1 else Dataset.zip(*datasets).map(function)


def known_length(dataset: Dataset) -> Any:
    """`len` of a dataset in a function; an error at run time if it is unknown or infinite."""
    count = dataset.cardinality()
    assert_greater_equal(count, int64(0), "the length of the dataset is infinite or unknown")
    return count


def _quantifier(name: str) -> Callable[[Dataset], Tensor]:
    """`any` or `all` of a dataset of bools in a function."""
    is_any = name == "any"

    def call(dataset: Dataset) -> Tensor:
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype != dt.bool_ or spec.shape.rank != 0:
            raise ValueError(
                f"{name}() of a dataset takes elements that are bool scalars, not {spec}: "
                f"`{name}(dataset.map(lambda element: ...))` takes a condition."
            )
        deciding = dataset.filter(lambda element: element if is_any else logical_not(element))
        none = deciding.take(1).reduce(convert(True), lambda state, element: convert(False))
        return logical_not(none) if is_any else none

    return call


BUILTINS: dict[str, Callable[..., Any]] = {
    "abs": lambda dataset: dataset.map(operator.abs),
    "all": _quantifier("all"),
    "any": _quantifier("any"),
    "enumerate": lambda dataset, start=0: dataset.enumerate(start),
    "filter": lambda function, dataset: dataset.filter(function),
    "iter": Iterator.over,
    "len": known_length,
    "map": mapped,
    "zip": lambda *datasets, strict=False: Dataset.zip(*datasets),
}


def _ops() -> Any:
    """The module of the ops about whole datasets, which most pipelines never use."""
    return late_module("graphwright.data.dataset_ops")
