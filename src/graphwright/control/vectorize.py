"""`vectorized_map`: a function of every row at once.

The function is traced once, for one row. Its graph is then rewritten by the ops' batching rules
(`op.batching`). Some operands have a value for each row, stacked along a first axis, and the
others one for all. An op without a rule runs in a loop over the rows.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from graphwright.autodiff.sweep import dense_cotangent
from graphwright.base.errors import InvalidArgumentError
from graphwright.base.logs import LOGGER
from graphwright.base.named_tuples import NamedTuple
from graphwright.control.body import trace_body
from graphwright.control.branch import check_callable
from graphwright.control.call import call_of
from graphwright.control.loop import while_loop
from graphwright.ir.graph import Graph, Node, Value
from graphwright.op.batching import NotVectorized, Refusal, Same
from graphwright.op.interpreter import apply
from graphwright.op.late_imports import late_module
from graphwright.op.op import Effect, host_value
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import Const, Placeholder, filled
from graphwright.ops.core.gathering import axis_sizes, gather, host_vector
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import broadcast_to, reshape, transpose
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.shapes import rank_of
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math.comparison import select
from graphwright.ops.math.reduction import reduce_max, reduce_prod
from graphwright.ops.state.list_ops import (
    LENGTH,
    TensorListGetItem,
    TensorListReserve,
    TensorListSetItem,
    swapped,
)
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import current_tracer, tracing
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import DTypeLike, TensorLike, TensorValue
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import TensorType
from graphwright.values.convert import convert, convert_to_tensor
from graphwright.values.tensor import Tensor

#: How many rows there are, or a rank: a number where it is known.
Count: TypeAlias = int | Tensor

R = TypeVar("R")


class Lane(NamedTuple):
    """A value of one row's graph, for all rows: with an axis of rows, or the same for every row."""

    tensor: Any
    stacked: bool


class Rewrite:
    """Runs graphs of one row for `count` rows."""

    def __init__(self, count: Count, fallback: bool, warn: bool) -> None:
        self.count = count
        self.fallback = fallback
        self.warn = warn

    def run(self, graph: Graph, lanes: Sequence[Lane]) -> list[Lane]:
        """The results of a graph, given its arguments."""
        known = dict(zip(graph.arguments, lanes))
        for node in self.nodes_of(graph):
            if isinstance(node.op, Placeholder):
                continue
            if isinstance(node.op, Const):
                known[node.outputs[0]] = Lane(convert(node.op.value.array), False)
                continue
            results = self.node(node, [known[v] for v in node.inputs])
            known.update(zip(node.outputs, results))
        return [known[v] for v in graph.results]

    def nodes_of(self, graph: Graph) -> Sequence[Node]:
        """The nodes of a graph to run, in order."""
        return graph.nodes

    def node(self, node: Node, lanes: list[Lane]) -> list[Lane]:
        """An op's results."""
        op = node.op
        step = RowStep(self, node, lanes)
        if not any(step.stacked) and not op.differs and op.effect is not Effect.WRITE:
            return [Lane(t, False) for t in as_tuple(apply(op, *step.inputs))]
        try:
            results = as_tuple(op.batched(step))
        except (NotImplementedError, Refusal) as reason:
            results = self.loop(node, lanes, reason)
        made_lanes = []
        for value, result in zip(node.outputs, results):
            stacked = not isinstance(result, Same)
            tensor = result if stacked else result.tensor
            if isinstance(tensor, SymbolicTensor):  # as much as is known of one row's
                tensor.set_shape(step.row_type(value.type, stacked).dims)
            made_lanes.append(Lane(tensor, stacked))
        return made_lanes

    def loop(self, node: Node, lanes: list[Lane], reason: Exception) -> tuple[Any, ...]:
        """An op row by row; NotVectorized where that is not wanted, or not possible."""
        lists = [v for v in (*node.inputs, *node.outputs) if v.type.dtype is dt.variant]
        if lists or not self.fallback:
            advice = "" if lists else (
                " Consider fallback_to_while_loop=True, which runs it in a loop, more slowly."
            )  # fmt: skip
            raise NotVectorized(
                f"No pfor vectorization defined for {node.op.type_name}\n{node!r}\n"
                f"{reason}.{advice}",
                node.op.type_name,
                bool(lists),
            ) from reason
        if self.warn:
            LOGGER.warning(
                "Using a while_loop for converting %s cause %s", node.op.type_name, reason
            )
        return self.one_by_one(node, lanes)

    def one_by_one(self, node: Node, lanes: Sequence[Lane]) -> tuple[Any, ...]:
        """An op row by row."""
        rows = [lane.tensor for lane in lanes if lane.stacked]

        def one(operands: Sequence[TensorValue]) -> Any:
            mine = iter(operands[1:])
            inputs = [next(mine) if lane.stacked else lane.tensor for lane in lanes]
            return (operands[0], *as_tuple(apply(node.op, *inputs)))

        number = TensorSpec([], dt.int32)  # there may be no rows, and no results, to loop over
        signature = (number, *[TensorSpec(v.type.dims, v.type.dtype) for v in node.outputs])
        elems = (self.numbers(dt.int32), *rows)
        maps: Any = late_module("graphwright.control.map")
        return tuple(maps.map_fn(one, elems, fn_output_signature=signature)[1:])

    def spread(self, lane: Lane) -> Any:
        """A value with the axis of rows."""
        if lane.stacked:
            return lane.tensor
        shape = whole_shape(lane.tensor)
        return broadcast_to(lane.tensor, joined(self.count, shape))

    def numbers(self, dtype: DTypeLike) -> Any:
        """The rows' numbers."""
        return range_of(self.count, dtype=dtype)


