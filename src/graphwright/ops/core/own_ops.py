"""Ops of lowering alone, which no program has: what expansions are made of beside programs' ops."""

from __future__ import annotations

from graphwright.op.op import Op, Shapes
from graphwright.op.op_families import Elementwise
from graphwright.op.scalars import CheckedScalars, S, Scalars
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType


class Sized(Op):
    """Elementwise on the first operand; of the second only a size counts."""

    def shapes(self, sized: TensorType, x: TensorType) -> Shapes:
        return (sized.dims,)


class Average(Sized):
    """A sum over the number of elements that were added: size(x) / size(sum)."""

    type_name = "_Average"
    inputs = ("sum: T", "x: T")
    outputs = ("mean: T",)
    dtypes = {"T": dt.REAL}

    def element(self, scalars: Scalars[S], total: S, count: S) -> S:
        """The mean."""
        return scalars.div(total, count)


class AxisPlace(Sized):
    """A place along an axis of `x`, which has elements: what may say where memory is read or
    written. Each kind sees to it that it is none outside, before anything is done there."""

    inputs = ("index: Tindex", "x: T")
    outputs = ("place: int64",)
    dtypes = {"Tindex": dt.INDEX | {dt.int16}, "T": dt.ANY}

    axis: int


class PickIndex(AxisPlace):
    """An index from data, checked; negative ones count from the end if it wraps."""

    type_name = "_PickIndex"

    wraps: bool = True

    def element(self, scalars: CheckedScalars[S], index: S, size: S) -> S:
        """The place; outside it is reported, and the first."""
        zero = scalars.constant(0, index)
        place = index
        if self.wraps:
            negative = scalars.less(index, zero)
            place = scalars.select(negative, scalars.add(index, size), index)
        inside = scalars.is_inside(place, size)
        scalars.on_zero(scalars.logical_not(inside))
        return scalars.select(inside, place, zero)


class Confined(AxisPlace):
    """A place that a rule works out of sizes and counters; the nearest one there is, if that
    should ever be outside."""

    type_name = "_Confined"

    def element(self, scalars: CheckedScalars[S], index: S, size: S) -> S:
        """The place."""
        zero = scalars.constant(0, index)
        last = scalars.sub(size, scalars.constant(1, index))
        low = scalars.select(scalars.less(index, zero), zero, index)
        return scalars.select(scalars.less(last, low), last, low)


class Inhabited(Op):
    """`x`, of which an axis has elements; it is left to the kernels where the axis has none."""

    type_name = "_Inhabited"
    inputs = ("x: T",)
    outputs = ("y: T",)
    dtypes = {"T": dt.ANY}

    axis: int

    def shapes(self, x: TensorType) -> Shapes:
        return (x.dims,)


class Required(Elementwise):
    """`x`, where a condition holds; machine code leaves it to the kernels where it does not."""

    type_name = "_Required"
    inputs = ("x: T", "condition: bool")
    outputs = ("y: T",)
    dtypes = {"T": dt.ANY}

    def element(  # type: ignore[override]  # machine code alone evaluates it
        self, scalars: CheckedScalars[S], x: S, condition: S
    ) -> S:
        """The element; the condition is reported."""
        scalars.on_zero(scalars.logical_not(condition))
        return x


class Reinterpreted(Elementwise):
    """The bits of elements as those of another dtype of the same size."""

    type_name = "_Reinterpreted"
    inputs = ("x: T",)
    outputs = ("y: type",)
    dtypes = {"T": dt.ANY}

    type: DType

    def element(  # type: ignore[override]  # as above
        self, scalars: CheckedScalars[S], x: S
    ) -> S:
        """The element."""
        return scalars.bitcast(x, self.type)


class Scanned(Op):
    """Each element combined with all before it along an axis; see `ops.math.cumulation`."""

    type_name = "_Scanned"
    inputs = ("x: T",)
    outputs = ("elements: T",)
    dtypes = {"T": dt.ANY}

    combine: str
    axis: int
    exclusive: bool
    reverse: bool

    def shapes(self, x: TensorType) -> Shapes:
        return (x.dims,)


class Routine(Op):
    """What a routine of LAPACK or BLAS makes of matrices, in the shape of the last one."""

    type_name = "_Routine"
    inputs = ("matrices: T*",)
    outputs = ("result: T",)
    dtypes = {"T": frozenset({dt.float32, dt.float64})}

    routine: str
    flags: tuple[bool, ...] = ()

    @property
    def eliminates(self) -> bool:
        """Whether it is Gaussian elimination, which needs room for factors, sides and pivots."""
        return self.routine in ("solve", "inverse")

    def shapes(self, *matrices: TensorType) -> Shapes:
        return (matrices[-1].dims,)


def is_routine(op: Op) -> bool:
    """Whether an op is a routine of LAPACK or BLAS."""
    return isinstance(op, Routine)


class Scattered(Op):
    """The slices of `x` combined at their places, in the shape of `like`. They are combined with
    the elements of `like` if it adds to these, else with what changes nothing. Without `combine`
    the last slice of a place stays, among zeros. Places are along axes of `like` from `axis` on."""

    type_name = "_Scattered"
    inputs = ("x: T", "like: T", "places: int64*")
    outputs = ("elements: T",)
    dtypes = {"T": dt.ANY}

    combine: str
    adds: bool = False
    axis: int = 0

    def shapes(self, x: TensorType, like: TensorType, *places: TensorType) -> Shapes:
        return (like.dims,)


class Gathered(Op):
    """The elements of `x` at places along axes from `axis` on, for each of `batch` batches."""

    type_name = "_Gathered"
    inputs = ("x: T", "places: int64*")
    outputs = ("elements: T",)
    dtypes = {"T": dt.ANY}

    axis: int
    batch: int = 0

    def shapes(self, x: TensorType, *places: TensorType) -> Shapes:
        dims, place_dims = x.dims, places[0].dims
        if dims is None or place_dims is None:
            return (None,)
        return ((*dims[: self.axis], *place_dims[self.batch :], *dims[self.axis + len(places) :]),)


class Windowed(Op):
    """So many elements of `x` as `counts` says from places on, along some of its axes.

    The places are those of an axis that lacks the elements of a window behind its first.
    """

    type_name = "_Windowed"
    inputs = ("x: T", "places: int64*")
    outputs = ("elements: T",)
    dtypes = {"T": dt.ANY}

    axes: tuple[int, ...]
    counts: tuple[int, ...]

    def shapes(self, x: TensorType, *places: TensorType) -> Shapes:
        if x.dims is None:
            return (None,)
        counts = dict(zip(self.axes, self.counts))
        return (tuple([counts.get(axis, d) for axis, d in enumerate(x.dims)]),)


class Products(Op):
    """a @ b of each two matrices at the same place of leading dimensions, which are the same."""

    type_name = "_Products"
    inputs = ("a: T", "b: T")
    outputs = ("product: T",)
    dtypes = {"T": dt.FLOATING}

    transpose_a: bool
    transpose_b: bool

    def shapes(self, a: TensorType, b: TensorType) -> Shapes:
        assert a.dims is not None
        assert b.dims is not None
        rows, columns = (
            a.dims[-1 if self.transpose_a else -2],
            b.dims[-2 if self.transpose_b else -1],
        )
        return ((*a.dims[:-2], rows, columns),)
