"""A program of a number.

A statement is run as it is written, by this package, eagerly. One that fails is mostly written
anew, and now and then it is the last one: what fails has to fail in TensorFlow, too.
"""

from __future__ import annotations

import ast
import random
import re
import textwrap
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from differential.block_forms import BLOCKS, HEADS
from differential.operands import DTYPES, FAMILIES, Operands, dtype_name, is_dense
from everyday.limits import TooLong, limit
from everyday.programs import Program

import graphwright as tf

#: Names as people choose them.
_ARGUMENTS = ("x", "y", "inputs", "labels", "a", "b", "mask", "ids", "words", "w")
_NAMES = ("h", "z", "u", "v", "out", "total", "part", "rows", "score", "loss", "p", "q", "m", "n",
          "c", "d", "e", "f", "g", "r", "s", "t1", "t2", "t3", "t4", "t5", "t6", "t7")  # fmt: skip
_NO_RESULTS = (
    "tf", "np", "weights", "tape", "outer", "helper", "i", "row", "collections", *HEADS,
)  # fmt: skip
#: What a tape records last.
_OUTER = ("{n} * {n}", "tf.tanh({f})", "tf.reduce_sum({n})", "tf.exp({f})")
#: Seconds that a statement may take.
_SECONDS = 10.0
#: Elements of a result, at most, and how large a number of it may be.
_ELEMENTS, _LARGE = 150, 1e5


class Sample(NamedTuple):
    """A program, and the signature with which it is traced without shapes; "" if there is none."""

    program: Program
    signature: str


class Argument(NamedTuple):
    """A parameter of the program: how a call states it, and the spec of its signature."""

    name: str
    text: Callable[[bool], str]
    spec: str


def constant(value: str, is_other: bool) -> str:
    """A text that is the same in each call."""
    return value


