"""`tf.compat`: text and bytes, and calls of programs for several versions of TensorFlow."""

from __future__ import annotations

import datetime
import numbers
import os
from typing import Any

import numpy as np

from graphwright.ir.graph import Graph
from graphwright.op.interpreter import adds_to_open_graph
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import current_tracer
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor
from graphwright.types.dimension import Dimension
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.values.sparse.sparse_tensor import SparseTensor, SparseTensorSpec

bytes_or_text_types = (bytes, str)
complex_types = (numbers.Complex, np.number)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)

#: The day of the release whose behaviour this is: TensorFlow 2.21's.
_HORIZON = [datetime.date(2026, 3, 6)]


def as_bytes(bytes_or_text: str | bytes | bytearray, encoding: str = "utf-8") -> bytes:
    """Returns text as bytes, and bytes as they are.

    Args:
        bytes_or_text: A str, bytes or a bytearray.
        encoding: The encoding of the result, where `bytes_or_text` is a str.

    Returns:
        A bytes object.

    Raises:
        TypeError: `bytes_or_text` is neither text nor bytes.
        UnicodeEncodeError: `encoding` cannot express the text.

    >>> import graphwright as tf
    >>> tf.compat.as_bytes("é").hex()
    'c3a9'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: str | bytes, encoding: str = "utf-8") -> str:
    """Returns bytes as text, and text as it is.

    Args:
        bytes_or_text: A str or bytes.
        encoding: The encoding of `bytes_or_text`, where it is bytes.

    Returns:
        A str.

    Raises:
        TypeError: `bytes_or_text` is neither text nor bytes.
        UnicodeDecodeError: The bytes are no text in `encoding`.

    >>> import graphwright as tf
    >>> tf.compat.as_text(b"a")
    'a'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_str(bytes_or_text: str | bytes, encoding: str = "utf-8") -> str:
    """Returns bytes as text, and text as it is, like `tf.compat.as_text`.

    Args:
        bytes_or_text: A str or bytes.
        encoding: The encoding of `bytes_or_text`, where it is bytes.

    Returns:
        A str.

    Raises:
        TypeError: `bytes_or_text` is neither text nor bytes.

    >>> import graphwright as tf
    >>> tf.compat.as_str(b"a")
    'a'
    """
    return as_text(bytes_or_text, encoding)


