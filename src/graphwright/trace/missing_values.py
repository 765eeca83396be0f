"""Errors for Python that asks a tensor of a graph for its value, and the code to write instead.

Each says what asks, in the program's own words, and why AutoGraph does not stage it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FrameType
from typing import Protocol

from graphwright.base.errors import (
    Location,
    OperatorNotAllowedInGraphError,
    user_frame,
    user_location,
)
from graphwright.base.named_tuples import NamedTuple
from graphwright.base.source_text import (
    CodePlace,
    argument_at,
    condition_at,
    is_filter,
    iterable_at,
    node_at,
    shown,
)
from graphwright.op.interpreter import STATE

#: Why AutoGraph does not stage the code that asks.
SWITCHED_OFF = "switched off"
LEFT_OUT = "left out"
CONVERTED = "converted"


class NamedValue(Protocol):
    """A tensor of a graph, as far as errors need it."""

    @property
    def name(self) -> str:
        """The name in the graph: `add:0`."""


class AskingCode:
    """What AutoGraph knows of code that asks for a value: it installs `conversion`."""

    #: One of the three reasons above, for the frame that asks.
    conversion: Callable[[FrameType], str] = staticmethod(lambda frame: CONVERTED)


class Asker(NamedTuple):
    """The code that asks, where it stands: what words are made of once somebody reads them."""

    place: CodePlace | None
    reason: str  # why AutoGraph does not stage it
    location: Location | None

    @classmethod
    def now(cls) -> Asker:
        """The innermost code of the program."""
        frame = user_frame(2)
        if frame is None:
            return cls(None, LEFT_OUT, None)
        return cls(CodePlace.of(frame), AskingCode.conversion(frame), user_location(2))


def not_in_graph(message: str, advice: str = "") -> OperatorNotAllowedInGraphError:
    """The error for a Python operator, with the line of the program."""
    return OperatorNotAllowedInGraphError(in_lines(message, advice, user_location(2)))


def in_lines(message: str, advice: str, location: Location | None) -> str:
    """A message, the advice if there is any, and the line of the program."""
    return "\n".join(filter(None, [message, advice, "" if location is None else f"  {location}"]))


def not_decided(
    tensor: NamedValue, words: Callable[[Asker], tuple[str, str]]
) -> OperatorNotAllowedInGraphError:
    """The error for a tensor that must decide, with the words for who asks.

    AutoGraph handles nearly all of them, unread.
    """
    asker = Asker.now()
    error = OperatorNotAllowedInGraphError()
    error.undecided = tensor
    error.words = lambda: in_lines(*words(asker), asker.location)
    return error


def no_truth(tensor: NamedValue) -> OperatorNotAllowedInGraphError:
    """The error for the truth of a tensor."""

    def words(asker: Asker) -> tuple[str, str]:
        place = asker.place
        source = "" if place is None else condition_at(place)
        cond = f"`tf.cond({source or 'condition'}, lambda: ..., lambda: ...)`"
        membership = membership_form(None if place is None else node_at(place))
        advice = instead(asker, membership or cond, membership or f"{cond}, or an `if` statement")
        if place is not None and is_filter(place, source):
            advice = (
                "A comprehension takes its items as Python does: `tf.boolean_mask(items, mask)` "
                "takes those of a tensor."
            )
        return (
            "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: "
            f"{named(source, tensor)} has no value while the function is traced.",
            advice,
        )

    return not_decided(tensor, words)


def membership_form(node: ast.AST | None) -> str:
    """The op that takes the place of `item in items`; empty for other code."""
    if not isinstance(node, ast.Compare) or len(node.ops) > 1:
        return ""
    item, items = shown(node.left) or "item", shown(node.comparators[0]) or "items"
    if isinstance(node.ops[0], ast.In):
        return f"`tf.reduce_any(tf.stack({items}) == {item})`"
    if isinstance(node.ops[0], ast.NotIn):
        return f"`tf.reduce_all(tf.stack({items}) != {item})`"
    return ""


def no_items(tensor: NamedValue) -> OperatorNotAllowedInGraphError:
    """The error for an iteration over a tensor."""
    asker = Asker.now()
    place = asker.place
    source = "" if place is None else iterable_at(place)
    mapped = f"`{mapping_of(place) or f'tf.map_fn(lambda item: ..., {tensor_of(source)})'}`"
    known = f"`tf.unstack({tensor_of(source)})` where its length is known"
    if source.startswith("range("):
        known = "`tf.while_loop`"
    return not_in_graph(
        f"Iterating over a symbolic `tf.Tensor` is not allowed: {named(source, tensor)} has no "
        "value while the function is traced.",
        instead(
            asker,
            f"{mapped}, or {known}",
            f"{mapped}, {known}, or a `for` statement",
            isinstance(None if place is None else node_at(place), _COMPREHENSIONS),
        ),
    )


def no_membership(tensor: NamedValue, item: object) -> OperatorNotAllowedInGraphError:
    """The error for `item in tensor`."""

    def words(asker: Asker) -> tuple[str, str]:
        node = None if asker.place is None else node_at(asker.place)
        sides = [node.left, node.comparators[0]] if isinstance(node, ast.Compare) else []
        one, many = [shown(side) for side in sides] or ["item", "tensor"]
        anywhere = f"`tf.reduce_any({many or 'tensor'} == {one or 'item'})`"
        return (
            f"`in` a symbolic `tf.Tensor` is not allowed: {named(many, tensor)} has no value while "
            "the function is traced.",
            instead(asker, anywhere, anywhere),
        )

    return not_decided(tensor, words)


def no_number(tensor: NamedValue, what: str) -> TypeError:
    """The error for `int`, `float` and `complex` of a tensor, and for an index."""
    asker = Asker.now()
    node = None if asker.place is None else node_at(asker.place)
    source = "" if asker.place is None else argument_at(asker.place)
    form = number_form(node, source)
    subject = f"`{source}`, a symbolic tensor" if source else "A symbolic tensor"
    off = switched_off(asker) if called(node) in _STAGED else ""
    value = source or "x"
    called_later = f"`tf.py_function(lambda value: ..., [{value}], {value}.dtype)`"
    op = f"`{form}`" if form else f"tensor operations, or {called_later}"
    return TypeError(
        f"{subject} ({tensor.name}) has no Python {what}: its value is known only when the graph "
        f"runs. {f'{off}Or use' if off else 'Use'} {op}."
    )


def no_length(tensor: NamedValue) -> TypeError:
    """The error for `len` of a tensor."""
    asker = Asker.now()
    source = ("" if asker.place is None else argument_at(asker.place)) or "x"
    return TypeError(
        f"len is not well defined for a symbolic Tensor ({tensor.name}). "
        f"{switched_off(asker)}`tf.shape({source})[0]` is the length as a tensor, and "
        f"`{source}.shape[0]` that which is known while the function is traced, or None."
    )


def no_array(tensor: NamedValue) -> NotImplementedError:
    """The error for NumPy that asks for an array."""
    frame = user_frame(1)
    source = ("" if frame is None else argument_at(frame)) or "x"
    return NotImplementedError(
        f"Cannot convert a symbolic tf.Tensor ({tensor.name}) to a numpy array: it has no value "
        "while the function is traced, so a NumPy call cannot take it. Use the op of the same "
        f"name, or `tf.numpy_function(function, [{source}], {source}.dtype)`, which calls "
        "`function` when the graph runs."
    )


def no_reading(tensor: object, name: str) -> AttributeError:
    """The error for a method that reads a tensor's value, with the form that works."""
    message = f"{type(tensor).__name__!r} object has no attribute {name!r}"
    if STATE.active is not None:  # a tensor that leaked needs no advice
        frame = user_frame(1)
        node = None if frame is None else node_at(frame)
        node = node.func if isinstance(node, ast.Call) else node
        owner = (shown(node.value) if isinstance(node, ast.Attribute) else "") or "x"
        reading = "value.numpy()" if name == "numpy" else f"value.numpy().{name}()"
        message += (
            f": `{owner}` is a tensor of a graph, which has no value while the function is "
            f"traced. Compute with `{owner}` itself, or read its value when the graph runs: "
            f"`tf.py_function(lambda value: {reading}, [{owner}], {owner}.dtype)`."
        )
    return AttributeError(message, name=name, obj=tensor)


