"""Refusals: the call and its arguments, which a public function adds to the words of an error.

Rules of ops and of values say what is wrong. Only the public function that the error leaves knows
the call and its arguments. `name_call` adds both, by the names of the parameters, so that no rule
has to. Where one public function calls another, the call is the outer one, which the program
wrote. Errors that the program raised are left alone.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from reprlib import Repr
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

from graphwright.base.errors import (
    VARIADIC,
    OpError,
    outermost,
    raised_by_us,
    show_users_lines,
    user_frame,
)
from graphwright.base.source_text import item_of, name_of, node_at, operands_of, with_argument
from graphwright.op.one_op import cell_of_call
from graphwright.op.op import Hooks
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType, show_dims

F = TypeVar("F", bound=Callable[..., Any])
K = TypeVar("K", bound=type)
E = TypeVar("E", bound=Exception)
Function: TypeAlias = Callable[..., Any]

#: Vectors up to this size are shown with their elements.
_SHOWN = 6
#: The attribute of an error that names its call: the words without the call.
_BARE_WORDS = "words_of_refusal"
#: The attribute of an error that needs no call named.
_COMPLETE = "says_all"
#: The attribute of an error with lines that help.
_HELP = "lines_that_help"
#: Methods that programs call without their names.
_UNSAID = frozenset({"__init__", "__call__"})
#: Methods that Python calls for the operators and statements of a program.
_PROTOCOL = frozenset(
    f"__{name}__"
    for name in """array array_function array_ufunc bool complex contains delitem enter exit float
    format getitem hash iadd index int isub iter len next setitem""".split()  # noqa: SIM905
)
_INSTANCES = frozenset({"self", "cls"})


class FormerPlaces:
    """Where names of TensorFlow 1 are today, for the errors about them."""

    #: The path of today of a name, None for names that TensorFlow 1 has not either; `hooks`
    #: provides it.
    today: Callable[[str], str | None]


class _Words(Repr):
    """Short texts of values: of tensors the dtype with the shape, or with few elements."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxother, self.maxlong = 4, 60, 80, 60

    def repr1(self, x: object, level: int) -> str:
        if isinstance(x, np.ndarray):
            return f"array {self.array(x)}"
        if isinstance(x, Hooks.eager) and isinstance(x._array, np.ndarray):
            return self.array(x._array)
        if isinstance(x, Hooks.tensor):
            return repr(x.type)
        if isinstance(x, TensorType):
            return repr(x)
        if isinstance(x, DType):
            return f"tf.{x.name}"
        dtype, dims = getattr(x, "dtype", None), getattr(x, "shape", None)
        if isinstance(dtype, DType) and not isinstance(x, type):
            return f"{type(x).__name__} {dtype.name}{show_dims(getattr(dims, '_dims', None))}"
        if inspect.isroutine(x):
            return f"<function {getattr(x, '__name__', '?')}>"
        return super().repr1(x, level)

    def array(self, array: Array) -> str:
        """An array's dtype and shape, or elements."""
        name = "string" if array.dtype.kind in "OSU" else array.dtype.name
        if array.ndim > 1 or array.size > _SHOWN or (array.ndim and not array.size):
            return f"{name}{show_dims(array.shape)}"
        items = ", ".join([self.repr1(item, 1) for item in array.reshape(-1).tolist()])
        return f"{name} [{items}]" if array.ndim else f"{name} {items}"


_WORDS = _Words()


def show(value: object) -> str:
    """A value in a few words, however large it is: `float32[2,3]`, `int32 [7]`, `'SAME'`."""
    return _WORDS.repr(value)


def show_call(name: str, arguments: Iterable[tuple[str, object]]) -> str:
    """`name(x=float32[2,3], axis=5)`; arguments without a name stand by themselves."""
    return f"{name}({', '.join([f'{n}={show(v)}' if n else show(v) for n, v in arguments])})"


def complete(error: E) -> E:
    """Marks an error that needs no call named: it is not about arguments, or names them all."""
    setattr(error, _COMPLETE, True)
    return error


def set_help(error: Exception, lines: str) -> None:
    """Gives an error whose words are TensorFlow's alone lines that reports and commands show."""
    setattr(error, _HELP, lines)


