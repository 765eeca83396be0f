"""What golden cases run, and what uses of ops they come to, as arguments of their raw forms."""

from __future__ import annotations

import contextlib
import importlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from corpora import sparse as corpus
from support.bad_calls import LARGEST, Arguments
from support.goldens import departs

import graphwright as tf
from graphwright.library.dispatch.raw_ops import argument, attributes, names
from graphwright.op.interpreter import Layer
from graphwright.op.op import Effect, Op
from tools import golden_format as gf

AREAS = ["sparse", *sorted(path.stem for path in Path("tools/golden").glob("[a-z]*.py"))]
Use = tuple[Op, Arguments]


def programs(area: str) -> Iterator[Callable[[], Any]]:
    """What an area's golden cases run: up to three for each function, and their gradients."""
    if area == "sparse":
        for program, inputs in corpus.PROGRAMS:
            yield partial(corpus.run_gradient, tf, program, inputs)
        return
    seen: Counter[str] = Counter()
    index = gf.Store.load(area).index
    module = importlib.import_module(f"tools.golden.{area}")
    for case in gf.cases_of(area):
        outcome = index.get(gf.digest(case), {"error": ""})
        if seen[case[0]] < 3 and "error" not in outcome and not departs(module, case):
            seen[case[0]] += 1
            yield partial(gf.call, tf, case, gf.constants(tf, case))
            if "gradient" in outcome and area != "random":  # where not all rules are written
                yield partial(gf.run_gradient, tf, case)


def arguments_of(op: Op, operands: tuple[Any, ...]) -> dict[str, Any]:
    """The raw op's arguments for an op that was applied."""
    kind, given = type(op), {}
    lists = sum(o.variadic or o.mixed for o in op.operands)
    each = (len(operands) - len(op.operands) + lists) // max(lists, 1)
    rest = list(operands)
    for operand in op.operands:
        many = operand.variadic or operand.mixed
        given[argument(kind, operand.name)] = rest[:each] if many else rest[0]
        del rest[: each if many else 1]
    given.update({argument(kind, n): getattr(op, n) for n in attributes(kind)})
    return given


class Smallest(Layer):
    """Keeps the smallest use of each op that is not too small to be spoiled."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[tuple[bool, int], Use]] = {}
        self.offered = set(names())

    def apply(self, op: Op, operands: tuple[Any, ...], name: str | None) -> Any:
        result = self.hand_on(op, operands, name)
        if op.effect is Effect.NONE and op.type_name in self.offered:
            with contextlib.suppress(TypeError, NotImplementedError):  # handles have no value
                self.keep(op, operands)
        return result

    def keep(self, op: Op, operands: tuple[Any, ...]) -> None:
        """Remembers a use that is smaller than the one known."""
        arguments = {k: plain(v) for k, v in arguments_of(op, operands).items()}
        arrays = [v for v in tf.nest.flatten(arguments) if isinstance(v, np.ndarray)]
        if any(a.dtype.kind == "V" for a in arrays):
            return  # quantized
        sizes = [a.size for a in arrays]
        rank = (min(sizes, default=1) == 0, sum(sizes))
        known = self.found.get(op.type_name)
        if sum(sizes) <= LARGEST and (known is None or rank < known[0]):
            self.found[op.type_name] = rank, (op, arguments)


def plain(value: Any) -> Any:
    """An operand as an array or Python value."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if tf.is_tensor(value):
        result = value.numpy()
        return np.array(result, object) if isinstance(result, bytes) else np.asarray(result)
    return value


@cache
def smallest() -> dict[str, Use]:
    """The smallest uses by op."""
    recorder = Smallest()
    for area in AREAS:
        for program in programs(area):
            recorder.enter()
            try:
                with contextlib.suppress(
                    tf.errors.OpError, ValueError, TypeError, NotImplementedError, LookupError
                ):
                    program()
            finally:
                recorder.leave()
    return {name: use for name, (_, use) in recorder.found.items()}
