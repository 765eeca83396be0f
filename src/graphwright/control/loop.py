"""Loops: `while_loop`, and the op that holds a loop's graphs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

import numpy as np

from graphwright.autodiff.reach import needs_of_loop
from graphwright.base.errors import InvalidArgumentError
from graphwright.control.body import Body, GraphOp, hoist_reads, share_captures, trace_body
from graphwright.control.branch import check_callable, is_stateful, not_scalar, scalar_condition
from graphwright.control.call import recomputed
from graphwright.control.loop_gradient import taped_loop
from graphwright.ir.execution import function_of
from graphwright.ir.graph import Graph
from graphwright.ir.verify import verify_call
from graphwright.op.batching import Each, Same
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.needs import Needs
from graphwright.op.op import Call, Effect, Op
from graphwright.ops.core.identity import Identity, ensure_shape
from graphwright.ops.core.indexing import where
from graphwright.ops.core.scattering import tensor_scatter_nd_update
from graphwright.ops.math.comparison import logical_and
from graphwright.ops.math.reduction import reduce_any
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import ShapeLike, Tensor, TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import (
    Dims,
    TensorType,
    is_compatible,
    is_subshape,
    join_dims,
)
from graphwright.types.type_spec import TypeSpec
from graphwright.values.convert import convert_to_tensor

#: The variables of a loop, as its body returns them.
State = TypeVar("State")


class StatelessWhile(GraphOp):
    """Repeats `body` on the loop variables while `cond` says so.

    Both graphs have the loop variables as parameters and the same captures; the body returns the
    variables' next values. Operands: the variables, then what is captured. In a GraphDef, While
    knows only variables: captures are variables that the body returns as they are.
    """

    type_name = "StatelessWhile"
    inputs = ("input: T...",)
    outputs = ("output: T...",)

    cond: Graph
    body: Graph

    def infer(self, operands: Sequence[object]) -> tuple[TensorType, ...]:
        return tuple([value.type for value in self.body.parameters])

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return tuple([value.type.dtype for value in self.body.parameters])

    def verify(self, operands: Sequence[TensorType]) -> None:
        variables = [value.type for value in self.body.parameters]
        verify_call(self.cond, operands, [TensorType(dt.bool_, None)])
        verify_call(self.body, operands, variables)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        condition, body = function_of(self.cond), function_of(self.body)
        count = len(self.body.parameters)

        def loop(*arguments: Any) -> tuple[Any, ...]:
            variables, captured = arguments[:count], arguments[count:]
            del arguments  # or the first values would live as long as the loop
            while True:
                (again,) = condition(*variables, *captured)
                if not again:
                    return variables
                if again.shape:
                    raise not_scalar(again)
                variables = body(*variables, *captured)

        return loop

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        results: tuple[Any, ...] = self.bind(())(*arrays)
        return results

    @staticmethod
    def repeating(cond: Graph, body: Graph) -> StatelessWhile:
        """The loop of these graphs."""
        return (While if is_stateful((cond, body)) else StatelessWhile)(cond, body)

    def taped(self, operands: tuple[object, ...]) -> Op:
        return taped_loop(self.cond, self.body, self.repeating)

    def untaped(self, result: tuple[TensorValue, ...]) -> Any:
        return result[: len(self.body.parameters)]

    def needs(self) -> Needs:
        return needs_of_loop(self.cond, self.body)

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        return recomputed(self, call, cotangents, is_stateful((self.cond, self.body)))

    def batched(self, each: Each) -> Any:
        count = len(self.body.parameters)
        stacked = list(each.stacked)
        while True:  # what one iteration makes different from row to row, the next one may spread
            left = each.flags(self.body, stacked)
            if all(was for was, is_now in zip(stacked, left) if is_now):
                break
            stacked[:count] = [a or b for a, b in zip(stacked, left)]
        by_row = each.flags(self.cond, stacked)[0]
        if by_row:
            stacked[:count] = [True] * count
        run = LoopOfRows(self, each, stacked)
        results = run.each_its_own() if by_row else run.together()
        return tuple([t if flag else Same(t) for t, flag in zip(results, stacked)])


class LoopOfRows:
    """A loop for many rows, of which `stacked` operands differ."""

    def __init__(self, op: StatelessWhile, each: Each, stacked: Sequence[bool]) -> None:
        self.op = op
        self.each = each
        self.stacked = stacked
        self.count = len(op.body.parameters)
        flags = stacked[: self.count]
        self.start = [each.full(i) if f else each.inputs[i] for i, f in enumerate(flags)]
        self.shapes = [
            each.row_type(value.type, flag) for value, flag in zip(op.body.parameters, flags)
        ]

    def run(
        self,
        graph: Graph,
        variables: Sequence[TensorValue],
        wanted: Sequence[bool],
        places: TensorValue | None = None,
    ) -> Any:
        """One of the loop's graphs."""
        inputs = [*variables, *self.each.inputs[self.count :]]
        return self.each.run(graph, inputs, self.stacked, wanted, places)

    def together(self) -> Sequence[Any]:
        """The variables in the end, where all rows go on equally long."""
        return self.loop(
            lambda *variables: self.run(self.op.cond, variables, [False])[0],
            lambda *variables: self.run(self.op.body, variables, self.stacked[: self.count]),
            self.start,
            self.shapes,
        )

    def each_its_own(self) -> Sequence[Any]:
        """The variables in the end, where each row stops by itself: the body runs for those that
        go on."""
        (going,) = self.run(self.op.cond, self.start, [True])

        def body(going: TensorValue, *variables: Any) -> Any:
            places = where(going)
            every = [True] * self.count
            moved = self.run(self.op.body, variables, every, places[:, 0])
            after = [tensor_scatter_nd_update(v, places, m) for v, m in zip(variables, moved)]
            (again,) = self.run(self.op.cond, after, [True])
            return logical_and(going, again), *after

        types = [going.type, *self.shapes]
        start = [going, *self.start]
        return self.loop(lambda going, *_: reduce_any(going), body, start, types)[1:]

    def loop(
        self,
        cond: Callable[..., TensorLike],
        body: Callable[..., object],
        start: Sequence[TensorValue],
        types: Sequence[TensorType],
    ) -> Sequence[Any]:
        """The loop, with variables of these types."""
        if not start:
            return []
        shapes = [TensorShape.from_dims(type_.dims) for type_ in types]
        results: Sequence[Any] = while_loop(cond, body, start, shapes)
        return results


