"""`tf.compat.v1.Session`: runs parts of graphs that blocks of a program, or messages, have made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.operation import Operation
from graphwright.op.interpreter import activate
from graphwright.op.op import Effect
from graphwright.op.refusal import complete, own_words
from graphwright.portable.graphs.wrapped_function import (
    Unfed,
    WrappedFunction,
    element_of,
    pruned_function,
    unfed_words,
)
from graphwright.trace.tracer import current_tracer
from graphwright.types import tree
from graphwright.types.arguments import TensorLike
from graphwright.types.composite import Composite
from graphwright.values.convert import constant
from graphwright.values.tensor import EagerTensor, Tensor


class Session:
    """Runs parts of a graph: nothing runs but what the fetches need.

    It is for graphs that messages bring in, and for those of ops without effects. A graph whose
    program changes variables is refused: `tf.function` is the way to write it.

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
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        if target:
            raise complete(ValueError(f"there is no server {target!r}: `target` must be empty"))
        tracer = current_tracer()
        if graph is None and (tracer is None or not tracer.graph.is_open):
            raise complete(RuntimeError(
                "a Session needs a graph: pass `graph=`, or make it in a block of "
                "`tf.Graph().as_default()`"
            ))  # fmt: skip
        self._graph: Graph = tracer.graph if graph is None and tracer is not None else graph  # type: ignore[assignment]
        self._functions: dict[Any, WrappedFunction] = {}
        self._is_closed = False

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

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
            run_metadata: It has no effect.

        Returns:
            The fetches in their structure: arrays, and None for operations.

        Raises:
            ValueError: The graph has no such tensor, or a value does not fit.
            InvalidArgumentError: A fetch needs a placeholder that is not given.
            NotImplementedError: The program of the graph changes variables.
            RuntimeError: The session is closed.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     x = tf.constant([3.0, 4.0])
        ...     session.run({"sum": tf.reduce_sum(x), "x": x})["sum"]
        np.float32(7.0)
        """
        if self._is_closed:
            raise RuntimeError("Attempted to use a closed Session.")
        feeds = [self._element("Feed", key) for key in feed_dict or {}]
        elements = tree.map_structure(lambda leaf: self._element("Fetch", leaf), fetches)
        arguments = [
            self._argument(tensor, value)
            for tensor, value in zip(feeds, (feed_dict or {}).values())
        ]
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
            ValueError: The graph has no such tensor, when it is called.

        >>> import graphwright as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     x = tf.compat.v1.placeholder(tf.int32, [])
        ...     successor = session.make_callable(x + 1, [x])
        >>> successor(4)
        np.int32(5)
        """
        keys = list(feed_list)

        def call(*values: TensorLike) -> Any:
            pairs = [(self._element("Feed", key), value) for key, value in zip(keys, values)]
            elements = tree.map_structure(lambda leaf: self._element("Fetch", leaf), fetches)
            arguments = [self._argument(tensor, value) for tensor, value in pairs]
            with activate(None):
                run = self._function([tensor for tensor, _ in pairs], elements)
                return tree.map_structure(value_of, run(arguments))

        return call

    def _element(self, role: str, what: Any) -> Any:
        """What a fetch or a feed names in the graph."""
        try:
            element = element_of(self._graph, what)
        except (KeyError, TypeError, ValueError) as error:
            words = error.args[0] if isinstance(error, KeyError) else own_words(error)
            raise complete(ValueError(
                f"{role} argument {what!r} cannot be interpreted as a Tensor. ({words})"
            )) from None  # fmt: skip
        if role == "Feed" and not isinstance(element, Tensor):
            raise complete(TypeError(f"Cannot interpret feed_dict key {what!r} as Tensor"))
        return element

    def _argument(self, tensor: Any, value: TensorLike) -> EagerTensor:
        """A value for a tensor."""
        with activate(None):
            array: EagerTensor = constant(value, tensor.dtype)
        if not tensor.shape.is_compatible_with(array.shape):
            raise complete(ValueError(
                f"Cannot feed value of shape {tuple(array.shape)} for Tensor {tensor.name}, which "
                f"has shape {tensor.shape}"
            ))  # fmt: skip
        return array

    def _function(self, feeds: list[Any], fetches: Any) -> Callable[[list[EagerTensor]], Any]:
        """What computes fetches of feeds."""
        leaves = tree.flatten(fetches, expand_composites=True)
        key = (*[t.key for t in feeds], None, *[getattr(t, "node", None) or t.key for t in leaves])
        function = self._functions.get(key)
        if function is None:
            refuse_changes(self._graph)
            try:
                function = pruned_function(self._graph, feeds, fetches, "session", None, [])
            except Unfed as error:
                raise complete(InvalidArgumentError(None, None, unfed_words(error.value))) from None
            self._functions[key] = function
        outputs = function
        return lambda arguments: tree.pack_sequence_as(
            fetches, results_of(leaves, outputs, arguments), expand_composites=True
        )

    def close(self) -> None:
        """Ends the session."""
        self._is_closed = True

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def results_of(leaves: list[Any], function: WrappedFunction, arguments: list[EagerTensor]) -> Any:
    """The tensors of a call for the leaves of fetches, and None for operations."""
    result = function.call_tensors(arguments)
    tensors = iter(tree.flatten(result, expand_composites=True))
    flat = [next(tensors) for _ in leaves]
    return [None if isinstance(leaf, Operation) else tensor for leaf, tensor in zip(leaves, flat)]


def value_of(result: Any) -> Any:
    """A result as NumPy has it."""
    if result is None or isinstance(result, Composite):
        return result
    array = result.numpy()
    return array if isinstance(array, (np.ndarray, np.generic, bytes)) else np.asarray(array)


def refuse_changes(graph: Graph) -> None:
    """Refuses a graph whose program changes variables: what that waits for is not known."""
    handles: set[Value] = {value for tensor, value in graph.captures if is_variable(tensor)}
    changing = [node for node in graph.nodes if changes(node, handles)]
    if changing:
        raise complete(NotImplementedError(
            f"the node {changing[0].name!r} ({changing[0].op.type_name}) changes a variable, which "
            "graphs of a Session may not do yet: use `tf.function`"
        ))  # fmt: skip


def is_variable(tensor: Any) -> bool:
    """Whether a captured tensor is the handle of a variable."""
    return getattr(tensor, "variable", None) is not None


def changes(node: Node, handles: set[Value]) -> bool:
    """Whether a node changes one of the variables behind handles."""
    return node.op.effect is Effect.WRITE and any(value in handles for value in node.inputs)
