"""Adjacent axes merge: fewer, longer loops."""

from __future__ import annotations

from collections.abc import Iterator

from graphwright.compile.nests.nest import Element, Index, Linear, Load, Nest, Stage, Store
from graphwright.compile.nests.sizes import ONE, ZERO, Shape


def linears(stage: Stage) -> Iterator[Linear]:
    """The places that a stage reads and writes."""
    for instruction in stage.instructions:
        if isinstance(instruction, (Load, Index)):
            yield instruction.place
    for effect in stage.effects:
        if isinstance(effect, Store):
            yield effect.place


def collapse(nest: Nest) -> Nest:
    """The nest with adjacent axes merged where all places move along them as along one axis."""
    axis = len(nest.axes) - 2
    while axis >= 0:
        mergeable = axis + 1 != nest.outer and all(
            place.strides[axis] == place.strides[axis + 1] * nest.axes[axis + 1]
            for stage in nest.stages
            for place in linears(stage)
        )
        if mergeable:
            nest = merged(nest, axis)
        axis -= 1
    return nest


def merged(nest: Nest, axis: int) -> Nest:
    """The nest with `axis` and the next axis merged."""
    stages = []
    for stage in nest.stages:
        instructions = [
            x._replace(place=without(x.place, axis)) if isinstance(x, (Load, Index)) else x
            for x in stage.instructions
        ]
        effects = [
            e._replace(place=without(e.place, axis)) if isinstance(e, Store) else e
            for e in stage.effects
        ]
        stages.append(stage._replace(instructions=tuple(instructions), effects=tuple(effects)))
    axes: Shape = (
        *nest.axes[:axis],
        nest.axes[axis] * nest.axes[axis + 1],
        *nest.axes[axis + 2 :],
    )
    return nest._replace(axes=axes, outer=nest.outer - (axis < nest.outer), stages=tuple(stages))


def without(place: Linear, axis: int) -> Linear:
    """A place without an axis, which merges into the next one: that has the stride of both."""
    return place._replace(strides=(*place.strides[:axis], *place.strides[axis + 1 :]))


def innermost(place: Linear) -> str:
    """The movement of a place along the innermost axis: `still`, `unit`, or `strided`."""
    last = place.strides[-1] if place.strides else ZERO
    return "still" if last == ZERO else "unit" if last == ONE else "strided"


def varying(stage: Stage) -> list[bool]:
    """For each instruction of a stage, whether its result changes along the innermost axis."""
    result: list[bool] = []
    for x in stage.instructions:
        if isinstance(x, (Load, Index)):
            is_picked = isinstance(x, Load) and any(result[i] for i, _ in x.picks)
            result.append(stage.inner and (is_picked or innermost(x.place) != "still"))
        elif isinstance(x, Element):
            result.append(any(result[i] for i in x.operands))
        else:
            result.append(False)
    return result
