"""What kernels refuse, as errors of the nodes whose kernels they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphwright.base.bounded_tables import remember
from graphwright.base.errors import OpError
from graphwright.ir.graph import Node
from graphwright.op.op import FORMS, Op
from graphwright.op.refusal import complete, show_call
from graphwright.types.dtypes import DType
from graphwright.values.eager import REFUSALS, refusal
from graphwright.values.tensor import wrap

#: Where an error has the node whose kernel raised it, and the arrays of the node's operands.
_NOTE = "_graphwright_node"

#: Line of generated text -> its node, and the names of the node's operands.
Lines = dict[int, tuple[Node, tuple[str, ...]]]


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
            remember(known, key, kernel, FORMS)
    return kernel


def note(error: Exception, node: Node, arrays: Sequence[Any] | None) -> None:
    """Notes on an error whose kernel raised it, and the arrays of the operands, or None where they
    are gone. The innermost graph on the way says it first, and no other after it."""
    vars(error).setdefault(_NOTE, (node, arrays))


def noting(lines: Lines) -> Callable[[Exception, Mapping[str, Any], Mapping[str, Any]], None]:
    """What generated text calls with an error that one of its lines raised, its global and its
    local variables."""

    def note_line(error: Exception, bindings: Mapping[str, Any], own: Mapping[str, Any]) -> None:
        trace = error.__traceback__  # which begins here: who handles an error is in it already
        line = None if trace is None else lines.get(trace.tb_lineno)
        if line is not None:
            node, names = line
            scope = {**bindings, **own}
            are_there = scope.keys() >= set(names)
            note(error, node, [scope[name] for name in names] if are_there else None)

    return note_line


def explain(error: Exception) -> Exception:
    """A kernel's error with the op, its operands and the user's line that made it."""
    node, arrays = vars(error).pop(_NOTE, (None, None))
    if node is None:
        return error
    return refused(node, None if arrays is None else [wrap(array) for array in arrays], error)


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
