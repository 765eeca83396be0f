"""The values that expressions may have, from those of their parts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from graphwright.lint import externals, model
from graphwright.lint.kinds import STATIC, Kind
from graphwright.lint.model import (
    SCOPES,
    Class,
    Function,
    PossibleValue,
    Scope,
    StagingSite,
    container,
    containing,
    join,
)

RETURNS = "returns"  # a fact: the value that a function returns
TENSORS = Kind.TENSOR | Kind.VARIABLE


class ExpressionAnalysis:
    """Evaluates expressions in a scope; a subclass interprets statements."""

    def __init__(self, wrappers: Iterable[str]) -> None:
        self.wrappers = frozenset(wrappers)
        self.scope = Scope(None)
        self.function: Function | None = None
        self.environment: dict[str, PossibleValue] = {}
        self.values: dict[ast.AST, PossibleValue] = {}
        self.functions: dict[ast.AST, Function] = {}
        self.classes: dict[ast.AST, Class] = {}
        self.stagings: dict[ast.AST, StagingSite] = {}
        #: For each class (None: any), the calls of `compile`, and whether Keras runs it as Python.
        self.compilings: dict[Class | None, dict[ast.AST, bool]] = {}
        self.eager_switches: dict[ast.AST, bool] = {}  # calls of `run_functions_eagerly`
        self.changed: set[object] = set()  # facts that are new since the last round
        self.reads: dict[Function | None, set[object]] = {}  # the facts that a body depends on
        self.loops = 0  # the number of loops of this function around the expression

    def read(self, *fact: object) -> None:
        """Note a fact on which the current body depends."""
        self.reads.setdefault(self.function, set()).add(fact)

    def evaluate(self, node: ast.expr | None) -> PossibleValue:
        """The value that an expression may have; `values` keeps it."""
        if node is None:
            return model.NONE
        name = f"_{type(node).__name__.lower()}"
        method: Callable[[ast.expr], PossibleValue] | None = getattr(self, name, None)
        if method is None:
            self.children(node)
            value = model.UNKNOWN
        else:
            value = method(node)
        self.values[node] = value
        return value

    def children(self, node: ast.AST) -> None:
        """Evaluate the expressions inside a node of which nothing else is known."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child)
            elif not isinstance(child, (ast.expr_context, ast.operator)):
                self.children(child)

    def _constant(self, node: ast.Constant) -> PossibleValue:
        value = node.value
        if value is None:
            return model.NONE
        if isinstance(value, bool):
            return PossibleValue(Kind.BOOL, constant=value)
        if isinstance(value, (int, float, complex)):
            return PossibleValue(Kind.NUMBER, constant=value)
        if isinstance(value, (str, bytes)):
            return PossibleValue(Kind.TEXT, constant=value if len(value) < 80 else None)
        return model.UNKNOWN

    def _joinedstr(self, node: ast.JoinedStr) -> PossibleValue:
        self.children(node)
        return model.TEXT

    def _name(self, node: ast.Name) -> PossibleValue:
        return self.lookup(node.id)

    def lookup(self, name: str) -> PossibleValue:
        """The value of a name, here."""
        if name in self.environment and name not in self.scope.outer:
            value = self.environment[name]
        else:
            owner = self.scope.owner(name)
            self.read(owner, name)
            bound = owner.names.get(name)
            value = model.external(name) if bound is None else bound
        if name == "tf" and not value.path.startswith("tf"):
            return model.external("tf")
        return value

    def external(self, path: str) -> PossibleValue:
        """An external name; another name of a wrapper that stages counts as `tf.function`."""
        path = externals.canonical(path)
        if path in self.wrappers or any(path.endswith("." + w) for w in self.wrappers):
            path = "tf.function"
        return model.external(path)

    def _attribute(self, node: ast.Attribute) -> PossibleValue:
        return self.attribute(self.evaluate(node.value), node.attr)

    def attribute(self, owner: PossibleValue, name: str) -> PossibleValue:
        """The value that `owner.name` may have."""
        members = [self._of_class(one, owner, name) for one in owner.classes]
        if owner.functions and name in ("get_concrete_function", "python_function"):
            functions = owner.functions
            if name == "python_function":
                functions = frozenset(
                    f.function if isinstance(f, StagingSite) else f for f in functions
                )
                name = ""
            return replace(owner, path=name, functions=functions)
        if members:
            return join(members)
        if owner.may(Kind.OBJECT) and owner.path:
            return model.external(f"{owner.path}().{name}")
        if owner.may(Kind.EXTERNAL) and not owner.classes:
            value = externals.attribute(owner, name)
            return self.external(value.path) if value == model.external(value.path) else value
        if owner.may(Kind.EXTERNAL):
            return model.UNKNOWN
        return externals.attribute(owner, name)

    def _of_class(self, one: Class, owner: PossibleValue, name: str) -> PossibleValue:
        parts = []
        for part in one.lineage():
            self.read(part, name)
        member, attribute = one.member(name), one.attribute(name)
        if member is not None:
            for function in member.functions:
                plain = function.function if isinstance(function, StagingSite) else function
                if any(d.path.endswith("property") for d in plain.decorators):
                    if self.function is not None and plain.is_method:
                        self.function.callees.setdefault(plain, plain.node)
                    self.read(RETURNS, plain)
                    return plain.returns if plain.returns.kind else model.UNKNOWN
            bound = owner.may(Kind.OBJECT) and bool(member.functions)
            parts.append(replace(member, receiver=owner) if bound else member)
        if attribute is not None:
            parts.append(attribute)
        return join(parts) if parts else model.UNKNOWN

    def _subscript(self, node: ast.Subscript) -> PossibleValue:
        owner, index = self.evaluate(node.value), self.evaluate(node.slice)
        if owner.may(Kind.CONTAINER) and not owner.may(TENSORS | Kind.NUMPY):
            if isinstance(node.slice, ast.Slice):
                return replace(owner, items=None, element=owner.each())
            which = index.constant
            length = len(owner.items or ())
            if owner.items and isinstance(which, int) and -length <= which < length:
                return owner.items[which]
            return owner.each()
        if owner.may(TENSORS | Kind.NUMPY):
            kind = owner.kind & ~Kind.VARIABLE
            if owner.may(Kind.VARIABLE):
                kind |= Kind.TENSOR
            varying = isinstance(node.slice, ast.Slice) and any(
                self.values[bound].varying
                for bound in (node.slice.lower, node.slice.upper)
                if bound is not None
            )
            return PossibleValue(kind, dtype=owner.dtype, varying=varying)
        return model.UNKNOWN

    def _slice(self, node: ast.Slice) -> PossibleValue:
        for bound in (node.lower, node.upper, node.step):
            if bound is not None:
                self.evaluate(bound)
        return model.UNKNOWN

    def _binop(self, node: ast.BinOp) -> PossibleValue:
        return self.arithmetic(self.evaluate(node.left), node.op, self.evaluate(node.right))

    def arithmetic(self, a: PossibleValue, op: ast.operator, b: PossibleValue) -> PossibleValue:
        """The value of a binary operator on two values."""
        if a.may(Kind.TEXT) and isinstance(op, (ast.Mod, ast.Add)) and a.is_only(Kind.TEXT):
            return model.TEXT
        dtype = a.dtype if a.dtype == b.dtype or b.is_only(STATIC) else ""
        dtype = dtype or (b.dtype if a.is_only(STATIC) else "")
        dtype = "" if "|" in dtype else dtype
        if a.is_only(TENSORS) or b.is_only(TENSORS):
            return PossibleValue(Kind.TENSOR, dtype=dtype)
        kind = (a.kind | b.kind) & (Kind.UNKNOWN | Kind.NUMPY | Kind.CONTAINER | Kind.TEXT)
        if (a.kind | b.kind) & TENSORS:
            kind |= Kind.TENSOR
        numbers = Kind.NUMBER | Kind.BOOL
        if a.kind & numbers and b.kind & numbers:
            kind |= Kind.NUMBER
        if kind & Kind.CONTAINER:
            element = join([v.each() for v in (a, b) if v.may(Kind.CONTAINER)])
            varying = isinstance(op, ast.Mult) and (a.varying or b.varying)
            return PossibleValue(kind, element=element, varying=varying)
        varying = (a.varying or b.varying) and not isinstance(op, ast.Mod)
        return PossibleValue(kind or Kind.UNKNOWN, dtype=dtype, varying=varying)

    def _unaryop(self, node: ast.UnaryOp) -> PossibleValue:
        value = self.evaluate(node.operand)
        if isinstance(node.op, ast.Not):
            return self._truth([value])
        if value.may(Kind.VARIABLE):
            return PossibleValue(Kind.TENSOR, dtype=value.dtype)
        if isinstance(node.op, ast.USub) and isinstance(value.constant, (int, float)):
            return replace(value, constant=-value.constant)
        return replace(value, constant=None)

    def _boolop(self, node: ast.BoolOp) -> PossibleValue:
        return join([self.evaluate(value) for value in node.values])

    def _compare(self, node: ast.Compare) -> PossibleValue:
        parts = [self.evaluate(part) for part in (node.left, *node.comparators)]
        if all(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in node.ops):
            return model.BOOL
        if any(part.is_only(Kind.TEXT | Kind.NONE) for part in parts):
            return model.BOOL
        return self._truth(parts)

    def _truth(self, parts: list[PossibleValue]) -> PossibleValue:
        kind = Kind.NOTHING
        if any(part.may(TENSORS) for part in parts):
            kind |= Kind.TENSOR
        if any(part.may(Kind.NUMPY) for part in parts):
            kind |= Kind.NUMPY
        if any(part.may(Kind.UNKNOWN | Kind.EXTERNAL) for part in parts) and not any(
            part.is_only(TENSORS) for part in parts
        ):
            kind |= Kind.UNKNOWN
        if all(part.may(STATIC) for part in parts):
            kind |= Kind.BOOL
        return PossibleValue(kind or Kind.BOOL, dtype="bool" if kind == Kind.TENSOR else "")

    def _ifexp(self, node: ast.IfExp) -> PossibleValue:
        test = self.evaluate(node.test)
        value = join([self.evaluate(node.body), self.evaluate(node.orelse)])
        if test.is_only(Kind.TENSOR) and value.may(Kind.NUMBER | Kind.BOOL):
            return PossibleValue(Kind.TENSOR)
        return value

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> PossibleValue:
        items = [self.evaluate(item) for item in node.elts]
        if any(isinstance(item, ast.Starred) for item in node.elts):
            return containing(join(items))
        value = container(items)
        return replace(value, path="set") if isinstance(node, ast.Set) else value

    _tuple = _set = _list

    def _starred(self, node: ast.Starred) -> PossibleValue:
        return self.items(self.evaluate(node.value))

    def _dict(self, node: ast.Dict) -> PossibleValue:
        for key in node.keys:
            if key is not None:
                self.evaluate(key)
        return containing(join([self.evaluate(value) for value in node.values]))

    def _namedexpr(self, node: ast.NamedExpr) -> PossibleValue:
        value = self.evaluate(node.value)
        self.assign(node.target, value, node)
        return value

    def _lambda(self, node: ast.Lambda) -> PossibleValue:
        function = self.define(node, "<lambda>", None)
        return PossibleValue(Kind.FUNCTION, functions=frozenset([function]))

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> PossibleValue:
        self.children(node)
        if self.function is not None:
            self.function.returns = model.ITERATOR
        return model.UNKNOWN

    _yieldfrom = _yield

    def _await(self, node: ast.Await) -> PossibleValue:
        self.children(node)
        return model.UNKNOWN

    def _listcomp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> PossibleValue:
        with self._generators(node.generators):
            element = self.evaluate(node.elt)
        varying = any(self.values[one.iter].varying for one in node.generators)
        return replace(containing(replace(element, constant=None)), varying=varying)

    _setcomp = _listcomp

    def _generatorexp(self, node: ast.GeneratorExp) -> PossibleValue:
        return replace(self._listcomp(node), kind=Kind.ITERATOR)

    def _dictcomp(self, node: ast.DictComp) -> PossibleValue:
        with self._generators(node.generators):
            self.evaluate(node.key)
            element = self.evaluate(node.value)
        return containing(element)

    @contextmanager
    def _generators(self, generators: list[ast.comprehension]) -> Iterator[None]:
        outside = self.environment
        self.environment = dict(outside)
        self.loops += 1
        for one in generators:
            self.assign(one.target, self.items(self.evaluate(one.iter)), one, "loop", local=True)
            for test in one.ifs:
                self.evaluate(test)
        yield
        self.loops -= 1
        self.environment = outside

    def items(self, value: PossibleValue) -> PossibleValue:
        """The item that a loop over the value may have."""
        parts = []
        if value.may(TENSORS):
            parts.append(PossibleValue(Kind.TENSOR, dtype=value.dtype))
        if value.may(Kind.NUMPY):
            parts.append(model.NUMPY)
        if value.may(Kind.CONTAINER | Kind.ITERATOR) and (value.items or value.element):
            if value.items:
                parts.append(model.varied(value.items))
            else:
                each = value.each()
                varying = each.varying or each.may(Kind.NUMBER)
                parts.append(replace(each, varying=varying, constant=None))
        if value.may(Kind.DATASET | Kind.DATA_ITERATOR):
            parts.append(PossibleValue(Kind.TENSOR | Kind.UNKNOWN))
        if value.kind & ~(TENSORS | Kind.NUMPY) and not parts:
            parts.append(model.UNKNOWN)
        if value.kind & (Kind.UNKNOWN | Kind.OBJECT | Kind.EXTERNAL):
            parts.append(model.UNKNOWN)
        return join(parts) if parts else model.UNKNOWN

    # The subclass does the following.

    def assign(
        self,
        target: ast.expr,
        value: PossibleValue,
        node: ast.AST,
        kind: str = "assign",
        local: bool = False,
    ) -> None:
        """Give a target a value."""
        raise NotImplementedError

    def define(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        name: str,
        klass: Class | None,
    ) -> Function:
        """The record of a function."""
        raise NotImplementedError

    def _call(self, node: ast.Call) -> PossibleValue:
        raise NotImplementedError


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of the functions and classes inside."""
    todo = list(ast.iter_child_nodes(node))
    while todo:
        one = todo.pop()
        yield one
        if not isinstance(one, SCOPES):
            todo.extend(ast.iter_child_nodes(one))
