"""Random programs that change variables in loops and branches, as source text.

All floats but those of one variable are quarters of small numbers, so each tier computes them
exactly, and decisions about them agree. Of the other variable no decision is made.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
#: Draws a number between two, both of which may come.
Draw = Callable[[int, int], int]


class Kind(NamedTuple):
    """The dtype and the shape of an expression."""

    dtype: str
    shape: tuple[int, ...] = ()

    def named(self, shape: tuple[int, ...]) -> Kind:
        """The same dtype with another shape."""
        return Kind(self.dtype, shape)


FLOAT, INT, BOOL = Kind("float32"), Kind("int32"), Kind("bool")
#: What may be a variable: its kind, and how it starts.
VARIABLES = {
    "s": (FLOAT, "1.5"),
    "v": (Kind("float32", (4,)), "[0.5, -1.25, 2.0, 3.75]"),
    "m": (Kind("float64", (3, 2)), "[[0.5, 1.0], [-2.25, 3.0], [0.25, -0.75]]"),
    "k": (INT, "2"),
    "c": (Kind("int32", (4,)), "[3, -2, 0, 5]"),
    "w": (Kind("int64", (3,)), "[4, -1, 2]"),
    "l": (Kind("int64"), "3"),
    "b": (BOOL, "True"),
    "d": (Kind("bool", (3,)), "[True, False, True]"),
    "r": (Kind("float32", (3,)), "[0.3, -0.7, 0.9]"),
}
#: The variable whose values are rounded.
ROUNDED = "r"

HEAD = """\
def q(x):
    return tf.round(tf.clip_by_value(x, -8.0, 8.0) * 4.0) / 4.0

def p(x):
    return x % 11 - 5

class Box:
    late = None

numbers = tf.data.Dataset.from_tensor_slices([1.0, 0.25, -2.0, 3.5, 0.5])
batches = numbers.batch(2)
rows = tf.data.Dataset.from_tensor_slices([[1.0, 0.5, -1.0, 2.0], [0.25, 0.0, 3.0, -2.5]])
none = batches.take(0)
"""

FUNCTIONS = {
    "bump": """\
@tf.function
def bump(a):
    s.assign(q(s + a))
    return s * 0.5
""",
    "settle": """\
@tf.function
def settle(a):
    for j in tf.range(2):
        if s > a:
            v.assign(q(v - 1.0))
        else:
            s.assign_add(0.5)
    return q(tf.reduce_sum(v))
""",
    "put": """\
@tf.function
def put(target, a):
    if tf.reduce_max(target) < 5.0:
        target.assign(q(target + a))
    return q(tf.reduce_sum(target))
""",
    "plain": """\
def plain(a):
    k.assign(p(k + a))
    if k > 2:
        c.assign(c[::-1])
        return k
    return k - a
