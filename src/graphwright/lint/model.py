"""The parts of a file: functions, classes, scopes, uses of `tf.function`, and possible values.

A value names the functions and classes that it may be, and these hold values: hence one module.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from graphwright.lint.kinds import DEPTH, MANY, Kind

# -- values ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PossibleValue:
    """The possibilities of a value: perhaps more than there are, never fewer."""

    kind: int
    path: str = (
        ""  # of an EXTERNAL ("tf.constant") or of the class of an OBJECT ("tf.GradientTape")
    )
    functions: frozenset[Function | StagingSite] = frozenset()
    classes: frozenset[Class] = frozenset()  # of OBJECTs, and of classes themselves
    receiver: PossibleValue | None = None  # of a bound method
    items: tuple[PossibleValue, ...] | None = None  # of a CONTAINER whose length is known
    element: PossibleValue | None = None  # each item of a CONTAINER
    dtype: str = ""  # several are joined by "|"
    shape: tuple[int, ...] | None = None
    constant: object = None  # of a literal
    varying: bool = False  # a Python number, or a length, that a loop changes
    makers: frozenset[ast.AST] = frozenset()  # the calls that may have made an OBJECT

    def may(self, kind: int) -> bool:
        """Whether there is evidence of one of the kinds."""
        return bool(self.kind & kind)

    def is_only(self, kind: int) -> bool:
        """Whether the value has these kinds and no other."""
        return bool(self.kind) and not self.kind & ~kind

    def within(self) -> Iterator[PossibleValue]:
        """The value, and its items at any depth."""
        yield self
        if self.may(Kind.CONTAINER):
            for item in self.items or ((self.element,) if self.element else ()):
                yield from item.within()

    def each(self) -> PossibleValue:
        """The value that an item of this may have."""
        if self.items is not None:
            return join(self.items) if self.items else PossibleValue(Kind.NOTHING)
        return self.element or UNKNOWN


UNKNOWN = PossibleValue(Kind.UNKNOWN)
NOTHING = PossibleValue(Kind.NOTHING)  # of code that was not reached yet
TENSOR = PossibleValue(Kind.TENSOR)
NUMBER = PossibleValue(Kind.NUMBER)
BOOL = PossibleValue(Kind.BOOL)
TEXT = PossibleValue(Kind.TEXT)
NONE = PossibleValue(Kind.NONE)
NUMPY = PossibleValue(Kind.NUMPY)
ITERATOR = PossibleValue(Kind.ITERATOR)


def external(path: str) -> PossibleValue:
    """An external module, function or class."""
    return PossibleValue(Kind.EXTERNAL, path=path)


def instance(path: str, call: ast.AST | None = None) -> PossibleValue:
    """An object that the external class or function `path` made."""
    return PossibleValue(Kind.OBJECT, path=path, makers=frozenset([call] if call else []))


def container(items: Iterable[PossibleValue]) -> PossibleValue:
    """A list or tuple of these."""
    return shallow(PossibleValue(Kind.CONTAINER, items=tuple(items)), DEPTH)


def containing(element: PossibleValue) -> PossibleValue:
    """A container of any length of such items."""
    return shallow(PossibleValue(Kind.CONTAINER, element=element), DEPTH)


def shallow(value: PossibleValue, depth: int) -> PossibleValue:
    """The value without items deeper than `depth`, so that no value grows for ever."""
    if value.items is None and value.element is None:
        return value
    if depth == 0:
        return replace(value, items=None, element=None)
    items, element = value.items, value.element
    if items is not None:
        items = tuple(shallow(item, depth - 1) for item in items) if len(items) <= 32 else None
        element = shallow(join(value.items or ()), depth - 1) if items is None else None
    elif element is not None:
        element = shallow(element, depth - 1)
    return replace(value, items=items, element=element)


def varied(items: tuple[PossibleValue, ...]) -> PossibleValue:
    """The item of a loop over these; a number, length or shape that changes is marked."""
    each = join(items)
    distinct = set(items)
    if all(item.is_only(Kind.NUMBER) for item in items):
        return replace(each, varying=len(distinct) > 1, constant=None)
    inner = [item.items for item in items if item.is_only(Kind.CONTAINER) and item.items]
    if items and len(inner) == len(items):
        lengths = {len(part) for part in inner}
        if len(lengths) == 1:
            return PossibleValue(
                Kind.CONTAINER, items=tuple(varied(column) for column in zip(*inner))
            )
        return replace(each, varying=len(lengths) >= MANY, constant=None)
    shapes = {item.shape for item in items if item.is_only(Kind.TENSOR)} - {None}
    varying = each.varying or len(shapes) >= MANY or (each.may(Kind.NUMBER) and len(distinct) > 1)
    return replace(each, varying=varying, constant=None)


def join(values: Iterable[PossibleValue]) -> PossibleValue:
    """The value that may be any of these."""
    result = NOTHING
    for value in values:
        result = join_two(result, value)
    return result


def join_two(a: PossibleValue, b: PossibleValue) -> PossibleValue:
    """The value that may be `a` or `b`."""
    if a is b or not b.kind or a == b:
        return a
    if not a.kind:
        return b
    return PossibleValue(
        a.kind | b.kind,
        path=a.path if a.path == b.path else (a.path and b.path and "?") or a.path or b.path,
        functions=a.functions | b.functions,
        classes=a.classes | b.classes,
        receiver=a.receiver or b.receiver,
        items=_joined_items(a, b),
        element=_joined_element(a, b),
        dtype=_joined_dtype(a, b),
        shape=a.shape if a.shape == b.shape else None,
        constant=a.constant if _same(a.constant, b.constant) else None,
        varying=a.varying or b.varying,
        makers=a.makers | b.makers,
    )


def _same(a: object, b: object) -> bool:
    return type(a) is type(b) and a == b


def _joined_dtype(a: PossibleValue, b: PossibleValue) -> str:
    arrays = Kind.TENSOR | Kind.VARIABLE | Kind.NUMPY
    known = [one.dtype for one in (a, b) if one.may(arrays)]
    return "|".join(sorted({d for k in known for d in k.split("|")})) if all(known) else ""


def _joined_items(a: PossibleValue, b: PossibleValue) -> tuple[PossibleValue, ...] | None:
    if not a.may(Kind.CONTAINER):
        return b.items
    if not b.may(Kind.CONTAINER):
        return a.items
    if a.items is None or b.items is None or len(a.items) != len(b.items):
        return None
    return tuple(map(join_two, a.items, b.items))


def _joined_element(a: PossibleValue, b: PossibleValue) -> PossibleValue | None:
    if not a.may(Kind.CONTAINER):
        return b.element
    if not b.may(Kind.CONTAINER):
        return a.element
    if _joined_items(a, b) is not None:
        return None
    return shallow(join_two(a.each(), b.each()), DEPTH)


# -- scopes and definitions ----------------------------------------------------------------------

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(eq=False)
class Binding:
    """One place that gives a name or an attribute a value."""

    node: ast.AST
    value: PossibleValue
    scope: Scope
    kind: str = "assign"  # assign, augment, loop, define, import, mutate


@dataclass(eq=False)
class Scope:
    """The names of a module, function or class body."""

    parent: Scope | None
    function: Function | None = None
    klass: Class | None = None
    names: dict[str, PossibleValue] = field(
        default_factory=dict
    )  # the join of all values that were bound
    bindings: dict[str, dict[ast.AST, Binding]] = field(default_factory=dict)
    outer: dict[str, str] = field(default_factory=dict)  # name -> "global" or "nonlocal"

    def bind(self, name: str, value: PossibleValue, node: ast.AST, kind: str = "assign") -> None:
        """Record that `node` gives `name` a value."""
        owner = self.owner(name) if name in self.outer else self
        owner.names[name] = join_two(owner.names.get(name, NOTHING), value)
        owner.bindings.setdefault(name, {})[node] = Binding(node, value, self, kind)

    def owner(self, name: str) -> Scope:
        """The scope to which `name` belongs here; the module's if no scope binds it."""
        scope = self
        if self.outer.get(name) == "global":
            return self.module()
        if name in self.outer and scope.parent:
            scope = scope.parent
        while scope.parent is not None:
            if name in scope.bindings and (scope.klass is None or scope is self):
                return scope
            scope = scope.parent
        return scope

    def module(self) -> Scope:
        """The module's scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(eq=False)
class Class:
    """A class of the file."""

    node: ast.ClassDef
    name: str
    bases: list[PossibleValue] = field(default_factory=list)
    members: dict[str, PossibleValue] = field(default_factory=dict)
    attributes: dict[str, PossibleValue] = field(
        default_factory=dict
    )  # set on objects of it, anywhere
    writes: dict[str, dict[ast.AST, Binding]] = field(default_factory=dict)
    decorators: list[PossibleValue] = field(default_factory=list)

    def lineage(self) -> Iterator[Class]:
        """The class and those of its bases that are in the file."""
        seen: list[Class] = [self]
        for one in seen:
            yield one
            for base in one.bases:
                seen.extend(sorted(base.classes - set(seen), key=lambda c: c.node.lineno))

    def member(self, name: str) -> PossibleValue | None:
        """The value that the class or a base of it defines under the name."""
        return next((c.members[name] for c in self.lineage() if name in c.members), None)

    def attribute(self, name: str) -> PossibleValue | None:
        """The value that is set as this attribute of its objects."""
        values = [c.attributes[name] for c in self.lineage() if name in c.attributes]
        result = None
        for value in values:
            result = value if result is None else join_two(result, value)
        return result

    def foreign_bases(self) -> list[str]:
        """The paths of external bases; "?" for one of which nothing is known."""
        return [
            base.path or "?"
            for one in self.lineage()
            for base in one.bases
            if not base.classes and base.path != "object"
        ]


@dataclass(eq=False)
class Function:
    """A function, method or lambda of the file."""

    node: Definition
    name: str
    scope: Scope  # the one it is defined in
    klass: Class | None = None  # of a method
    decorators: list[PossibleValue] = field(default_factory=list)
    parameters: dict[str, PossibleValue] = field(default_factory=dict)  # evidence from calls
    returns: PossibleValue = NOTHING
    callees: dict[Function, ast.AST] = field(default_factory=dict)  # with the node that calls each
    calls: list[LintedCall] = field(default_factory=list)  # direct ones, not of a wrapper
    stagings: list[StagingSite] = field(default_factory=list)
    caller: Function | None = None  # whose staging stages this one
    local: Scope | None = None  # its own names
    converted: bool = True  # AutoGraph may convert it
    host: bool = False  # Python runs it at each call: py_function
    environments: dict[ast.AST, frozenset[str]] = field(default_factory=dict)

    @property
    def root(self) -> StagingSite | None:
        """The staging that it is traced under, or None."""
        function: Function | None = self
        while function is not None and not function.stagings:
            function = function.caller
        return function.stagings[0] if function else None

    @property
    def is_method(self) -> bool:
        """Whether its first parameter is an object of its class."""
        return self.klass is not None and not self.is_static and bool(self.positional)

    @property
    def is_static(self) -> bool:
        return any(d.path in ("staticmethod", "classmethod") for d in self.decorators)

    @property
    def is_plain_static(self) -> bool:
        """Whether it takes no object and no class."""
        return any(d.path == "staticmethod" for d in self.decorators)

    @property
    def positional(self) -> list[str]:
        """The names of its positional parameters."""
        return [a.arg for a in (*self.node.args.posonlyargs, *self.node.args.args)]

    @property
    def self_name(self) -> str:
        """The name of its object, "" if it has none."""
        return self.positional[0] if self.is_method else ""

    @property
    def body(self) -> list[ast.stmt]:
        """Its statements; a lambda has none."""
        return [] if isinstance(self.node, ast.Lambda) else self.node.body


@dataclass(eq=False)
class StagingSite:
    """One use of `tf.function`: the function that it wraps, and the options.

    Where Keras or a dataset stages a function, the node is the function's own.
    """

    function: Function
    node: ast.AST  # the decorator or the call
    options: dict[str, ast.expr]
    by: str = "function"  # or "keras", or "dataset", which traces the function at once
    calls: list[LintedCall] = field(default_factory=list)

    @property
    def is_implicit(self) -> bool:
        """Whether no `tf.function` is written."""
        return self.node is self.function.node

    def flag(self, name: str, default: bool) -> bool:
        """A Boolean option, `default` where it is not a literal."""
        node = self.options.get(name)
        return bool(node.value) if isinstance(node, ast.Constant) else default

    def has_feature(self, name: str) -> bool:
        """Whether an optional part of AutoGraph is switched on, by itself or with all."""
        node = self.options.get("experimental_autograph_options")
        text = "" if node is None else ast.unparse(node)
        return any(word in (name, "ALL") for word in re.findall(r"\w+", text))

    @property
    def signature(self) -> bool:
        """Whether it has, or may have, an input signature."""
        node = self.options.get("input_signature")
        return node is not None and not (isinstance(node, ast.Constant) and node.value is None)

    @property
    def relaxed(self) -> bool:
        """Whether it relaxes shapes."""
        names = ("reduce_retracing", "experimental_relax_shapes")
        return any(name in self.options and self.flag(name, True) for name in names)


@dataclass(eq=False)
class LintedCall:
    """One call of a function of the file."""

    node: ast.Call
    arguments: dict[str, tuple[ast.expr, PossibleValue]]  # parameter -> expression and value
    caller: Function | None
    concrete: bool = False  # get_concrete_function
