"""Conversion of functions when they are called, and the caches of converted code.

`ag__.converted_call(f)` returns the function to call instead of `f`. Converted code is cached by
code object. The converted function is an attribute of the original, so both live equally long.

Converted code keeps the callee of each call, so that the next call costs little more than in
Python. It does so only for a global function of a module, in a call that passes all parameters.
Only another code of the function can change such a call, and code is compared.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import types
import weakref
from collections.abc import Callable
from typing import Any

from graphwright.autograph import (
    control_flow,
    converted_operators,
    exempt,
    list_places,
    live_source,
    overloads,
    status,
)
from graphwright.autograph.control_flow import Conversion
from graphwright.autograph.expression_rewriting import Options
from graphwright.autograph.jumps import JumpError
from graphwright.autograph.live_source import LiveSource, SourceError
from graphwright.autograph.operator_arguments import Function
from graphwright.autograph.settings import Features, Verbosity, features
from graphwright.autograph.sites import Sites
from graphwright.autograph.status import ControlStatusCtx
from graphwright.autograph.syntax import CALLS, OPERATORS, SITES, Fresh
from graphwright.base.identities import IdentityTable
from graphwright.base.logs import LOGGER
from graphwright.base.named_tuples import NamedTuple
from graphwright.machine.process_settings import uncollected

FAILURES = (SourceError, JumpError)  # a function stays as it is then, with a warning
PREFIX = "tf__"


class _Converted(NamedTuple):
    """Converted code, and the variables that only such code has."""

    code: types.CodeType
    variables: dict[str, Any]


#: Converted code, by the original and by options.
_codes: IdentityTable[types.CodeType, dict[Options, _Converted]] = IdentityTable()


_KEY = "__ag_converted__"
_FUNCTION = types.FunctionType
_STARS = 0x04 | 0x08  # the flags of `*args` and `**kwargs`


class Callee:
    """The function to call instead of the function `key`, while that has this code."""

    __slots__ = ("code", "key", "target")

    def __init__(self, key: object, code: types.CodeType | None, target: object) -> None:
        self.key = key
        self.code = code
        self.target = target


#: The callee of a call that has not run yet.
NO_CALLEE = Callee(object(), None, None)


class _Record:
    """The conversion of a function, kept in its `__dict__`. It pickles to an empty record.

    `functools.wraps` copies it to other functions: `origin` is the function that it describes.
    """

    __slots__ = ("callee", "code", "defaults", "keywords", "origin", "target")

    def __init__(
        self, function: types.FunctionType | None = None, target: types.FunctionType | None = None
    ) -> None:
        self.origin: Callable[[], Any] = _none if function is None else weakref.ref(function)
        self.code = getattr(function, "__code__", None)
        self.defaults = getattr(function, "__defaults__", None)
        self.keywords = getattr(function, "__kwdefaults__", None)
        self.target = target
        self.callee: Callee | None = None  # while calls may keep it

    def __reduce__(self) -> tuple[type[_Record], tuple[()]]:
        return _Record, ()


def _none() -> None:
    """Returns None, as a weak reference to a dead object does."""


def _recorded(function: types.FunctionType) -> _Record | None:
    """The record of the function, unless the function has changed since."""
    record: _Record | None = function.__dict__.get(_KEY)
    if (
        record is not None
        and record.origin() is function
        and record.code is function.__code__
        and record.defaults is function.__defaults__
        and record.keywords is function.__kwdefaults__
    ):
        return record
    return None


def may_be_kept(function: types.FunctionType, count: int) -> bool:
    """Whether a call with `count` arguments may keep the function as its callee."""
    code = function.__code__
    return (
        count == code.co_argcount + code.co_kwonlyargcount
        and not code.co_flags & _STARS
        and function.__closure__ is None
        and function.__globals__.get(function.__name__) is function
    )


def call_at(function: object, callees: list[Callee], call: tuple[int, int]) -> Any:
    """`converted_call`, which also notes the callee if the next call must have the same one.

    `call` has the number of the call and the number of its arguments.
    """
    target = converted_call(function)
    if type(function) is _FUNCTION and may_be_kept(function, call[1]):
        record = _recorded(function)
        if record is not None:
            if record.callee is None:
                record.callee = Callee(function, function.__code__, target)
            callees[call[0]] = record.callee
    return target


def converted_call(function: Any) -> Any:
    """Returns the converted form of `function`, to call in its place."""
    kind = type(function)
    if kind is _FUNCTION:
        record = _recorded(function)
        if record is not None:
            return record.target or function
        if exempt.calls_back(function):
            return functools.partial(_call_back, function)
        return _convert_once(function)
    if kind is types.MethodType:
        inner = function.__func__
        if type(inner) is not types.FunctionType:
            return function
        target = _convert_once(inner)
        return function if target is inner else types.MethodType(target, function.__self__)
    if kind is types.BuiltinFunctionType or kind is type:
        overload = _OVERLOADS.get(function, function)
        is_method = list_places.WATCHING and overload is function and kind is not type
        return list_places.changes(overload) if is_method else overload
    if kind is functools.partial:
        target = converted_call(function.func)
        if target is function.func:
            return function
        return functools.partial(target, *function.args, **function.keywords)
    if isinstance(function, type):
        return function
    call = _call_method(function)
    if type(call) is types.FunctionType and not exempt.is_marked(function):
        target = _convert_once(call)
        return function if target is call else types.MethodType(target, function)
    return function


def _call_back(function: Function, *args: Any, **kwargs: Any) -> Any:
    """Call a function of this library with converted functions among its arguments."""
    return function(*map(_prepared, args), **{name: _prepared(arg) for name, arg in kwargs.items()})


def _prepared(value: Any) -> Any:
    """An argument, with the functions in it converted."""
    if isinstance(value, _CALLABLE):
        return converted_call(value)
    if type(value) in (list, tuple):
        return type(value)(map(_prepared, value))
    if type(value) is dict:
        return {key: _prepared(item) for key, item in value.items()}
    return value


_CALLABLE = (types.FunctionType, types.MethodType, functools.partial)


def _call_method(value: object) -> Any:
    """The `__call__` of the value's class, or None."""
    return next(
        (vars(kind)["__call__"] for kind in type(value).__mro__ if "__call__" in vars(kind)), None
    )


