"""Passes in a row; in the checking mode each must leave a graph that is well-formed, and programs
must not read memory that nothing writes."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakSet

from graphwright.errors import InternalError
from graphwright.ir.graph import Graph, Node
from graphwright.ir.verify import verify_structure
from graphwright.lower.accesses import accessed, written_by
from graphwright.lower.nest import (
    Loop,
    Program,
    all_statements,
)
from graphwright.lower.options import OPTIONS

#: What was verified: most nodes of a graph, and graphs in it, are the same after a pass.
_RIGHT: WeakSet[Graph | Node] = WeakSet()


def through(graph: Graph, *passes: Callable[[Graph], Graph]) -> Graph:
    """The graph after these passes, one after the other."""
    for apply in passes:
        graph = verified(apply(graph), apply.__name__)
    return graph


def verified(graph: Graph, made_by: str) -> Graph:
    """The graph; in the checking mode InternalError names the pass that made it wrong."""
    if OPTIONS.get("native") == "check":
        try:
            verify_structure(graph, _RIGHT)
        except ValueError as error:
            message = f"the pass `{made_by}` left a graph that is wrong: {error}"
            raise InternalError(None, None, message) from error
    return graph


def verified_program(program: Program) -> Program:
    """The program; in the checking mode InternalError where it uses what nothing writes."""
    if OPTIONS.get("native") == "check" and (found := unwritten(program)):
        message = f"the program uses memory that nothing writes, b{found[0]}:\n{program}"
        raise InternalError(None, None, message)
    return program


def unwritten(program: Program) -> list[int]:
    """The buffers that are read or returned, and that no statement writes."""
    statements = list(all_statements(program.body))
    written = {buffer for statement in statements for buffer in written_by(statement)}
    for loop in statements:
        if isinstance(loop, Loop):
            written.update(*[pair for pair in loop.buffers if not written.isdisjoint(pair)])
    used = {buffer for statement in statements for buffer in accessed(statement)}
    used.update([buffer for buffer, _ in program.results])
    own = [i for i in used if program.buffers[i].role in ("temporary", "result", "row")]
    return sorted(set(own) - written)
