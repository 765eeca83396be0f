"""Composite ops become simpler ones, which can share a loop."""

from __future__ import annotations

import numpy as np

from graphwright.compile.graph.passes import through
from graphwright.compile.graph.prune import prune
from graphwright.compile.run.mishaps import contained
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.ir.inference import takes
from graphwright.machine.exclusion import LLVM
from graphwright.op.expansion import is_composite
from graphwright.ops.core.casting import Cast
from graphwright.ops.core.creation import Const, Literal
from graphwright.ops.core.joining import Pack
from graphwright.ops.core.own_ops import PickIndex
from graphwright.ops.core.slicing import StridedSlice
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType


def decompose(graph: Graph) -> tuple[Graph, dict[Node, Node]]:
    """The graph with expansions in place of composite ops, and the original of each node."""
    origins = {n: n for n in graph.nodes}
    if not any(is_composite(n.op) or isinstance(n.op, StridedSlice) for n in graph.nodes):
        return graph, origins
    into = Graph(graph.name, graph.is_body)

    starts: list[tuple[int, Node]] = []  # how many nodes there were before each

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        starts.append((len(into.nodes), node))
        if isinstance(node.op, StridedSlice):
            rest = windows(node, inputs, into) if into.is_body else None
            if rest is None:
                return picked(node, inputs, into)
            return picked(rest, rest.inputs, into) or rest.outputs
        if not is_composite(node.op):
            return None
        with contained(graph.name, [node]):
            try:
                results = node.op.expand(*[SymbolicTensor(v, into) for v in inputs])
            except ValueError:
                if takes(node.op, inputs):
                    raise
                return None  # it never runs, and has no native form
        if results is None:
            return None
        if not isinstance(results, tuple):
            results = (results,)
        return tuple([r._value for r in results])

    with tracing(into):
        transform(graph, rewrite, into)
    ends = [start for start, _ in starts[1:]] + [len(into.nodes)]
    for (start, node), end in zip(starts, ends):
        origins.update(dict.fromkeys(into.nodes[start:end], node))
    return through(into, prune), origins


def windows(node: Node, inputs: tuple[Value, ...], into: Graph) -> Node | None:
    """What is left of a slice in a loop or a branch that takes windows; None if it takes none."""
    with LLVM:  # few programs slice there; a fork waits for the import
        from graphwright.compile.graph.slice_windows import with_windows

    return with_windows(node, inputs, into)


def picked(node: Node, inputs: tuple[Value, ...], into: Graph) -> tuple[Value, ...] | None:
    """x[i] with a checked place for i, where i is computed or the size of the axis is unknown.

    The indices are operands of the node that packs the vector, so no record could state this as
    its op's expansion.
    """
    op, begin, dims = node.op, inputs[1], inputs[0].type.dims
    assert isinstance(op, StridedSlice)
    if op.ellipsis_mask or dims is None:
        return None
    if isinstance(begin.node.op, Pack):
        entries = list(begin.node.inputs)
    elif isinstance(begin.node.op, Const):
        array = begin.node.op.value.array
        type_ = TensorType(begin.type.dtype, ())
        constants = [Const(Literal(np.asarray(number, array.dtype), type_)) for number in array]
        entries = [into.add(constant, (), (type_,)).outputs[0] for constant in constants]
    else:
        return None
    axis, changed = 0, False
    for i, entry in enumerate(entries):
        bit = 1 << i
        known = isinstance(entry.node.op, Const) and axis < len(dims) and dims[axis] is not None
        if op.shrink_axis_mask & bit and not known:
            place = TensorType(dt.int64, ())
            index = PickIndex.of(axis)
            entries[i] = into.add(index, (entry, inputs[0]), (place,)).outputs[0]
            changed = True
        axis += not op.new_axis_mask & bit
    if not changed:
        return None
    long = TensorType(dt.int64, ())
    entries = [
        v if v.type is long else into.add(Cast.of(dt.int64), (v,), (long,)).outputs[0]
        for v in entries
    ]
    packed = into.add(Pack.of(0), tuple(entries), (TensorType(dt.int64, (len(entries),)),))
    types = (node.outputs[0].type,)
    values = (inputs[0], packed.outputs[0], *inputs[2:])
    return into.add(op, values, types, node.name, node.location).outputs