def help_of(error: BaseException) -> str:
    """The lines that help with an error beside its words, each after a line's end."""
    lines: str = getattr(error, _HELP, "")
    return lines


def own_words(error: Exception) -> str:
    """What an error says, without the call that it names."""
    return getattr(error, _BARE_WORDS, None) or str(error)


def name_call(
    error: Exception,
    name: str,
    function: Function,
    values: tuple[object, ...],
    named: dict[str, object],
) -> None:
    """Adds to an error of ours the call that it refuses: the outermost one, of the program."""
    if not error.args or not raised_by_us(error) or getattr(error, _COMPLETE, False):
        return
    words = getattr(error, _BARE_WORDS, None)
    if words is None:
        words = error.message if isinstance(error, OpError) else str(error)
        if not isinstance(error, OpError) and words != str(error.args[0]):
            return  # an error that is not made of words
        setattr(error, _BARE_WORDS, words)
    words = in_words_of_program(words, function, user_frame(1))
    words = f"{words}\n    in {show_call(name, arguments_of(function, values, named))}"
    if isinstance(error, OpError):
        error.reword(words)
    else:
        error.args = (words, *error.args[1:])


#: The line of an error with a call that works, its first operand, and all operands in it; or with
#: a parameter of the call that is refused, and an argument that fits.
_ADVICE = re.compile(
    r"\n    (?:tf\.[\w.]+\((?:\*map\(.*, |\{.* in )?(?P<operand>\w+).*\)"
    r"|(?P<parameter>\w+)=(?P<argument>[-\w., \[\]()]+))"
    r" (?P<effect>converts it|fits|multiplies them|takes (?:it|them))$",
    re.MULTILINE,
)
_OPERAND = re.compile(r"(?<![\w.])(\w+)\b(?:\[(\d+)\])?(?!=)")


def in_words_of_program(words: str, function: Function, frame: FrameType | None) -> str:
    """The words of an error, in which the program's expressions stand for the operands' names."""
    advice = _ADVICE.search(words)
    if advice is None:
        return words
    parameters = [p for p in inspect.signature(function).parameters if p not in _INSTANCES]
    refused = advice["parameter"]
    named_one = refused or advice["operand"]
    if advice["effect"] != "converts it" and named_one not in parameters:  # it is of an inner call
        return words[: advice.start()] + words[advice.end() :]
    if frame is None:
        return words
    if refused:
        call = node_at(frame)
        is_written = isinstance(call, ast.Call) and name_of(call) == function.__name__
        fits = with_argument(call, parameters, refused, advice["argument"]) if is_written else ""
        line = f"\n    {fits} fits" if fits else advice[0]
        return words[: advice.start()] + line + words[advice.end() :]
    placed, named = operands_of(node_at(frame))
    texts = {**dict(zip(parameters, placed)), **named}

    def in_program(operand: re.Match[str]) -> str:
        text = texts.get(operand[1])
        if text and operand[2]:
            text = item_of(text, int(operand[2]))
        return text or operand[0]

    return words[: advice.start()] + _OPERAND.sub(in_program, advice[0]) + words[advice.end() :]


def fitting_axis(axis: object, rank: int) -> str:
    """A line with an axis that operands of a rank have, where one is refused; empty for no axes.

    >>> fitting_axis(2, 2), fitting_axis((0, 2, 3), 3), fitting_axis(1, 0)
    ('\\n    axis=-1 fits', '\\n    axis=[0, 2] fits', '')
    """
    axes = [a for a in axis if isinstance(a, int)] if isinstance(axis, tuple) else [axis]
    fitting = [a for a in axes if isinstance(a, int) and -rank <= a < rank]
    if not rank or None in axes:
        return ""
    if len(fitting) > 1:
        return f"\n    axis={fitting} fits"
    return f"\n    axis={fitting[0] if fitting else -1} fits"


def before_advice(words: str, suffix: str) -> str:
    """Words with a suffix at the end of their sentence, before a line with a call that works."""
    advice = _ADVICE.search(words)
    end = len(words) if advice is None else advice.start()
    return f"{words[:end]}{suffix}{words[end:]}"


