"""The answers to all that rules ask about a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from graphwright.lint import model
from graphwright.lint.expression_analysis import inside
from graphwright.lint.finding import Edit, Finding
from graphwright.lint.kinds import Kind
from graphwright.lint.linted_source import LintedSource
from graphwright.lint.model import SCOPES, Function, PossibleValue, Scope, StagingSite
from graphwright.lint.statement_analysis import StatementAnalysis

LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
#: Methods that set an object up before it is used.
MAKERS = re.compile(
    r"_*(maybe_)?(__init__|__new__|__post_init__|__setattr__|build|create|make|set|setup|init)\w*"
)
#: Where a call may call more functions than these, it says of none that it is staged.
CANDIDATES = 4
#: Functions whose names say that no graph has them.
PYTHON = re.compile(r"(^|_)(python|eager|eagerly)(_|$)")
#: Types that are no tensors, as `isinstance` gets them.
PLAIN_TYPES = frozenset(
    "bool bytes dict float int list set str tuple np.ndarray numpy.ndarray np.generic".split()  # noqa: SIM905
)


class Analysis:
    """A file, interpreted."""

    def __init__(self, source: LintedSource, wrappers: tuple[str, ...] = ()) -> None:
        self.source = source
        self.tree = source.tree
        self.flow = StatementAnalysis(wrappers)
        self.flow.run(self.tree)
        staged = [s for s in self.flow.stagings.values() if not self.flow.runs_eagerly(s)]
        self.stagings = sorted(staged, key=lambda s: line_of(s.node))
        self.staged = self._follow()

    def _follow(self) -> list[Function]:
        """The staged functions: those wrapped, and those that they call, in this file."""
        staged = {staging.function: None for staging in self.stagings if not staging.function.host}
        todo = list(staged)
        for function in todo:
            for callee, node in function.callees.items():
                if self._is_one_of_many(callee, node):
                    continue
                maker = callee.klass is not None and callee.name in ("__init__", "__new__")
                plain = callee.host or maker or PYTHON.search(callee.name)
                if callee not in staged and not plain:
                    callee.caller = function
                    staged[callee] = None
                    todo.append(callee)
        return list(staged)

    def _is_one_of_many(self, callee: Function, node: ast.AST) -> bool:
        """Whether what a call calls, or gets, may be many functions, of which this is one."""
        if not isinstance(node, ast.Call):
            return False
        parts = [node.func, *node.args, *[keyword.value for keyword in node.keywords]]
        sets = [self.value(part).functions for part in parts]
        return any(callee in each and len(each) > CANDIDATES for each in sets)

    @cached_property
    def entered_once(self) -> set[Function]:
        """The functions that staged ones call only where a node runs once."""
        staged, once = set(self.staged), set[Function]()
        for function in self.staged:  # callers come first
            calls = [call for call in function.calls if call.caller in staged]
            places = [(Place(self, call.caller), call.node) for call in calls if call.caller]
            if (
                calls
                and not function.stagings
                and all(
                    place.is_lifted(node) or place.function in once or place.guards(node)
                    for place, node in places
                )
            ):
                once.add(function)
        return once

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Each node's parent."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def above(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """The nodes around one up to its function, each with its child that holds the node."""
        child, parent = node, self.parents.get(node)
        while parent is not None:
            yield parent, child
            if isinstance(parent, SCOPES) and child not in getattr(parent, "decorator_list", []):
                return
            child, parent = parent, self.parents.get(parent)

    def value(self, node: ast.AST) -> PossibleValue:
        """What an expression may be."""
        return self.flow.values.get(node, model.UNKNOWN)

    def callee(self, node: ast.Call) -> str:
        """The path of the external function that is called, "" for any other."""
        value = self.value(node.func)
        return value.path if value.may(Kind.EXTERNAL) else ""

    def definition(self, node: ast.AST) -> ast.AST | None:
        """The function that a node stands in, None at the module's level."""
        for parent, child in self.above(node):
            if isinstance(parent, SCOPES) and not isinstance(parent, ast.ClassDef):
                decorators = getattr(parent, "decorator_list", [])
                if child not in decorators:
                    return parent
        return None

    def loop_around(self, node: ast.AST) -> ast.AST | None:
        """The loop or comprehension that repeats a node within its function."""
        for parent, child in self.above(node):
            if isinstance(parent, LOOPS) and child in parent.body:
                return parent
            if isinstance(parent, ast.While) and child is parent.test:
                return parent
            if isinstance(parent, COMPREHENSIONS) and child is not parent.generators[0]:
                return parent
            if isinstance(parent, SCOPES) and child not in getattr(parent, "decorator_list", []):
                return None
        return None

    @cached_property
    def module_name(self) -> str:
        """The name of TensorFlow's module in the file."""
        for name, value in self.flow.module.names.items():
            if value.path == "tf" and value.kind == Kind.EXTERNAL:
                return name
        return "tf"

    def finding(
        self, node: ast.AST, code: str, message: str, fix: list[Edit] | None = None
    ) -> Finding:
        """A finding at a node."""
        return self.source.finding(node, code, message, tuple(fix or ()))


