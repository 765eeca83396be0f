"""Functions of plain Python as machine code: numbers, arrays of numbers, loops and branches.

A function says the types of its parameters: `int`, `float` and `bool`, or arrays of whole numbers
(`Integers`), floats (`Reals`) and bytes (`Octets`). Its variables have the types of their first
values. `a[i:]` is the array from an element on. Numbers have 64 bits; `//` and `%` are for those
that are not negative. Nothing is checked. Python runs the same function on NumPy's arrays. `log`,
`pow` and the like are functions of `math`, and of C's library. `floor` and `ceil` give floats, and
`single` the nearest one of 32 bits.

Source: Braun et al., "Simple and Efficient Construction of Static Single Assignment Form" (2013),
for structured code.
"""

from __future__ import annotations

import ast
import inspect
import struct
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphwright.base.named_tuples import NamedTuple

Reals: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Octets: TypeAlias = npt.NDArray[np.uint8]

_INT, _BOOL, _REAL = "i64", "i1", "double"
#: The types of parameters and results, by their annotations. An array's type is its elements'.
_TYPES = {
    "int": _INT, "bool": _BOOL, "float": _REAL, "None": "void",
    "Integers": "ptr i64", "Reals": "ptr double", "Octets": "ptr i8",
}  # fmt: skip
_WHOLE = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "sdiv", ast.Mod: "srem",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "ashr",
}  # fmt: skip
_FLOAT = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
#: Comparisons of whole numbers and of floats; NaN is unequal to all.
_ORDERS = {
    ast.Lt: ("slt", "olt"), ast.LtE: ("sle", "ole"), ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"), ast.Eq: ("eq", "oeq"), ast.NotEq: ("ne", "une"),
}  # fmt: skip
#: Functions of floats that C's library has, by the number of their operands.
_OF_C = {"cos": 1, "exp": 1, "lgamma": 1, "log": 1, "log1p": 1, "pow": 2, "sin": 1}


class ScalarValue(NamedTuple):
    """A value of the text: its type and its name."""

    type: str
    name: str


Signature: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]  # types of results and parameters
Scope: TypeAlias = dict[str, ScalarValue]  # the values of variables
Edge: TypeAlias = tuple[str, Scope]  # a block that leads on, and the values of variables there


class LoopEdges(NamedTuple):
    """The ways out of a loop's body."""

    end: str
    latch: str
    breaks: list[Edge]
    continues: list[Edge]


