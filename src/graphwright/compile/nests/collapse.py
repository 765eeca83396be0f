"""Merging axes: fewer, longer loops."""

from __future__ import annotations

from collections.abc import Iterator

from graphwright.compile.nests.nest import Index, Linear, Load, Nest, Stage, Store
from graphwright.compile.nests.sizes import ONE, ZERO, Shape


def linears(stage: Stage) -> Iterator[Linear]:
    """The places that a stage reads and writes."""
    for instruction in stage.instructions:
        if isinstance(instruction, (Load, Index)):
            yield instruction.at
    for effect in stage.effects:
        if isinstance(effect, Store):
            yield effect.at


def collapse(nest: Nest) -> Nest:
    """Two neighbouring axes that every place runs through as one -> one axis."""
    axis = len(nest.axes) - 2
    while axis >= 0:
        mergeable = axis + 1 != nest.outer and all(
            at.strides[axis] == at.strides[axis + 1] * nest.axes[axis + 1]
            for stage in nest.stages
            for at in linears(stage)
        )
        if mergeable:
            nest = merged(nest, axis)
        axis -= 1
    return nest


def merged(nest: Nest, axis: int) -> Nest:
    """With the axes `axis` and the next one as one."""
    stages = []
    for stage in nest.stages:
        instructions = [
            x._replace(at=without(x.at, axis)) if isinstance(x, (Load, Index)) else x
            for x in stage.instructions
        ]
        effects = [
            e._replace(at=without(e.at, axis)) if isinstance(e, Store) else e for e in stage.effects
        ]
        stages.append(stage._replace(instructions=tuple(instructions), effects=tuple(effects)))
    axes: Shape = (
        *nest.axes[:axis],
        nest.axes[axis] * nest.axes[axis + 1],
        *nest.axes[axis + 2 :],
    )
    return nest._replace(axes=axes, outer=nest.outer - (axis < nest.outer), stages=tuple(stages))


def without(at: Linear, axis: int) -> Linear:
    """A place without an axis: the next one's stride is that of both."""
    return at._replace(strides=(*at.strides[:axis], *at.strides[axis + 1 :]))


def innermost(at: Linear) -> str:
    """How a place moves along the innermost axis: `still`, `unit`, or `strided`."""
    last = at.strides[-1] if at.strides else ZERO
    return "still" if last == ZERO else "unit" if last == ONE else "strided"
