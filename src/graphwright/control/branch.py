"""Branches: `cond`, `case`, `switch_case`, and the ops that hold the branches' graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce, wraps
from typing import Any, TypeAlias, TypeVar

from graphwright.autodiff.reach import needs_of_branch
from graphwright.base.errors import InvalidArgumentError
from graphwright.control.assertions import assert_true
from graphwright.control.body import Body, GraphOp, share_captures, trace_body
from graphwright.control.branch_gradient import taped_branch
from graphwright.control.call import recomputed
from graphwright.ir.execution import function_of
from graphwright.ir.graph import Graph
from graphwright.ir.operation import Operation
from graphwright.ir.verify import verify_call
from graphwright.op.batching import Each, Same
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import (
    adds_to_open_graph,
    apply,
    convert,
    host_array,
    is_tensor,
)
from graphwright.op.needs import Needs
from graphwright.op.op import Call, Effect, Op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.identity import identity
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import stack
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.partition import dynamic_stitch
from graphwright.ops.core.static import static_value
from graphwright.ops.math.comparison import equal, less_equal, logical_and, logical_not, select
from graphwright.ops.math.reduction import reduce_sum
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import TensorType
from graphwright.types.type_spec import TypeSpec
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.tensor import Reference, Tensor
from graphwright.values.variable import Variable

#: One branch: a function without parameters.
Branch: TypeAlias = Callable[[], object]
R = TypeVar("R")
Q = TypeVar("Q")
#: Branches, numbered by their places or by themselves.
Branches: TypeAlias = Sequence[Branch] | Sequence[tuple[int, Branch]] | dict[int, Branch]
#: Scalars of bools, and the functions that are called where they are true.
Cases: TypeAlias = Sequence[tuple[TensorValue, Branch]] | dict[TensorValue, Branch]


class BranchingOp(GraphOp):
    """Runs one of several graphs, which take the same captures and no parameters."""

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The branches."""
        raise NotImplementedError

    def infer(self, operands: Sequence[object]) -> tuple[TensorType, ...]:
        return tuple([join_types(types) for types in zip(*map(result_types, self.graphs))])

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return tuple([type_.dtype for type_ in result_types(self.graphs[0])])

    def verify(self, operands: Sequence[TensorType]) -> None:
        # Shapes may differ: a gradient's side that is not taken gets what stands in for a value.
        taken = [type_.with_dims(None) for type_ in operands[1:]]
        results = [type_.with_dims(None) for type_ in result_types(self.graphs[0])]
        for graph in self.graphs:
            verify_call(graph, taken, results)

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        results: tuple[Any, ...] = self.bind(())(*arrays)
        return results

    @staticmethod
    def choosing(graphs: tuple[Graph, ...]) -> BranchingOp:
        """The op of this kind that runs one of these graphs."""
        raise NotImplementedError

    def taped(self, operands: tuple[Any, ...]) -> Op:
        return taped_branch(operands[0].type, self.graphs, self.choosing)

    def untaped(self, result: tuple[TensorValue, ...]) -> Any:
        return result[: len(self.graphs[0].results)]

    def needs(self) -> Needs:
        return needs_of_branch(self.graphs)

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        return recomputed(self, call, cotangents, is_stateful(self.graphs))

    def number(self, choice: TensorValue) -> Any:
        """Which graph runs, from the first operand."""
        raise NotImplementedError

    def batched(self, each: Each) -> Any:
        choice, *operands = each.inputs
        stacked = each.stacked[1:]
        if each.stacked[0]:
            return divided(each, self.number(choice), self.graphs, operands, stacked)
        differing = [any(flags) for flags in zip(*[each.flags(g, stacked) for g in self.graphs])]
        sides = [partial(each.run, graph, operands, stacked, differing) for graph in self.graphs]
        results = switch_case(self.number(choice), sides)
        return tuple([t if flag else Same(t) for t, flag in zip(results, differing)])


def divided(
    each: Each,
    number: TensorValue,
    graphs: Sequence[Graph],
    operands: Sequence[TensorValue],
    stacked: Sequence[bool],
) -> Any:
    """The results where each row chooses its graph: every graph runs for the rows of its own."""
    wanted = [True] * len(graphs[0].results)
    places = [where(equal(number, i))[:, 0] for i in range(len(graphs))]
    parts = [each.run(g, operands, stacked, wanted, p) for g, p in zip(graphs, places)]
    indices = [cast(p, dt.int32) for p in places]
    return tuple([dynamic_stitch(indices, list(pieces)) for pieces in zip(*parts)])


