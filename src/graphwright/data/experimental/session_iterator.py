"""Iterators of sessions: a graph has the dataset, and each session a position in it."""

from __future__ import annotations

import secrets
from typing import Any, NoReturn
from weakref import WeakValueDictionary

from graphwright.base.errors import FailedPreconditionError, InvalidArgumentError
from graphwright.control.branch import cond
from graphwright.control.dependencies import control_dependencies
from graphwright.control.graph_variable import GLOBAL, GraphVariable
from graphwright.data.dataset import Dataset
from graphwright.data.dataset_value import DatasetValue
from graphwright.data.element_type import ElementType
from graphwright.data.generators import element_of
from graphwright.data.iterator import Iterator, OpenIterator
from graphwright.data.reader import Reader
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.ops.state.variable_ops import Storage
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable


def is_for_sessions() -> bool:
    """Whether ops are added to a graph that sessions run."""
    tracer = current_tracer()
    return tracer is not None and tracer.graph.is_plain


#: The positions that programs have asked handles of, by these handles.
_POSITIONS: WeakValueDictionary[bytes, Storage] = WeakValueDictionary()


class IteratorToStringHandle(Op):
    """A text that stands for the position of an iterator in a session."""

    type_name = "_IteratorToStringHandle"
    inputs = ("position: resource",)
    behind = Storage
    outputs = ("string_handle: string",)
    effect = Effect.READ
    pure = False
    gradient = not_differentiable

    def shapes(self, position: TensorType) -> Shapes:
        return ((),)

    def kernel(self, position: Storage) -> Any:
        handles = [handle for handle, known in _POSITIONS.items() if known is position]
        if not handles:
            handles = [f"{position.name}/{secrets.token_hex(8)}".encode()]
            _POSITIONS[handles[0]] = position
        return handles[0]


class IteratorFromStringHandle(Op):
    """The iterator whose position a text stands for."""

    type_name = "_IteratorFromStringHandle"
    inputs = ("string_handle: string",)
    outputs = ("iterator: variant",)
    ranks = {"string_handle": 0}
    effect = Effect.WRITE
    pure = False
    gradient = not_differentiable

    def shapes(self, string_handle: TensorType) -> Shapes:
        return ((),)

    def kernel(self, string_handle: Array) -> Reader:
        position = _POSITIONS.get(string_handle.item())
        if position is None:
            raise InvalidArgumentError(
                None, None, "Could not parse string_handle as a valid ResourceHandle: no iterator "
                "of an open session has it"
            )  # fmt: skip
        if not position.is_set:
            raise FailedPreconditionError(None, None, NOT_BEGUN)
        reader: Reader = position.read()
        return reader


#: The words about an iterator whose initializer has not run.
NOT_BEGUN = (
    "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
    "initializer operation for this iterator before getting the next element."
)


