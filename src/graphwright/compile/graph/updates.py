"""Updates of variables by matrix products, done as the product is computed.

A step of gradient descent computes the gradient of a matrix as a product. Another pass over both
then subtracts a part of it, at up to a fifth of the product's cost: memory is far. So the kernel of
products gets the variable's memory and the update's factors, and the gradient is never stored.

A run decides whether that memory may be written (`ops.state.variable_ops.Loan`). If an earlier
read still needs it, the update goes to a copy. Other uses of the gradient, and effects in between,
decide too, so this is a pass over nodes, and no expansion of an assignment.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.graph.accumulate import uses_of
from graphwright.compile.graph.failures import may_fail
from graphwright.compile.graph.prune import like, prune
from graphwright.compile.graph.variable_cells import VariableCells
from graphwright.compile.nests.element_kinds import is_native_dtype
from graphwright.ir.graph import Graph, Node, Value
from graphwright.machine import matmul
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.ops.linalg.contraction import MatMul
from graphwright.ops.math.arithmetic import AddV2, Mul, Sub
from graphwright.ops.state.variable_ops import (
    AssignAddVariableOp,
    Assignment,
    AssignSubVariableOp,
    AssignVariableOp,
    ReadVariableOp,
    Storage,
)
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType


class ProductUpdate(Op):
    """variable = keep * variable + scale * (a @ b), or minus that if it `subtracts`."""

    type_name = "_ProductUpdate"
    inputs = ("resource: resource", "a: T", "b: T", "keep: T", "scale: T")
    dtypes = {"T": dt.FLOATING}
    behind = Storage
    effect = Effect.WRITE
    gradient = not_differentiable

    transpose_a: bool
    transpose_b: bool
    subtracts: bool

    def shapes(self, *operands: TensorType) -> Shapes:
        return ()

    def kernel(self, storage: Storage, a: Array, b: Array, keep: Array, scale: Array) -> None:
        x, y = a.T if self.transpose_a else a, b.T if self.transpose_b else b
        factors = float(keep), -float(scale) if self.subtracts else float(scale)

        def change(array: Array, out: Array | None) -> Array:
            total = array.copy() if out is None else out
            matmul.update(total, x, y, *factors)
            return total

        storage.revise(change)


class Product(NamedTuple):
    """A matrix product, times a factor if there is one."""

    op: MatMul
    operands: tuple[Value, ...]
    factor: Value | None


class Update(NamedTuple):
    """The new value of a variable: `keep` times the old one, plus or minus a product."""

    product: Product
    keep: Value | None
    subtracts: bool


class UpdateFinder:
    """Finds updates by products in a graph, node after node."""

    def __init__(self, graph: Graph) -> None:
        self.uses = uses_of(graph)
        self.cells = VariableCells(graph)
        self.reads: dict[Value, Value] = {}  # a read that still holds -> its handle

    def visit(self, node: Node) -> Update | None:
        """The update that the next node is, if it is one."""
        update = None
        if isinstance(node.op, ReadVariableOp):
            self.reads[node.outputs[0]] = node.inputs[0]
        elif isinstance(node.op, Assignment):
            handle = node.inputs[0]
            update = self.update(node)
            self.reads = {
                value: other
                for value, other in self.reads.items()
                if self.cells.distinct(handle, other)
            }
        elif node.op.effect is Effect.WRITE:
            self.reads = {}
        return update

    def cannot_fail(self, node: Node) -> bool:
        """Whether an assignment certainly succeeds."""
        handle, value = node.inputs
        known = value.type.size is not None and value.type.dims == self.cells.dims(handle)
        return known and self.cells.is_set(handle)

    def may_wait(self, updates: list[Node], node: Node) -> bool:
        """Whether updates may run after a node that follows them: nothing shows the difference."""
        if isinstance(node.op, (Assignment, ReadVariableOp)):
            handle = node.inputs[0]
            reads = isinstance(node.op, ReadVariableOp)
            happens = self.cells.is_set(handle) if reads else self.cannot_fail(node)
            return happens and all(self.cells.distinct(handle, u.inputs[0]) for u in updates)
        if isinstance(node.op, (Const, Placeholder)):
            return True
        return node.op.effect is Effect.NONE and is_native_values(node) and not may_fail(node)

    def update(self, node: Node) -> Update | None:
        """The update that an assignment is, if it adds a product, is large and cannot fail."""
        handle, value = node.inputs
        large = value.type.size is not None and value.type.size >= _LARGE
        if not large or not self.cannot_fail(node) or value.type.dtype not in _MULTIPLIED:
            return None
        if isinstance(node.op, (AssignAddVariableOp, AssignSubVariableOp)):
            product = self.product(value)
            subtracts = isinstance(node.op, AssignSubVariableOp)
            return product and Update(product, None, subtracts)
        if not isinstance(node.op, AssignVariableOp) or self.uses[value] > 1:
            return None
        total, subtracts = value.node, isinstance(value.node.op, Sub)
        if not isinstance(total.op, (AddV2, Sub)):
            return None
        for old, added in (total.inputs, total.inputs[::-1])[: 1 if subtracts else 2]:
            product = self.product(added)
            for keep, read in scaled(old):
                if product is not None and self.reads.get(read) is handle:
                    return Update(product, keep, subtracts)
        return None

    def product(self, value: Value) -> Product | None:
        """The product that a value is, if nothing else uses it."""
        for factor, product in scaled(value):
            node = product.node
            if isinstance(node.op, MatMul) and self.uses[value] == self.uses[product] == 1:
                return Product(node.op, node.inputs, factor)
        return None


#: The dtypes that the kernel multiplies.
_MULTIPLIED: frozenset[DType] = frozenset({dt.float32, dt.float64})

#: The fewest elements of a variable for which a pass over memory costs much.
_LARGE = 1 << 16


def scaled(value: Value) -> Iterator[tuple[Value | None, Value]]:
    """The ways to write a value as a factor, None for 1, times another value."""
    yield None, value
    if isinstance(value.node.op, Mul):
        x, y = value.node.inputs
        yield from ((f, other) for f, other in ((x, y), (y, x)) if f.type.dims == ())


def is_native_values(node: Node) -> bool:
    """Whether all inputs and outputs of a node have native dtypes."""
    return all(is_native_dtype(v.type.dtype) for v in (*node.inputs, *node.outputs))


def updated_by_products(graph: Graph) -> Graph:
    """The graph with `ProductUpdate` where a product changes a variable.

    Updates move behind other nodes where nothing shows it: those nodes then stay one segment.
    """
    reader = UpdateFinder(graph)
    nodes: list[Node] = []
    waiting: list[Node] = []
    for node in graph.nodes:
        update = reader.visit(node)
        if waiting and not reader.may_wait(waiting, node):
            nodes += waiting
            waiting = []
        if update is None:
            nodes.append(node)
            continue
        one = constant_one(node.inputs[1].type.dtype, node.name)
        nodes.append(one)
        op, operands, scale = update.product
        factors = [one.outputs[0] if f is None else f for f in (update.keep, scale)]
        inputs = (node.inputs[0], *operands, *factors)
        changed = ProductUpdate.of(op.transpose_a, op.transpose_b, update.subtracts)
        waiting.append(Node(changed, inputs, (), node.name, node.location))
    nodes += waiting
    return graph if len(nodes) == len(graph.nodes) else prune(like(graph, nodes, {}))


def constant_one(dtype: DType, name: str) -> Node:
    """A node that gives the constant 1."""
    type_ = TensorType(dtype, ())
    value = Literal(np.ones((), dtype.numpy_dtype), type_)
    return Node(Const(value), (), (type_,), f"{name}/one", None)
