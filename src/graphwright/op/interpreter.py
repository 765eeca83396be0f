"""The one interception point: who interprets an op now.

Every op of a program goes through `apply`. With nothing active, the eager interpreter of `values`
executes it at once. A tracer, a gradient tape or another interpreter makes itself `STATE.active`
and calls the one below it.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any, Protocol, TypeGuard

import numpy as np

from graphwright.op.op import Hooks, Op
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.dtypes import DType


class Interpreter(Protocol):
    """Gives ops a meaning."""

    below: Interpreter | None
    #: Whether ops become nodes of a graph.
    stages: bool

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result: a tensor, a tuple of them, or None where it has none."""

    def constant(self, value: TensorLike, dtype: DType | None, name: str | None) -> Any:
        """A tensor of a NumPy array or Python value."""


class InterpreterState(threading.local):
    """The active interpreter of each thread; None means plain eager execution."""

    active: Interpreter | None = None


STATE = InterpreterState()


def is_staged() -> bool:
    """Whether ops become nodes of a graph now, and do not run at once."""
    interpreter = STATE.active
    while interpreter is not None and not interpreter.stages:
        interpreter = interpreter.below
    return interpreter is not None


def adds_to_open_graph() -> bool:
    """Whether ops outside of functions are added to a graph, as in blocks of `Graph.as_default`."""
    interpreter = STATE.active
    while interpreter is not None:
        if getattr(getattr(interpreter, "graph", None), "is_plain", False):
            return True
        interpreter = interpreter.below
    return False


def note_read(tensor: Tensor) -> None:
    """Notes in all graphs that are being traced that a program reads a tensor's value."""
    interpreter = STATE.active
    while interpreter is not None:
        read = getattr(getattr(interpreter, "graph", None), "read", None)
        if read is not None:
            read[id(tensor)] = weakref.ref(tensor)
        interpreter = interpreter.below


def note_effect() -> None:
    """Notes that a public function does more than apply ops, as each call of it must."""
    interpreter = STATE.active
    while interpreter is not None:
        if isinstance(interpreter, Layer):
            interpreter.note_effect()
        interpreter = interpreter.below


def apply(op: Op, *operands: Any, name: str | None = None) -> Any:
    """Applies an op to tensors and host values, by the interpreter that is active."""
    active = STATE.active
    if active is None:
        return op.execute(operands)
    return active.apply(op, operands, name)


def convert(
    value: TensorLike,
    dtype: DType | None = None,
    hint: DType | None = None,
    name: str | None = None,
) -> Tensor:
    """Makes a tensor of a value; `dtype` demands a type, `hint` prefers one."""
    result: Tensor = Hooks.convert(value, dtype, hint, name)
    return result


def convert_first(
    value: TensorLike, dtype: DType | None = None, hint: DType | None = None
) -> Tensor:
    """`convert` before the op, as TensorFlow does where its function is more than the op.

    The op then refuses a dtype as that of a tensor, and not of a list or text.
    """
    is_made = dtype is None and isinstance(value, Hooks.tensor)
    return as_given(value if is_made else convert(value, dtype, hint))


def as_given(tensor: Any) -> Any:
    """A tensor as one that an op is given, though it was made of a list or text."""
    if getattr(tensor, "_of_list", False):
        tensor._of_list = False
    return tensor


