"""Programs of all corpora, to run in two tiers: as kernels, and as plans that are interpreted."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from corpora import autograph as corpus
from corpora import control as control_corpus
from corpora import gradients as gradient_corpus
from corpora import random_control_flow, random_programs, random_tensors
from corpora.random_functions import load, many
from plans.memory import Violation
from plans.tier import Log, interpreted

import graphwright as tf
from graphwright.base.errors import InternalError
from graphwright.compile.run.checking import compare
from graphwright.compile.run.options import OPTIONS


class Case(NamedTuple):
    """A program: `run` makes it anew and calls it, in the tier that the options say."""

    name: str
    run: Callable[[], Any]


# -- running --------------------------------------------------------------------------------


@contextlib.contextmanager
def tier(native: str) -> Iterator[None]:
    """What is traced becomes machine code at once (`always`), or never (`off`)."""
    before = OPTIONS.get("native")
    OPTIONS["native"] = native
    try:
        yield
    finally:
        if before is None:
            del OPTIONS["native"]
        else:
            OPTIONS["native"] = before


def outcome(run: Callable[[], Any]) -> Any:
    """Arrays and plain values, or the class of the error."""
    try:
        leaves = tf.nest.flatten(run())
    except (Violation, InternalError):
        raise
    except Exception as error:  # noqa: BLE001 - its class is the outcome
        return type(error)
    return [np.asarray(x.numpy()) if isinstance(x, tf.Tensor) else x for x in leaves]


def check(case: Case) -> Log:
    """Runs a program in both tiers; an AssertionError where a plan does what none may, or gives
    something else than the kernels."""
    with tier("off"):
        expected = outcome(case.run)
    with interpreted() as log, tier("always"):
        result = outcome(case.run)
    if log.errors:
        raise log.errors[0][1]
    difference = differs(expected, result)
    assert not difference, f"{case.name}: as a plan {difference}"
    return log


def differs(expected: Any, found: Any) -> str:
    """What is different, in words."""
    if isinstance(expected, type) or isinstance(found, type):
        return "" if expected is found else f"{found!r}, as kernels {expected!r}"
    if len(expected) != len(found):
        return f"{len(found)} results, as kernels {len(expected)}"
    for i, (one, other) in enumerate(zip(expected, found)):
        if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
            words = "" if one == other else f"{other!r} and {one!r}"
        else:
            words = compare(other, one)
        if words:
            return f"result {i} is {words}"
    return ""


def traced(function: Callable[..., Any], calls: Sequence[Sequence[Any]], **how: Any) -> Any:
    """What a function gives when it is traced and called, again and again."""
    whole = tf.function(function, **how)
    return [whole(*map(tf.constant, call)) for call in calls]


# -- corpora --------------------------------------------------------------------------------


def steps(seeds: range) -> Iterator[Case]:
    """Straight-line programs, of known and of unknown sizes."""
    names = sorted(random_programs.OPS)
    for seed in seeds:
        r = random.Random(seed)
        program = [
            (r.choice(names), tuple([r.randrange(10) for _ in range(3)]), r.randrange(4))
            for _ in range(r.randrange(1, 14))
        ]
        values = random_programs.inputs(seed % 4)
        specs: list[Any] = [tf.TensorSpec([None] * v.ndim, v.dtype) for v in values]
        how = {"input_signature": specs} if seed % 2 else {}
        yield Case(
            f"steps {seed}",
            lambda p=program, v=values, h=how: traced(
                lambda *xs: random_programs.run(p, list(xs)), [v], autograph=False, **h
            ),
        )


def tensors(seeds: range, length: int = 8) -> Iterator[Case]:
    """Programs over all dtypes, with variables, called with several sizes."""
    for seed in seeds:

        def run(seed: int = seed) -> Any:
            program = random_tensors.program(seed, length)
            specs = [tf.TensorSpec([None] * v.ndim, tf.as_dtype(v.dtype)) for v in program.calls[0]]
            function, _ = program.function()
            whole = tf.function(function, autograph=False, input_signature=specs)
            return [outcome(lambda call=call: whole(*call)) for call in program.calls]

        yield Case(f"tensors {seed}", run)


def control_flow(seeds: range) -> Iterator[Case]:
    """Branches, loops and arrays over three vectors, and the gradient."""
    for seed in seeds:
        r = random.Random(seed)
        program = blocks(r, 2)
        x = np.random.default_rng(seed).normal(size=(3, 2))

        def value(x: Any, program: Any = program) -> Any:
            state = random_control_flow.Run().block(program, tuple(tf.unstack(x)))
            return tf.reduce_sum(tf.stack(state) * [[1.0, 0.5], [0.25, -1.0], [0.75, 2.0]])

        def slope(x: Any, value: Any = value) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = value(x)
            return y, tape.gradient(y, x, unconnected_gradients="zero")

        yield Case(f"control flow {seed}", lambda f=slope, x=x: traced(f, [[x]], autograph=False))


def blocks(r: random.Random, depth: int) -> list[Any]:
    """Statements as `random_control_flow.blocks` draws them."""
    return [statement(r, depth) for _ in range(r.randrange(1, 4))]


def statement(r: random.Random, depth: int) -> tuple[Any, ...]:
    """One statement, of others if there is depth left."""
    place = r.randrange(3), r.randrange(3), r.randrange(3)
    kind = r.choice(["unary", "binary", "branch", "repeat", "until", "array"][: 6 if depth else 2])
    if kind == "unary":
        return (kind, *place[:2], r.choice(sorted(random_control_flow.UNARY)))
    if kind == "binary":
        return (kind, *place, r.choice(sorted(random_control_flow.BINARY)))
    inner = blocks(r, depth - 1)
    if kind == "branch":
        return kind, place[0], inner, blocks(r, depth - 1)
    if kind == "repeat":
        return kind, r.randrange(4), inner
    if kind == "until":
        return kind, place[0], inner
    return kind, place[0], r.randrange(1, 4), inner


def autograph(kinds: Sequence[str] = ("int32", "float32")) -> Iterator[Case]:
    """AutoGraph's corpus, on integers and on floats."""
    for program in corpus.PROGRAMS:
        if program.staged:
            for kind in kinds:
                calls = [[np.asarray(a).astype(kind) for a in call] for call in program.arguments]
                yield Case(
                    f"autograph {program.name} {kind}",
                    lambda f=program.function, c=calls: [
                        outcome(lambda call=call: traced(f, [call])) for call in c
                    ],
                )


