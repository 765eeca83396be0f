"""Frozen graphs: constants in place of variables, as programs deploy them."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.compile.graph.inline import inlined
from graphwright.compile.graph.simplify import simplify
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.structure import Outputs
from graphwright.ir.graph import Graph
from graphwright.op.refusal import complete
from graphwright.ops.core.identity import IDENTITY
from graphwright.portable.frozen_graph import frozen, without_unused
from graphwright.portable.graphs.graph_import import as_graph_def, import_graph_def
from graphwright.portable.graphs.session import Session
from graphwright.portable.graphs.wrapped_function import (
    Pruned,
    WrappedFunction,
    element_of,
    type_of,
)
from graphwright.proto.graph_pb2 import GraphDef
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing


def convert_variables_to_constants(
    sess: Session,
    input_graph_def: object,
    output_node_names: Sequence[str],
    variable_names_whitelist: Sequence[str] | None = None,
    variable_names_blacklist: Sequence[str] | None = None,
) -> GraphDef:
    """Returns the part of a graph that outputs need, with the values of a session as constants.

    Args:
        sess: A `tf.compat.v1.Session`, which has values for the variables.
        input_graph_def: The graph as a message, as `session.graph.as_graph_def()` gives it.
        output_node_names: The names of the operations whose outputs are wanted.
        variable_names_whitelist: It must be None: all variables become constants.
        variable_names_blacklist: It must be None.

    Returns:
        A message of the type GraphDef.

    Raises:
        ValueError: The graph has no operation of a name.
        FailedPreconditionError: A variable has no value.
        NotImplementedError: An argument that must be None is not.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [], name="x")
    ...     y = tf.multiply(x, tf.Variable(2.0, name="slope"), name="y")
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     message = tf.compat.v1.graph_util.convert_variables_to_constants(
    ...         session, graph.as_graph_def(), ["y"])
    >>> [(node.name, node.op) for node in message.node if node.op != "Identity"]
    [('x', 'Placeholder'), ('slope', 'Const'), ('y', 'Mul')]
    """
    if variable_names_whitelist is not None or variable_names_blacklist is not None:
        raise complete(NotImplementedError(
            "`variable_names_whitelist` and `variable_names_blacklist` are not there: leave them "
            "out, and all variables become constants"
        ))  # fmt: skip
    home = Graph("frozen")
    with home.as_default():
        import_graph_def(extract_sub_graph(input_graph_def, output_node_names), name="")
    message: GraphDef = frozen_part(home, output_node_names, sess).as_graph_def()
    return message


def frozen_part(home: Graph, names: Sequence[str], session: Session) -> Graph:
    """The part of a graph that operations need, with constants in place of variables."""
    try:
        fetches = [element_of(home, name) for name in names]
    except KeyError as error:
        raise complete(ValueError(f"{error.args[0]} to keep")) from None
    part = Pruned(home, home.name, [])
    part.takes_others = True
    for fetch in fetches:
        part.result(fetch)
    part.fill()
    outputs = {name: fetch.node.outputs for name, fetch in zip(names, fetches)}
    part.graph.results = [part.new[value] for values in outputs.values() for value in values]
    captures = part.graph.captures
    part.graph.captures = [(session._handle_of(tensor), value) for tensor, value in captures]
    made = frozen(part.graph)
    if made.captures:  # branches and loops still pass on what they do not need
        made = settled(made, "the graph")
    results = iter(made.results)
    for name, values in outputs.items():
        value, *_ = [next(results) for _ in values]
        if value.node.name != name:
            made.add(IDENTITY, (value,), (value.type,), name)
    made.is_plain = True
    return made


def settled(graph: Graph, what: str) -> Graph:
    """A graph without captures that nothing needs.

    Raises:
        NotImplementedError: It needs some, since it changes variables.
    """
    graph = without_unused(simplify(inlined(graph)))
    if graph.captures:
        left = {value for _, value in graph.captures}
        users = {node.op.type_name for node in graph.nodes if left.intersection(node.inputs)}
        raise complete(NotImplementedError(
            f"{what} cannot be frozen: {', '.join(sorted(users))} needs variables themselves"
        ))  # fmt: skip
    return graph


def extract_sub_graph(graph_def: object, dest_nodes: Sequence[str]) -> GraphDef:
    """Returns the nodes of a message that some of them need.

    Args:
        graph_def: A message of the type GraphDef.
        dest_nodes: The names of these nodes.

    Returns:
        A message of the type GraphDef.

    Raises:
        TypeError: `dest_nodes` is a string.
        ValueError: There is no node of a name.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default() as graph:
    ...     y = tf.negative(tf.constant(1.0, name="x"), name="y")
    ...     z = tf.negative(y, name="z")
    >>> part = tf.compat.v1.graph_util.extract_sub_graph(graph.as_graph_def(), ["y"])
    >>> [node.name for node in part.node]
    ['x', 'y']
    """
    message = as_graph_def(graph_def)
    if isinstance(dest_nodes, str):
        raise TypeError("Argument `dest_nodes` must be a list of names, not a string.")
    by_name = {node.name: node for node in message.node}
    waiting, needed = list(dest_nodes), set()
    while waiting:
        name = waiting.pop().lstrip("^").partition(":")[0]
        if name not in by_name:
            raise complete(ValueError(f"{name} is not in graph"))
        if name not in needed:
            needed.add(name)
            waiting += by_name[name].input
    part = GraphDef(versions=message.versions, library=message.library)
    part.node.extend(node for node in message.node if node.name in needed)
    return part


def convert_variables_to_constants_v2(
    func: ConcreteFunction, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> WrappedFunction:
    """Returns a function with constants in place of variables, without calls of other functions.

    Args:
        func: A concrete function.
        lower_control_flow: It has no effect: branches and loops stay ops.
        aggressive_inlining: It has no effect.

    Returns:
        A function of the same tensors, which returns a list of tensors.

    Raises:
        NotImplementedError: The function changes variables, or uses tables.
    """
    name = func.name.decode()
    whole = settled(frozen(inlined(simplify(func.graph))), name)
    with tracing(whole) as tracer:
        results = [SymbolicTensor(value, whole) for value in whole.results]
        outputs = Outputs(results, convert_variables_to_constants_v2)
        whole.results = outputs.results(tracer)
    return WrappedFunction(f"{name}_frozen", type_of(whole, None), whole, outputs, [])