def convert_default(value: TensorLike, default: DType) -> Tensor:
    """Makes a tensor of a value for an operand whose dtype is `default` where no tensor says it.

    NumPy's arrays are cast to it, and so are Python's numbers, unless they have another dtype of
    its kind. Complex numbers are complex128, and NumPy's scalars in a list have their own.
    """
    if is_tensor(value):
        return convert(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return convert(value, default)
    tensor = convert(value)
    same_kind = tensor.dtype.is_floating and default.is_floating
    same_kind = same_kind or (tensor.dtype.is_complex and default.is_complex)
    return tensor if same_kind or tensor.dtype.is_complex else convert(value, default)


def convert_terms(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """Makes tensors of both; the second takes the first's dtype only if its value allows."""
    tensor = Hooks.tensor
    if isinstance(x, tensor) and isinstance(y, tensor):
        return x, y
    result: tuple[Tensor, Tensor] = Hooks.convert_terms(x, y)
    return result


def convert_pair(x: TensorLike, y: TensorLike, wraps: bool = False) -> tuple[Tensor, Tensor]:
    """Makes tensors of both; what is not one yet takes the other's dtype.

    `wraps` says that a number goes round where that does not hold it, also in a graph.
    """
    tensor = Hooks.tensor
    if isinstance(x, tensor) and isinstance(y, tensor):
        return x, y
    result: tuple[Tensor, Tensor] = Hooks.convert_pair(x, y, wraps)
    return result


def host_array(value: TensorLike, dtype: DType | None = None) -> Any:
    """NumPy's form of a value, converted as `convert` does, where nothing is traced."""
    tensor: Any = convert(value, dtype)
    return tensor.numpy()


def is_tensor(value: object) -> TypeGuard[Tensor]:
    """Whether a value has a dtype of ours already: a tensor, a variable or the like."""
    return isinstance(value, Hooks.tensor) or isinstance(getattr(value, "dtype", None), DType)


def makes_tensor(value: object) -> TypeGuard[TensorLike]:
    """Whether a value is a tensor, or an object that makes one of itself."""
    return is_tensor(value) or hasattr(type(value), "__tf_tensor__")


def holds_tensor(value: object) -> TypeGuard[Sequence[TensorLike]]:
    """Whether a value is nested lists with a tensor, or what converts to one, somewhere."""
    return isinstance(value, (list, tuple)) and Hooks.holds_tensor(value)


def rows_of(values: TensorLike, indices: TensorLike, shape: TensorLike | None) -> Any:
    """A tensor of which only the rows at `indices` differ from zero: `tf.IndexedSlices`."""
    return Hooks.rows(values, indices, shape)


def values_of(x: TensorLike) -> Any:
    """A tensor of what differs from zero: the rows of a `tf.IndexedSlices`, or all of `x`."""
    return convert(x.values if isinstance(x, Hooks.rows) else x)


def with_values(x: TensorLike, values: TensorLike) -> Any:
    """`x` with other values than `values_of` gives: a `tf.IndexedSlices` where `x` is one."""
    return Hooks.rows(values, x.indices, x.dense_shape) if isinstance(x, Hooks.rows) else values


def convert_many(values: Sequence[TensorLike]) -> list[Tensor]:
    """Makes tensors of all: what is not one yet takes the dtype of the first that is."""
    items: list[Any] = list(values)
    kind = Hooks.tensor
    for value in items:
        if not isinstance(value, kind):
            break
    else:
        return items
    dtype = next((v.dtype for v in items if is_tensor(v)), None)
    tensors = []
    for value in items:
        tensors.append(convert(value) if is_tensor(value) else convert(value, dtype))
        if dtype is None:
            dtype = tensors[0].dtype
    return tensors


class activate:
    """Makes an interpreter the active one inside the block: `with activate(interpreter): ...`.

    A class, since a generator takes four times as long, and each trace enters many.
    """

    __slots__ = ("before", "interpreter")

    def __init__(self, interpreter: Interpreter | None) -> None:
        self.interpreter = interpreter

    def __enter__(self) -> Any:
        self.before = STATE.active
        STATE.active = self.interpreter

    def __exit__(self, *error: object) -> None:
        STATE.active = self.before


class Layer:
    """An interpreter that hands on to the one below it; subclasses look at what passes."""

    below: Interpreter | None = None
    stages = False

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result, from the interpreter below."""
        return self.hand_on(op, operands, name)

    def hand_on(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """Lets the interpreter below interpret the op."""
        below = self.below
        if below is None:
            return op.execute(operands)
        return below.apply(op, operands, name)

    def note_effect(self) -> None:
        """Notes that a public function does more than apply ops."""

    def constant(self, value: TensorLike, dtype: DType | None, name: str | None) -> Any:
        """A constant of the interpreter below."""
        if self.below is not None:
            return self.below.constant(value, dtype, name)
        with activate(None):
            return Hooks.convert(value, dtype, None, name)

    def enter(self) -> None:
        """Puts the layer on top of what is active."""
        self.below = STATE.active
        STATE.active = self

    def leave(self) -> None:
        """Takes the layer out of the chain of interpreters, wherever it is in it."""
        if STATE.active is self:
            STATE.active = self.below
            return
        above = STATE.active
        while above is not None:
            if above.below is self:
                above.below = self.below
                return
            above = above.below
