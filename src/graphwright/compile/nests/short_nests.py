"""Short nests: a few elements become instructions of their own, where loops run them again.

The call of a nest's function and its vectors, most lanes of which are empty, cost many times what
two or twelve elements do. So in a loop such a nest becomes straight code of that length alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.collapse import collapse
from graphwright.compile.nests.element_kinds import SIMPLE
from graphwright.compile.nests.instruction_list import InstructionList
from graphwright.compile.nests.nest import (
    Buffer,
    Element,
    Index,
    Load,
    Nest,
    Reduce,
    Store,
    Straight,
)
from graphwright.compile.nests.short_rows import NotUnrolled, Unrolling
from graphwright.compile.nests.sizes import ONE, Size

#: The most elements, the most where vectors of them are better than one after the other, and the
#: most instructions and effects of them all.
_LONGEST, _DEAR_LONGEST, _MOST = 16, 4, 96


class ShortNest(NamedTuple):
    """The code of a nest, and the lengths that it is for, each of an axis."""

    straight: Straight
    lengths: tuple[tuple[Size, int], ...]


def short_nest(
    nest: Nest, buffers: Sequence[Buffer], expected: Callable[[Size], int]
) -> ShortNest | None:
    """The straight code of a nest, if that pays.

    `expected` gives the value of a size in this trace, negative if it is unknown.
    """
    nest = collapse(nest)
    if all(axis == ONE for axis in nest.axes):
        return single_step(nest)
    effects = [effect for stage in nest.stages for effect in stage.effects]
    if len(nest.axes) > 1 or nest.outer or nest.ordered:
        return None
    if any(isinstance(e, Store) and (e.combine or e.picks) for e in effects):
        return None
    (axis,), into = nest.axes, InstructionList()
    length = expected(axis)
    if not 0 < length <= _LONGEST:
        return None
    unrolling = Unrolling(nest, buffers, length)
    try:
        stores = [e for stage in nest.stages for e in unrolling.effects(stage, into)]
    except NotUnrolled:
        return None
    instructions = into.all()
    most = _LONGEST if all(map(is_quick, instructions)) else _DEAR_LONGEST
    if length > most or len(instructions) + len(stores) > _MOST:
        return None
    scalars = tuple([(unrolling.rows[row], scalar, kind) for row, scalar, kind in nest.scalars])
    plain = tuple([store for store in stores if isinstance(store, Store)])
    return ShortNest(
        Straight(instructions, scalars, plain), ((axis, length),) if axis.symbols else ()
    )


def is_quick(x: object) -> bool:
    """Whether an instruction takes a cycle or two."""
    return not isinstance(x, Element) or x.op.type_name in SIMPLE


def single_step(nest: Nest) -> ShortNest | None:
    """The code of a nest of one element in one stage, which reduces nothing."""
    (stage, *more) = nest.stages
    if more or any(isinstance(e, Reduce) for e in stage.effects):
        return None
    stores = tuple([without_axes(e) for e in stage.effects if isinstance(e, Store)])
    if len(stores) < len(stage.effects):
        return None
    return ShortNest(Straight(tuple(map(without_axes, stage.instructions)), (), stores), ())


def without_axes(x: Any) -> Any:
    """An instruction or an effect where all counters are 0."""
    if isinstance(x, (Load, Index, Store)):
        return x._replace(place=x.place._replace(strides=()))
    return x
