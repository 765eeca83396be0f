"""`tf.GradientTape`: records the ops that run under it, and sweeps back through them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any, ClassVar, TypeVar, overload

from graphwright.autodiff.composite_gradients import (
    Source,
    differentiable_part,
    differentiable_parts,
    pack_gradients,
)
from graphwright.autodiff.sweep import IDLE, carries_gradient, depends, reachable, sweep
from graphwright.base.errors import Location, user_location
from graphwright.base.logs import LOGGER
from graphwright.op.interpreter import STATE, Layer
from graphwright.op.op import Call, Op, not_differentiable
from graphwright.ops.core.creation import filled, ones_like, zeros_like
from graphwright.ops.core.shapes import shape_of
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.composite import Composite
from graphwright.values.convert import convert
from graphwright.values.indexed_slices import IndexedSlices
from graphwright.values.tensor import EagerTensor, Tensor
from graphwright.values.variable import Variable

#: What a gradient is with respect to.
S = TypeVar("S")


class UnconnectedGradients(Enum):
    """What the gradient is where the target does not depend on a source.

    >>> import graphwright as tf
    >>> x, y = tf.constant(1.0), tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch([x, y])
    ...     z = x * x
    >>> tape.gradient(z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO).numpy().item()
    0.0
    """

    NONE = "none"
    ZERO = "zero"


class AggregationMethod:
    """How the gradients of a tensor that is used several times are added up: always the same way.

    The numbers are there for programs that name one.

    >>> import graphwright as tf
    >>> tf.AggregationMethod.ADD_N
    0
    """

    ADD_N = DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def is_zero(unconnected_gradients: UnconnectedGradients | str) -> bool:
    """Whether a gradient is zeros where nothing is connected; ValueError for an unknown word."""
    if unconnected_gradients is UnconnectedGradients.NONE:
        return False
    return UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO


class Recorder(Layer):
    """The interpreter of a tape: the one below runs an op, and this one records it."""

    def __init__(self, watch_accessed_variables: bool, persistent: bool = False) -> None:
        self.calls: list[Call] = []
        self.watched: set[Any] = set()
        #: Watched tensors by key: while they live, no other has their keys.
        self.alive: dict[Hashable, Tensor] = {}
        self.variables: dict[Any, Variable] = {}
        self.watch_accessed = watch_accessed_variables
        self.persistent = persistent
        self.recording = True

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result; the call is recorded if it depends on what is watched."""
        if type(op).gradient is not_differentiable or not self.recording:
            return self.hand_on(op, operands, name)
        if op.has_handles and self.watch_accessed:
            self.access(operands)
        watched = self.watched
        if not depends(operands, watched):
            return self.hand_on(op, operands, name)
        recorded, below = op.taped(operands), self.below
        if self.persistent:
            recorded = recorded.lasting()
        if below is None:
            result = recorded.execute(operands)
        else:
            result = below.apply(recorded, operands, name)
        if result is None:
            return None  # a branch that gives nothing, say: no gradient comes back through it
        outputs = result if type(result) is tuple else (result,)
        self.calls.append(Call(recorded, operands, outputs))
        for tensor in outputs:
            if carries_gradient(tensor):
                watched.add(tensor.key)
        return result if recorded is op else op.untaped(result)

    def access(self, operands: tuple[object, ...]) -> None:
        """Watches the trainable variables whose handles are among the operands of an op."""
        for handle in operands:
            if isinstance(handle, Tensor) and handle.dtype is dt.resource:
                variable = handle.variable
                if variable is not None and variable.trainable:
                    self.watch(handle)
                    self.variables[handle.key] = variable

    def watch(self, tensor: Tensor) -> None:
        """Records from now on what depends on a tensor."""
        if tensor.key not in self.watched:
            self.watched.add(tensor.key)
            self.alive[tensor.key] = tensor

    def release(self) -> None:
        """Drops what was recorded; the watched variables stay known."""
        self.calls, self.alive = [], {}
        self.watched = set()

    def clear(self) -> None:
        """Drops everything."""
        self.release()
        self.variables = {}


@contextmanager
def paused() -> Iterator[None]:
    """Opens a block in which no tape records."""
    stopped = []
    interpreter = STATE.active
    while interpreter is not None:
        if isinstance(interpreter, Recorder) and interpreter.recording:
            interpreter.recording = False
            stopped.append(interpreter)
        interpreter = interpreter.below
    try:
        yield
    finally:
        for recorder in stopped:
            recorder.recording = True


class NoGradient:
    """The line that got None for a gradient last, of which an error may come."""

    line: ClassVar[Location | None] = None