@dataclass(frozen=True)
class Place:
    """A staged function of an analysis, as rules see it."""

    analysis: Analysis
    function: Function

    @property
    def staging(self) -> StagingSite:
        """The use of `tf.function` that stages the function."""
        root = self.function.root
        if root is None:
            raise ValueError(f"{self.function.name} is not staged")
        return root

    @property
    def is_root(self) -> bool:
        """Whether the function itself is wrapped."""
        return bool(self.function.stagings)

    @property
    def converts(self) -> bool:
        """Whether AutoGraph converts the function."""
        plain = self.function.converted and not self.is_generator
        return plain and self.staging.flag("autograph", True)

    @cached_property
    def is_generator(self) -> bool:
        return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in self.nodes)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """The nodes of the function's body, in order, without those of functions inside."""
        node = self.function.node
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        nodes: list[ast.AST] = []
        for one in body:
            nodes.append(one)
            if not isinstance(one, SCOPES) or isinstance(one, ast.Lambda):
                nodes.extend(inside(one))
        return sorted(nodes, key=lambda n: (line_of(n), getattr(n, "col_offset", 0)))

    def value(self, node: ast.AST) -> PossibleValue:
        """What an expression may be."""
        value = self.analysis.value(node)
        if value.may(Kind.TENSOR) and isinstance(node, ast.Name) and self.is_plain(node):
            return model.UNKNOWN
        if value.may(Kind.TENSOR) and isinstance(node, ast.Compare):
            parts = [self.value(part) for part in (node.left, *node.comparators)]
            return value if any(part.may(Kind.TENSOR) for part in parts) else model.UNKNOWN
        return value

    def is_plain(self, name: ast.Name) -> bool:
        """Whether a name stands where `isinstance` has said that it is no tensor.

        An item of such a container is none either.
        """
        for parent, child in self.analysis.above(name):
            test = parent.test if isinstance(parent, ast.If) and child in parent.body else None
            if test is not None and says_plain(test, name.id):
                return True
            for part in parent.generators if isinstance(parent, COMPREHENSIONS) else ():
                if isinstance(part.target, ast.Name) and part.target.id == name.id:
                    return isinstance(part.iter, ast.Name) and self.is_plain(part.iter)
        return False

    def callee(self, node: ast.Call) -> str:
        """The path of the external function that is called, "" for any other."""
        return self.analysis.callee(node)

    def owner(self, name: str) -> Scope:
        """The scope that a name belongs to."""
        return (self.function.local or self.function.scope).owner(name)

    def is_outer(self, name: str) -> bool:
        """Whether a name belongs to code that runs before the trace, not in it."""
        owner = self.owner(name)
        if owner is self.function.local or name not in owner.bindings:
            return False
        return owner.function is None or owner.function not in self.analysis.staged

    def is_parameter(self, name: str) -> bool:
        """Whether a name is a parameter of the wrapped function, or the object of a method."""
        arguments = self.function.node.args
        every = [*self.function.positional, *(a.arg for a in arguments.kwonlyargs)]
        return name in every and (self.is_root or name == self.function.self_name)

    def comes_from_outside(self, node: ast.expr) -> bool:
        """Whether an expression is a name or attribute of something that outlives the trace."""
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        if node.id == self.function.self_name:
            return not self.is_fresh
        return self.is_outer(node.id)

    @cached_property
    def is_fresh(self) -> bool:
        """Whether the method's object is always made inside the trace."""
        receiver = self.function.parameters.get(self.function.self_name)
        if receiver is None or not receiver.makers or self.is_root:
            return False
        staged = {function.node for function in self.analysis.staged}
        return all(self.analysis.definition(node) in staged for node in receiver.makers)

    def is_lifted(self, node: ast.AST) -> bool:
        """Whether a node stands in `with tf.init_scope()`."""
        for parent, _ in self.analysis.above(node):
            for item in parent.items if isinstance(parent, ast.With) else ():
                call = item.context_expr
                if isinstance(call, ast.Call) and self.callee(call) == "tf.init_scope":
                    return True
        return False

    def is_guarded(self, node: ast.AST) -> bool:
        """Whether a node runs once: `if self.x is None`, `if not hasattr(...)`."""
        return self.function in self.analysis.entered_once or self.guards(node)

    def guards(self, node: ast.AST) -> bool:
        """Whether the function itself, by its name or a test, lets a node run once."""
        for parent, child in self.analysis.above(node):
            if isinstance(parent, ast.If) and child in parent.body and self.asks_once(parent.test):
                return True
        is_maker = MAKERS.fullmatch(self.function.name) is not None
        return is_maker and self.function.klass is not None

    def asks_once(self, test: ast.expr) -> bool:
        """Whether a test asks if something has not been made yet, itself or by a method."""
        if is_once(test):
            return True
        functions = self.analysis.value(test.func).functions if isinstance(test, ast.Call) else ()
        answers = [
            node.value
            for function in functions
            for node in ast.walk(function.node)
            if isinstance(node, ast.Return)
        ]
        return bool(answers) and all(a is not None and is_once(a) for a in answers)

    def finding(
        self, node: ast.AST, code: str, message: str, fix: list[Edit] | None = None
    ) -> Finding:
        """A finding at a node."""
        return self.analysis.finding(node, code, message, fix)


def says_plain(test: ast.expr, name: str) -> bool:
    """Whether a test is true only if a name is no tensor: `isinstance(x, (list, dict))`."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(says_plain(value, name) for value in test.values)
    if not isinstance(test, ast.Call) or ast.unparse(test.func) != "isinstance":
        return False
    if len(test.args) != 2 or ast.unparse(test.args[0]) != name:
        return False
    kinds = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
    return all(ast.unparse(kind) in PLAIN_TYPES for kind in kinds)


def is_once(test: ast.expr) -> bool:
    """Whether a test asks if something has not been made yet."""
    if isinstance(test, ast.BoolOp):
        return any(map(is_once, test.values))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return True
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], (ast.Is, ast.NotIn))
    return False


def line_of(node: ast.AST) -> int:
    """The line that a node begins at."""
    return int(getattr(node, "lineno", 0))
