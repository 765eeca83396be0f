"""Variables of graphs that blocks of a program add to: each session has values of its own.

`as_default` opens such a block. A variable that is made there has no value before a session has run
its `initializer`, as in TensorFlow 1.
"""

from __future__ import annotations

import builtins
import functools
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from graphwright.control.branch import cond
from graphwright.ir.control_edges import waiting
from graphwright.ir.default_session import session_for
from graphwright.ir.graph import Graph
from graphwright.ir.operation import Operation
from graphwright.op.interpreter import activate, apply
from graphwright.op.refusal import complete
from graphwright.ops.state import variable_ops, variable_slices
from graphwright.ops.state.variable_ops import (
    HANDLE,
    AssignVariableOp,
    ReadVariableOp,
    Storage,
    VarIsInitializedOp,
)
from graphwright.trace.device_scopes import current_placement
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import Tracer, current_tracer, tracing
from graphwright.types.arguments import TensorLike
from graphwright.types.tensor_type import TensorType
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.tensor import EagerTensor, Tensor, box
from graphwright.values.variable import Variable

#: The names of the collections that variables are in.
GLOBAL, TRAINABLE, LOCAL = "variables", "trainable_variables", "local_variables"


class GraphVariable(Variable):
    """A variable of a graph: what it holds belongs to a session.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable(2.0)
    ...     session.run(v.initializer)
    ...     session.run(v.assign_add(1.0))
    np.float32(3.0)
    """

    _graph: Graph
    _initializer: Operation
    _initial_value: Any
    _is_initialized: SymbolicTensor
    _snapshot: Tensor

    @property
    def initializer(self) -> Any:
        """The operation that gives it its initial value.

        Raises:
            ValueError: The file of its graph has none that can run.
        """
        if "_initializer" not in self.__dict__:
            words = "a saver has the value: call its `restore`"
            raise complete(ValueError(f"nothing initializes the variable {self.name!r}: {words}"))
        return self._initializer

    @property
    def initial_value(self) -> Any:
        """The initial value, a tensor of the graph."""
        return self._initial_value

    @property
    def graph(self) -> Graph:
        """The graph that it belongs to."""
        return self._graph

    @property
    def op(self) -> Any:
        """The operation of its handle."""
        return Operation(self.symbolic_handle._value.node, self._graph)

    @property
    def symbolic_handle(self) -> SymbolicTensor:
        """Its handle in the graph."""
        return SymbolicTensor(self._graph.outside[id(self._handle)][1], self._graph)

    @property
    def device(self) -> str:
        """The name of the device that the program stated, or an empty string."""
        return self._graph.devices.get(self.symbolic_handle._value.node, "")

    @property
    def snapshot(self) -> Tensor:
        """What a session computes for the variable: its value."""
        if "_snapshot" not in self.__dict__:  # a message brought the variable in
            with as_default(self._graph), waiting(self._graph, None):
                self._snapshot = self.read_value()
        return self._snapshot

    def is_initialized(self, name: str | None = None) -> Any:
        """Returns whether the session has a value, as a tensor of the graph.

        Args:
            name: A name, which has no effect.

        Returns:
            A scalar tensor of dtype bool.
        """
        if "_is_initialized" not in self.__dict__:  # a message brought the variable in
            with as_default(self._graph), waiting(self._graph, None):
                self._is_initialized = apply(VarIsInitializedOp.of(), self._handle)
        return self._is_initialized

    def initialized_value(self) -> Any:
        """The value, or the initial one where the session has none, as a tensor."""
        return cond(self.is_initialized(), self.read_value, lambda: self._initial_value)

    def eval(self, session: object = None) -> Any:
        """Returns the value in a session.

        Args:
            session: A `tf.compat.v1.Session`; None takes the default one.

        Returns:
            A NumPy array or scalar.

        Raises:
            ValueError: There is no session.
        """
        return session_for(session, "evaluate tensor using `eval()`", "eval").run(self)

    def load(self, value: TensorLike, session: object = None) -> None:
        """Sets the value in a session.

        Args:
            value: An array of the variable's dtype, of a shape that fits the variable's.
            session: A `tf.compat.v1.Session`; None takes the default one.

        Raises:
            ValueError: There is no session, or the shape of `value` does not fit.
        """
        chosen = session_for(session, "load a variable", "load")
        source = self._initializer.inputs[1]
        chosen.run(self._initializer, {source: value})

    def _write(
        self,
        op: builtins.type[variable_ops.Assignment],
        value: TensorLike,
        name: str | None,
        read: bool,
    ) -> Any:
        super()._write(op, value, name, read)
        return self._written() if read else newest(self)

    def _assign_slice(self, key: object, value: TensorLike, name: str | None = None) -> Variable:
        super()._assign_slice(key, value, name)
        return self._written()

    def _scatter(
        self,
        op: builtins.type[variable_ops.ResourceScatter],
        slices: IndexedSlices,
        name: str | None,
    ) -> Any:
        super()._scatter(op, slices, name)
        return self._written()

    def _scatter_nd(
        self,
        op: builtins.type[variable_slices.ResourceScatterNd],
        indices: TensorLike,
        updates: TensorLike,
        name: str | None,
    ) -> Any:
        super()._scatter_nd(op, indices, updates, name)
        return self._written()

    def _written(self) -> AssignedVariable:
        """The variable after the node that was added last."""
        operation = newest(self)
        made = AssignedVariable.__new__(AssignedVariable)
        made.__dict__.update(self.__dict__)
        made._operation = operation
        if operation.graph is self._graph:
            made._snapshot = made.read_value()
        return made

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}>"


