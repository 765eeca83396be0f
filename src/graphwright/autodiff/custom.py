"""Functions that state their own gradient: `custom_gradient` and others made with it.

The results of such a function pass through one op, `CustomGradient`, which takes the
function's arguments and variables along; its rule calls the function's own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeAlias, TypeVar, overload

from graphwright.autodiff.sweep import carries_gradient
from graphwright.autodiff.tape import GradientTape, Recorder, paused
from graphwright.base.annotations import WrappedSignature, signature_of
from graphwright.op.batching import Each, Same
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import STATE, activate, apply
from graphwright.op.op import Call, Op
from graphwright.op.refusal import boundary
from graphwright.ops.core.identity import PreventGradient, identity
from graphwright.ops.state.list_ops import zero_of
from graphwright.types import tree
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType
from graphwright.values.convert import convert
from graphwright.values.variable import Variable

#: The cotangents of the arguments, then those of the variables, from those of the results.
Rule: TypeAlias = Callable[[Sequence[Any]], Sequence[Any]]

P = ParamSpec("P")
R = TypeVar("R")


class CustomGradient(Op):
    """Returns the first `count` operands; cotangents go to the others, by a program's rule."""

    type_name = "CustomGradient"
    inputs = ("args: Tin...",)
    outputs = ("output: Tout...",)
    returns_tuple = True

    rule: Rule
    count: int

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return tuple(types[: self.count])

    def infer(self, operands: Sequence[Any]) -> tuple[TensorType, ...]:
        return tuple(operands[: self.count])

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        return arrays[: self.count]

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        incoming = [zero_of(y) if g is None else g for y, g in zip(call.outputs, cotangents)]
        return (*[None] * self.count, *self.rule(incoming))

    def batched(self, each: Each) -> Any:
        guard = PreventGradient.of(
            "its rule is for one row; take the gradient inside of the mapped function"
        )
        lanes = list(zip(each.inputs, each.stacked))[: self.count]
        guarded = [(apply(guard, x), stacked) for x, stacked in lanes]
        return tuple([x if stacked else Same(x) for x, stacked in guarded])


