"""Recurrent layers, as loops over time."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from graphwright.control.loop import while_loop
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill, zeros_like
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import split, stack
from graphwright.ops.core.movement import expand_dims, transpose
from graphwright.ops.core.reversal import reverse, reverse_sequence
from graphwright.ops.core.shapes import shape
from graphwright.ops.linalg.contraction import matmul
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.logistic import sigmoid
from graphwright.ops.math.transcendental import exp
from graphwright.ops.math.trigonometric import tanh
from graphwright.ops.nn.activation import relu, softplus, softsign
from graphwright.portable.onnx.meaning import OnnxNode, dims_of, meaning
from graphwright.portable.onnx.sequence import ItemSequence
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.shape import TensorShape
from graphwright.types.tensor_type import TensorType
from graphwright.values.convert import convert

#: One step: from the input and the states to the next states, of which the first is the output.
Step: TypeAlias = Callable[[Any, Sequence[Any]], list[Any]]


def activation(n: OnnxNode, place: int, default: str) -> Callable[[Any], Any]:
    """An activation by its name among the node's."""
    names = n.get("activations")
    name = default if not names else names[place].decode()
    alphas, betas = n.get("activation_alpha") or [], n.get("activation_beta") or []
    alpha = alphas[place] if place < len(alphas) else None
    beta = betas[place] if place < len(betas) else None
    plain: dict[str, Callable[[Any], Any]] = {
        "sigmoid": sigmoid, "tanh": tanh, "relu": relu, "softsign": softsign,
        "softplus": softplus,
        "affine": lambda x: (alpha or 1.0) * x + (beta or 0.0),
        "leakyrelu": lambda x: where(x < 0, (0.01 if alpha is None else alpha) * x, x),
        "thresholdedrelu": lambda x: where(x > (1.0 if alpha is None else alpha), x, 0 * x),
        "scaledtanh": lambda x: (alpha or 1.0) * tanh((beta or 1.0) * x),
        "hardsigmoid": lambda x: minimum(
            maximum((0.2 if alpha is None else alpha) * x + (0.5 if beta is None else beta), 0), 1
        ),
        "elu": lambda x: where(x < 0, (1.0 if alpha is None else alpha) * (exp(x) - 1), x),
    }  # fmt: skip
    if name.lower() not in plain:
        raise n.unread(f"the activation is {name}")
    return plain[name.lower()]


class RecurrentLayer:
    """A recurrent layer: its directions, and the loop of each."""

    def __init__(self, n: OnnxNode, x: TensorValue, states: int, functions: Sequence[str]) -> None:
        self.n = n
        self.by_batch = bool(n.get("layout"))
        self.x = transpose(x, [1, 0, 2]) if self.by_batch else x
        self.direction = n.text("direction", "forward")
        self.count = 2 if self.direction == "bidirectional" else 1
        self.states = states
        self.functions = functions
        self.size = int(n.get("hidden_size"))

    def gate(self, direction: int, place: int) -> Callable[[Any], Any]:
        """An activation of a direction, clipped before it if the node says so."""
        function = activation(
            self.n, direction * len(self.functions) + place, self.functions[place]
        )
        limit = self.n.get("clip")
        if limit is None:
            return function
        return lambda x: function(minimum(maximum(x, -limit), limit))

    def run(
        self, step_of: Callable[[int], Step], starts: Sequence[Any], lengths: TensorValue | None
    ) -> list[Any]:
        """The outputs of all steps, and the last states."""
        outputs, lasts = [], []
        for direction in builtins.range(self.count):
            backwards = direction == 1 or self.direction == "reverse"
            ys, states = self.one_way(step_of(direction), direction, backwards, starts, lengths)
            outputs.append(ys)
            lasts.append(states)
        whole = stack(outputs, axis=1)  # [time, direction, batch, size]
        states = [stack([last[i] for last in lasts], axis=0)
                  for i in builtins.range(self.states)]  # fmt: skip
        if self.by_batch:
            whole = transpose(whole, [2, 0, 1, 3])
            states = [transpose(state, [1, 0, 2]) for state in states]
        return [whole, *states]

    def one_way(
        self,
        step: Step,
        direction: int,
        backwards: bool,
        starts: Sequence[Any],
        lengths: TensorValue | None,
    ) -> tuple[Any, list[Any]]:
        """The outputs and the last states of one direction."""
        x = self.turned(self.x, lengths) if backwards else self.x
        batch = shape(x)[1]
        first = []
        for given in starts:
            if given is None:
                first.append(fill(stack([batch, self.size]), cast(convert(0.0), x.dtype)))
            else:
                rows = transpose(given, [1, 0, 2]) if self.by_batch else given
                first.append(rows[direction])
        time = shape(x)[0]
        items = ItemSequence.empty(x.dtype).handle

        def body(i: TensorValue, handle: TensorValue, *states: Any) -> Any:
            after = step(x[i], states)
            shown = after[0]
            if lengths is not None:
                going = expand_dims(i < cast(lengths, dt.int32), 1)
                after = [where(going, new, old) for new, old in zip(after, states)]
                shown = where(going, shown, zeros_like(shown))
            handle = ItemSequence(handle, x.dtype, None).pushed(shown).handle
            return (i + 1, handle, *after)

        state = TensorShape([dims_of(x)[1], self.size])
        shapes = (TensorShape([]), TensorShape([]), *[state] * len(first))
        start = (convert(0), items, *first)
        loop = while_loop(lambda i, *_: i < time, body, start, shapes)
        ys = ItemSequence(
            loop[1], x.dtype, TensorType(x.dtype, (dims_of(x)[1], self.size))
        ).stacked()
        return (self.turned(ys, lengths) if backwards else ys), list(loop[2:])

    def turned(self, x: TensorValue, lengths: TensorValue | None) -> Any:
        """Backwards in time, each row up to its length."""
        if lengths is None:
            return reverse(x, [0])
        return reverse_sequence(x, lengths, seq_axis=0, batch_axis=1)


