"""A program of a number: module-level functions and variables, one staged function, its calls."""

from __future__ import annotations

import ast
import random
from typing import Any

from everyday.programs import Program
from everyday.scope import BOOL, FLOAT, INT, NAMES, Dim, Function, Scope, Shape, Type, Variable
from everyday.statements import Statements

#: What sizes with names are in calls.
_SIZES = (3, 2, 4, 1, 3, 2, 5, 1, 0)
_NUMBERS = (0.0, 1.0, -1.0, 0.5, 2.0, -0.5, 1.5, 3.0, -2.0, 0.25)


class Aliases(ast.NodeTransformer):
    """Reads variables of state where a name, a container or a result would hold them.

    In a graph such a name holds what the variable held there, as in TensorFlow. In plain Python it
    is the variable, and what is assigned later shows.
    """

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """`total = memory`"""
        node.value = self.read(self.visit(node.value))
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        """`return memory`"""
        node.value = self.read(self.visit(node.value)) if node.value else None
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """`lambda: memory`"""
        node.body = self.read(self.visit(node.body))
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        """`memory if flag else x`"""
        self.generic_visit(node)
        node.body, node.orelse = self.read(node.body), self.read(node.orelse)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.Dict:
        """`{"a": memory}`"""
        self.generic_visit(node)
        node.values = [self.read(v) for v in node.values]
        return node

    def items(self, node: ast.AST) -> ast.AST:
        """`[memory, x]`"""
        self.generic_visit(node)
        if isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
            node.elts = [self.read(e) for e in node.elts]
        return node

    visit_List = visit_Tuple = items

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """`items.append(memory)`, and calls of the program's own functions"""
        self.generic_visit(node)
        of_package = ast.unparse(node.func).startswith("tf.")
        if not of_package:
            node.args = [self.read(a) for a in node.args]
        return node

    def read(self, node: Any) -> Any:
        """A read of a variable in the place of its name."""
        if isinstance(node, ast.Name) and node.id in self.names:
            return ast.parse(f"tf.identity({node.id})", mode="eval").body
        return node


