"""Fisher and Yates' shuffle: each place in turn swaps with one that is left.

Every swap depends on those before it, so there is nothing for NumPy to do at once.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.machine import compiler
from graphwright.machine.array_layout import address
from graphwright.machine.preparation import Preparation

#: Places from which on machine code is worth its call.
WORTH = 1 << 12

#: Swaps each place of %order with the one that is %steps further.
TEXT = """
define void @swap(ptr %order, ptr %steps, i64 %count) {
entry:
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %loop, label %end
loop:
  %place = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i64, ptr %steps, i64 %place
  %step = load i64, ptr %at
  %other = add i64 %place, %step
  %left = getelementptr i64, ptr %order, i64 %place
  %right = getelementptr i64, ptr %order, i64 %other
  %a = load i64, ptr %left
  %b = load i64, ptr %right
  store i64 %b, ptr %left
  store i64 %a, ptr %right
  %next = add i64 %place, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""


@functools.cache
def _swap() -> Any:
    """The native function."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    return ctypes.CFUNCTYPE(None, place, place, number)(compiler.compiled(TEXT).addresses["swap"])


PREPARATION = Preparation(_swap, is_brief=True)


def permutation(steps: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """A permutation of one more number than there are steps: the old place of each new one.

    Place i swaps with place i + steps[i], which must be one of those left.
    """
    order = np.arange(len(steps) + 1)
    if len(steps) >= WORTH and PREPARATION.is_ready():
        steps = np.ascontiguousarray(steps, np.int64)
        _swap()(address(order), address(steps), len(steps))
        return order
    places = order.tolist()
    for place, step in enumerate(steps.tolist()):
        other = place + step
        places[place], places[other] = places[other], places[place]
    return np.asarray(places, np.int64)
