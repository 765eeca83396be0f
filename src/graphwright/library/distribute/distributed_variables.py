"""Variables with a copy for each replica: mirrored ones, and those that are summed when read.

The copies are variables of their own, each on its device. Their handles lead to the whole: tapes,
modules and checkpoints see one variable.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from graphwright.library.distribute.distributed_values import (
    DistributedValues,
    PerReplica,
    as_tensors,
    select_replica,
)
from graphwright.library.distribute.reduce_op import ReduceOp
from graphwright.library.distribute.replica_scopes import SCOPE
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.identity import identity
from graphwright.ops.state import variable_ops
from graphwright.ops.state.variable_ops import Storage
from graphwright.trace.argument_types import Weakref
from graphwright.trace.device_scopes import current_placement
from graphwright.types.arguments import TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.tensor import Reference
from graphwright.values.variable import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
)

#: Changes a copy by a value.
Change: TypeAlias = Callable[[Variable, Any], Any]


class SharedStorage:
    """The cells of all copies, as one cell: what checkpoints read and write."""

    def __init__(self, variable: DistributedVariable) -> None:
        self.variable = weakref.ref(variable)
        self.cells: list[Storage] = [copy._storage for copy in variable.values]
        first = self.cells[0]
        self.value_dtype: DType = first.value_dtype
        self.dims: Dims | None = first.dims
        self.name = first.name

    @property
    def value_type(self) -> TensorType:
        """The type of what is stored."""
        return self.cells[0].value_type

    @property
    def is_set(self) -> bool:
        """Whether there is a value."""
        return self.cells[0].is_set

    @property
    def late(self) -> Callable[[], Any] | None:
        """What gives the value when it is first read, or None."""
        return self.cells[0].late

    def read(self) -> Any:
        """The value across replicas, as an array."""
        variable = self.variable()
        assert variable is not None
        return variable._whole_array()

    def assign(self, array: Array) -> None:
        """Gives the copies a value that together they have across replicas."""
        variable = self.variable()
        assert variable is not None
        for cell, part in zip(self.cells, variable._parts_of(array)):
            cell.assign(part)

    write = assign


class SameVariable(Weakref):
    """The trace type of one distributed variable: an argument that a call hands on as it is."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameVariable) and self._reference() is other._reference()

    def __hash__(self) -> int:
        return id(self._reference())


class DistributedVariable(Variable, DistributedValues):
    """A variable with a copy for each replica: the base of both kinds.

    Args:
        strategy: The strategy whose replicas have the copies.
        copies: The copies, in the order of the replicas.
        synchronization: When the copies are brought together.
        aggregation: How they are.
    """

    def __init__(
        self,
        strategy: object,
        copies: Sequence[Variable],
        synchronization: VariableSynchronization,
        aggregation: VariableAggregation,
    ) -> None:
        first = copies[0]
        self._values = tuple(copies)
        self._strategy: Any = strategy
        self._name = first._name
        self._trainable = first._trainable
        self._constraint = first._constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        self._shared = SharedStorage(self)
        for copy in copies:
            copy._storage.owner = weakref.ref(self)
            whole: Any = copy
            whole._distributed_container = weakref.ref(self)  # libraries ask for it

    @property
    def _storage(self) -> Any:  # type: ignore[override]
        return self._shared

    @property
    def _handle(self) -> Any:  # type: ignore[override]
        return self._get()._handle

    @property
    def _cells(self) -> list[Storage]:
        return self._shared.cells

    def _get(self) -> Variable:
        """The copy of the replica, or on the device, where the program is; else the first."""
        scope = SCOPE.get()
        number = None if scope is None else scope.copy
        if number is not None:
            copy: Variable = self._values[number]
            return copy
        placement = current_placement()
        if placement is not None and not placement.is_traced:
            where = placement.resolved("ReadVariableOp")
            here: Variable = next((v for v in self._values if v.device == where), self._values[0])
            return here
        first: Variable = self._values[0]
        return first

    def __tf_tracing_type__(self, context: object) -> SameVariable:
        return SameVariable(weakref.ref(self))

    @property
    def distribute_strategy(self) -> Any:
        """The strategy whose replicas have the copies."""
        return self._strategy

    def value(self) -> Any:
        """The value now, as a tensor."""
        return self._read()

    def read_value(self) -> Any:
        """The value now, as a tensor."""
        return identity(self._read())

    def _read(self) -> Any:
        return self._get().value()

    def numpy(self) -> Any:
        """The value as a new NumPy array or scalar."""
        return self._read().numpy()

    def _whole_array(self) -> Any:
        return self._values[0]._storage.read()

    def _parts_of(self, array: Array) -> list[Array]:
        """What each copy has, where an array is the value across replicas."""
        return [array] * len(self._values)

    def _is_across(self) -> bool:
        """Whether the program is across replicas: there, all copies change."""
        scope = SCOPE.get()
        if scope is None or scope.is_default:
            return True
        if scope.strategy is not self._strategy and scope.replica is not None:
            raise RuntimeError(
                f"Mixing different tf.distribute.Strategy objects: {scope.strategy!r} is not "
                f"{self._strategy!r}, in whose scope {self.name!r} was made."
            )
        return scope.copy is None

    def _is_updated(self) -> bool:
        scope = SCOPE.get()
        return scope is not None and scope.update is not None

    def _changed(self, change: Change, value: object, kind: str) -> Any:
        """Changes the copies by a value, as the class says; `kind` names the method."""
        raise NotImplementedError

    def change_copies(self, change: Change, value: object) -> Any:
        """Changes the copies as an assignment does: in a replica its own, else all.

        Args:
            change: A function of a copy and a value that changes the copy.
            value: The value, or values of replicas.

        Returns:
            What `change` returns, with the results of all copies across replicas.
        """
        return self._changed(change, value, "")

    def _write(
        self,
        op: type[variable_ops.Assignment],
        value: TensorLike,
        name: str | None,
        read: bool,
    ) -> Any:
        def change(copy: Variable, part: TensorLike) -> object:
            return copy._write(op, part, name, True)

        result = self._changed(change, value, op.type_name)
        return result if read else None

    def _scatter(
        self,
        op: type[variable_ops.ResourceScatter],
        slices: IndexedSlices,
        name: str | None,
    ) -> Any:
        return self._changed(lambda copy, rows: copy._scatter(op, rows, name), slices, op.type_name)

    def ref(self) -> Reference:
        """Returns a hashable reference to this variable, for use as a key."""
        return Reference(self)

    def __repr__(self) -> str:
        lines = [f"  {i}: {copy!r}" for i, copy in enumerate(self._values)]
        return f"{type(self).__name__}:{{\n" + ",\n".join(lines) + "\n}"

    __str__ = __repr__

    def __deepcopy__(self, memo: dict[int, object]) -> Variable:
        with self._strategy.scope():
            return super().__deepcopy__(memo)


