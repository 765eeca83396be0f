"""Methods of datasets that call a function for each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.dataset_value import DatasetSpec, DatasetValue, function_for, int64, make
from graphwright.data.element_type import ElementType, normalized
from graphwright.data.tuning.pipeline_budget import AUTOTUNE
from graphwright.machine.threads import cores
from graphwright.op.interpreter import apply
from graphwright.op.late_imports import late_module
from graphwright.types.arguments import TensorLike
from graphwright.types.result_types import Dataset, Tensor
from graphwright.types.type_parameters import Element

if TYPE_CHECKING:
    from typing_extensions import Never, Unpack

    from graphwright.data.element_function import ElementFunction
    from graphwright.types.type_parameters import First, Made, Parts, Plain, State


class Mappings(DatasetValue[Element]):
    """Methods of `tf.data.Dataset` that call functions of elements."""

    @overload  # a tuple arrives as several arguments
    def map(
        self: Mappings[tuple[Unpack[Parts]]],
        map_func: Callable[[Unpack[Parts]], First],
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool | None = False,
        name: str | None = None,
    ) -> Dataset[First]: ...
    @overload
    def map(
        self,
        map_func: Callable[[Element], First],
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool | None = False,
        name: str | None = None,
    ) -> Dataset[First]: ...
    @overload  # the type of the elements is not known
    def map(
        self: Mappings[Never],
        map_func: Callable[..., First],
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool | None = False,
        name: str | None = None,
    ) -> Dataset[First]: ...
    def map(
        self,
        map_func: Callable[..., object],
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool | None = False,
        name: str | None = None,
    ) -> Dataset[Any]:
        """Returns the results of a function of each element.

        The function is traced once, and AutoGraph stages its control flow. Where its ops allow
        that, many elements are computed at once.

        Args:
            map_func: A function of an element. A tuple arrives as several arguments.
            num_parallel_calls: The number of elements that may be computed at the same time.
            deterministic: Whether results keep the order of the elements.
            synchronous: Whether elements are computed only when they are taken.
            use_unbounded_threadpool: Accepted for TensorFlow's signature and not used.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of the results.

        Raises:
            TypeError: The function returns what is no structure of tensors.
            ValueError: `synchronous` and `num_parallel_calls` are both given.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.range(3).map(lambda x: x * x)]
        [0, 1, 4]
        """
        if num_parallel_calls is not None and synchronous:
            raise ValueError(
                "`synchronous` is not supported with `num_parallel_calls`, but "
                f"`num_parallel_calls` was set to {num_parallel_calls}"
            )
        function = function_for(map_func, self)
        if num_parallel_calls is None:
            return make("map_stages:MapStage", function.result, [self], [], [function])
        calls = [int64(num_parallel_calls)]
        return make("map_stages:ParallelMapStage", function.result, [self], calls, [function])

    @overload
    def flat_map(
        self: Mappings[tuple[Unpack[Parts]]],
        map_func: Callable[[Unpack[Parts]], Dataset[First]],
        name: str | None = None,
    ) -> Dataset[First]: ...
    @overload
    def flat_map(
        self, map_func: Callable[[Element], Dataset[First]], name: str | None = None
    ) -> Dataset[First]: ...
    @overload
    def flat_map(
        self: Mappings[Never], map_func: Callable[..., Dataset[First]], name: str | None = None
    ) -> Dataset[First]: ...
    def flat_map(self, map_func: Callable[..., object], name: str | None = None) -> Dataset[Any]:
        """Returns the elements of the datasets that a function returns, one dataset after another.

        Args:
            map_func: A function of an element, which returns a dataset.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of the elements of these datasets.

        Raises:
            TypeError: The function returns something else.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.range(3).flat_map(tf.data.Dataset.range)
        >>> [int(x) for x in dataset]
        [0, 0, 1]
        """
        function = function_for(map_func, self)
        spec = function.result.specs
        if not isinstance(spec, DatasetSpec):
            raise TypeError(
                "The `map_func` argument must return a `Dataset` object. Got "
                f"{type(function.returned).__name__!r}."
            )
        element = ElementType(spec.element_spec)
        return make("combine_stages:FlatMapStage", element, [self], [], [function])

    @overload
    def scan(
        self,
        initial_state: State,
        scan_func: Callable[[State, Element], tuple[object, First]],
        name: str | None = None,
    ) -> Dataset[First]: ...
    @overload
    def scan(
        self,
        initial_state: Plain,
        scan_func: Callable[[Tensor, Element], tuple[object, First]],
        name: str | None = None,
    ) -> Dataset[First]: ...
    @overload
    def scan(
        self: Mappings[Never],
        initial_state: object,
        scan_func: Callable[..., object],
        name: str | None = None,
    ) -> Dataset[Any]: ...
    def scan(
        self, initial_state: object, scan_func: Callable[..., object], name: str | None = None
    ) -> Dataset[Any]:
        """Returns the results of a function of a state and each element in turn.

        Args:
            initial_state: The state before the first element: a structure of tensors.
            scan_func: A function of the state and an element. It returns the next state and an
                element of the result.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of the second results of the function.

        Raises:
            TypeError: The function does not return a pair, or the state changes its type.

        >>> import graphwright as tf
        >>> zero = tf.constant(0, tf.int64)
        >>> dataset = tf.data.Dataset.range(5).scan(zero, lambda s, x: (s + x, s + x))
        >>> [int(x) for x in dataset]
        [0, 1, 3, 6, 10]
        """
        initial = normalized(initial_state)
        state = ElementType.of(initial)
        start = state.flatten(initial)
        while True:
            function = function_for(
                scan_func, ElementType((state.specs,)), ElementType((self.element_spec,))
            )
            returned = function.result.specs
            if not isinstance(returned, tuple) or len(returned) != 2:
                raise TypeError(
                    "Invalid `scan_func`. `scan_func` should return a pair consisting of new state "
                    f"and the output value but its return type is {returned}."
                )
            after = ElementType(returned[0])
            wider = state.joined(after)
            if wider is None:
                raise TypeError(
                    "Invalid `scan_func`. The element types for the new state must match the "
                    f"initial state. Expected {state.specs}, got {after.specs}."
                )
            if wider == state:
                break
            state = wider
        element = ElementType(returned[1])
        place, width = "sequential_stages:ScanStage", len(state.types)
        return make(place, element, [self], start, [function], width=width)

    @overload
    def interleave(
        self: Mappings[tuple[Unpack[Parts]]],
        map_func: Callable[[Unpack[Parts]], Dataset[First]],
        cycle_length: TensorLike | None = None,
        block_length: TensorLike | None = None,
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset[First]: ...
    @overload
    def interleave(
        self,
        map_func: Callable[[Element], Dataset[First]],
        cycle_length: TensorLike | None = None,
        block_length: TensorLike | None = None,
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset[First]: ...
    @overload
    def interleave(
        self: Mappings[Never],
        map_func: Callable[..., Dataset[First]],
        cycle_length: TensorLike | None = None,
        block_length: TensorLike | None = None,
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset[First]: ...
    def interleave(
        self,
        map_func: Callable[..., object],
        cycle_length: TensorLike | None = None,
        block_length: TensorLike | None = None,
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset[Any]:
        """Returns the elements of the datasets that a function returns, some from each in turn.

        Args:
            map_func: A function of an element, which returns a dataset.
            cycle_length: An int64 scalar: the number of datasets that are open at a time; by
                default the number of processors.
            block_length: An int64 scalar: the number of consecutive elements from each; by default
                1.
            num_parallel_calls: The number of datasets that may be read at the same time.
            deterministic: Whether elements keep the order of the turns.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of the elements of these datasets.

        Raises:
            TypeError: The function returns something else.
            InvalidArgumentError: A number is not positive.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.range(1, 4).interleave(
        ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
        >>> [int(x) for x in dataset]
        [1, 1, 2, 2, 1, 2, 3, 3, 3]
        """
        function = function_for(map_func, self)
        spec = function.result.specs
        if not isinstance(spec, DatasetSpec):
            raise TypeError(
                "The `map_func` argument must return a `Dataset` object. Got "
                f"{type(function.returned).__name__!r}."
            )
        cycle = cores() if cycle_length in (None, AUTOTUNE) else cycle_length
        block = 1 if block_length in (None, AUTOTUNE) else block_length
        element = ElementType(spec.element_spec)
        numbers = [int64(cycle), int64(block)]
        if num_parallel_calls is None:
            return make("interleave_stages:InterleaveStage", element, [self], numbers, [function])
        numbers.append(int64(num_parallel_calls))
        is_free = cycle_length in (None, AUTOTUNE)
        return make(
            "interleave_stages:ParallelInterleaveStage",
            element,
            [self],
            numbers,
            [function],
            is_cycle_free=is_free,
        )

    @overload
    def reduce(
        self, initial_state: Made, reduce_func: Callable[..., object], name: str | None = None
    ) -> Made: ...
    @overload
    def reduce(
        self, initial_state: Plain, reduce_func: Callable[..., object], name: str | None = None
    ) -> Tensor: ...
    @overload
    def reduce(
        self, initial_state: object, reduce_func: Callable[..., object], name: str | None = None
    ) -> Any: ...
    def reduce(
        self, initial_state: object, reduce_func: Callable[..., object], name: str | None = None
    ) -> Any:
        """Returns the state after a function of the state and each element in turn.

        Args:
            initial_state: The state before the first element: a structure of tensors.
            reduce_func: A function of the state and an element, which returns the next state.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            The last state, in the structure of `initial_state`.

        Raises:
            TypeError: The function returns another structure, or other dtypes.
            InvalidArgumentError: It returns another number of tensors.

        >>> import graphwright as tf
        >>> total = tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda s, x: s + x)
        >>> int(total)
        10
        """
        initial = normalized(initial_state)
        state, function = self._stepper(reduce_func, ElementType.of(initial), "reduce_func")
        ops: Any = late_module("graphwright.data.dataset_ops")
        recipe = ops.StateFunction(function, state)
        start = state.flatten(initial)
        results = apply(ops.ReduceDataset(recipe), self._variant, *start, *function.captured)
        return state.pack(results)

    def _stepper(
        self, function: Callable[..., object], state: ElementType, what: str
    ) -> tuple[ElementType, ElementFunction]:
        """A function of a state and an element, traced for the widest type of the state."""
        while True:
            traced = function_for(
                function, ElementType((state.specs,)), ElementType((self.element_spec,))
            )
            parts = len(state.types), len(traced.result.types)
            if parts[0] != parts[1] and what == "reduce_func":
                raise InvalidArgumentError(
                    None, None,
                    "The number of components of the initial state and the reduce function output "
                    f"does not match. (initial_state={parts[0]}, output={parts[1]}).",
                )  # fmt: skip
            wider = state.joined(traced.result)
            if wider is None:
                raise TypeError(
                    f"Invalid `{what}`. The element types for the new state must match the initial "
                    f"state. Expected {state.specs}; got {traced.result.specs}."
                )
            if wider == state:
                return state, traced
            state = wider
