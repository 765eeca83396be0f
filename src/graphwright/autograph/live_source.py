"""The syntax tree of a live function, and a live function from a syntax tree.

Trees keep the lines and columns of their file, and compiled code keeps its file name. So whatever
shows a converted function shows the source of the program.
"""

from __future__ import annotations
import __future__

import ast
import copy
import itertools
import linecache
import types
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwright.autograph.exempt import note_converted
from graphwright.autograph.syntax import with_type_params
from graphwright.base.annotations import annotate_alike
from graphwright.base.bounded_tables import remember
from graphwright.base.named_tuples import NamedTuple

if TYPE_CHECKING:
    from graphwright.autograph.syntax import Start

_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag

FACTORY = "ag__factory"
_MORE_LINES = 200  # how far past the last line that runs a definition may end


class SourceError(Exception):
    """A function has no source; the message says why."""


class LiveSource(NamedTuple):
    """The source of a function.

    - `tree` makes its definition without decorators, anew for each caller. A lambda becomes a
      definition with one return.
    - `class_name` is the class around it, for private names.
    - `flags` are the future features of its code.
    - `names` are all that it or a function in it uses.
    - `free` are its variables that belong to functions around it.
    """

    name: str
    qualname: str
    tree: Callable[[], ast.FunctionDef]
    filename: str
    class_name: str | None
    flags: int
    names: frozenset[str]
    free: tuple[str, ...]


def fetch(function: types.FunctionType) -> LiveSource:
    """The source of `function`. Raises SourceError where there is none."""
    code = function.__code__
    lines = _lines(code.co_filename, function.__globals__)
    if not lines:
        raise SourceError(f"no source is available for {code.co_filename!r}")
    if code.co_name == "<lambda>":
        lambda_ = _find_lambda(code, lines)
        tree = lambda: _define(copy.deepcopy(lambda_))  # noqa: E731
    else:
        tree = _find_definition(code, lines)
    flags = code.co_flags & _FUTURES
    return LiveSource(
        code.co_name,
        getattr(code, "co_qualname", code.co_name),  # from 3.11 on
        tree,
        code.co_filename,
        _class_name(function),
        flags,
        frozenset(_all_names(code)),
        code.co_freevars,
    )


def _lines(filename: str, scope: dict[str, object]) -> list[str]:
    if not filename.startswith("<"):
        linecache.checkcache(filename)
    return linecache.getlines(filename, scope)


def _class_name(function: types.FunctionType) -> str | None:
    """The innermost class around a function: `A` of `A.m` and of `A.m.<locals>.f`."""
    parts = function.__qualname__.split(".")
    for outer, inner in reversed(list(itertools.pairwise(parts))):
        if not (outer.startswith("<") or inner.startswith("<")) and outer.isidentifier():
            return outer
    return None


# Definitions


def _find_definition(code: types.CodeType, lines: list[str]) -> Callable[[], ast.FunctionDef]:
    """What makes the definition with that code, which is somewhere in the lines of its file."""
    first = code.co_firstlineno - 1
    if first >= len(lines):
        raise SourceError(f"{code.co_filename!r} has changed since it was loaded")
    head = lines[first]
    margin = head[: len(head) - len(head.lstrip())]
    last = _extend(lines, max(_last_line(code), first + 1), margin)
    before = "\n" * (first - 1) + "if 1:\n" if margin else "\n" * first
    for end in range(last, min(last + _MORE_LINES, len(lines)) + 1):
        text = before + "".join(lines[first:end])
        try:
            node = _definition(text)
        except SyntaxError:
            continue
        if isinstance(node, ast.FunctionDef) and _defines(node, code):
            return _Once(node, text)
        break
    raise SourceError(
        f"line {first + 1} of {code.co_filename!r} does not hold the definition of "
        f"{code.co_name!r}: the file has changed, or the function was generated"
    )


def _definition(text: str) -> ast.stmt:
    """The definition that is all of a text, which may be indented under an `if`."""
    node = ast.parse(text).body[0]
    if isinstance(node, ast.If):
        node = node.body[0]
    return node


class _Once:
    """Returns a tree once, then parses its text again for each caller."""

    def __init__(self, node: ast.FunctionDef, text: str) -> None:
        self.node: ast.FunctionDef | None = node
        self.text = text

    def __call__(self) -> ast.FunctionDef:
        node, self.node = self.node or _definition(self.text), None
        assert isinstance(node, ast.FunctionDef)
        node.decorator_list = []
        return node


