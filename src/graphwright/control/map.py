"""Functions along the first axis of tensors: `map_fn`, `scan`, `foldl`, `foldr`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from graphwright.control.branch import check_callable
from graphwright.control.loop import while_loop
from graphwright.control.tensor_array import TensorArray
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.trace.tracer import current_tracer
from graphwright.types import tree
from graphwright.types.arguments import DTypeLike, TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType, as_dtype, int32
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import Dims
from graphwright.types.type_spec import TypeSpec
from graphwright.values.convert import convert_to_tensor

R = TypeVar("R")


class MappedRows:
    """The rows of a structure of tensors and composites, along their first axes."""

    def __init__(self, elems: object) -> None:
        leaves = tree.flatten(elems)
        if not leaves:
            raise ValueError(
                "elems must be a Tensor or (possibly nested) sequence of Tensors. Got "
                f"{elems}, which does not contain any Tensors."
            )
        self.elems = elems
        self.leaves: list[Any] = [
            x if isinstance(x, Composite) else convert_to_tensor(x) for x in leaves
        ]
        self.length: int | None = None
        for leaf in self.leaves:
            self._agree(static_count(leaf))
        self.count = self.length if self.length is not None else self._counted(self.leaves[0])
        self.readers = [self._reader(leaf) for leaf in self.leaves]

    def _agree(self, size: int | None) -> None:
        if size is not None and self.length is not None and size != self.length:
            raise ValueError(f"Dimensions {self.length} and {size} are not compatible")
        self.length = self.length if size is None else size

    def _counted(self, leaf: Composite | TensorValue) -> Any:
        return cast(leaf._row_count(), int32) if isinstance(leaf, Composite) else shape_of(leaf)[0]

    def _reader(self, leaf: Composite | TensorValue) -> Callable[[Any], Any]:
        if isinstance(leaf, Composite):
            return leaf._row
        array = TensorArray(leaf.dtype, self.count, clear_after_read=False)
        return array.unstack(leaf).read

    def at(self, index: TensorLike) -> Any:
        """The structure of the rows at `index`."""
        return tree.pack_sequence_as(self.elems, [read(index) for read in self.readers])

    def signature(self) -> Any:
        """The types of the rows: those of the results too, unless the caller says otherwise."""
        specs = [
            x.__graphwright_spec__._of_rows() if isinstance(x, Composite) else x.dtype
            for x in self.leaves
        ]
        return tree.pack_sequence_as(self.elems, specs)


def static_count(leaf: Composite | TensorValue) -> int | None:
    """The number of rows, where it is known; ValueError for a scalar."""
    if isinstance(leaf, Composite):
        return leaf._static_row_count
    if leaf.type.rank == 0:
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    return None if leaf.type.dims is None else leaf.type.dims[0]


class MappedItems(Protocol):
    """Collects the results that stand in one place of a structure, and puts them together."""

    #: The dtypes of the tensors of one result, each kept in an array.
    dtypes: Sequence[DType]

    def parts(self, result: TensorLike) -> Sequence[Any]:
        """The tensors of one result."""

    def together(self, arrays: Sequence[TensorArray], length: int | None) -> Any:
        """All results as one value."""


class MappedTensors:
    """Results that are tensors of one shape."""

    def __init__(self, dtype: DType, dims: Dims | None = None) -> None:
        self.dtypes: Sequence[DType] = [dtype]
        self._dims = dims

    def parts(self, result: TensorLike) -> Sequence[Any]:
        tensor = convert_to_tensor(result, dtype_hint=self.dtypes[0])
        self._dims = tensor.type.dims
        return [tensor]

    def together(self, arrays: Sequence[TensorArray], length: int | None) -> Any:
        (array,) = arrays
        dims = self._dims
        if current_tracer() is None:
            known = length == 0 and dims is not None and None not in dims
            return zeros((0, *dims), array.dtype) if known and dims else array.stack()
        tensor = TensorArray(array.dtype, flow=array.flow, element_shape=dims).stack()
        if dims is not None:
            tensor.set_shape((length, *dims))
        return tensor


def items_of(spec: TypeSpec | DTypeLike) -> MappedItems:
    """The collector of results of a type, or of tensors of a dtype."""
    if isinstance(spec, TypeSpec) and not isinstance(spec, TensorSpec):
        made: MappedItems = spec._items()  # type: ignore[attr-defined]  # of those that have rows
        return made
    if isinstance(spec, TensorSpec):
        return MappedTensors(spec.dtype, spec.shape._dims)
    return MappedTensors(as_dtype(spec))


#: For each leaf of a structure the arrays of its tensors.
Arrays: TypeAlias = Sequence[Sequence[TensorArray]]


class Collected:
    """The results of all rows: arrays for each leaf of a structure."""

    def __init__(self, like: object, rows: MappedRows, infer_shape: bool) -> None:
        self.like = like
        self.rows = rows
        self.items = [items_of(spec) for spec in tree.flatten(like)]
        # In a graph the runtime compares the shapes of items, which need not be known here.
        infer = infer_shape and current_tracer() is None
        self.arrays = [
            [
                TensorArray(d, rows.count, infer_shape=infer and isinstance(items, MappedTensors))
                for d in items.dtypes
            ]
            for items in self.items
        ]

    def write(self, arrays: Arrays, index: TensorLike, result: object) -> list[Any]:
        """The arrays with one row's results; ValueError if these have another structure."""
        tree.assert_same_structure(self.like, result)
        written = []
        for of_leaf, items, value in zip(arrays, self.items, tree.flatten(result)):
            parts = items.parts(value)
            written.append([array.write(index, part) for array, part in zip(of_leaf, parts)])
        return written

    def stack(self, arrays: Arrays) -> Any:
        """The results of all rows, put together."""
        results = [
            items.together(of_leaf, self.rows.length) for of_leaf, items in zip(arrays, self.items)
        ]
        return tree.pack_sequence_as(self.like, results)