def _convert_once(function: types.FunctionType) -> types.FunctionType:
    """The converted form of a function, or itself where it has none."""
    record = _recorded(function)
    if record is None:
        target: Any = None
        if exempt.is_marked(function):
            target = status.DISABLED.around(function)
        elif not exempt.is_exempt(function):
            target = _try_to_convert(function)
        record = function.__dict__[_KEY] = _Record(function, target)
    return record.target or function


def _try_to_convert(function: types.FunctionType) -> types.FunctionType | None:
    """The converted form of a function; None, with a warning, where there is none."""
    try:
        return convert(function, Options())
    except FAILURES as cause:
        LOGGER.warning(
            "AutoGraph could not convert %s and runs it as it is: its control flow cannot depend "
            "on tensors. Cause: %s. To silence this warning, decorate the function with "
            "@tf.autograph.experimental.do_not_convert",
            function.__qualname__, cause,
        )  # fmt: skip
        return None


def convert(function: types.FunctionType, options: Options) -> types.FunctionType:
    """The converted form of a Python function, with the same globals and closure.

    Raises SourceError where there is no source, JumpError where no flag can replace a jump.
    """
    code = function.__code__
    forms = _codes.find(code)
    if forms is None:
        forms = _codes.add(code, {})
    if options not in forms:
        forms[options] = _convert_code(function, options)
    form = forms[options]
    return live_source.bind(form.code, function, form.variables)


