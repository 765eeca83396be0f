"""`tf.compat.v1.Session`: runs parts of graphs that blocks of a program, or messages, have made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.control.graph_variable import GraphVariable, cell_of
from graphwright.ir.default_session import SESSIONS
from graphwright.ir.graph import Graph
from graphwright.ir.operation import Operation
from graphwright.library.config.devices import LogicalDevice, list_logical_devices
from graphwright.op.interpreter import activate
from graphwright.op.refusal import complete, own_words
from graphwright.ops.state.variable_ops import HANDLE, Storage
from graphwright.portable.graphs.wrapped_function import (
    Unfed,
    WrappedFunction,
    element_of,
    pruned_function,
    unfed_words,
)
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType
from graphwright.values.convert import constant
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.sparse.sparse_tensor import SparseTensor
from graphwright.values.tensor import EagerTensor, Tensor, box
from graphwright.values.variable import Variable


class Session:
    """Runs parts of a graph: nothing runs but what the fetches need.

    Variables that were made in the graph have values of their own in each session: none before
    their initializers have run. Of two ops that wait for each other by nothing, the one that was
    made first runs first. In a `with` block the session is the default one, and its graph is open.

    Args:
        target: It must be empty.
        graph: A `tf.Graph`; None takes the one whose block is open.
        config: It has no effect.

    Raises:
        ValueError: `target` names a server.
        RuntimeError: `graph` is None, and no block of `tf.Graph.as_default` is open.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
    ...     y = tf.identity(x * 2.0, name="y")
    >>> with tf.compat.v1.Session(graph=graph) as session:
    ...     session.run("y:0", {"x:0": [1.0, 2.0]})
    array([2., 4.], dtype=float32)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     total = tf.Variable(10.0)
    ...     add = total.assign_add(2.0)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(add), session.run(add)
    (np.float32(12.0), np.float32(14.0))
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        check_target(target)
        tracer = current_tracer()
        if graph is None and (tracer is None or not tracer.graph.is_open):
            raise complete(RuntimeError(
                "a Session needs a graph: pass `graph=`, or make it in a block of "
                "`tf.Graph().as_default()`"
            ))  # fmt: skip
        self._graph: Graph = tracer.graph if graph is None and tracer is not None else graph  # type: ignore[assignment]
        self._functions: dict[Any, WrappedFunction] = {}
        #: The handles of this session's variables, by their names.
        self._variables: dict[str, EagerTensor] = {}
        self._blocks: list[ExitStack] = []
        self._is_closed = False

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a `GraphDef`.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     one = tf.constant(1, name="one")
        >>> [node.name for node in session.graph_def.node]
        ['one']
        """
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> bytes:
        """The server that runs the session: none."""
        return b""

    def list_devices(self) -> list[LogicalDevice]:
        """Returns the devices that it can use.

        Returns:
            A list of `tf.config.LogicalDevice`, with names and types.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     [(device.name, device.device_type) for device in session.list_devices()]
        [('/job:localhost/replica:0/task:0/device:CPU:0', 'CPU')]
        """
        start = "/job:localhost/replica:0/task:0"
        return [
            LogicalDevice(f"{start}{device.name}", device.device_type)
            for device in list_logical_devices()
        ]

    @staticmethod
    def reset(target: str, containers: object = None, config: object = None) -> None:
        """Does nothing: variables belong to sessions, and no server keeps them.

        Args:
            target: It must be empty.
            containers: It has no effect.
            config: It has no effect.

        Raises:
            ValueError: `target` names a server.

        >>> import graphwright as tf
        >>> tf.compat.v1.Session.reset("")
        """
        check_target(target)

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, TensorLike] | None = None,
        options: object = None,
        run_metadata: object = None,
    ) -> Any:
        """Computes fetches, of values that are given.

        Args:
            fetches: A structure of tensors, operations and names such as "y:0" and "y".
            feed_dict: A dict from tensors, or their names, to values.
            options: It has no effect.
            run_metadata: It stays as it is: `tf.profiler` says what runs cost.

        Returns:
            The fetches in their structure: arrays, and None for operations.

        Raises:
            ValueError: The graph has no such tensor, or a value does not fit.
            TypeError: A fetch is None or another value that names nothing.
            InvalidArgumentError: A fetch needs a placeholder that is not given.
            FailedPreconditionError: A variable has no value yet.
            RuntimeError: The session is closed.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     x = tf.constant([3.0, 4.0])
        ...     session.run({"sum": tf.reduce_sum(x), "x": x})["sum"]
        np.float32(7.0)
        """
        if self._is_closed:
            raise RuntimeError("Attempted to use a closed Session.")
        pairs = [pair for item in (feed_dict or {}).items() for pair in parts_of(*item)]
        feeds = [self._fed(key) for key, _ in pairs]
        elements = self._elements(fetches)
        arguments = [self._argument(tensor, value) for tensor, (_, value) in zip(feeds, pairs)]
        with activate(None):
            return tree.map_structure(value_of, self._function(feeds, elements)(arguments))

    def make_callable(self, fetches: Any, feed_list: Sequence[Any] = ()) -> Callable[..., Any]:
        """Returns a function that runs fetches.

        Args:
            fetches: As those of `run`.
            feed_list: A list of tensors, or their names, for which it takes values in this order.

        Returns:
            A function of as many arguments as `feed_list` has items.

        Raises:
            ValueError: The graph has no such tensor.
            TypeError: A fetch is None or another value that names nothing.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     x = tf.compat.v1.placeholder(tf.int32, [])
        ...     successor = session.make_callable(x + 1, [x])
        >>> successor(4)
        np.int32(5)
        """
        keys = list(feed_list)
        elements = self._elements(fetches)

        def call(*values: TensorLike) -> Any:
            pairs = [(self._fed(key), value) for key, value in zip(keys, values)]
            arguments = [self._argument(tensor, value) for tensor, value in pairs]
            with activate(None):
                run = self._function([tensor for tensor, _ in pairs], elements)
                return tree.map_structure(value_of, run(arguments))

        return call

    def _elements(self, fetches: Any) -> Any:
        """What fetches name in the graph, in their structure."""

        def element(leaf: object) -> Any:
            words = type_refusal(leaf)
            if words:
                raise complete(TypeError(f"Argument `fetch` = {leaf} has invalid type {words}"))
            return self._element("Fetch", leaf)

        return tree.map_structure(element, fetches)

    def _fed(self, key: Any) -> Any:
        """The tensor of a feed; ValueError where the graph takes no value for it."""
        tensor = self._element("Feed", key)
        if not self._graph.is_feedable(tensor):
            raise complete(ValueError(f"Tensor {tensor.name} may not be fed."))
        return tensor

    def _element(self, role: str, what: Any) -> Any:
        """What a fetch or a feed names in the graph."""
        try:
            element = element_of(self._graph, what)
        except (KeyError, TypeError, ValueError) as error:
            words = error.args[0] if isinstance(error, KeyError) else own_words(error)
            if role == "Feed":
                text = f"Cannot interpret feed_dict key as Tensor: {words}"
                raise complete(TypeError(text)) from None
            raise complete(ValueError(
                f"Argument `fetch` = {what!r} cannot be interpreted as a Tensor. ({words})"
            )) from None  # fmt: skip
        if role == "Feed" and not isinstance(element, Tensor):
            raise complete(TypeError(f"Cannot interpret feed_dict key {what!r} as Tensor"))
        variable = getattr(element, "variable", None)
        return variable.snapshot if isinstance(variable, GraphVariable) else element

    def _handle_of(self, tensor: object) -> Any:
        """The handle of this session's variable, for that of one of the graph; else the tensor."""
        cell = cell_of(tensor)
        if cell is None:
            return tensor
        if cell.name not in self._variables:
            storage = Storage(None, cell.value_dtype, cell.dims, cell.name)
            self._variables[cell.name] = box(storage, HANDLE)
        return self._variables[cell.name]

    def _argument(self, tensor: Any, value: TensorLike) -> EagerTensor:
        """A value for a tensor."""
        with activate(None):
            array: Any = constant(as_fed(value, tensor.dtype), tensor.dtype)
        if not tensor.shape.is_compatible_with(array.shape):
            raise complete(ValueError(
                f"Cannot feed value of shape {tuple(array.shape)} for Tensor {tensor.name}, which "
                f"has shape {tensor.shape}"
            ))  # fmt: skip
        result: EagerTensor = array
        return result

    def _function(self, feeds: list[Any], fetches: Any) -> Callable[[list[EagerTensor]], Any]:
        """What computes fetches of feeds."""
        leaves = tree.flatten(fetches, expand_composites=True)
        key = (*[t.key for t in feeds], None, *[getattr(t, "node", None) or t.key for t in leaves])
        function = self._functions.get(key)
        if function is None:
            try:
                function = pruned_function(self._graph, feeds, fetches, "session", None, [])
            except Unfed as error:
                raise complete(InvalidArgumentError(None, None, unfed_words(error.value))) from None
            captures = function.graph.captures
            function.graph.captures = [(self._handle_of(t), value) for t, value in captures]
            self._functions[key] = function
        outputs = function
        return lambda arguments: tree.pack_sequence_as(
            fetches, results_of(leaves, outputs, arguments), expand_composites=True
        )

    @contextmanager
    def as_default(self) -> Iterator[Session]:
        """Opens a block in which this is the session of `Tensor.eval` and `Operation.run`.

        Yields:
            The session.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.constant(3.0)
        >>> with tf.compat.v1.Session(graph=graph).as_default():
        ...     x.eval()
        np.float32(3.0)
        """
        before = SESSIONS.get()
        SESSIONS.set((*before, self))
        try:
            yield self
        finally:
            SESSIONS.set(before)

    def close(self) -> None:
        """Ends the session, and forgets the values of its variables."""
        self._is_closed = True
        self._functions.clear()
        self._variables.clear()

    def __enter__(self) -> Session:
        block = ExitStack()
        block.enter_context(self._graph.as_default())
        block.enter_context(self.as_default())
        self._blocks.append(block)
        return self

    def __exit__(self, *error: object) -> None:
        self._blocks.pop().close()
        self.close()