class ScalarFunctionText:
    """The text of one function.

    Args:
        tree: The function's syntax.
        callees: The types of the results and parameters of the functions that it may call.
        is_internal: Whether only functions of its module of LLVM's call it.
    """

    def __init__(
        self, tree: ast.FunctionDef, callees: Mapping[str, Signature], is_internal: bool
    ) -> None:
        self.callees = callees
        self.lines: list[str] = []
        self.count = 0
        self.block = "entry"
        self.is_open = True  # whether the present block has no end yet
        self.loops: list[LoopEdges] = []
        self.results, types = types_of(tree)
        names = [argument.arg for argument in tree.args.args]
        self.scope = {name: ScalarValue(type_, f"%{name}") for name, type_ in zip(names, types)}
        given = ", ".join(f"{self.shown(value.type)} {value.name}" for value in self.scope.values())
        self.run(tree.body)
        if self.is_open:
            self.line("ret void" if self.results == ("void",) else "unreachable")
        head = f"define {'internal ' if is_internal else ''}"
        head += f"{self.returned(self.results)} @{tree.name}({given}) {{\nentry:\n"
        self.text = head + "\n".join(self.lines) + "\n}\n"

    # -- text --------------------------------------------------------------------------------

    def shown(self, type_: str) -> str:
        """A type in LLVM's words."""
        return "ptr" if type_.startswith("ptr") else type_

    def returned(self, types: Sequence[str]) -> str:
        """The type of results in LLVM's words."""
        shown = [self.shown(type_) for type_ in types]
        return shown[0] if len(shown) == 1 else f"{{ {', '.join(shown)} }}"

    def line(self, text: str) -> None:
        """Adds an instruction that has no result."""
        self.lines.append("  " + text)

    def new(self, type_: str, text: str) -> ScalarValue:
        """Adds an instruction, and gives its result."""
        self.count += 1
        name = f"%v{self.count}"
        self.line(f"{name} = {text}")
        return ScalarValue(type_, name)

    def label(self, name: str) -> str:
        """A new name of a block."""
        self.count += 1
        return f"{name}{self.count}"

    def begin(self, label: str) -> None:
        """Begins a block."""
        self.lines.append(f"{label}:")
        self.block, self.is_open = label, True

    def go(self, label: str) -> None:
        """Ends the present block, if it is open, by a way to another."""
        if self.is_open:
            self.line(f"br label %{label}")
            self.is_open = False

    def edge(self, label: str) -> list[Edge]:
        """The same; the edge, if there is one."""
        if not self.is_open:
            return []
        edge = (self.block, dict(self.scope))
        self.go(label)
        return [edge]

    def fork(self, test: ScalarValue, yes: str, no: str) -> None:
        """Ends the present block by one of two ways."""
        self.line(f"br i1 {test.name}, label %{yes}, label %{no}")
        self.is_open = False

    def join(self, label: str, edges: Sequence[Edge]) -> None:
        """Begins a block to which edges lead; variables that not all of them have are gone."""
        if not edges:
            self.is_open = False
            return
        self.begin(label)
        shared = [name for name in edges[0][1] if all(name in scope for _, scope in edges)]
        self.scope = {name: self.phi(name, edges) for name in shared}

    def phi(self, name: str, edges: Sequence[Edge]) -> ScalarValue:
        """A variable's value where edges come together."""
        values = [scope[name] for _, scope in edges]
        if all(value == values[0] for value in values):
            return values[0]
        assert len({value.type for value in values}) == 1, name
        ways = ", ".join(f"[ {scope[name].name}, %{block} ]" for block, scope in edges)
        return self.new(values[0].type, f"phi {self.shown(values[0].type)} {ways}")

    # -- statements --------------------------------------------------------------------------

    def run(self, body: Iterable[ast.stmt]) -> None:
        """The text of statements."""
        for statement in body:
            if not self.is_open:
                return
            getattr(self, "run_" + type(statement).__name__)(statement)

    def run_Pass(self, statement: ast.Pass) -> None:
        """Nothing."""

    def run_Expr(self, statement: ast.Expr) -> None:
        if not isinstance(statement.value, ast.Constant):  # not a docstring
            self.results_of(statement.value)

    def run_Assign(self, statement: ast.Assign) -> None:
        (target,) = statement.targets
        if isinstance(target, ast.Tuple):
            if isinstance(statement.value, ast.Tuple):
                values = [self.value(each) for each in statement.value.elts]
            else:
                values = self.results_of(statement.value)
            for name, value in zip(target.elts, values, strict=True):
                self.assign(name, value)
        else:
            self.assign(target, self.value(statement.value))

    def run_AugAssign(self, statement: ast.AugAssign) -> None:
        target = statement.target
        before = self.value(ast.parse(ast.unparse(target), mode="eval").body)
        self.assign(target, self.operation(statement.op, before, self.value(statement.value)))

    def assign(self, target: ast.expr, value: ScalarValue) -> None:
        """Stores a value in a variable or an element."""
        if isinstance(target, ast.Name):
            before = self.scope.get(target.id)
            if before is not None:
                value = self.as_type(value, before.type)
            self.scope[target.id] = value
            return
        assert isinstance(target, ast.Subscript)
        element, place = self.place(target)
        if element == "i8":
            value = self.new("i8", f"trunc i64 {value.name} to i8")
        else:
            value = self.as_type(value, element)
        stored = f"{self.shown(element)} {value.name}, ptr {place}"
        self.line(f"store {stored}, align {self.align(element)}")

    def run_Return(self, statement: ast.Return) -> None:
        if statement.value is None:
            self.line("ret void")
        elif len(self.results) == 1:
            value = self.as_type(self.value(statement.value), self.results[0])
            self.line(f"ret {self.shown(value.type)} {value.name}")
        else:
            assert isinstance(statement.value, ast.Tuple)
            whole, shown = ScalarValue("", "poison"), self.returned(self.results)
            for i, (each, type_) in enumerate(zip(statement.value.elts, self.results, strict=True)):
                value = self.as_type(self.value(each), type_)
                part = f"{self.shown(type_)} {value.name}, {i}"
                whole = self.new("", f"insertvalue {shown} {whole.name}, {part}")
            self.line(f"ret {shown} {whole.name}")
        self.is_open = False

    def run_If(self, statement: ast.If) -> None:
        yes, no, end = self.label("yes"), self.label("no"), self.label("end")
        test = self.value(statement.test)
        before = dict(self.scope)
        self.fork(test, yes, no)
        self.begin(yes)
        self.run(statement.body)
        edges = self.edge(end)
        self.scope = before
        self.begin(no)
        self.run(statement.orelse)
        self.join(end, edges + self.edge(end))

    def run_While(self, statement: ast.While) -> None:
        self.loop(statement.body, lambda: self.value(statement.test), lambda: None)

    def run_For(self, statement: ast.For) -> None:
        call = statement.iter
        assert isinstance(call, ast.Call)
        assert isinstance(statement.target, ast.Name)
        bounds = [self.value(each) for each in call.args]
        if len(bounds) == 1:
            bounds.insert(0, ScalarValue(_INT, "0"))
        step = int(ast.literal_eval(ast.unparse(call.args[2]))) if len(bounds) == 3 else 1
        target = statement.target.id
        counter = f"{target} "
        self.scope[counter] = bounds[0]
        order = "slt" if step > 0 else "sgt"

        def test() -> ScalarValue:
            present = self.scope[counter]
            self.scope[target] = present
            return self.new(_BOOL, f"icmp {order} i64 {present.name}, {bounds[1].name}")

        def advance() -> None:
            present = self.scope[counter]
            self.scope[counter] = self.new(_INT, f"add i64 {present.name}, {step}")

        self.scope.pop(target, None)
        self.loop(statement.body, test, advance, counter)
        self.scope.pop(counter, None)

    def loop(
        self,
        body: list[ast.stmt],
        test: Callable[[], ScalarValue],
        advance: Callable[[], None],
        *more: str,
    ) -> None:
        """A loop over statements; `more` are variables that `advance` changes."""
        head, inside, latch, end = map(self.label, ("head", "body", "latch", "end"))
        changing = assigned(body) | set(more)
        names = [name for name in self.scope if name in changing]
        before, start = self.block, dict(self.scope)
        self.go(head)
        self.begin(head)
        places = {}
        for name in names:
            places[name] = len(self.lines)
            self.scope[name] = self.new(start[name].type, "phi")
        verdict = test()
        edges = LoopEdges(end, latch, [(self.block, dict(self.scope))], [])
        self.fork(verdict, inside, end)
        self.begin(inside)
        self.loops.append(edges)
        self.run(body)
        self.loops.pop()
        self.join(latch, edges.continues + self.edge(latch))
        if self.is_open:
            advance()
            shown = {name: self.scope[name] for name in names}
            block = self.block
            self.go(head)
            for name, place in places.items():
                ways = f"[ {start[name].name}, %{before} ], [ {shown[name].name}, %{block} ]"
                self.lines[place] += f" {self.shown(start[name].type)} {ways}"
        else:
            for name, place in places.items():
                way = f"[ {start[name].name}, %{before} ]"
                self.lines[place] += f" {self.shown(start[name].type)} {way}"
        self.join(end, edges.breaks)

    def run_Break(self, statement: ast.Break) -> None:
        self.loops[-1].breaks.extend(self.edge(self.loops[-1].end))

    def run_Continue(self, statement: ast.Continue) -> None:
        self.loops[-1].continues.extend(self.edge(self.loops[-1].latch))

    # -- expressions -------------------------------------------------------------------------

    def value(self, node: ast.expr) -> ScalarValue:
        """The value of an expression."""
        value: ScalarValue = getattr(self, "of_" + type(node).__name__)(node)
        return value

    def as_type(self, value: ScalarValue, type_: str) -> ScalarValue:
        """A value in a type that has room for it."""
        if value.type == type_:
            return value
        if value.type == _BOOL and type_ == _INT:
            return self.new(_INT, f"zext i1 {value.name} to i64")
        assert (value.type, type_) == (_INT, _REAL), (value, type_)
        if value.name.lstrip("-").isdigit():
            return self.number(float(value.name))
        return self.new(_REAL, f"sitofp i64 {value.name} to double")

    def number(self, number: float) -> ScalarValue:
        """A constant."""
        return ScalarValue(_REAL, f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}")

    def of_Constant(self, node: ast.Constant) -> ScalarValue:
        if isinstance(node.value, bool):
            return ScalarValue(_BOOL, "true" if node.value else "false")
        if isinstance(node.value, int):
            return ScalarValue(_INT, str(node.value))
        assert isinstance(node.value, float)
        return self.number(node.value)

    def of_Name(self, node: ast.Name) -> ScalarValue:
        return self.scope[node.id]

    def of_BinOp(self, node: ast.BinOp) -> ScalarValue:
        return self.operation(node.op, self.value(node.left), self.value(node.right))

    def operation(self, op: ast.operator, left: ScalarValue, right: ScalarValue) -> ScalarValue:
        """The result of an operation of two numbers."""
        if {left.type, right.type} == {_INT} and not isinstance(op, ast.Div):
            return self.new(_INT, f"{_WHOLE[type(op)]} i64 {left.name}, {right.name}")
        left, right = self.as_type(left, _REAL), self.as_type(right, _REAL)
        return self.new(_REAL, f"{_FLOAT[type(op)]} double {left.name}, {right.name}")

    def of_UnaryOp(self, node: ast.UnaryOp) -> ScalarValue:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return self.new(_BOOL, f"xor i1 {value.name}, true")
        assert isinstance(node.op, ast.USub)
        if value.type == _REAL:
            return self.new(_REAL, f"fneg double {value.name}")
        return self.new(_INT, f"sub i64 0, {value.name}")

    def of_Compare(self, node: ast.Compare) -> ScalarValue:
        left, verdict = self.value(node.left), None
        for op, operand in zip(node.ops, node.comparators):
            right = self.value(operand)
            whole, real = _ORDERS[type(op)]
            if _REAL in (left.type, right.type):
                pair = self.as_type(left, _REAL), self.as_type(right, _REAL)
                text = f"fcmp {real} double {pair[0].name}, {pair[1].name}"
            else:
                text = f"icmp {whole} {left.type} {left.name}, {right.name}"
            part = self.new(_BOOL, text)
            if verdict is not None:
                part = self.new(_BOOL, f"and i1 {verdict.name}, {part.name}")
            left, verdict = right, part
        assert verdict is not None
        return verdict

    def of_BoolOp(self, node: ast.BoolOp) -> ScalarValue:
        end, ways = self.label("end"), []
        for operand in node.values[:-1]:
            value, more = self.value(operand), self.label("more")
            ways.append(f"[ {'false' if isinstance(node.op, ast.And) else 'true'}, %{self.block} ]")
            both = (more, end) if isinstance(node.op, ast.And) else (end, more)
            self.fork(value, *both)
            self.begin(more)
        value = self.value(node.values[-1])
        ways.append(f"[ {value.name}, %{self.block} ]")
        self.go(end)
        self.begin(end)
        return self.new(_BOOL, f"phi i1 {', '.join(ways)}")

    def of_IfExp(self, node: ast.IfExp) -> ScalarValue:
        test, yes, no = [self.value(each) for each in (node.test, node.body, node.orelse)]
        if yes.type != no.type:
            yes, no = self.as_type(yes, _REAL), self.as_type(no, _REAL)
        kind = self.shown(yes.type)
        text = f"select i1 {test.name}, {kind} {yes.name}, {kind} {no.name}"
        return self.new(yes.type, text)

    def align(self, element: str) -> int:
        """The bytes of an element."""
        return 1 if element == "i8" else 8

    def place(self, node: ast.Subscript) -> tuple[str, str]:
        """The type of an element of an array, and its address."""
        array = self.value(node.value)
        element = array.type.removeprefix("ptr ")
        first = node.slice.lower if isinstance(node.slice, ast.Slice) else node.slice
        assert first is not None
        index = self.value(first)
        kind = self.shown(element)
        text = f"getelementptr {kind}, ptr {array.name}, i64 {index.name}"
        return element, self.new(array.type, text).name

    def of_Subscript(self, node: ast.Subscript) -> ScalarValue:
        element, place = self.place(node)
        if isinstance(node.slice, ast.Slice):
            return ScalarValue(f"ptr {element}", place)
        text = f"load {self.shown(element)}, ptr {place}, align {self.align(element)}"
        value = self.new(element, text)
        return value if element != "i8" else self.new(_INT, f"zext i8 {value.name} to i64")

    def of_Call(self, node: ast.Call) -> ScalarValue:
        (value,) = self.results_of(node)
        return value

    def results_of(self, node: ast.expr) -> list[ScalarValue]:
        """The results of a call."""
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        name, operands = node.func.id, [self.value(each) for each in node.args]
        if name in self.callees:
            return self.called(name, operands)
        if name in _OF_C:
            given = [f"double {self.as_type(each, _REAL).name}" for each in operands]
            return [self.new(_REAL, f"call double @{name}({', '.join(given)})")]
        return [getattr(self, "call_" + name)(*operands)]

    def called(self, name: str, operands: Sequence[ScalarValue]) -> list[ScalarValue]:
        """The results of another function of the module."""
        results, kinds = self.callees[name][0], self.callees[name][1]
        operands = [self.as_type(each, kind) for each, kind in zip(operands, kinds, strict=True)]
        given = ", ".join(f"{self.shown(each.type)} {each.name}" for each in operands)
        call = f"call {self.returned(results)} @{name}({given})"
        if results == ("void",):
            self.line(call)
            return []
        whole = self.new(results[0], call)
        if len(results) == 1:
            return [whole]
        kind = self.returned(results)
        return [
            self.new(type_, f"extractvalue {kind} {whole.name}, {i}")
            for i, type_ in enumerate(results)
        ]

    def call_float(self, x: ScalarValue) -> ScalarValue:
        return self.as_type(x, _REAL)

    def call_int(self, x: ScalarValue) -> ScalarValue:
        if x.type == _REAL:
            return self.new(_INT, f"fptosi double {x.name} to i64")
        return self.as_type(x, _INT)

    def intrinsic(self, name: str, *operands: ScalarValue) -> ScalarValue:
        """The result of one of LLVM's functions of floats."""
        given = [f"double {self.as_type(each, _REAL).name}" for each in operands]
        return self.new(_REAL, f"call double @llvm.{name}.f64({', '.join(given)})")

    def call_single(self, x: ScalarValue) -> ScalarValue:
        narrow = self.new("float", f"fptrunc double {x.name} to float")
        return self.new(_REAL, f"fpext float {narrow.name} to double")

    def call_floor(self, x: ScalarValue) -> ScalarValue:
        return self.intrinsic("floor", x)

    def call_ceil(self, x: ScalarValue) -> ScalarValue:
        return self.intrinsic("ceil", x)

    def call_sqrt(self, x: ScalarValue) -> ScalarValue:
        return self.intrinsic("sqrt", x)

    def call_copysign(self, x: ScalarValue, sign: ScalarValue) -> ScalarValue:
        return self.intrinsic("copysign", x, sign)

    def call_abs(self, x: ScalarValue) -> ScalarValue:
        if x.type == _REAL:
            return self.intrinsic("fabs", x)
        return self.new(_INT, f"call i64 @llvm.abs.i64(i64 {x.name}, i1 false)")

    def chosen(self, orders: tuple[str, str], x: ScalarValue, y: ScalarValue) -> ScalarValue:
        """The one of two numbers that comes first in an order; as Python, the first if equal."""
        if x.type != y.type:
            x, y = self.as_type(x, _REAL), self.as_type(y, _REAL)
        kind = self.shown(x.type)
        head = f"fcmp {orders[1]}" if x.type == _REAL else f"icmp {orders[0]}"
        test = self.new(_BOOL, f"{head} {kind} {y.name}, {x.name}")
        return self.new(x.type, f"select i1 {test.name}, {kind} {y.name}, {kind} {x.name}")

    def call_min(self, x: ScalarValue, y: ScalarValue) -> ScalarValue:
        return self.chosen(("slt", "olt"), x, y)

    def call_max(self, x: ScalarValue, y: ScalarValue) -> ScalarValue:
        return self.chosen(("sgt", "ogt"), x, y)


