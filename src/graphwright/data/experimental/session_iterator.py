"""Iterators of sessions: a graph has the dataset, and each session a position in it."""

from __future__ import annotations

from typing import Any

from graphwright.control.branch import cond
from graphwright.control.graph_variable import GLOBAL, GraphVariable
from graphwright.data.dataset_value import DatasetValue
from graphwright.data.iterator import Iterator, OpenIterator
from graphwright.op.interpreter import apply
from graphwright.trace.tracer import current_tracer
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable


def is_for_sessions() -> bool:
    """Whether ops are added to a graph that sessions run."""
    tracer = current_tracer()
    return tracer is not None and tracer.graph.is_plain


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
    _variant: Tensor  # the dataset

    @classmethod
    def of(cls, dataset: DatasetValue, starts_alone: bool) -> SessionIterator:
        """An iterator over a dataset; one that starts alone needs no initializer to be run."""
        made = cls.__new__(cls)
        made._type, made._starts_alone, made._variant = (
            dataset._type,
            starts_alone,
            dataset._variant,
        )
        position: Any = Variable(made._begin(), trainable=False, name="Iterator")
        made._position = position
        variables = position.graph.collections[GLOBAL]  # no saver saves a position
        variables[:] = [v for v in variables if v is not position]
        return made

    def _begin(self) -> Tensor:
        """A position before the first element."""
        handle: Tensor = apply(OpenIterator(), self._variant)
        return handle

    @property
    def initializer(self) -> Any:
        """The operation that starts at the first element."""
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
