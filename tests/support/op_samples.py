"""Sample operands of ops: what the golden cases, differentiated twice, give to each of them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from support.goldens import AREAS, area_of

import graphwright as tf
from graphwright.ir.graph import Graph
from graphwright.library.dispatch.raw_ops import load_all
from graphwright.op.interpreter import Layer
from graphwright.op.op import REGISTRY, DTypeMismatch, Op, not_differentiable
from graphwright.types import dtypes as dt
from tools import golden_format as gf

#: No sample has more numbers than this among its operands: each is moved.
LARGEST = 120
WIDER = {dt.float32: dt.float64, dt.float16: dt.float64, dt.bfloat16: dt.float64}
WIDER[dt.complex64] = dt.complex128


class Sample(NamedTuple):
    """An op and its operands: arrays, and host values as they are."""

    op: Op
    operands: tuple[Any, ...]

    @property
    def moving(self) -> list[int]:
        """The operands that have derivatives."""
        return [i for i, x in enumerate(self.operands) if is_inexact(x)]

    @property
    def size(self) -> int:
        """How many numbers are to be moved."""
        return sum(self.operands[i].size for i in self.moving)


def is_inexact(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype != object and dt.of_numpy(x.dtype) in dt.INEXACT


def has_rule(op: type[Op]) -> bool:
    """Whether an op states a gradient rule."""
    return op.gradient is not not_differentiable and op.gradient is not Op.gradient


def our_ops() -> list[str]:
    """The names of the package's ops: tests register some of their own."""
    load_all()
    return sorted(n for n, op in REGISTRY.items() if op.__module__.startswith("graphwright."))


class Witness(Layer):
    """Notes the names of the ops that run, of those in graphs too."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def apply(self, op: Op, operands: tuple[Any, ...], name: str | None) -> Any:
        self.note(op)
        return self.hand_on(op, operands, name)

    def note(self, op: Op) -> None:
        self.names.add(op.type_name)
        for value in vars(op).values():
            for graph in value if isinstance(value, tuple) else (value,):
                if isinstance(graph, Graph):
                    for node in graph.nodes:
                        self.note(node.op)


class Collector(Layer):
    """Keeps the smallest operands of each op with a rule, for each of its attributes."""

    def __init__(self) -> None:
        self.found: dict[str, dict[Any, Sample]] = {}

    def apply(self, op: Op, operands: tuple[Any, ...], name: str | None) -> Any:
        result = self.hand_on(op, operands, name)
        if has_rule(type(op)):
            with contextlib.suppress(TypeError):  # handles have no NumPy form
                self.keep(op, operands)
        return result

    def keep(self, op: Op, operands: Sequence[Any]) -> None:
        mask = op.host_mask(len(operands))
        arrays = [x if host else as_array(x) for x, host in zip(operands, mask)]
        sample = Sample(op, tuple(arrays))
        if not 0 < sample.size <= LARGEST:
            return
        ranks = tuple([x.ndim for x in arrays if isinstance(x, np.ndarray)])
        kinds = tuple([x.dtype.kind for x in arrays if isinstance(x, np.ndarray)])
        known = self.found.setdefault(op.type_name, {})
        key = (op, ranks, kinds)
        if key not in known or known[key].size < sample.size <= 12:
            known[key] = sample


def as_array(x: Any) -> Any:
    return np.asarray(x.numpy())


@cache
def samples() -> dict[str, list[Sample]]:
    """The samples of each op that the golden cases and their gradients run: not whole programs."""
    collector = Collector()
    for area in (area for area in AREAS if area != "state"):
        module, store, groups = area_of(area)
        departures = [pattern for pattern, _ in getattr(module, "DEPARTURES", ())]
        for case in (case for group in groups.values() for case in group):
            if any(re.search(pattern, gf.describe(case)) for pattern in departures):
                continue
            if "gradient" in store.index.get(gf.digest(case), ()):
                collector.enter()
                try:
                    differentiate_twice(case)
                finally:
                    collector.leave()
    return {name: list(result.values()) for name, result in collector.found.items()}


def differentiate_twice(case: gf.Case) -> None:
    """Runs a case's function, its gradient and the gradient of that."""
    tensors = gf.constants(tf, case)
    moving = [t for t in tensors if t.dtype in dt.INEXACT]
    with tf.GradientTape() as outer:
        outer.watch(moving)
        with tf.GradientTape() as tape:
            tape.watch(moving)
            results = gf.call(tf, case, tensors)
        targets = [r for r in results if tf.is_tensor(r) and r.dtype in dt.INEXACT]
        if not targets:
            return
        first = [g for g in tape.gradient(targets, moving) if g is not None]
    with contextlib.suppress(LookupError, tf.errors.OpError):  # none, or not for its dtype
        outer.gradient([tf.convert_to_tensor(g) for g in first], moving)


def widened(sample: Sample) -> Sample:
    """The sample in double precision, where the op has it."""
    fields = {
        name: WIDER.get(value, value) if isinstance(value, dt.DType) else value
        for name, value in sample.op.describe().items()
    }
    wide = [
        x.astype(WIDER.get(dt.of_numpy(x.dtype), dt.of_numpy(x.dtype)).as_numpy_dtype)
        if is_inexact(x) else x for x in sample.operands
    ]  # fmt: skip
    op = type(sample.op)(**fields)
    types = [tf.constant(x).type if isinstance(x, np.ndarray) else None for x in wide]
    try:
        op.result_dtypes([t.dtype for t in types if t is not None])
    except DTypeMismatch:
        return sample
    return Sample(op, tuple(wide))
