"""The stages of a graph's compilation as text, and its nodes outside machine code."""

from __future__ import annotations

from collections.abc import Callable

from graphwright.base.logs import get_logger
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.select.coverage import in_the_way
from graphwright.compile.select.native_op import Native
from graphwright.compile.select.segments import partition
from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node
from graphwright.ir.text import PortableText, print_graph
from graphwright.machine.codegen import assembly
from graphwright.machine.exclusion import LLVM
from graphwright.op.op import Effect
from graphwright.ops.core.creation import Const, Placeholder


def outside(graph: Graph) -> list[tuple[Node, str]]:
    """The nodes of a graph that run as host calls, each with the reason."""
    reasons: dict[Node, NotNative] = {}
    return host_calls(partition(simplify(graph), reasons), reasons)


def host_calls(parts: Graph, reasons: dict[Node, NotNative]) -> list[tuple[Node, str]]:
    """The host calls of a partitioned graph; `reasons` are those of a lowering."""
    names = {node.name: str(reason) for node, reason in reasons.items()}
    return [
        (node, names.get(node.name) or why(node))
        for node in parts.nodes
        if not isinstance(node.op, (Native, Const, Placeholder))
    ]


def why(node: Node) -> str:
    """The reason why a node is no candidate for machine code."""
    op = node.op
    if op.effect is not Effect.NONE:
        return "it reads or changes state"
    unknown = [v.name for v in (*node.inputs, *node.outputs) if v.type.dims is None]
    if unknown:
        return f"{unknown[0]} has no known rank"
    empty = [v.name for v in (*node.inputs, *node.outputs) if 0 in (v.type.dims or ())]
    if empty and not op.expands_empty:
        return f"{empty[0]} has no elements"
    if isinstance(op, (StatelessWhile, StatelessIf)):
        inner = next(in_the_way(op), None)
        if inner is not None:
            place = "" if inner.location is None else f" ({inner.location})"
            return f"in it, {inner.op.type_name}{place}: {why(inner)}"
    return f"{op.type_name} has no native form here"


def report_outside(parts: Graph, reasons: dict[Node, NotNative]) -> None:
    """Logs in one line the nodes that a function compiled on demand runs outside machine code."""
    calls = [(n, r) for n, r in host_calls(parts, reasons) if n.op.effect is Effect.NONE]
    if calls:
        listed = "; ".join(
            f"{node.op.type_name}{'' if node.location is None else f' ({node.location})'}: {reason}"
            for node, reason in calls[:3]
        )
        more = f" and {len(calls) - 3} more" if len(calls) > 3 else ""
        get_logger().info(
            "%s runs %d ops as calls of kernels: %s%s", parts.name, len(calls), listed, more
        )


def segments(graph: Graph) -> list[Native]:
    """The compiled segments of a graph."""
    return [n.op for n in partition(simplify(graph)).nodes if isinstance(n.op, Native)]


def joined(graph: Graph, show: Callable[[Native], str]) -> str:
    """The texts of all segments, one after the other."""
    parts = [f"; segment {i}\n{show(op)}" for i, op in enumerate(segments(graph))]
    return "\n\n".join(parts) or "; nothing of it has a native form"


def llvm_of(op: Native) -> str:
    """The LLVM text of a segment."""
    with LLVM:  # a fork waits for the import
        from graphwright.compile.llvm.render import render

    return render(op.lowered[0])[0]


#: The stages of compilation, as `experimental_get_compiler_ir` names them.
STAGES: dict[str, Callable[[Graph], str]] = {
    "graph": lambda graph: print_graph(simplify(graph)),
    "segments": lambda graph: print_graph(partition(simplify(graph))),
    "nests": lambda graph: joined(graph, lambda op: str(op.lowered[0])),
    "llvm": lambda graph: joined(graph, llvm_of),
    "assembly": lambda graph: joined(graph, lambda op: assembly(llvm_of(op))),
    "stablehlo": lambda graph: PortableText.stablehlo(graph),
}


def compiler_ir(graph: Graph, stage: str) -> str:
    """The text of a graph at a stage of compilation; ValueError for an unknown stage."""
    show = STAGES.get(stage)
    if show is None:
        raise ValueError(f"Unknown stage: {stage!r}. Must be one of {', '.join(STAGES)}.")
    return show(graph)