def assigned(body: Iterable[ast.stmt]) -> set[str]:
    """The variables that statements assign."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    return {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def trees_of(functions: Sequence[Callable[..., Any]]) -> list[ast.FunctionDef]:
    """The syntax of functions."""
    trees: dict[tuple[str, str], ast.FunctionDef] = {}
    for name in dict.fromkeys([function.__module__ for function in functions]):
        for statement in ast.parse(inspect.getsource(sys.modules[name])).body:
            if isinstance(statement, ast.FunctionDef):
                trees[name, statement.name] = statement
    return [trees[function.__module__, function.__name__] for function in functions]


def types_of(tree: ast.FunctionDef) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The types of a function's results and of its parameters."""
    returns = tree.returns
    results = [returns]
    if isinstance(returns, ast.Subscript):
        assert isinstance(returns.slice, ast.Tuple)
        results = [*returns.slice.elts]
    parameters = [argument.annotation for argument in tree.args.args]
    both = [
        tuple([_TYPES[ast.unparse(each or ast.Constant(None))] for each in annotations])
        for annotations in (results, parameters)
    ]
    return both[0], both[1]


def module_text(functions: Sequence[Callable[..., Any]], texts: Mapping[str, str] = {}) -> str:
    """The text of functions, each of which may call those before it.

    C calls those of the last one's module whose names begin with no underscore. A function in
    `texts` has that text.
    """
    parts = [_DECLARED]
    callees: dict[str, Signature] = {}
    for function, tree in zip(functions, trees_of(functions)):
        is_internal = tree.name.startswith("_") or function.__module__ != functions[-1].__module__
        text = texts.get(tree.name)
        parts.append(text or ScalarFunctionText(tree, callees, is_internal).text)
        callees[tree.name] = types_of(tree)
    return "".join(parts)


_DECLARED = """
declare double @llvm.sqrt.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.fabs.f64(double)
declare i64 @llvm.abs.i64(i64, i1)
"""
_DECLARED += "".join(
    [
        f"declare double @{name}({', '.join(['double'] * count)})\n"
        for name, count in _OF_C.items()
    ]
)