def map_fn(
    fn: Callable[..., R],
    elems: object,
    dtype: object = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: object = None,
) -> R:
    """Calls a function for each row of tensors and stacks the results.

    Args:
        fn: A function of one row, in the structure of `elems`.
        elems: A tensor, or a nested structure of tensors or composites, with as many rows each.
        dtype: An earlier name of `fn_output_signature`.
        parallel_iterations: Accepted for TensorFlow's signature and not used.
        back_prop: Accepted for TensorFlow's signature and not used.
        swap_memory: Accepted for TensorFlow's signature and not used.
        infer_shape: Whether the shapes of all results must be the same.
        name: A name for the loop.
        fn_output_signature: What `fn` returns: a dtype or a `tf.TensorSpec`, or a nested structure
            of them. None means that it returns what is like its argument.

    Returns:
        The results of `fn`, stacked along a new first axis, in their structure.

    Raises:
        TypeError: `fn` cannot be called.
        ValueError: `elems` holds a scalar, has different numbers of rows, or `fn` returns another
            structure.
        InvalidArgumentError: `fn` returns another dtype.

    >>> import graphwright as tf
    >>> tf.map_fn(lambda row: tf.reduce_sum(row), tf.constant([[1, 2], [3, 4]]))
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([3, 7], dtype=int32)>
    """
    check_callable(fn, "fn")
    rows = MappedRows(elems)
    like = fn_output_signature if fn_output_signature is not None else dtype
    collected = Collected(rows.signature() if like is None else like, rows, infer_shape)

    def step(i: TensorValue, arrays: Arrays) -> Any:
        return i + 1, collected.write(arrays, i, fn(rows.at(i)))

    loop_vars = (0, collected.arrays)
    _, arrays = while_loop(
        lambda i, arrays: i < rows.count,
        step,
        loop_vars,
        maximum_iterations=rows.length,
        name=name or "map/while",
    )
    result: R = collected.stack(arrays)
    return result


