"""The function to trace in place of a program's: itself where no tensor can decide in it.

A *straight* function has operators, variables of its own, and calls of this library or of straight
functions. Conversion would change nothing in it, and is not even imported for it. Its bytecode says
what it has.
"""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from graphwright.autograph import exempt
from graphwright.autograph.settings import Verbosity
from graphwright.base.identities import IdentityTable
from graphwright.base.named_tuples import NamedTuple
from graphwright.op.late_imports import late_module
from graphwright.types.arguments import PythonFunction

#: The instructions of straight code, in all versions of Python. Any other may jump, make a
#: function, or do what conversion replaces.
_STRAIGHT = frozenset(
    {
        "BUILD_CONST_KEY_MAP", "BUILD_LIST", "BUILD_MAP", "BUILD_SLICE", "BUILD_TUPLE",
        "COMPARE_OP", "COPY", "COPY_FREE_VARS", "DUP_TOP", "IS_OP", "KW_NAMES", "LIST_EXTEND",
        "LOAD_ATTR", "LOAD_CONST", "LOAD_DEREF", "LOAD_FAST", "LOAD_FAST_LOAD_FAST", "LOAD_GLOBAL",
        "LOAD_METHOD", "NOP", "POP_TOP", "PRECALL", "PUSH_NULL", "RESUME", "RETURN_CONST",
        "RETURN_VALUE", "ROT_THREE", "ROT_TWO", "STORE_FAST", "STORE_FAST_LOAD_FAST",
        "STORE_FAST_STORE_FAST", "SWAP", "UNARY_INVERT", "UNARY_NEGATIVE", "UNARY_POSITIVE",
        "UNPACK_SEQUENCE",
    }
)  # fmt: skip
_ARITHMETIC = ("BINARY_", "INPLACE_")
#: Calls whose callee has a mark in the code: 3.10 has none for `CALL_FUNCTION`.
_CALLS = frozenset({"CALL", "CALL_KW", "CALL_METHOD"})
_BUILDS = frozenset({"BUILD_CONST_KEY_MAP", "BUILD_LIST", "BUILD_MAP", "BUILD_TUPLE"})
_ITEMS = frozenset({"BINARY_SLICE", "BINARY_SUBSCR"})
#: So many functions may call each other: each is looked at for each that calls it.
_DEEPEST = 6
#: Whether `PUSH_NULL`, which marks a callee, comes after it.
_MARKS_AFTER = sys.version_info >= (3, 13)


class CalleePath(NamedTuple):
    """`tf.math.add`, where a function reads it: a variable, and the attributes after it."""

    variable: str
    attributes: tuple[str, ...]
    #: Whether the variable is a parameter, and the only attribute a method.
    is_method: bool = False

    def value(self, variables: dict[str, Any], classes: Mapping[str, type]) -> object:
        """What it is now; None where it leads through anything but modules of this library.

        A parameter leads to a method of its class, where that is one of this library.
        """
        if self.is_method:
            kind = classes.get(self.variable)
            is_known = kind is not None and _is_own(kind.__module__)
            return getattr(kind, self.attributes[0], None) if is_known else None
        value = variables.get(self.variable)
        for name in self.attributes:
            if not isinstance(value, types.ModuleType) or not _is_own(value.__name__):
                return None
            value = getattr(value, name, None)
        return value


#: Of code that may be straight, what it calls; None of other code.
_callees: IdentityTable[types.CodeType, tuple[CalleePath, ...] | None] = IdentityTable()


def traced_form(function: PythonFunction, classes: Sequence[type | None] = ()) -> Any:
    """Returns the function to trace: the converted form, or `function` itself if it is straight.

    Args:
        function: The function of a program.
        classes: The classes of its arguments, as far as they are known.
    """
    inner = function
    if isinstance(function, types.MethodType):
        inner, classes = function.__func__, [None, *classes]
    if type(inner) is types.FunctionType and not Verbosity.level:
        names = inner.__code__.co_varnames[: inner.__code__.co_argcount]
        known = {name: kind for name, kind in zip(names, classes) if kind is not None}
        if is_ours(inner) or is_straight(inner, known):
            return function
    conversion: Any = late_module("graphwright.autograph.conversion")
    return conversion.staged_form(function)


def is_ours(function: types.FunctionType) -> bool:
    """Whether a function is this library's, and calls none of a program that it would convert."""
    return _is_own(exempt.module_of(function)) and not exempt.calls_back(function)


