"""`tf.debugging.enable_check_numerics`: an interpreter that looks at every result.

It lies above the other interpreters of its thread. It follows into traces, where it adds a
CheckNumericsV2 node after each op.
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

#: Ops that pass on the results of other ops, which were checked before.
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
        """The checker of a trace, above its tracer: `tracer.tracing` calls it."""
        return NumericsChecker(tracer)

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result, checked."""
        result = self.hand_on(op, operands, name)
        if isinstance(result, Tensor) and op.type_name not in _PASSED_ON:
            return self.checked(op, operands, result, 0, 1)
        if type(result) is not tuple or op.type_name in _PASSED_ON:
            return result
        return tuple([self.checked(op, operands, t, i, len(result)) for i, t in enumerate(result)])

    def checked(
        self, op: Op, operands: tuple[object, ...], tensor: Tensor, i: int, count: int
    ) -> Any:
        """A result after its check: the eager tensor itself, or the result of a symbolic check."""
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
    """The message of the error if the check fails."""
    how = "graph op" if isinstance(tensor, SymbolicTensor) else "eagerly-executing op"
    lines = [
        f"\n\n!!! Detected Infinity or NaN in output {position} of {how} "
        f'"{op.type_name}" (# of outputs: {count}) !!!',
        f"  dtype: {tensor.dtype}",
        f"  shape: {tensor.shape}",
    ]
    if isinstance(tensor, EagerTensor):
        tests = (("-Inf", np.isneginf), ("+Inf", np.isposinf), ("+NaN", np.isnan))
        counts = [(kind, int(test(tensor._array).sum())) for kind, test in tests]
        lines += [f"  # of {kind} elements: {n}" for kind, n in counts if n]
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
    """Makes every op of this thread fail whose result has an infinity or NaN.

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
    if active_checker() is None:
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
    checker = active_checker()
    if checker is not None:
        checker.leave()


def active_checker() -> NumericsChecker | None:
    """The checker of this thread, or None."""
    interpreter = STATE.active
    while interpreter is not None:
        if isinstance(interpreter, NumericsChecker):
            return interpreter
        interpreter = interpreter.below
    return None
