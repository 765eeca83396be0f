"""Machine code of plain functions does what Python does."""

from __future__ import annotations

import ctypes
from math import ceil, copysign, cos, exp, floor, log, log1p, pow, sin, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright.base.scalar_code import Integers, Octets, Reals, module_text
from graphwright.machine import compiler
from graphwright.machine.array_layout import address
from graphwright.machine.linking import c_function
from graphwright.ops.linalg import row_steps

COUNT = 8


def _both(x: float, n: int) -> tuple[float, int, bool]:
    """Several results, with a conversion."""
    if x < n:
        return x + n, n * 2, True
    return -x, n - 3, x == 1.0 or not n > 4


def numbers(x: Reals, n: Integers, octets: Octets, count: int, share: float) -> float:
    """Every kind of statement."""
    total = 0.0
    best = -1
    for i in range(count):
        if n[i] % 7 == 3:
            continue
        if i > 5 and x[i] > 100.0:
            break
        j = i
        while j > 0 and x[j - 1] > x[j]:
            before = x[j]
            x[j] = x[j - 1]
            x[j - 1] = before
            j -= 1
        y, m, is_small = _both(x[i], i)
        total += y * share if is_small else y / 2
        if m > best:
            best = m
        elif m == best:
            total = total + sqrt(abs(x[i])) * copysign(1.5, -x[i])
        n[i] += (m << 2 ^ 5) & 255 | i
    for i in range(count - 1, 2, -2):
        rest = x[i:]
        rest[0] = max(rest[0], float(i)) - min(i, best)
        octets[i] = octets[i - 1] + octets[i] * 3 & 255
        total += octets[i]
    while True:
        best -= 1
        if best < 3:
            return total + best
        total += int(x[best % count]) // 2 if 0.0 <= x[best % count] < 50.0 else 1.0


@pytest.fixture(scope="module")
def compiled() -> Any:
    library = compiler.link(module_text([_both, numbers]), c_function)
    place, real = ctypes.c_void_p, ctypes.c_double
    function = ctypes.CFUNCTYPE(real, place, place, place, ctypes.c_int64, real)
    return function(library.addresses["numbers"]), library


FLOATS = st.floats(-200, 200)
ROWS = st.tuples(
    st.lists(FLOATS, min_size=COUNT, max_size=COUNT),
    st.lists(st.integers(0, 1000), min_size=COUNT, max_size=COUNT),
    st.binary(min_size=COUNT, max_size=COUNT),
    st.integers(0, COUNT),
    FLOATS,
)


@settings(max_examples=300, deadline=None)
@given(ROWS)
def test_machine_code_gives_what_python_gives(compiled: Any, row: Any) -> None:
    reals, integers, octets, count, share = row
    results = []
    for is_compiled, kind in ((False, np.int64), (True, np.uint8)):
        x, n = np.array(reals), np.array(integers, np.int64)
        b: Any = np.frombuffer(octets, np.uint8).astype(kind)
        if is_compiled:
            total = compiled[0](*map(address, (x, n, b)), count, share)
        else:
            with np.errstate(all="ignore"):
                total = numbers(x, n, b, count, share)
        results.append((float(total), x.tolist(), n.tolist(), b.tolist()))
    assert results[0] == results[1]


def library_functions(x: float, out: Reals) -> None:
    """Those of C's library, and numbers rounded down and up."""
    out[0] = sin(x)
    out[1] = cos(x)
    out[2] = exp(x)
    out[3] = log(abs(x) + 0.5)
    out[4] = log1p(abs(x))
    out[5] = pow(abs(x), 1.5)
    out[6] = float(floor(x))
    out[7] = float(ceil(x))


@settings(max_examples=300, deadline=None)
@given(FLOATS)
def test_functions_of_c_are_those_of_python(x: float) -> None:
    library = compiler.link(module_text([library_functions]), c_function)
    kind = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p)
    own, expected = np.empty(8), np.empty(8)
    kind(library.addresses["library_functions"])(x, address(own))
    library_functions(x, expected)
    np.testing.assert_array_equal(own, expected)


def test_c_calls_the_public_functions_of_the_last_module() -> None:
    functions = [row_steps.length, _both, numbers]
    heads = [line for line in module_text(functions).splitlines() if line.startswith("define")]
    assert [head.split("@")[0] for head in heads] == [
        "define internal double ",
        "define internal { double, i64, i1 } ",
        "define double ",
    ]
