"""Bad calls of public functions, made from the examples of their documentation.

`calls_of` takes the first example that calls a function, and spoils one argument of it at a time.
A call is text: what stands before it, and its arguments by position or name. TensorFlow can run it,
too.
"""

from __future__ import annotations

import ast
import doctest
import inspect
import random
import types
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

#: How a call is run.
MODES = ("eager", "traced", "native")
#: What takes the place of an argument.
BAD = [
    "None", "'text'", "b'bytes'", "3", "-1", "0", "2**40", "-2**63", "1.5", "float('nan')", "1j",
    "True", "[]", "[[]]", "[1, 2]", "[[1, 2], [3]]", "[None]", "{}", "{'a': 1}", "object()", "()",
    "np.zeros([2, 3], np.float64)", "np.array('a')", "tf.zeros([])", "tf.zeros([0])",
    "tf.zeros([3])", "tf.zeros([2, 3])", "tf.zeros([1, 2, 3, 4, 5, 6])", "tf.ones([2], tf.int32)",
    "tf.ones([2], tf.int64)", "tf.constant('s')", "tf.constant([True, False])",
    "tf.constant([1j])", "tf.constant(-1)", "tf.constant([7, -9])", "tf.ones([2], tf.uint8)",
    "tf.ones([2], tf.float64)", "tf.sparse.from_dense([[1.0, 0.0]])",
    "tf.ragged.constant([[1], [2, 3]])", "tf.Variable([1.0, 2.0])",
    "tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))", "tf.float32",
    "tf.TensorShape([2, None])", "tf.range", "slice(1)",
]  # fmt: skip


class SpoiledCall(NamedTuple):
    """A call of a function: the lines before it, and the texts of its arguments."""

    name: str
    setup: str
    arguments: list[str]
    named: dict[str, str]

    def text(self) -> str:
        """The call as Python has it."""
        parts = [*self.arguments, *[f"{name}={value}" for name, value in self.named.items()]]
        return f"tf.{self.name}({', '.join(parts)})"


def function_of(tf: Any, name: str) -> Any:
    """What a name means; None where it means nothing."""
    value = tf
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def example_of(tf: Any, name: str) -> SpoiledCall | None:
    """The first call of a function in its own example."""
    function = function_of(tf, name)
    if not isinstance(function, types.FunctionType):
        return None
    before: list[str] = []
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(function) or ""):
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("tf."):
                called = function_of(tf, ast.unparse(node.func).removeprefix("tf."))
                plain = not any(isinstance(a, ast.Starred) for a in node.args)
                if called is function and plain and all(k.arg for k in node.keywords):
                    named = {str(k.arg): ast.unparse(k.value) for k in node.keywords}
                    arguments = [ast.unparse(a) for a in node.args]
                    return SpoiledCall(name, "\n".join(before), arguments, named)
        before.append(example.source.rstrip().replace("graphwright as tf", "math"))
    return None


def calls_of(tf: Any, name: str, count: int) -> Iterator[SpoiledCall]:
    """So many spoiled forms of the example of a function, always the same ones."""
    example = example_of(tf, name)
    if example is None:
        return
    chance = random.Random(zlib.crc32(name.encode()))
    free = [
        p.name
        for p in list(inspect.signature(function_of(tf, name)).parameters.values())
        if p.name not in example.named and p.kind is not p.VAR_POSITIONAL and p.name != "name"
    ][len(example.arguments) :]
    places = [*range(len(example.arguments)), *example.named, *free]
    if not places:
        return
    made = set()
    for _ in range(20 * count):
        place, bad = chance.choice(places), chance.choice(BAD)
        if (place, bad) in made:
            continue
        made.add((place, bad))
        arguments, named = list(example.arguments), dict(example.named)
        if isinstance(place, int):
            arguments[place] = bad
        else:
            named[place] = bad
        yield example._replace(arguments=arguments, named=named)
        if len(made) == count:
            return


def outcome(call: SpoiledCall, tf: Any, mode: str) -> str:
    """What a call comes to: "ok", or the class of its error.

    In the modes "traced" and "native", tensors among the arguments come from outside, and their
    shapes are unknown.
    """
    scope: dict[str, Any] = {"tf": tf, "np": np}
    exec(call.setup, scope)
    try:
        positional = [eval(text, scope) for text in call.arguments]
        named = {name: eval(text, scope) for name, text in call.named.items()}
    except Exception as error:  # noqa: BLE001 - not what is asked for
        return f"no arguments: {type(error).__name__}"
    function = function_of(tf, call.name)
    try:
        if mode == "eager":
            function(*positional, **named)
        else:
            staged(tf, function, positional, named, mode == "native")
    except Exception as error:  # noqa: BLE001 - any class is an outcome
        return type(error).__name__
    return "ok"


def staged(tf: Any, function: Any, positional: list[Any], named: dict[str, Any], jit: bool) -> None:
    """Calls a function in a graph whose tensors have unknown shapes."""
    values = [*positional, *named.values()]
    tensors = {i: v for i, v in enumerate(values) if tf.is_tensor(v) and hasattr(v, "numpy")}
    others = (tf.Variable, tf.RaggedTensor)
    tensors = {i: v for i, v in tensors.items() if not isinstance(v, others)}

    def program(*given: Any) -> list[Any]:
        inside = dict(zip(tensors, given))
        now = [inside.get(i, v) for i, v in enumerate(values)]
        result = function(*now[: len(positional)], **dict(zip(named, now[len(positional) :])))
        leaves = tf.nest.flatten(result, expand_composites=True)
        return [leaf for leaf in leaves if tf.is_tensor(leaf)]

    specs = [tf.TensorSpec(None, v.dtype) for v in tensors.values()]
    options = {"jit_compile": True} if jit else {}
    tf.function(program, input_signature=specs, autograph=False, **options)(*tensors.values())
