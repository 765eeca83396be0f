"""Short rows: the elements of a short innermost axis become instructions of their own.

Code takes the innermost axis in vectors. The colours of a pixel or the coordinates of a point fill
a few lanes, at the cost of a long row. So a nest over rows that are probably short has a second
form, for that length alone. It has instructions for each element of a row, and the axis before is
the innermost one. Where each row is reduced, that becomes instructions, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.collapse import collapse, innermost
from graphwright.compile.nests.instruction_list import InstructionList
from graphwright.compile.nests.interleaving import interleaved, key_of
from graphwright.compile.nests.nest import (
    Buffer,
    Element,
    Index,
    Instruction,
    Linear,
    Load,
    Nest,
    Reduce,
    Row,
    ScalarConstant,
    Stage,
    StageEffect,
    Store,
)
from graphwright.compile.nests.sizes import Size, product
from graphwright.op.op import Op
from graphwright.ops.math.arithmetic import AddV2, Maximum, Minimum, Mul
from graphwright.ops.math.comparison import Greater, LogicalAnd, LogicalOr, SelectV2

#: The longest rows, and the most instructions and effects that a nest may become.
_LONGEST, _MOST = 16, 384

#: Rows that fill whole vectors, if each element is by itself.
FULL = (8, 16)

#: The fewest rows that pay for a second form.
_ROWS = 8

#: Rows of so many elements fill several vectors.
_LONG = 64

#: The most elements that are added into one place: more are summed in blocks, of whole axes.
_TERMS = 1 << 13

#: The ops that combine two elements as a reduction does.
_PAIRS: dict[str, type[Op]] = {
    "sum": AddV2,
    "prod": Mul,
    "max": Maximum,
    "min": Minimum,
    "all": LogicalAnd,
    "any": LogicalOr,
}


class NotUnrolled(Exception):
    """The reason why a nest has no second form."""


class ShortRows(NamedTuple):
    """The second form of a nest, and the lengths that it is for, each of an axis."""

    nest: Nest
    lengths: tuple[tuple[Size, int], ...]


def short_rows(
    nest: Nest, buffers: Sequence[Buffer], expected: Callable[[Size], int]
) -> ShortRows | None:
    """The second form of a collapsed nest, if that pays.

    `expected` gives the value of a size in this trace, negative if it is unknown.
    """
    lengths: dict[Size, int] = {}
    while max(1, nest.outer) < len(nest.axes) and 1 < expected(nest.axes[-1]) <= _LONGEST:
        length, rows = expected(nest.axes[-1]), expected(product(nest.axes[:-1]))
        if length in FULL and not nest.outer:
            break
        if 0 <= rows < _ROWS:
            return None
        try:
            shorter = collapse(Unrolling(nest, buffers, length).nest())
        except NotUnrolled:
            return None
        if sum(len(stage.instructions) + len(stage.effects) for stage in shorter.stages) > _MOST:
            break
        lengths[nest.axes[-1]] = length
        nest = shorter
    if lengths and len(nest.axes) > 1 and 0 <= expected(nest.axes[-1]) < _LONG:
        nest = turned(nest, expected)
    return ShortRows(nest, tuple(lengths.items())) if lengths and adds(nest, expected) else None


def turned(nest: Nest, expected: Callable[[Size], int]) -> Nest:
    """A nest over rows that stay short, with a longer axis as the innermost one, if it may be."""
    lengths = [expected(axis) for axis in nest.axes]
    longest = max(range(len(lengths)), key=lambda i: lengths[i])
    is_plain = not any(
        isinstance(e, Store) and (e.combine or e.picks)
        for stage in nest.stages
        for e in stage.effects
    )
    if nest.outer or nest.ordered or not is_plain or lengths[longest] <= lengths[-1]:
        return nest
    order = [*[i for i in range(len(lengths)) if i != longest], longest]

    def moved(place: Linear) -> Linear:
        return place._replace(strides=tuple([place.strides[i] for i in order]))

    stages = []
    for stage in nest.stages:
        instructions = [
            x._replace(place=moved(x.place)) if isinstance(x, (Load, Index)) else x
            for x in stage.instructions
        ]
        effects = [
            e._replace(place=moved(e.place)) if isinstance(e, Store) else e for e in stage.effects
        ]
        stages.append(stage._replace(instructions=tuple(instructions), effects=tuple(effects)))
    return nest._replace(axes=tuple([nest.axes[i] for i in order]), stages=tuple(stages))


def adds(nest: Nest, expected: Callable[[Size], int]) -> bool:
    """Whether code adds into memory as the nest says, if it does: to adjacent elements, or to one
    that does not get too many."""
    if nest.outer == len(nest.axes):  # element by element
        return True
    stores = {
        key_of(e): e for s in nest.stages for e in s.effects if isinstance(e, Store) and e.combine
    }
    apart = [key for key, store in stores.items() if innermost(store.place) == "strided"]
    groups = interleaved(apart, lambda key: stores[key].kind)
    few = len(nest.axes) == 1 or 0 <= expected(nest.axes[-1]) <= _TERMS
    return len(apart) == sum(map(len, groups.values())) and (few or not stores)


class Unrolling:
    """The second form of a nest under construction."""

    def __init__(self, nest: Nest, buffers: Sequence[Buffer], length: int) -> None:
        self.source = nest
        self.buffers = buffers
        self.length = length
        #: Whether rows are elements of the new nest, with all stages at once.
        self.is_flat = nest.outer == len(nest.axes) - 1
        #: Whether rows go where data say, so that one follows the other.
        self.is_single = nest.ordered or any(
            isinstance(e, Store) and e.picks for stage in nest.stages for e in stage.effects
        )
        #: Of a flat nest: the positions of row values, and of what is stored.
        self.rows: dict[int, int] = {}
        self.stored: dict[tuple[int, Linear], int] = {}

    def nest(self) -> Nest:
        """The nest."""
        nest, axes = self.source, self.source.axes[:-1]
        if self.is_single:
            if nest.outer or len(nest.stages) > 1:
                raise NotUnrolled("rows that go where data say have several stages")
            stage = self.stage(nest.stages[0])._replace(inner=False)
            return nest._replace(axes=axes, outer=len(axes), stages=(stage,))
        if not self.is_flat:
            stages = tuple([self.stage(stage) for stage in nest.stages])
            return nest._replace(axes=axes, stages=stages)
        into = InstructionList()
        effects = [effect for stage in nest.stages for effect in self.effects(stage, into)]
        return nest._replace(axes=axes, outer=0, stages=(Stage(into.all(), tuple(effects)),))

    def stage(self, stage: Stage) -> Stage:
        """A stage of a nest that keeps its stages."""
        into = InstructionList()
        effects = tuple(self.effects(stage, into))
        return Stage(into.all(), effects, stage.inner)

    def effects(self, stage: Stage, into: InstructionList) -> list[StageEffect]:
        """The effects of a stage, for each element of a row; its instructions go to `into`."""
        numbers = range(self.length if stage.inner else 1)
        copies = [self.copied(stage.instructions, k, into) for k in numbers]
        result: list[StageEffect] = []
        for effect in stage.effects:
            if isinstance(effect, Store):
                result += self.stores(effect, copies, into)
                continue
            values = [positions[effect.value] for positions in copies]
            value = combined(effect, values, into) if isinstance(effect, Reduce) else values[0]
            if self.is_flat:
                self.rows[effect.row] = value
            else:
                result.append(effect._replace(value=value))
        return result

    def copied(
        self, instructions: Sequence[Instruction], k: int, into: InstructionList
    ) -> list[int]:
        """The positions of a stage's instructions for element `k` of a row."""
        positions: list[int] = []
        for x in instructions:
            if isinstance(x, Row) and self.is_flat:
                positions.append(self.rows[x.row])
            elif isinstance(x, Load):
                picks = tuple([(positions[i], self.size(stride)) for i, stride in x.picks])
                load = x._replace(place=self.place(x.place, k), picks=picks)
                positions.append(self.load(load, into))
            elif isinstance(x, Index):
                positions.append(into.emit(x._replace(place=self.place(x.place, k))))
            elif isinstance(x, Element):
                operands = tuple([positions[i] for i in x.operands])
                positions.append(into.emit(x._replace(operands=operands)))
            else:
                positions.append(into.emit(x))
        return positions

    def load(self, load: Load, into: InstructionList) -> int:
        """The position of a load's element, or of what a flat nest has stored there."""
        position = self.stored.get((load.buffer, load.place))
        if position is not None and not load.picks:
            return position
        if any(buffer == load.buffer for buffer, _ in self.stored):
            raise NotUnrolled("another element that this nest has stored is read")
        return into.emit(load)

    def stores(
        self, store: Store, copies: Sequence[Sequence[int]], into: InstructionList
    ) -> list[Store]:
        """The stores of the elements of a row; none of those that stay in the row."""
        values = [positions[store.value] for positions in copies]
        picks = tuple([(copies[0][i], self.size(stride)) for i, stride in store.picks])
        by_place: dict[Linear, list[int]] = {}
        for k, value in enumerate(values):
            by_place.setdefault(self.place(store.place, k), []).append(value)
        result = []
        for place, group in by_place.items():
            value = combined(store, group, into) if len(group) > 1 else group[0]
            result.append(store._replace(value=value, place=place, picks=picks))
            if self.is_flat and not store.combine:
                self.stored[store.buffer, place] = value
        stays = self.is_flat and self.buffers[store.buffer].role == "row"
        return [] if stays else result

    def place(self, place: Linear, k: int) -> Linear:
        """A place without the innermost axis, at index `k` of it."""
        *strides, last = place.strides
        offsets = [self.size(o) for o in (*place.offsets, Size(k) * last)]
        start = Size(sum([o.factor for o in offsets if not o.symbols]))
        others = [o for o in offsets if o.symbols]
        return Linear(
            tuple([start, *others] if start.factor else others),
            tuple([self.size(s) for s in strides]),
            tuple([(scalar, self.size(stride)) for scalar, stride in place.scalars]),
        )

    def size(self, size: Size) -> Size:
        """A size with the number in the place of the length's symbol."""
        length = self.source.axes[-1]
        if len(length.symbols) != 1 or length.factor != 1:
            return size
        (symbol,) = length.symbols
        others = [s for s in size.symbols if s != symbol]
        return Size(size.factor * self.length ** (len(size.symbols) - len(others)), tuple(others))


def combined(effect: Reduce | Store, values: Sequence[int], into: InstructionList) -> int:
    """The position of elements of a row, combined."""
    kind = effect.kind
    if effect.combine == "peak" and kind in ("f32", "f64"):
        total = into.emit(ScalarConstant(-float("inf"), kind))
        for value in values:
            greater = into.emit(Element(Greater.of(), (value, total), "b1"))
            total = into.emit(Element(SelectV2.of(), (greater, value, total), kind))
        return total
    if effect.combine not in _PAIRS:
        raise NotUnrolled(f"no op is a {effect.combine} of two elements")
    op = _PAIRS[effect.combine].of()
    return reduce(lambda x, y: into.emit(Element(op, (x, y), kind)), values)
