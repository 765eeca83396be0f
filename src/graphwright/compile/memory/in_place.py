"""Statements that may overwrite their operands."""

from __future__ import annotations

from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.nest import Linear, Load, Nest, Stage, Statement, Store, Straight
from graphwright.compile.nests.sizes import ONE, Shape


def is_in_step(statement: Statement, target: int, source: int) -> bool:
    """Whether a statement reads each element no later than it writes the one in its place."""
    if isinstance(statement, Straight):  # all instructions, and then the stores
        return True
    if not isinstance(statement, Nest) or statement.ordered:
        return False
    writes = [
        (i, e)
        for i, stage in enumerate(statement.stages)
        for e in stage.effects
        if isinstance(e, Store) and e.buffer == target
    ]
    if len(writes) != 1:
        return False
    ((last, store),) = writes
    plain = not store.combine and not store.picks
    if not plain or not is_dense(store.place, statement.axes):
        return False
    reads = [(i, x) for i, stage in enumerate(statement.stages) for x in loads(stage, source)]
    again = any(x.buffer == target for stage in statement.stages for x in loads(stage, target))
    size = item_size(store.kind)  # of others, one element lies where several of these do
    return not again and all(
        i <= last and x.place == store.place and not x.picks and item_size(x.kind) == size
        for i, x in reads
    )


def loads(stage: Stage, buffer: int) -> list[Load]:
    """The loads of a stage from a buffer."""
    return [x for x in stage.instructions if isinstance(x, Load) and x.buffer == buffer]


def is_dense(place: Linear, axes: Shape) -> bool:
    """Whether a place goes through all elements of an array, one after the other."""
    step = ONE
    for stride, size in zip(reversed(place.strides), reversed(axes)):
        if stride != step:
            return False
        step = step * size
    return not place.scalars and not any(o.factor for o in place.offsets)