def as_str_any(value: object, encoding: str = "utf-8") -> str:
    """Returns bytes as text, and any other value as `str` shows it.

    Args:
        value: Any object.
        encoding: The encoding of `value`, where it is bytes.

    Returns:
        A str.

    >>> import graphwright as tf
    >>> tf.compat.as_str_any(b"a"), tf.compat.as_str_any(1.5)
    ('a', '1.5')
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: object) -> Any:
    """Returns the text of a path object, and any other value as it is.

    Args:
        path: A path as an `os.PathLike` object or as text.

    Returns:
        A str or bytes where `path` is `os.PathLike`, else `path` itself.

    >>> import graphwright as tf
    >>> from pathlib import Path
    >>> tf.compat.path_to_str(Path("logs") / "run")
    'logs/run'
    """
    return os.fspath(path) if hasattr(path, "__fspath__") else path


def dimension_value(dimension: object) -> int | None:
    """Returns the size of a dimension as a number.

    Args:
        dimension: An int, None, or an object with the attribute `value`.

    Returns:
        An int, or None where the size is unknown.

    >>> import graphwright as tf
    >>> tf.compat.dimension_value(tf.TensorShape([2, None])[0])
    2
    """
    size: Any = getattr(dimension, "value", dimension)
    known: int | None = size
    return known


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Returns the size of one dimension of a shape.

    Args:
        shape: A `tf.TensorShape`.
        index: The axis as an int; negative ones count from the end.

    Returns:
        A `tf.compat.v1.Dimension`, which is unknown where the size or the rank of `shape` is.

    Raises:
        IndexError: `shape` has no such axis.

    >>> import graphwright as tf
    >>> tf.compat.dimension_at_index(tf.TensorShape([2, 3]), -1)
    Dimension(3)
    """
    return Dimension(None if shape.rank is None else shape[index])


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Says whether programs may write a format that readers understand from a date on.

    Args:
        year: The year of that date, as an int.
        month: The month, from 1 to 12.
        day: The day of the month.

    Returns:
        True where the date is before the horizon: 6 March 2026, unless
        `tf.compat.forward_compatibility_horizon` sets another.

    Raises:
        ValueError: There is no such date.

    >>> import graphwright as tf
    >>> tf.compat.forward_compatible(2020, 1, 1), tf.compat.forward_compatible(2100, 1, 1)
    (True, False)
    """
    return _HORIZON[0] > datetime.date(year, month, day)


def forward_compatibility_horizon(year: int, month: int, day: int) -> Horizon:
    """Sets the date that `tf.compat.forward_compatible` compares with, inside a `with` block.

    Args:
        year: The year of the date, as an int.
        month: The month, from 1 to 12.
        day: The day of the month.

    Returns:
        A context manager, which restores the former date at its end.

    Raises:
        ValueError: There is no such date.

    >>> import graphwright as tf
    >>> with tf.compat.forward_compatibility_horizon(2100, 1, 2):
    ...     tf.compat.forward_compatible(2100, 1, 1)
    True
    """
    try:
        return Horizon(datetime.date(year, month, day))
    except OverflowError:
        raise ValueError(f"there is no date {year}-{month}-{day}") from None


class Horizon:
    """A block with another date for `forward_compatible`."""

    def __init__(self, day: datetime.date) -> None:
        self._day = day

    def __enter__(self) -> None:
        self._before, _HORIZON[0] = _HORIZON[0], self._day

    def __exit__(self, *exception: object) -> None:
        _HORIZON[0] = self._before


# -- TensorFlow 1 -------------------------------------------------------------------------------


def enable_v2_behavior() -> None:
    """Does nothing: the behaviour of TensorFlow 2 is the only one.

    >>> import graphwright as tf
    >>> tf.compat.v1.enable_v2_behavior()
    """


def executing_eagerly_outside_functions() -> bool:
    """Says whether ops outside functions run at once.

    Returns:
        A bool: False in a block of `tf.Graph.as_default`, and where a program has turned to graphs.

    >>> import graphwright as tf
    >>> tf.compat.v1.executing_eagerly_outside_functions()
    True
    """
    return not adds_to_open_graph()


def sparse_placeholder(
    dtype: DTypeLike, shape: ShapeLike = None, name: str | None = None
) -> SparseTensor:
    """Returns a sparse tensor without a value, a parameter of a graph that a block adds to.

    Args:
        dtype: The dtype of the elements.
        shape: The shape; None for any.
        name: A string, or None.

    Returns:
        A `tf.SparseTensor`.

    Raises:
        RuntimeError: It is not called in a block of `tf.Graph.as_default`.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.sparse_placeholder(tf.float32, [None, 3])
    >>> x.shape
    TensorShape([None, 3])
    """
    context = ParametersOf.current("sparse_placeholder", "tf.SparseTensorSpec(shape, dtype)", name)
    result: SparseTensor = SparseTensorSpec(shape, dtype).placeholder_value(context)
    return result


def placeholder(dtype: DTypeLike, shape: ShapeLike = None, name: str | None = None) -> Tensor:
    """Returns a tensor without a value, a parameter of a graph that a block adds to.

    Args:
        dtype: The dtype of the elements.
        shape: The shape; None for any.
        name: A string, or None.

    Returns:
        A symbolic `tf.Tensor`.

    Raises:
        RuntimeError: It is not called in a block of `tf.Graph.as_default`.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
    >>> x
    <tf.Tensor 'x:0' shape=(None, 3) dtype=float32>
    """
    context = ParametersOf.current("tf.placeholder()", "tf.TensorSpec(shape, dtype)", name)
    return context.placeholder(TensorSpec(shape, dtype))


class ParametersOf:
    """Makes parameters of a graph; the context of `placeholder_value`."""

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph = graph
        self.name = name

    @classmethod
    def current(cls, caller: str, spec: str, name: str | None) -> ParametersOf:
        """Those of the graph that the block around adds to; RuntimeError where there is none."""
        tracer = current_tracer()
        if tracer is None or not tracer.graph.is_open:
            raise RuntimeError(
                f"{caller} is not compatible with eager execution. Use an argument of a "
                f"`tf.function` in its place, with the spec `{spec}`, or a block of "
                "`tf.Graph().as_default()`."
            )
        return cls(tracer.graph, name or "Placeholder")

    def placeholder(self, spec: TensorSpec) -> SymbolicTensor:
        """A new parameter."""
        value = self.graph.placeholder(spec.type, self.name)
        self.graph.parameters.append(value)
        return SymbolicTensor(value, self.graph)