def biases(bias: TensorValue | None, direction: int, count: int) -> list[Any]:
    """The biases of gates, for inputs and for states; zeros where there are none."""
    if bias is None:
        return [0.0] * count
    return list(split(bias[direction], count, 0))


@meaning("RNN")
def simple_layer(
    n: OnnxNode,
    x: TensorValue,
    w: TensorValue,
    r: TensorValue,
    bias: TensorValue | None = None,
    lengths: TensorValue | None = None,
    start: TensorValue | None = None,
) -> Any:
    """A layer of one gate."""
    layer = RecurrentLayer(n, x, 1, ["Tanh"])

    def step_of(direction: int) -> Step:
        function = layer.gate(direction, 0)
        into, again = biases(bias, direction, 2)

        def step(x: TensorValue, states: Sequence[Any]) -> list[Any]:
            total = matmul(x, w[direction], transpose_b=True) + into
            return [function(total + matmul(states[0], r[direction], transpose_b=True) + again)]

        return step

    return layer.run(step_of, [start], lengths)


@meaning("GRU")
def gated_layer(
    n: OnnxNode,
    x: TensorValue,
    w: TensorValue,
    r: TensorValue,
    bias: TensorValue | None = None,
    lengths: TensorValue | None = None,
    start: TensorValue | None = None,
) -> Any:
    """A layer of an update gate, a reset gate and a candidate."""
    layer = RecurrentLayer(n, x, 1, ["Sigmoid", "Tanh"])
    after = bool(n.get("linear_before_reset"))

    def step_of(direction: int) -> Step:
        gate, candidate = layer.gate(direction, 0), layer.gate(direction, 1)
        wz, wr, wh = split(w[direction], 3, 0)
        rz, rr, rh = split(r[direction], 3, 0)
        bz, br, bh, cz, cr, ch = biases(bias, direction, 6)

        def step(x: TensorValue, states: Sequence[Any]) -> list[Any]:
            (h,) = states
            z = gate(matmul(x, wz, transpose_b=True) + matmul(h, rz, transpose_b=True) + bz + cz)
            reset = gate(
                matmul(x, wr, transpose_b=True) + matmul(h, rr, transpose_b=True) + br + cr
            )
            inward = matmul(x, wh, transpose_b=True) + bh
            if after:
                new = candidate(inward + reset * (matmul(h, rh, transpose_b=True) + ch))
            else:
                new = candidate(inward + matmul(reset * h, rh, transpose_b=True) + ch)
            return [(1 - z) * new + z * h]

        return step

    return layer.run(step_of, [start], lengths)


@meaning("LSTM")
def memory_layer(
    n: OnnxNode,
    x: TensorValue,
    w: TensorValue,
    r: TensorValue,
    bias: TensorValue | None = None,
    lengths: TensorValue | None = None,
    start: TensorValue | None = None,
    cell: TensorValue | None = None,
    peepholes: TensorValue | None = None,
) -> Any:
    """A layer of input, output and forget gates around a cell."""
    layer = RecurrentLayer(n, x, 2, ["Sigmoid", "Tanh", "Tanh"])

    def step_of(direction: int) -> Step:
        gate, inner, outer = [layer.gate(direction, i) for i in builtins.range(3)]
        into = split(w[direction], 4, 0)
        again = split(r[direction], 4, 0)
        wide = biases(bias, direction, 8)
        looks = [0.0] * 3 if peepholes is None else split(peepholes[direction], 3, 0)

        def step(x: TensorValue, states: Sequence[Any]) -> list[Any]:
            h, c = states
            i, o, f, g = [
                matmul(x, into[k], transpose_b=True)
                + matmul(h, again[k], transpose_b=True)
                + wide[k]
                + wide[k + 4]
                for k in builtins.range(4)
            ]
            enter = gate(i + looks[0] * c)
            forget = 1 - enter if n.get("input_forget") else gate(f + looks[2] * c)
            cell = forget * c + enter * inner(g)
            return [gate(o + looks[1] * cell) * outer(cell), cell]

        return step

    return layer.run(step_of, [start, cell], lengths)
