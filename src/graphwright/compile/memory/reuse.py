"""Results that may have the memory of inputs, such as the updated value of a variable.

For that, each element of the input must be read no later than the one in its place is written. And
the program must run to its end once it has begun. A program that leaves a call to the kernels must
leave the inputs as they were.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.compile.memory.accesses import accessed
from graphwright.compile.memory.in_place import is_in_step
from graphwright.compile.nests.nest import (
    Clear,
    Copy,
    Element,
    Multiply,
    Nest,
    Program,
    Scan,
    Statement,
    Straight,
)
from graphwright.compile.nests.sizes import Shape, Size
from graphwright.compile.select.native_words import refuses

#: Statements that always run to their end, unless an element is refused.
_STEADY = (Nest, Straight, Clear, Scan, Copy, Multiply)

#: The most results: a call has a bit for each.
_MOST = 62


def with_reuses(program: Program, pairs: Sequence[tuple[int, int]]) -> Program:
    """The program with the pairs (result, input) that may share memory as its `reuses`."""
    if not all(isinstance(s, _STEADY) and not may_fail(s) for s in program.body):
        return program
    sharing = [pair for pair in pairs if pair[0] < _MOST and may_share(program, *pair)]
    if not sharing:
        return program
    inputs = frozenset([program.inputs[i] for _, i in sharing])
    body = [s._replace(first=inputs) if isinstance(s, Nest) else s for s in program.body]
    return program._replace(body=tuple(body), reuses=tuple(sharing))


def may_share(program: Program, result: int, number: int) -> bool:
    """Whether a result may have the memory of an input."""
    target, source = program.results[result][0], program.inputs[number]
    if target < 0 or [b for b, _ in program.results].count(target) != 1:
        return False
    one, other = program.buffers[target], program.buffers[source]
    if one.role != "result" or one.kind != other.kind:
        return False
    if guarded(program, one.shape) != guarded(program, other.shape):
        return False
    places = [i for i, s in enumerate(program.body) if target in accessed(s)]
    reads = [i for i, s in enumerate(program.body) if source in accessed(s)]
    if not places or (reads and reads[-1] > places[0]):
        return False
    if not reads or reads[-1] < places[0]:
        return True
    return is_in_step(program.body[places[0]], target, source)


def guarded(program: Program, shape: Shape) -> Shape:
    """A shape in terms of the sizes to which guards make its own equal."""
    same = {a.symbols[0]: b for a, b in program.guards if a.factor == 1 and len(a.symbols) == 1}
    result: list[Size] = []
    for size in shape:
        visited = set()
        while size.factor == 1 and len(size.symbols) == 1 and size.symbols[0] in same:
            if size in visited:
                break
            visited.add(size)
            size = same[size.symbols[0]]
        result.append(size)
    return tuple(result)


def may_fail(statement: Statement) -> bool:
    """Whether a statement may leave the call to the kernels."""
    if isinstance(statement, Nest):
        return any(reports(stage.instructions) for stage in statement.stages)
    return isinstance(statement, Straight) and reports(statement.instructions)


def reports(instructions: Sequence[object]) -> bool:
    """Whether any of the instructions may refuse its operands."""
    kinds = [getattr(x, "kind", "") for x in instructions]
    return any(
        isinstance(x, Element) and refuses(x.op, tuple([kinds[i] for i in x.operands]))
        for x in instructions
    )
