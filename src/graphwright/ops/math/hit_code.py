"""Whether few predictions of a row are above that of its target, as machine code.

A row ends where as many are above as make the answer no.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.machine.array_layout import address
from graphwright.machine.drafts import lasting_functions
from graphwright.machine.preparation import Preparation
from graphwright.types.arrays import Array

#: Predictions from which on the code is worth to be made, and how often fewer are worth it.
WORTH_MAKING, PATIENCE = 1 << 16, 4

_TEXT = """
define void @hits(ptr %predictions, ptr %targets, ptr %hits, i64 %rows, i64 %classes, i64 %k) {
entry:
  %last = sub i64 %classes, 8
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %i.next, %row.end ]
  %target.at = getelementptr i64, ptr %targets, i64 %i
  %target = load i64, ptr %target.at
  %skip = mul i64 %i, %classes
  %line = getelementptr float, ptr %predictions, i64 %skip
  %is.known = icmp ult i64 %target, %classes
  br i1 %is.known, label %known, label %row.end
known:
  %own.at = getelementptr float, ptr %line, i64 %target
  %own = load float, ptr %own.at
  %own.one = insertelement <8 x float> poison, float %own, i64 0
  %owns = shufflevector <8 x float> %own.one, <8 x float> poison, <8 x i32> zeroinitializer
  br label %wide.test
wide.test:
  %j = phi i64 [ 0, %known ], [ %j.next, %wide.on ]
  %count = phi i64 [ 0, %known ], [ %count.next, %wide.on ]
  %is.wide = icmp sle i64 %j, %last
  br i1 %is.wide, label %wide, label %test
wide:
  %at = getelementptr float, ptr %line, i64 %j
  %values = load <8 x float>, ptr %at, align 4
  %above = fcmp ogt <8 x float> %values, %owns
  %bits = bitcast <8 x i1> %above to i8
  %ones = call i8 @llvm.ctpop.i8(i8 %bits)
  %more = zext i8 %ones to i64
  %count.next = add i64 %count, %more
  %sizes = call <8 x float> @llvm.fabs.v8f32(<8 x float> %values)
  %odd = fcmp uge <8 x float> %sizes, INFINITE
  %odd.bits = bitcast <8 x i1> %odd to i8
  %is.odd = icmp ne i8 %odd.bits, 0
  %is.much = icmp sge i64 %count.next, %k
  %is.over = or i1 %is.odd, %is.much
  br i1 %is.over, label %row.end, label %wide.on
wide.on:
  %j.next = add i64 %j, 8
  br label %wide.test
test:
  %m = phi i64 [ %j, %wide.test ], [ %m.next, %on ]
  %total = phi i64 [ %count, %wide.test ], [ %total.next, %on ]
  %is.more = icmp slt i64 %m, %classes
  br i1 %is.more, label %one, label %judge
one:
  %one.at = getelementptr float, ptr %line, i64 %m
  %value = load float, ptr %one.at
  %is.above = fcmp ogt float %value, %own
  %step = zext i1 %is.above to i64
  %total.next = add i64 %total, %step
  %size = call float @llvm.fabs.f32(float %value)
  %value.odd = fcmp uge float %size, 0x7FF0000000000000
  br i1 %value.odd, label %row.end, label %on
on:
  %m.next = add i64 %m, 1
  br label %test
judge:
  %is.hit = icmp slt i64 %total, %k
  br label %row.end
row.end:
  %hit = phi i1 [ false, %row ], [ false, %wide ], [ false, %one ], [ %is.hit, %judge ]
  %hit.octet = zext i1 %hit to i8
  %hit.at = getelementptr i8, ptr %hits, i64 %i
  store i8 %hit.octet, ptr %hit.at
  %i.next = add i64 %i, 1
  %more.rows = icmp slt i64 %i.next, %rows
  br i1 %more.rows, label %row, label %done
done:
  ret void
}
declare i8 @llvm.ctpop.i8(i8)
declare <8 x float> @llvm.fabs.v8f32(<8 x float>)
declare float @llvm.fabs.f32(float)
""".replace("INFINITE", f"<{', '.join(['float 0x7FF0000000000000'] * 8)}>")


@functools.cache
def functions() -> dict[str, Any]:
    """The function of all rows, by its name."""
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 3)
    return lasting_functions(_TEXT, {"hits": kind})


PREPARATION = Preparation(functions, is_brief=True, patience=PATIENCE)


def hits(predictions: Array, targets: Array, k: int) -> npt.NDArray[np.bool_] | None:
    """Whether fewer than k of each row's predictions are above that of its target.

    None for NumPy to do it.
    """
    count = predictions.size
    if len(targets) != len(predictions) or not PREPARATION.is_ready_for(count, WORTH_MAKING):
        return None
    rows, classes = predictions.shape
    predictions = np.ascontiguousarray(predictions, np.float32)
    targets = np.ascontiguousarray(targets, np.int64)
    result = np.empty(rows, np.bool_)
    functions()["hits"](
        address(predictions), address(targets), address(result), rows, classes, int(k)
    )
    return result