class Author(Operands):
    """Writes one program."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(chance)
        self.names: dict[str, Any] = {"tf": tf, "np": np}
        self.lines: list[str] = []
        self.head: list[str] = []
        self.free = list(_NAMES)
        self.is_over = False

    def sample(self) -> Sample:
        """All of it."""
        self.wild = 0.15 if self.often(0.1) else 0.0
        arguments = self.arguments()
        first = [a.text(False) for a in arguments]
        for argument, text in zip(arguments, first):
            self.names[argument.name] = eval(text, dict(self.names))
        known = {a.name for a in arguments}
        if self.often(0.25):
            self.state()
        for _ in range(self.chance.randint(3, 9)):
            if not self.is_over:
                self.statement()
        parameters = ", ".join(a.name for a in arguments)
        body = [*self.lines, self.ending(known)]
        source = [
            *self.head,
            "@tf.function",
            f"def program({parameters}):",
            *textwrap.indent("\n".join(body), "    ").split("\n"),
        ]
        sizes_differ = self.often(0.5)
        calls = [first, [a.text(sizes_differ) for a in arguments]]
        specs = [a.spec for a in arguments]
        signature = f"[{', '.join(specs)}]" if all(specs) else ""
        return Sample(
            Program("\n".join(source), tuple(f"program({', '.join(c)})" for c in calls)), signature
        )

    # -- arguments -------------------------------------------------------------------------

    def arguments(self) -> list[Argument]:
        """Parameters: mostly dense tensors, the first of floats."""
        free = list(_ARGUMENTS)
        result = []
        for number in range(self.chance.randint(2, 4)):
            name = free.pop(0 if number < 2 else self.chance.randrange(len(free)))
            draw = self.chance.random()
            if number and draw < 0.08:
                result.append(self.composite_argument(f"{name}_rows"))
            elif number and draw < 0.13:
                value = self.number(self.chance.choice(("float32", "int32", "bool")))
                result.append(Argument(name, partial(constant, value), ""))
            else:
                letter = "f" if not number else self.chance.choice("fwnnuibsc")
                result.append(self.dense_argument(name, self.chance.choice(DTYPES[letter])))
        return result

    def dense_argument(self, name: str, dtype: str) -> Argument:
        """A tensor; in half of the programs its sizes are others in the second call."""
        shape = self.shape()
        other = tuple({2: 3, 3: 2, 1: 2, 0: 2}.get(size, size) for size in shape)
        spec = f"tf.TensorSpec(None, tf.{dtype})"
        return Argument(
            name, lambda is_other: self.literal(dtype, other if is_other else shape), spec
        )

    def composite_argument(self, name: str) -> Argument:
        """A ragged or sparse tensor."""
        dtype = self.chance.choice(("float32", "int32", "int64", "string"))
        if self.often(0.6):
            spec = f"tf.RaggedTensorSpec([None, None], tf.{dtype})"
            return Argument(name, lambda _: self.ragged(dtype), spec)
        spec = f"tf.SparseTensorSpec([None, None], tf.{dtype})"
        return Argument(name, lambda _: self.sparse(dtype), spec)

    def state(self) -> None:
        """A variable of the module."""
        dtype = self.chance.choice(("float32", "float32", "int32", "float64", "int64"))
        text = f"tf.Variable({self.literal(dtype, self.shape(self.chance.choice((0, 1, 2))))})"
        self.head.append(f"weights = {text}")
        self.names["weights"] = eval(text, dict(self.names))

    # -- statements ------------------------------------------------------------------------

    def statement(self) -> None:
        """One more statement."""
        ways: list[tuple[float, Callable[[], list[str]]]] = [
            (14, self.assignment), (1.5, self.branch), (1.5, self.loop), (1, self.repetition),
            (1.5, self.tape), (0.7, self.helper), (3, self.block),
            (1.2 if "weights" in self.names else 0, self.update),
        ]  # fmt: skip
        for _ in range(12):
            way = self.chance.choices([w for _, w in ways], [weight for weight, _ in ways])[0]
            lines = way()
            if lines and self.accepts(lines):
                return

    def accepts(self, lines: list[str]) -> bool:
        """Adds lines if they run and give what is small enough; or, now and then, if they fail."""
        text = "\n".join(lines)
        after, error = self.run(text)
        if error is not None:
            usual = isinstance(error, (SyntaxError, NameError, AttributeError, TimeoutError))
            if usual or not self.often(0.07):
                return False
            self.lines += lines
            self.is_over = True
            return True
        if any(not self.is_small(v) for n, v in after.items() if v is not self.names.get(n)):
            return False
        self.lines += lines
        self.names = after
        self.free = [n for n in self.free if n not in after]
        return True

    def run(self, text: str) -> tuple[dict[str, Any], Exception | None]:
        """The names after some lines, and the error that they raise."""
        scope = dict(self.names)
        state = scope.get("weights")
        before = None if state is None else state.numpy()
        try:
            with limit(_SECONDS):
                exec(text, scope)
        except (Exception, TooLong) as error:  # noqa: BLE001 - any class is an outcome
            if state is not None:
                state.assign(before)
            return scope, TimeoutError() if isinstance(error, TooLong) else error
        for name in ("__builtins__", "i", "row", "tape", "outer"):
            scope.pop(name, None)
        return scope, None

    def is_small(self, value: Any) -> bool:
        """Whether a value may be read by the statements that follow."""
        if isinstance(value, (list, tuple, dict)):
            return len(value) < 12
        if not is_dense(value):
            return True
        array = np.asarray(value.numpy())
        if array.size > _ELEMENTS or value.shape.rank > 5:
            return False
        if array.dtype.kind not in "fc" and dtype_name(value) != "bfloat16":
            return True
        with np.errstate(all="ignore"):
            numbers = np.abs(array.astype(np.complex128))
            return bool(np.all(numbers[np.isfinite(numbers)] < _LARGE)) or self.often(0.1)

    def name(self) -> str:
        """A name that nothing has yet, or one that is read no more."""
        return self.free[self.chance.randrange(min(len(self.free), 6))]

    def expression(self, first: str = "") -> str:
        """One call of some form."""
        family = self.chance.choice(tuple(FAMILIES))
        return self.fill(self.chance.choice(FAMILIES[family]), self.names, first)

    def assignment(self) -> list[str]:
        """`y = tf.abs(x)`, or `y, z = tf.unique(x)`"""
        text = self.expression()
        after, error = self.run(f"_value = {text}")
        value = after.get("_value")
        if (
            error is None
            and isinstance(value, (list, tuple))
            and 1 < len(value) < 4
            and self.often(0.8)
        ):
            names = self.chance.sample(self.free[:8], len(value)) if len(self.free) > 8 else []
            if names:
                return [f"{', '.join(names)} = {text}"]
        if error is None and value is None:
            return [text]
        return [f"{self.name()} = {text}"] if self.free else []

    def test(self) -> str:
        """What `if` and `while` ask."""
        forms = (
            "tf.reduce_sum({w}) > {q}", "tf.size({x}) > {k}", "tf.reduce_any({b})", "{i0} > {k}",
            "tf.reduce_max({w}) <= {q}", "tf.shape({x+})[0] == {k}", "{b0}",
            "tf.reduce_all({n} >= {q})",
            "tf.rank({x}) > 1 and tf.reduce_any({b})", "not tf.reduce_all({b})",
        )  # fmt: skip
        return self.fill(self.chance.choice(forms), self.names)

    def same(self, name: str, extra: dict[str, Any] | None = None) -> str:
        """An expression of the dtype and shape that a name has."""
        names = {**self.names, **(extra or {})}
        value = names[name]
        for _ in range(10):
            family = self.chance.choice(("arithmetic", "elementwise", "shapes", "networks"))
            text = self.fill(
                self.chance.choice(FAMILIES[family]), names, name if self.often(0.7) else ""
            )
            other = self.value(text, names)
            alike = is_dense(other) and other.dtype == value.dtype and other.shape == value.shape
            if alike and self.is_small(other):
                return text
        return self.fill(
            self.chance.choice(("{n} + {q}", "{n} * {$}", "{n} - {~}", "tf.identity({n})")),
            names,
            name,
        )

    def dense(self, letter: str = "n") -> str:
        """A dense tensor among the names; "" if there is none."""
        fitting = [
            n for n, v in self.names.items()
            if isinstance(v, tf.Tensor) and dtype_name(v) in DTYPES[letter]
        ]  # fmt: skip
        return self.chance.choice(fitting) if fitting else ""

    def branch(self) -> list[str]:
        """`if`, perhaps with `elif` and `else`"""
        name = self.dense()
        if not name:
            return []
        lines = [f"if {self.test()}:", f"    {name} = {self.same(name)}"]
        new = self.name() if self.free and self.often(0.4) else ""
        text = self.expression(name) if new else ""
        if new:
            lines.append(f"    {new} = {text}")
        if self.often(0.25) and not new:
            lines += [f"elif {self.test()}:", f"    {name} = {self.same(name)}"]
        if new or self.often(0.5):
            lines += ["else:", f"    {name} = {self.same(name)}"]
        if new:
            lines.append(f"    {new} = {self.chance.choice((text, self.expression(name), name))}")
        return lines

    def loop(self) -> list[str]:
        """`for`, over a range or the rows of a tensor"""
        name = self.dense()
        if not name:
            return []
        if self.often(0.3):
            rows = self.fill("{n+}", self.names)
            value = self.value(rows, self.names)
            item = None if value is None or not value.shape[0] else value[0]
            extra = {"row": item} if item is not None else {}
            lines = [f"for row in {rows}:"]
        else:
            extra = {"i": tf.constant(1)}
            bound = self.chance.choice(
                ("0", "1", "2", "3", "tf.constant(2)", "tf.size({x})", "tf.shape({x+})[0]", "{i0}")
            )
            lines = [f"for i in tf.range({self.fill(bound, self.names)}):"]
        body = [f"    {name} = {self.same(name, extra)}"]
        if self.often(0.25):
            body.append(
                f"    if {self.test()}:\n        {self.chance.choice(('break', 'continue'))}"
            )
        if self.often(0.3):
            body.append(f"    {name} = {self.same(name, extra)}")
        return [*lines, *body]

    def repetition(self) -> list[str]:
        """`while`, with a counter"""
        name = self.dense()
        if not name or not self.free:
            return []
        counter = self.name()
        start = self.chance.choice(("0", "tf.constant(0)", "tf.constant(1)"))
        return [
            f"{counter} = {start}",
            f"while {counter} < {self.fill('<{k}|tf.constant({p})|tf.size({x})>', self.names)}:",
            f"    {name} = {self.same(name)}",
            f"    {counter} += 1",
        ]

    def tape(self) -> list[str]:
        """Gradients of an expression, of first or second order, along a tape or forwards."""
        name = self.dense("c" if self.often(0.05) else "f")
        if not name or len(self.free) < 3:
            return []
        inner, slope = self.chance.sample(self.free[:8], 2)
        steps = [f"{inner} = {self.smooth(name)}"]
        names = {**self.names, inner: self.names[name]}
        if self.often(0.4):
            steps.append(f"{inner} = {self.fill(self.chance.choice(_OUTER), names, inner)}")
        if self.often(0.08):
            return [f"with tf.autodiff.ForwardAccumulator({name}, tf.ones_like({name})) as tape:",
                    *[f"    {s}" for s in steps], f"{slope} = tape.jvp({inner})"]  # fmt: skip
        ask = self.chance.choices(("gradient", "jacobian", "batch_jacobian", "both"), (8, 2, 1, 1))[
            0
        ]
        option = self.chance.choice(("", "", ", unconnected_gradients='zero'"))
        watch = f"    tape.watch({name})"
        if ask == "both":
            return [
                "with tf.GradientTape() as outer:",
                f"    outer.watch({name})",
                "    with tf.GradientTape() as tape:",
                f"    {watch}",
                *[f"        {s}" for s in steps],
                f"    {slope} = tape.gradient({inner}, {name}{option})",
                f"{self.name()} = outer.gradient({slope}, {name}, unconnected_gradients='zero')",
            ]
        lines = ["with tf.GradientTape() as tape:", watch, *[f"    {s}" for s in steps]]
        if ask == "gradient" and self.often(0.2):
            return [
                *lines,
                f"{slope} = tape.gradient({inner}, [{name}, {self.dense('f') or name}]{option})",
            ]
        return [*lines, f"{slope} = tape.{ask}({inner}, {name}{option})"]

    def smooth(self, name: str) -> str:
        """An expression that has floats of a name."""
        for _ in range(12):
            family = self.chance.choice(tuple(FAMILIES))
            text = self.fill(self.chance.choice(FAMILIES[family]), self.names, name)
            value = self.value(text, self.names)
            if (
                is_dense(value)
                and dtype_name(value) in DTYPES["f"] + DTYPES["c"]
                and self.is_small(value)
            ):
                return text
        return f"{name} * {name}"

    def helper(self) -> list[str]:
        """A function in the function, and a call of it"""
        name = self.dense()
        if not name or len(self.free) < 2:
            return []
        text = self.fill(
            self.chance.choice(FAMILIES["arithmetic"] + FAMILIES["shapes"]),
            {**self.names, "t": self.names[name]},
            "t",
        )
        head = ["@tf.function"] if self.often(0.4) else []
        return [
            *head,
            "def helper(t, k=2):",
            f"    return {text}",
            f"{self.name()} = helper({name}{self.chance.choice(('', ', k=3'))})",
        ]

    def block(self) -> list[str]:
        """Lines that belong together, and what they read of the module"""
        form = self.chance.choice(BLOCKS)
        free = self.chance.sample(self.free[:8], 3) if len(self.free) > 8 else []
        if not free:
            return []
        for word, name in zip(("NEW3", "NEW2", "NEW"), free):
            form = form.replace(word, name)
        for name, text in HEADS.items():
            if re.search(rf"\b{name}\b", form) and name not in self.names:
                self.head.append(text)
                exec(text, self.names)
        return self.fill(form, self.names).split("\n")

    def update(self) -> list[str]:
        """An update of the variable"""
        forms = (
            "weights.assign({E})", "weights.assign_add({E})", "weights.assign_sub({E})",
            "weights.scatter_nd_add([[0]], {E}[:1])", "weights.assign(weights * 2)",
            "weights.scatter_add(tf.IndexedSlices({E}[:1], [0]))", "weights[{k}].assign({E}[0])",
            "weights.scatter_update(tf.IndexedSlices({E}[:1], [{k}]))",
            "weights.assign_add(tf.ones_like(weights))",
        )  # fmt: skip
        form = self.chance.choice(forms).replace("{E}", self.same("weights"))
        text = self.fill(form, self.names)
        return [f"{self.name()} = {text}"] if self.free and self.often(0.3) else [text]

    # -- results ---------------------------------------------------------------------------

    def ending(self, arguments: set[str]) -> str:
        """The `return`: all names that hold results, or the last of them."""
        names = [
            n for n, v in self.names.items()
            if n not in arguments and n not in _NO_RESULTS and not callable(v)
        ]  # fmt: skip
        assigned = {
            n.id
            for n in ast.walk(ast.parse("\n".join(self.lines) or "0"))
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        names += [n for n in arguments if n in assigned and n not in names]
        names.sort()
        if self.often(0.4):
            names = [n for n in self.names if n in names][-2:] or names
            return f"return {', '.join(names)}" if names else "return None"
        return "return {" + ", ".join(f"'{n}': {n}" for n in names) + "}"


def write(seed: int) -> Sample:
    """The program of a number."""
    return Author(random.Random(f"differential {seed}")).sample()
