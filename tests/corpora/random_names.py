"""Random functions about names: bound, read and unbound in every kind of statement.

`write` makes one, whose conditions and loops are over its arguments. Every value is an integer. So
Python itself says which names have values, and what they are, and a graph has to say the same.
"""

from __future__ import annotations

import itertools
import linecache
import random
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

NAMES = ("a", "b", "c", "d")
#: Runs of Python that look for a missing value.
_RUNS = 400
#: What each function is called with: two conditions, and the turns of its loops.
CALLS = tuple(itertools.product((0, 1), (0, 1), (0, 1, 2)))


class Block:
    """Writes statements; `depth` bounds how far they nest."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.count = 0
        self.guarded = 0
        self.uses_global = False

    def pick(self, *items: str) -> str:
        """One of them."""
        return self.chance.choice(items)

    def name(self) -> str:
        """A variable."""
        return self.chance.choice(NAMES)

    def value(self) -> str:
        """An integer, read from names mostly."""
        return self.pick(
            str(self.chance.randint(0, 5)), f"{self.name()} + 1", f"{self.name()} * 2", "n + 1", "p",
            f"{self.name()} - {self.name()}", self.name(), "q * 3",
        )  # fmt: skip

    def test(self) -> str:
        """A condition: of tensors in a graph."""
        text = self.pick(
            "p > 0", "q > 0", "p > q", f"({self.name()} := p + 1) > 1", f"{self.name()} > 1",
            "not (p > 0)", "p > 0 and q > 0", "p > 0 or q > n",
        )  # fmt: skip
        return f"<<{text}>>"

    def fresh(self, word: str) -> str:
        """A name that nothing else has."""
        self.count += 1
        return f"{word}{self.count}"

    def body(self, depth: int, size: int = 2) -> list[str]:
        """Some statements, indented."""
        lines: list[str] = []
        for _ in range(self.chance.randint(1, size)):
            lines += (["risk()"] if self.guarded else []) + self.statement(depth)
        return ["    " + line for line in lines]

    def risky(self, depth: int) -> list[str]:
        """Statements of which each may fail."""
        self.guarded += 1
        lines = self.body(depth)
        self.guarded -= 1
        return lines

    def statement(self, depth: int) -> list[str]:
        """One statement."""
        simple = [
            self.assign, self.assign, self.assign, self.augment, self.walrus, self.unbind, self.unpack,
            self.comprehension, self.generator, self.text, self.annotate, self.closure, self.outside,
            self.lambda_, self.importing, self.class_, self.items,
        ]  # fmt: skip
        nested = [
            self.branch, self.branch, self.branches, self.counted, self.counted, self.repeated,
            self.managed, self.final, self.handled, self.matched, self.jumping, self.inner,
        ]  # fmt: skip
        if depth > 0 and self.chance.random() < 0.55:
            return self.chance.choice(nested)(depth - 1)
        return self.chance.choice(simple)()

    # -- simple ----------------------------------------------------------------------------

    def assign(self) -> list[str]:
        return [f"{self.name()} = {self.value()}"]

    def augment(self) -> list[str]:
        return [f"{self.name()} += {self.value()}"]

    def walrus(self) -> list[str]:
        return [f"{self.name()} = ({self.name()} := {self.value()}) + 1"]

    def unbind(self) -> list[str]:
        name = self.name()
        return [f"{name} = 1", f"del {name}"] if self.chance.random() < 0.5 else [f"del {name}"]

    def unpack(self) -> list[str]:
        one, other = self.chance.sample(NAMES, 2)
        return [self.pick(f"{one}, {other} = {self.value()}, {self.value()}", f"({one}, *_), {other} = (1, 2), 3",
                          f"{one} = {other} = {self.value()}")]  # fmt: skip

    def comprehension(self) -> list[str]:
        name = self.name()
        return [self.pick(f"{self.name()} = sum([{name} for {name} in (1, 2, 3)])", f"{self.name()} = [{name} + 1 for {name} in (1, 2)][0]",
                          f"{self.name()} = len([({name} := k) for k in few])", f"{self.name()} = {{{name}: {name} for {name} in (1, 2)}}[2]")]  # fmt: skip

    def generator(self) -> list[str]:
        name = self.name()
        return [f"{self.name()} = sum({name} * k for k in (1, 2))"]

    def text(self) -> list[str]:
        return [f"{self.name()} = len(f'{{({self.name()} := {self.chance.randint(1, 5)})}}')"]

    def annotate(self) -> list[str]:
        return [self.pick(f"{self.name()}: int = {self.value()}", f"{self.name()}: int")]

    def closure(self) -> list[str]:
        function, name = self.fresh("f"), self.name()
        return [
            f"def {function}():",
            f"    nonlocal {name}",
            f"    {name} = {self.value().replace(name, 'p')}",
            f"{function}()",
        ]

    def outside(self) -> list[str]:
        self.uses_global = True
        return [self.pick(f"{self.name()} = g", "g = 7", f"g = {self.pick('p', 'n', '3')}")]

    def lambda_(self) -> list[str]:
        return [f"{self.name()} = (lambda k: k + {self.name()})(2)"]

    def importing(self) -> list[str]:
        name = self.name()
        return [f"from math import gcd as {name}", f"{name} = {self.value().replace(name, 'p')}"]

    def class_(self) -> list[str]:
        word, name = self.fresh("C"), self.name()
        return [f"class {word}:", f"    {name} = 3", f"{self.name()} = {word}.{name}"]

    def items(self) -> list[str]:
        word = self.fresh("box")
        return [
            f"{word} = {{'k': {self.value()}}}",
            f"{word}['k'] = {self.value()}",
            f"{self.name()} = {word}['k']",
        ]

    # -- compound --------------------------------------------------------------------------

    def branch(self, depth: int) -> list[str]:
        lines = [f"if {self.test()}:", *self.body(depth)]
        return lines + (["else:", *self.body(depth)] if self.chance.random() < 0.6 else [])

    def branches(self, depth: int) -> list[str]:
        return [
            f"if {self.test()}:",
            *self.body(depth),
            f"elif {self.test()}:",
            *self.body(depth),
            "else:",
            *self.body(depth),
        ]

    def counted(self, depth: int) -> list[str]:
        target = self.pick(self.name(), self.fresh("i"))
        lines = [f"for {target} in steps(n):", *self.body(depth)]
        return lines + (["else:", *self.body(depth)] if self.chance.random() < 0.2 else [])

    def repeated(self, depth: int) -> list[str]:
        counter = self.fresh("k")
        return [
            f"{counter} = 0",
            f"while <<{counter} < n>>:",
            f"    {counter} += 1",
            *self.body(depth),
        ]

    def managed(self, depth: int) -> list[str]:
        manager = self.pick("quiet(5)", f"quiet(5) as {self.name()}", "tf.name_scope('s')")
        return [f"with {manager}:", *self.risky(depth)]

    def final(self, depth: int) -> list[str]:
        return ["try:", *self.risky(depth), "finally:", *self.body(depth)]

    def handled(self, depth: int) -> list[str]:
        fails = ["    [][0]"] if self.chance.random() < 0.4 else []
        name = self.name()
        other = self.pick("", f" as {name}")
        ending = ["else:", *self.body(depth)] if self.chance.random() < 0.3 else []
        return [
            "try:",
            *self.risky(depth),
            *fails,
            f"except IndexError{other}:",
            f"    {name} = 6",
            *self.body(depth),
            *ending,
        ]

    def matched(self, depth: int) -> list[str]:
        one, other = self.chance.sample(NAMES, 2)
        return ["match pair:", f"    case ({one}, {other}):", *["    " + line for line in self.body(depth)],
                f"    case {self.pick('_', one)}:", *["    " + line for line in self.body(depth)]]  # fmt: skip

    def jumping(self, depth: int) -> list[str]:
        target = self.fresh("i")
        return [f"for {target} in steps(n):", *self.body(depth), f"    if {self.test()}:", *["    " + line for line in self.body(depth, 1)],
                f"        {self.pick('break', 'continue')}", *self.body(depth)]  # fmt: skip

    def inner(self, depth: int) -> list[str]:
        function = self.fresh("f")
        return [
            f"def {function}(a, p=p):",
            "    b = c = d = a",
            *self.body(depth),
            "    return b",
            f"{self.name()} = {function}({self.value()})",
        ]


def write(seed: int) -> str:
    """The source of the function of a number."""
    block = Block(random.Random(f"names {seed}"))
    bound = [name for name in NAMES if block.chance.random() < 0.7]
    first = [f"    {name} = {block.pick('p', 'n', '1', 'q + 1')}" for name in bound]
    body = block.body(3, 4)
    results = block.chance.sample(NAMES, block.chance.randint(1, 3))
    head = ["    global g"] if block.uses_global else []
    # Each name is a local variable, also where no statement above binds it.
    last = [f"    {name} = 0" for name in NAMES]
    ending = [f"    result = {', '.join(results)},", *last, "    return result"]
    return "\n".join(["def f(p, q, n):", *head, *first, *body, *ending])


@contextmanager
def quiet(value: int) -> Iterator[int]:
    """A context that goes on after an IndexError."""
    with suppress(IndexError):
        yield value


class Program:
    """A function that was loaded, with the names that it reads."""

    _numbers = itertools.count()

    def __init__(self, source: str, scope: dict[str, Any]) -> None:
        self.file = f"<names {next(self._numbers)}>"
        linecache.cache[self.file] = (len(source), None, source.splitlines(True), self.file)
        self.scope = scope
        exec(compile(source, self.file, "exec", dont_inherit=True), scope)

    def close(self) -> None:
        """Forgets its text."""
        linecache.cache.pop(self.file)

    def outcomes(self, function: Callable[..., Any], make: Callable[[int], Any]) -> list[Any]:
        """What the calls of a function give: integers, or the class of an error."""
        return [self.outcome(function, map(make, call)) for call in CALLS]

    def outcome(self, function: Callable[..., Any], arguments: Iterable[Any]) -> Any:
        """What one call gives."""
        self.scope["g"] = 5
        try:
            return [int(x) for x in function(*arguments)]
        except Exception as error:  # noqa: BLE001 - its class is the outcome
            return type(error).__name__


def may_miss_a_value(source: str, tf: Any) -> bool:
    """Whether a name may have no value where it is read, whatever conditions and turns decide.

    Python runs the function many times; chance decides its conditions, its turns, and what fails.
    """
    chance = random.Random(7)

    def risk() -> None:
        if chance.random() < 0.15:
            raise IndexError

    scope = {
        "tf": tf, "few": Few(chance), "risk": risk, "quiet": quiet,
        "steps": lambda n: range(chance.randint(0, 2)), "decide": lambda x: chance.random() < 0.5,
    }  # fmt: skip
    program = Program(re.sub("<<(.*)>>", r"decide(\1)", source), scope)
    for _ in range(_RUNS):
        scope["pair"] = chance.choice(((1, 2), 3))
        if program.outcome(scope["f"], (1, 1, 1)) in ("UnboundLocalError", "NameError"):
            break
    else:
        program.close()
        return False
    program.close()
    return True


class Few:
    """No items, or some."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def __iter__(self) -> Iterator[int]:
        return iter((4, 5) if self.chance.random() < 0.5 else ())


def differences(source: str, tf: Any) -> list[str]:
    """How the function differs from Python as AutoGraph converts it, and as a graph.

    A graph may refuse a function that may miss a value.
    """
    scope = {
        "tf": tf, "few": (4, 5), "risk": lambda: None, "quiet": nullcontext, "steps": range,
        "pair": (1, 2),
    }  # fmt: skip
    program = Program(re.sub("<<(.*)>>", r"\1", source), scope)
    function = scope["f"]
    expected = program.outcomes(function, int)
    converted = program.outcomes(tf.autograph.to_graph(function), int)
    words = [
        f"converted, f{call}: {got}, not {want}"
        for call, want, got in zip(CALLS, expected, converted)
        if want != got
    ]
    scope["steps"] = tf.range
    staged = program.outcomes(tf.function(function), tf.constant)
    wrong = [
        (call, want, got)
        for call, want, got in zip(CALLS, expected, staged)
        if want != got and isinstance(want, list)
    ]
    may_refuse = all(isinstance(got, str) for _, _, got in wrong) and may_miss_a_value(source, tf)
    if not may_refuse:
        words += [f"in a graph, f{call}: {got}, not {want}" for call, want, got in wrong]
    program.close()
    return words