def scan(
    fn: Callable[..., R],
    elems: object,
    initializer: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> R:
    """Accumulates the rows of tensors with a function and stacks all its results.

    The state becomes `fn(state, row)` for one row after the other.

    Args:
        fn: A function of a state and a row that returns the next state.
        elems: A tensor, or a nested structure of tensors, with as many rows each.
        initializer: The first state. None takes the first row for it, which is also the first
            result.
        parallel_iterations: Accepted for TensorFlow's signature and not used.
        back_prop: Accepted for TensorFlow's signature and not used.
        swap_memory: Accepted for TensorFlow's signature and not used.
        infer_shape: Whether the shapes of all states must be the same.
        reverse: Whether it goes from the last row to the first.
        name: A name for the loop.

    Returns:
        The states, stacked along a new first axis, in their structure.

    Raises:
        TypeError: `fn` cannot be called.
        ValueError: `elems` holds a scalar, or `fn` returns another structure.
        OutOfRangeError: There are no rows and no initializer.

    >>> import graphwright as tf
    >>> tf.scan(lambda total, x: total + x, tf.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)
    """
    check_callable(fn, "fn")
    rows = MappedRows(elems)
    first = rows.count - 1 if reverse else 0
    state = rows.at(first) if initializer is None else initializer
    state = tree.map_structure(convert_to_tensor, state)
    like = tree.map_structure(lambda t: TensorSpec(t.shape, t.dtype), state)
    collected = Collected(like, rows, infer_shape)
    arrays: Any = collected.arrays
    if initializer is None:
        arrays = collected.write(arrays, first, state)
        first = first - 1 if reverse else first + 1

    def step(i: TensorValue, state: object, arrays: Arrays) -> Any:
        state = fn(state, rows.at(i))
        arrays = collected.write(arrays, i, state)
        return i - 1 if reverse else i + 1, state, arrays

    def again(i: TensorValue, state: object, arrays: Arrays) -> Any:
        return i >= 0 if reverse else i < rows.count

    loop_vars = (convert_to_tensor(first), state, arrays)
    _, _, arrays = while_loop(again, step, loop_vars, name=name or "scan/while")
    result: R = collected.stack(arrays)
    return result


def fold(
    fn: Callable[..., object], elems: object, initializer: object, reverse: bool, name: str
) -> Any:
    """The last value of `a = fn(a, row)` over the rows in one direction."""
    check_callable(fn, "fn")
    rows = MappedRows(elems)
    first = rows.count - 1 if reverse else 0
    if initializer is None:
        state = rows.at(first)
        first = first - 1 if reverse else first + 1
    else:
        state = tree.map_structure(convert_to_tensor, initializer)

    def step(i: TensorValue, state: object) -> Any:
        return i - 1 if reverse else i + 1, fn(state, rows.at(i))

    def again(i: TensorValue, state: object) -> Any:
        return i >= 0 if reverse else i < rows.count

    return while_loop(again, step, (convert_to_tensor(first), state), name=name)[1]


def foldl(
    fn: Callable[..., R],
    elems: object,
    initializer: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> R:
    """Accumulates the rows of tensors with a function, from the first row on.

    The state becomes `fn(state, row)` for one row after the other.

    Args:
        fn: A function of a state and a row that returns the next state.
        elems: A tensor, or a nested structure of tensors, with as many rows each.
        initializer: The first state. None takes the first row for it.
        parallel_iterations: Accepted for TensorFlow's signature and not used.
        back_prop: Accepted for TensorFlow's signature and not used.
        swap_memory: Accepted for TensorFlow's signature and not used.
        name: A name for the loop.

    Returns:
        The last state.

    Raises:
        TypeError: `fn` cannot be called.
        ValueError: `elems` holds a scalar, or `fn` returns another structure.
        OutOfRangeError: There are no rows and no initializer.

    >>> import graphwright as tf
    >>> tf.foldl(lambda a, x: a - x, tf.constant([1, 2, 3]))
    <tf.Tensor: shape=(), dtype=int32, numpy=-4>
    """
    result: R = fold(fn, elems, initializer, False, name or "foldl/while")
    return result


def foldr(
    fn: Callable[..., R],
    elems: object,
    initializer: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> R:
    """Accumulates the rows of tensors with a function, from the last row back.

    The state becomes `fn(state, row)` for one row after the other.

    Args:
        fn: A function of a state and a row that returns the next state.
        elems: A tensor, or a nested structure of tensors, with as many rows each.
        initializer: The first state. None takes the last row for it.
        parallel_iterations: Accepted for TensorFlow's signature and not used.
        back_prop: Accepted for TensorFlow's signature and not used.
        swap_memory: Accepted for TensorFlow's signature and not used.
        name: A name for the loop.

    Returns:
        The last state.

    Raises:
        TypeError: `fn` cannot be called.
        ValueError: `elems` holds a scalar, or `fn` returns another structure.
        OutOfRangeError: There are no rows and no initializer.

    >>> import graphwright as tf
    >>> tf.foldr(lambda a, x: a - x, tf.constant([1, 2, 3]))
    <tf.Tensor: shape=(), dtype=int32, numpy=0>
    """
    result: R = fold(fn, elems, initializer, True, name or "foldr/while")
    return result
