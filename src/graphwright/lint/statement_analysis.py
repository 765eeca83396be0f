"""Statements, in order: the value that each name may have where it is read.

A small abstract interpretation. The module's body comes first, then every function with the
arguments of its calls. It ends when a round shows nothing new, or after a few rounds.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

from graphwright.lint import model
from graphwright.lint.call_analysis import Calls
from graphwright.lint.expression_analysis import RETURNS, TENSORS
from graphwright.lint.externals import HOST, KERAS_BASES, KERAS_METHODS
from graphwright.lint.kinds import Kind
from graphwright.lint.model import (
    Binding,
    Class,
    Function,
    PossibleValue,
    Scope,
    StagingSite,
    containing,
    join,
    join_two,
)

ROUNDS = 4
Environment: TypeAlias = dict[str, PossibleValue]
DO_NOT_CONVERT = "tf.autograph.experimental.do_not_convert"
ANNOTATIONS = {
    "tf.Tensor": PossibleValue(Kind.TENSOR),
    "tf.Variable": PossibleValue(Kind.VARIABLE),
    "np.ndarray": PossibleValue(Kind.NUMPY | Kind.TENSOR | Kind.UNKNOWN),
}


class StatementAnalysis(Calls):
    """Interprets a module."""

    def __init__(self, wrappers: Iterable[str] = ()) -> None:
        super().__init__(wrappers)
        self.module = self.scope

    def run(self, tree: ast.Module) -> None:
        """Interpret a whole module."""
        for _ in range(ROUNDS):
            changed, self.changed = self.changed, set()
            if self._is_due(None, (changed,)):
                self.scope, self.function, self.environment = self.module, None, {}
                self.read()
                self.block(tree.body)
            done: set[ast.AST] = set()
            while len(done) < len(self.functions):
                for node, function in list(self.functions.items()):
                    if node not in done:
                        done.add(node)
                        if self._is_due(function, (changed, self.changed)):
                            self.interpret(function)
            if not self.changed:
                return

    def _is_due(self, function: Function | None, news: Iterable[set[object]]) -> bool:
        """Whether a body was not interpreted yet, or depends on a new fact."""
        reads = self.reads.get(function)
        if reads is None:
            return True
        return any(function in new or not reads.isdisjoint(new) for new in news)

    def interpret(self, function: Function) -> None:
        """Interpret the body of a function with the known values of its parameters."""
        if function.local is None:
            function.local = Scope(function.scope, function=function)
        self.scope, self.function, self.loops = function.local, function, 0
        self.environment = {}
        self.read()
        for name, value in self._parameters(function):
            self._assign_name(name, value, function.node, "parameter")
        if isinstance(function.node, ast.Lambda):
            self._return(function, self.evaluate(function.node.body))
        else:
            self.block(function.node.body)

    def _parameters(self, function: Function) -> list[tuple[str, PossibleValue]]:
        arguments = function.node.args
        plain = [*arguments.posonlyargs, *arguments.args]
        values = []
        specs = self._signature(function)
        for index, one in enumerate([*plain, *arguments.kwonlyargs]):
            if index == 0 and one.arg == function.self_name and function.klass:
                value = PossibleValue(Kind.OBJECT, classes=frozenset([function.klass]))
            elif (
                index == 0
                and function.klass
                and function.is_static
                and (not function.is_plain_static)
            ):
                value = PossibleValue(Kind.EXTERNAL, classes=frozenset([function.klass]))
            else:
                value = function.parameters.get(one.arg, model.NOTHING)
                place = index - bool(function.self_name)
                value = join_two(value, specs.get(place, model.NOTHING))
                value = self._by_annotation(one, value)
            values.append((one.arg, value))
        if arguments.vararg:
            value = function.parameters.get(arguments.vararg.arg, containing(model.UNKNOWN))
            values.append((arguments.vararg.arg, value))
        if arguments.kwarg:
            values.append((arguments.kwarg.arg, containing(model.UNKNOWN)))
        return values

    def _by_annotation(self, one: ast.arg, value: PossibleValue) -> PossibleValue:
        """The value joined with its annotation's; other callers may pass anything else."""
        outside, self.environment = self.environment, {}
        stated = self.evaluate(one.annotation) if one.annotation else model.NOTHING
        self.environment = outside
        known = ANNOTATIONS.get(stated.path)
        if known is not None:
            return join_two(value, known)
        return join_two(value, model.UNKNOWN)

    def _signature(self, function: Function) -> dict[int, PossibleValue]:
        """The parameters, by position, that an input signature makes tensors."""
        tensors = {}
        for staging in function.stagings:
            node = staging.options.get("input_signature")
            if isinstance(node, (ast.List, ast.Tuple)):
                for index, spec in enumerate(node.elts):
                    value = self.values.get(spec, model.UNKNOWN)
                    if value.path == "tf.TensorSpec":
                        tensors[index] = model.TENSOR
        return tensors

    def block(self, statements: list[ast.stmt]) -> bool:
        """Interpret statements; whether control reaches their end."""
        reached = True
        for statement in statements:
            method: Callable[[ast.stmt], bool | None] | None
            method = getattr(self, f"_do_{type(statement).__name__.lower()}", None)
            if method is None:
                self.children(statement)
            elif method(statement) is False:
                reached = False
        return reached

    # Definitions

    def define(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        name: str,
        klass: Class | None,
    ) -> Function:
        """The record of a function, made at its first definition."""
        if node not in self.functions:
            self.functions[node] = Function(node, name, self.scope, klass, caller=None)
        for default in (*node.args.defaults, *(d for d in node.args.kw_defaults if d)):
            self.evaluate(default)
        return self.functions[node]

    def _do_functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        function = self.define(node, node.name, self.scope.klass)
        function.decorators = [self.evaluate(decorator) for decorator in node.decorator_list]
        value = PossibleValue(Kind.FUNCTION, functions=frozenset([function]))
        for decorator, known in zip(reversed(node.decorator_list), reversed(function.decorators)):
            if known.path == "tf.function":
                value = self.wrap(value, decorator, known.makers)
            elif known.path in HOST or known.path.endswith("().__call__"):
                function.host = True
            elif known.path == DO_NOT_CONVERT:
                function.converted = False
            for wrapper in known.functions:
                self._decorate(wrapper, value)
        if any(
            isinstance(d, ast.Call) and self.values[d.func].path in HOST
            for d in node.decorator_list
        ):
            function.host = True
        if function.host:
            value = model.UNKNOWN
        if any(
            isinstance(d, ast.Attribute) and d.attr in ("setter", "deleter", "getter")
            for d in node.decorator_list
        ):
            return  # the name remains that of the property
        self.assign(ast.Name(node.name, ast.Store()), value, node, "define")

    _do_asyncfunctiondef = _do_functiondef

    def _decorate(self, wrapper: Function | StagingSite, value: PossibleValue) -> None:
        """Note that a function of the file is called with the function that it decorates."""
        plain = wrapper.function if isinstance(wrapper, StagingSite) else wrapper
        if plain.positional:
            self.learn(plain, plain.positional[0], value)

    def _do_classdef(self, node: ast.ClassDef) -> None:
        if node not in self.classes:
            self.classes[node] = Class(node, node.name)
        klass = self.classes[node]
        klass.bases = [self.evaluate(base) for base in node.bases]
        for keyword in node.keywords:
            self.evaluate(keyword.value)
        klass.decorators = [self.evaluate(decorator) for decorator in node.decorator_list]
        outside, environment = self.scope, self.environment
        self.scope = Scope(outside, klass=klass, function=outside.function)
        self.environment = {}
        self.block(node.body)
        klass.members = self.environment
        self.scope, self.environment = outside, environment
        if self._is_of_keras(klass):
            for name in KERAS_METHODS:
                method = klass.members.get(name, model.NOTHING)
                self.stage_implicitly(method.functions, "keras")
        value = PossibleValue(Kind.EXTERNAL, classes=frozenset([klass]))
        self.assign(ast.Name(node.name, ast.Store()), value, node, "define")

    def _is_of_keras(self, klass: Class) -> bool:
        """Whether a class is a layer or model, by its bases or by its methods."""
        bases = klass.foreign_bases()
        looks = "call" in klass.members and not {"build", "get_config"}.isdisjoint(klass.members)
        if any(isinstance(n, ast.Name) and n.id == "torch" for n in ast.walk(klass.node)):
            return False  # Keras on PyTorch makes no graphs
        return any(map(KERAS_BASES.fullmatch, bases)) or (looks and bool(bases))

    def _do_import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.split(".")[0]
            path = alias.name if alias.asname else name
            self._bind_import(name, path, node)

    def _do_importfrom(self, node: ast.ImportFrom) -> None:
        prefix = "." * node.level + (node.module or "")
        for alias in node.names:
            name = alias.asname or alias.name
            self._bind_import(name, f"{prefix}.{alias.name}", node)

    def _bind_import(self, name: str, path: str, node: ast.AST) -> None:
        self.assign(ast.Name(name, ast.Store()), self.external(path), node, "import")

    # Assignments

    def assign(
        self,
        target: ast.expr,
        value: PossibleValue,
        node: ast.AST,
        kind: str = "assign",
        local: bool = False,
    ) -> None:
        """Give a target a value: a name, an attribute, an item, or several of them."""
        if isinstance(target, ast.Name):
            if local:  # of a comprehension
                self.environment[target.id] = value
                return
            self._assign_name(target.id, value, node, kind)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value, node, kind, local)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, containing(value), node, kind, local)
        elif isinstance(target, ast.Attribute):
            owner = self.evaluate(target.value)
            for klass in owner.classes:
                if owner.may(Kind.OBJECT):
                    self._assign_attribute(klass, target.attr, value, node, kind)
        elif isinstance(target, ast.Subscript):
            owner = self.evaluate(target.value)
            self.evaluate(target.slice)
            if owner.may(Kind.CONTAINER):
                self._grow(target.value, owner, "append", [value])
                self._note_mutation(target.value, value, node)

    def _assign_name(self, name: str, value: PossibleValue, node: ast.AST, kind: str) -> None:
        owner = self.scope.owner(name) if name in self.scope.outer else self.scope
        before = owner.names.get(name, model.NOTHING)
        self.scope.bind(name, replace(value, constant=None), node, kind)
        if before != owner.names[name]:
            self.changed.add((owner, name))
        if name not in self.scope.outer:
            self.environment[name] = value

    def _note_mutation(self, target: ast.expr, value: PossibleValue, node: ast.AST) -> None:
        if isinstance(target, ast.Name):
            owner = self.scope.owner(target.id)
            bindings = owner.bindings.setdefault(target.id, {})
            bindings[node] = Binding(node, value, self.scope, "mutate")

    def _assign_attribute(
        self, klass: Class, name: str, value: PossibleValue, node: ast.AST, kind: str
    ) -> None:
        before = klass.attributes.get(name, model.NOTHING)
        after = join_two(before, replace(value, constant=None))
        klass.attributes[name] = after
        klass.writes.setdefault(name, {})[node] = Binding(node, value, self.scope, kind)
        if after != before:
            self.changed.add((klass, name))

    def _unpack(
        self,
        target: ast.Tuple | ast.List,
        value: PossibleValue,
        node: ast.AST,
        kind: str,
        local: bool,
    ) -> None:
        starred = any(isinstance(item, ast.Starred) for item in target.elts)
        exact = value.items is not None and len(value.items) == len(target.elts) and not starred
        for index, item in enumerate(target.elts):
            part = value.items[index] if exact and value.items else self._part(value)
            self.assign(item, part, node, kind, local)

    def _part(self, value: PossibleValue) -> PossibleValue:
        """One of the parts into which an assignment unpacks a value."""
        if value.may(TENSORS):
            return PossibleValue(Kind.TENSOR | value.kind & Kind.UNKNOWN, dtype=value.dtype)
        if value.may(Kind.CONTAINER | Kind.ITERATOR):
            return value.each()
        return model.NUMPY if value.is_only(Kind.NUMPY) else model.UNKNOWN

    def _do_assign(self, node: ast.Assign) -> None:
        value = self.evaluate(node.value)
        for target in node.targets:
            self.assign(target, value, node)

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value), node)

    def _do_augassign(self, node: ast.AugAssign) -> None:
        before = self.evaluate(node.target)
        value = self.arithmetic(before, node.op, self.evaluate(node.value))
        if before.is_only(Kind.NUMBER) and self.loops:
            value = replace(value, varying=True)
        self.assign(node.target, value, node, "augment")

    def _do_global(self, node: ast.Global | ast.Nonlocal) -> None:
        for name in node.names:
            self.scope.outer[name] = type(node).__name__.lower()

    _do_nonlocal = _do_global

    def _do_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.environment.pop(target.id, None)
            else:
                self.evaluate(target)

    # Control flow

    def _note(self, node: ast.AST) -> None:
        """Remember which local names may have a value before a statement."""
        if self.function is not None:
            self.function.environments[node] = frozenset(self.environment)

    def _do_if(self, node: ast.If) -> bool:
        self.evaluate(node.test)
        self._note(node)
        before = self.environment
        self.environment = dict(before)
        body = self.block(node.body)
        after_body, self.environment = self.environment, dict(before)
        other = self.block(node.orelse)
        ends = [e for e, end in ((after_body, body), (self.environment, other)) if end]
        self.environment = merged(ends) if ends else self.environment
        return body or other

    def _do_while(self, node: ast.While) -> None:
        self._note(node)
        self._repeat(node, lambda: self.evaluate(node.test))

    def _do_for(self, node: ast.For | ast.AsyncFor) -> None:
        items = self.items(self.evaluate(node.iter))
        self._note(node)
        self._repeat(node, lambda: self.assign(node.target, items, node, "loop"))
        # After the loop its variable has one value.
        for name in names_of(node.target):
            if name in self.environment:
                self.environment[name] = replace(self.environment[name], varying=False)

    _do_asyncfor = _do_for

    def _repeat(self, node: ast.For | ast.AsyncFor | ast.While, head: Callable[[], object]) -> None:
        self.loops += 1
        for _ in range(2):
            before = dict(self.environment)
            head()
            self.block(node.body)
            self.environment = merged([before, self.environment])
        self.loops -= 1
        self.block(node.orelse)

    def _do_with(self, node: ast.With | ast.AsyncWith) -> bool:
        for item in node.items:
            value = self.evaluate(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, node)
        return self.block(node.body)

    _do_asyncwith = _do_with

    def _do_try(self, node: ast.Try) -> None:
        before = dict(self.environment)
        self.block(node.body)
        self.block(node.orelse)
        after = self.environment
        ends = [after]
        for handler in node.handlers:
            self.environment = merged([before, after])
            if handler.type is not None:
                self.evaluate(handler.type)
            if handler.name:
                self.assign(ast.Name(handler.name, ast.Store()), model.UNKNOWN, handler)
            if self.block(handler.body):
                ends.append(self.environment)
        self.environment = merged(ends)
        self.block(node.finalbody)

    _do_trystar = _do_try

    def _do_match(self, node: ast.Match) -> None:
        self.evaluate(node.subject)
        before = self.environment
        ends = [before]
        for case in node.cases:
            self.environment = dict(before)
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    self.assign(ast.Name(name, ast.Store()), model.UNKNOWN, case.pattern)
            if case.guard is not None:
                self.evaluate(case.guard)
            if self.block(case.body):
                ends.append(self.environment)
        self.environment = merged(ends)

    def _do_return(self, node: ast.Return) -> bool:
        value = self.evaluate(node.value)
        if self.function is not None:
            self._return(self.function, value)
        return False

    def _return(self, function: Function, value: PossibleValue) -> None:
        after = join_two(function.returns, replace(value, constant=None))
        if after != function.returns:
            self.changed.add((RETURNS, function))
            function.returns = after

    def _do_raise(self, node: ast.Raise) -> bool:
        self.children(node)
        return False

    def _do_continue(self, node: ast.Continue | ast.Break) -> bool:
        return False

    _do_break = _do_continue


def merged(environments: list[Environment]) -> Environment:
    """The values that names may have after any of several branches."""
    if len(environments) == 1:
        return environments[0]
    names = {name: None for environment in environments for name in environment}
    return {
        name: join(environment[name] for environment in environments if name in environment)
        for name in names
    }


def names_of(target: ast.AST) -> list[str]:
    """The names that a target assigns."""
    return [
        node.id
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
