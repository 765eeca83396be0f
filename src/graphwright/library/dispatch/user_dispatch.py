"""`tf.experimental.dispatch_for_*`: meanings that programs give to public functions."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from graphwright.op.dispatch import (
    ASSERTIONS,
    DispatchFamily,
    Function,
    Meaning,
    Test,
    add_meaning,
    closed,
    forget,
    without_defaults,
)
from graphwright.ops.core.elementwise import BINARY, UNARY

F = TypeVar("F", bound=Callable[..., Any])

#: Types of parameters, by their names or positions.
Annotations: TypeAlias = Mapping[str, object] | Mapping[int, object] | Mapping[int | str, object]


def dispatch_for_api(api: Function, *signatures: Annotations) -> Callable[[F], F]:
    """Decorates a function that serves a public function for arguments of further types.

    The decorated function is called where `api` itself refuses the arguments. It must have the
    parameters of `api`; `name` may be left out.

    Args:
        api: A public function, such as `tf.add`.
        *signatures: Dicts from parameters, by name or position, to types: one of them must match.
            Without any, the annotations of the decorated function are the signature.

    Returns:
        A decorator, which returns the function as it is.

    Raises:
        ValueError: `api` supports no dispatch, or the decorated function does not have its
            parameters.

    >>> import graphwright as tf
    >>> class Pair(tf.experimental.ExtensionType):
    ...     left: tf.Tensor
    ...     right: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.reduce_sum)
    ... def sum_of_pair(input_tensor: Pair, axis=None, keepdims=False):
    ...     return tf.reduce_sum(input_tensor.left) + tf.reduce_sum(input_tensor.right)
    >>> tf.reduce_sum(Pair([1, 2], [3]))
    <tf.Tensor: shape=(), dtype=int32, numpy=6>
    """
    function = closed(api)
    if function is api:
        raise ValueError(f"{api} does not support dispatch.")
    parameters = inspect.signature(function)

    def register(target: F) -> F:
        takes_name = check_signature(parameters, target)
        alternatives: Sequence[Annotations] = signatures or annotated(target)
        tests = [tests_of(parameters, signature) for signature in alternatives]

        def accepts(arguments: Mapping[str, object]) -> bool:
            return any(all(t(arguments[n]) for n, t in each.items()) for each in tests)

        def call(arguments: Mapping[str, object]) -> Any:
            named = without_defaults(function, arguments)
            if not takes_name:
                named.pop("name", None)
            return target(**named)

        add_meaning(function, Meaning(accepts, target, call, is_users=True))
        return target

    return register


def check_signature(api: inspect.Signature, target: Function) -> bool:
    """Whether a target takes `name`; ValueError if its parameters are not those of the API."""
    signature = inspect.signature(target)
    names = list(signature.parameters)
    takes_name = "name" in names
    if not takes_name and "name" in api.parameters:
        names.append("name")
    if names != list(api.parameters):
        none = inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
        parameters = list(signature.parameters.values())
        shown = signature if takes_name else signature.replace(parameters=[*parameters, none])
        raise ValueError(
            f"Dispatch function's signature {untyped(shown)} does not match API's signature "
            f"{untyped(api)}."
        )
    return takes_name


def untyped(signature: inspect.Signature) -> inspect.Signature:
    """A signature without annotations."""
    empty = inspect.Parameter.empty
    bare = [p.replace(annotation=empty) for p in signature.parameters.values()]
    return signature.replace(parameters=bare, return_annotation=empty)


def annotated(target: Function) -> list[dict[str, Any]]:
    """The one signature that the annotations of a function make; ValueError if it has none."""
    hints = {n: t for n, t in typing.get_type_hints(target).items() if n != "return"}
    if not hints:
        raise ValueError(
            "The dispatch_for_api decorator must be called with at least one signature, or applied "
            "to a function that has type annotations on its parameters."
        )
    return [hints]


def tests_of(api: inspect.Signature, signature: Annotations) -> dict[str, Test]:
    """A signature as a test of each of its parameters."""
    names = list(api.parameters)
    tests = {}
    for key, annotation in signature.items():
        name = names[key] if isinstance(key, int) and key < len(names) else key
        if name not in names:
            raise ValueError(f"signature includes annotation for unknown parameter {key!r}.")
        tests[name] = test_of(annotation)
    return tests


def test_of(annotation: object) -> Test:
    """The function that tells whether a value is of an annotated type."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        options = [test_of(option) for option in arguments]
        return lambda value: any(option(value) for option in options)
    if origin is list and arguments != (Any,):
        item = test_of(arguments[0])
        return lambda value: isinstance(value, (list, tuple)) and all(map(item, value))
    kind = annotation if origin is None else origin
    if isinstance(kind, type):
        return lambda value: isinstance(value, kind)
    raise ValueError(f"{kind!r} is no type by which arguments can be told apart")