def result_types(graph: Graph) -> list[TensorType]:
    """The types of a graph's results."""
    return [value.type for value in graph.results]


def join_types(types: Sequence[TensorType]) -> TensorType:
    """The most specific type of several of one dtype."""
    joined = types[0]
    for other in types[1:]:
        join = joined.join(other)
        assert join is not None, "branches were compared before"
        joined = join
    return joined


class StatelessIf(BranchingOp):
    """The results of `then_branch` where cond is true, else those of `else_branch`."""

    type_name = "StatelessIf"
    inputs = ("cond: Tcond", "input: Tin...")
    outputs = ("output: Tout...",)
    dtypes = {"Tcond": dt.BOOL}

    then_branch: Graph
    else_branch: Graph

    @staticmethod
    def choosing(graphs: tuple[Graph, ...]) -> BranchingOp:
        return (If if is_stateful(graphs) else StatelessIf)(*graphs)

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The branches."""
        return (self.then_branch, self.else_branch)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        then, otherwise = function_of(self.then_branch), function_of(self.else_branch)

        def branch(condition: Array, *captured: Any) -> Any:
            if condition.shape:
                raise not_scalar(condition)
            return then(*captured) if condition else otherwise(*captured)

        return branch

    def number(self, choice: TensorValue) -> Any:
        return cast(logical_not(choice), dt.int32)


class If(StatelessIf):
    """A branch of which one side at least has effects."""

    type_name = "If"
    effect = Effect.WRITE


class StatelessCase(BranchingOp):
    """The results of branch number `branch_index`; of the last where there is none such."""

    type_name = "StatelessCase"
    inputs = ("branch_index: int32", "input: Tin...")
    outputs = ("output: Tout...",)

    branches: tuple[Graph, ...]

    @staticmethod
    def choosing(graphs: tuple[Graph, ...]) -> BranchingOp:
        return (Case if is_stateful(graphs) else StatelessCase)(graphs)

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The branches."""
        return self.branches

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        functions = [function_of(graph) for graph in self.branches]
        last = len(functions) - 1

        def switch(index: Array, *captured: Any) -> Any:
            if index.shape:
                raise not_scalar(index)
            return functions[index if 0 <= index <= last else last](*captured)

        return switch

    def number(self, choice: TensorValue) -> Any:
        last = len(self.branches) - 1
        return select(logical_and(choice >= 0, choice <= last), choice, last)


class Case(StatelessCase):
    """A choice of which one branch at least has effects."""

    type_name = "Case"
    effect = Effect.WRITE


def not_scalar(condition: Array) -> InvalidArgumentError:
    """The refusal of a condition with axes."""
    shape = ",".join(map(str, condition.shape))
    return InvalidArgumentError(
        None, None, f"The condition or branch index must be a scalar, but it has shape [{shape}]"
    )


def is_stateful(graphs: Sequence[Graph]) -> bool:
    """Whether one of the graphs has effects."""
    return any(graph.is_stateful for graph in graphs)


# -- cond -----------------------------------------------------------------------------------


def cond(
    pred: TensorLike,
    true_fn: Callable[[], R] | None = None,
    false_fn: Callable[[], Q] | None = None,
    name: str | None = None,
) -> R | Q:
    """Calls one of two functions, by a condition.

    Eagerly, one function is called. In a graph, both are traced, and the result has the shapes that
    both branches share.

    Args:
        pred: A scalar tensor of bools; eagerly also a Python bool.
        true_fn: A function without parameters, for the case that `pred` is true.
        false_fn: A function without parameters, for the case that it is false.
        name: A name for the op.

    Returns:
        What the function returns: a tensor or a nested structure of tensors. In a block of
        `tf.Graph.as_default` the condition stands in the place of operations.

    Raises:
        TypeError: A branch is no function; or, in a graph, `pred` is a Python bool, or the branches
            return different structures or dtypes.
        InvalidArgumentError: In a graph, `pred` is no scalar.

    >>> import graphwright as tf
    >>> x = tf.constant(3)
    >>> tf.cond(x > 2, lambda: x * 2, lambda: x + 1)
    <tf.Tensor: shape=(), dtype=int32, numpy=6>
    """
    check_callable(true_fn, "true_fn")
    check_callable(false_fn, "false_fn")
    assert true_fn is not None
    assert false_fn is not None
    if current_tracer() is None:
        return true_fn() if pred else false_fn()
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    name = name or "cond"
    condition = scalar_condition(convert(pred), "pred", name)
    branches: list[Branch] = [true_fn, false_fn]
    if adds_to_open_graph():
        branches = [with_tensors(branch, condition) for branch in branches]
    result: R = traced_cond(condition, branches[0], branches[1], name)
    return result


