"""`tf.data.Iterator`: a position in a dataset, eagerly and as a value of graphs."""

from __future__ import annotations

from collections.abc import Iterator as PythonIterator
from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic

import numpy as np

from graphwright.base.errors import OutOfRangeError, outermost, show_users_lines
from graphwright.data.dataset_value import DatasetValue
from graphwright.data.element_forms import Form, are_arrays, as_arrays, as_tensors
from graphwright.data.element_type import ElementType
from graphwright.data.handles import ElementHandle, ElementHandleSpec, ElementOp
from graphwright.data.reader import Reader
from graphwright.data.stage import DatasetStage
from graphwright.op.interpreter import STATE, apply
from graphwright.op.late_imports import late_module
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.op.refusal import own_boundary
from graphwright.trace.device_scopes import placed
from graphwright.trace.python_turns import PythonTurns
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.tensor_type import TensorType
from graphwright.types.type_parameters import Element
from graphwright.values.convert import constant, convert
from graphwright.values.tensor import EagerTensor, Tensor
from graphwright.values.trackable import Trackable

if TYPE_CHECKING:
    from graphwright.data.dataset_loops import ElementFold
    from graphwright.data.optional import Optional


class OpenIterator(Op):
    """A new iterator before the first element of a dataset."""

    type_name = "_OpenIterator"
    inputs = ("dataset: variant",)
    behind = DatasetStage
    outputs = ("iterator: variant",)
    effect = Effect.WRITE
    pure = False
    gradient = not_differentiable

    def shapes(self, dataset: TensorType) -> Shapes:
        return ((),)

    def kernel(self, stage: DatasetStage) -> Reader:
        return Reader(stage)


class GetNext(ElementOp):
    """The tensors of the next element of an iterator; OutOfRangeError where there is none."""

    type_name = "_IteratorGetNext"
    inputs = ("iterator: variant",)
    behind = Reader
    effect = Effect.WRITE
    pure = False

    def kernel(self, reader: Reader) -> tuple[Any, ...]:
        row = reader.row()
        if row is None:
            raise OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext]")
        return tuple(row)


class IteratorSpec(ElementHandleSpec):
    """The type of iterators over elements of one type.

    Args:
        element_spec: A structure of type specs, of an element.

    >>> import graphwright as tf
    >>> iterator = iter(tf.data.Dataset.range(3))
    >>> tf.data.IteratorSpec.from_value(iterator)
    IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)
    """

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """`tf.data.Iterator`."""
        return Iterator


class SavedReader(Trackable):
    """What goes through a dataset, and has its position in checkpoints."""

    #: The source of the elements.
    _reader: Reader

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"ITERATOR": constant(np.frombuffer(_bytes_of(self._reader), np.uint8))}

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> None:
        _go_to(self._reader, restored_tensors["ITERATOR"].numpy().tobytes())


def _bytes_of(reader: Reader) -> bytes:
    """The position of a reader as bytes."""
    position: bytes = _state_coding().encode(reader.save())
    return position


def _go_to(reader: Reader, position: bytes) -> None:
    """Has a reader go to a position that is in bytes."""
    reader.restore(_state_coding().decode(position))


def _state_coding() -> Any:
    """The module of positions as bytes, which few programs save."""
    return late_module("graphwright.data.state_coding")