class SessionIterator(Iterator):
    """An iterator whose position belongs to a session.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next()
    ...     session.run(x), session.run(x)
    (np.int64(0), np.int64(1))
    """

    _position: GraphVariable
    _starts_alone: bool
    _has_dataset: bool  # and not only a type of elements
    _variant: Tensor  # the dataset

    @classmethod
    def of(cls, dataset: DatasetValue, starts_alone: bool) -> SessionIterator:
        """Makes an iterator over a dataset.

        Args:
            dataset: A `tf.data.Dataset`.
            starts_alone: A bool: whether no initializer must be run.

        Returns:
            An iterator of the open graph.

        Raises:
            RuntimeError: No block of `tf.Graph.as_default` is open.
        """
        made: SessionIterator = cls._new(dataset._type)
        made._starts_alone, made._has_dataset = starts_alone, True
        made._place(dataset)
        return made

    @staticmethod
    def from_structure(
        output_types: object,
        output_shapes: object = None,
        shared_name: str | None = None,
        output_classes: object = None,
    ) -> SessionIterator:
        """Makes an iterator that several datasets can begin: see `make_initializer`.

        Args:
            output_types: The structure of dtypes of an element.
            output_shapes: A structure of shapes; None for any.
            shared_name: Accepted for TensorFlow's signature and not used.
            output_classes: Accepted for TensorFlow's signature and not used: elements are tensors.

        Returns:
            An iterator of the open graph.

        Raises:
            RuntimeError: No block of `tf.Graph.as_default` is open.

        >>> import graphwright as tf
        >>> v1 = tf.compat.v1
        >>> with tf.Graph().as_default(), v1.Session() as session:
        ...     iterator = v1.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
        ...     x = iterator.get_next()
        ...     for dataset in (tf.data.Dataset.range(3), tf.data.Dataset.range(7, 9)):
        ...         session.run(iterator.make_initializer(dataset))
        ...         session.run(x)
        np.int64(0)
        np.int64(7)
        """
        made: SessionIterator = SessionIterator._new(element_of(output_types, output_shapes))
        made._starts_alone = made._has_dataset = False
        made._place(Dataset.range(0))  # which nothing begins
        return made

    @staticmethod
    def from_string_handle(
        string_handle: TensorLike,
        output_types: object,
        output_shapes: object = None,
        output_classes: object = None,
    ) -> Iterator:
        """Makes an iterator that takes the elements of another one, by its handle.

        Args:
            string_handle: A scalar of string: what a session gives for `string_handle()` of the
                other iterator.
            output_types: The structure of dtypes of an element.
            output_shapes: A structure of shapes; None for any.
            output_classes: Accepted for TensorFlow's signature and not used: elements are tensors.

        Returns:
            An iterator of the open graph.

        Raises:
            RuntimeError: No block of `tf.Graph.as_default` is open.

        >>> import graphwright as tf
        >>> v1 = tf.compat.v1
        >>> with tf.Graph().as_default(), v1.Session() as session:
        ...     handle = v1.placeholder(tf.string, [])
        ...     x = v1.data.Iterator.from_string_handle(handle, tf.int64).get_next()
        ...     train = v1.data.make_one_shot_iterator(tf.data.Dataset.range(3))
        ...     session.run(x, {handle: session.run(train.string_handle())})
        np.int64(0)
        """
        made: HandledIterator = HandledIterator._new(element_of(output_types, output_shapes))
        made._string_handle = convert(string_handle, dt.string)
        return made

    @classmethod
    def _new(cls, element: ElementType) -> Any:
        """An iterator that lacks its place in the graph; RuntimeError where no graph is open."""
        if not is_for_sessions():
            raise RuntimeError(
                "such an iterator is for sessions: make it in a block of "
                "`tf.Graph().as_default()`, or take elements with a `for` loop over the dataset"
            )
        made = cls.__new__(cls)
        made._type = element
        return made

    def _place(self, dataset: DatasetValue) -> None:
        """Adds the variable of the position, whose initializer begins a dataset."""
        self._variant = dataset._variant
        position: Any = Variable(self._begin(), trainable=False, name="Iterator")
        self._position = position
        variables = position.graph.collections[GLOBAL]  # no saver saves a position
        variables[:] = [v for v in variables if v is not position]

    def make_initializer(self, dataset: DatasetValue, name: str | None = None) -> Any:
        """Returns an operation that goes to the first element of a dataset.

        Args:
            dataset: A `tf.data.Dataset` with elements of the iterator's type.
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A `tf.Operation`.

        Raises:
            TypeError: The elements of the dataset are of another type.
        """
        for what, mine, other in zip(
            ("types", "shapes compatible with"), parts_of(self._type), parts_of(dataset._type)
        ):
            tree.assert_same_structure(mine, other)
            pairs = list(zip(tree.flatten(mine), tree.flatten(other)))
            if not all(one.is_compatible_with(two) for one, two in pairs):
                raise TypeError(
                    f"Expected output {what} {mine!r} but got dataset with output "
                    f"{what.split()[0]} {other!r}."
                )
        return self._position.assign(apply(OpenIterator(), dataset._variant), read_value=False)

    def string_handle(self, name: str | None = None) -> Any:
        """Returns a text that stands for the iterator in a session: see `from_string_handle`.

        Args:
            name: A name for the op.

        Returns:
            A scalar tensor of string.
        """
        with control_dependencies([self._handle] if self._starts_alone else []):
            return apply(IteratorToStringHandle.of(), self._position.handle, name=name)

    def _begin(self) -> Tensor:
        """A position before the first element."""
        handle: Tensor = apply(OpenIterator(), self._variant)
        return handle

    @property
    def initializer(self) -> Any:
        """The operation that starts at the first element.

        Raises:
            ValueError: The iterator begins without one, or `make_initializer` makes those of it.
        """
        if self._starts_alone or not self._has_dataset:
            raise ValueError(
                "The iterator does not have an initializer. `make_initializable_iterator` makes "
                "iterators that have one, and `make_initializer` begins a dataset."
            )
        return self._position.initializer

    @property
    def _handle(self) -> Tensor:  # type: ignore[override]  # each read is a node
        position = self._position
        if not self._starts_alone:
            return position.read_value()

        def begin() -> Tensor:
            position.assign(self._begin(), read_value=False)
            return position.read_value()

        handle: Tensor = cond(position.is_initialized(), position.read_value, begin)
        return handle