@uncollected()  # so many new nodes would start collections, and each walks a large heap
def _convert_code(function: types.FunctionType, options: Options) -> _Converted:
    source = live_source.fetch(function)
    tree, conversion = convert_tree(source, options)
    if Verbosity.level:
        _report(function, tree)
    callees = [NO_CALLEE] * conversion.calls
    variables: dict[str, Any] = {OPERATORS: NAMESPACE, CALLS: callees}
    sites = Sites(source, variables, lambda: convert_tree(source, options)[1].sites)
    if conversion.sites:
        sites.keep(conversion.sites)
    variables[SITES] = sites
    code = live_source.compile_function(tree, source, (*variables, *source.free))
    return _Converted(code, variables)


def _report(function: types.FunctionType, tree: ast.FunctionDef) -> None:
    text = f"Converted {function.__qualname__} of {function.__code__.co_filename}"
    if Verbosity.level >= 10:
        text += "\n" + ast.unparse(tree)
    LOGGER.info(text)
    if Verbosity.to_stdout:
        print(text)


def convert_tree(source: LiveSource, options: Options) -> tuple[ast.FunctionDef, Conversion]:
    """The definition of a function, converted and renamed, and its sites and calls."""
    tree = source.tree()
    conversion = Conversion(options, Fresh({OPERATORS, SITES, CALLS, *source.names}))
    control_flow.convert_function(tree, conversion, frozenset(source.free))
    tree.name = PREFIX + tree.name
    return tree, conversion


_OVERLOADS = overloads.table(converted_call)
NAMESPACE = types.ModuleType(OPERATORS)  # Python reads attributes of modules fastest
vars(NAMESPACE).update(vars(builtins))
vars(NAMESPACE).update(
    {name: getattr(converted_operators, name) for name in converted_operators.__all__}
)
vars(NAMESPACE).update(converted_call=converted_call, call_at=call_at)


# The public functions


class _Entity:
    """A Python function, and a function that wraps another one like the original value."""

    def __init__(
        self, function: types.FunctionType, wrap: Callable[[types.FunctionType], Any]
    ) -> None:
        self.function = function
        self.wrap = wrap


def _entity(value: object) -> _Entity:
    value = getattr(value, "python_function", value)
    if isinstance(value, types.FunctionType):
        return _Entity(value, lambda new: new)
    if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
        owner = value.__self__
        return _Entity(value.__func__, lambda new: types.MethodType(new, owner))
    call = _call_method(value)
    if isinstance(call, types.FunctionType):
        return _Entity(call, lambda new: types.MethodType(new, value))
    raise NotImplementedError(
        f"AutoGraph converts Python functions, methods and callable objects, not {value!r}"
    )


def to_graph(
    entity: object, recursive: bool = True, experimental_optional_features: Features = None
) -> Any:
    """Converts a Python function to one whose control flow can depend on tensors.

    Args:
        entity: A Python function, a method or a callable object.
        recursive: Whether functions that it calls are converted when they are called.
        experimental_optional_features: A `tf.autograph.experimental.Feature`, or several, or None.
            Of these, only `LISTS` is not always on.

    Returns:
        A function, a method or a callable object like `entity`.

    Raises:
        NotImplementedError: `entity` is something else, or an async function.

    >>> import graphwright as tf
    >>> def absolute(x):
    ...     if x > 0:
    ...         return x
    ...     return -x
    >>> tf.autograph.to_graph(absolute)(-3)
    3
    """
    original = _entity(entity)
    _refuse_async(original.function)
    converted = convert(original.function, Options(recursive=recursive))
    return original.wrap(featured(converted, experimental_optional_features))


def featured(function: types.FunctionType, optional: Features) -> Any:
    """The function, traced with optional features."""
    if optional is None:
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with features(optional):
            return function(*args, **kwargs)

    return call


