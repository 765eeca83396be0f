"""The side of a graph that programs see: operations and tensors by name, messages, pictures."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, ClassVar, Protocol, TypeVar

from graphwright.types.arguments import TensorValue

G_contra = TypeVar("G_contra", contravariant=True)  # graphs
V_contra = TypeVar("V_contra", contravariant=True)  # values of graphs


class GraphMethods(Protocol[G_contra, V_contra]):
    """The bodies of the methods of `Face`, which `ir.operation` has: it stands on graphs."""

    def tensors(self, graph: G_contra, values: Sequence[V_contra]) -> list[Any]:
        """The tensors of values."""

    def control_outputs(self, graph: G_contra) -> list[Any]:
        """The operations that run for their effects."""

    def operations(self, graph: G_contra) -> list[Any]:
        """All operations in the order in which they were traced."""

    def operation_by_name(self, graph: G_contra, name: str) -> Any:
        """The operation of a name."""

    def tensor_by_name(self, graph: G_contra, name: str) -> Any:
        """The tensor of a name."""

    def element(
        self, graph: G_contra, obj: object, allow_tensor: bool, allow_operation: bool
    ) -> Any:
        """The operation or tensor that an object is or names."""

    def message(self, graph: G_contra, add_shapes: bool) -> Any:
        """The graph as a message."""

    def view(self, graph: G_contra) -> Any:
        """A view of the graph."""

    def dot(self, graph: G_contra) -> str:
        """The graph in the language of Graphviz."""

    def as_default(self, graph: G_contra) -> AbstractContextManager[Any]:
        """A block whose ops are added to the graph."""

    def waiting(self, graph: G_contra, control_inputs: object) -> AbstractContextManager[None]:
        """A block whose ops wait for others."""

    def device(self, name: object) -> AbstractContextManager[None]:
        """A block whose ops are on a device."""

    def seed(self, graph: G_contra) -> int | None:
        """The seed of the graph's random ops."""