#: Ops that bring the parts of several replicas together only where rows add up.
_UNORDERED = frozenset({"ResourceScatterUpdate", "ResourceScatterMax", "ResourceScatterMin"})


class MirroredVariable(DistributedVariable):
    """A variable whose copies are equal, unless replicas change them without aggregation."""

    def _changed(self, change: Change, value: object, kind: str) -> Any:
        how = self._aggregation
        alone = (VariableAggregation.NONE, VariableAggregation.ONLY_FIRST_REPLICA)
        if kind in _UNORDERED and how not in alone:
            raise NotImplementedError(
                f"{kind} does not support `tf.VariableAggregation.{how.name}`: the rows of several "
                "replicas are brought together by sums and products alone."
            )
        extended = self._strategy.extended
        if self._is_updated():
            return change(self._get(), value)
        if self._is_across():
            return extended.update(self, change, args=(value,))
        if how is VariableAggregation.NONE:
            return as_tensors(change(self._get(), value))

        def merge(strategy: object, parts: object) -> Any:
            if how is VariableAggregation.ONLY_FIRST_REPLICA:
                whole = select_replica(0, parts)
            else:
                whole = extended.reduce_to(ReduceOp.from_variable_aggregation(how), parts, self)
            return extended.update(self, change, args=(whole,))

        replica = SCOPE.get().replica  # type: ignore[union-attr]
        return replica.merge_call(merge, (value,))


class SyncOnReadVariable(DistributedVariable):
    """A variable whose copies differ: reading it across replicas brings them together."""

    def _read(self) -> Any:
        scope = SCOPE.get()
        if scope is not None and scope.copy is not None:
            return self._get().value()
        how = self._aggregation
        if how is VariableAggregation.ONLY_FIRST_REPLICA:
            return self._values[0].value()
        kind = ReduceOp.from_variable_aggregation(how)
        parts = PerReplica([copy.value() for copy in self._values])
        return self._strategy.extended._combined(kind, parts)

    def _whole_array(self) -> Any:
        return convert(self._read())._array

    def _parts_of(self, array: Array) -> list[Array]:
        if self._aggregation is VariableAggregation.SUM:
            count = self._strategy.num_replicas_in_sync  # those of other processes too
            array = (array / count).astype(array.dtype)
        return [array] * len(self._values)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Any:
        """Returns the rows at `indices`, as `tf.gather` does.

        Args:
            indices: A tensor of int32 or int64, of any shape.
            name: A name for the op.

        Returns:
            A tensor of shape `indices.shape + shape[1:]`.
        """
        return gather(self._read(), indices, name=name)

    def _changed(self, change: Change, value: object, kind: str) -> Any:
        if self._is_updated() or not self._is_across():
            return as_tensors(change(self._get(), value))
        how = self._aggregation
        if how is VariableAggregation.SUM:
            if kind != "AssignVariableOp":
                method = "assign_add" if kind == "AssignAddVariableOp" else "assign_sub"
                raise ValueError(
                    f"SyncOnReadVariable does not support `{method}` in cross-replica context when "
                    "aggregation is set to `tf.VariableAggregation.SUM`: assign the whole sum."
                )
            if not isinstance(value, DistributedValues):
                whole: Any = convert(value, self.dtype)  # type: ignore[arg-type]
                value = cast(whole / self._strategy.num_replicas_in_sync, self.dtype)
        self._strategy.extended.update(self, change, args=(value,))
        if how is VariableAggregation.NONE:
            ReduceOp.from_variable_aggregation(how)  # ValueError: nothing says what it is now
        return self