def to_code(
    entity: object, recursive: bool = True, experimental_optional_features: Features = None
) -> str:
    """Returns the source of the function that `tf.autograph.to_graph` makes.

    It shows the staged form of each statement. The code that runs also has the Python form, for
    values that are not tensors.

    Args:
        entity: A Python function, a method or a callable object.
        recursive: Whether functions that it calls are converted when they are called.
        experimental_optional_features: Accepted for TensorFlow's signature and not used.

    Returns:
        Python source, a string.

    Raises:
        NotImplementedError: `entity` is something else, or an async function.

    >>> import graphwright as tf
    >>> def is_empty(x):
    ...     return not x
    >>> print(tf.autograph.to_code(is_empty))
    def tf__is_empty(x):
        return ag__.not_(x)
    """
    function = _entity(entity).function
    _refuse_async(function)
    options = Options(inline=False, recursive=recursive)
    return ast.unparse(convert_tree(live_source.fetch(function), options)[0])


def tf_convert(
    f: Function,
    ctx: ControlStatusCtx | None = None,
    convert_by_default: bool = True,
    user_requested: bool = False,
) -> Any:
    """Converts a function that a library takes as an argument, if its caller is converted.

    Args:
        f: A Python function.
        ctx: What `tf.__internal__.autograph.control_status_ctx()` returned, or None. With the
            status ENABLED, `f` is converted; with DISABLED it is not.
        convert_by_default: Whether `f` is converted with the status UNSPECIFIED.
        user_requested: Accepted for TensorFlow's signature and not used.

    Returns:
        The converted function, or `f` itself where it is not converted.

    Raises:
        NotImplementedError: `f` is an async function.

    >>> import graphwright as tf
    >>> autograph = tf.__internal__.autograph
    >>> def sign(x):
    ...     return 1 if x > 0 else -1
    >>> @tf.function
    ... def f(x):
    ...     return autograph.tf_convert(sign, autograph.control_status_ctx())(x)
    >>> int(f(tf.constant(-3)))
    -1
    """
    ctx = ctx or status.UNSPECIFIED
    if ctx.status is status.Status.UNSPECIFIED and not convert_by_default:
        return f
    return ctx.around(f if ctx.status is status.Status.DISABLED else staged_form(f))


def staged_form(function: Function) -> Any:
    """Returns the function to trace: the converted form, or `function` itself if it is exempt."""
    if type(function) is _FUNCTION and "__wrapped__" not in vars(function):
        record = _recorded(function)
        if record is not None and record.target and exempt.is_converted(record.target.__code__):
            return record.target  # so the function is neither exempt nor async
    _refuse_async(inspect.unwrap(getattr(function, "__func__", function)))
    if type(function) is types.MethodType and type(function.__func__) is _FUNCTION:
        return types.MethodType(staged_form(function.__func__), function.__self__)
    if (
        type(function) is _FUNCTION
        and exempt.is_exempt(function)
        and not exempt.is_never_converted(function)
    ):
        return _try_to_convert(function) or function
    return converted_call(function)


def do_not_convert(func: Function | None = None) -> Any:
    """Decorates a function that AutoGraph must not convert, nor what it calls.

    Args:
        func: A function or class. None gives the decorator itself.

    Returns:
        A function like `func`, which stays as it is; a class itself.

    >>> import graphwright as tf
    >>> @tf.autograph.experimental.do_not_convert
    ... def plain(x):
    ...     return x if x > 0 else -x
    >>> plain(-3)
    3
    """
    if func is None:
        return do_not_convert
    if isinstance(func, types.FunctionType):
        return exempt.mark(_copied(func))
    if isinstance(func, type):
        return exempt.mark(func)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    return exempt.mark(wrapper)


def _copied(function: types.FunctionType) -> types.FunctionType:
    """A function of the same code, without what is known of the conversion of the first."""
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__,
        function.__defaults__, function.__closure__,
    )  # fmt: skip
    for name in {"__kwdefaults__", *functools.WRAPPER_ASSIGNMENTS}:
        if hasattr(function, name):
            setattr(copy, name, getattr(function, name))
    copy.__dict__.update({key: v for key, v in function.__dict__.items() if key != _KEY})
    return copy


def _refuse_async(function: Function) -> None:
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise NotImplementedError(
            f"{function.__qualname__} is an async function: a graph has no event loop. Await "
            "outside, and stage a function without `async`"
        )
