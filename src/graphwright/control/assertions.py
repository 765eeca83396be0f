"""`tf.debugging.assert_*`: at once where the answer is known, else when the graph runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.named_tuples import NamedTuple
from graphwright.ir.control_edges import waiting
from graphwright.ir.operation import Operation
from graphwright.op.dispatch import ASSERTIONS
from graphwright.op.interpreter import apply, convert, convert_pair, host_array, note_read
from graphwright.ops.core.effect_ops import Assert, NoOp
from graphwright.ops.core.shapes import rank as rank_of
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math import comparison
from graphwright.ops.math.reduction import reduce_all
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import current_tracer
from graphwright.types.arguments import DTypeLike, TensorLike, TensorValue
from graphwright.types.dtypes import DType, as_dtype, float32
from graphwright.types.shape import TensorShape
from graphwright.values.tensor import EagerTensor, Tensor


def value_of(tensor: TensorValue) -> Any:
    """A tensor's value as an array, where it is known; else None."""
    if isinstance(tensor, EagerTensor):
        note_read(tensor)
        return tensor._array
    content = tensor.known
    if content is None or holds_none(content):
        return None
    return np.asarray(content, tensor.dtype.numpy_dtype)


def holds_none(value: object) -> bool:
    """Whether a known value has unknown entries."""
    return any(map(holds_none, value)) if isinstance(value, tuple) else value is None


def named(tensor: TensorValue) -> str:
    """The words for a tensor in a message."""
    if isinstance(tensor, SymbolicTensor):
        return tensor.name
    return f"shape={tensor.shape} dtype={tensor.dtype.name}"


def prefix(message: str | None) -> str:
    """The caller's message, in front of another."""
    return f"{message}.  " if message else ""


def settled() -> Operation | None:
    """What a check gives that holds for sure; see `together`."""
    return together((), "static_checks_determined_all_ok")


def together(checks: Iterable[Operation | None], name: str) -> Operation | None:
    """One operation for checks, where blocks of a program add to the graph; else None."""
    tracer = current_tracer()
    if tracer is None or not tracer.graph.is_plain:
        return None
    with waiting(tracer.graph, [check.node for check in checks if check is not None]):
        operation: Operation = apply(NoOp.of(), name=name)
    return operation