def handler_of(family: DispatchFamily, *kinds: object) -> Callable[[F], F]:
    """Registers a handler of a family for types that have none yet."""

    def register(handler: F) -> F:
        key = (family, kinds)
        other = _HANDLERS.get(key)
        if other is not None and any(h[1] is other for h in family.handlers):
            shown = kinds[0] if len(kinds) == 1 else f"({', '.join(map(str, kinds))})"
            raise ValueError(
                f"A {family.what} dispatch handler ({other}) has already been registered for "
                f"{shown}."
            )
        _HANDLERS[key] = handler
        return family.handle(*map(test_of, kinds), is_users=True)(handler)

    return register


#: The handler of each family and types of operands.
_HANDLERS: dict[tuple[DispatchFamily, tuple[object, ...]], Function] = {}


def dispatch_for_unary_elementwise_apis(x_type: object) -> Callable[[F], F]:
    """Decorates a handler that serves every elementwise function of one operand of a type.

    Args:
        x_type: The type of the operand: a class, or a union of classes.

    Returns:
        A decorator of a function `handler(api, x)`, where `api` is a function of one operand.

    Raises:
        ValueError: Another handler serves this type already.

    >>> import graphwright as tf
    >>> class Meters(tf.experimental.ExtensionType):
    ...     value: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Meters)
    ... def each(api, x):
    ...     return Meters(api(x.value))
    >>> tf.abs(Meters([-1, 2])).value.numpy()
    array([1, 2], dtype=int32)
    """
    return handler_of(UNARY, x_type)


def dispatch_for_binary_elementwise_apis(x_type: object, y_type: object) -> Callable[[F], F]:
    """Decorates a handler that serves every elementwise function of two operands of given types.

    Args:
        x_type: The type of the first operand: a class, or a union of classes.
        y_type: The type of the second operand.

    Returns:
        A decorator of a function `handler(api, x, y)`, where `api` is a function of two operands.

    Raises:
        ValueError: Another handler serves these types already.

    >>> import graphwright as tf
    >>> class Feet(tf.experimental.ExtensionType):
    ...     value: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Feet, Feet)
    ... def both(api, x, y):
    ...     return Feet(api(x.value, y.value))
    >>> tf.maximum(Feet(1), Feet(2)).value.numpy()
    np.int32(2)
    """
    return handler_of(BINARY, x_type, y_type)


def dispatch_for_binary_elementwise_assert_apis(x_type: object, y_type: object) -> Callable[[F], F]:
    """Decorates a handler that serves assertions such as `tf.debugging.assert_equal`.

    Args:
        x_type: The type of the first operand: a class, or a union of classes.
        y_type: The type of the second operand.

    Returns:
        A decorator of a function `handler(api, x, y)`, where `api` is an assertion of two operands.

    Raises:
        ValueError: Another handler serves these types already.

    >>> import graphwright as tf
    >>> class Inches(tf.experimental.ExtensionType):
    ...     value: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Inches, Inches)
    ... def both(api, x, y):
    ...     return api(x.value, y.value)
    >>> tf.debugging.assert_equal(Inches(1), Inches(1))
    """
    return handler_of(ASSERTIONS, x_type, y_type)


def unregister_dispatch_for(dispatch_target: Function) -> None:
    """Removes a function from dispatch, to which a `tf.experimental.dispatch_for_*` added it.

    Args:
        dispatch_target: The decorated function.

    Raises:
        ValueError: The function was registered for nothing.

    >>> import graphwright as tf
    >>> class Yards(tf.experimental.ExtensionType):
    ...     value: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Yards)
    ... def each(api, x):
    ...     return Yards(api(x.value))
    >>> tf.experimental.unregister_dispatch_for(each)
    """
    if not forget(dispatch_target):
        raise ValueError(f"Function {dispatch_target} was not registered using `dispatch_for`.")
