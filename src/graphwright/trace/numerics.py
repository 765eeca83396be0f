"""`tf.debugging.enable_check_numerics`: an interpreter that looks at every result.

It sits on top of whoever interprets ops in its thread, and goes along into traces, where
it checks by a CheckNumericsV2 node after each op.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError, user_location
from graphwright.op.interpreter import STATE, Interpreter, Layer
from graphwright.op.op import Op
from graphwright.ops.core.effect_ops import CheckNumericsV2
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.values.tensor import EagerTensor, Tensor

#: Ops whose results are somebody else's.
_PASSED_ON = frozenset(
    (
        *("CheckNumerics", "CheckNumericsV2", "Identity", "IdentityN", "Placeholder"),
        *("Reshape", "Squeeze", "ExpandDims", "StopGradient", "PreventGradient"),
        *("If", "StatelessIf", "While", "StatelessWhile", "Case", "StatelessCase"),
        *("PartitionedCall", "StatefulPartitionedCall", "ReadVariableOp"),
    )
)


class NumericsChecker(Layer):
    """Lets the interpreter below run each op, and refuses infinities and NaNs in its results."""

    def __init__(self, below: Interpreter | None) -> None:
        self.below = below

    def over(self, tracer: Interpreter) -> NumericsChecker:
        """The same for a trace: `tracer.tracing` asks."""
        return NumericsChecker(tracer)

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result, checked."""
        result = self.hand_on(op, operands, name)
        if op.type_name in _PASSED_ON or result is None:
            return result
        if type(result) is not tuple:
            return self.checked(op, operands, result, 0, 1)
        return tuple([self.checked(op, operands, t, i, len(result)) for i, t in enumerate(result)])

    def checked(
        self, op: Op, operands: tuple[object, ...], tensor: Tensor, i: int, count: int
    ) -> Any:
        """One result: the eager tensor itself, or what a check of the symbolic one returns."""
        if not tensor.dtype.is_floating or tensor.dtype.size == 1:
            return tensor
        if isinstance(tensor, EagerTensor):
            if not np.isfinite(tensor._array).all():
                check = CheckNumericsV2(report(op, operands, tensor, i, count))
                raise InvalidArgumentError(
                    None,
                    None,
                    f"{check.message} : {check.complaint(tensor._array)} [Op:{check.type_name}]",
                )
            return tensor
        check = CheckNumericsV2(report(op, operands, tensor, i, count))
        return self.hand_on(check, (tensor,), f"{op.type_name}/CheckNumericsV2")


def report(op: Op, operands: tuple[object, ...], tensor: Tensor, position: int, count: int) -> str:
    """What is to be said if the check fails."""
    how = "graph op" if isinstance(tensor, SymbolicTensor) else "eagerly-executing op"
    lines = [
        f"\n\n!!! Detected Infinity or NaN in output {position} of {how} "
        f'"{op.type_name}" (# of outputs: {count}) !!!',
        f"  dtype: {tensor.dtype}",
        f"  shape: {tensor.shape}",
    ]
    if isinstance(tensor, EagerTensor):
        tests = (("-Inf", np.isneginf), ("+Inf", np.isposinf), ("+NaN", np.isnan))
        found = [(kind, int(test(tensor._array).sum())) for kind, test in tests]
        lines += [f"  # of {kind} elements: {number}" for kind, number in found if number]
    inputs = [operand for operand in operands if hasattr(operand, "dtype")]
    if len(inputs) == 1:
        lines += ["", f"  Input tensor: {inputs[0]}"]
    elif inputs:
        lines += ["", f"  Input tensors ({len(inputs)}):"]
        lines += [f"         {i}: {x}" for i, x in enumerate(inputs)]
    if isinstance(tensor, SymbolicTensor):
        lines += [f'  Graph name: "{tensor.graph.name}"', "", f"  Created at: {user_location(2)}"]
    return "\n".join(lines) + "\n\n"


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Has every op of this thread fail whose result holds an infinity or NaN.

    The error, an InvalidArgumentError, names the op and its inputs. For a function that is traced
    from now on, it also names the line that made the op.

    Args:
        stack_height_limit: Accepted for TensorFlow's signature and not used.
        path_length_limit: Accepted for TensorFlow's signature and not used.

    >>> import graphwright as tf
    >>> tf.debugging.enable_check_numerics()
    >>> try:
    ...     tf.math.log(-1.0)
    ... except tf.errors.InvalidArgumentError:
    ...     print("caught")
    ... finally:
    ...     tf.debugging.disable_check_numerics()
    caught
    """
    if find() is None:
        STATE.active = NumericsChecker(STATE.active)


def disable_check_numerics() -> None:
    """Ends what `tf.debugging.enable_check_numerics` began.

    A function that was traced in between keeps its checks.

    >>> import graphwright as tf
    >>> tf.debugging.enable_check_numerics()
    >>> tf.debugging.disable_check_numerics()
    >>> bool(tf.math.is_nan(tf.math.log(-1.0)))
    True
    """
    checker = find()
    if checker is not None:
        checker.leave()


def find() -> NumericsChecker | None:
    """The checker of this thread."""
    interpreter = STATE.active
    while interpreter is not None:
        if isinstance(interpreter, NumericsChecker):
            return interpreter
        interpreter = interpreter.below
    return None