def with_tensors(branch: Branch, condition: TensorValue) -> Branch:
    """A branch that returns the condition in the place of operations: sessions fetch that."""

    @wraps(branch)
    def call() -> Any:
        return tree.map_structure(
            lambda leaf: identity(condition) if isinstance(leaf, Operation) else leaf, branch()
        )

    return call


def traced_cond(
    condition: TensorValue,
    true_fn: Branch,
    false_fn: Branch,
    name: str,
    late: Sequence[tuple[int, Branch]] = (),
) -> Any:
    """`cond` of a scalar tensor in a graph. `late` are items of what `true_fn` returns, a list,
    that are known only after both are traced: their positions, and what makes them.
    """
    then, otherwise = trace_body(true_fn, f"{name}_true"), trace_body(false_fn, f"{name}_false")
    for position, make in late:
        then.insert(position, make)
    structure = Agreement([then, otherwise], ["true_fn", "false_fn"], "tf.cond")
    captured = share_captures([then.graph, otherwise.graph])
    op = StatelessIf.choosing((then.graph, otherwise.graph))
    return structure.pack(apply(op, condition, *captured, name=name))


def check_callable(function: object, argument: str) -> None:
    """TypeError unless `function` can be called."""
    if not callable(function):
        raise TypeError(f"'{argument}' must be callable.")


def scalar_condition(condition: TensorValue, argument: str, name: str) -> Any:
    """The one bool of a condition, as far as can be known; InvalidArgumentError if it is none."""
    if condition.dtype is not dt.bool_:
        raise InvalidArgumentError(
            None,
            None,
            f"'{argument}' of {name!r} must be a bool, got {condition.dtype.name}: "
            f"compare it, as in `{argument} != 0`.",
        )
    if not may_be_one(condition):
        raise InvalidArgumentError(
            None,
            None,
            f"'{argument}' of {name!r} must be a scalar, but it has shape {condition.shape}",
        )
    return one_element(condition)


def may_be_one(condition: TensorValue) -> bool:
    """Whether a condition may have one element: its rank does not matter."""
    return TensorShape(condition.shape).num_elements() in (1, None)


def one_element(condition: TensorValue) -> TensorValue:
    """The one element of a condition; where it has more or none, it fails as it runs."""
    if condition.type.rank == 0:
        return condition
    scalar: TensorValue = reshape(condition, [])
    return scalar


class Agreement:
    """The common result structure of branches; an error that shows both where there is none."""

    def __init__(self, bodies: Sequence[Body], names: Sequence[str], caller: str) -> None:
        widen_indices(bodies)
        self.first = bodies[0]
        for body, name in zip(bodies[1:], names[1:]):
            self._compare(body, names[0], name, caller)
        self.structure = join_structures([body.structure for body in bodies])

    def _compare(self, body: Body, first_name: str, name: str, caller: str) -> None:
        first = self.first
        try:
            tree.assert_same_structure(first.structure, body.structure, expand_composites=True)
        except (TypeError, ValueError) as error:
            raise mismatch(first, body, first_name, name, caller, str(error)) from None
        for a, b in zip(first.leaves, body.leaves):
            if (a is None) != (b is None):
                shown = mismatch(
                    first, body, first_name, name, caller, f"{a} and {b}: one is None, one is not"
                )
                raise ValueError(*shown.args)
            if a is not None and a.dtype is not b.dtype:
                raise mismatch(
                    first, body, first_name, name, caller, f"{a} and {b} have different types"
                )

    def pack(self, tensors: Sequence[TensorValue] | None) -> Any:
        """The op's results in the structure that the branches returned."""
        remaining = iter(tensors or ())
        filled = [None if leaf is None else next(remaining) for leaf in self.first.leaves]
        return tree.pack_sequence_as(self.structure, filled, expand_composites=True)


def widen_indices(bodies: Sequence[Body]) -> None:
    """Gives slices that are int32 in one branch and int64 in another the wider indices in all."""
    rows = [tree.flatten(body.structure) for body in bodies]
    if len({len(row) for row in rows}) > 1:
        return
    mixed = {
        id(leaf)
        for leaves in zip(*rows)
        if all(isinstance(leaf, IndexedSlices) for leaf in leaves)
        and {leaf.indices.dtype for leaf in leaves} == {dt.int32, dt.int64}
        for leaf in leaves
    }

    def widened(leaf: Any) -> Any:
        if id(leaf) not in mixed:
            return leaf
        return IndexedSlices(leaf.values, cast(leaf.indices, dt.int64), leaf.dense_shape)

    for body in bodies if mixed else ():
        body.replace(widened)


