"""Derivatives inside graphs, and of each element of a tensor: jacobians and hessians.

A row of a jacobian is a gradient weighted by a one-hot tensor. All rows are made at once, by the
rules of `control.vectorize`, or where the caller wants that in a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from graphwright.autodiff.composite_gradients import Source
from graphwright.autodiff.sweep import dense_cotangent, is_differentiable, reachable
from graphwright.autodiff.tape import UnconnectedGradients, gradients_of, handle_of, like
from graphwright.control.loop import while_loop
from graphwright.control.tensor_array import TensorArray
from graphwright.control.vectorize import in_graph, row_count, vectorized
from graphwright.ir.graph import Graph, Node, Value, subgraphs_of
from graphwright.op.batching import NotVectorized
from graphwright.op.op import Call
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.indicators import one_hot
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape, transpose
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.linalg.matrices import eye
from graphwright.ops.math.reduction import reduce_prod
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import Tracer, current_tracer
from graphwright.types import tree
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.dtypes import DType
from graphwright.values.convert import convert
from graphwright.values.tensor import EagerTensor, Tensor
from graphwright.values.variable import Variable


def jacobians(
    calls: Sequence[Call],
    target: Source,
    sources: Sequence[Source],
    wanted: set[Hashable],
    zero: bool,
    batch: bool,
    at_once: bool = True,
    values: Sequence[Source] | None = None,
) -> list[Any]:
    """The derivatives of each element of `target`; with `batch`, the first axis is common.

    `wanted` are the keys of what depends on the sources. `at_once`, the gradient is traced once and
    works on all rows; otherwise a loop makes them. `values` have the shapes and dtypes of sources,
    where those are handles of a graph.
    """
    common = 1 if batch else 0
    shape = shape_of(target)
    known = [s if handle_of(s).key in wanted else None for s in sources]
    values = sources if values is None else values
    count = reduce_prod(shape[common:])

    def row(weight: TensorValue) -> list[Any]:
        weights = [reshape(weight, shape[common:]) + like(target, 0)]
        slopes = gradients_of(calls, [target], known, weights, wanted=wanted)
        return [None if g is None else dense_cotangent(g) for g in slopes]

    stacked = each(row, count, target.dtype, [v.dtype for v in values], at_once)
    results: list[Any] = []
    for source, rows in zip(values, stacked):
        whole = concat([shape, shape_of(source)[common:]], 0)
        if rows is not None:
            if batch:
                rank: Any = source.type.rank
                rows = transpose(rows, [1, 0, *range(2, rank + 1)])
            rows = reshape(rows, whole)
        elif zero:
            rows = zeros(whole, target.dtype if batch else source.dtype)
        results.append(rows)
    return results


def each(
    row: Callable[[TensorValue], Sequence[TensorValue | None]],
    count: int | TensorValue,
    dtype: DType,
    dtypes: Sequence[DType],
    at_once: bool,
) -> list[Any]:
    """The results of `row` for each row of a unit matrix, stacked; None stays None.

    Lists that rows would change in different ways are changed row by row.
    """
    if at_once:
        weights = eye(count, dtype=dtype)

        def rows(weights: TensorValue) -> Any:
            return vectorized(row, [weights], (weights,), row_count([weights]))

        try:
            return list(in_graph(rows, "jacobian", [weights], (weights,)))
        except NotVectorized as refusal:
            if not refusal.has_lists:
                raise ValueError(str(refusal)) from refusal.__cause__
    missing = [False] * len(dtypes)

    def step(i: TensorValue, arrays: Sequence[TensorArray]) -> Any:
        written = []
        for place, (array, value) in enumerate(zip(arrays, row(one_hot(i, count, dtype=dtype)))):
            missing[place] = value is None
            written.append(array if value is None else array.write(i, value))
        return i + 1, tuple(written)

    arrays = tuple([TensorArray(dtype, count) for dtype in dtypes])
    _, filled = while_loop(lambda i, _: i < count, step, (convert(0), arrays))
    return [None if gone else array.stack() for gone, array in zip(missing, filled)]


# -- derivatives of tensors of the graph that is being traced -----------------------------------


def graph_calls(tracer: Tracer, sources: Sequence[Tensor]) -> list[Call]:
    """The differentiable ops of the graph that is being traced. Those that hold graphs and depend
    on the sources get the forms that gradients need."""
    graph = tracer.graph
    nodes = [n for n in graph.nodes if is_differentiable(n.op)]
    calls = [call_of_node(graph, n) for n in nodes]
    dependent = reachable(calls, sources)
    for call, node in zip(calls, nodes):
        op = call.op.taped(call.inputs) if dependent.intersection(node.outputs) else call.op
        if op is not call.op:
            types = op.infer([v.type for v in node.inputs])[len(node.outputs) :]
            first = len(node.outputs)
            node.op = op
            node.outputs += tuple([Value(node, first + i, t) for i, t in enumerate(types)])
    return [call_of_node(graph, n) for n in nodes]


def call_of_node(graph: Graph, node: Node) -> Call:
    """A node as the sweep sees it."""
    return Call(
        node.op,
        tuple([SymbolicTensor(v, graph) for v in node.inputs]),
        tuple([SymbolicTensor(v, graph) for v in node.outputs]),
    )


def traced(what: str) -> Tracer:
    """The active tracer; RuntimeError where ops run eagerly."""
    tracer = current_tracer()
    if tracer is None:
        raise RuntimeError(
            f"{what} is not supported when eager execution is enabled. Use tf.GradientTape instead."
        )
    return tracer


def here(tracer: Tracer, value: TensorLike) -> SymbolicTensor:
    """The tensor of the traced graph that stands for a tensor or variable."""
    tensor = value.handle if isinstance(value, Variable) else convert(value)
    return SymbolicTensor(tracer.value_of(tensor), tracer.graph)


def gradients(
    ys: object,
    xs: object,
    grad_ys: object = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: object = None,
    stop_gradients: object = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Tensor]:
    """Differentiates the sum of tensors with respect to others, inside a `tf.function`.

    Args:
        ys: A tensor or a list of tensors: what is differentiated.
        xs: A tensor or a list of tensors or variables: with respect to what.
        grad_ys: Weights of `ys`: tensors of their shapes, or None for ones.
        name: Accepted for TensorFlow's signature and not used.
        gate_gradients: Accepted for TensorFlow's signature and not used.
        aggregation_method: Accepted for TensorFlow's signature and not used.
        stop_gradients: Tensors that are taken as constants, or None.
        unconnected_gradients: What an x gets on which no y depends: `tf.UnconnectedGradients.NONE`
            (None) or `ZERO` (zeros).

    Returns:
        A list with a tensor of the shape of each x.

    Raises:
        RuntimeError: No function is being traced.

    >>> import graphwright as tf
    >>> @tf.function
    ... def slope(x):
    ...     return tf.gradients(x * x, x)[0]
    >>> slope(tf.constant(3.0))
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """
    tracer = traced("tf.gradients")
    targets = [here(tracer, y) for y in tree.flatten(ys)]
    wanted = tree.flatten(xs)
    weights = [None] * len(targets)
    if grad_ys is not None:
        weights = [None if g is None else convert(g) for g in tree.flatten(grad_ys)]
    stopped = frozenset(here(tracer, s).key for s in tree.flatten(stop_gradients) if s is not None)
    sources = [here(tracer, x) for x in wanted]
    slopes = gradients_of(graph_calls(tracer, sources), targets, sources, weights, stopped)
    for x, slope in zip(wanted, slopes):
        if slope is None and isinstance(x, EagerTensor):
            refuse_folded(x, targets)
    if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO:
        return [like(x, 0) if g is None else g for x, g in zip(wanted, slopes)]
    return slopes


def refuse_folded(x: EagerTensor, targets: Sequence[SymbolicTensor]) -> None:
    """Raises ValueError where a call on which targets depend has a tensor as its own constant."""
    nodes = [t._value.node for t in targets]
    seen = set(nodes)
    for node in nodes:
        for value in node.inputs:
            if value.node not in seen:
                seen.add(value.node)
                nodes.append(value.node)
        if any(id(x) in graph.folded for graph in subgraphs_of(node.op)):
            raise ValueError(
                f"tf.gradients cannot tell how a call of another function depends on {x!r}: it is "
                "a constant in there. Make it an argument of that function, or a tf.Variable."
            )


def hessians(
    ys: object,
    xs: object,
    gate_gradients: bool = False,
    aggregation_method: object = None,
    name: str = "hessians",
) -> list[Tensor]:
    """Computes second derivatives of the sum of tensors, inside a `tf.function`.

    Args:
        ys: A tensor or a list of tensors: what is differentiated.
        xs: A tensor or a list of tensors or variables: with respect to what.
        gate_gradients: Accepted for TensorFlow's signature and not used.
        aggregation_method: Accepted for TensorFlow's signature and not used.
        name: Accepted for TensorFlow's signature and not used.

    Returns:
        A list with a tensor of shape [d..., d...] for each x of shape [d...].

    Raises:
        RuntimeError: No function is being traced.

    >>> import graphwright as tf
    >>> @tf.function
    ... def curvature(x):
    ...     return tf.hessians(tf.reduce_sum(x**3), x)[0]
    >>> curvature(tf.constant([1.0, 2.0])).numpy().tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    tracer = traced("tf.hessians")
    results: list[Any] = []
    for x in tree.flatten(xs):
        (gradient,) = gradients(ys, x, unconnected_gradients=UnconnectedGradients.ZERO)
        slope, source = convert(gradient), here(tracer, x)
        calls = graph_calls(tracer, [source])
        wanted = reachable(calls, [source])
        results += jacobians(calls, slope, [source], wanted, True, False, values=[convert(x)])
    return results
