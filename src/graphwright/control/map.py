"""Functions along the first axis of tensors: `map_fn`, `scan`, `foldl`, `foldr`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.control.branch import check_callable
from graphwright.control.loop import while_loop
from graphwright.control.tensor_array import TensorArray
from graphwright.ops.shape import shape as shape_of
from graphwright.trace.tracer import current_tracer
from graphwright.types import tree
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import Dims
from graphwright.values.convert import convert_to_tensor


class Rows:
    """The structure of tensors along whose first axis something is done."""

    def __init__(self, elems: Any) -> None:
        leaves = tree.flatten(elems)
        if not leaves:
            raise ValueError(
                "elems must be a Tensor or (possibly nested) sequence of Tensors. Got "
                f"{elems}, which does not contain any Tensors."
            )
        self.elems = elems
        self.tensors = [convert_to_tensor(leaf) for leaf in leaves]
        self.length: int | None = None
        for tensor in self.tensors:
            if tensor.type.rank == 0:
                raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
            self._agree(None if tensor.type.dims is None else tensor.type.dims[0])
        self.count = self.length if self.length is not None else shape_of(self.tensors[0])[0]
        self.arrays = [
            TensorArray(t.dtype, self.count, clear_after_read=False).unstack(t)
            for t in self.tensors
        ]

    def _agree(self, size: int | None) -> None:
        if size is not None and self.length is not None and size != self.length:
            raise ValueError(f"Dimensions {self.length} and {size} are not compatible")
        self.length = self.length if size is None else size

    def at(self, index: Any) -> Any:
        """The structure of the rows at `index`."""
        return tree.pack_sequence_as(self.elems, [array.read(index) for array in self.arrays])


class Collected:
    """What is made for each row: an array a leaf, and what is known of the items' shapes."""

    def __init__(self, like: Any, dtypes: list[DType], rows: Rows, infer_shape: bool) -> None:
        self.like = like
        self.rows = rows
        # In a graph the runtime compares the shapes of items, which need not be known here.
        infer = infer_shape and current_tracer() is None
        self.arrays = [TensorArray(dtype, rows.count, infer_shape=infer) for dtype in dtypes]
        self.dims: list[Dims | None] = [None] * len(dtypes)

    def write(self, arrays: Any, index: Any, result: Any) -> list[Any]:
        """The arrays with one row's results; ValueError if these have another structure."""
        tree.assert_same_structure(self.like, result)
        written = []
        for i, (array, value) in enumerate(zip(arrays, tree.flatten(result))):
            value = convert_to_tensor(value, dtype_hint=array.dtype)
            self.dims[i] = value.type.dims
            written.append(array.write(index, value))
        return written

    def stack(self, arrays: Any) -> Any:
        """The results of all rows, stacked."""
        stacked = []
        for array, dims in zip(arrays, self.dims):
            if current_tracer() is not None:
                array = TensorArray(array.dtype, flow=array.flow, element_shape=dims)
            tensor = array.stack()
            if dims is not None and current_tracer() is not None:
                tensor.set_shape((self.rows.length, *dims))
            stacked.append(tensor)
        return tree.pack_sequence_as(self.like, stacked)


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of each row of `elems` (a tensor or a structure of them), stacked.

    The results must be like `elems` in structure and dtypes, or like `fn_output_signature`, a
    structure of dtypes or TensorSpecs.

    >>> import graphwright as tf
    >>> tf.map_fn(lambda row: tf.reduce_sum(row), tf.constant([[1, 2], [3, 4]]))
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([3, 7], dtype=int32)>
    """
    check_callable(fn, "fn")
    rows = Rows(elems)
    like = fn_output_signature if fn_output_signature is not None else dtype
    dtypes = [t.dtype for t in rows.tensors]
    if like is None:
        like = elems
    else:
        leaves = tree.flatten(like)
        dtypes = [leaf.dtype if isinstance(leaf, TensorSpec) else as_dtype(leaf) for leaf in leaves]
    collected = Collected(like, dtypes, rows, infer_shape)

    def step(i: Any, arrays: Any) -> Any:
        return i + 1, collected.write(arrays, i, fn(rows.at(i)))

    loop_vars = (0, collected.arrays)
    _, arrays = while_loop(
        lambda i, arrays: i < rows.count,
        step,
        loop_vars,
        maximum_iterations=rows.length,
        name=name or "map/while",
    )
    return collected.stack(arrays)


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """`a = fn(a, row)` for each row of `elems`, all values of `a` stacked.

    `a` begins as `initializer`, or else as the first row, which is then the first value. With
    `reverse` from the last row to the first.

    >>> import graphwright as tf
    >>> tf.scan(lambda total, x: total + x, tf.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)
    """
    check_callable(fn, "fn")
    rows = Rows(elems)
    first = rows.count - 1 if reverse else 0
    state = rows.at(first) if initializer is None else initializer
    state = tree.map_structure(convert_to_tensor, state)
    collected = Collected(state, [t.dtype for t in tree.flatten(state)], rows, infer_shape)
    arrays: Any = collected.arrays
    if initializer is None:
        arrays = collected.write(arrays, first, state)
        first = first - 1 if reverse else first + 1

    def step(i: Any, state: Any, arrays: Any) -> Any:
        state = fn(state, rows.at(i))
        arrays = collected.write(arrays, i, state)
        return i - 1 if reverse else i + 1, state, arrays

    def again(i: Any, state: Any, arrays: Any) -> Any:
        return i >= 0 if reverse else i < rows.count

    loop_vars = (convert_to_tensor(first), state, arrays)
    _, _, arrays = while_loop(again, step, loop_vars, name=name or "scan/while")
    return collected.stack(arrays)


def fold(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any, reverse: bool, name: str
) -> Any:
    """The last value of `a = fn(a, row)` over the rows in one direction."""
    check_callable(fn, "fn")
    rows = Rows(elems)
    first = rows.count - 1 if reverse else 0
    if initializer is None:
        state = rows.at(first)
        first = first - 1 if reverse else first + 1
    else:
        state = tree.map_structure(convert_to_tensor, initializer)

    def step(i: Any, state: Any) -> Any:
        return i - 1 if reverse else i + 1, fn(state, rows.at(i))

    def again(i: Any, state: Any) -> Any:
        return i >= 0 if reverse else i < rows.count

    return while_loop(again, step, (convert_to_tensor(first), state), name=name)[1]


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """The last value of `a = fn(a, row)` over the rows of `elems`, from the first on.

    `a` begins as `initializer`, or else as the first row.

    >>> import graphwright as tf
    >>> tf.foldl(lambda a, x: a - x, tf.constant([1, 2, 3]))
    <tf.Tensor: shape=(), dtype=int32, numpy=-4>
    """
    return fold(fn, elems, initializer, False, name or "foldl/while")


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """The last value of `a = fn(a, row)` over the rows of `elems`, from the last back.

    >>> import graphwright as tf
    >>> tf.foldr(lambda a, x: a - x, tf.constant([1, 2, 3]))
    <tf.Tensor: shape=(), dtype=int32, numpy=0>
    """
    return fold(fn, elems, initializer, True, name or "foldr/while")
