"""Kernels that machine code calls: an op without a native form does not cost the loop.

Each op, with the dtypes and constants that it is given, has a number in this process. A program
gets the number as a constant, so that its text is the same in all processes. Machine code hands
over arrays that lie in its memory: operands, then results to be filled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.forks import own_lock
from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.select.host_operands import is_size
from graphwright.ir.graph import Node, Value, subgraphs_of
from graphwright.op.op import Effect, host_value
from graphwright.ops.core.creation import Const
from graphwright.ops.core.joining import Pack
from graphwright.types.arrays import Array, ArrayDType

#: The most axes of an array that machine code hands over.
MOST_AXES = 8


def may_be_called(node: Node) -> bool:
    """Whether machine code may call a node's kernel: it gives what operands determine."""
    op = node.op
    if op.effect is not Effect.NONE or op.has_stream or not node.outputs or subgraphs_of(op):
        return False
    return not op.is_of_lowering and all(v.type.dims is not None for v in node.outputs)


def operands_in_memory(node: Node) -> tuple[Value, ...]:
    """The operands that a called kernel finds in memory; others are constants of the call."""
    return tuple([v for operand in operands_of(node) for v in operand.values])


class CallOperand(NamedTuple):
    """An operand of a kernel: a constant, a value in memory, or a vector of such numbers."""

    is_host: bool
    constant: Array | None
    values: tuple[Value, ...] = ()
    is_vector: bool = False


def operands_of(node: Node) -> list[CallOperand]:
    """The operands of a node whose kernel machine code calls. `NotNative` if one is a shape."""
    result = []
    for value, is_host in zip(node.inputs, node.op.host_mask(len(node.inputs))):
        op = value.node.op
        if is_host and isinstance(op, Const):
            result.append(CallOperand(True, op.value.array))
        elif not is_size(value) or value.type.dims == ():
            result.append(CallOperand(is_host, None, (value,)))
        elif isinstance(op, Pack):
            result.append(CallOperand(is_host, None, value.node.inputs, True))
        else:
            raise NotNative(f"{node.op.type_name} takes a shape")
    return result


class KernelCall:
    """A kernel with its constants, as a function of arrays that gives 1 if it refuses, else 0."""

    def __init__(self, node: Node) -> None:
        op, operands = node.op, operands_of(node)
        types = [v.type.dtype for v, x in zip(node.inputs, operands) if not x.is_host]
        self.kernel: Callable[..., Any] = op.bind_checked(types)
        self.single = len(node.outputs) == 1 and not op.returns_tuple
        #: Of each operand: the constant or None, whether it is a host operand, and the number of
        #: its arrays. Then whether it is a vector of these, and its dtype.
        self.operands: list[tuple[Any, bool, int, bool, Any]] = []
        for operand, value in zip(operands, node.inputs):
            constant = None if operand.constant is None else host_value(operand.constant)
            form = len(operand.values), operand.is_vector, value.type.dtype.numpy_dtype
            self.operands.append((constant, operand.is_host, *form))
        self.targets = [value.type.dtype.numpy_dtype for value in node.outputs]

    def arguments(self, arrays: Sequence[Array]) -> list[Any]:
        """What the kernel takes."""
        rest = iter(arrays)
        result: list[Any] = []
        for constant, is_host, count, is_vector, dtype in self.operands:
            if constant is not None:
                result.append(constant)
                continue
            parts = [viewed(next(rest), dtype) for _ in range(count)]
            array = np.array(parts, dtype) if is_vector else parts[0]
            result.append(host_value(array) if is_host else array)
        return result

    def __call__(self, arrays: Sequence[Array]) -> int:
        outcome = self.kernel(*self.arguments(arrays))
        results = (outcome,) if self.single else outcome
        targets = arrays[len(arrays) - len(self.targets) :]
        for target, dtype, result in zip(targets, self.targets, results, strict=True):
            place, array = viewed(target, dtype), np.asarray(result)
            if array.shape != place.shape or array.dtype != dtype:
                return 1
            place[...] = array
        return 0


def viewed(array: Array, dtype: ArrayDType) -> Array:
    """An array of machine code's as one of a kernel's: bfloat16 arrives as its bits."""
    return array if array.dtype == dtype else array.view(dtype)


class KernelTable:
    """The kernels that machine code calls in this process, by their numbers."""

    def __init__(self) -> None:
        self.lock = own_lock(self)
        self.numbers: dict[Any, int] = {}
        self.calls: list[KernelCall] = []

    def number(self, node: Node) -> int:
        """The number of a node's kernel with its constants."""
        forms = []
        for x in operands_of(node):
            constant = x.constant
            known = None
            if constant is not None:
                known = constant.dtype.str, constant.shape, constant.tobytes()
            forms.append((x.is_host, known, len(x.values), x.is_vector))
        types = [v.type.dtype for v in (*node.inputs, *node.outputs)]
        key = node.op, tuple(types), tuple(forms)
        number = self.numbers.get(key)
        if number is None:
            call = KernelCall(node)
            with self.lock:
                number = self.numbers.get(key)
                if number is None:  # a fork in the midst leaves a call that no key has
                    number = len(self.calls)
                    self.calls.append(call)
                    self.numbers[key] = number
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