def nestings() -> Iterator[Case]:
    """AutoGraph's constructs in each other."""
    for name, source in corpus.nestings():
        program = load(source, helper=corpus.positive)
        calls = [(*values, 0) for values in [(0, 1), (3, 2), (-1, -1)]]
        yield Case(f"nesting {name}", lambda f=program, c=calls: traced(f, c))


def python(seeds: range) -> Iterator[Case]:
    """AutoGraph's random programs."""

    def helper(x: Any) -> Any:
        if x > 1:
            return x - 2
        return x + 1

    def give(items: Any, x: Any) -> None:
        if x % 3 != 0:
            items.append(x)

    scope = {"helper": helper, "give": give, "context": contextlib.nullcontext}
    for seed in seeds:
        for source, values in many(seed, 1, tensors=True):
            program = load(source, tensor=lambda items: tf.constant(items, tf.int32), **scope)
            yield Case(f"python {seed}", lambda f=program, v=values: traced(f, [(*v, 0)]))


def control() -> Iterator[Case]:
    """Expressions of control flow, and derivatives through it."""
    for expression in control_corpus.EXPRESSIONS:
        if "print" not in expression:
            yield Case(
                f"control {expression}",
                lambda e=expression: repr(control_corpus.outcome(e, tf, True)),
            )
    for name in control_corpus.GRADIENTS:
        for i, point in enumerate(control_corpus.POINTS):
            yield Case(
                f"control gradient {name} {i}",
                lambda n=name, p=point: [
                    tf.constant(x, tf.float32) for x in control_corpus.derivatives(tf, n, p, True)
                ],
            )


def gradients() -> Iterator[Case]:
    """Delicate derivatives, first and second."""
    for name, (program, given) in gradient_corpus.CASES.items():
        arrays = gradient_corpus.operands(given)
        yield Case(
            f"gradient {name}",
            lambda p=program, a=arrays: traced(
                lambda *xs: gradient_corpus.derivatives(tf, p, list(xs)), [a]
            ),
        )


CORPORA: dict[str, Callable[[], Iterator[Case]]] = {
    "steps": lambda: steps(range(300)),
    "tensors": lambda: tensors(range(300)),
    "control flow": lambda: control_flow(range(300)),
    "autograph": autograph,
    "nestings": nestings,
    "python": lambda: python(range(300)),
    "control": control,
    "gradients": gradients,
}
