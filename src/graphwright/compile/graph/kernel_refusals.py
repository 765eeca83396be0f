"""Errors of kernels, restated as errors of their nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from graphwright.base.bounded_tables import remember
from graphwright.base.errors import OpError
from graphwright.ir.graph import Node
from graphwright.op.op import FORMS, Op
from graphwright.op.refusal import complete, show_call
from graphwright.types.dtypes import DType
from graphwright.values.eager import REFUSALS, refusal
from graphwright.values.tensor import EagerTensor, wrap

#: The attribute of an error that holds the node whose kernel raised it, and its operands' arrays.
_NOTE = "_graphwright_node"

#: By line of generated text: the node, and the names of its operands.
Lines: TypeAlias = dict[int, tuple[Node, tuple[str, ...]]]


def bound(node: Node, op: Op, types: Sequence[DType]) -> Callable[..., Any]:
    """The kernel of a node's op for operands of these dtypes.

    All places of an op share it, unless each place has a stream of its own.
    """
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


def note(error: Exception, node: Node, arrays: Sequence[object] | None) -> None:
    """Notes on an error the node whose kernel raised it, and its operands' arrays (None if lost).

    The innermost graph notes first, and later notes change nothing.
    """
    vars(error).setdefault(_NOTE, (node, arrays))


def noting(lines: Lines) -> Callable[[Exception, Mapping[str, object], Mapping[str, object]], None]:
    """A function that notes an error on the line of generated text that raised it.

    It takes the error, and the text's global and local variables.
    """

    def note_line(
        error: Exception, bindings: Mapping[str, object], variables: Mapping[str, object]
    ) -> None:
        trace = error.__traceback__  # it begins at the text's own frame, which handles the error
        line = None if trace is None else lines.get(trace.tb_lineno)
        if line is not None:
            node, names = line
            scope = {**bindings, **variables}
            is_complete = scope.keys() >= set(names)
            note(error, node, [scope[name] for name in names] if is_complete else None)

    return note_line


def explain(error: Exception) -> Exception:
    """A kernel's error with the op, its operands and the program's line that added the node."""
    node, arrays = vars(error).pop(_NOTE, (None, None))
    if node is None:
        return error
    return refused(node, None if arrays is None else [wrap(array) for array in arrays], error)


def refused(node: Node, operands: Sequence[EagerTensor] | None, error: Exception) -> Exception:
    """An error with its node's op, operands (or only their types), and line of the program."""
    op = node.op.stated_as
    count = len(node.inputs) if op is node.op else len(op.operands)
    operands = None if operands is None else tuple(operands[:count])
    explained = refusal(op, operands, error)
    if not isinstance(explained, OpError):
        return explained
    shown = [v.type for v in node.inputs[:count]] if operands is None else operands
    named = [*zip(op.operand_names(len(shown)), shown), *op.stated().items()]
    call = show_call(op.type_name, named)
    where = "" if node.location is None else f"\n\nDefined at node '{node.name}': {node.location}"
    explained.reword(f"{explained.message}\n    in {call}{where}")
    complete(explained)
    return explained