class GradientTape:
    """Records the ops of a block for automatic differentiation.

    A trainable variable is watched once it is read, a tensor once `watch` names it. A tape that is
    not persistent gives one gradient, and drops what it recorded.

    Args:
        persistent: A bool: whether the tape gives gradients more than once.
        watch_accessed_variables: A bool: whether trainable variables are watched by themselves.

    Raises:
        ValueError: The tape is entered while it records.

    >>> import graphwright as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._recorder = Recorder(watch_accessed_variables, persistent)
        self._used = False
        self._entered = False

    def __enter__(self) -> GradientTape:
        if self._entered:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an "
                "already-active tape."
            )
        self._recorder.below = STATE.active
        self._entered = True
        STATE.active = self._recorder
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._entered:
            self._leave()

    def _leave(self) -> None:
        self._entered = False
        self._recorder.leave()

    def watch(self, tensor: object) -> None:
        """Records from now on what depends on a tensor.

        Args:
            tensor: A tensor or a variable, or a structure of them.

        Raises:
            ValueError: Something else is among them.

        >>> import graphwright as tf
        >>> x, y = tf.constant(3.0), tf.constant(4.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch([x, y])
        ...     z = x * y
        >>> [slope.numpy().item() for slope in tape.gradient(z, [x, y])]
        [4.0, 3.0]
        """
        leaves = [tensor] if isinstance(tensor, Tensor) else tree.flatten(tensor, True)
        for t in map(differentiable_part, leaves):
            if isinstance(t, Variable):
                self._recorder.watch(t.handle)
                self._recorder.variables[t.handle.key] = t
                continue
            if not isinstance(t, Tensor):
                raise ValueError(
                    f"Passed in object {t!r} of type {type(t).__name__!r}, not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            if not carries_gradient(t):
                LOGGER.warning(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r",
                    t.dtype,
                )
            self._recorder.watch(t)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Opens a block in which this tape does not record.

        Yields:
            None.

        Raises:
            ValueError: The tape does not record.

        >>> import graphwright as tf
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     with tape.stop_recording():
        ...         y = x * x
        >>> print(tape.gradient(y, x))
        None
        """
        if not self._entered:
            raise ValueError("Tape is not currently active; stop_recording() has nothing to stop.")
        recorder, before = self._recorder, self._recorder.recording
        recorder.recording = False
        try:
            yield
        finally:
            recorder.recording = before

    def reset(self) -> None:
        """Forgets everything recorded so far.

        >>> import graphwright as tf
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        ...     tape.reset()
        >>> print(tape.gradient(y, x))
        None
        """
        self._recorder.clear()
        self._used = False

    def watched_variables(self) -> tuple[Variable, ...]:
        """Returns the variables watched, in the order in which they were first used.

        >>> import graphwright as tf
        >>> w, b = tf.Variable(2.0, name="w"), tf.Variable(1.0, name="b")
        >>> with tf.GradientTape() as tape:
        ...     y = w * 3.0 + b
        >>> [v.name for v in tape.watched_variables()]
        ['w:0', 'b:0']
        """
        return tuple(self._recorder.variables.values())

    def _dense(self, target: TensorLike) -> Any:
        """A target as one tensor: what makes one of rows is recorded."""
        if self._entered or not isinstance(target, IndexedSlices):
            return convert(target)
        with self:
            return target.to_tensor()

    def _calls(self) -> list[Call]:
        """What was recorded; a tape that is not persistent gives it once."""
        if self._used:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians). Make it with persistent=True to ask again, or ask once for all: "
                "tape.gradient(y, [a, b])."
            )
        if self._entered and not self._persistent:
            self._leave()
        elif self._entered and STATE.active is self._recorder:
            LOGGER.warning(
                "Calling GradientTape.gradient on a persistent tape inside its context is "
                "significantly less efficient than calling it outside the context (it causes the "
                "gradient ops to be recorded on the tape, leading to increased CPU and memory "
                "usage). Only call GradientTape.gradient inside the context if you actually want "
                "to trace the gradient in order to compute higher order derivatives."
            )
        calls = self._recorder.calls
        if not self._persistent:
            self._used = True
            self._recorder.release()
        return calls

    def jacobian(
        self,
        target: TensorLike,
        sources: object,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Returns the derivative of each element of `target` with respect to each of `sources`.

        All rows are computed at once, as `tf.vectorized_map` does.

        Args:
            target: A tensor or a variable.
            sources: A tensor or a variable, or a structure of them.
            unconnected_gradients: A `tf.UnconnectedGradients`: the result where the target does not
                depend on a source.
            parallel_iterations: It has no effect.
            experimental_use_pfor: A bool; False computes one row after the other.

        Returns:
            A tensor of shape `target.shape + source.shape` for each source, in the structure of
            `sources`.

        Raises:
            RuntimeError: A tape that is not persistent was used before, or is eager and
                `experimental_use_pfor` is False.

        >>> import graphwright as tf
        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy().tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        """
        self._refuse_loop(experimental_use_pfor)
        flat = differentiable_parts(sources)
        zero = is_zero(unconnected_gradients)
        whole = target if isinstance(target, Variable) else self._dense(target)
        wanted, calls = self._dependent(flat), self._calls()
        results = JacobianRows.of(calls, whole, flat, wanted, zero, False, experimental_use_pfor)
        return pack_gradients(sources, results)

    def batch_jacobian(
        self,
        target: TensorLike,
        source: Source,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Returns the jacobian of each `target[i]` with respect to `source[i]`, stacked.

        Args:
            target: A tensor of shape [b, y...].
            source: A tensor or a variable, of shape [b, x...].
            unconnected_gradients: It has no effect.
            parallel_iterations: It has no effect.
            experimental_use_pfor: A bool; False computes one row after the other.

        Returns:
            A tensor of shape [b, y..., x...]: zeros where the target does not depend on the source.

        Raises:
            ValueError: The target or the source has fewer than 2 axes, or the batches differ in
                size.
            RuntimeError: A tape that is not persistent was used before, or is eager and
                `experimental_use_pfor` is False.

        >>> import graphwright as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x)[1].numpy().tolist()
        [[6.0, 0.0], [0.0, 8.0]]
        """
        self._refuse_loop(experimental_use_pfor)
        result = self._dense(target)
        have, want = result.type.dims, source.type.dims
        if have is None or want is None:
            raise ValueError(
                "batch_jacobian needs a batch as the first axis of the target and of the source, "
                "and the rank of one is not known: fix it with tf.ensure_shape."
            )
        if min(len(have), len(want)) < 2:
            raise ValueError(
                "batch_jacobian needs a batch as the first axis of the target and of the source, "
                "and another axis. Their shapes are "
                f"{result.shape} and {source.shape}. tape.jacobian needs none."
            )
        if None not in (have[0], want[0]) and have[0] != want[0]:
            raise ValueError(
                f"Need first dimension of target shape ({result.shape}) and source shape "
                f"({source.shape}) to match."
            )
        wanted, calls = self._dependent([source]), self._calls()
        (jacobian,) = JacobianRows.of(
            calls, result, [source], wanted, True, True, experimental_use_pfor
        )
        return jacobian

    def _dependent(self, sources: Sequence[object]) -> set[Hashable]:
        """The keys of recorded tensors that depend on the sources.

        Nothing depends on a source that was not watched, though a call that was recorded for
        another operand may take it.
        """
        recorder = self._recorder
        handles = {h.key: h for h in map(handle_of, sources) if isinstance(h, Tensor)}
        if handles.keys() >= recorder.alive.keys():
            return recorder.watched
        watched = [h for key, h in handles.items() if key in recorder.watched]
        return reachable(recorder.calls, watched)

    def _refuse_loop(self, experimental_use_pfor: bool) -> None:
        eagerly = self._recorder.below is None and STATE.active in (None, self._recorder)
        if eagerly and not self._persistent and not experimental_use_pfor:
            raise RuntimeError(
                "GradientTape must be created with persistent=True to compute the jacobian with "
                "eager execution enabled and with experimental_use_pfor set to False."
            )

    @overload
    def gradient(
        self,
        target: object,
        sources: Tensor | Variable,
        output_gradients: object = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Tensor: ...
    @overload
    def gradient(
        self,
        target: object,
        sources: list[S],
        output_gradients: object = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> list[Tensor]: ...
    @overload
    def gradient(
        self,
        target: object,
        sources: tuple[S, ...],
        output_gradients: object = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> tuple[Tensor, ...]: ...
    @overload
    def gradient(
        self,
        target: object,
        sources: object,
        output_gradients: object = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any: ...
    def gradient(
        self,
        target: object,
        sources: object,
        output_gradients: object = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """Returns the derivative of the sum of `target` with respect to `sources`.

        Args:
            target: A tensor or a variable, or a structure of them.
            sources: A tensor or a variable, or a structure of them.
            output_gradients: A weight for each target, in its structure: a tensor of its shape, or
                None for ones.
            unconnected_gradients: A `tf.UnconnectedGradients`: the result where the target does not
                depend on a source.

        Returns:
            A tensor of the source's shape, `tf.IndexedSlices` or None for each source, in the
            structure of `sources`.

        Raises:
            RuntimeError: The tape was used before and is not persistent.
            TypeError: `target` is None.
            ValueError: There is not one output gradient for each target.

        >>> import graphwright as tf
        >>> w, b = tf.Variable(2.0), tf.Variable(1.0)
        >>> with tf.GradientTape() as tape:
        ...     loss = w * 3.0 + b
        >>> dw, db = tape.gradient(loss, [w, b])
        >>> print(dw.numpy(), db.numpy())
        3.0 1.0
        """
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, "
                "Variables or CompositeTensors to be differentiated, but received None."
            )
        zero = is_zero(unconnected_gradients)
        flat = differentiable_parts(sources)
        wanted, calls = self._dependent(flat), self._calls()
        if isinstance(target, Tensor):
            targets = parts = [target]
        else:
            targets = tree.flatten(target)
            parts = [differentiable_part(t) for t in targets]
        weights: list[Any] = [None] * len(targets)
        if output_gradients is not None:
            of_results = tree.flatten(output_gradients)
            if len(of_results) != len(targets):
                raise ValueError(
                    f"output_gradients must have one entry for each target, None where it is ones: "
                    f"{len(targets)} targets, {len(of_results)} output gradients."
                )
            weights = [weight_of(t, g) for t, g in zip(targets, of_results)]
        gradients = gradients_of(calls, parts, flat, weights, wanted=wanted)
        if zero:
            gradients = [like(s, 0) if g is None else g for s, g in zip(flat, gradients)]
        elif any(g is None for g in gradients):
            NoGradient.line = user_location()
        return pack_gradients(sources, gradients)


def weight_of(target: object, weight: TensorLike | None) -> Any:
    """An output gradient as the tensor that the cotangent of a target starts with."""
    if weight is None:
        return None
    return convert(differentiable_part(weight) if isinstance(target, Composite) else weight)


def handle_of(source: object) -> Any:
    """The tensor that calls take for a source: the handle of a variable."""
    return source.handle if isinstance(source, Variable) else source


class JacobianRows:
    """Computes the rows of a jacobian; `hooks` provides it, since that takes a loop."""

    of: Callable[..., list[Any]]


def like(x: Source, value: int) -> Any:
    """`value` in every place of a tensor like `x`."""
    if type(x) is EagerTensor:
        return ones_like(x) if value else zeros_like(x)
    shape = x.type.dims if x.type.is_static else shape_of(convert(x))
    return filled(shape, x.dtype, value)


def gradients_of(
    calls: Sequence[Call],
    targets: Sequence[object],
    sources: Sequence[object],
    weights: Sequence[TensorValue | None],
    stopped: frozenset[Hashable] = frozenset(),
    wanted: set[Hashable] | None = None,
) -> list[Any]:
    """The cotangents of `sources` for weighted `targets`, None where nothing is connected.

    Nothing flows back from the tensors whose keys are `stopped`. `wanted` are the keys of what
    depends on the sources, where they are known. A target that is a source itself has the
    cotangent that it starts with, whether it is wanted or not.
    """
    handles = [source.handle if isinstance(source, Variable) else source for source in sources]
    if wanted is None:
        wanted = reachable(calls, [h for h in handles if isinstance(h, Tensor)])
    keys = [h.key if isinstance(h, Tensor) else None for h in handles]
    cotangents: dict[Any, Any] = {}
    for target, weight in zip(targets, weights):
        tensor = handle_of(target)
        if not isinstance(tensor, Tensor):
            continue
        key = tensor.key
        if key not in wanted and not carries_gradient(tensor):
            LOGGER.warning(
                "The dtype of the target tensor must be floating (e.g. tf.float32) when calling "
                "GradientTape.gradient, got %r",
                tensor.dtype,
            )
        if key in wanted or key in keys:
            whole: Any = target
            seed = like(whole, 1) if weight is None else weight
            before = cotangents.get(key)
            cotangents[key] = seed if before is None else before + seed
    sweep(calls, cotangents, wanted, stopped)
    slopes = map(cotangents.get, keys)
    return [zeros_of(source) if g is IDLE else g for source, g in zip(sources, slopes)]


def zeros_of(source: Any) -> Any:
    """The cotangent of a source that only idle cotangents arrive at."""
    return like(source.variable if getattr(source, "variable", None) is not None else source, 0)