def as_tuple(results: object) -> tuple[Any, ...]:
    """An op's results as a tuple."""
    if isinstance(results, tuple) and not isinstance(results, Same):
        return results
    return () if results is None else (results,)


class RowStep:
    """One op and its operands, as `op.batching.Each` says."""

    def __init__(self, rewrite: Rewrite, node: Node, lanes: Sequence[Lane]) -> None:
        self.rewrite = rewrite
        self.node = node
        self.lanes = lanes
        self.count = rewrite.count
        hosts = node.op.host_mask(len(lanes)) if node.op.has_host else (False,) * len(lanes)
        self.inputs = tuple(
            [operand(value, lane, host) for value, lane, host in zip(node.inputs, lanes, hosts)]
        )
        self.stacked = tuple([lane.stacked for lane in lanes])
        self.types = tuple([v.type for v in node.inputs])
        self.results = tuple([v.type for v in node.outputs])

    def rank(self, i: int) -> int:
        rank = self.types[i].rank
        if rank is None:
            raise Refusal(f"the rank of its operand {i} is not known")
        return rank

    def same(self, i: int) -> Any:
        if self.stacked[i]:
            raise Refusal(f"its operand {i} differs from row to row")
        return self.inputs[i]

    def full(self, i: int) -> Any:
        if not self.stacked[i] and self.types[i].dtype is dt.variant:
            raise Refusal("a list from outside would have to be repeated for every row")
        return self.rewrite.spread(Lane(convert(self.inputs[i]), self.stacked[i]))

    def greatest_rank(self) -> Any:
        ranks = [type_.rank for type_ in self.types]
        known = [rank for rank in ranks if rank is not None]
        if len(known) == len(ranks):
            return max(known)
        return reduce_max(stack([self.loose_rank(i) for i in range(len(ranks))]))

    def loose_rank(self, i: int) -> Any:
        """The rank of an operand in one row, as a tensor where it is not known."""
        rank = self.types[i].rank
        return rank_of(self.inputs[i]) - int(self.stacked[i]) if rank is None else rank

    def aligned(self, i: int, rank: Count) -> Any:
        x, row_rank = self.inputs[i], self.loose_rank(i)
        if not self.stacked[i]:
            return x
        if isinstance(row_rank, Tensor) or isinstance(rank, Tensor):
            sizes = shape_of(x)
            between = filled(host_vector([rank - row_rank]), dt.int32, 1)
            return reshape(x, concat([sizes[:1], between, sizes[1:]], 0))
        if row_rank == rank:
            return x
        lengths = axis_sizes(x, row_rank + 1)
        return reshape(x, host_vector([lengths[0], *[1] * (rank - row_rank), *lengths[1:]]))

    def axes(self, i: int) -> Any:
        axes = self.same(i)
        if isinstance(axes, Tensor):
            return select(axes < 0, axes, axes + 1)
        if isinstance(axes, tuple):
            return tuple([axis if axis < 0 else axis + 1 for axis in axes])
        return axes if axes < 0 else axes + 1

    def longer(self, shape: TensorLike, first: Count | None = None) -> Any:
        return joined(self.count if first is None else first, shape)

    def broadcast(self, i: int, shape: TensorLike) -> Any:
        rank = self.results[0].rank
        if rank is None:
            raise Refusal("the rank of its result is not known")
        return broadcast_to(self.aligned(i, rank), self.longer(shape))

    def rows(self, dtype: DTypeLike) -> Any:
        return self.rewrite.numbers(dtype)

    def product(self, vector: TensorLike) -> Any:
        return reduce_prod(vector)

    def merged(self, i: int) -> Any:
        x, rank = self.full(i), self.rank(i)
        rows, size, *rest = axis_sizes(x, rank + 1)
        return reshape(x, host_vector([rows * size, *rest]))

    def split(self, tensor: TensorValue, i: int) -> Any:
        size = axis_sizes(self.full(i), self.rank(i) + 1)[1]
        rank = known_rank(tensor)
        return reshape(tensor, host_vector([self.count, size, *axis_sizes(tensor, rank)[1:]]))

    def behind(self, i: int) -> Any:
        rank = self.rank(i)
        return transpose(self.full(i), [*builtins.range(1, rank + 1), 0])

    def fronted(self, tensor: TensorValue) -> Any:
        rank = known_rank(tensor)
        return transpose(tensor, [rank - 1, *builtins.range(rank - 1)])

    def channels(self, i: int) -> Any:
        rank = self.rank(i)
        x = transpose(self.full(i), [*builtins.range(1, rank), 0, rank])
        *sizes, rows, last = axis_sizes(x, rank + 1)
        return reshape(x, host_vector([*sizes, rows * last]))

    def unfolded(self, tensor: TensorValue, axis: int) -> Any:
        rank = known_rank(tensor)
        sizes, place = axis_sizes(tensor, rank), rank + axis
        split = [*sizes[:place], self.count, sizes[place] // self.count, *sizes[place + 1 :]]
        x = reshape(tensor, host_vector(split))
        return transpose(x, [place, *builtins.range(place), *builtins.range(place + 1, rank + 1)])

    def run(
        self,
        graph: Graph,
        inputs: Sequence[TensorValue],
        stacked: Sequence[bool],
        wanted: Sequence[bool] | None = None,
        places: TensorValue | None = None,
    ) -> list[Any]:
        rewrite = self.rewrite
        if places is not None:
            rewrite = Rewrite(axis_sizes(places, 1)[0], rewrite.fallback, rewrite.warn)
            inputs = [picked(x, places) if flag else x for x, flag in zip(inputs, stacked)]
        lanes = rewrite.run(graph, [Lane(x, flag) for x, flag in zip(inputs, stacked)])
        if wanted is None:
            return [lane.tensor if lane.stacked else Same(lane.tensor) for lane in lanes]
        return [rewrite.spread(lane) if flag else lane.tensor for lane, flag in zip(lanes, wanted)]

    def one_by_one(self) -> tuple[Any, ...]:
        return self.rewrite.one_by_one(self.node, self.lanes)

    def turned(self, items: TensorValue, dtype: DTypeLike, element_shape: TensorLike) -> Any:
        size = apply(LENGTH, items)
        read, empty = TensorListGetItem.of(dtype), TensorListReserve.of(dtype)

        def turn(i: TensorValue, new: TensorValue) -> Any:
            item = swapped(apply(read, items, i, -1))
            return i + 1, apply(TensorListSetItem.of(False), new, i, item)

        start = (convert(0), apply(empty, element_shape, size))
        return while_loop(lambda i, _: i < size, turn, start)[1]

    def flags(self, graph: Graph, stacked: Sequence[bool]) -> list[bool]:
        with tracing(Graph("flags", is_body=True)) as tracer:
            lanes = []
            for value, flag in zip(graph.arguments, stacked):
                type_ = self.row_type(value.type, flag)
                placeholder = tracer.graph.placeholder(type_, "argument")
                lanes.append(Lane(SymbolicTensor(placeholder, tracer.graph), flag))
            silent = Rewrite(self.count, self.rewrite.fallback, warn=False)
            return [lane.stacked for lane in silent.run(graph, lanes)]

    def row_type(self, type: TensorType, stacked: bool) -> TensorType:
        if not stacked or type.dtype is dt.variant or type.dims is None:
            return type
        return type.with_dims((self.count if isinstance(self.count, int) else None, *type.dims))


def known_rank(tensor: TensorValue) -> int:
    """The rank of a result."""
    rank: int | None = tensor.type.rank
    if rank is None:
        raise Refusal("the rank of its result is not known")
    return rank


def operand(value: Value, lane: Lane, host: bool) -> Any:
    """An operand as an op takes it: a constant host operand as a Python value."""
    if host and isinstance(value.node.op, Const):
        return host_value(value.node.op.value.array)
    return lane.tensor


def joined(first: Count, shape: TensorLike) -> Any:
    """A vector with one more entry in front, as a host operand."""
    if isinstance(shape, tuple) and not isinstance(first, Tensor):
        return (first, *shape)
    dtype = shape.dtype if isinstance(shape, Tensor) else dt.int32
    return concat([cast(convert([first]), dtype), convert(shape, dtype)], 0)


def whole_shape(x: TensorValue) -> Any:
    """A tensor's shape as a host operand."""
    return x.type.dims if x.type.is_static else shape_of(x)


def picked(x: TensorValue, places: TensorValue) -> Any:
    """The rows at some places."""
    if x.dtype is dt.variant:
        raise Refusal("lists cannot be divided by rows")
    return gather(x, places)


# -- the functions ------------------------------------------------------------------------------


def vectorized(
    fn: Callable[..., object],
    tensors: Sequence[TensorValue],
    like: object,
    count: Count,
    fallback: bool = True,
    warn: bool = True,
) -> Any:
    """`fn` of the rows of tensors, packed as the arguments `like`: in the graph that is traced.

    A tensor of which the first axis is of size 1 is the same for every row. NotVectorized where an
    op refuses all rows.
    """
    several = not isinstance(count, int) or count != 1
    single = [several and t.type.dims is not None and t.type.dims[0] == 1 for t in tensors]
    types = [t.type.with_dims(None if t.type.dims is None else t.type.dims[1:]) for t in tensors]

    @functools.wraps(fn)
    def dense(*row: Any) -> Any:
        return tree.map_structure(dense_cotangent, fn(*row))

    one = trace_body(dense, "vectorized_map", types, like)
    rewrite = Rewrite(count, fallback, warn)
    lanes = [Lane(t[0], False) if alone else Lane(t, True) for t, alone in zip(tensors, single)]
    lanes += [Lane(outside, False) for outside in one.graph.captured]
    return one.pack([rewrite.spread(lane) for lane in rewrite.run(one.graph, lanes)])


def in_graph(
    function: Callable[..., object], name: str, tensors: Sequence[TensorValue], like: object
) -> Any:
    """`function` of tensors packed as the arguments `like`, in the graph that is being traced.
    Eagerly, a graph is made for it and runs at once."""
    if current_tracer() is not None:
        return function(*tree.pack_sequence_as(like, list(tensors), expand_composites=True))
    body = trace_body(function, name, [t.type for t in tensors], like)
    return body.pack(apply(call_of(body.graph), *tensors, *body.graph.captured) or ())


def vectorized_map(
    fn: Callable[..., R], elems: object, fallback_to_while_loop: bool = True, warn: bool = True
) -> R:
    """Calls a function for each row of tensors, all rows at once, and stacks the results.

    The function is traced for one row; every op of it then takes the operands of all rows. Random
    ops draw anew for every row.

    Args:
        fn: A function of one row, in the structure of `elems`.
        elems: A tensor, or a nested structure of tensors, with as many rows each. One row is the
            same for all.
        fallback_to_while_loop: Whether an op that cannot take all rows at once may run in a loop.
        warn: Whether that gives a warning.

    Returns:
        The results, stacked along a new first axis, in their structure.

    Raises:
        TypeError: `fn` cannot be called.
        ValueError: `elems` holds no tensor, or an op must run in a loop and may not.
        InvalidArgumentError: The numbers of rows differ.
        IndexError: `elems` holds a scalar.

    >>> import graphwright as tf
    >>> tf.vectorized_map(lambda x: (x, x > 1), tf.constant([1, 2]))[1].numpy()
    array([False,  True])
    """
    check_callable(fn, "fn")
    leaves = [convert_to_tensor(leaf) for leaf in tree.flatten(elems, expand_composites=True)]
    if not leaves:
        raise ValueError(f"vectorized_map needs a tensor at least, got elems={elems}")

    def run(*arguments: Any) -> Any:
        tensors = tree.flatten(arguments, expand_composites=True)
        count = row_count(tensors)
        return vectorized(fn, tensors, (elems,), count, fallback_to_while_loop, warn)

    try:
        return in_graph(run, "vectorized_map", leaves, (elems,))
    except NotVectorized as refusal:
        raise ValueError(str(refusal)) from refusal.__cause__


def row_count(tensors: Sequence[TensorValue]) -> Any:
    """How many rows tensors have along their first axes, on which they must agree."""
    sizes = []
    for tensor in tensors:
        if tensor.type.rank == 0:
            raise IndexError(f"elems must be tensors of rank 1 at least, got the scalar {tensor}")
        sizes.append(first_size(tensor))
    known = sorted({size for size in sizes if isinstance(size, int) and size != 1})
    if len(known) > 1:
        raise InvalidArgumentError(
            None, None, f"elems must have the same number of rows, or one row: they have {known}"
        )
    unknown = [size for size in sizes if isinstance(size, Tensor)]
    return known[0] if known else unknown[0] if unknown else 1


def first_size(tensor: TensorValue) -> Any:
    """The size of a tensor's first axis."""
    dims = tensor.type.dims
    return shape_of(tensor)[0] if dims is None or dims[0] is None else dims[0]
