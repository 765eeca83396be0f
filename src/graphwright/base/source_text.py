"""The expression of the program that asks for something, as its source has it.

Errors name the program's own variables by it. Python says where an instruction stands in the source
from 3.11 on; before that, and without source, there is no expression.
"""

from __future__ import annotations

import ast
import linecache
import textwrap
from collections.abc import Sequence
from itertools import islice
from types import CodeType, FrameType
from typing import Any, TypeAlias

from graphwright.base.named_tuples import NamedTuple

_LONGEST = 60  # letters of an expression that a message shows
_LINES = 200  # lines of a statement that are read


class CodePlace(NamedTuple):
    """The place in its code where a frame stood, which has gone on since."""

    f_code: CodeType
    f_lasti: int
    f_lineno: int
    f_globals: dict[str, Any]

    @classmethod
    def of(cls, frame: FrameType) -> CodePlace:
        """The place where a frame stands now."""
        return cls(frame.f_code, frame.f_lasti, frame.f_lineno or 0, frame.f_globals)


#: What stands at an instruction of the program.
Standing: TypeAlias = FrameType | CodePlace


def source_at(frame: Standing) -> str:
    """The source of the instruction at which a frame stands; empty if it is unknown."""
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is None or frame.f_lasti < 0:
        return ""
    line, last, start, end = next(islice(positions(), frame.f_lasti // 2, None), (None,) * 4)
    if line is None or last is None or start is None or end is None or last - line > _LINES:
        return ""
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)[line - 1 : last]
    if not lines:
        return ""
    parts = [text.encode() for text in lines]  # columns count bytes
    parts[-1] = parts[-1][:end]
    parts[0] = b" " * start + parts[0][start:]
    return textwrap.dedent(b"".join(parts).decode(errors="replace"))


def node_at(frame: Standing) -> ast.AST | None:
    """The expression or statement at which a frame stands; None if it is unknown.

    >>> names = {}
    >>> exec("import sys; frame = sys._getframe()", names)
    >>> node_at(names["frame"]) is None  # its source is nowhere
    True
    """
    text = source_at(frame)
    if not text.strip():
        return None
    for form in (f"({text}\n)", text):
        try:
            body = ast.parse(form).body
        except SyntaxError:
            continue
        node = body[0] if body else None
        return node.value if isinstance(node, ast.Expr) else node
    return None


class Statement(NamedTuple):
    """A statement of the program: what it assigns to, if that is one thing, and where it stands."""

    target: str
    #: Whether it stands in a branch of its function.
    is_conditional: bool


def statement_at(frame: Standing) -> Statement | None:
    """The innermost statement on a frame's line; None if its source is unknown.

    >>> names = {}
    >>> exec("import sys; frame = sys._getframe()", names)
    >>> statement_at(names["frame"]) is None
    True
    """
    line = frame.f_lineno
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    try:
        body: ast.AST | None = ast.parse("".join(lines))
    except SyntaxError:  # as cells of notebooks with commands
        return None
    innermost, is_conditional = None, False
    while body is not None:
        inside = [n for n in ast.walk(body) if n is not body and isinstance(n, ast.stmt)]
        body = next((n for n in inside if n.lineno <= line <= (n.end_lineno or 0)), None)
        if isinstance(body, ast.stmt):
            innermost = body
            starts_anew = isinstance(body, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            is_conditional = not starts_anew and (is_conditional or isinstance(body, ast.If))
    if innermost is None:
        return None
    targets = innermost.targets if isinstance(innermost, ast.Assign) else []
    one = targets[0] if len(targets) == 1 else getattr(innermost, "target", None)
    is_named = isinstance(one, (ast.Name, ast.Attribute))
    return Statement(shown(one) if is_named else "", is_conditional)


def condition_at(frame: Standing) -> str:
    """The expression whose truth a frame asks for; empty if it is unknown."""
    node = node_at(frame)
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return shown(node.test)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return shown(node.operand)
    return shown(node) if isinstance(node, ast.expr) else ""


def is_filter(frame: Standing, condition: str) -> bool:
    """Whether a condition chooses the items of a comprehension on a frame's line."""
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals).strip()
    try:
        tree = ast.parse(line)
    except SyntaxError:
        return frame.f_code.co_name in _COMPREHENSIONS
    parts = [node for node in ast.walk(tree) if isinstance(node, ast.comprehension)]
    return any(shown(test) == condition for part in parts for test in part.ifs)


#: The names of comprehensions that are functions of their own, as all are before Python 3.12.
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def iterable_at(frame: Standing) -> str:
    """The expression over which a frame begins to iterate; empty if it is unknown."""
    node = node_at(frame)
    if isinstance(node, (ast.For, ast.comprehension)):
        return shown(node.iter)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return shown(node.generators[0].iter)
    if isinstance(node, ast.Assign):
        return shown(node.value)
    return argument_at(frame) or (shown(node) if isinstance(node, ast.Name) else "")


def argument_at(frame: Standing) -> str:
    """The only argument of the call that a frame makes; empty if it is unknown."""
    node = node_at(frame)
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        return shown(node.args[0])
    if isinstance(node, ast.Subscript):
        return shown(node.slice)
    return ""


def shown(node: ast.AST | None) -> str:
    """An expression as a message shows it; empty for none, and for a long one."""
    text = "" if node is None else ast.unparse(node)
    return text if len(text) <= _LONGEST and "ag__" not in text else ""


def operands_of(node: ast.AST | None) -> tuple[list[str], dict[str, str]]:
    """The operands of an operator or a call: those by position, and those by name.

    An empty text stands for one that a message does not show.

    >>> operands_of(ast.parse("f(a, b + 1, axis=k)", mode="eval").body)
    (['a', 'b + 1'], {'axis': 'k'})
    >>> operands_of(ast.parse("steps * 2.5", mode="eval").body)
    (['steps', '2.5'], {})
    """
    if isinstance(node, ast.BinOp):
        return [shown(node.left), shown(node.right)], {}
    if isinstance(node, ast.AugAssign):
        return [shown(node.target), shown(node.value)], {}
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return [shown(node.left), shown(node.comparators[0])], {}
    if isinstance(node, ast.UnaryOp):
        return [shown(node.operand)], {}
    if not isinstance(node, ast.Call):
        return [], {}
    placed: list[str] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            break
        placed.append(shown(argument))
    return placed, {k.arg: shown(k.value) for k in node.keywords if k.arg is not None}


def name_of(call: ast.AST | None) -> str:
    """The last name of the function that a call names; empty for what is no such call.

    >>> name_of(ast.parse("tf.math.argmax(x, 2)", mode="eval").body)
    'argmax'
    """
    function = call.func if isinstance(call, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def with_argument(
    call: ast.AST | None, parameters: Sequence[str], parameter: str, argument: str
) -> str:
    """A call with another argument for one parameter; empty if a message does not show it.

    >>> call = ast.parse("tf.argmax(x, 2)", mode="eval").body
    >>> with_argument(call, ["input", "axis"], "axis", "-1")
    'tf.argmax(x, -1)'
    """
    if not isinstance(call, ast.Call) or any(isinstance(a, ast.Starred) for a in call.args):
        return ""
    value = ast.parse(argument, mode="eval").body
    place = list(parameters).index(parameter)
    args, keywords = list(call.args), [k for k in call.keywords if k.arg != parameter]
    if place < len(args):
        args[place] = value
    else:
        keywords.append(ast.keyword(parameter, value))
    return shown(ast.Call(call.func, args, keywords))


def item_of(text: str, place: int) -> str:
    """The expression of one item of a list that has an expression.

    >>> item_of("[a, b + 1]", 1), item_of("rows", 0)
    ('b + 1', 'rows[0]')
    """
    node = ast.parse(text, mode="eval").body
    if isinstance(node, (ast.List, ast.Tuple)) and place < len(node.elts):
        return shown(node.elts[place])
    return f"{text}[{place}]" if isinstance(node, (ast.Name, ast.Attribute)) else ""
