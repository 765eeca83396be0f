"""What kernels refuse, as errors of the nodes whose kernels they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType, TracebackType
from typing import Any

from graphwright.base.errors import OpError
from graphwright.compile.run.generated_text import PREFIX
from graphwright.ir.graph import Node
from graphwright.op.op import Op
from graphwright.op.refusal import complete, show_call
from graphwright.types.dtypes import DType
from graphwright.values.eager import REFUSALS, refusal
from graphwright.values.tensor import wrap

#: A node, and its operands, or None where they are gone.
At = tuple[Node, "Sequence[Any] | None"]

#: What tells from the local variables of code that runs graphs in steps at which node it is.
STEPPING: dict[CodeType, Callable[[dict[str, Any]], At]] = {}


def bound(node: Node, op: Op, types: Sequence[DType]) -> Callable[..., Any]:
    """The kernel of a node's op for operands of these dtypes: one for all places of an op, unless
    each has a stream of its own."""
    key, known = tuple(types), op.__dict__["_bound"]
    kernel: Callable[..., Any] | None = known.get(key)
    if kernel is None:
        try:
            kernel = op.bind_checked(types)
        except REFUSALS as error:
            raise refused(node, None, error) from error
        if not op.has_stream:
            known[key] = kernel
    return kernel


def explain(error: Exception) -> Exception:
    """A kernel's error with the op, its operands and the user's line that made it."""
    found = failed(error)
    if found is None:
        return error
    return refused(*found, error)


def refused(node: Node, operands: Sequence[Any] | None, error: Exception) -> Exception:
    """A node's error: with its op, its operands, or only their types, and the user's line."""
    op = node.op.stated_as
    own = len(node.inputs) if op is node.op else len(op.operands)
    operands = None if operands is None else tuple(operands[:own])
    explained = refusal(op, operands, error)
    if not isinstance(explained, OpError):
        return explained
    shown = [v.type for v in node.inputs[:own]] if operands is None else operands
    named = [*zip(op.operand_names(len(shown)), shown), *op.stated().items()]
    call = show_call(op.type_name, named)
    where = "" if node.location is None else f"\n\nDefined at node '{node.name}': {node.location}"
    explained.reword(f"{explained.message}\n    in {call}{where}")
    complete(explained)
    return explained


def failed(error: Exception) -> At | None:
    """The node whose kernel raised, of the innermost graph on the way, and its operands: None
    where they are gone."""
    trace = error.__traceback__
    found = None
    while trace is not None:
        found = place_of(trace) or found
        trace = trace.tb_next
    if found is None:
        return None
    node, arrays = found
    return node, None if arrays is None else [wrap(array) for array in arrays]


def place_of(trace: TracebackType) -> At | None:
    """The node that a frame was at, and the arrays of its operands, if it runs a graph."""
    frame = trace.tb_frame
    step_of = STEPPING.get(frame.f_code)
    if step_of is not None:
        return step_of(frame.f_locals)
    nodes = frame.f_globals.get("_nodes")
    if nodes is None or not frame.f_code.co_filename.startswith(PREFIX):
        return None
    line = nodes.get(trace.tb_lineno)
    if line is None:
        return None
    node, names = line
    scope = {**frame.f_globals, **frame.f_locals}
    return node, [scope[name] for name in names] if scope.keys() >= set(names) else None