class HandledIterator(SessionIterator):
    """An iterator that takes the elements of the one whose handle is fed."""

    _string_handle: Tensor
    _starts_alone = _has_dataset = False

    def string_handle(self, name: str | None = None) -> Any:
        """Returns the handle that is fed.

        Args:
            name: Accepted for TensorFlow's signature and not used.

        Returns:
            A scalar tensor of string.
        """
        return self._string_handle

    def make_initializer(self, dataset: DatasetValue, name: str | None = None) -> NoReturn:
        """Refuses: the iterator whose handle is fed begins datasets itself.

        Args:
            dataset: A `tf.data.Dataset`.
            name: A name.

        Raises:
            ValueError: Always.
        """
        raise ValueError("the iterator of a string handle has no position, and begins no dataset")

    @property
    def _handle(self) -> Tensor:  # type: ignore[override]  # each read is a node
        handle: Tensor = apply(IteratorFromStringHandle.of(), self._string_handle)
        return handle


def parts_of(element: ElementType) -> tuple[Any, Any]:
    """The structures of the dtypes and of the shapes of elements."""
    specs = element.specs
    return (
        tree.map_structure(lambda spec: spec.dtype, specs),
        tree.map_structure(lambda spec: spec.shape, specs),
    )


def make_one_shot_iterator(dataset: DatasetValue) -> Iterator:
    """Returns an iterator over the elements of a dataset, as `iter` does.

    In a graph for sessions, each session begins at the first element.

    Args:
        dataset: A `tf.data.Dataset`.

    Returns:
        A `tf.data.Iterator`.

    >>> import graphwright as tf
    >>> int(tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next())
    0
    """
    return SessionIterator.of(dataset, True) if is_for_sessions() else Iterator.over(dataset)


def make_initializable_iterator(dataset: DatasetValue, shared_name: str | None = None) -> Iterator:
    """Returns an iterator over the elements of a dataset, in a graph.

    A session runs `iterator.initializer` to begin at the first element.

    Args:
        dataset: A `tf.data.Dataset`.
        shared_name: Accepted for TensorFlow's signature and not used.

    Returns:
        A `tf.data.Iterator`.

    Raises:
        RuntimeError: Ops run at once.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     iterator = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(3))
    ...     x = iterator.get_next()
    ...     session.run(iterator.initializer)
    ...     session.run(x), session.run(x)
    (np.int64(0), np.int64(1))
    """
    if current_tracer() is None:
        raise RuntimeError(
            "`make_initializable_iterator()` is not supported in eager mode. Use Python-style "
            "iteration instead."
        )
    return SessionIterator.of(dataset, False) if is_for_sessions() else Iterator.over(dataset)