def _defines(node: ast.FunctionDef, code: types.CodeType) -> bool:
    return node.name == code.co_name and _parameters(node.args) == _code_parameters(code)


def _last_line(code: types.CodeType) -> int:
    last = max((line for _, _, line in code.co_lines() if line), default=0)
    return max([last, *(_last_line(inner) for inner in _inner_codes(code))])


def _inner_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    return (const for const in code.co_consts if isinstance(const, types.CodeType))


def _all_names(code: types.CodeType) -> set[str]:
    names = {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars}
    return names.union(*map(_all_names, _inner_codes(code)))


def _extend(lines: list[str], end: int, margin: str) -> int:
    """The end of the block that goes on from line `end`: deeper, empty or comment lines."""
    last = end
    for position in range(end, len(lines)):
        text = lines[position]
        bare = text.strip()
        if not bare or bare.startswith("#"):
            continue
        if not (text.startswith(margin) and text[len(margin)] in " \t"):
            break
        last = position + 1
    return last


# Lambdas

_FILES = 256  # a notebook has one for each of its cells
_lambdas: dict[str, tuple[list[str], dict[int, list[ast.Lambda]]]] = {}


def _find_lambda(code: types.CodeType, lines: list[str]) -> ast.Lambda:
    known = _lambdas.get(code.co_filename)
    if known is None or known[0] is not lines:
        known = (lines, _all_lambdas(code.co_filename, lines))
        remember(_lambdas, code.co_filename, known, _FILES)
    on_line = known[1].get(code.co_firstlineno, [])
    alike = [node for node in on_line if _parameters(node.args) == _code_parameters(code)]
    start, end = _extent(code)
    around = [node for node in alike if _start(node) <= start and end <= _end(node)]
    if start < end and around:  # an outer lambda is around the code of inner ones too
        return max(around, key=_start)
    candidates = [node for node in alike if _compiles_to(node, code)]
    if not candidates:
        raise SourceError(
            f"line {code.co_firstlineno} of {code.co_filename!r} does not hold this lambda"
        )
    if len({ast.dump(node) for node in candidates}) > 1:
        raise SourceError(
            f"several lambdas on line {code.co_firstlineno} of {code.co_filename!r} look alike; "
            "write them on separate lines or as named functions"
        )
    return candidates[0]


def _all_lambdas(filename: str, lines: list[str]) -> dict[int, list[ast.Lambda]]:
    """The lambdas of a file by the line where they begin."""
    try:
        module = ast.parse("".join(lines), filename)
    except SyntaxError as error:
        raise SourceError(f"{filename!r} cannot be read as Python: {error}") from error
    lambdas: dict[int, list[ast.Lambda]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Lambda):
            lambdas.setdefault(node.lineno, []).append(node)
    return lambdas


def _parameters(args: ast.arguments) -> tuple[list[str], int, int]:
    """The names in the order of the code's variables, and how many are positional-only and
    keyword-only."""
    ordered = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    ordered += [arg.arg for arg in (args.vararg, args.kwarg) if arg]
    return ordered, len(args.posonlyargs), len(args.kwonlyargs)


def _code_parameters(code: types.CodeType) -> tuple[list[str], int, int]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # *args and **kwargs
    return list(code.co_varnames[:count]), code.co_posonlyargcount, code.co_kwonlyargcount


Place: TypeAlias = tuple[int, int]  # line and column


def _start(node: ast.Lambda) -> Place:
    return node.body.lineno, node.body.col_offset


def _end(node: ast.Lambda) -> Place:
    return node.body.end_lineno or 0, node.body.end_col_offset or 0


def _extent(code: types.CodeType) -> tuple[Place, Place]:
    """Where the source of a code object begins and ends; empty for Pythons without columns."""
    positions: Callable[[], Any] | None = getattr(code, "co_positions", None)  # from 3.11 on
    spans = [span for span in positions() if all(span)] if positions is not None else []
    if not spans:
        return (0, 0), (0, 0)
    start = min((line, column) for line, _, column, _ in spans)
    return start, max((line, column) for _, line, _, column in spans)