class While(StatelessWhile):
    """A loop with effects."""

    type_name = "While"
    effect = Effect.WRITE


@overload
def while_loop(
    cond: Callable[..., TensorLike],
    body: Callable[..., object],
    loop_vars: list[Tensor],
    shape_invariants: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: TensorLike | None = None,
    name: str | None = None,
) -> list[Tensor]: ...
@overload
def while_loop(
    cond: Callable[..., TensorLike],
    body: Callable[..., State],
    loop_vars: tuple[object, ...],
    shape_invariants: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: TensorLike | None = None,
    name: str | None = None,
) -> State: ...
@overload
def while_loop(
    cond: Callable[..., TensorLike],
    body: Callable[..., object],
    loop_vars: Sequence[object],
    shape_invariants: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: TensorLike | None = None,
    name: str | None = None,
) -> Any: ...
def while_loop(
    cond: Callable[..., TensorLike],
    body: Callable[..., object],
    loop_vars: Sequence[object],
    shape_invariants: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Repeats a function of variables as long as a condition of them is true.

    Args:
        cond: A function of the variables that returns a scalar of bools.
        body: A function of the variables that returns their next values, in the same structure.
        loop_vars: A list or tuple of tensors or nested structures: the first values.
        shape_invariants: A structure like `loop_vars` of the shapes that variables may have in the
            loop, as `tf.TensorShape` or `tf.TensorSpec`. None means the shapes of the first values.
        parallel_iterations: A positive whole number, and not used.
        back_prop: Accepted for TensorFlow's signature and not used.
        swap_memory: Accepted for TensorFlow's signature and not used.
        maximum_iterations: The greatest number of iterations: a scalar of integers. None sets no
            limit.
        name: A name for the loop.

    Returns:
        The last values, in the structure of `loop_vars`.

    Raises:
        TypeError: `cond` or `body` cannot be called; or, in a graph, `loop_vars` is no list or
            tuple, or a dtype changes.
        ValueError: The structure changes; or, in a graph, a shape changes in a way that
            `shape_invariants` does not allow.

    >>> import graphwright as tf
    >>> tf.while_loop(lambda i: i < 100, lambda i: (i * 2,), (tf.constant(7),))
    (<tf.Tensor: shape=(), dtype=int32, numpy=112>,)
    """
    check_callable(cond, "cond")
    check_callable(body, "body")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if current_tracer() is None:
        return run_eagerly(cond, body, loop_vars, maximum_iterations)
    loop = TracedLoop(loop_vars, shape_invariants, name or "while")
    if maximum_iterations is not None:
        return loop.limited(cond, body, maximum_iterations)
    return loop.trace(cond, body)


def run_eagerly(
    cond: Callable[..., TensorLike],
    body: Callable[..., object],
    loop_vars: Sequence[object],
    maximum_iterations: TensorLike | None,
) -> Any:
    """The loop as a Python loop."""
    if not tree.is_nested(loop_vars) or not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    wrapped = len(loop_vars) == 1
    bound: Any = maximum_iterations
    limit = None if bound is None else operator.index(bound)
    done = 0
    while (limit is None or done < limit) and cond(*loop_vars):
        results: Any = body(*loop_vars)
        if wrapped and not is_alike(results, loop_vars):
            results = [results]
        tree.assert_same_structure(list(loop_vars), list(results), check_types=False)
        loop_vars = results
        done += 1
    return tree.map_structure(convert_leaf, loop_vars)


def is_alike(results: object, loop_vars: Sequence[object]) -> bool:
    """Whether results have the structure of the loop's variables."""
    if not isinstance(results, (list, tuple)) or len(results) != len(loop_vars):
        return False
    try:
        tree.assert_same_structure(list(loop_vars), list(results), check_types=False)
    except ValueError:
        return False
    return True


def convert_leaf(value: TensorLike) -> Any:
    """A loop variable as a tensor; composites such as TensorArrays stay as they are."""
    is_symbolic = isinstance(value, SymbolicTensor)
    if not is_symbolic and getattr(value, "__graphwright_spec__", None) is not None:
        return value
    return convert_to_tensor(value)


class TracedLoop:
    """A loop being traced: its variables and what their types may be."""

    def __init__(self, loop_vars: Sequence[object], shape_invariants: object, name: str) -> None:
        if not isinstance(loop_vars, (list, tuple)):
            raise TypeError(f"'loop_vars' must be a list or tuple, got {loop_vars!r}")
        self.name = name
        self.structure = tree.map_structure(convert_leaf, loop_vars)
        tensors = tree.flatten(self.structure, expand_composites=True)
        if shape_invariants is None:
            shape_invariants = tree.map_structure(lambda _: AS_IT_IS, self.structure)
        tree.assert_same_structure(self.structure, shape_invariants)
        self.types = invariant_types(self.structure, shape_invariants)
        self.tensors = [entering(*pair) for pair in zip(tensors, self.types)]

    def trace(self, cond: Callable[..., TensorLike], body: Callable[..., object]) -> Any:
        """Adds the loop to the graph being traced."""
        condition = trace_body(
            lambda *args: scalar_condition(convert(cond(*args)), "cond", self.name),
            f"{self.name}_cond",
            self.types,
            self.structure,
        )
        step = trace_body(
            lambda *args: self.aligned(body(*args)),
            f"{self.name}_body",
            self.types,
            self.structure,
        )
        self.check(step)
        graphs = (condition.graph, step.graph)
        hoist_reads(graphs)
        captured = share_captures(graphs)
        op = StatelessWhile.repeating(*graphs)
        results = apply(op, *self.tensors, *captured, name=self.name)
        # The body shows the shapes of items; no type has the sizes of arrays that cannot grow.
        left = with_known_arrays(self.structure, step.structure, "_with_item_shape_of")
        packed = tree.pack_sequence_as(left, results or (), expand_composites=True)
        return with_known_arrays(packed, self.structure, "_with_size_of")

    def limited(
        self,
        cond: Callable[..., TensorLike],
        body: Callable[..., object],
        maximum_iterations: TensorLike,
    ) -> Any:
        """The loop with a counter in front of its variables."""
        limit = convert(maximum_iterations)
        if isinstance(maximum_iterations, np.inexact):  # a graph casts NumPy's floats
            limit = convert(int(maximum_iterations))
        if not limit.dtype.is_integer:
            raise TypeError(f"'maximum_iterations' must be an integer, got {limit}")
        if limit.type.rank not in (0, None):
            raise InvalidArgumentError(
                None,
                None,
                f"'maximum_iterations' of {self.name!r} must be a scalar, got shape {limit.shape}",
            )
        zero = convert(0, limit.dtype)
        counted = TracedLoop.__new__(TracedLoop)
        counted.name = self.name
        counted.structure = (zero, self.structure)
        counted.tensors = [zero, *self.tensors]
        counted.types = [TensorType(limit.dtype, ()), *self.types]
        return counted.trace(
            lambda count, variables: logical_and(count < limit, cond(*variables)),
            lambda count, variables: (count + 1, self.aligned(body(*variables))),
        )[1]

    def aligned(self, results: object) -> Any:
        """What the body returned, in the structure of the variables; ValueError if it differs."""
        like = self.structure
        values: Any = results
        if not isinstance(results, (list, tuple)) or (
            len(like) == 1 and not is_alike(results, like)
        ):
            values = [results]
        flat = tree.flatten(values, expand_composites=True)
        if len(flat) != len(self.tensors) or len(values) != len(like):
            raise ValueError(
                "The two structures don't have the same nested structure: the loop's body "
                f"returned {len(values)} variables of {len(flat)} tensors, but {len(like)} of "
                f"{len(self.tensors)} enter the loop. It returned\n{values}\nfor the loop "
                f"variables\n{like}"
            )
        if any(leaf is None for leaf in flat):
            raise ValueError(
                f"The loop's body returned None for a loop variable. It returned\n{values}\n"
                f"for the loop variables\n{like}"
            )
        packed = tree.pack_sequence_as(like, [convert_to_tensor(v) for v in flat], True)
        return with_known_arrays(packed, values, "_with_item_shape_of")

    def check(self, step: Body) -> None:
        """Refuses a body that changes the type of a variable."""
        for tensor, entered, result in zip(self.tensors, self.types, step.tensors):
            left = result.type
            name = getattr(tensor, "name", tensor) if current_tracer() else tensor
            if left.dtype is not entered.dtype:
                raise TypeError(
                    f"Loop var {name} enters the loop with type {entered.dtype} but has type "
                    f"{left.dtype} after 1 iteration. {name} type should remain constant."
                    + made_at(tensor, result)
                )
            if not is_subshape(left.dims, entered.dims):
                raise ValueError(
                    f"Input tensor `{name}` enters the loop with shape "
                    f"{TensorShape.from_dims(entered.dims)}, but has shape {result.shape} after "
                    "one iteration. To allow the shape to vary across iterations, use the "
                    "`shape_invariants` argument of tf.while_loop to specify a less-specific "
                    "shape." + made_at(tensor, result)
                )


def with_known_arrays(variables: object, others: object, method: str) -> Any:
    """Loop variables, their arrays with what a method takes over from those in the same places."""
    pairs = list(zip(tree.flatten(variables), tree.flatten(others)))
    # Tensors look for attributes that they lack by words, and classes do not.
    if not any(hasattr(type(one), method) for one, _ in pairs):
        return variables
    known = [getattr(a, method)(b) if hasattr(type(a), method) else a for a, b in pairs]
    return tree.pack_sequence_as(variables, known)


def made_at(entering: object, after: object) -> str:
    """Where a loop variable's tensors were made, before the loop and in its body, where known."""
    lines = []
    for when, tensor in (("before the loop", entering), ("in the body", after)):
        node = tensor._value.node if isinstance(tensor, SymbolicTensor) else None
        while node is not None and isinstance(node.op, Identity) and node.location is None:
            node = node.inputs[0].node
        if node is not None and node.location is not None:
            lines.append(f"\n  {when}: {node.location}")
    return "".join(lines)


#: The invariant of a variable for which none was given.
AS_IT_IS = object()


def invariant_types(structure: object, shape_invariants: object) -> list[TensorType]:
    """The types of the loop's tensors under the invariants that were given."""
    types: list[TensorType] = []
    for leaf, invariant in zip(tree.flatten(structure), tree.flatten(shape_invariants)):
        if isinstance(leaf, Composite):
            spec = composite_invariant(leaf.__graphwright_spec__, invariant)
            types += [tensor.type for tensor in spec.flatten()]
        elif invariant is AS_IT_IS:
            types.append(leaf.type)
        else:
            types.append(leaf.type.with_dims(allowed_dims(leaf, invariant_dims(invariant))))
    return types


def allowed_dims(tensor: Tensor, dims: Dims | None) -> Dims | None:
    """The dims of an invariant, or those that admit the tensor too where it has other ones."""
    enters = tensor.type.dims
    return dims if is_compatible(enters, dims) else join_dims(enters, dims)


def entering(tensor: Tensor, type_: TensorType) -> Any:
    """A tensor that enters a loop, whose shape is looked at where only an invariant says it."""
    if is_subshape(tensor.type.dims, type_.dims):
        return tensor
    return ensure_shape(tensor, TensorShape.from_dims(type_.dims), "shape_invariants")


def composite_invariant(spec: Any, invariant: TypeSpec | ShapeLike) -> Any:
    """The type that a composite of one type has in all iterations."""
    if invariant is AS_IT_IS or invariant is None:
        return spec
    if not isinstance(invariant, TypeSpec):
        return spec._with_shape(TensorShape(invariant))
    if not spec.is_subtype_of(invariant):
        raise ValueError(
            f"the shape invariant {invariant!r} does not allow a loop variable {spec!r}"
        )
    return invariant


def invariant_dims(invariant: TensorSpec | ShapeLike) -> Dims | None:
    """The dims that an invariant allows: a TensorShape, a TensorSpec, or None for any shape."""
    if isinstance(invariant, TensorSpec):
        return invariant.type.dims
    return TensorShape(invariant)._dims