class VariableWatcher(Recorder):
    """Collects the trainable variables that are used, and records no calls."""

    def __init__(self) -> None:
        super().__init__(watch_accessed_variables=True)
        self.below = STATE.active

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result."""
        self.access(operands)
        return self.hand_on(op, operands, name)


@overload
def custom_gradient(f: Callable[P, tuple[R, object]]) -> Callable[P, R]: ...
@overload
def custom_gradient(
    f: None = None,
) -> Callable[[Callable[P, tuple[R, object]]], Callable[P, R]]: ...
def custom_gradient(f: Callable[..., object] | None = None) -> Any:
    """Decorates a function that states its own gradient.

    Args:
        f: A function that returns `(result, grad_fn)`. `grad_fn(*upstream)` takes a cotangent for
            each result and returns one for each argument. Where `f` uses trainable variables,
            `grad_fn` takes a list of them as `variables` too, and returns `(cotangents of the
            arguments, cotangents of the variables)`. None gives the decorator itself.

    Returns:
        A function like `f` that returns only the result. Its calls raise TypeError where `f` does
        not return such a pair, or `grad_fn` does not take `variables` that are used. While tracing,
        they raise ValueError for keyword arguments.

    >>> import graphwright as tf
    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))
    >>> x = tf.constant(100.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = log1pexp(x)
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
    """
    return custom_gradient if f is None else WithRule(f)


class WithRule:
    """A function with a gradient of its own; as a method, its object is no argument of it."""

    __signature__ = WrappedSignature()

    def __init__(self, f: Callable[..., object]) -> None:
        self._f = f
        functools.update_wrapper(self, f)

    @boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return call_with_rule(self._f, args, kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> WithRule:
        bind = getattr(self._f, "__get__", None)
        return self if instance is None or bind is None else WithRule(bind(instance, owner))


def call_with_rule(
    f: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]
) -> Any:
    """The result of `f`, whose gradient is the one that `f` returned with it."""
    traced = is_traced()
    if traced:
        if kwargs:
            raise ValueError(
                "A function with a custom gradient takes keyword arguments only when it runs "
                f"eagerly, got {', '.join(kwargs)}."
            )
        # What `f` reads of its arguments is read here, or it would use variables on its own.
        args = tuple(tree.map_structure(convert, list(args), expand_composites=True))
    leaves = tree.flatten([args, kwargs], expand_composites=True)
    watcher = VariableWatcher()
    with activate(watcher):
        returned = f(*args, **kwargs)
    if not (isinstance(returned, (tuple, list)) and len(returned) == 2 and callable(returned[1])):
        raise TypeError(
            "A function with a custom gradient must return its result and the function that gives "
            f"the gradient: (result, grad_fn), got {returned!r}"
        )
    result, grad_fn = returned
    variables = [v for v in watcher.variables.values() if all(v is not x for x in leaves)]
    refuse_variables(grad_fn, variables)
    tensors = [convert(t) for t in tree.flatten(result, expand_composites=True)]
    # A graph has the values, as TensorFlow's has: its node may be saved, and then has cotangents.
    used = [convert(v) if traced else v.handle for v in variables]
    inputs = [x.handle if isinstance(x, Variable) else convert(x) for x in leaves]
    op = CustomGradient(rule_of(grad_fn, len(leaves), variables), len(tensors))
    outputs = apply(op, *tensors, *inputs, *used)
    return tree.pack_sequence_as(result, list(outputs), expand_composites=True)


def is_traced() -> bool:
    """Whether ops become nodes of a graph now."""
    interpreter = STATE.active
    while interpreter is not None:
        if hasattr(interpreter, "graph"):
            return True
        interpreter = interpreter.below
    return False


def refuse_variables(grad_fn: Callable[..., object], variables: Sequence[Variable]) -> None:
    """TypeError if there are variables and `grad_fn` takes no `variables`."""
    if not variables:
        return
    parameters = signature_of(grad_fn).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if "variables" not in parameters and not takes_any:
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function "
            f"uses variables: {list(variables)}"
        )


def rule_of(grad_fn: Callable[..., Any], count: int, variables: Sequence[Variable]) -> Rule:
    """The rule that calls a gradient function with flat cotangents and checks what it returns."""

    def rule(cotangents: Sequence[Cotangent]) -> Sequence[Any]:
        of_variables: list[Any] = []
        if variables:
            of_arguments, returned = grad_fn(*cotangents, variables=list(variables))
            of_variables = tree.flatten(returned)
            if len(of_variables) != len(variables):
                raise ValueError(
                    "Must return gradient for each variable from @custom_gradient grad_fn: got "
                    f"{len(of_variables)} for {len(variables)}."
                )
        else:
            of_arguments = grad_fn(*cotangents)
        of_each = tree.flatten(of_arguments)
        if len(of_each) != count:
            raise ValueError(
                f"custom_gradient function expected to return {count} gradients, but returned "
                f"{len(of_each)} instead."
            )
        return [*of_each, *of_variables]

    return rule


def recompute_grad(f: Callable[P, R]) -> Callable[P, R]:
    """Makes a function whose gradient computes intermediate values again and does not keep them.

    Args:
        f: A function of tensors.

    Returns:
        A function that returns what `f` returns.

    Source:
        Chen et al., Training Deep Nets with Sublinear Memory Cost, arXiv:1604.06174.

    >>> import graphwright as tf
    >>> square = tf.recompute_grad(lambda x: x * x)
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = square(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)
    """

    @custom_gradient
    def inner(*args: Any, **kwargs: Any) -> Any:
        with paused():
            result = f(*args, **kwargs)

        def grad(*upstream: Any, variables: Sequence[Variable] = ()) -> Any:
            leaves = [
                identity(x) if carries_gradient(x) else x
                for x in tree.flatten([args, kwargs], expand_composites=True)
            ]
            again = tree.pack_sequence_as([args, kwargs], leaves, expand_composites=True)
            with GradientTape() as tape:
                sources = [x for x in leaves if is_source(x)]
                tape.watch([*sources, *variables])
                value = f(*again[0], **again[1])
            gradients = iter(tape.gradient(value, [*sources, *variables], list(upstream)))
            cotangents = [next(gradients) if is_source(x) else None for x in leaves]
            return (cotangents, list(gradients)) if variables else cotangents

        return result, grad

    result: Callable[P, R] = functools.wraps(f)(inner)
    return result


def is_source(value: object) -> bool:
    """Whether an argument is a variable or a tensor that can have a cotangent."""
    return isinstance(value, Variable) or carries_gradient(value)


def grad_pass_through(f: Callable[P, R]) -> Callable[P, R]:
    """Makes a function that gradients pass as if it were the identity.

    Args:
        f: A function of tensors that returns as many tensors as it takes.

    Returns:
        A function that returns what `f` returns.

    >>> import graphwright as tf
    >>> x = tf.constant(2.7)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(1.0)
    """

    @custom_gradient
    def inner(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, variables: Sequence[Variable] | None = None) -> Any:
            return upstream if variables is None else (upstream, [None] * len(variables))

        return f(*args, **kwargs), grad

    result: Callable[P, R] = functools.wraps(f)(inner)
    return result
