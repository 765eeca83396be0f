"""Data of several replicas: datasets whose elements have a part for each.

A dataset is asked for what every one has: `map`, `element_spec`, iterators that give optionals.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from graphwright.control.branch import cond
from graphwright.control.loop import while_loop
from graphwright.library.distribute.distributed_values import PerReplica, PerReplicaSpec
from graphwright.op.interpreter import STATE, convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros, zeros_like
from graphwright.ops.core.joining import concat
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math.arithmetic import minimum
from graphwright.ops.math.comparison import logical_and
from graphwright.ragged.ragged_tensor import RaggedTensor
from graphwright.trace.device_scopes import put_on
from graphwright.trace.python_turns import PythonTurns
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec, TypeSpec
from graphwright.types.tensor_type import Dims
from graphwright.values.sparse.sparse_functions import slice
from graphwright.values.sparse.sparse_tensor import SparseTensor
from graphwright.values.tensor import Tensor
from graphwright.values.trackable import Trackable

#: A leaf of an element: rows, of which each replica gets some.
Batch: TypeAlias = Tensor | RaggedTensor | SparseTensor
#: What says of replicas whether they go on; None where they do not take elements of their own.
Grouping: TypeAlias = Callable[[TensorValue], Any] | None
#: The variables of a loop, flat.
Leaves: TypeAlias = Sequence[TensorValue]
#: What the body of a loop over elements does, from its variables and an element.
Step: TypeAlias = Callable[[Leaves, object], list[Any]]


def split_batch(element: object, replicas: int) -> Any:
    """An element whose leaves have a part for each replica: rows of a batch, nearly equally many.

    The first parts have ceil(n / replicas) rows, later ones what is left, if there is anything.
    """

    def parts(batch: Batch) -> PerReplica:
        rows: Any = batch
        dims: Dims | None = rows.shape._dims
        if dims == ():
            raise IndexError(
                "A dataset is distributed by the rows of its batches, and its elements have no "
                "axes: batch it before, as in dataset.batch(global_batch_size)."
            )
        count: Any = dims[0] if dims else None
        if count is None:
            count = row_count(rows)
            size = (count + (replicas - 1)) // replicas
            bounds = [minimum(i * size, count) for i in range(replicas + 1)]
        else:
            size = -(-count // replicas)
            bounds = [min(i * size, count) for i in range(replicas + 1)]
        return PerReplica([rows_between(rows, a, b) for a, b in itertools.pairwise(bounds)])

    return tree.map_structure(parts, element)


def row_count(batch: Batch) -> Any:
    """The number of rows of a batch."""
    if isinstance(batch, RaggedTensor):
        return batch.nrows()
    return batch.dense_shape[0] if isinstance(batch, SparseTensor) else shape_of(batch)[0]


def rows_between(batch: Batch, begin: TensorLike, end: TensorLike) -> Any:
    """Some rows of a batch: from one on, and before another."""
    if not isinstance(batch, SparseTensor):
        return batch[begin:end]
    others = batch.dense_shape[1:]
    first, count = cast(begin, dt.int64), cast(end, dt.int64) - cast(begin, dt.int64)
    start = concat([[first], zeros_like(others)], 0)
    return slice(batch, start, concat([[count], others], 0))


class DistributedSpec(TypeSpec):
    """The type of data of several replicas, or of an iterator of it."""

    __slots__ = ("_devices", "_grouping", "_source", "_value_type")

    def __init__(
        self, value_type: type, source: TypeSpec, devices: tuple[str, ...], grouping: Grouping
    ) -> None:
        self._value_type = value_type
        self._source = source
        self._devices = devices
        self._grouping = grouping

    @property
    def value_type(self) -> type:
        """The class of the data."""
        return self._value_type

    def _serialize(self) -> tuple[Any, ...]:
        return self._value_type, self._source, self._devices, self._grouping

    @property
    def _component_specs(self) -> list[TypeSpec]:
        return [self._source]

    def _to_components(self, value: DistributedData) -> list[Any]:
        return [value._source]

    def _from_components(self, components: Sequence[object]) -> Any:
        return self._value_type(components[0], self._devices, self._grouping)


class DistributedData(Composite):
    """What datasets and iterators of several replicas share.

    Args:
        source: The dataset, or the iterator, whose elements the replicas divide.
        devices: The names of their devices.
        grouping: Whether replicas go on, by whether the first has an element; then each replica
            takes an element, in turn. None: the elements have parts.
    """

    _is_native = False

    def __init__(self, source: object, devices: Sequence[str], grouping: Grouping = None) -> None:
        self._source: Any = source
        self._devices = tuple(devices)
        self._grouping = grouping

    @property
    def __graphwright_spec__(self) -> DistributedSpec:
        source = self._source.__graphwright_spec__
        return DistributedSpec(type(self), source, self._devices, self._grouping)

    @property
    def element_spec(self) -> Any:
        """The type of an element."""
        spec = self._source.element_spec
        if self._grouping is None:
            return spec
        count = len(self._devices)
        if count == 1:
            return tree.map_structure(any_size, spec)
        return tree.map_structure(lambda leaf: per_replica_spec([any_size(leaf)] * count), spec)

    def __graph_iteration__(self) -> Any:
        if self._grouping is None:
            return self._source.__graph_iteration__()
        return GroupFold(iter(self))  # type: ignore[call-overload]


class DistributedDataset(DistributedData):
    """Data divided among replicas: `Strategy.experimental_distribute_dataset` makes it.

    >>> import graphwright as tf
    >>> strategy = tf.distribute.MirroredStrategy()
    >>> data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(4))
    >>> isinstance(data, tf.distribute.DistributedDataset)
    True
    """

    @property
    def cardinality(self) -> Any:
        """The number of elements, an np.int64: tf.data.INFINITE_CARDINALITY, or
        tf.data.UNKNOWN_CARDINALITY, where it is not that of a dataset with an end.

        Where each replica takes elements of its own, all of these count.
        """
        return self._source.cardinality().numpy()

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(iter(self._source), self._devices, self._grouping)


class DistributedIterator(DistributedData, Trackable):
    """The iterator of a `DistributedDataset`.

    A `tf.train.Checkpoint` saves its place. In several processes each has a place of its own.

    >>> import graphwright as tf
    >>> strategy = tf.distribute.MirroredStrategy()
    >>> data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(4))
    >>> next(iter(data)).numpy()
    array([0, 1, 2, 3])
    """

    def __iter__(self) -> DistributedIterator:
        return self

    def __next__(self) -> Any:
        if self._grouping is not None:
            if current_tracer() is not None:
                self._turns.take(by_python=True)
            has_value, element, _ = self._group()
            if current_tracer() is None and not bool(has_value):
                raise StopIteration
            return self._placed(element())
        return self._placed(next(self._source))

    def get_next(self) -> Any:
        """Returns the next element.

        Returns:
            Values of the replicas, in the structure of `element_spec`.

        Raises:
            OutOfRangeError: There is no other element.

        >>> import graphwright as tf
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(4))
        >>> iter(data).get_next().numpy()
        array([0, 1, 2, 3])
        """
        if self._grouping is None:
            return self._placed(self._source.get_next())
        if current_tracer() is not None:
            self._turns.take(by_python=False)
        _, element, _ = self._group()
        return self._placed(element())

    @functools.cached_property
    def _turns(self) -> PythonTurns:
        return PythonTurns()

    def get_next_as_optional(self) -> Any:
        """Returns the next element, or that there is none.

        Returns:
            A `tf.experimental.Optional` of values of the replicas.

        >>> import graphwright as tf
        >>> strategy = tf.distribute.MirroredStrategy()
        >>> data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(4))
        >>> bool(iter(data).get_next_as_optional().has_value())
        True
        """
        if self._grouping is not None:
            goes_on, element, kind = self._group()
            spec = self.element_spec
            return cond(goes_on, lambda: kind.from_value(element()), lambda: kind.empty(spec))
        return self._source.get_next_as_optional()

    def _serialize_to_tensors(self) -> dict[str, Any]:
        tensors: dict[str, Any] = self._source._serialize_to_tensors()
        return tensors

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> None:
        self._source._restore_from_tensors(restored_tensors)

    def _placed(self, element: object) -> Any:
        if STATE.active is None or current_tracer() is None:
            for leaf in tree.flatten(element):
                values = leaf.values if isinstance(leaf, PerReplica) else (leaf,)
                for name, value in zip(self._devices, values):
                    put_on(name, value)
        return element

    def _group(self) -> tuple[Any, Callable[[], Any], Any]:
        """Whether there is an element, what makes that of all replicas of this process, and the
        class of optionals.

        Replicas for which there is no element get one without rows. Where no replica goes on, the
        source says that it has ended: Keras asks for the next element without a look.
        """
        first, *rest = [self._source.get_next_as_optional() for _ in self._devices]
        spec, grouping = self._source.element_spec, self._grouping
        assert grouping is not None
        goes_on = grouping(first.has_value())

        def element() -> Any:
            absent = tree.map_structure(empty, spec)
            missing = partial(cond, goes_on, lambda: absent, self._source.get_next)
            values = [cond(first.has_value(), first.get_value, missing)]
            for optional in rest:
                values.append(cond(optional.has_value(), optional.get_value, lambda: absent))
            if not rest:
                return values[0]
            return tree.map_structure(lambda *leaves: PerReplica(leaves), *values)

        return goes_on, element, type(first)


def alone(has_value: TensorValue) -> Any:
    """Whether the replicas of one process go on: whether the first has an element."""
    return has_value


class GroupFold:
    """A loop of a graph over data of which each replica takes an element, in turn."""

    relaxes = True

    def __init__(self, iterator: DistributedIterator) -> None:
        self.iterator = iterator

    def sample(self) -> Any:
        """A value of the type of an element."""
        spec = self.iterator._source.element_spec
        count = len(self.iterator._devices)
        if count == 1:
            return tree.map_structure(empty, spec)
        return tree.map_structure(lambda leaf: PerReplica([empty(leaf)] * count), spec)

    def fold(
        self,
        start: Leaves,
        more: Callable[[Leaves], TensorValue] | None,
        step: Step,
        shapes: Sequence[object] | None,
    ) -> list[Any]:
        """`start` after `step(variables, element)` for each element, while `more(variables)`."""

        def test(is_left: TensorValue, *variables: Any) -> Any:
            return is_left if more is None else logical_and(is_left, more(variables))

        def body(is_left: TensorValue, *variables: Any) -> list[Any]:
            has_value, element, _ = self.iterator._group()
            after = cond(has_value, lambda: step(variables, element()), lambda: list(variables))
            return [has_value, *after]

        limits = [TensorShape([]), *shapes] if shapes else None
        first = [convert(True), *start]
        return list(while_loop(test, body, first, limits))[1:]


def any_size(spec: TypeSpec) -> TypeSpec:
    """The type of batches of any number of rows."""
    if not isinstance(spec, TensorSpec):
        return spec
    dims = spec.shape._dims
    return TensorSpec([None, *dims[1:]], spec.dtype) if dims else spec


def per_replica_spec(specs: Sequence[TypeSpec]) -> Any:
    """The type of values of these types, one for each replica."""
    return PerReplicaSpec(*specs)


def empty(spec: TensorSpec) -> Any:
    """A batch of a type without rows."""
    dims = spec.shape._dims or ()
    sizes = [0 if i == 0 or size is None else size for i, size in enumerate(dims)]
    return zeros(sizes, spec.dtype)