class Face:
    """The methods of `tf.Graph` for programs; passes need none of them."""

    results: list[Any]
    collections: dict[Any, list[Any]]
    finalized: bool
    is_plain: bool
    names: Any
    nodes: list[Any]
    unfed: set[Any]

    #: Installed by `graphwright.hooks`.
    _bodies: ClassVar[GraphMethods[Any, Any]]

    @property
    def arguments(self) -> list[Any]:
        """The values of placeholders."""
        raise NotImplementedError

    @property
    def inputs(self) -> list[Any]:
        """The placeholders' tensors: parameters, then captures."""
        return self._bodies.tensors(self, self.arguments)

    @property
    def outputs(self) -> list[Any]:
        """The tensors of the results."""
        return self._bodies.tensors(self, self.results)

    @property
    def control_outputs(self) -> list[Any]:
        """The operations that run for their effects, even if no result needs them."""
        return self._bodies.control_outputs(self)

    def as_default(self) -> AbstractContextManager[Any]:
        """Returns a block whose ops are added to the graph; `tf.function` is the usual way.

        Inside, `tf.compat.v1.placeholder` makes parameters.

        Returns:
            A context manager, whose value is the graph.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        ...     y = tf.reduce_sum(x, axis=1)
        >>> y.shape, y.graph is graph
        (TensorShape([None]), True)
        """
        return self._bodies.as_default(self)

    def finalize(self) -> None:
        """Lets the graph get no more operations: who makes one gets a RuntimeError.

        >>> import graphwright as tf
        >>> graph = tf.Graph()
        >>> graph.finalize()
        >>> graph.finalized
        True
        """
        self.finalized = True

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """Returns the graph as a message that TensorFlow reads too.

        Args:
            from_version: It has no effect: graphs have no versions.
            add_shapes: A bool: whether the shape of each output is among the attributes.

        Returns:
            A message of the type GraphDef.

        >>> import graphwright as tf
        >>> f = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
        >>> [node.op for node in f.graph.as_graph_def().node]
        ['Placeholder', 'Const', 'AddV2', 'Identity']
        """
        return self._bodies.message(self, add_shapes)

    def get_operations(self) -> list[Any]:
        """All operations in the order in which they were traced.

        Where results wait for effects, the last one is the NoOp that they wait for.
        """
        return self._bodies.operations(self)

    def get_operation_by_name(self, name: str) -> Any:
        """Returns the operation of a name.

        Args:
            name: A string such as "add".

        Returns:
            A `tf.Operation`.

        Raises:
            KeyError: There is none.
            TypeError: `name` is no string.

        >>> import graphwright as tf
        >>> f = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
        >>> f.graph.get_operation_by_name("add")
        <tf.Operation 'add' type=AddV2>
        """
        return self._bodies.operation_by_name(self, name)

    def get_tensor_by_name(self, name: str) -> Any:
        """Returns the tensor of a name.

        Args:
            name: The name of an operation and the number of an output, such as "add:0".

        Returns:
            A symbolic `tf.Tensor`.

        Raises:
            KeyError: There is none.
            ValueError: `name` has not this form.
            TypeError: `name` is no string.

        >>> import graphwright as tf
        >>> f = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
        >>> f.graph.get_tensor_by_name("add:0").dtype
        tf.int32
        """
        return self._bodies.tensor_by_name(self, name)

    def as_graph_element(
        self, obj: object, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """Returns the operation or tensor that an object is or names.

        Args:
            obj: An operation, a tensor, or the name of one.
            allow_tensor: A bool: whether it may be a tensor.
            allow_operation: A bool: whether it may be an operation.

        Returns:
            A `tf.Operation` or a symbolic `tf.Tensor`.

        Raises:
            KeyError: There is none of this name.
            TypeError: `obj` is something else.
        """
        return self._bodies.element(self, obj, allow_tensor, allow_operation)

    # -- collections of programs of TensorFlow 1 --------------------------------------------

    def get_collection(self, name: Hashable, scope: str | None = None) -> list[Any]:
        """Returns what the graph lists under a name, such as "variables".

        Args:
            name: The name of the collection.
            scope: A regular expression: only items count whose names begin so. None takes all.

        Returns:
            A new list.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default() as graph:
        ...     v = tf.Variable(1.0, name="rate")
        >>> graph.get_collection("variables")
        [<tf.Variable 'rate:0' shape=() dtype=float32>]
        """
        items = list(self.collections.get(name, ()))
        if scope is None:
            return items
        pattern = re.compile(scope)
        return [item for item in items if hasattr(item, "name") and pattern.match(item.name)]

    def get_collection_ref(self, name: Hashable) -> list[Any]:
        """Returns the list itself that the graph has under a name.

        Args:
            name: The name of the collection.

        Returns:
            A list, which changes the collection when it is changed.
        """
        return self.collections.setdefault(name, [])

    def add_to_collection(self, name: Hashable, value: object) -> None:
        """Adds a value to what the graph lists under a name.

        Args:
            name: The name of the collection.
            value: Anything.
        """
        self.get_collection_ref(name).append(value)

    def add_to_collections(self, names: str | Iterable[Hashable], value: object) -> None:
        """Adds a value to what the graph lists under several names.

        Args:
            names: The name of one collection, or several names.
            value: Anything.

        >>> import graphwright as tf
        >>> graph = tf.Graph()
        >>> graph.add_to_collections(["a", "b"], 3)
        >>> graph.get_collection("b")
        [3]
        """
        for name in [names] if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def clear_collection(self, name: Hashable) -> None:
        """Empties what the graph lists under a name.

        Args:
            name: The name of the collection.

        >>> import graphwright as tf
        >>> graph = tf.Graph()
        >>> graph.add_to_collection("a", 3)
        >>> graph.clear_collection("a")
        >>> graph.get_collection("a")
        []
        """
        self.collections.pop(name, None)

    def get_all_collection_keys(self) -> list[Any]:
        """Returns the names of the collections that have items."""
        names = self.collections.items()
        return [name for name, items in names if isinstance(name, str) and items]

    def view(self) -> Any:
        """A view of the graph: text with source lines, in a notebook a drawing that folds."""
        return self._bodies.view(self)

    def to_dot(self) -> str:
        """Returns the graph in the language of Graphviz, with the graphs in it as clusters.

        >>> import graphwright as tf
        >>> f = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
        >>> f.graph.to_dot().startswith("digraph")
        True
        """
        return self._bodies.dot(self)

    # -- what programs of TensorFlow 1 ask -----------------------------------------------

    @property
    def version(self) -> int:
        """The number of its operations."""
        return len(self.nodes)

    @property
    def seed(self) -> int | None:
        """The seed of its random ops, or None."""
        return self._bodies.seed(self)

    @property
    def building_function(self) -> bool:
        """Whether it is the graph of a function, to which no block of a program adds."""
        return bool(self.nodes) and not self.is_plain

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns a name under the current scope that no operation has.

        Args:
            name: A string, which gets a number where it is taken.
            mark_as_used: A bool: whether it is taken from now on.

        Returns:
            A string.

        >>> import graphwright as tf
        >>> graph = tf.Graph()
        >>> graph.unique_name("a"), graph.unique_name("a"), graph.unique_name("b", False)
        ('a', 'a_1', 'b')
        """
        unique: str = (self.names if mark_as_used else self.names.copy()).unique(name)
        return unique

    def get_name_scope(self) -> str:
        """Returns the name scope that is open, without the last slash.

        Returns:
            A string; "" outside of all scopes.

        >>> import graphwright as tf
        >>> graph = tf.Graph()
        >>> with graph.name_scope("layer"):
        ...     graph.get_name_scope()
        'layer'
        """
        scope: str = self.names.scope
        return scope.removesuffix("/")

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Names the operations that the block adds to this graph `name/...`.

        Args:
            name: A string. One that ends in "/" is taken as it is; None and "" leave all scopes.

        Yields:
            The name of the scope, with a slash at its end.

        Raises:
            ValueError: `name` begins no name of operations.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default() as graph, graph.name_scope("layer"):
        ...     tf.constant(1).name
        'layer/Const:0'
        """
        if name and not self.names.scope and not _ROOT_SCOPE.match(name):
            raise ValueError(
                f"{name!r} is not a valid root scope name. A root scope name has to match the "
                f"following pattern: {_ROOT_SCOPE.pattern}"
            )
        names = self.names
        before = names.scope
        names.scope = f"{names.unique(name).removesuffix('/')}/" if name else ""
        try:
            yield names.scope
        finally:
            names.scope = before

    def control_dependencies(self, control_inputs: object) -> AbstractContextManager[None]:
        """Returns a block whose operations come after others: see `tf.control_dependencies`.

        Args:
            control_inputs: Tensors, operations and variables of this graph, or None, which leaves
                the blocks around.

        Returns:
            A context manager.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        ...     v = tf.Variable(1)
        ...     with graph.control_dependencies([v.assign(5)]):
        ...         after = tf.identity(2)
        ...     session.run(v.initializer)
        ...     session.run(after), session.run(v)
        (np.int32(2), np.int32(5))
        """
        return self._bodies.waiting(self, control_inputs)

    def device(self, device_name_or_function: object) -> AbstractContextManager[None]:
        """Returns a block whose operations are on a device, as `tf.device` does.

        Args:
            device_name_or_function: What `tf.device` takes: a string such as "/cpu:0", or None.

        Returns:
            A context manager.

        Raises:
            RuntimeError: It is a function.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default() as graph, graph.device("/cpu:0"):
        ...     tf.constant(1).device
        '/device:CPU:0'
        """
        return self._bodies.device(device_name_or_function)

    def colocate_with(
        self, op: object, ignore_existing: bool = False
    ) -> AbstractContextManager[None]:
        """Returns a block that changes nothing: all operations run on the same CPU.

        Args:
            op: An operation or a tensor.
            ignore_existing: It has no effect.

        Returns:
            A context manager.
        """
        return nullcontext()

    def container(self, container_name: str) -> AbstractContextManager[str]:
        """Returns a block that changes nothing: variables belong to sessions, not to containers.

        Args:
            container_name: A string.

        Returns:
            A context manager, whose value is the string.
        """
        return nullcontext(container_name)

    def prevent_feeding(self, tensor: TensorValue) -> None:
        """Lets sessions take no value for a tensor.

        Args:
            tensor: A tensor of the graph.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.constant(1)
        >>> graph.prevent_feeding(x)
        >>> graph.is_feedable(x)
        False
        """
        self.unfed.add(tensor.key)

    def is_feedable(self, tensor: TensorValue) -> bool:
        """Returns whether sessions take a value for a tensor.

        Args:
            tensor: A tensor of the graph.

        Returns:
            A bool.
        """
        return tensor.key not in self.unfed


#: What a scope begins with outside of others.
_ROOT_SCOPE = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
