"""Ops on large eager arrays as machine code, which is made at their first calls.

NumPy walks over memory once for each step of a formula, SciPy calls a function for each element,
and neither has a second thread. An op's record states its element expression, which traces compute
in one pass. Eager calls run the same code, so no polynomial is written twice. NumPy computes until
the code is ready, as with products (`machine.preparation`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.compile.nests.element_kinds import HALVES, KINDS
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.run.checking import checked
from graphwright.compile.run.options import OPTIONS, enabled
from graphwright.compile.run.straight_line import build
from graphwright.compile.run.tiers import native
from graphwright.ir.execution import Function
from graphwright.ir.graph import Graph
from graphwright.machine.preparation import Preparation
from graphwright.op.op import Op
from graphwright.op.op_families import Elementwise
from graphwright.op.scalars import NoNativeForm, Scalars
from graphwright.ops.core.creation import Const, Literal
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType

Kernel: TypeAlias = Callable[..., Any]

#: The fewest elements of an operand for which machine code is worth its call.
WORTH = 1 << 14

#: The same where it gives the bits of the kernel, which takes a microsecond for each pass. Calls
#: with less than `WORTH` have it made once they sum up to so many times that.
_WORTH_OF_EXACT, _PATIENCE = 1 << 9, 8

#: The words that NumPy computes as fast as memory allows.
PLAIN = frozenset({
    "abs", "add", "and", "bitand", "bitor", "bitxor", "cast", "ceil", "compare", "conj", "div",
    "floor", "invert", "isfinite", "isinf", "isnan", "maximum", "minimum", "mul", "neg", "not",
    "or", "rint", "sign", "sqrt", "sub", "xor",
})  # fmt: skip

#: The most kinds of rows for which one op has code.
_MOST_CODES = 16


class Words(Scalars[None]):
    """Element expressions that list the words they use."""

    def __init__(self) -> None:
        self.used: list[str] = []

    def constant(self, value: float, like: None) -> None:
        """A number, which costs nothing."""

    def unary(self, function: str, x: None) -> None:
        self.used.append(function)

    def binary(self, function: str, x: None, y: None) -> None:
        self.used.append(function)

    def compare(self, relation: str, x: None, y: None) -> None:
        self.used.append("compare")

    def select(self, condition: None, x: None, y: None) -> None:
        self.used.append("select")

    def add(self, x: None, y: None) -> None:
        self.used.append("add")

    def sub(self, x: None, y: None) -> None:
        self.used.append("sub")

    def mul(self, x: None, y: None) -> None:
        self.used.append("mul")

    def div(self, x: None, y: None) -> None:
        self.used.append("div")

    def neg(self, x: None) -> None:
        self.used.append("neg")

    def cast(self, x: None, dtype: DType) -> None:
        self.used.append("cast")


def is_slow(op: Op, types: Sequence[DType]) -> bool:
    """Whether NumPy evaluates an op's element expression slowly.

    That is in several passes, or in one that calls a function for each element, as for halves.
    """
    if not isinstance(op, Elementwise):
        return False
    kinds = [KINDS.get(dtype) for dtype in (*types, *op.result_dtypes(types))]
    if None in kinds:
        return False
    words = Words()
    try:
        op.element(words, *[None] * len(types))
    except NoNativeForm:
        return False
    return bool(words.used) and (
        len(words.used) > 1 or words.used[0] not in PLAIN or not {*HALVES}.isdisjoint(kinds)
    )


def kernel(op: Op, types: Sequence[DType], slow: Kernel) -> Kernel:
    """A kernel that computes small arrays as `slow` does and large ones natively."""
    if is_slow(op, types):
        fast = elementwise(op, types, slow)
    elif op.many_passes and all(dtype in KINDS for dtype in types):
        fast = rowwise(op, types, slow)
    else:
        return slow

    count = len(types)  # host operands come behind the tensors, if an op here has any
    is_exact = op.exact_passes

    def either(*arrays: Any) -> Any:
        for array in arrays[:count]:
            if array.size >= WORTH or (is_exact and array.size >= _WORTH_OF_EXACT):
                return fast(*arrays)
        return slow(*arrays)

    return either


def elementwise(op: Op, types: Sequence[DType], slow: Kernel) -> Kernel:
    """The kernel of an elementwise op, whose machine code takes vectors."""
    code = OperandCode(op, [TensorType(dtype, (None,)) for dtype in types])

    def fast(*arrays: Any) -> Any:
        native = code.ready()
        if native is None:
            return slow(*arrays)
        shape: Any = arrays[0].shape
        if any(array.shape != shape for array in arrays):
            try:
                (result,) = op.infer(list(map(TensorType, types, map(np.shape, arrays))))
                shape = result.dims
                arrays = tuple([np.broadcast_to(array, shape) for array in arrays])
            except ValueError:
                return slow(*arrays)  # which raises in its own words
        (result,) = native(*[array.ravel() for array in arrays])
        return result.reshape(shape)

    return fast


def rowwise(op: Op, types: Sequence[DType], slow: Kernel) -> Kernel:
    """The kernel of an op on rows.

    It has code for each number of axes, size of the last one and value of each host operand.
    """
    codes: dict[Any, OperandCode] = {}
    count = len(types)

    def fast(*arrays: Any) -> Any:
        hosts = arrays[count:]
        if not all(type(each) is int for each in hosts):
            return slow(*arrays)  # which refuses them
        shapes = [array.shape for array in arrays[:count]]
        key = (*[(len(shape), shape[-1:]) for shape in shapes], *hosts)
        code = codes.get(key)
        if code is None:
            try:
                op.infer([*map(TensorType, types, shapes), *hosts])
            except ValueError:
                return slow(*arrays)
            if len(codes) == _MOST_CODES:
                return slow(*arrays)
            dims = [(*[None] * len(shape[:-1]), *shape[-1:]) for shape in shapes]
            code = codes[key] = OperandCode(op, [*map(TensorType, types, dims), *hosts])
        native = code.ready(max([array.size for array in arrays[:count]]))
        return slow(*arrays) if native is None else native(*arrays[:count])[0]

    return fast


class OperandCode:
    """An op's machine code, for operands of certain types; host operands are numbers."""

    def __init__(self, op: Op, operands: Sequence[TensorType | int]) -> None:
        self.op = op
        self.operands = operands
        self.native: Function | None = None
        self.preparation = Preparation(self.make, patience=_PATIENCE)

    def ready(self, size: int | None = None) -> Function | None:
        """The function that runs it and returns a tuple; None if it is not ready, never will be, or
        is switched off. Without a size it is for a large operand."""
        if not enabled("native"):
            return None
        is_ready = self.preparation.is_ready_for(WORTH if size is None else size, WORTH)
        return self.native if is_ready else None

    def make(self) -> None:
        """Compiles a graph of the op alone."""
        graph = graph_of(self.op, self.operands)
        try:
            run = native(graph, is_quick=True)
        except NotNative:  # on this processor: NumPy goes on
            return
        self.native = run.function
        if OPTIONS.get("native") == "check":
            self.native = checked(run.function, build(graph), graph)


def graph_of(op: Op, operands: Sequence[TensorType | int]) -> Graph:
    """The graph of an op on operands of these types; host operands are constants."""
    graph = Graph(op.type_name)
    inputs = []
    for i, operand in enumerate(operands):
        if isinstance(operand, TensorType):
            graph.parameters.append(graph.placeholder(operand, f"x{i}"))
            inputs.append(graph.parameters[-1])
        else:
            number = TensorType(dt.int32, ())
            constant = Const(Literal(np.asarray(operand, np.int32), number))
            inputs.append(graph.add(constant, (), (number,)).outputs[0])
    node = graph.add(op, tuple(inputs), op.infer(operands))
    graph.results = list(node.outputs)
    return graph