def check_target(target: str) -> None:
    """ValueError if a server is to run sessions."""
    if target:
        raise complete(ValueError(f"there is no server {target!r}: `target` must be empty"))


class SparseTensorValue(NamedTuple):
    """A sparse tensor in arrays, as sessions take and give it.

    Args:
        indices: An array of int64 of shape [n, rank]: the places of elements.
        values: An array of shape [n].
        dense_shape: An array of int64 of shape [rank].

    >>> import graphwright as tf
    >>> tf.compat.v1.SparseTensorValue([[0, 1]], [5.0], [1, 2]).values
    [5.0]
    """

    indices: Any
    values: Any
    dense_shape: Any


class IndexedSlicesValue(NamedTuple):
    """Rows of a tensor in arrays, as sessions give them."""

    values: Any
    indices: Any
    dense_shape: Any


def type_refusal(fetch: object) -> str:
    """What is wrong with the type of a fetch; empty where values of it can be in graphs."""
    if isinstance(fetch, (str, Tensor, Operation, Composite, Variable)):
        return ""
    title = type(fetch).__name__
    if fetch is None:
        return f'"{title}". Cannot be None'
    words = f"Can not convert a {title} into a Tensor or Operation."
    return f'"{title}" must be a string or Tensor. ({words})'


def as_fed(value: Any, dtype: DType) -> Any:
    """A value as NumPy casts it: a feed of numbers may have any dtype.

    Raises:
        TypeError: It is one int that the dtype has not.
    """
    if isinstance(value, Tensor) or not dtype.is_numpy_compatible or dtype is dt.string:
        return value
    kind = dtype.numpy_dtype.type
    if isinstance(value, int) and not is_same(kind, value):
        raise complete(TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor "
            f"type {kind}. Try explicitly setting the type of the feed tensor to a larger type "
            "(e.g. int64)."
        ))  # fmt: skip
    return np.asarray(value, dtype.numpy_dtype)


