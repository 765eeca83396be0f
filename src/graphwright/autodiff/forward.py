"""`tf.autodiff.ForwardAccumulator`: derivatives along a direction, as the ops run.

An op's rule gives the cotangents of its inputs as a linear function of those of its results. The
transpose of that function, which a tape finds, takes tangents of inputs to tangents of results. So
every op with a rule has a forward derivative, without a second rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.autodiff.composite_gradients import Source
from graphwright.autodiff.sweep import carries_gradient, is_differentiable, through
from graphwright.autodiff.tape import GradientTape, Recorder, UnconnectedGradients, like
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import STATE, activate
from graphwright.op.op import Call, Op
from graphwright.ops.state.list_ops import zero_of
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.tensor_type import is_compatible
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable


class Forward(Recorder):
    """The interpreter of an accumulator: the one below runs an op, and this one computes the
    tangents of its results."""

    def __init__(self) -> None:
        super().__init__(watch_accessed_variables=False)
        self.tangents: dict[Any, Any] = {}

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result; its tangents are computed if it depends on the primals."""
        active = self.recording and is_differentiable(op)
        tangents = [self.tangents.get(t.key) if isinstance(t, Tensor) else None for t in operands]
        if not active or all(t is None for t in tangents):
            return self.hand_on(op, operands, name)
        recorded = op.taped(operands)
        result = self.hand_on(recorded, operands, name)
        outputs = result if type(result) is tuple else (result,)
        results = op.untaped(outputs) if recorded is not op else outputs
        with activate(self.below):
            pushed = push(Call(recorded, operands, outputs), tangents, len(results))
        for tensor, tangent in zip(outputs, pushed):
            if tangent is not None:
                self.put(tensor, tangent)
        return result if recorded is op else op.untaped(result)

    def put(self, tensor: Tensor, tangent: TensorValue) -> None:
        """Sets the tangent of a tensor."""
        self.watch(tensor)
        self.tangents[tensor.key] = tangent


def push(call: Call, tangents: Sequence[Cotangent | None], count: int) -> list[Any]:
    """The tangents of a call's first `count` results, None where they do not depend on those of
    the inputs. A list's tangent is a list.

    Probes are ones, where a rule that takes logarithms of cotangents is smooth.
    """
    needed = tuple([t is not None for t in tangents])
    probes = [probe_of(y) if has_tangent(y) else None for y in call.outputs[:count]]
    probes += [None] * (len(call.outputs) - count)
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([p for p in probes if p is not None])
        cotangents = through(Call(call.op, call.inputs, call.outputs, needed), probes)
        dense = [g.to_tensor() if isinstance(g, IndexedSlices) else g for g in cotangents]
    pairs = [(g, t) for g, t in zip(dense, tangents) if g is not None and t is not None]
    wanted = [p for p in probes if p is not None]
    gradients = iter(tape.gradient([g for g, _ in pairs], wanted, [t for _, t in pairs]))
    return [None if p is None else next(gradients) for p in probes]


def probe_of(tensor: Tensor) -> Any:
    """The cotangent of a result at which rules are transposed."""
    return zero_of(tensor) if tensor.dtype is dt.variant else like(tensor, 1)


def has_tangent(tensor: TensorValue) -> bool:
    """Whether a result can have a tangent of its own: a number or a list."""
    return carries_gradient(tensor) and tensor.dtype is not dt.resource


class ForwardAccumulator:
    """Computes Jacobian-vector products as the ops of a block run.

    Args:
        primals: A tensor or a variable, or a structure of them: where derivatives are taken.
        tangents: Tensors of the structure and shapes of `primals`: the directions.

    Raises:
        ValueError: Structures or shapes differ, a primal is no floating or complex number, or one
            comes twice.

    >>> import graphwright as tf
    >>> x = tf.constant(3.0)
    >>> with tf.autodiff.ForwardAccumulator(primals=x, tangents=tf.constant(2.0)) as acc:
    ...     y = x * x
    >>> acc.jvp(y)
    <tf.Tensor: shape=(), dtype=float32, numpy=12.0>
    """

    def __init__(self, primals: object, tangents: object) -> None:
        self._forward = Forward()
        self._entered = False
        tree.assert_same_structure(primals, tangents)
        for primal, tangent in zip(tree.flatten(primals), tree.flatten(tangents)):
            self._watch(primal, tangent)

    def _watch(self, primal: Source, tangent: TensorLike) -> None:
        direction = convert(tangent, primal.dtype)
        if not is_compatible(primal.type.dims, direction.type.dims):
            raise ValueError(
                f"The tangent of shape {direction.shape} does not fit the primal {primal!r}."
            )
        if not carries_tangent(primal):
            raise ValueError(f"Only floating and complex primals have tangents, got {primal!r}.")
        tensor = primal.handle if isinstance(primal, Variable) else primal
        if tensor.key in self._forward.tangents:
            raise ValueError(f"The tensor {primal!r} is given twice among the primals.")
        self._forward.put(tensor, direction)

    def __enter__(self) -> ForwardAccumulator:
        if self._entered:
            raise ValueError("Accumulator is already recording.")
        self._entered = True
        self._forward.below = STATE.active
        STATE.active = self._forward
        return self

    def __exit__(self, *exception: Any) -> None:
        self._entered = False
        self._forward.leave()

    def jvp(
        self,
        primals: object,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """Returns the derivative of values along the tangents.

        Args:
            primals: A tensor or a variable, or a structure of them, computed in the block.
            unconnected_gradients: A `tf.UnconnectedGradients`: the result where a value does not
                depend on the primals.

        Returns:
            A tensor of the value's shape, or None, for each value, in the structure of `primals`.
        """
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO

        def tangent(value: Source) -> Any:
            tensor = value.handle if isinstance(value, Variable) else value
            direction = self._forward.tangents.get(tensor.key)
            return like(convert(value), 0) if direction is None and zero else direction

        return tree.map_structure(tangent, primals)


def carries_tangent(primal: Source) -> bool:
    """Whether a primal's dtype is floating or complex."""
    return bool(primal.dtype.is_floating or primal.dtype.is_complex)
