"""Golden cases with nothing along one of their axes.

Of a case's arrays one axis of one is cut to nothing, or all axes of one size; where numbers of
that size stand among the other arguments, as in shapes, they are cut too or left. Much of that
is refused, by both packages; tools/record_empty_goldens.py records what TensorFlow makes of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tools import golden_format as gf

AREAS = ("array", "convolution", "image", "linalg", "math", "nn", "numpy", "quantization", "signal")
#: Of each function so many cases, and of each case so many emptied ones.
EACH, VARIANTS = 3, 8
#: Random: there is nothing to compare.
RANDOM = ("nn.dropout", "nn.experimental", "nn.fractional", "image.stateless", "image.random")


def cases() -> Iterator[tuple[str, gf.Case]]:
    """All of them, each with its area."""
    for area in AREAS:
        recorded = gf.Store.load(area).index
        seen: dict[str, set[Any]] = {}
        for case in gf.cases_of(area):
            arrays = gf.split(case)[0]
            kind = tuple([(a.ndim, a.dtype.kind) for a in arrays])
            known = seen.setdefault(case[0], set())
            small = any(a.dtype.name in ("float16", "bfloat16") for a in arrays)
            if small or kind in known or len(known) == EACH or case[0].startswith(RANDOM):
                continue
            if "gradient" in recorded.get(gf.digest(case), ()):
                known.add(kind)
                for emptied in gf.distinct(emptied_cases(case))[:VARIANTS]:
                    yield area, emptied


def emptied_cases(case: gf.Case) -> Iterator[gf.Case]:
    """A case with nothing along some axes of its floating arrays."""
    arrays, _ = gf.split(case)
    moving = [i for i, a in enumerate(arrays) if a.dtype.name in gf.DIFFERENTIABLE and a.size]
    sizes = sorted({d for i in moving for d in arrays[i].shape})
    for size in sizes:
        for numbers in (False, True):
            yield replaced(case, [cut(a, size) for a in arrays], size if numbers else None)
    if len(moving) > 1:
        for i in moving:
            for axis in range(arrays[i].ndim):
                alone = [np.take(a, [], axis) if i == j else a for j, a in enumerate(arrays)]
                yield replaced(case, alone, None)


def cut(array: Any, size: int) -> Any:
    """An array with nothing along all axes of a size."""
    return array[tuple([slice(0, 0) if d == size else slice(None) for d in array.shape])]


def replaced(case: gf.Case, arrays: list[Any], size: int | None) -> gf.Case:
    """A case with other arrays, and 0 for a size in its lists of numbers."""
    args, kwargs = gf.split(case)[1](arrays)
    if size is not None:
        args, kwargs = without(args, size), without(kwargs, size)
    return case[0], tuple(args), kwargs


def without(value: Any, size: int, inside: bool = False) -> Any:
    """Arguments with 0 for a size in lists."""
    if isinstance(value, dict):
        return {k: without(v, size) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        numbers = all(type(v) is int for v in value)
        return type(value)(without(v, size, numbers) for v in value)
    return 0 if inside and type(value) is int and value == size else value
