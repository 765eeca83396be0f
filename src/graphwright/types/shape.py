"""`TensorShape`: the public face of the partially known shapes in `tensor_type`."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import index
from types import FrameType
from typing import Any, ClassVar, SupportsIndex, TypeAlias, Union, overload

from graphwright.types.dimension import Dimension
from graphwright.types.tensor_type import (
    Dims,
    is_compatible,
    is_subshape,
    join_dims,
    merge_dims,
    num_elements,
)
from graphwright.types.trace_type import TraceType

#: What says a shape to the methods of another: sizes, of which None is unknown.
Sizes: TypeAlias = Union["TensorShape", SupportsIndex, Iterable["SupportsIndex | None"], None]
#: The folder of the package, and its files whose frames stand between a program and a shape.
_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
_BETWEEN = frozenset(
    [os.path.join(_PACKAGE, *path) for path in (
        ("types", "shape.py"), ("base", "errors.py"), ("op", "refusal.py")
    )]
)  # fmt: skip


class Messages:
    """Shapes as protobuf messages; `hooks` provides it."""

    of_dims: Callable[[Dims | None], Any]


class TensorShape(TraceType):
    """The shape of a tensor, of which the rank or some dimensions may be unknown.

    Args:
        dims: None for an unknown rank, an int for one dimension, another shape, or an iterable of
            ints and of None for unknown dimensions.

    Raises:
        TypeError: `dims` is none of these.
        ValueError: A dimension is negative.

    >>> import graphwright as tf
    >>> tf.TensorShape([None, 3]) + [2]
    TensorShape([None, 3, 2])
    >>> print(tf.TensorShape(None), tf.TensorShape([4]))
    <unknown> (4,)
    """

    __slots__ = ("__weakref__", "_dims")
    _dims: Dims | None

    #: Whether entries are instances of `Dimension` for a program, as in TensorFlow 1.
    gives_dimensions: ClassVar[bool] = False

    def __init__(self, dims: object) -> None:
        if dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif getattr(dims, "unknown_rank", False):  # of a TensorShapeProto
            self._dims = None
        else:
            self._dims = tuple([_dimension(d, dims) for d in _entries(dims)])

    @classmethod
    def from_dims(cls, dims: Dims | None) -> TensorShape:
        """Makes a shape of dims without checking them.

        Args:
            dims: A tuple of ints and None, or None.

        Returns:
            A `tf.TensorShape`.
        """
        shape = cls.__new__(cls)
        shape._dims = dims
        return shape

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The number of dimensions, as `rank`."""
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as `tf.compat.v1.Dimension`, or None for an unknown rank."""
        return None if self._dims is None else list(map(Dimension, self._dims))

    def as_proto(self) -> Any:
        """The shape as a `TensorShapeProto`, in which -1 is an unknown dimension.

        >>> import graphwright as tf
        >>> [d.size for d in tf.TensorShape([2, None]).as_proto().dim]
        [2, -1]
        """
        return Messages.of_dims(self._dims)

    def as_list(self) -> list[int | None]:
        """Returns the dimensions.

        Raises:
            ValueError: The rank is unknown.
        """
        if self._dims is None:
            raise ValueError("as_list() of a shape of unknown rank: nothing is known to list")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """The number of elements, or None where a dimension is unknown."""
        return num_elements(self._dims)

    def is_fully_defined(self) -> bool:
        """Whether every dimension is known."""
        return self._dims is not None and None not in self._dims

    # -- as a sequence ------------------------------------------------------------------

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("a shape of unknown rank has no length")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[int | None]:
        if self._dims is None:
            raise ValueError("a shape of unknown rank cannot be iterated over")
        entries: Iterable[Any] = map(Dimension, self._dims) if is_former() else self._dims
        return iter(entries)

    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    @overload
    def __getitem__(self, key: SupportsIndex) -> int | None: ...
    def __getitem__(self, key: SupportsIndex | slice) -> Any:
        if self._dims is None:
            return self._unknown_slice(key) if isinstance(key, slice) else self._unknown(key)
        entry = self._dims[key]
        if isinstance(entry, tuple):
            return TensorShape.from_dims(entry)
        return Dimension(entry) if is_former() else entry

    def _unknown(self, key: SupportsIndex) -> Dimension | None:
        """Any entry of an unknown shape is unknown."""
        index(key)
        return Dimension(None) if is_former() else None

    def _unknown_slice(self, key: slice) -> TensorShape:
        """So many unknown entries as the slice's bounds tell."""
        if key.step is not None:
            raise ValueError("a shape of unknown rank cannot be sliced with a step")
        start = key.start or 0
        stop = key.stop
        if stop is None or start < 0 or stop < 0:
            return TensorShape.from_dims(None)
        return TensorShape.from_dims((None,) * max(0, stop - start))

    def __add__(self, other: Sizes) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Sizes) -> TensorShape:
        return as_shape(other).concatenate(self)

    def concatenate(self, other: Sizes) -> TensorShape:
        """Returns the dimensions of this shape and then those of another.

        Args:
            other: A shape, or what makes one.

        Returns:
            A `tf.TensorShape`, of unknown rank if either rank is.

        >>> import graphwright as tf
        >>> tf.TensorShape([2]).concatenate([None, 3])
        TensorShape([2, None, 3])
        """
        a, b = self._dims, as_shape(other)._dims
        return TensorShape.from_dims(None if a is None or b is None else a + b)

    # -- comparison ---------------------------------------------------------------------

    def is_compatible_with(self, other: Sizes) -> bool:
        """Returns whether some shape is described by both.

        Args:
            other: A shape, or what makes one.

        Returns:
            A bool.

        >>> import graphwright as tf
        >>> tf.TensorShape([None, 3]).is_compatible_with([2, None])
        True
        """
        return is_compatible(self._dims, as_shape(other)._dims)

    def merge_with(self, other: Sizes) -> TensorShape:
        """Returns what is known of a shape that both describe.

        Args:
            other: A shape, or what makes one.

        Returns:
            A `tf.TensorShape`.

        Raises:
            ValueError: The two contradict each other.

        >>> import graphwright as tf
        >>> tf.TensorShape([None, 3]).merge_with([2, None])
        TensorShape([2, 3])
        """
        return TensorShape.from_dims(merge_dims(self._dims, as_shape(other)._dims))

    def most_specific_compatible_shape(self, other: Sizes) -> TensorShape:
        """Returns the most specific shape that describes all that either describes.

        Args:
            other: A shape, or what makes one.

        Returns:
            A `tf.TensorShape`.

        >>> import graphwright as tf
        >>> tf.TensorShape([2, 3]).most_specific_compatible_shape([2, 4])
        TensorShape([2, None])
        """
        return TensorShape.from_dims(join_dims(self._dims, as_shape(other)._dims))

    def with_rank(self, rank: int | None) -> TensorShape:
        """Returns this shape with a known rank.

        Args:
            rank: An int; None changes nothing.

        Returns:
            A `tf.TensorShape`.

        Raises:
            ValueError: The shape has another rank.

        >>> import graphwright as tf
        >>> tf.TensorShape(None).with_rank(2)
        TensorShape([None, None])
        """
        if rank is None:
            return self
        if self._dims is None:
            return TensorShape.from_dims((None,) * rank)
        self.assert_has_rank(rank)
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Returns this shape, once its rank is checked.

        Args:
            rank: An int.

        Returns:
            The shape.

        Raises:
            ValueError: The rank is known to be smaller.
        """
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"shape {self} must have at least rank {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Returns this shape, once its rank is checked.

        Args:
            rank: An int.

        Returns:
            The shape.

        Raises:
            ValueError: The rank is known to be greater.
        """
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"shape {self} must have at most rank {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Checks the rank.

        Args:
            rank: An int.

        Raises:
            ValueError: The rank is known to be another.
        """
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Sizes) -> None:
        """Checks that two shapes have one rank.

        Args:
            other: A shape, or what makes one.

        Raises:
            ValueError: Both ranks are known and differ.
        """
        shape = as_shape(other)
        if None not in (self.rank, shape.rank) and self.rank != shape.rank:
            raise ValueError(f"shapes {self} and {shape} must have the same rank")

    def assert_is_compatible_with(self, other: Sizes) -> None:
        """Checks that some shape is described by both.

        Args:
            other: A shape, or what makes one.

        Raises:
            ValueError: There is none.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"shapes {self} and {as_shape(other)} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Checks that every dimension is known.

        Raises:
            ValueError: One is not.
        """
        if not self.is_fully_defined():
            raise ValueError(f"shape {self} is not fully defined")

    # -- as a TraceType -----------------------------------------------------------------

    def is_subtype_of(self, other: TraceType) -> bool:
        """Returns whether `other` is a shape that describes all that this one describes.

        Args:
            other: A `tf.types.experimental.TraceType`.

        Returns:
            A bool.
        """
        return isinstance(other, TensorShape) and is_subshape(self._dims, other._dims)

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TensorShape | None:
        """Returns the most specific shape that describes what any of several describes.

        Args:
            others: A sequence of trace types.

        Returns:
            A `tf.TensorShape`, or None if a type is no shape.
        """
        joined = self._dims
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            joined = join_dims(joined, other._dims)
        return TensorShape.from_dims(joined)

    def placeholder_value(self, placeholder_context: object) -> Any:
        """Returns None: a shape alone describes no value.

        Args:
            placeholder_context: It has no effect.

        Returns:
            None.
        """
        return None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorShape):
            try:
                other = TensorShape(other)
            except TypeError:
                return NotImplemented
        return self._dims == other._dims

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self) -> tuple[Any, tuple[Any]]:
        return TensorShape, (self._dims,)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)


def as_shape(shape: object) -> TensorShape:
    """`shape` as a `TensorShape`."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def _entries(dims: object) -> Any:
    sizes: Any = dims
    if isinstance(sizes, int):
        return (sizes,)
    if hasattr(sizes, "unknown_rank"):  # a TensorShapeProto of ours or of TensorFlow
        return [None if d.size == -1 else d.size for d in sizes.dim]
    try:
        return iter(sizes)
    except TypeError:
        return (sizes,)


def is_former() -> bool:
    """Whether entries are `Dimension` for the code that asks: it is no code of the package."""
    if not TensorShape.gives_dimensions:
        return False
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename in _BETWEEN:
        frame = frame.f_back
    return frame is None or not frame.f_code.co_filename.startswith(_PACKAGE)


def _dimension(entry: Any, dims: object) -> int | None:
    if isinstance(entry, Dimension):
        entry = entry.value
    if entry is None:
        return None
    try:
        size = index(entry)
    except TypeError:
        raise TypeError(
            f"a shape is None, an integer or a sequence of integers and None; {dims!r} has the "
            f"entry {entry!r} ({type(entry).__name__})"
        ) from None
    if size < 0:
        raise ValueError(f"dimension {size} of the shape {dims!r} must be >= 0 (None if unknown)")
    return size