class Iterator(ElementHandle, SavedReader, Generic[Element]):
    """A position in a dataset, from which elements are taken one by one.

    `iter(dataset)` makes one. Functions take it as an argument and take elements from it. A
    `tf.train.Checkpoint` saves the position, and restores it in an iterator of an equal dataset.

    >>> import graphwright as tf
    >>> iterator = iter(tf.data.Dataset.range(3))
    >>> int(next(iterator)), int(iterator.get_next())
    (0, 1)
    """

    @classmethod
    def over(cls, dataset: DatasetValue[Element]) -> Iterator[Element]:
        """An iterator before the first element of a dataset.

        Args:
            dataset: The dataset.

        Returns:
            A `tf.data.Iterator`.
        """
        return cls._of(apply(OpenIterator(), dataset._variant), dataset._type)

    #: The source of the elements, which is known where no graph is traced.
    _reader: Reader

    @classmethod
    def _of(cls, handle: Tensor, element: ElementType) -> Iterator:
        made = super()._of(handle, element)
        if isinstance(handle, EagerTensor):
            made._reader = handle._array
        return made

    @property
    def __graphwright_spec__(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)

    def __iter__(self) -> Iterator[Element]:
        return self

    def __graph_iteration__(self) -> ElementFold:
        loops: Any = late_module("graphwright.data.dataset_loops")
        fold: ElementFold = loops.ElementFold(self._handle, self._type)
        return fold

    @own_boundary
    def __next__(self) -> Element:
        if STATE.active is None:
            for element in self._reader.ready:
                return element
        try:
            return self._following()
        except Exception as error:
            show_users_lines(error)
            raise

    def _following(self) -> Any:
        """The next element, where none is ready or more than a reader is concerned."""
        if STATE.active is not None:
            return placed(self) if current_tracer() is None else self._taken(by_python=True)
        return self._reader.packed(self._form)

    def next(self) -> Element:
        """Returns the next element, as the built-in `next` does.

        Returns:
            Tensors and composites in the structure of `element_spec`.

        Raises:
            StopIteration: There is no other element.

        >>> import graphwright as tf
        >>> int(iter(tf.data.Dataset.range(3)).next())
        0
        """
        return next(self)

    @cached_property
    def _form(self) -> Form:
        return as_tensors(self._type)

    def get_next(self) -> Element:
        """Returns the next element.

        Returns:
            Tensors and composites in the structure of `element_spec`.

        Raises:
            OutOfRangeError: There is no other element.
            ValueError: A function that AutoGraph does not convert takes more than 32 elements.
        """
        return self._taken(by_python=False)

    def _taken(self, by_python: bool) -> Any:
        """The next element, which the graph counts where it is traced."""
        if current_tracer() is not None:
            self._turns.take(by_python)
        return self._type.pack(apply(self._type.op(GetNext), self._handle) or ())

    @cached_property
    def _turns(self) -> PythonTurns:
        return PythonTurns()

    def get_next_as_optional(self) -> Optional:
        """Returns the next element, or that there is none.

        Returns:
            A `tf.experimental.Optional` of an element.
        """
        ops: Any = late_module("graphwright.data.dataset_ops")
        optionals: Any = late_module("graphwright.data.optional")
        handle = apply(ops.NextOptional(), self._handle)
        optional: Optional = optionals.Optional._of(handle, self._type)
        return optional

    def __repr__(self) -> str:
        return f"<tf.data.Iterator element_spec={self.element_spec!r}>"


class NumpyIterator(SavedReader):
    """The elements of a dataset as NumPy arrays and scalars.

    Args:
        dataset: The dataset.

    >>> import graphwright as tf
    >>> next(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
    array([1, 2], dtype=int32)
    """

    def __init__(self, dataset: DatasetValue) -> None:
        self._form = as_arrays(dataset._type)
        self._are_arrays = are_arrays(dataset._type)
        self._reader = Reader(dataset._stage)

    def __iter__(self) -> PythonIterator[Any]:
        # It takes the same elements, which no method in Python hands on one by one.
        return chain.from_iterable(iter(self._more, None))

    @outermost
    def _more(self) -> PythonIterator[Any] | None:
        return self._reader.more(self._form, self._are_arrays)

    def __next__(self) -> Any:
        for element in self._reader.ready:
            return element
        return self._reader.packed(self._form)

    def next(self) -> Any:
        """Returns the next element.

        Returns:
            NumPy arrays and scalars in the structure of the elements.

        Raises:
            StopIteration: There is no other element.

        >>> import graphwright as tf
        >>> int(tf.data.Dataset.range(3).as_numpy_iterator().next())
        0
        """
        return next(self)

    def save(self) -> Any:
        """Returns the position, from which `restore` goes on.

        Returns:
            A scalar string tensor.

        Raises:
            UnimplementedError: A stage of the dataset cannot be saved.
            FailedPreconditionError: A function of the dataset draws random numbers from a stream.
                Or elements come from a Python generator.

        >>> import graphwright as tf
        >>> iterator = tf.data.Dataset.range(3).as_numpy_iterator()
        >>> position = iterator.save()
        >>> int(next(iterator))
        0
        >>> iterator.restore(position)
        >>> int(next(iterator))
        0
        """
        return constant(_bytes_of(self._reader))

    def restore(self, state: TensorLike) -> None:
        """Goes to a position that `save` returned, of an iterator over an equal dataset.

        Args:
            state: A scalar string tensor.

        Raises:
            DataLossError: `state` is no such position.
            InvalidArgumentError: It is one in another kind of dataset.

        >>> import graphwright as tf
        >>> position = tf.data.Dataset.range(3).as_numpy_iterator().save()
        >>> iterator = tf.data.Dataset.range(3).as_numpy_iterator()
        >>> iterator.restore(position)
        >>> int(next(iterator))
        0
        """
        position: Any = convert(state, dt.string)
        _go_to(self._reader, position.numpy())