""",
}
NEEDS = {"bump": "s", "settle": "sv", "put": "s", "plain": "kc"}


class Program(NamedTuple):
    """A module that reads `tf`, in which `f` takes a count and a vector."""

    source: str
    variables: tuple[str, ...]
    #: Whether an op of it may fail.
    may_fail: bool

    def start(self, name: str) -> str:
        """How a variable starts, as text."""
        return "2.0" if name == "late" else VARIABLES[name][1]


class Writer:
    """Writes one program, by the numbers that it draws."""

    def __init__(self, draw: Draw, may_fail: bool) -> None:
        self.draw = draw
        self.may_fail = may_fail
        count = draw(2, 5)
        names = list(VARIABLES)
        self.variables = sorted({names[draw(0, len(names) - 1)] for _ in range(count)} | {"s"})
        self.functions = [f for f in FUNCTIONS if set(NEEDS[f]) <= {*self.variables}]
        self.has_late = draw(0, 5) == 0
        self.alias = "v" in self.variables and draw(0, 2) == 0
        self.returns_early = draw(0, 3) == 0
        self.locals: dict[str, Kind] = {"n": INT, "x": Kind("float32", (4,))}
        self.budget = draw(3, 9)
        self.functions_around = 0
        self.lines: list[str] = []
        self.names = 0

    def pick(self, options: Sequence[T]) -> T:
        """One of some options."""
        return options[self.draw(0, len(options) - 1)]

    def name(self, letter: str) -> str:
        """A new name."""
        self.names += 1
        return f"{letter}{self.names}"

    # Expressions

    def leaf(self, kind: Kind) -> str:
        """A variable, a local or a constant."""
        names = [n for n, k in self.locals.items() if k == kind]
        variables = [v for v in self.variables if VARIABLES[v][0] == kind and v != ROUNDED]
        if self.alias and "v" in variables:
            variables.append("same")
        names += variables * 2
        if kind == FLOAT and self.has_late:
            names.append("box.late")
        if kind == BOOL and self.draw(0, 3):
            return f"({self.expression(INT, 1)} {self.pick(['<', '!='])} {self.draw(0, 3)})"
        if names and self.draw(0, 5):
            name = self.pick(names)
            if name in variables and not self.draw(0, 3):
                return self.pick([f"tf.identity({name})", f"{name}.read_value()"])
            return name
        return self.constant(kind)

    def constant(self, kind: Kind) -> str:
        """A constant, which has its dtype where Python's number would not."""
        if kind.dtype == "bool":
            text = self.pick(["True", "False"])
        elif kind.dtype.startswith("int"):
            text = str(self.draw(-3, 4))
        else:
            text = str(self.draw(-8, 12) / 4.0)
        if kind.shape:
            return f"tf.fill({list(kind.shape)}, tf.constant({text}, tf.{kind.dtype}))"
        return f"tf.constant({text}, tf.{kind.dtype})"

    def index(self, size: int) -> str:
        """A place in so many."""
        return f"{self.expression(INT, 1)} % {size}"

    def expression(self, kind: Kind, depth: int = 2) -> str:
        """An expression of a kind."""
        if depth <= 0 or not self.draw(0, 3):
            return self.leaf(kind)
        if kind.dtype == "bool" and not kind.shape:
            return f"({self.condition(depth - 1)})"
        ways = [self.cast, self.where, self.reduced] if not kind.shape else [self.cast, self.where]
        if kind.dtype == "bool":
            return self.pick([*ways[:2], self.logical])(kind, depth - 1)
        return self.pick([*ways, *[self.arithmetic] * 4])(kind, depth - 1)

    def tensor(self, kind: Kind, depth: int = 2) -> str:
        """An expression that is no variable."""
        text = self.expression(kind, depth)
        return f"tf.identity({text})" if text in {*self.variables, "same", "box.late"} else text

    def arithmetic(self, kind: Kind, depth: int) -> str:
        other = kind if not kind.shape or self.draw(0, 2) else kind.named(())
        a, b = self.expression(kind, depth), self.expression(other, depth)
        rounded = "p" if kind.dtype.startswith("int") else "q"
        word = self.draw(0, 5)
        if word < 4:
            return f"{rounded}({a} {'+-*+'[word]} {b})"
        return f"tf.{self.pick(['maximum', 'minimum'])}({a}, {b})"

    def logical(self, kind: Kind, depth: int) -> str:
        name = self.pick(["logical_and", "logical_or", "not_equal"])
        return f"tf.{name}({self.expression(kind, depth)}, {self.expression(kind, depth)})"

    def cast(self, kind: Kind, depth: int) -> str:
        dtype = self.pick(["float32", "int32", "int64", "bool"])
        return f"tf.cast({self.expression(Kind(dtype, kind.shape), depth)}, tf.{kind.dtype})"

    def where(self, kind: Kind, depth: int) -> str:
        a, b = self.expression(kind, depth), self.expression(kind, depth)
        return f"tf.where({self.expression(BOOL, depth)}, {a}, {b})"

    def reduced(self, kind: Kind, depth: int) -> str:
        """A scalar of a vector or a matrix, of which it may be an element."""
        vector = self.leaf(kind.named((4,)))
        if kind.dtype == "float64":
            return f"q(tf.reduce_sum({self.leaf(kind.named((3, 2)))}[{self.index(3)}]))"
        forms = [
            f"{vector}[{self.index(4)}]",
            f"tf.gather({vector}, {self.index(4)})",
            f"tf.reduce_max({vector})",
            f"{'p' if kind.dtype.startswith('int') else 'q'}(tf.reduce_sum({vector}))",
        ]
        return self.pick(forms)

    def condition(self, depth: int = 1) -> str:
        """What an `if` may ask."""
        word = self.draw(0, 7)
        if word == 0 and "b" in self.variables:
            return self.pick(["b", "not b"])
        if word == 1 and depth:
            joint = self.pick(["and", "or"])
            return f"{self.condition(depth - 1)} {joint} {self.condition(depth - 1)}"
        if word == 2:
            return f"{self.expression(FLOAT, depth)} > {self.draw(-4, 8) / 4.0}"
        if word == 3 and "d" in self.variables:
            return f"tf.reduce_{self.pick(['any', 'all'])}(d)"
        kind = self.pick([INT, INT, Kind("int64")])
        operator = self.pick(["<", ">=", "!=", "=="])
        return f"{self.expression(kind, depth)} {operator} {self.draw(0, 3)}"

    # Statements

    def write(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, depth: int, in_loop: bool, in_python: bool = True) -> None:
        """Some statements; what they name is forgotten after them."""
        before = dict(self.locals)
        for _ in range(self.draw(1, 3)):
            self.statement(depth, in_loop, in_python)
        self.locals = before

    def statement(self, depth: int, in_loop: bool, in_python: bool) -> None:
        """`in_python`: whether a jump may leave what stands around it."""
        self.budget -= 1
        nested = self.budget > 0 and depth < 5
        options: list[Callable[[int], None]] = [self.assign] * 4 + [self.part, self.local]
        options += [self.call] * bool(self.functions)
        options += [self.descend] * (ROUNDED in self.variables)
        if nested:
            loops: list[Any] = [self.for_range, self.for_range, self.while_loop, self.for_data]
            loops += [self.functional_loop, self.collect]
            inner = [self.functional_branch]
            branch = [lambda d: self.branch(d, in_loop, in_python)]
            options += loops + branch * 4 + inner
        if self.may_fail and in_loop and self.draw(0, 2) == 0:
            self.fault(depth)
        if in_loop and in_python and not self.draw(0, 5):
            self.write(depth, f"if {self.condition()}:")
            may_return = self.returns_early and not self.functions_around
            jumps = ["break", "continue"] + ["return"] * may_return
            jump = self.pick(jumps)
            value = f" {self.tensor(FLOAT)}" if jump == "return" else ""
            self.write(depth + 1, jump + value)
        self.pick(options)(depth)

    def assign(self, depth: int) -> None:
        names = [v for v in self.variables if v != ROUNDED]
        name = self.pick(names + ["box.late"] * self.has_late + ["same"] * self.alias)
        kind = {"box.late": FLOAT, "same": VARIABLES["v"][0]}.get(name) or VARIABLES[name][0]
        value = self.expression(kind)
        word = self.draw(0, 4)
        if kind.dtype == "bool" or word < 2:
            self.write(depth, f"{name}.assign({value})")
            return
        change = self.pick(["assign_add", "assign_sub"])
        self.write(depth, f"{name}.{change}({value})")
        rounded = "p" if kind.dtype.startswith("int") else "q"
        self.write(depth, f"{name}.assign({rounded}({name}))")

    def part(self, depth: int) -> None:
        """Changes a part of a variable."""
        if "v" not in self.variables or self.draw(0, 2):
            return self.assign(depth)
        value = self.tensor(FLOAT)
        forms = [
            f"v[{self.index(4)}].assign({value})",
            f"v.scatter_nd_update([[{self.index(4)}]], [{value}])",
            f"v.scatter_update(tf.IndexedSlices([{value}], [{self.index(4)}]))",
            f"v.assign(tf.tensor_scatter_nd_update(v, [[{self.index(4)}]], [{value}]))",
        ]
        self.write(depth, self.pick(forms))

    def local(self, depth: int) -> None:
        """A new local, or another value for one that stands before all loops."""
        old = [n for n in self.locals if n.startswith("t")]
        if old and self.draw(0, 2):
            name = self.pick(old)
            self.write(depth, f"{name} = {self.tensor(self.locals[name])}")
            return
        kind = VARIABLES[self.pick([v for v in self.variables if v != ROUNDED])][0]
        text, name = self.tensor(kind), self.name("u")
        self.write(depth, f"{name} = {text}")
        self.locals[name] = kind

    def call(self, depth: int) -> None:
        function = self.pick(self.functions)
        name, kind = self.name("u"), FLOAT
        if function == "put":
            target = self.pick(["s"] + ["v"] * ("v" in self.variables) + ["same"] * self.alias)
            self.write(depth, f"{name} = put({target}, {self.tensor(FLOAT)})")
        else:
            kind = INT if function == "plain" else FLOAT
            self.write(depth, f"{name} = {function}({self.tensor(kind)})")
        self.locals[name] = kind

    def descend(self, depth: int) -> None:
        """A step along a gradient, of the variable that is rounded."""
        tape, slope = self.name("tape"), self.name("slope")
        self.write(depth, f"with tf.GradientTape() as {tape}:")
        self.write(depth + 1, f"loss = tf.reduce_sum(tf.sin(r) * {self.tensor(FLOAT, 1)})")
        self.write(depth, f"{slope} = {tape}.gradient(loss, r)")
        self.write(depth, f"r.assign(tf.tanh(r - 0.25 * {slope}))")

    def fault(self, depth: int) -> None:
        """What fails for some numbers, none of which is known while the function is traced."""
        counters = [n for n, kind in self.locals.items() if kind == INT and n[0] in "nig"]
        number = f"p({self.pick(counters)} + {self.expression(INT, 1)})"
        forms = [
            f"tf.debugging.assert_less({number}, 2)",
            f"s.assign(tf.cast(6 // (1 - {number}), tf.float32) / 4.0)",
            f"s.assign(tf.gather(x, {number} + 1))",
            f"s.assign(x[{number} + 1])",
        ]
        self.write(depth, self.pick(forms))

    def branch(self, depth: int, in_loop: bool, in_python: bool) -> None:
        self.write(depth, f"if {self.condition()}:")
        self.block(depth + 1, in_loop, in_python)
        if self.draw(0, 3) == 0:
            self.write(depth, f"elif {self.condition()}:")
            self.block(depth + 1, in_loop, in_python)
        if self.draw(0, 1):
            self.write(depth, "else:")
            self.block(depth + 1, in_loop, in_python)

    def count(self) -> str:
        """How often a loop repeats: a number, an argument, what a variable holds."""
        own = ["k % 4"] if "k" in self.variables else []
        return self.pick(["n", "n", str(self.draw(0, 3)), *own])

    def for_range(self, depth: int) -> None:
        name = self.name("i")
        self.write(depth, f"for {name} in tf.range({self.count()}):")
        self.loop(depth, name, INT)

    def loop(self, depth: int, name: str, kind: Kind) -> None:
        """The body of a loop over elements."""
        before = dict(self.locals)
        self.locals[name] = kind
        self.block(depth + 1, True)
        self.locals = before

    def while_loop(self, depth: int) -> None:
        name = self.name("g")
        self.write(depth, f"{name} = tf.constant(0)")
        self.write(depth, f"while {name} < 4 and ({self.condition()}):")
        self.write(depth + 1, f"{name} += 1")
        self.loop(depth, name, INT)

    def for_data(self, depth: int) -> None:
        name = self.name("e")
        data = self.pick(["numbers", "batches", "rows", "none"])
        self.write(depth, f"for {name} in {data}:")
        if data in {"batches", "none"}:
            total = self.name("u")
            self.write(depth + 1, f"{total} = q(tf.reduce_sum({name}))")
            self.loop(depth, total, FLOAT)
        else:
            self.loop(depth, name, FLOAT if data == "numbers" else Kind("float32", (4,)))

    def functional_loop(self, depth: int) -> None:
        name, body, more = self.name("i"), self.name("body"), self.name("more")
        self.write(depth, f"def {body}({name}):")
        before = dict(self.locals)
        self.locals[name] = INT
        self.inner_function(depth)
        self.write(depth + 1, f"return [{name} + 1]")
        self.write(depth, f"def {more}({name}):")
        self.write(depth + 1, f"return {name} < {self.count()}")
        self.locals = before
        self.write(depth, f"tf.while_loop({more}, {body}, [tf.constant(0)])")

    def inner_function(self, depth: int) -> None:
        """The statements of one, which sets no local of those around it."""
        before, self.functions_around = self.locals, self.functions_around + 1
        self.locals = {k: v for k, v in before.items() if not k.startswith("t")}
        self.block(depth + 1, False, False)
        self.locals, self.functions_around = before, self.functions_around - 1

    def functional_branch(self, depth: int) -> None:
        sides = [self.name("side") for _ in range(2)]
        kind = VARIABLES[self.pick([v for v in self.variables if v != ROUNDED])][0]
        before = dict(self.locals)
        for side in sides:
            self.write(depth, f"def {side}():")
            self.inner_function(depth)
            self.write(depth + 1, f"return {self.tensor(kind)}")
        self.locals = before
        name, text = self.name("u"), self.expression(BOOL, 2)
        if self.draw(0, 1):
            self.write(depth, f"{name} = tf.cond({text}, {', '.join(sides)})")
        else:
            self.write(depth, f"{name} = tf.switch_case({self.index(3)}, [{', '.join(sides)}])")
        self.locals[name] = kind

    def collect(self, depth: int) -> None:
        """A loop beside whose variables an array grows."""
        array, name = self.name("array"), self.name("i")
        kind = VARIABLES[self.pick([v for v in self.variables if v in "svck"])][0]
        self.write(depth, f"{array} = tf.TensorArray(tf.{kind.dtype}, 3)")
        self.write(depth, f"for {name} in tf.range(3):")
        before = dict(self.locals)
        self.locals[name] = INT
        self.block(depth + 1, False, False)
        self.write(depth + 1, f"{array} = {array}.write({name}, {self.tensor(kind)})")
        self.locals = before
        total = f"tf.reduce_sum({array}.stack(), axis=0)"
        name = self.name("u")
        rounded = "p" if kind.dtype.startswith("int") else "q"
        self.write(depth, f"{name} = {rounded}({total})")
        self.locals[name] = kind

    def program(self) -> Program:
        """The whole module."""
        text = [HEAD]
        for name in self.variables:
            kind, start = VARIABLES[name]
            text.append(f"{name} = tf.Variable({start}, dtype=tf.{kind.dtype})")
        text += ["same = v"] * self.alias + ["box = Box()"]
        text += ["", *(FUNCTIONS[f] for f in self.functions)]
        text += ["@tf.function", "def f(n, x):"]
        if self.has_late:
            self.write(1, "if box.late is None:")
            self.write(2, "box.late = tf.Variable(2.0)")
        for kind in FLOAT, INT, VARIABLES["v"][0]:
            name = self.name("t")
            self.write(1, f"{name} = {self.tensor(kind, 1)}")
            self.locals[name] = kind
        while self.budget > 0:
            self.statement(1, False, False)
        if self.returns_early:
            self.write(1, f"return {self.tensor(FLOAT)}")
        else:
            results = [n for n in self.locals if n[0] in "tu"]
            self.write(1, f"return {', '.join(results)}, {self.tensor(FLOAT)}")
        late = ("late",) if self.has_late else ()
        source = "\n".join([*text, *self.lines, ""])
        return Program(source, (*self.variables, *late), self.may_fail)


def written(seed: int, may_fail: bool = False) -> Program:
    """The program of a number."""
    return Writer(random.Random(seed).randint, may_fail).program()


@st.composite
def programs(draw: Any, may_fail: bool = False) -> Program:
    """Programs that hypothesis makes smaller where they differ."""
    return Writer(lambda low, high: draw(st.integers(low, high)), may_fail).program()