def without_advice(words: str) -> str:
    """The words of an error without the line with a call that works."""
    return _ADVICE.sub("", words)


def advise(error: Exception, call: str) -> None:
    """Adds to an error a line with a call that works; its operands have the parameters' names."""
    if call and isinstance(error, OpError):
        error.reword(f"{error.message}\n    {call}")
    elif call:
        error.args = (f"{error}\n    {call}", *error.args[1:])


def rename_operand(error: Exception, old: str, new: str) -> None:
    """Gives the operand of the advice that an error has the name of a parameter."""
    words = str(error)
    advice = _ADVICE.search(words)
    if advice is not None and advice["operand"] == old:
        start, end = advice.span("operand")
        error.args = (f"{words[:start]}{new}{words[end:]}", *error.args[1:])


def word_on_none(value: object) -> str:
    """What helps where a list holds None; empty for other values."""
    if not isinstance(value, (list, tuple)):
        return ""
    if not any(item is None or word_on_none(item) for item in value):
        return ""
    return " It holds None: a size that x.shape[0] does not know is tf.shape(x)[0]."


def prefix_words(error: Exception, prefix: str) -> None:
    """Says before an error's words which argument they are of."""
    words = prefix + own_words(error)
    error.args = (words, *error.args[1:])
    setattr(error, _BARE_WORDS, words)


def arguments_of(
    function: Function, values: tuple[object, ...], named: dict[str, object]
) -> Iterator[tuple[str, Any]]:
    """The arguments of a call that differ from their defaults, with the parameters' names."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*values, **named)
    except TypeError:
        return  # Python's own words for what fits no parameters name it
    for name, value in bound.arguments.items():
        parameter = signature.parameters[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            yield from (("", item) for item in value)
        elif parameter.kind is parameter.VAR_KEYWORD:
            yield from value.items()
        elif name not in _INSTANCES and value is not parameter.default:
            yield name, value


def leave(
    error: Exception, function: Function, values: tuple[object, ...], named: dict[str, object]
) -> None:
    """Readies an error that leaves the package: with the call, without our frames."""
    name_call(error, public_name(function, values), function, values, named)
    show_users_lines(error)


def public_name(function: Function, values: tuple[object, ...]) -> str:
    """The name by which programs call a function, or a method of the first of the values."""
    public = _PUBLIC.get(function, function)
    if public.__module__ == "graphwright":
        return f"tf.{public.__qualname__}"
    name = public.__name__
    if not values or function.__code__.co_varnames[0] not in _INSTANCES:
        return public.__qualname__
    owner = values[0] if isinstance(values[0], type) else type(values[0])
    return owner.__name__ if name in _UNSAID else f"{owner.__name__}.{name}"


_PUBLIC: dict[Function, Function] = {}
_OWN_BOUNDARIES: set[Function] = set()


def boundary(function: F) -> F:
    """The public form of a function or method: its errors name the call and show the lines of
    the program."""
    return function if is_public(function) else cast(F, public_form(function, leave))


def boundaries(kind: K) -> K:
    """A class whose constructor and public methods are boundaries, and whose special methods show
    the lines of the program."""
    for name, value in list(vars(kind).items()):
        function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if not isinstance(function, FunctionType) or function in _OWN_BOUNDARIES:
            continue
        if name in _PROTOCOL:
            setattr(kind, name, own_boundary(outermost(function)))
        elif name in _UNSAID or not name.startswith("_"):
            made: Any = boundary(function)
            setattr(kind, name, made if function is value else type(value)(made))
    return kind


def own_boundary(function: F) -> F:
    """Marks a public method that handles its errors itself."""
    _OWN_BOUNDARIES.add(function)
    return function


own_boundary(DType.__hash__)  # it refuses nothing, and each look into a table of dtypes calls it


def public_form(function: Function, refused: Function) -> Function:
    """A function of the same parameters that calls `refused(error, function, values, named)` when
    it raises. That gives what to call in its place, or None if the error stays."""
    form = _PUBLIC.get(function)
    if form is None:
        form = _PUBLIC.setdefault(function, _wrapped(function, refused))
    return form


def is_public(function: object) -> bool:
    """Whether a function is the public form of another."""
    return own_form(function) is not function


def own_form(function: object) -> Any:
    """The function of which one is the public form; what is no public form, itself."""
    inner = getattr(function, "__wrapped__", None)
    return inner if inner is not None and _PUBLIC.get(inner) is function else function


def replace(
    public: FunctionType, make: Callable[[Function], Function]
) -> Callable[[], None]:
    """Lets a public form call `make(former)` from now on, where `former` does what it did before.

    So every reference to the public form has the new meaning. What the new function raises leaves
    as it is: `former` names the call. The function that comes back undoes it.
    """
    cells = dict(zip(public.__code__.co_freevars, public.__closure__ or ()))
    copies = tuple([CellType(cell.cell_contents) for cell in cells.values()])
    former = FunctionType(
        public.__code__, public.__globals__, public.__name__, public.__defaults__, copies
    )
    former.__kwdefaults__ = public.__kwdefaults__
    functools.update_wrapper(former, own_form(public))
    called = "call" if "call" in cells else "function"
    before = [(cells[name], cells[name].cell_contents) for name in (called, "refused")]
    cells[called].cell_contents = make(former)
    cells["refused"].cell_contents = raises_again

    def undo() -> None:
        for cell, contents in before:
            cell.cell_contents = contents

    return undo


def raises_again(
    error: Exception, function: Function, values: tuple[object, ...], named: dict[str, object]
) -> None:
    """No other meaning of a call: its error stays as it is."""


def _wrapped(function: Function, refused: Function) -> Function:
    code = function.__code__
    if code.co_flags & VARIADIC or code.co_kwonlyargcount:
        return _wrapped_any(function, refused)
    # Code that is there gets other names. A function of any arguments would take 4 to 8% of an
    # eager op (`tf.shape`, `tf.matmul`) more. A text for each of the 1,400 would take 0.16 s of the
    # import.
    count = code.co_argcount
    place = count % _TOGETHER
    body = _templates(count - place)[place].replace(
        co_name=code.co_name,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_varnames=(*code.co_varnames[:count], "error", "meaning"),
        co_posonlyargcount=code.co_posonlyargcount,
    )
    cells = (cell_of_call(function), *[CellType(cell) for cell in (function, leave, refused)])
    made = FunctionType(body, function.__globals__, code.co_name, function.__defaults__, cells)
    return functools.update_wrapper(made, function)


def _wrapped_any(function: Function, refused: Function) -> Function:
    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            meaning = refused(error, function, args, kwargs)
            if meaning is None:
                raise
        try:
            return meaning()
        except Exception as error:
            leave(error, function, args, kwargs)
            raise

    return public


#: So many templates are made together: those of one more parameter each.
_TOGETHER = 16


@functools.cache
def _templates(first: int) -> list[CodeType]:
    """The codes of open functions of `first` parameters and more, whose names come later.

    One syntax tree serves them all: to make one takes longer than to compile it.
    """
    module = ast.parse("""