def mismatch(
    first: Body, second: Body, first_name: str, name: str, caller: str, details: str
) -> TypeError:
    """The error for branches whose results differ in structure or dtype."""
    return TypeError(
        f"{first_name} and {name} arguments to {caller} must have the same number, type, and "
        f"overall structure of return values. {first_name} returns {first}, {name} returns "
        f"{second}.\n\n{first_name} output: {first.structure}\n"
        f"{name} output: {second.structure}\n\nError details:\n{details}"
    )


def join_structures(structures: Sequence[object]) -> Any:
    """The first structure, its composites as general as those of all."""
    flat = [tree.flatten(structure) for structure in structures]
    return tree.pack_sequence_as(structures[0], [join_leaves(leaves) for leaves in zip(*flat)])


def join_leaves(leaves: Sequence[object]) -> Any:
    """The first leaf, or for composites one of their common type.

    An array that no item has come into yet takes those whose shape another branch has put in.
    """
    if hasattr(leaves[0], "_with_item_shape_of"):
        arrays: Any = leaves
        leaves = [reduce(lambda one, two: one._with_item_shape_of(two), arrays, a) for a in arrays]
    spec = getattr(leaves[0], "__graphwright_spec__", None)
    if not isinstance(spec, TypeSpec):
        return leaves[0]
    others: Sequence[Any] = leaves[1:]
    joined = spec.most_specific_common_supertype([v.__graphwright_spec__ for v in others])
    assert joined is not None, "structures were compared before"
    return joined._from_components(spec._to_components(leaves[0]))


# -- switch_case ----------------------------------------------------------------------------


def smart_cond(
    pred: TensorLike,
    true_fn: Branch | None = None,
    false_fn: Branch | None = None,
    name: str | None = None,
) -> Any:
    """Calls one of two functions, by a condition; it traces both only where that is not known.

    Args:
        pred: A scalar tensor of bools, a Python bool, or 0 or 1.
        true_fn: A function without parameters, for the case that `pred` is true.
        false_fn: A function without parameters, for the case that it is false.
        name: A name for the op.

    Returns:
        What the function returns.

    Raises:
        TypeError: `pred` is something else, or a branch is no function.

    >>> import graphwright as tf
    >>> from graphwright.control.branch import smart_cond
    >>> smart_cond(1, lambda: "yes", lambda: "no")
    'yes'
    """
    check_callable(true_fn, "true_fn")
    check_callable(false_fn, "false_fn")
    if not is_tensor(pred) and pred not in (0, 1):
        raise TypeError(f"`pred` must be a tensor, a bool, 1 or 0, got {pred!r}.")
    known = static_value(pred) if is_tensor(pred) else pred
    if known is None:
        return cond(pred, true_fn, false_fn, name)
    chosen: Any = true_fn if known else false_fn
    return chosen()


def switch_case(
    branch_index: Tensor,
    branch_fns: Branches,
    default: Branch | None = None,
    name: str | None = "switch_case",
) -> Any:
    """Calls one of several functions, by an index.

    Eagerly, one function is called. In a graph, all are traced.

    Args:
        branch_index: A scalar tensor of integers. An index of no function means `default`.
        branch_fns: Functions without parameters: a list of them, a list of pairs (index, function),
            or a dict.
        default: A function without parameters. None means that of the last index.
        name: A name for the op.

    Returns:
        What the function returns: a tensor or a nested structure of tensors.

    Raises:
        TypeError: `branch_index` is no tensor of integers, `branch_fns` is of no such form, or, in
            a graph, the branches return different structures or dtypes.
        ValueError: There is no function, or the indices are not 0, 1, ... without a gap.

    >>> import graphwright as tf
    >>> tf.switch_case(tf.constant(1), [lambda: 10, lambda: 20])
    20
    """
    if not isinstance(branch_index, Tensor) or isinstance(branch_index, Variable):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    functions = numbered(branch_fns)
    for i, function in enumerate(functions):
        check_callable(function, f"branch_fns[{i}]")
    if default is not None:
        check_callable(default, "default")
        functions.append(default)
    last = len(functions) - 1
    if current_tracer() is None:
        chosen = int(host_array(branch_index))
        return functions[chosen if 0 <= chosen <= last else last]()
    name = name or "switch_case"
    index = cast(branch_index, dt.int32)
    bodies = [trace_body(f, f"{name}_branch{i}") for i, f in enumerate(functions)]
    names = [f"branches[{i}]" for i in range(len(bodies))]
    structure = Agreement(bodies, names, "tf.switch_case")
    graphs = tuple([body.graph for body in bodies])
    captured = share_captures(graphs)
    op = StatelessCase.choosing(graphs)
    return structure.pack(apply(op, index, *captured, name=name))


