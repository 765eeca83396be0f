"""Functions that are an op and nothing else, made from its record.

TensorFlow generates them from definitions of ops: the parameters are the operands, the attributes
and a name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op
from graphwright.op.results import named
from graphwright.types.arguments import TensorLike
from graphwright.types.dtypes import as_dtype

#: The function in the text that is made for it. It belongs to the module of the op, so that
#: the examples of its documentation are run there.
_TEXT = """
def outer(call, kind):
    def {function}({parameters}):
        return call(kind, ({operands},), ({attributes},), name)
    return {function}
"""


def function_of(kind: type[Op], function: str, doc: str) -> Callable[..., Any]:
    """The function, under a name, of an op whose operands have one dtype each."""
    operands = [operand.name for operand in kind.operands]
    attributes = {name: getattr(kind, name) for name in kind.fields}
    text = _TEXT.format(
        function=function,
        parameters=", ".join([*operands, *attributes, "name"]),
        operands=", ".join(operands),
        attributes=", ".join(attributes),
    )
    module = sys.modules[kind.__module__]
    scope: dict[str, Any] = {}
    exec(compile(text, f"{module.__file__} ({function})", "exec"), vars(module), scope)
    made: Callable[..., Any] = scope["outer"](_call, kind)
    made.__defaults__ = (*attributes.values(), None)
    made.__doc__ = doc
    made.__module__, made.__qualname__ = kind.__module__, function
    made.__annotations__ = {
        **dict.fromkeys(operands, "Any"),
        **kind.fields,
        "name": "str | None",
        "return": "Any",
    }
    return made


def _call(
    kind: type[Op], operands: tuple[TensorLike, ...], attributes: tuple[Any, ...], name: str | None
) -> Any:
    """Applies an op to operands that become tensors of the dtypes that its record states."""
    pairs = zip(kind.fields.values(), attributes)
    op = kind.of(*[float(value) if text == "float" else value for text, value in pairs])
    tensors = [
        convert(value, as_dtype(stated.dtype)) for stated, value in zip(kind.operands, operands)
    ]
    result = apply(op, *tensors, name=name)
    return named(kind)(*result) if len(kind.results) > 1 else result
