"""Kernels that machine code calls: an op without a native form does not cost the loop.

Each op, with the dtypes and constants that it is given, has a number in this process. A program
gets the number as a constant, so that its text is the same in all processes. Machine code hands
over arrays that lie in its memory: operands, then results to be filled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.select.host_operands import is_size
from graphwright.ir.graph import Node, Value, subgraphs_of
from graphwright.op.op import Effect, host_value
from graphwright.ops.core.creation import Const
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array

#: The most axes of an array that machine code hands over.
MOST_AXES = 8


def may_be_called(node: Node) -> bool:
    """Whether machine code may call a node's kernel: it gives what operands determine."""
    op = node.op
    if op.effect is not Effect.NONE or op.has_stream or not node.outputs or subgraphs_of(op):
        return False
    return not op.type_name.startswith("_") and all(v.type.dims is not None for v in node.outputs)


def operands_in_memory(node: Node) -> tuple[Value, ...]:
    """The operands that a called kernel finds in memory; others are constants of the call."""
    return tuple([v for v, literal in zip(node.inputs, literals(node)) if literal is None])


def literals(node: Node) -> list[Array | None]:
    """For each operand its constant, if it is a host operand; None for what lies in memory."""
    result: list[Array | None] = []
    for value, is_host in zip(node.inputs, node.op.host_mask(len(node.inputs))):
        if is_host and isinstance(value.node.op, Const):
            result.append(value.node.op.value.array)
        elif is_size(value):
            raise NotNative(f"{node.op.type_name} takes a shape that is computed")
        else:
            result.append(None)
    return result


class KernelCall:
    """A kernel with its constants, as a function of arrays that gives 1 if it refuses, else 0."""

    def __init__(self, node: Node) -> None:
        op = node.op
        mask = op.host_mask(len(node.inputs))
        types = [v.type.dtype for v, is_host in zip(node.inputs, mask) if not is_host]
        self.kernel: Callable[..., Any] = op.bind_checked(types)
        self.single = len(node.outputs) == 1 and not op.returns_tuple
        self.operands: list[tuple[Any, bool, Any]] = []  # (constant or None, whether host, dtype)
        for literal, is_host, value in zip(literals(node), mask, node.inputs):
            constant = None if literal is None else host_value(literal)
            self.operands.append((constant, is_host, view_of(value)))
        self.targets = [view_of(value) for value in node.outputs]

    def arguments(self, arrays: Sequence[Array]) -> list[Any]:
        """What the kernel takes."""
        rest = iter(arrays)
        result: list[Any] = []
        for constant, is_host, view in self.operands:
            if constant is not None:
                result.append(constant)
                continue
            array = next(rest)
            if view is not None:
                array = array.view(view)
            result.append(host_value(array) if is_host else array)
        return result

    def __call__(self, arrays: Sequence[Array]) -> int:
        outcome = self.kernel(*self.arguments(arrays))
        results = (outcome,) if self.single else outcome
        targets = arrays[len(arrays) - len(self.targets) :]
        for target, view, result in zip(targets, self.targets, results, strict=True):
            place = target if view is None else target.view(view)
            array = np.asarray(result)
            if array.shape != place.shape or array.dtype != place.dtype:
                return 1
            place[...] = array
        return 0


def view_of(value: Value) -> Any:
    """The dtype as which a kernel takes an array, if machine code has another one for its bits."""
    return value.type.dtype.numpy_dtype if value.type.dtype is dt.bfloat16 else None


class KernelTable:
    """The kernels that machine code calls in this process, by their numbers."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.numbers: dict[Any, int] = {}
        self.calls: list[KernelCall] = []

    def number(self, node: Node) -> int:
        """The number of a node's kernel with its constants."""
        constants = [
            None if x is None else (x.dtype.str, x.shape, x.tobytes()) for x in literals(node)
        ]
        types = [v.type.dtype for v in (*node.inputs, *node.outputs)]
        key = node.op, tuple(types), tuple(constants)
        number = self.numbers.get(key)
        if number is None:
            call = KernelCall(node)
            with self.lock:
                number = self.numbers.setdefault(key, len(self.calls))
                if number == len(self.calls):
                    self.calls.append(call)
        return number


#: All of them. The ops of programs are few, and so are their kernels here.
KERNELS = KernelTable()


def called(number: int, *arrays: Array) -> int:
    """Runs a kernel for machine code: 1 if the call must be left to the slow tier, else 0.

    The slow tier then raises the kernel's error, with its words. An error that the kernel does not
    raise again comes from elsewhere, such as a handler of a signal, and goes on from here.
    """
    call = KERNELS.calls[number]
    try:
        return call(arrays)
    except Exception:
        if refuses(call, arrays):
            return 1
        raise


def refuses(call: KernelCall, arrays: Sequence[Array]) -> bool:
    """Whether a kernel raises an error for these operands."""
    try:
        call(arrays)
    except Exception:  # noqa: BLE001 - the slow tier raises it again
        return True
    return False
