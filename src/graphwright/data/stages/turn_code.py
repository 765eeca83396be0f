"""Machine code for elements of several datasets, which take turns by the numbers of the datasets.

Each number means the next element of its dataset, so it waits for the number before it. That is
what takes the time. So the numbers stand in lanes, one lane behind the other, and a processor goes
through all of them at once.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping
from typing import Any, TypeGuard

import numpy as np

from graphwright.data.blocks import Column
from graphwright.machine import compiler
from graphwright.machine.array_layout import address
from graphwright.machine.preparation import Preparation
from graphwright.types.arrays import Array

#: In so many lanes the numbers stand.
LANES = 4
#: Numbers from which on machine code is worth to be made, and how many times as many in small
#: blocks. NumPy looks at all numbers for each dataset; fewer such looks take it no longer.
_WORTH, _PATIENCE, _FEWEST = 1 << 10, 8, 1 << 13
#: The rows that machine code moves have so many bytes.
_SIZES = 1, 2, 4, 8

#: Each lane has %count numbers, and a table with a word for each of %many datasets.
_FUNCTION = """
define void @{name}(ptr %numbers, ptr %tables, ptr %results, i64 %count, i64 %many) {{
entry:
  {bases}
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %loop, label %end
loop:
  %turn = phi i64 [ 0, %entry ], [ %next, %loop ]
  {steps}
  %next = add i64 %turn, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""
_BASE = """
  %start.{lane} = mul i64 %count, {lane}
  %numbers.{lane} = getelementptr i64, ptr %numbers, i64 %start.{lane}
  %results.{lane} = getelementptr i{bits}, ptr %results, i64 %start.{lane}
  %offset.{lane} = mul i64 %many, {lane}
  %table.{lane} = getelementptr i64, ptr %tables, i64 %offset.{lane}"""
_NUMBER = """
  %number.at.{lane} = getelementptr i64, ptr %numbers.{lane}, i64 %turn
  %number.{lane} = load i64, ptr %number.at.{lane}, align 1
  %word.{lane} = getelementptr i64, ptr %table.{lane}, i64 %number.{lane}"""
#: A table says how often each number came.
_COUNT = """
  %before.{lane} = load i64, ptr %word.{lane}
  %after.{lane} = add i64 %before.{lane}, 1
  store i64 %after.{lane}, ptr %word.{lane}"""
#: A table says where the next row of each dataset is, which comes to its turn.
_MOVE = """
  %row.{lane} = load ptr, ptr %word.{lane}
  %value.{lane} = load i{bits}, ptr %row.{lane}, align 1
  %result.{lane} = getelementptr i{bits}, ptr %results.{lane}, i64 %turn
  store i{bits} %value.{lane}, ptr %result.{lane}
  %after.{lane} = getelementptr i{bits}, ptr %row.{lane}, i64 1
  store ptr %after.{lane}, ptr %word.{lane}"""


def _text(name: str, step: str, bits: int) -> str:
    """The text of a function that does a step for each number of all lanes."""
    bases, steps = [
        "".join([part.format(lane=lane, bits=bits) for lane in range(LANES)])
        for part in (_BASE, _NUMBER + step)
    ]
    return _FUNCTION.format(name=name, bases=bases, steps=steps)


TEXT = _text("count", _COUNT, 64) + "".join([_text(f"move{s}", _MOVE, 8 * s) for s in _SIZES])


@functools.cache
def _functions() -> dict[str, Any]:
    """The native functions, by their names."""
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 2)
    places = compiler.compiled(TEXT).addresses
    return {name: kind(place) for name, place in places.items()}


PREPARATION = Preparation(_functions, is_brief=True, patience=_PATIENCE)


def fits(numbers: Array, many: int) -> bool:
    """Whether machine code is there and the quickest for so many numbers of datasets."""
    count = len(numbers)
    return (
        count * many >= _FEWEST
        and many <= count
        and numbers.dtype == np.int64
        and numbers.flags.c_contiguous
        and PREPARATION.is_ready_for(count, _WORTH)
    )


def counts_of(numbers: Array, many: int) -> Array:
    """How often each number comes in each lane. The lanes have equally many numbers, all valid."""
    counts = np.zeros((LANES, many), np.int64)
    _functions()["count"](address(numbers), address(counts), None, len(numbers) // LANES, many)
    return counts


def moved(numbers: Array, counts: Array, columns: Mapping[int, Column]) -> Array | None:
    """The values of columns at their turns; None where machine code does not move them.

    Args:
        numbers: For each turn the number of a column, whose next value comes.
        counts: How often each number comes in each lane.
        columns: The columns by their numbers.
    """
    arrays = {k: values for k, values in columns.items() if is_movable(values)}
    kinds = {(values.dtype, values.shape[1:]) for values in arrays.values()}
    if len(arrays) < len(columns) or len(kinds) > 1:
        return None
    starts = np.zeros(counts.shape[1], np.int64)
    for number, values in arrays.items():
        starts[number] = address(values)
    first = next(iter(arrays.values()))
    size = first.nbytes // len(first)
    tables = starts + (counts.cumsum(0) - counts) * size
    results: Array = np.empty((len(numbers), *first.shape[1:]), first.dtype)
    _functions()[f"move{size}"](
        address(numbers), address(tables), address(results), len(numbers) // LANES, counts.shape[1]
    )
    return results


def is_movable(values: Column) -> TypeGuard[Array]:
    """Whether machine code moves the rows of a column that is not empty."""
    return (
        isinstance(values, np.ndarray)
        and values.nbytes // len(values) in _SIZES
        and values.flags.c_contiguous
        and not values.dtype.hasobject
    )