def is_same(kind: type[np.generic], value: int) -> bool:
    """Whether a type of numbers has an int."""
    try:
        return bool(kind(value) == value)
    except OverflowError:
        return False


def parts_of(key: object, value: Any) -> list[tuple[Any, Any]]:
    """A feed as pairs of a tensor and its value: a sparse tensor has three."""
    if not isinstance(key, SparseTensor):
        return [(key, value)]
    if isinstance(value, SparseTensor):
        value = (value.indices, value.values, value.dense_shape)
    return list(zip((key.indices, key.values, key.dense_shape), value))


def results_of(leaves: list[Any], function: WrappedFunction, arguments: list[EagerTensor]) -> Any:
    """The tensors of a call for the leaves of fetches, and None for operations."""
    result = function.call_tensors(arguments)
    tensors = iter(tree.flatten(result, expand_composites=True))
    flat = [next(tensors) for _ in leaves]
    return [None if isinstance(leaf, Operation) else tensor for leaf, tensor in zip(leaves, flat)]


def value_of(result: Any) -> Any:
    """A result as NumPy has it."""
    if isinstance(result, SparseTensor):
        parts = [value_of(part) for part in (result.indices, result.values, result.dense_shape)]
        return SparseTensorValue(*parts)
    if isinstance(result, IndexedSlices):
        shape = None if result.dense_shape is None else value_of(result.dense_shape)
        return IndexedSlicesValue(value_of(result.values), value_of(result.indices), shape)
    if result is None or isinstance(result, Composite):
        return result
    array = result.numpy()
    return array if isinstance(array, (np.ndarray, np.generic, bytes)) else np.asarray(array)
