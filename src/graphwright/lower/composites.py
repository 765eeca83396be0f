"""What composite ops are made of: rules from an op and its operands to the results.

None says that a rule does not apply. What an operand on the host holds must mostly be known: then
elements are moved by index maps, and joined.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.ir.known import known
from graphwright.lower.indices import Gathered, Peak, PickIndex, Scattered
from graphwright.op.interpreter import apply
from graphwright.op.op import Op
from graphwright.ops.bias import BiasAdd, BiasAddGrad
from graphwright.ops.comparison import equal
from graphwright.ops.conversion import cast
from graphwright.ops.creation import fill, zeros_like
from graphwright.ops.gathering import GatherNd, GatherV2, ScatterNd
from graphwright.ops.identities import IdentityN, identity
from graphwright.ops.indexing import where
from graphwright.ops.indicators import OneHot
from graphwright.ops.joining import Split, SplitV, Unpack, concat
from graphwright.ops.loss import L2Loss
from graphwright.ops.matrices import MatrixBandPart, MatrixDiagV3
from graphwright.ops.movement import (
    ConjugateTranspose,
    Transpose,
    broadcast_to,
    expand_dims,
    reshape,
)
from graphwright.ops.padding import MirrorPad, Pad, PadV2
from graphwright.ops.reduction import (
    EuclideanNorm,
    Sum,
    reduce,
    reduce_max,
    reduce_min,
    reduce_sum,
)
from graphwright.ops.repetition import Tile
from graphwright.ops.reversal import Roll, reverse
from graphwright.ops.segment import UnsortedSegmentProd, UnsortedSegmentSum
from graphwright.ops.sequences import range as steps
from graphwright.ops.shape import shape as shape_of
from graphwright.ops.slicing import MASKED, NewAxis, Pick, StridedSliceGrad
from graphwright.ops.softmax import (
    LogSoftmax,
    Softmax,
    SoftmaxCrossEntropyWithLogits,
    SparseSoftmaxCrossEntropyWithLogits,
)
from graphwright.ops.sorting import ArgMax, ArgMin
from graphwright.ops.sums import AddN
from graphwright.ops.transcendental import exp, log, sqrt
from graphwright.types import dtypes as dt

Rule = Callable[..., Any]


def host(x: Any) -> Any:
    """What an operand on the host holds; None if not all of it is known."""
    found = known(x._value)
    entries = found if isinstance(found, tuple) else (found,)
    return (
        None if any(e is None or (isinstance(e, tuple) and None in e) for e in entries) else found
    )


def extent(x: Any, axis: int) -> Any:
    """The size of a dimension: a number, or a value."""
    size = x.shape[axis]
    return shape_of(x)[axis] if size is None else size


def along(rank: int, axis: int, entry: Any) -> Any:
    """An index that takes all of every axis but one."""
    return (*[slice(None)] * axis, entry, *[slice(None)] * (rank - axis - 1))


# -- rows ---------------------------------------------------------------------------------------


def peak(x: Any) -> Any:
    """What the elements of a row are shifted by."""
    return reduce(Peak, x, -1, True, None)


def softmax(op: Op, x: Any) -> Any:
    """exp(x - max) * (1 / sum(exp(x - max))): one division a row"""
    weights = exp(x - peak(x))
    return weights * (1.0 / reduce_sum(weights, -1, True))


def log_softmax(op: Op, x: Any) -> Any:
    """x - max - log(sum(exp(x - max)))"""
    shifted = x - peak(x)
    return shifted - log(reduce_sum(exp(shifted), -1, True))


def cross_entropy(op: Op, logits: Any, labels: Any) -> Any:
    """sum(labels * (log(sum(exp(x))) - x)) and softmax - labels, x the shifted logits"""
    x = logits - peak(logits)
    weights = exp(x)
    total = reduce_sum(weights, -1, True)
    return reduce_sum(labels * (log(total) - x), -1), weights / total - labels


def sparse_cross_entropy(op: Op, logits: Any, labels: Any) -> Any:
    """As `cross_entropy`, of labels that are numbers of classes"""
    place = apply(PickIndex.of(1, False), labels, logits)
    hit = equal(expand_dims(cast(place, dt.int32), 1), steps(extent(logits, 1)))
    x = logits - peak(logits)
    weights = exp(x)
    total = reduce_sum(weights, -1, True)
    loss = reduce_sum(where(hit, log(total) - x, zeros_like(x)), -1)
    return loss, weights * (1.0 / total) - cast(hit, x.dtype)


def extreme_place(greatest: bool) -> Rule:
    """The first place of an extreme; NaN is passed over."""

    def rule(op: Any, x: Any, axis: Any) -> Any:
        at = host(axis)
        if at is None or not x.shape.rank:
            return None
        at %= x.shape.rank
        x = cast(x, dt.uint8) if x.dtype is dt.bool_ else x
        if x.dtype.is_floating:
            beyond = float("-inf") if greatest else float("inf")
            x = where(equal(x, x), x, cast(beyond, x.dtype))
        extreme = (reduce_max if greatest else reduce_min)(x, at, True)
        numbers = reshape(steps(extent(x, at)), [-1, *[1] * (x.shape.rank - at - 1)])
        places = where(equal(x, extreme), numbers, dt.int32.max)
        first = apply(PickIndex.of(at, False, True), reduce_min(places, at), x)
        return cast(first, op.output_type)

    return rule


# -- sums ---------------------------------------------------------------------------------------


def bias_add(op: Any, value: Any, bias: Any) -> Any:
    """value + bias, where channels are last"""
    return value + bias if op.data_format == "NHWC" else None


def bias_add_gradient(op: Any, g: Any) -> Any:
    """The sum over all axes but that of the channels"""
    channels = g.shape.rank - 1 if op.data_format == "NHWC" else 1
    return reduce_sum(g, [i for i in range(g.shape.rank) if i != channels])


def add_up(op: Op, *terms: Any) -> Any:
    """x + y + ..."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return identity(total)