#: Calls that AutoGraph stages where it converts the code.
_STAGED = frozenset({"range", "int", "float"})


def number_form(node: ast.AST | None, source: str) -> str:
    """The op that takes the place of the call which asks for a number; empty if there is none."""
    if not source:
        return ""
    if isinstance(node, ast.Subscript):
        items = shown(node.value)
        return f"tf.gather({items}, {source})" if items else ""
    forms = {
        "range": f"tf.map_fn(lambda i: ..., tf.range({source}))",
        "int": f"tf.cast({source}, tf.int32)",
        "float": f"tf.cast({source}, tf.float32)",
        "complex": f"tf.cast({source}, tf.complex64)",
    }
    return forms.get(called(node), "")


def called(node: ast.AST | None) -> str:
    """The function of a call; empty for anything else."""
    return shown(node.func) if isinstance(node, ast.Call) else ""


def named(source: str, tensor: NamedValue) -> str:
    """The tensor by the expression that the program has for it, else by its own name."""
    return f"`{source}`" if source else f"the tensor {tensor.name}"


def tensor_of(source: str) -> str:
    """An expression as a tensor: `tf.range(n)` for `range(n)`."""
    return f"tf.{source}" if source.startswith("range(") else source or "x"


def mapping_of(place: CodePlace | None) -> str:
    """The `tf.map_fn` that takes the place of a comprehension; empty for other code."""
    node = None if place is None else node_at(place)
    if not isinstance(node, (ast.ListComp, ast.GeneratorExp)) or len(node.generators) > 1:
        return ""
    [part] = node.generators
    item, iterable, body = shown(part.target), shown(part.iter), shown(node.elt)
    if part.ifs or not isinstance(part.target, ast.Name) or not (iterable and body):
        return ""
    return f"tf.map_fn(lambda {item}: {body}, {tensor_of(iterable)})"


def switched_off(asker: Asker) -> str:
    """The advice to let AutoGraph convert a function, where the program has switched it off."""
    if asker.place is None or asker.reason != SWITCHED_OFF:
        return ""
    name = asker.place.f_code.co_name
    return f"Make `{name}` without `autograph=False`, and AutoGraph stages it. "


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def instead(asker: Asker, form: str, otherwise: str, in_comprehension: bool = False) -> str:
    """What to write: `form`, where no statement can be staged; else `otherwise`."""
    if asker.reason == SWITCHED_OFF and not in_comprehension:
        return f"{switched_off(asker)}Or write {form}."
    if asker.reason != CONVERTED:
        return f"AutoGraph does not convert this code: write {form}."
    return f"AutoGraph stages statements, and no other code: write {otherwise}."
