"""What helps where a variable is made in each trace: lines of code that make one."""

from __future__ import annotations

import ast
from types import CodeType

from graphwright.base.errors import user_frame
from graphwright.base.source_text import Statement, name_of, node_at, statement_at
from graphwright.values.variable import Variable

#: Methods of optimizers that make variables at their first call.
_UPDATES = ("apply_gradients", "apply", "minimize")
_OUTSIDE = "  # once, outside the function"


def lines_on_creation(variable: Variable) -> str:
    """Lines that name the line of the program that makes a variable, and code that makes one."""
    frame = user_frame(1)
    if frame is None:
        return ""
    call, statement = node_at(frame), statement_at(frame)
    code = creating_once(variable, call, statement, local_names(frame.f_code))
    name = f" `{statement.target}`" if statement is not None and statement.target else ""
    head = f"\n    line {frame.f_lineno} makes a variable{name} in each trace. This makes one:"
    return head + "".join([f"\n    {line}" for line in code.splitlines()]) if code else ""


def local_names(code: CodeType) -> tuple[str, ...]:
    """The names of a function's own values; a comprehension has those around it, too."""
    is_comprehension = code.co_name.startswith("<") and code.co_name != "<lambda>"
    return code.co_varnames + (code.co_freevars if is_comprehension else ())


def creating_once(
    variable: Variable,
    call: ast.AST | None,
    statement: Statement | None,
    local: tuple[str, ...],
) -> str:
    """Code that makes a variable once, in the place of a call; empty where that is unknown.

    `local` are the names of the function's own values, which nobody has outside of it.
    """
    if not isinstance(call, ast.Call):
        return ""
    if name_of(call) in _UPDATES and isinstance(call.func, ast.Attribute):
        return f"{ast.unparse(call.func.value)}.build(trainable_variables){_OUTSIDE}"
    target = statement.target if statement is not None else ""
    if statement is not None and "." in target and not statement.is_conditional:
        unset = f"  # `__init__` sets {target} = None"
        return f"if {target} is None:{unset}\n    {target} = {ast.unparse(call)}"
    names = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
    if names.isdisjoint(local):
        return f"{target or 'variable'} = {ast.unparse(call)}{_OUTSIDE}"
    if name_of(call) != "Variable" or not call.args or not variable.shape.is_fully_defined():
        return ""
    zeros = f"tf.zeros({variable.shape.as_list()}, tf.{variable.dtype.name})"
    target = target or "variable"
    initial = ast.unparse(call.args[0])
    return f"{target} = tf.Variable({zeros}){_OUTSIDE}\n{target}.assign({initial})  # inside"