def is_straight(
    function: types.FunctionType,
    classes: Mapping[str, type] = MappingProxyType({}),
    inside: frozenset[types.CodeType] = frozenset(),
) -> bool:
    """Whether conversion would change nothing in a function of a program.

    `classes` has those of parameters, as far as they are known. `inside` has the code of those that
    call it: none of a circle is straight.
    """
    code = function.__code__
    if code in inside or len(inside) > _DEEPEST:
        return False
    if "__wrapped__" in vars(function) or exempt.is_never_converted(function):
        return False
    paths = _callees.find(code) if code in _callees else _callees.add(code, callees_of(code))
    if not paths:
        return paths is not None
    cells = dict(zip(code.co_freevars, function.__closure__ or ()))
    variables = {**function.__globals__, **_contents(cells)}
    inside |= {code}
    return all(_stays(path.value(variables, classes), inside) for path in paths)


def is_straight_code(code: types.CodeType) -> bool:
    """Whether a function of this code may have been traced as it is."""
    return code in _callees and _callees.find(code) is not None


def _contents(cells: dict[str, types.CellType]) -> dict[str, object]:
    """The values of cells that have one."""
    values = {}
    for name, cell in cells.items():
        try:
            values[name] = cell.cell_contents
        except ValueError:  # the variable has none yet
            values[name] = None
    return values


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == "graphwright"


def _stays(callee: object, inside: frozenset[types.CodeType]) -> bool:
    """Whether a converted function would call this one as it is, or in a form that is the same."""
    if type(callee) is not types.FunctionType or exempt.is_marked(callee):
        return False
    if _is_own(callee.__globals__.get("__name__") or ""):
        return not exempt.calls_back(callee)
    return is_straight(callee, inside=inside)


def callees_of(code: types.CodeType) -> tuple[CalleePath, ...] | None:
    """What straight code calls; None of other code, and where a callee is not a path.

    A callee has a mark, the null beside it on the stack. So code whose calls, marked paths and
    marks are equally many calls these paths alone, if it takes no item of what it builds.
    """
    instructions = list(dis.get_instructions(code))
    names = [instruction.opname for instruction in instructions]
    if not all(n in _STRAIGHT or n in _CALLS or n.startswith(_ARITHMETIC) for n in names):
        return None
    parameters = {*code.co_varnames[: code.co_argcount]}.difference(*map(_stored, instructions))
    paths: list[CalleePath] = []
    end = 0
    for place, instruction in enumerate(instructions):
        if place < end:
            continue
        if instruction.opname in ("LOAD_FAST", "LOAD_FAST_LOAD_FAST"):
            variable, method = _names_of(instruction)[-1], instructions[place + 1]
            is_method = method.opname in ("LOAD_ATTR", "LOAD_METHOD") and _is_mark(method)
            if is_method and variable in parameters:
                paths.append(CalleePath(variable, (str(method.argval),), True))
            continue
        if instruction.opname not in ("LOAD_GLOBAL", "LOAD_DEREF"):
            continue
        end = place + 1
        while names[end] in ("LOAD_ATTR", "LOAD_METHOD"):
            end += 1
        beside = names[end] if _MARKS_AFTER else names[place - 1]
        if beside == "PUSH_NULL" or any(map(_is_mark, instructions[place:end])):
            parts = [str(part.argval) for part in instructions[place:end]]
            paths.append(CalleePath(parts[0], tuple(parts[1:])))
    calls, marks = sum(n in _CALLS for n in names), sum(map(_is_mark, instructions))
    if paths and any(n in _BUILDS for n in names[: _last_item(names)]):
        return None
    return tuple(dict.fromkeys(paths)) if len(paths) == calls == marks else None


def _stored(instruction: dis.Instruction) -> Sequence[str]:
    """The variables that an instruction stores, and perhaps those that it loads meanwhile."""
    return _names_of(instruction) if instruction.opname.startswith("STORE_FAST") else ()


def _names_of(instruction: dis.Instruction) -> Sequence[str]:
    """The variables of an instruction about one or two."""
    names: Any = instruction.argval
    return names if isinstance(names, tuple) else (names,)


def _is_mark(instruction: dis.Instruction) -> bool:
    """Whether an instruction marks a callee."""
    if instruction.opname in ("LOAD_GLOBAL", "LOAD_ATTR"):
        return instruction.argrepr != instruction.argval  # `NULL + tf` is more than the name
    return instruction.opname in ("PUSH_NULL", "LOAD_METHOD")


def _last_item(names: Sequence[str]) -> int:
    """The place of the last instruction that takes an item; 0 if there is none."""
    places = [place for place, name in enumerate(names) if name in _ITEMS]
    return places[-1] if places else 0