class AssignedVariable(GraphVariable):
    """A variable after an assignment: who reads it or runs it has the assignment run."""

    _operation: Operation

    @property
    def op(self) -> Any:
        """The assignment."""
        return self._operation

    def read_value(self) -> Any:
        """The value after the assignment, as a tensor."""
        tracer = current_tracer()
        if tracer is None or tracer.graph is not self._operation.graph:
            return super().read_value()
        with waiting(tracer.graph, [self._operation.node]):
            return super().read_value()

    def value(self) -> Any:
        """The value after the assignment, as a tensor."""
        return self.read_value()

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Any:
        """Returns the rows at `indices` after the assignment.

        Args:
            indices: A tensor of int32 or int64, of any shape.
            name: A name for the op.

        Returns:
            A tensor of shape `indices.shape + shape[1:]`.
        """
        with waiting(self._operation.graph, [self._operation.node]):
            return super().sparse_read(indices, name)


def newest(variable: GraphVariable) -> Operation:
    """The operation that was added last."""
    tracer = current_tracer()
    graph = variable._graph if tracer is None else tracer.graph
    return Operation(graph.nodes[-1], graph)


@contextmanager
def as_default(graph: Graph) -> Iterator[Graph]:
    """Opens a block whose ops are added to a graph, which may get parameters meanwhile."""
    was_open = graph.is_open
    graph.is_plain = True
    with tracing(graph) as tracer:
        tracer.on_variable = functools.partial(adopt, tracer)
        graph.is_open = True
        try:
            yield graph
        finally:
            graph.is_open = was_open


def adopt(tracer: Tracer, variable: Variable, value: Tensor) -> None:
    """Makes a new variable one of the graph that a block adds to."""
    graph, storage, cell = tracer.graph, variable._storage, variable._handle
    storage.array = storage.late = None
    placement = current_placement()
    scope, graph.names.scope = graph.names.scope, ""
    try:
        with activate(tracer), waiting(graph, None):
            handle = tracer.capture(cell, HANDLE, variable._name)
            name = storage.name = variable._name = handle.node.name
            graph.handles[handle] = variable
            if isinstance(value, EagerTensor):
                array = value._array
                value = tracer.constant(array, None, f"{name}/initial_value")
            count = len(graph.nodes)
            fill(variable, graph, value)
        if placement is not None and placement.name:
            nodes = [handle.node, *graph.nodes[count:]]
            graph.devices.update(dict.fromkeys(nodes, placement.name))
    finally:
        graph.names.scope = scope


def fill(variable: Variable, graph: Graph, value: Tensor) -> None:
    """Adds the nodes that initialize a variable of a graph and read it."""
    name, storage, handle = variable._name, variable._storage, variable._handle
    variable.__class__ = GraphVariable
    assert isinstance(variable, GraphVariable)
    variable._graph, variable._initial_value = graph, value
    variable._is_initialized = apply(
        VarIsInitializedOp.of(), handle, name=f"{name}/IsInitialized/VarIsInitializedOp"
    )
    assign = AssignVariableOp.of(storage.value_dtype)
    variable._initializer = apply(assign, handle, value, name=f"{name}/Assign")
    read = ReadVariableOp.of(storage.value_dtype, storage.dims)
    variable._snapshot = apply(read, handle, name=f"{name}/Read/ReadVariableOp")
    for collection in (GLOBAL, TRAINABLE) if variable.trainable else (GLOBAL,):
        graph.collections.setdefault(collection, []).append(variable)


def described(tracer: Tracer, shared: str, name: str, type_: TensorType) -> SymbolicTensor:
    """The handle of a new variable of a graph that a message brings in, with its initializer."""
    graph = tracer.graph
    variable = GraphVariable.__new__(GraphVariable)
    variable._storage = Storage(None, type_.dtype, type_.dims, shared)
    variable._storage.owner = weakref.ref(variable)
    variable._handle = box(variable._storage, HANDLE)
    handle = tracer.capture(variable._handle, HANDLE, name)
    variable._name, variable._trainable, variable._graph = handle.node.name, True, graph
    graph.handles[handle] = variable
    return SymbolicTensor(handle, graph)


def cell_of(tensor: object) -> Storage | None:
    """The cell of a variable of a graph, whose handle a tensor is; None for other tensors."""
    storage = getattr(tensor, "_array", None)
    owner = storage.owner() if isinstance(storage, Storage) and storage.owner else None
    return storage if isinstance(owner, GraphVariable) else None