def outer(call, function, leave, refused):
    def public():
        try:
            return call()
        except Exception as error:
            meaning = refused(error, function, (), {})
            if meaning is None:
                raise
        try:
            return meaning()
        except Exception as error:
            leave(error, function, (), {})
            raise
    return public
""")
    parameters: list[ast.arg] = []
    arguments: list[list[ast.expr]] = []
    for node in ast.walk(module):  # all of it is one line, that of the function's definition
        if isinstance(node, (ast.expr, ast.stmt, ast.excepthandler, ast.arg)):
            node.lineno, node.end_lineno = 1, None
        if isinstance(node, ast.FunctionDef) and node.name == "public":
            parameters = node.args.args
        elif isinstance(node, ast.Tuple):
            arguments.append(node.elts)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "call":
            arguments.append(node.args)
    codes: list[CodeType] = []
    for count in range(first + _TOGETHER):
        if count >= first:
            scope: dict[str, Any] = {}
            exec(compile(module, __file__, "exec"), scope)
            codes.append(scope["outer"](None, None, None, None).__code__)
        name = f"p{count}"
        parameters.append(ast.arg(name, lineno=1, col_offset=0))
        for values in arguments:
            values.append(ast.Name(name, ast.Load(), lineno=1, col_offset=0))
    return codes