def numbered(branch_fns: object) -> list[Any]:
    """The branch functions in the order of their numbers; ValueError where one is missing."""
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError(f"'branch_fns' must be a list, tuple, or dict. Received {type(branch_fns)}")
    if not branch_fns:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    pairs = list(branch_fns.items()) if isinstance(branch_fns, dict) else list(branch_fns)
    if all(callable(entry) for entry in pairs):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        if not isinstance(pair[0], int):
            raise TypeError(f"Key must be a Python `int`. Received {type(pair[0])}")
    keys = sorted(number for number, _ in pairs)
    if keys != list(range(len(pairs))):
        shown = ",".join(map(str, keys))
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found "
            f"{{{shown}}}"
        )
    by_number = dict(pairs)
    return [by_number[i] for i in keys]


# -- case -----------------------------------------------------------------------------------


def case(
    pred_fn_pairs: Cases,
    default: Branch | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Calls the function of the first predicate that is true.

    Args:
        pred_fn_pairs: Pairs of a scalar tensor of bools and a function without parameters: a list
            or a dict.
        default: A function without parameters, for the case that no predicate is true. None means
            that one must be.
        exclusive: Whether at most one predicate may be true.
        strict: Accepted for TensorFlow's signature and not used; lists that functions return are
            never unpacked.
        name: A name for the op.

    Returns:
        What the function returns: a tensor or a nested structure of tensors.

    Raises:
        TypeError: `pred_fn_pairs` is of no such form, or a predicate is no tensor of bools.
        ValueError: There are no pairs.
        InvalidArgumentError: No predicate is true and there is no default, or several are true with
            `exclusive`.

    >>> import graphwright as tf
    >>> x = tf.constant(2)
    >>> tf.case([(x < 1, lambda: 10), (x < 3, lambda: 20)], default=lambda: 30)
    20
    """
    pairs = checked_pairs(pred_fn_pairs)
    if exclusive and pairs:
        preds = stack([pred for pred, _ in pairs])
        message = "Input error: exclusive=True: more than 1 conditions evaluated as True:"
        assert_true(less_equal(reduce_sum(cast(preds, dt.int32)), 1), [message, preds], len(pairs))
    if default is None:
        *pairs, (last_pred, last_fn) = pairs
        default = guarded(last_pred, last_fn, [pred for pred, _ in pairs] + [last_pred])
    else:
        check_callable(default, "default")
    chain: Branch = default
    for pred, function in reversed(pairs):
        chain = chained(pred, function, chain, f"{name}/cond")
    return chain()


def chained(pred: TensorValue, function: Branch, otherwise: Branch, name: str) -> Branch:
    """`function()` if `pred`, else `otherwise()`."""
    return lambda: cond(pred, function, otherwise, name)


def guarded(pred: TensorValue, function: Branch, preds: Sequence[TensorValue]) -> Branch:
    """`function()`, after a check that its predicate, the last that is left, is true."""

    def checked() -> object:
        message = "Input error: None of conditions evaluated as True:"
        assert_true(pred, [message, stack(list(preds))])
        return function()

    return checked


def checked_pairs(pairs: object) -> list[tuple[Any, Branch]]:
    """The (predicate, function) pairs; TypeError for anything else."""
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pairs)}")
    checked = [*pairs.items()] if isinstance(pairs, dict) else [*pairs]
    if not checked:
        raise ValueError("'pred_fn_pairs' must have at least one (predicate, function) pair")
    result = []
    for pair in checked:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        pred, function = pair
        pred = pred.deref() if isinstance(pred, Reference) else pred
        if not isinstance(pred, (Tensor, Variable)):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        if pred.dtype is not dt.bool_:
            raise TypeError(f"pred must be Tensor of type bool: {pred}")
        if not callable(function):
            raise TypeError(f"fn for pred {pred} must be callable.")
        result.append((pred, function))
    return result
