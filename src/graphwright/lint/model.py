"""What a file holds: its functions, classes, scopes, and what is staged in which way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from graphwright.lint.values import NOTHING, Value, join_two

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(eq=False)
class Binding:
    """One place that gives a name or an attribute a value."""

    node: ast.AST
    value: Value
    scope: Scope
    kind: str = "assign"  # assign, augment, loop, define, import, mutate


@dataclass(eq=False)
class Scope:
    """The names of a module, function or class body."""

    parent: Scope | None
    function: Function | None = None
    klass: Class | None = None
    names: dict[str, Value] = field(default_factory=dict)  # the join of all that was ever bound
    bindings: dict[str, dict[ast.AST, Binding]] = field(default_factory=dict)
    outer: dict[str, str] = field(default_factory=dict)  # name -> "global" or "nonlocal"

    def bind(self, name: str, value: Value, node: ast.AST, kind: str = "assign") -> None:
        """Record that `node` gives `name` a value."""
        owner = self.owner(name) if name in self.outer else self
        owner.names[name] = join_two(owner.names.get(name, NOTHING), value)
        owner.bindings.setdefault(name, {})[node] = Binding(node, value, self, kind)

    def owner(self, name: str) -> Scope:
        """The scope whose name `name` is when it is read here; the module's if it is nobody's."""
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
    bases: list[Value] = field(default_factory=list)
    members: dict[str, Value] = field(default_factory=dict)
    attributes: dict[str, Value] = field(default_factory=dict)  # set on objects of it, anywhere
    writes: dict[str, dict[ast.AST, Binding]] = field(default_factory=dict)
    decorators: list[Value] = field(default_factory=list)

    def lineage(self) -> Iterator[Class]:
        """The class and those of its bases that are in the file."""
        seen: list[Class] = [self]
        for one in seen:
            yield one
            for base in one.bases:
                seen.extend(sorted(base.classes - set(seen), key=lambda c: c.node.lineno))

    def member(self, name: str) -> Value | None:
        """What the class or a base of it defines under the name."""
        return next((c.members[name] for c in self.lineage() if name in c.members), None)

    def attribute(self, name: str) -> Value | None:
        """What is set as this attribute of its objects."""
        found = [c.attributes[name] for c in self.lineage() if name in c.attributes]
        result = None
        for value in found:
            result = value if result is None else join_two(result, value)
        return result

    def foreign_bases(self) -> list[str]:
        """The paths of bases from elsewhere; "?" for one that nothing is known of."""
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
    decorators: list[Value] = field(default_factory=list)
    parameters: dict[str, Value] = field(default_factory=dict)  # evidence from calls
    returns: Value = NOTHING
    callees: dict[Function, ast.AST] = field(default_factory=dict)  # and what takes it along
    calls: list[Call] = field(default_factory=list)  # direct calls, past any wrapper
    stagings: list[Staging] = field(default_factory=list)
    caller: Function | None = None  # whose staging stages this one
    own: Scope | None = None  # its names
    converted: bool = True  # AutoGraph may convert it
    host: bool = False  # it is run by Python at each call: py_function
    environments: dict[ast.AST, frozenset[str]] = field(default_factory=dict)

    @property
    def root(self) -> Staging | None:
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
class Staging:
    """One use of `tf.function`: the function it wraps, and how.

    Where Keras or a dataset stages a function by itself, the node is the function's own.
    """

    function: Function
    node: ast.AST  # the decorator or the call
    options: dict[str, ast.expr]
    calls: list[Call] = field(default_factory=list)

    @property
    def is_implicit(self) -> bool:
        """Whether no `tf.function` is written."""
        return self.node is self.function.node

    def flag(self, name: str, default: bool) -> bool:
        """A Boolean option, `default` where it is not a literal."""
        node = self.options.get(name)
        return bool(node.value) if isinstance(node, ast.Constant) else default

    @property
    def signature(self) -> bool:
        """Whether it has an input signature (or may have one)."""
        node = self.options.get("input_signature")
        return node is not None and not (isinstance(node, ast.Constant) and node.value is None)

    @property
    def relaxed(self) -> bool:
        """Whether it generalises shapes by itself."""
        names = ("reduce_retracing", "experimental_relax_shapes")
        return any(name in self.options and self.flag(name, True) for name in names)


@dataclass(eq=False)
class Call:
    """One call of a function of the file."""

    node: ast.Call
    arguments: dict[str, tuple[ast.expr, Value]]  # parameter -> expression and value
    caller: Function | None
    concrete: bool = False  # get_concrete_function