def assert_true(
    condition: TensorLike,
    data: Sequence[TensorLike],
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Asserts that a condition is true: at once for eager tensors, else when the graph runs.

    Args:
        condition: A tensor of bools; a vector or matrix is true where all elements are.
        data: A list of tensors that the error shows.
        summarize: How many elements of each the error shows. None means 3, a negative number all.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        InvalidArgumentError: The condition is false.
        TypeError: `data` is no list or tuple.

    >>> import graphwright as tf
    >>> x = tf.constant([1.0, -2.0])
    >>> tf.Assert(tf.reduce_max(x) <= 1, [x])
    """
    if not isinstance(data, (list, tuple)):
        raise TypeError("values must be a sequence.")
    count = 3 if summarize is None else summarize
    tensors = [convert(v) for v in data]
    holds = convert(condition)
    if isinstance(holds, EagerTensor):
        if not holds.numpy().all():
            shown: object = condition
            lines = "\n".join(listed(host_array(t), count) for t in tensors)
            raise InvalidArgumentError(
                None, None, f"Expected '{shown}' to be true. Summarized data: {lines}"
            )
        return None
    operation: Operation | None = apply(Assert.of(count), holds, *tensors, name=name)
    return operation


def listed(array: object, count: int) -> str:
    """The first elements of an array, as messages of eager assertions show them."""
    flat = np.asarray(array).ravel()
    shown = [str(v) for v in (flat if count < 0 else flat[:count])]
    return ", ".join([*shown, "..."] if 0 <= count < flat.size else shown)


# -- comparisons of elements --------------------------------------------------------------------


class Relation(NamedTuple):
    """A relation between two tensors that can be asserted."""

    sign: str
    holds: Callable[[Any, Any], Any]
    known: Callable[[Any, Any], Any]  # the same of NumPy arrays


EQUAL = Relation("==", comparison.equal, np.equal)
NOT_EQUAL = Relation("!=", comparison.not_equal, np.not_equal)
LESS = Relation("<", comparison.less, np.less)
LESS_EQUAL = Relation("<=", comparison.less_equal, np.less_equal)
GREATER = Relation(">", comparison.greater, np.greater)
GREATER_EQUAL = Relation(">=", comparison.greater_equal, np.greater_equal)


def compare(
    relation: Relation,
    x: TensorLike,
    y: TensorLike,
    message: str | None,
    summarize: int | None,
    name: str | None,
) -> Operation | None:
    """Asserts that a relation holds for all pairs of elements."""
    x, y = convert_pair(x, y)
    if x is y and relation is EQUAL:  # also where there is NaN in it
        return settled()
    condition = reduce_all(relation.holds(x, y))
    if isinstance(condition, EagerTensor):
        if not condition:
            eager: tuple[Any, Any] = (x, y)
            raise InvalidArgumentError(
                None, None, difference(relation, relation.holds(x, y), *eager, message, summarize)
            )
        return None
    headline = f"Condition x {relation.sign} y did not hold element-wise:"
    first, other = value_of(x), value_of(y)
    if first is not None and other is not None:
        if not relation.known(first, other).all():
            start = f"{message}\n" if message else ""
            raise InvalidArgumentError(
                None,
                None,
                f"{start}{headline}\nx ({named(x)}) = \n{first}\ny ({named(y)}) = \n{other}",
            )
        return settled()
    data: list[TensorLike] = [
        message or "",
        headline,
        f"x ({named(x)}) = ",
        x,
        f"y ({named(y)}) = ",
        y,
    ]
    return assert_true(condition, data, summarize, name)


def difference(
    relation: Relation,
    held: EagerTensor,
    x: EagerTensor,
    y: EagerTensor,
    message: str | None,
    summarize: int | None,
) -> str:
    """The message that shows where a relation of eager tensors does not hold."""
    a, b = np.broadcast_arrays(x.numpy(), y.numpy())
    limit = 3 if summarize is None else summarize
    limit = a.size if limit < 0 else limit
    places = np.argwhere(~np.broadcast_to(held.numpy(), a.shape))[:limit]
    where = tuple(places.T)
    count = min(limit, a.size)
    start = f"{message}\n" if message else ""
    values = (
        f"Indices of first {len(places)} different values:\n{places}\n"
        f"Corresponding x values:\n{a[where]}\nCorresponding y values:\n{b[where]}\n"
    )
    return (
        f"{start}Condition x {relation.sign} y did not hold.\n{values if a.ndim else ''}"
        f"First {count} elements of x:\n{np.ravel(x.numpy())[:limit]}\n"
        f"First {count} elements of y:\n{np.ravel(y.numpy())[:limit]}\n"
    )


def assert_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Asserts that two tensors are equal, element by element.

    What is known while tracing is checked then, the rest when the graph runs.

    Args:
        x: A tensor of any dtype.
        y: A tensor of the dtype of `x`; the two broadcast.
        message: What the error says first. None adds nothing.
        summarize: How many elements the error shows. None means 3, a negative number all.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        InvalidArgumentError: Elements differ, or the shapes do not broadcast.

    >>> import graphwright as tf
    >>> tf.debugging.assert_equal(tf.constant([1, 2]), [1, 2])
    """
    return compare(EQUAL, x, y, message, summarize, name)


def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Asserts that two tensors differ in every element.

    What is known while tracing is checked then, the rest when the graph runs.

    Args:
        x: A tensor of any dtype.
        y: A tensor of the dtype of `x`; the two broadcast.
        summarize: How many elements the error shows. None means 3, a negative number all.
        message: What the error says first. None adds nothing.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        InvalidArgumentError: Two elements are equal, or the shapes do not broadcast.

    >>> import graphwright as tf
    >>> tf.debugging.assert_none_equal([1, 2], [2, 1])
    """
    return compare(NOT_EQUAL, x, y, message, summarize, name)


def assert_less(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Asserts that x < y, element by element.

    What is known while tracing is checked then, the rest when the graph runs.

    Args:
        x: A tensor of real numbers.
        y: A tensor of the dtype of `x`; the two broadcast.
        message: What the error says first. None adds nothing.
        summarize: How many elements the error shows. None means 3, a negative number all.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        InvalidArgumentError: It does not hold for some elements, or the shapes do not broadcast.

    >>> import graphwright as tf
    >>> tf.debugging.assert_less([1, 2], 3)
    """
    return compare(LESS, x, y, message, summarize, name)


def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Asserts that x <= y, element by element.

    What is known while tracing is checked then, the rest when the graph runs.

    Args:
        x: A tensor of real numbers.
        y: A tensor of the dtype of `x`; the two broadcast.
        message: What the error says first. None adds nothing.
        summarize: How many elements the error shows. None means 3, a negative number all.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        InvalidArgumentError: It does not hold for some elements, or the shapes do not broadcast.

    >>> import graphwright as tf
    >>> tf.debugging.assert_less_equal([1, 3], 3)
    """
    return compare(LESS_EQUAL, x, y, message, summarize, name)


def assert_greater(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Asserts that x > y, element by element.

    What is known while tracing is checked then, the rest when the graph runs.

    Args:
        x: A tensor of real numbers.
        y: A tensor of the dtype of `x`; the two broadcast.
        message: What the error says first. None adds nothing.
        summarize: How many elements the error shows. None means 3, a negative number all.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        InvalidArgumentError: It does not hold for some elements, or the shapes do not broadcast.

    >>> import graphwright as tf
    >>> tf.debugging.assert_greater([1, 2], 0)
    """
    return compare(GREATER, x, y, message, summarize, name)


def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Asserts that x >= y, element by element.

    What is known while tracing is checked then, the rest when the graph runs.

    Args:
        x: A tensor of real numbers.
        y: A tensor of the dtype of `x`; the two broadcast.
        message: What the error says first. None adds nothing.
        summarize: How many elements the error shows. None means 3, a negative number all.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        InvalidArgumentError: It does not hold for some elements, or the shapes do not broadcast.

    >>> import graphwright as tf
    >>> tf.debugging.assert_greater_equal([1, 0], 0)
    """
    return compare(GREATER_EQUAL, x, y, message, summarize, name)


def compare_zero(
    relation: Relation,
    x: TensorLike,
    message: str | None,
    summarize: int | None,
    name: str | None,
) -> Operation | None:
    """Asserts how all elements stand to zero."""
    x = convert(x)
    holds = reduce_all(relation.holds(x, convert(0, x.dtype)))
    headline = f"Condition x {relation.sign} 0 did not hold element-wise:"
    content = value_of(x)
    if content is None:
        data: list[TensorLike] = [message or "", headline, f"x ({named(x)}) = ", x]
        return assert_true(holds, data, summarize, name)
    if not relation.known(content, 0).all():
        raise InvalidArgumentError(
            None, None, f"{message or ''}\n{headline}\nx ({named(x)}) = \n{content}"
        )
    return settled()


def assert_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Asserts that all elements are above 0.

    Args:
        x: A tensor of real numbers.
        message: What the error says first. None adds nothing.
        summarize: How many elements the error shows. None means 3, a negative number all.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        InvalidArgumentError: An element is not.

    >>> import graphwright as tf
    >>> tf.debugging.assert_positive([1, 2])
    """
    return compare_zero(GREATER, x, message, summarize, name)


def assert_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Asserts that all elements are below 0.

    Args:
        x: A tensor of real numbers.
        message: What the error says first. None adds nothing.
        summarize: How many elements the error shows. None means 3, a negative number all.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        InvalidArgumentError: An element is not.

    >>> import graphwright as tf
    >>> tf.debugging.assert_negative([-1, -2])
    """
    return compare_zero(LESS, x, message, summarize, name)


def assert_non_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Asserts that all elements are 0 or above.

    Args:
        x: A tensor of real numbers.
        message: What the error says first. None adds nothing.
        summarize: How many elements the error shows. None means 3, a negative number all.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        InvalidArgumentError: An element is not.

    >>> import graphwright as tf
    >>> tf.debugging.assert_non_negative([0, 2])
    """
    return compare_zero(GREATER_EQUAL, x, message, summarize, name)


def assert_non_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Asserts that all elements are 0 or below.

    Args:
        x: A tensor of real numbers.
        message: What the error says first. None adds nothing.
        summarize: How many elements the error shows. None means 3, a negative number all.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        InvalidArgumentError: An element is not.

    >>> import graphwright as tf
    >>> tf.debugging.assert_non_positive([0, -2])
    """
    return compare_zero(LESS_EQUAL, x, message, summarize, name)


def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Asserts that |x - y| <= atol + rtol * |y|, element by element.

    Args:
        x: A tensor of floats or complex numbers.
        y: A tensor of the dtype of `x`; the two broadcast.
        rtol: A scalar of real numbers: the relative tolerance. None means 10 epsilons of the dtype.
        atol: A scalar of real numbers: the absolute tolerance. None means 10 epsilons of the dtype.
        message: What the error says first. None adds nothing.
        summarize: How many elements the error shows. None means 3, a negative number all.
        name: A name for the op.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        InvalidArgumentError: It does not hold for some elements.

    >>> import graphwright as tf
    >>> tf.debugging.assert_near([1.0], [1.1], atol=0.2)
    """
    x, y = convert_pair(x, y)
    dtype = x.dtype if x.dtype.is_floating or x.dtype.is_complex else float32
    epsilon = 10 * np.finfo(dtype.real_dtype.numpy_dtype).eps
    rtol = convert(epsilon if rtol is None else rtol, dtype.real_dtype)
    atol = convert(epsilon if atol is None else atol, dtype.real_dtype)
    holds = reduce_all(abs(x - y) <= atol + rtol * abs(y))
    headline = f"x and y not equal to tolerance rtol = {rtol!s}, atol = {atol!s}"
    data: list[TensorLike] = [
        prefix(message),
        headline,
        f"x ({named(x)}) = ",
        x,
        f"y ({named(y)}) = ",
        y,
    ]
    return assert_true(holds, data, summarize, name)


# -- ranks and shapes ---------------------------------------------------------------------------


#: A rank, or the size of an axis: a number where it is known.
Rank: TypeAlias = int | TensorValue


def assert_ranks(
    x: TensorLike,
    ranks: Sequence[Rank],
    what: str,
    fits: Callable[[Rank, Sequence[Rank]], TensorLike],
    message: str | None,
) -> Operation | None:
    """Asserts something of a tensor's rank."""
    x = convert(x)
    wanted = [plain_rank(rank) for rank in ranks]
    if x.type.rank is None or None in wanted:
        dynamic = rank_of(x)
        holds = fits(dynamic, [convert(rank) for rank in ranks])
        text = f"{prefix(message)}Tensor {named(x)} must have {what}"
        return assert_true(holds, [text, "Received shape: ", shape_of(x)])
    if not fits(x.type.rank, [rank for rank in wanted if rank is not None]):
        name = x.name if isinstance(x, SymbolicTensor) else ""
        raise ValueError(
            f"{prefix(message)}Tensor {name} must have {what}.  Received rank {x.type.rank}, "
            f"shape {x.shape}"
        )
    return settled()


def equals(actual: Rank, wanted: Sequence[Rank]) -> Any:
    """Whether a rank is the first of others."""
    if isinstance(actual, int):
        return actual == wanted[0]
    return comparison.equal(actual, wanted[0])


def plain_rank(rank: Rank) -> int | None:
    """A rank as an int where it is known; ValueError if it is no scalar."""
    tensor = convert(rank)
    if tensor.type.rank not in (0, None):
        raise ValueError("Rank must be a scalar.")
    content = value_of(tensor)
    return None if content is None else int(content)


def assert_rank(
    x: TensorLike, rank: Rank, message: str | None = None, name: str | None = None
) -> Operation | None:
    """Asserts that a tensor has a rank.

    A rank that is known is checked at once, another when the graph runs.

    Args:
        x: A tensor of any dtype.
        rank: The rank: a scalar of integers.
        message: What the error says first. None adds nothing.
        name: Accepted for TensorFlow's signature and not used.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        ValueError: The tensor is known to have another rank, or `rank` is no scalar.
        InvalidArgumentError: The tensor has another rank when the graph runs.

    >>> import graphwright as tf
    >>> tf.debugging.assert_rank([[1.0]], 2)
    """
    what = f"rank {rank}"
    return assert_ranks(x, [rank], what, equals, message)


def assert_rank_at_least(
    x: TensorLike, rank: Rank, message: str | None = None, name: str | None = None
) -> Operation | None:
    """Asserts that a tensor has a rank or a higher one.

    A rank that is known is checked at once, another when the graph runs.

    Args:
        x: A tensor of any dtype.
        rank: The least rank: a scalar of integers.
        message: What the error says first. None adds nothing.
        name: Accepted for TensorFlow's signature and not used.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        ValueError: The rank is known to be lower, or `rank` is no scalar.
        InvalidArgumentError: The rank is lower when the graph runs.

    >>> import graphwright as tf
    >>> tf.debugging.assert_rank_at_least([[1.0]], 1)
    """
    what = f"rank at least {rank}"
    return assert_ranks(x, [rank], what, lambda actual, wanted: actual >= wanted[0], message)


def assert_rank_in(
    x: TensorLike, ranks: Iterable[Rank], message: str | None = None, name: str | None = None
) -> Operation | None:
    """Asserts that a tensor has one of several ranks.

    A rank that is known is checked at once, another when the graph runs.

    Args:
        x: A tensor of any dtype.
        ranks: The ranks: an iterable of scalars of integers.
        message: What the error says first. None adds nothing.
        name: Accepted for TensorFlow's signature and not used.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        ValueError: The rank is known to be another, or an entry of `ranks` is no scalar.
        InvalidArgumentError: The rank is another when the graph runs.

    >>> import graphwright as tf
    >>> tf.debugging.assert_rank_in([[1.0]], [1, 2])
    """
    ranks = tuple(ranks)

    def fits(actual: Rank, wanted: Sequence[Rank]) -> Any:
        if not isinstance(actual, Tensor):
            return actual in wanted
        equal = comparison.equal(actual, wanted[0])
        for rank in wanted[1:]:
            equal = comparison.logical_or(equal, comparison.equal(actual, rank))
        return equal

    return assert_ranks(x, ranks, f"rank in {ranks}", fits, message)


def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Asserts that a tensor is known to be a scalar.

    Args:
        tensor: A tensor of any dtype.
        message: What the error says first. None adds nothing.
        name: Accepted for TensorFlow's signature and not used.

    Raises:
        ValueError: The tensor has axes, or its rank is unknown while tracing.

    >>> import graphwright as tf
    >>> tf.debugging.assert_scalar(1)
    """
    tensor = convert(tensor)
    if tensor.type.rank != 0:
        where = f" for {tensor.name}" if isinstance(tensor, SymbolicTensor) else ""
        raise ValueError(
            f"{prefix(message)}Expected scalar shape{where}, saw shape: {tensor.shape}."
        )


class NamedSizes:
    """What dimensions have been named in `assert_shapes`: their sizes, and who said so."""

    def __init__(self, message: str | None, summarize: int | None) -> None:
        self.message = message
        self.summarize = summarize
        self.known: dict[Any, tuple[Any, str]] = {}
        self.operations: list[Operation | None] = []  # what the checks gave

    def check(self, x: TensorValue, shape: object) -> None:
        """One tensor against its symbolic shape; a leading `...` or "*" matches any axes."""
        entries = list(shape) if isinstance(shape, (list, tuple, TensorShape, str)) else [shape]
        rest = bool(entries) and entries[0] in ("*", ...)
        if rest:
            entries = entries[1:]
            self.operations.append(assert_rank_at_least(x, len(entries), self.message))
        else:
            self.operations.append(assert_rank(x, len(entries), self.message))
        sizes = shape_of(x)
        for i, entry in enumerate(entries):
            axis = i - len(entries) if rest else i
            if entry is None or entry == ".":
                continue
            static = None if x.type.dims is None else x.type.dims[axis]
            self.dimension(x, axis, entry, sizes[axis] if static is None else static)

    def dimension(self, x: TensorValue, axis: int, entry: object, size: Rank) -> None:
        """One dimension: of a given size, or of the size that its name has."""
        if isinstance(entry, (int, np.integer)) or str(entry).isdigit():
            number: Any = entry
            wanted, source = int(number), "Specified explicitly"
        elif entry in self.known:
            wanted, source = self.known[entry]
        else:
            self.known[entry] = (size, f"Specified by tensor {named(x)} dimension {axis}")
            return
        text = (
            f"{prefix(self.message)}{source}.  Tensor {named(x)} dimension {axis} must have size "
            f"{wanted}."
        )
        if isinstance(size, int) and isinstance(wanted, int):
            if size != wanted:
                raise ValueError(f"{text}  Received size {size}, shape {x.shape}")
            return
        equal = comparison.equal(convert(size), convert(wanted))
        data: list[TensorLike] = [text, "Received shape: ", shape_of(x)]
        self.operations.append(assert_true(equal, data, self.summarize))


def assert_shapes(
    shapes: dict[TensorLike, object] | Iterable[tuple[TensorLike, object]],
    data: object = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation | None:
    """Asserts the shapes of tensors, and that axes of one name are of one size.

    Sizes that are known are checked at once, others when the graph runs.

    Args:
        shapes: A list of pairs of a tensor and its shape, or a dict. A shape has for each axis its
            size, a name, or None for any size; a leading `...` stands for any axes.
        data: Accepted for TensorFlow's signature and not used.
        summarize: How many elements the error shows. None means 3, a negative number all.
        message: What the error says first. None adds nothing.
        name: Accepted for TensorFlow's signature and not used.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        ValueError: A known rank or size is another.
        InvalidArgumentError: A rank or size is another when the graph runs.

    >>> import graphwright as tf
    >>> x, y = tf.zeros([5, 3]), tf.zeros([3, 2])
    >>> tf.debugging.assert_shapes([(x, ("N", "Q")), (y, ("Q", 2))])
    """
    sizes = NamedSizes(message, summarize)
    for tensor, shape in shapes.items() if isinstance(shapes, dict) else shapes:
        sizes.check(convert(tensor), shape)
    return together(sizes.operations, "assert_shapes/group_deps")


# -- dtypes -------------------------------------------------------------------------------------


def described(tensor: object) -> str:
    """A symbolic tensor's name."""
    return tensor.name if isinstance(tensor, SymbolicTensor) else "tensor"


def assert_type(
    tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None
) -> Operation | None:
    """Asserts that a tensor has a dtype.

    Args:
        tensor: A tensor.
        tf_type: The dtype, or its name.
        message: What the error says first. None adds nothing.
        name: Accepted for TensorFlow's signature and not used.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        TypeError: The tensor has another dtype.

    >>> import graphwright as tf
    >>> tf.debugging.assert_type([1.0], tf.float32)
    """
    tensor, wanted = convert(tensor), as_dtype(tf_type)
    if tensor.dtype is not wanted:
        raise TypeError(
            f"{prefix(message)}{described(tensor)} must be of type {wanted!r}; got {tensor.dtype!r}"
        )
    return settled()


def assert_integer(
    x: TensorLike, message: str | None = None, name: str | None = None
) -> Operation | None:
    """Asserts that a tensor is of integers.

    Args:
        x: A tensor.
        message: What the error says first. None adds nothing.
        name: Accepted for TensorFlow's signature and not used.

    Returns:
        A `tf.Operation` in a block of `tf.Graph.as_default`, else None.

    Raises:
        TypeError: The dtype is another.

    >>> import graphwright as tf
    >>> tf.debugging.assert_integer([1, 2])
    """
    x = convert(x)
    if not x.dtype.is_integer:
        raise TypeError(
            f'{prefix(message)}Expected "x" to be integer type.  Found: {described(x)} of dtype '
            f"{x.dtype}"
        )
    return settled()


def assert_same_float_dtype(
    tensors: Iterable[TensorLike] | None = None, dtype: DTypeLike | None = None
) -> DType:
    """Asserts that tensors have the same dtype of floats, and returns it.

    Args:
        tensors: A list of tensors. None means an empty one.
        dtype: The dtype. None means that of the first tensor, or float32 without tensors.

    Returns:
        A dtype.

    Raises:
        ValueError: A tensor has another dtype, or the dtype is not of floats.

    >>> import graphwright as tf
    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant([2.0])])
    tf.float32
    """
    wanted: DType | None = None if dtype is None else as_dtype(dtype)
    first = None
    for tensor in map(convert, tensors or ()):
        shown = tensor.name if isinstance(tensor, SymbolicTensor) else tensor
        if wanted is None:
            wanted, first = tensor.dtype, shown
        elif tensor.dtype is not wanted:
            like = f" as {first}" if first is not None else ""
            raise ValueError(
                f"{shown!s}, type={tensor.dtype}, must be of the same type ({wanted}){like}."
            )
    wanted = wanted or float32
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted}.")
    return wanted


def assert_proper_iterable(values: object) -> None:
    """Asserts that a value can be iterated, and is no tensor, array or text.

    Args:
        values: Any value.

    Raises:
        TypeError: It cannot, or is one of them.

    >>> import graphwright as tf
    >>> tf.debugging.assert_proper_iterable([1, 2])
    """
    if isinstance(values, (Tensor, np.ndarray, str, bytes)):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def is_numeric_tensor(tensor: object) -> bool:
    """Returns whether a value is a tensor of numbers.

    Args:
        tensor: Any value.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.debugging.is_numeric_tensor(tf.constant(1)), tf.debugging.is_numeric_tensor(1)
    (True, False)
    """
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric


ASSERTIONS.declare(
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_none_equal,
)