class Writer(Statements):
    """Writes one program."""

    def program(self) -> Program:
        """All of it."""
        self.start()
        if self.chance(0.12):
            self.wild = 0.3
        self.arguments = self.some_arguments()
        self.is_plain_style = self.chance(0.6)
        if not self.is_plain_style:
            self.dtype = f"{self.source_of_dtype()}.dtype"
        head = [*self.module_variables(), *self.helpers()]
        for name, t in self.arguments:
            sized = any(name == argument for argument, _ in self.sizes.values())
            typed = self.dtype.startswith(f"{name}.")
            bound = t == Type(INT)
            self.add(name, *t, fixed=sized or typed or bound)
        functions = self.scope.functions
        while self.budget > 0:
            self.statement()
        self.ending()
        self.scope.functions = functions
        names = ", ".join(name for name, _ in self.arguments)
        body = [f"@tf.function\ndef program({names}):", *self.lines]
        called = self.outside(names)
        calls = [f"{called[0]}({c})" for c in self.calls()]
        source = "\n".join([*head, *body, *called[1:]])
        tree = Aliases({state.name for state in self.states}).visit(ast.parse(source))
        return Program(ast.unparse(tree), tuple(calls))

    def source_of_dtype(self) -> str:
        """An argument that has the type of the program's floats."""
        return next(name for name, t in self.arguments if t.kind == FLOAT)

    def some_arguments(self) -> list[tuple[str, Type]]:
        """Parameters of the function: a tensor of floats first."""
        shapes: list[Shape] = [("n",), ("n",), ("n", 2), (3,), (2, 2), (1,), (1, 1), (), ("n", "m")]
        arguments = [("x", Type(FLOAT, self.r.choice(shapes)))]
        if self.chance(0.75):
            arguments.append((self.pick(["n", "steps", "limit"]), Type(INT)))
        known: list[Dim] = [d for d in arguments[0][1].shape if isinstance(d, str)]
        if self.chance(0.6):
            more: list[Shape] = [(), (), (1,), (1, 1), (2,), (2, 3), *((d,) for d in known)]
            arguments.append(("y", Type(FLOAT, self.r.choice(more))))
        if self.chance(0.35):
            more = [(2,), (3,), *((d,) for d in known)]
            arguments.append((self.pick(["ids", "idx"]), Type(INT, self.r.choice(more))))
        if self.chance(0.2):
            arguments.append((self.pick(["flag", "training"]), Type(BOOL)))
        for name, t in arguments:
            self.used.add(name)
            for axis, d in enumerate(t.shape):
                if isinstance(d, str):
                    self.sizes.setdefault(d, (name, axis))
        return arguments

    def module_variables(self) -> list[str]:
        """Variables of state."""
        lines = []
        if self.chance(0.25):
            for _ in range(self.r.randint(1, 2)):
                kind = self.r.choice([FLOAT, FLOAT, INT])
                if kind == FLOAT and not self.is_plain_style:
                    kind = INT
                shapes: list[Shape] = [(), (2,), (3,), (1,), (1, 1), (2, 2)]
                shape = self.r.choice(shapes)
                name = self.fresh("counter", "weights", "moving", "memory")
                value = self.numbers(kind, shape)[len("tf.constant(") : -1]
                lines.append(f"{name} = tf.Variable({value})")
                v = Variable(name, Type(kind, shape), is_fixed=True)
                self.scope.variables[name] = v
                self.states.append(v)
        return lines

    def helpers(self) -> list[str]:
        """Functions of the module."""
        texts: list[str] = []
        if not self.is_plain_style or self.chance(0.6):
            return texts
        for _ in range(self.r.randint(1, 2)):
            name = self.fresh("helper", "activate", "mix", "score")
            outer, sizes = (self.scope, self.budget), self.sizes
            self.scope, self.budget = Scope(functions=self.scope.functions.values()), 3
            self.sizes, self.lines, self.indent = {}, [], 1
            types = [self.plain_type() for _ in range(self.r.randint(1, 2))]
            names = [self.fresh() for _ in types]
            for n, t in zip(names, types):
                self.add(n, *t)
            may_return, self.may_return = self.may_return, False
            states, self.states = self.states, []
            while self.budget > 0:
                self.statement()
            result = self.some_type()
            self.line(f"return {self.value(*result, 2)}")
            self.may_return, self.states = may_return, states
            head = "@tf.function\n" if self.chance(0.3) else ""
            texts.append("\n".join([f"{head}def {name}({', '.join(names)}):", *self.lines]))
            (self.scope, self.budget), self.sizes, self.lines = outer, sizes, []
            self.scope.functions[name] = Function(name, tuple(types), result)
        self.used -= set(NAMES)
        self.used |= {name for name, _ in self.arguments}
        return texts

    def plain_type(self) -> Type:
        """A type whose sizes are numbers."""
        shapes: list[Shape] = [(), (), (1,), (2,), (3,), (1, 1), (2, 2)]
        return Type(self.r.choice([FLOAT, FLOAT, INT]), self.r.choice(shapes))

    def ending(self) -> None:
        """The `return` of the function, and those before it, which give the like."""
        variables = list(self.scope.variables.values())
        self.r.shuffle(variables)
        floats = [v for v in variables if v.type.kind == FLOAT and not v.is_plain]
        changed = [v for v in variables if not v.is_fixed]
        chosen = floats[:1] + [v for v in changed if v not in floats[:1]][: self.r.randint(0, 5)]
        self.style = self.pick(["one", "tuple", "tuple", "tuple", "dict", "list", "nested"])
        if self.style == "one":
            chosen = chosen[:1]
        types = [v.type for v in chosen]
        last = f"return {self.packed([v.name for v in chosen])}"
        for place, scope in self.returns:
            self.scope, before = scope, self.scope
            texts = [self.expression(*t, 1) for t in types]
            self.scope = before
            self.lines[place] = self.lines[place].replace("return", f"return {self.packed(texts)}")
        self.line(last)

    def packed(self, texts: list[str]) -> str:
        """Results in the container that the program returns; the first is of floats."""
        if self.style == "one":
            return texts[0]
        if self.style == "dict":
            return "{" + ", ".join(f"'r{i}': {t}" for i, t in enumerate(texts)) + "}"
        if self.style == "list":
            return "[" + ", ".join(texts) + "]"
        if self.style == "nested" and len(texts) > 1:
            return f"{texts[0]}, [{', '.join(texts[1:])}]"
        return f"({', '.join(texts)},)"

    def outside(self, names: str) -> list[str]:
        """What calls call: the function, or one that takes its gradient; and its lines."""
        if self.chance(0.7):
            return ["program"]
        first = {"one": "result", "dict": "result['r0']"}.get(self.style, "result[0]")
        watched = [n for n, t in self.arguments if t.kind == FLOAT][: self.r.randint(1, 2)]
        sources = "[" + ", ".join(watched) + "]"
        lines = ["@tf.function"] if self.chance(0.4) else []
        lines += [
            f"def gradient({names}):",
            "    with tf.GradientTape() as tape:",
            f"        tape.watch({sources})",
            f"        result = program({names})",
            f"        loss = tf.reduce_sum({first})",
            f"    return result, tape.gradient(loss, {sources}, unconnected_gradients='zero')",
        ]
        if self.chance(0.15):
            lines += [
                f"def second({names}):",
                "    with tf.GradientTape() as tape:",
                f"        tape.watch({sources})",
                f"        result, slopes = gradient({names})",
                "        loss = sum([tf.reduce_sum(s * s) for s in slopes])",
                f"    return result, tape.gradient(loss, {sources}, unconnected_gradients='zero')",
            ]
            return ["second", *lines]
        return ["gradient", *lines]

    # -- calls ----------------------------------------------------------------------------

    def calls(self) -> list[str]:
        """Arguments of some calls: the same sizes twice, then others."""
        sizes = {d: self.r.choice(_SIZES[:3]) for d in self.sizes}
        result = [self.call(sizes), self.call(sizes)]
        if self.sizes:
            result.append(self.call({d: self.r.choice(_SIZES) for d in self.sizes}))
        elif not self.is_plain_style:
            result.append(self.call(sizes, dtype="tf.float64"))
        if self.chance(0.2):
            result.append(self.call(sizes, plain=True))
        return result

    def call(self, sizes: dict[str, int], dtype: str = "", plain: bool = False) -> str:
        """The arguments of one call."""
        texts = []
        for _, (kind, shape) in self.arguments:
            known = tuple(sizes[d] if isinstance(d, str) else d for d in shape)
            numbers = self.argument(kind, known)
            if plain and kind != FLOAT and not shape:
                texts.append(numbers)
                continue
            own = dtype if kind == FLOAT else ""
            if "[]" in numbers and not own:
                own = {FLOAT: "tf.float32", INT: "tf.int32", BOOL: "tf.bool"}[kind]
            texts.append(f"tf.constant({numbers}{', ' + own if own else ''})")
        return ", ".join(texts)

    def argument(self, kind: str, shape: tuple[int, ...]) -> str:
        """Nested lists of numbers."""
        if shape:
            return "[" + ", ".join(self.argument(kind, shape[1:]) for _ in range(shape[0])) + "]"
        if kind == FLOAT:
            return str(self.r.choice(_NUMBERS))
        if kind == INT:
            return str(self.r.choice([0, 1, 2, 3, 2, 3, 4, 1]))
        return str(self.chance(0.5))


def write(seed: int) -> Program:
    """The program of a number."""
    return Writer(random.Random(f"everyday {seed}")).program()