def _compiles_to(node: ast.Lambda, code: types.CodeType) -> bool:
    """Whether the lambda compiles to `code`, among the variables that are free in that."""
    place: Start = {"lineno": node.lineno, "col_offset": node.col_offset}
    result = ast.Return(node, **place)
    module = compile(_factory(code.co_freevars, [result], place), code.co_filename, "exec")
    compiled = _inner(module, code.co_name)
    return (compiled.co_code, compiled.co_names, compiled.co_freevars) == (
        code.co_code,
        code.co_names,
        code.co_freevars,
    ) and _constants(compiled) == _constants(code)


def _constants(code: types.CodeType) -> list[str]:
    """The constants of a code object except inner code, as text.

    Python 3.10 has the qualified names of inner functions among them: their last part counts.
    """
    values = (const for const in code.co_consts if not isinstance(const, types.CodeType))
    return [repr(c.rpartition(".<locals>.")[2] if isinstance(c, str) else c) for c in values]


def _define(node: ast.Lambda) -> ast.FunctionDef:
    """`lambda x: y` -> `def lambda_(x): return y`, at the same place."""
    result = ast.copy_location(ast.Return(node.body), node.body)
    definition = ast.FunctionDef("lambda_", node.args, [result], [], None, None)
    return ast.copy_location(definition, node)


# Back to code


def compile_function(
    tree: ast.FunctionDef, source: LiveSource, free: Sequence[str]
) -> types.CodeType:
    """The code object of `tree`, a converted function or part of one, with free variables."""
    place: Start = {"lineno": tree.lineno, "col_offset": tree.col_offset}
    body: list[ast.stmt] = [tree]
    if source.class_name is not None:
        body = [ast.ClassDef(source.class_name, [], [], body, [], **place)]
        if source.class_name not in free:  # then it is the module's name
            body.insert(0, ast.Global([source.class_name], **place))
    module = compile(
        _factory(free, body, place), source.filename, "exec", source.flags, dont_inherit=True
    )
    code = _rename(_inner(module, tree.name), source)
    note_converted(code)
    return code


def _factory(free: Sequence[str], body: list[ast.stmt], place: Start) -> ast.Module:
    """A module with one function, which has the variables `free` around `body`."""
    arguments = ast.arguments([], [ast.arg(name, **place) for name in free], None, [], [], None, [])
    factory = ast.FunctionDef(FACTORY, arguments, body, [], None, None, **place)
    for node in (factory, *body):
        with_type_params(node)
    return ast.Module([factory], [])


def _inner(code: types.CodeType, name: str) -> types.CodeType:
    """The first code object of that name, outside in."""
    level = [code]
    while level:
        for candidate in level:
            if candidate.co_name == name:
                return candidate
        level = [inner for outer in level for inner in _inner_codes(outer)]
    raise LookupError(name)


def _rename(code: types.CodeType, source: LiveSource) -> types.CodeType:
    """`code` with the name of the function, which tracebacks and profilers show."""
    old = getattr(code, "co_qualname", None)
    renamed: types.CodeType = code if old is None else _requalify(code, old, source.qualname)
    return renamed.replace(co_name=source.name)


def _requalify(code: types.CodeType, old: str, new: str) -> Any:
    """`code`, and the code in it, with the qualified name `new` in place of `old`."""
    qualified: Any = code  # it has `co_qualname` from Python 3.11 on
    consts = tuple(
        _requalify(const, old, new) if isinstance(const, types.CodeType) else const
        for const in code.co_consts
    )
    qualname = new + qualified.co_qualname[len(old) :]
    return qualified.replace(co_consts=consts, co_qualname=qualname)


def cells_of(function: Callable[..., object] | None) -> dict[str, types.CellType]:
    """The cells of the variables that are free in a Python function; of None there are none."""
    if function is None:
        return {}
    return dict(zip(function.__code__.co_freevars, function.__closure__ or ()))


def bind(
    code: types.CodeType, function: types.FunctionType, extra: dict[str, object]
) -> types.FunctionType:
    """`code` as a function with the globals, cells, defaults and names of `function`.

    `extra` are variables that the function lacks.
    """
    # Nothing else shares the cells of a closure with new code: `exec` makes new cells, and a copy
    # of their values would lose every assignment.
    cells = cells_of(function) | {name: types.CellType(value) for name, value in extra.items()}
    closure = tuple(cells[name] for name in code.co_freevars)
    bound = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    bound.__kwdefaults__ = function.__kwdefaults__
    bound.__qualname__ = function.__qualname__
    bound.__module__ = function.__module__
    bound.__doc__ = function.__doc__
    annotate_alike(bound, function)
    return bound
