"""Methods of datasets that join several elements into one, or split one into several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from graphwright.control.assertions import assert_less
from graphwright.data.dataset_value import (
    DatasetSpec,
    DatasetValue,
    function_for,
    int64,
    make,
    staged,
)
from graphwright.data.element_type import ElementType, parts_in
from graphwright.ir.known import known
from graphwright.op.late_imports import late_module
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import stack
from graphwright.ops.core.sorting import argmax
from graphwright.ops.math.comparison import less, less_equal, logical_and
from graphwright.ops.math.reduction import reduce_min
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.result_types import Dataset
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import Dims
from graphwright.types.type_parameters import Element
from graphwright.values.convert import convert
from graphwright.values.sparse.sparse_tensor import SparseTensorSpec
from graphwright.values.tensor import Tensor

if TYPE_CHECKING:
    from graphwright.types.type_parameters import First

_TOO_LONG = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."


class Batches(DatasetValue[Element]):
    """Methods of `tf.data.Dataset` about batches, windows and groups."""

    def batch(
        self,
        batch_size: TensorLike,
        drop_remainder: TensorLike = False,
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset[Element]:
        """Returns batches: consecutive elements, stacked along a new first axis.

        Args:
            batch_size: An int64 scalar: the number of elements in a batch.
            drop_remainder: A bool scalar: whether a smaller batch at the end is left out.
            num_parallel_calls: The number of batches that may be made at the same time.
            deterministic: Whether batches keep the order of the elements.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of batches.

        Raises:
            InvalidArgumentError: `batch_size` is not positive, or elements differ in shape.

        >>> import graphwright as tf
        >>> list(tf.data.Dataset.range(5).batch(2).as_numpy_iterator())
        [array([0, 1]), array([2, 3]), array([4])]
        """
        size, drop = int64(batch_size), convert(drop_remainder, dt.bool_)
        element = self._type.batched(static(size) if static(drop) else None)
        is_parallel = num_parallel_calls is not None
        kind = "batch_stages:ParallelBatchStage" if is_parallel else "batch_stages:BatchStage"
        return make(kind, element, [self], [size, drop], row=self._type)

    def unbatch(self, name: str | None = None) -> Dataset[Element]:
        """Returns the rows of the elements.

        Args:
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of rows.

        Raises:
            ValueError: A part of an element is a scalar, or the static shapes give different
                numbers of rows.
            InvalidArgumentError: The parts of an element have different numbers of rows.

        >>> import graphwright as tf
        >>> [int(x) for x in tf.data.Dataset.from_tensors([1, 2, 3]).unbatch()]
        [1, 2, 3]
        """
        nested = [leaf for leaf in self._type.leaves if isinstance(leaf, DatasetSpec)]
        types = [type_ for type_ in self._type.types if type_.dtype is not dt.variant or not nested]
        if any(type_.dims == () for type_ in types) or any(
            leaf._dataset_shape.rank == 0 for leaf in nested
        ):
            raise ValueError("Cannot unbatch an input with scalar components.")
        counts = {type_.dims[0] for type_ in types if type_.dims} - {None}
        if len(counts) > 1 and all(isinstance(leaf, TensorSpec) for leaf in self._type.leaves):
            raise ValueError(f"Dimensions {' and '.join(map(str, counts))} are not compatible")
        return make("unbatch_stages:UnbatchStage", self._type.unbatched(), [self])

    def padded_batch(
        self,
        batch_size: TensorLike,
        padded_shapes: object = None,
        padding_values: object = None,
        drop_remainder: TensorLike = False,
        name: str | None = None,
    ) -> Dataset[Element]:
        """Returns batches: consecutive elements, padded to one shape and stacked.

        Args:
            batch_size: An int64 scalar: the number of elements in a batch.
            padded_shapes: The shapes, in the structure of an element: `tf.TensorShape`s, lists of
                sizes, or int64 vectors. A size of None or -1 is the largest in a batch. Without
                shapes all sizes are.
            padding_values: Scalars in the structure of an element, or one for all of it. The
                default is 0 for numbers and "" for strings.
            drop_remainder: A bool scalar: whether a smaller batch at the end is left out.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of batches.

        Raises:
            ValueError: A rank is unknown, or a shape does not fit.
            TypeError: The elements have ragged or sparse tensors, a padding value has another
                dtype, or a size is no integer.
            DataLossError: An element is larger than its shape.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x))
        >>> print(next(iter(dataset.padded_batch(3))).numpy())
        [[1 0 0]
         [2 2 0]
         [3 3 3]]
        """
        size, drop = int64(batch_size), convert(drop_remainder, dt.bool_)
        shapes = padding_shapes(self._type, padded_shapes, static(size))
        values = paddings(self._type, padding_values)
        count = static(size) if static(drop) else None
        specs = [
            TensorSpec(
                [count, *[None if d in (-1, None) else d for d in known_sizes(shape)]], type_.dtype
            )
            for shape, type_ in zip(shapes, self._type.types)
        ]
        element = ElementType(tree.pack_sequence_as(self._type.specs, specs))
        numbers = [size, drop, *shapes, *values]
        return make("padded_stages:PaddedBatchStage", element, [self], numbers)

    def ragged_batch(
        self,
        batch_size: TensorLike,
        drop_remainder: TensorLike = False,
        row_splits_dtype: DTypeLike = dt.int64,
        name: str | None = None,
    ) -> Dataset:
        """Returns batches: consecutive elements, as the rows of ragged tensors.

        Args:
            batch_size: An int64 scalar: the number of elements in a batch.
            drop_remainder: A bool scalar: whether a smaller batch at the end is left out.
            row_splits_dtype: The dtype of the splits: int32 or int64.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of batches. Tensors of static shape are stacked as by `batch`.

        Raises:
            InvalidArgumentError: `batch_size` is not positive.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.range(1, 4).map(tf.range)
        >>> next(iter(dataset.ragged_batch(3)))
        <tf.RaggedTensor [[0], [0, 1], [0, 1, 2]]>
        """

        splits = as_dtype(row_splits_dtype)
        composites: Any = late_module("graphwright.data.composite_elements")
        ragged = [composites.as_ragged_spec(leaf, splits) for leaf in self._type.leaves]
        rows: Any = self
        if any(map(composites.has_divided_rows, ragged)):
            rows = rows.map(lambda *parts: composites.divided(self._type, ragged, parts))
        specs = tree.pack_sequence_as(self._type.specs, ragged)
        return DatasetValue.of(rows._variant, ElementType(specs), self._name).batch(
            batch_size, drop_remainder
        )

    def sparse_batch(
        self, batch_size: TensorLike, row_shape: TensorLike | ShapeLike, name: str | None = None
    ) -> Dataset:
        """Returns so many elements at a time, as the rows of sparse tensors.

        Args:
            batch_size: An int64 scalar: how many elements.
            row_shape: The shape of the rows: a `tf.TensorShape`, a list of sizes or an int64
                vector. A size of None or -1 is the largest in a batch.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of `tf.SparseTensor`s, which hold all that the elements hold.

        Raises:
            TypeError: The elements are not single tensors.
            InvalidArgumentError: `batch_size` is not positive, or an element has another rank.
            DataLossError: An element is larger than `row_shape`.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.range(1, 3).map(lambda x: tf.fill([x], x))
        >>> batch = next(iter(dataset.sparse_batch(2, [3])))
        >>> batch.values.numpy().tolist(), batch.dense_shape.numpy().tolist()
        ([1, 2, 2], [2, 3])
        """
        types = self._type.types
        if not isinstance(self.element_spec, TensorSpec):
            raise TypeError(
                "`dense_to_sparse_batch` requires an input dataset whose elements have a single "
                "component, but the given dataset has the following component types: "
                f"({', '.join([repr(type_.dtype) for type_ in types])})."
            )
        given: Any = row_shape
        is_vector = isinstance(given, Tensor)
        shape = int64(given if is_vector else vector(TensorShape(given).as_list()))
        sizes = [None if size in (-1, None) else size for size in known_sizes(shape)]
        element = ElementType(SparseTensorSpec([None, *sizes], types[0].dtype))
        numbers = [int64(batch_size), shape]
        return make("padded_stages:SparseBatchStage", element, [self], numbers)

    def rebatch(
        self, batch_size: TensorLike, drop_remainder: TensorLike = False, name: str | None = None
    ) -> Dataset[Element]:
        """Returns the rows of batches in batches of another size.

        Args:
            batch_size: An int64 scalar, or a vector of sizes that repeat in turn.
            drop_remainder: A bool scalar: whether a smaller batch at the end is left out.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of batches.

        Raises:
            ValueError: The elements are scalars, or their parts have different numbers of rows.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.range(6).batch(2).rebatch(3)
        >>> list(dataset.as_numpy_iterator())
        [array([0, 1, 2]), array([3, 4, 5])]
        """
        for type_ in self._type.types:
            if type_.rank == 0:
                raise ValueError(
                    "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found a dataset "
                    "with scalar elements. Fix the issue by adding the `batch` transformation to "
                    "the dataset."
                )
        size, drop = int64(batch_size), convert(drop_remainder, dt.bool_)
        sizes = set(known_sizes(size) if size.shape.rank else [static(size)])
        count = sizes.pop() if len(sizes) == 1 else None
        rows = rows_of_batches(self._type)
        if count and not static(drop) and (rows is None or rows % count):
            count = None  # the last batch is smaller
        element = self._type.unbatched().batched(count)
        return make("unbatch_stages:RebatchStage", element, [self], [size, drop])

    @overload
    def window(
        self: Batches[Tensor],
        size: TensorLike,
        shift: TensorLike | None = None,
        stride: TensorLike = 1,
        drop_remainder: TensorLike = False,
        name: str | None = None,
    ) -> Dataset[Dataset[Tensor]]: ...
    @overload
    def window(
        self,
        size: TensorLike,
        shift: TensorLike | None = None,
        stride: TensorLike = 1,
        drop_remainder: TensorLike = False,
        name: str | None = None,
    ) -> Dataset[Any]: ...
    def window(
        self,
        size: TensorLike,
        shift: TensorLike | None = None,
        stride: TensorLike = 1,
        drop_remainder: TensorLike = False,
        name: str | None = None,
    ) -> Dataset[Any]:
        """Returns neighbouring elements as datasets.

        Args:
            size: An int64 scalar: the number of elements in a window.
            shift: An int64 scalar: the distance between the starts of windows, `size` for None.
            stride: An int64 scalar: the distance between the elements of a window.
            drop_remainder: A bool scalar: whether smaller windows at the end are left out.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of datasets: one for each part of an element, in its structure.

        Raises:
            InvalidArgumentError: A number is not positive.

        >>> import graphwright as tf
        >>> for window in tf.data.Dataset.range(5).window(3, shift=2):
        ...     print([int(x) for x in window])
        [0, 1, 2]
        [2, 3, 4]
        [4]
        """
        element = self._type.mapped(DatasetSpec)
        numbers = [int64(n) for n in (size, size if shift is None else shift, stride)]
        drop = convert(drop_remainder, dt.bool_)
        return make("group_stages:WindowStage", element, [self], [*numbers, drop])

    def group_by_window(
        self,
        key_func: Callable[..., object],
        reduce_func: Callable[[Any, Dataset[Element]], Dataset[First]],
        window_size: TensorLike | None = None,
        window_size_func: Callable[..., object] | None = None,
        name: str | None = None,
    ) -> Dataset[First]:
        """Returns the results of a function of windows of elements with equal keys.

        Args:
            key_func: A function of an element, which returns its key: an int64 scalar.
            reduce_func: A function of a key and a dataset of the elements of a window, which
                returns a dataset.
            window_size: An int64 scalar: the number of elements in a window.
            window_size_func: A function of a key that returns this number, instead of
                `window_size`.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of the elements of the datasets that `reduce_func` returns.

        Raises:
            ValueError: Both or none of `window_size` and `window_size_func` are given, or a key is
                no scalar.
            TypeError: `reduce_func` returns no dataset.

        >>> import graphwright as tf
        >>> dataset = tf.data.Dataset.range(6).group_by_window(
        ...     lambda x: x % 2, lambda key, window: window.batch(3), window_size=3)
        >>> list(dataset.as_numpy_iterator())
        [array([0, 2, 4]), array([1, 3, 5])]
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be "
                "specified, and not both."
            )
        sizes: Callable[..., object] = window_size_func or (lambda key: window_size)
        key_type = ElementType(TensorSpec([], dt.int64))
        key = function_for(lambda *e: int64(staged(key_func)(*e)), self)
        if key.result.types[0].dims not in ((), None):
            raise ValueError(
                "Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but "
                f"its return type is {key.result.specs}."
            )
        window = ElementType(DatasetSpec(self.element_spec))
        reduction = function_for(reduce_func, key_type, window)
        spec = reduction.result.specs
        if not isinstance(spec, DatasetSpec):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a `tf.data.Dataset` object. Got "
                f"{type(reduction.returned)}."
            )
        size = function_for(lambda key: int64(staged(sizes)(key)), key_type)
        element = ElementType(spec.element_spec)
        functions = [key, reduction, size]
        return make("key_group_stages:GroupByWindowStage", element, [self], [], functions)

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., object],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: object = None,
        padding_values: object = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset[Element]:
        """Returns padded batches of elements of similar lengths.

        Args:
            element_length_func: A function of an element, which returns its length, an int32
                scalar.
            bucket_boundaries: A list of ints, in rising order: the lengths that divide buckets.
            bucket_batch_sizes: A list of ints: the batch size of each bucket, one more than
                boundaries.
            padded_shapes: As in `padded_batch`.
            padding_values: As in `padded_batch`.
            pad_to_bucket_boundary: Whether unknown sizes are padded to the largest length of the
                bucket, not to the largest in a batch.
            no_padding: Whether elements are stacked without padding.
            drop_remainder: Whether smaller batches at the end are left out.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A dataset of batches.

        Raises:
            ValueError: The number of sizes is not one more than that of boundaries, or an element
                is longer than the last boundary with `pad_to_bucket_boundary`.

        >>> import graphwright as tf
        >>> lengths = tf.data.Dataset.from_tensor_slices([1, 5, 2, 6])
        >>> dataset = lengths.map(lambda n: tf.fill([n], n))
        >>> dataset = dataset.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [4], [2, 2])
        >>> [tuple(batch.shape) for batch in dataset]
        [(2, 2), (2, 6)]
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
                f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        sizes = convert(list(bucket_batch_sizes), dt.int64)
        lowest = convert([-(2**31), *bucket_boundaries], dt.int32)
        highest = convert([*bucket_boundaries, 2**31 - 1], dt.int32)

        are_sorted = all(low < high for low, high in pairwise(bucket_boundaries))

        def bucket_of(*element: Any) -> Any:
            length = cast(staged(element_length_func)(*element), dt.int32)
            within = logical_and(less_equal(lowest, length), less(length, highest))
            # Where one bucket alone has room, no index has to be looked for.
            return argmax(within, 0) if are_sorted else reduce_min(where(within))

        def batch(bucket: TensorValue, window: Batches) -> Any:
            size = gather(sizes, bucket)
            if no_padding:
                return window.batch(size, drop_remainder=drop_remainder)
            shapes = padded_shapes
            if shapes is None:
                shapes = tree.map_structure(lambda spec: spec.shape, window.element_spec)
            if pad_to_bucket_boundary:
                last = convert(len(bucket_boundaries), dt.int64)
                assert_less(bucket, last, _TOO_LONG)
                edge = cast(gather(highest, bucket) - 1, dt.int64)
                shapes = tree.map_structure(lambda shape: filled_shape(shape, edge), shapes)
            return window.padded_batch(size, shapes, padding_values, drop_remainder)

        return self.group_by_window(
            bucket_of, batch, window_size_func=lambda bucket: gather(sizes, bucket)
        )


def filled_shape(shape: ShapeLike, size: TensorValue) -> Any:
    """A shape as a vector, with `size` for unknown sizes."""
    sizes = TensorShape(shape).as_list()
    return stack([size if s is None else int64(s) for s in sizes]) if sizes else TensorShape([])


def padding_shapes(element: ElementType, shapes: object, batch: int | None) -> list[Tensor]:
    """The shape of each tensor of a padded element: an int64 vector, with -1 for any size.

    ValueError where one has no room for a component; `batch` is the batch size if it is known.
    """
    for leaf in element.leaves:
        if not isinstance(leaf, TensorSpec):
            raise TypeError(
                f"`padded_batch` is only supported for datasets that produce tensor elements but "
                f"the input dataset produces elements of unsupported type {type(leaf).__name__}."
            )
    if shapes is None:
        vectors = []
        for type_ in element.types:
            if type_.dims is None:
                raise ValueError(
                    "You must provide `padded_shapes` argument because component 0 has unknown "
                    "rank."
                )
            vectors.append(int64(vector(type_.dims)))
        return vectors
    if tree.is_nested(element.specs) and isinstance(shapes, (int, list)):
        raise TypeError(
            f"`padded_shapes` must be a structure of shapes for elements of {element.specs}, not "
            f"{shapes!r}: if the elements are a sequence, it must also be a sequence."
        )
    flat = parts_in(element.specs, shapes)
    vectors = [padding_shape(shape) for shape in flat]
    sizes = [tuple(known_sizes(shape)) for shape in vectors]
    for component, (room, type_) in enumerate(zip(sizes, element.types)):
        if type_.dims is None or vectors[component].shape[0] is None:
            continue
        if not has_room(room, type_.dims):
            words: Any = late_module("graphwright.data.stages.padded_stages")
            raise ValueError(
                f"The padded shape {room} is not compatible with the corresponding input "
                f"component shape {TensorShape.from_dims(type_.dims)}. "
                f"{words.larger_shapes(element, sizes, component, type_.dims, batch)}"
            )
    return vectors


def padding_shape(shape: int | Tensor | TensorShape | Iterable[int | None]) -> Tensor:
    """A shape as an int64 vector; TypeError where its sizes are no integers."""
    if isinstance(shape, Tensor):
        return int64(shape)
    sizes: Any = [shape] if isinstance(shape, int) else shape
    sizes = sizes.as_list() if isinstance(sizes, TensorShape) else list(sizes)
    sizes = [-1 if size is None else size for size in sizes]
    tensor: Any = convert(sizes, None, dt.int64) if sizes else int64(vector(sizes))
    if not tensor.dtype.is_integer:
        raise TypeError(
            f"Padded shape {shape!r} must be a `tf.int64` vector: its sizes are "
            f"{tensor.dtype.name}. Give integers, or None for the largest size in a batch."
        )
    return cast(tensor, dt.int64)


def has_room(shape: Sequence[int | None], dims: Dims) -> bool:
    """Whether a padded shape has the rank of a component, and no size below one that is known."""
    return len(shape) == len(dims) and not any(
        most is not None and 0 <= most < (size or 0) for most, size in zip(shape, dims)
    )


def vector(sizes: Iterable[int | None]) -> Array:
    """Sizes as an array with -1 for None."""
    return np.array([-1 if size is None else size for size in sizes], np.int64)


def known_sizes(shape: Tensor) -> Sequence[int | None]:
    """The entries of a vector of sizes; None for all where only the graph knows them."""
    if isinstance(shape, SymbolicTensor):
        value = known(shape._value)
        return [None] * (shape.shape[0] or 0) if value is None else list(value)
    eager: Any = shape
    sizes: list[int] = eager.numpy().tolist()
    return sizes


def paddings(element: ElementType, values: object) -> list[Any]:
    """The scalar that pads each tensor of an element."""
    if values is None:
        flat: list[Any] = [None] * len(element.types)
    elif tree.is_nested(values):
        flat = parts_in(element.specs, values)
    else:
        flat = [values] * len(element.types)
    return [padding(value, type_.dtype) for value, type_ in zip(flat, element.types)]


def padding(value: TensorLike | None, dtype: DType) -> Any:
    """A padding value as a scalar of a dtype; TypeError if it has another dtype."""
    if value is None:
        if dtype is dt.string:
            return convert(b"", dtype)
        return convert(False if dtype is dt.bool_ else 0, dtype)
    tensor: Any = convert(value, None, dtype)
    if tensor.dtype is not dtype:
        raise TypeError(
            f"Mismatched type for padding value. Expected {dtype!r}, got {tensor.dtype!r}."
        )
    if tensor.shape.rank not in (0, None):
        raise ValueError(f"Padding value should be a scalar, but is {tensor}.")
    return tensor


def static(tensor: Tensor) -> Any:
    """The value of a scalar; None where only the graph knows it."""
    if isinstance(tensor, SymbolicTensor):
        return known(tensor._value)
    eager: Any = tensor
    return eager.numpy().item()


def rows_of_batches(element: ElementType) -> int | None:
    """The number of rows that all parts of batches have; None if that of one is unknown."""
    shapes = [getattr(leaf, "shape", TensorShape(None)) for leaf in element.leaves]
    sizes = [shape[0] if shape.rank else None for shape in shapes]
    known = sorted({size for size in sizes if size is not None})
    if len(known) > 1:
        raise ValueError(
            f"the parts of a batch have {known[0]} and {known[1]} rows: `rebatch` takes batches "
            "whose parts have as many rows each"
        )
    return known[0] if known and None not in sizes else None