def norm(op: Any, x: Any, axes: Any) -> Any:
    """sqrt(sum(x * x))"""
    return sqrt(apply(Sum.of(op.keep_dims), x * x, axes))


def half_squares(op: Op, x: Any) -> Any:
    """sum(x * x) / 2"""
    return reduce_sum(x * x) * 0.5


# -- parts --------------------------------------------------------------------------------------


def unpack(op: Any, value: Any) -> Any:
    """(value[0], value[1], ...) along the axis"""
    rank = value.shape.rank
    return tuple([value[along(rank, op.axis % rank, i)] for i in range(op.num)])


def split(op: Any, axis: Any, value: Any) -> Any:
    """Equal slices along the axis, where its size is known"""
    at = host(axis)
    size = None if at is None else value.shape[at]
    if size is None or size % op.num_split:
        return None
    return pieces(value, at % value.shape.rank, [size // op.num_split] * op.num_split)


def split_by_sizes(op: Any, value: Any, sizes: Any, axis: Any) -> Any:
    """Slices along the axis, where their sizes are known"""
    at, wanted = host(axis), host(sizes)
    size = None if at is None or wanted is None else value.shape[at]
    if size is None:
        return None
    rest = size - sum(n for n in wanted if n != -1)
    exact = [rest if n == -1 else n for n in wanted]
    return pieces(value, at % value.shape.rank, exact) if sum(exact) == size else None


def pieces(value: Any, axis: int, sizes: list[int]) -> Any:
    """Slices one after the other."""
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    rank = value.shape.rank
    return tuple([value[along(rank, axis, slice(e - n, e))] for e, n in zip(ends, sizes)])


def same(op: Op, *values: Any) -> Any:
    """The operands themselves"""
    return tuple([identity(v) for v in values])


def conjugate_transpose(op: Op, x: Any, perm: Any) -> Any:
    """Of real numbers, the transpose"""
    return apply(Transpose.of(), x, perm)


def tile(op: Op, x: Any, multiples: Any) -> Any:
    """Copies along new axes, which are merged with those of the operand"""
    times = host(multiples)
    if times is None or any(t < 1 for t in times):
        return None
    if any(d is None and t > 1 for d, t in zip(x.shape, times)):
        return None
    dims = [extent(x, i) for i in range(len(times))]
    spread = [d for pair in zip([1] * len(dims), dims) for d in pair]
    pairs = [d for pair in zip(times, dims) for d in pair]
    whole = [t * d if t > 1 else d for t, d in zip(times, dims)]
    return reshape(broadcast_to(reshape(x, spread), pairs), whole)


def roll(op: Op, x: Any, shift: Any, axis: Any) -> Any:
    """The end of each axis, and then its beginning"""
    by, axes = host(shift), host(axis)
    if by is None or axes is None:
        return None
    for distance, a in zip(*[v if isinstance(v, tuple) else (v,) for v in (by, axes)]):
        at = a % x.shape.rank
        size = x.shape[at]
        if not size:
            return None
        cut = size - distance % size
        if cut != size:
            x = concat(pieces(x, at, [cut, size - cut])[::-1], at)
    return identity(x)


# -- borders ------------------------------------------------------------------------------------


def pad(op: Op, x: Any, paddings: Any, value: Any = 0) -> Any:
    """Blocks of one value before and after"""
    pairs = host(paddings)
    if pairs is None or any(n < 0 for pair in pairs for n in pair):
        return None
    return padded(x, pairs, cast(value, x.dtype))


def padded(x: Any, pairs: Any, value: Any) -> Any:
    """A tensor in blocks of a value, so many (before, after) along each axis."""
    for axis, pair in enumerate(pairs):
        dims = [extent(x, i) for i in range(x.shape.rank)]
        blocks = [fill([*dims[:axis], n, *dims[axis + 1 :]], value) if n else None for n in pair]
        parts = [part for part in (blocks[0], x, blocks[1]) if part is not None]
        x = concat(parts, axis) if len(parts) > 1 else x
    return identity(x)


def mirror_pad(op: Any, x: Any, paddings: Any) -> Any:
    """The tensor between its own ends, reversed"""
    pairs = host(paddings)
    if pairs is None:
        return None
    edge = 1 if op.mode == "REFLECT" else 0
    rank = x.shape.rank
    for axis, (before, after) in enumerate(pairs):
        size = x.shape[axis]
        if not (before or after):
            continue
        if size is None or not 0 <= min(before, after) <= max(before, after) <= size - edge:
            return None
        ends = (edge, edge + before), (size - edge - after, size - edge)
        sides = [reverse(x[along(rank, axis, slice(*end))], [axis]) for end in ends]
        parts = (sides[0] if before else None, x, sides[1] if after else None)
        x = concat([part for part in parts if part is not None], axis)
    return identity(x)


def slice_gradient(op: Any, shape: Any, begin: Any, end: Any, strides: Any, dy: Any) -> Any:
    """`dy` in zeros, where it was taken in steps of one"""
    found = [host(v) for v in (shape, begin, end, strides)]
    if any(v is None for v in found):
        return None
    dims = found[0]
    entries = list(op.entries(*found[1:]))
    if None not in entries:
        entries.append(None)
    taken = sum(entry is not None and not isinstance(entry, NewAxis) for entry in entries)
    pairs: list[tuple[int, int]] = []
    for entry in entries:
        if entry is None:
            pairs += [(0, 0)] * (len(dims) - taken)
        elif isinstance(entry, Pick):
            at = entry.index % dims[len(pairs)]
            pairs.append((at, dims[len(pairs)] - at - 1))
        elif not isinstance(entry, NewAxis):
            bounds = slice(*[None if v is MASKED else v for v in entry])
            places = range(*bounds.indices(dims[len(pairs)]))
            if places.step != 1:
                return None
            pairs.append((places.start, dims[len(pairs)] - places.start - len(places)))
    inner = [d - before - after for d, (before, after) in zip(dims, pairs)]
    if any(d == 0 for d in inner):
        return None
    return padded(reshape(dy, inner), pairs, cast(0, dy.dtype))


# -- by indices -----------------------------------------------------------------------------------


def gather(op: Any, x: Any, indices: Any, axis: Any) -> Any:
    """The elements at the indices' places, which are checked"""
    at = host(axis)
    if at is None or not x.shape.rank:
        return None
    at, batch = at % x.shape.rank, op.batch_dims
    batch = batch + indices.shape.rank if batch < 0 else batch
    return apply(Gathered.of(at, batch), x, apply(PickIndex.of(at, False), indices, x))


def put_together(combine: str) -> Rule:
    """The slices of each segment combined; what is negative is left to the kernel"""

    def rule(op: Op, x: Any, ids: Any, count: Any) -> Any:
        inner = [extent(x, i) for i in range(ids.shape.rank, x.shape.rank)]
        return scattered(combine, x, [ids], [cast(count, dt.int32), *inner])

    return rule


def scatter(op: Op, indices: Any, updates: Any, shape: Any) -> Any:
    """Updates added up in the places of rows of indices"""
    count, dims = indices.shape[-1], host(shape)
    if not count or dims is None:
        return None
    columns = [indices[(Ellipsis, i)] for i in range(count)]
    return scattered("sum", updates, columns, dims)


def scattered(combine: str, x: Any, columns: list[Any], dims: Any) -> Any:
    """Slices of x combined in places of a tensor of dimensions."""
    if x.dtype.size < 4:
        return None
    like = fill(dims, cast(0, x.dtype))
    places = [apply(PickIndex.of(i, False), ids, like) for i, ids in enumerate(columns)]
    return apply(Scattered.of(combine), x, like, *places)


def gather_by_rows(op: Op, x: Any, indices: Any) -> Any:
    """As `gather`, of rows of indices, one for each of the first axes"""
    count = indices.shape[-1]
    if not count:
        return None
    columns = [indices[(Ellipsis, i)] for i in range(count)]
    places = [apply(PickIndex.of(i, False), column, x) for i, column in enumerate(columns)]
    return apply(Gathered.of(0), x, *places)


# -- by places ----------------------------------------------------------------------------------


def one_hot(op: Any, indices: Any, depth: Any, on: Any, off: Any) -> Any:
    """on where the index is the place, else off"""
    at = op.place(indices.shape.rank)
    numbers = indices if indices.dtype.size >= 4 else cast(indices, dt.int32)
    places = steps(cast(0, numbers.dtype), cast(depth, numbers.dtype))
    places = reshape(places, [-1, *[1] * (indices.shape.rank - at)])
    return where(equal(expand_dims(numbers, at), places), on, off)


def band_part(op: Op, x: Any, lower: Any, upper: Any) -> Any:
    """x near the diagonal, else 0"""
    bounds = host(lower), host(upper)
    if None in bounds:
        return None
    rows, columns = [steps(extent(x, i)) for i in (-2, -1)]
    distance = columns - expand_dims(rows, 1)
    for i, (bound, side) in enumerate(zip(bounds, (-distance, distance))):
        if bound > 0 and x.shape[i - 2] is None:  # the kernel refuses one beyond the matrix
            return None
        if bound >= 0:
            x = where(side <= cast(bound, dt.int32), x, zeros_like(x))
    return identity(x)


def diagonal_matrix(op: Any, diagonal: Any, k: Any, rows: Any, columns: Any, value: Any) -> Any:
    """The numbers where row and column are equal, else the value: of the main diagonal alone"""
    bounds = host(k)
    if bounds not in (0, (0,), (0, 0)) or (host(rows), host(columns)) != (-1, -1):
        return None
    numbers = steps(extent(diagonal, -1))
    return where(equal(expand_dims(numbers, 1), numbers), expand_dims(diagonal, -1), value)


#: Rules of ops that compute with floating-point numbers, of which halves are rounded otherwise.
FLOATS: dict[type[Op], Rule] = {
    Softmax: softmax,
    LogSoftmax: log_softmax,
    SoftmaxCrossEntropyWithLogits: cross_entropy,
    SparseSoftmaxCrossEntropyWithLogits: sparse_cross_entropy,
    BiasAdd: bias_add,
    BiasAddGrad: bias_add_gradient,
    EuclideanNorm: norm,
    L2Loss: half_squares,
}

RULES: dict[type[Op], Rule] = {
    **FLOATS,
    AddN: add_up,
    ArgMax: extreme_place(True),
    ArgMin: extreme_place(False),
    ConjugateTranspose: conjugate_transpose,
    GatherNd: gather_by_rows,
    GatherV2: gather,
    IdentityN: same,
    MatrixBandPart: band_part,
    MatrixDiagV3: diagonal_matrix,
    MirrorPad: mirror_pad,
    OneHot: one_hot,
    Pad: pad,
    PadV2: pad,
    Roll: roll,
    ScatterNd: scatter,
    Split: split,
    SplitV: split_by_sizes,
    StridedSliceGrad: slice_gradient,
    Tile: tile,
    Unpack: unpack,
    UnsortedSegmentProd: put_together("prod"),
    UnsortedSegmentSum: put_together("sum"),
}
