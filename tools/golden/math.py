"""Cases of arithmetic, functions, reductions, scans, segments, sorting and conversion."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np

Case = tuple[str, tuple[Any, ...], dict[str, Any]]

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
EVERY = (*FLOATS, *INTS, *COMPLEX, "bool", "str")
NAN, INF = float("nan"), float("inf")


def array(values: Any, dtype: str = "float32") -> Any:
    """Values as an array; of strings where the dtype is "str"."""
    if dtype == "str":
        plain = np.asarray(values)
        out = np.empty(plain.shape, dtype=object)
        out[...] = np.vectorize(lambda v: b"%d" % int(v), otypes=[object])(plain)
        return out
    with np.errstate(all="ignore"):
        return np.asarray(values).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def uniform(shape: tuple[int, ...], low: float, high: float, dtype: str = "float32") -> Any:
    """Numbers between bounds, the same every time."""
    random = np.random.default_rng([*shape, int(abs(low) * 8), int(abs(high) * 8)])
    values = random.uniform(low, high, shape)
    if dtype in COMPLEX:
        values = values + 1j * random.uniform(low, high, shape)
    return array(values, dtype)


SHAPES: tuple[tuple[int, ...], ...] = ((), (0,), (3,), (2, 3), (1, 4), (3, 0))
PAIRS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((3,), (3,)), ((), (2, 3)), ((2, 3), ()), ((2, 1), (1, 3)), ((3,), (2, 3)), ((0,), (1,)),
    ((2, 3), (3, 2)), ((1,), (4, 1, 2)), ((2, 0), (1, 1)), ((2,), (3,)),
)  # fmt: skip

#: Functions of one number: where they are defined.
UNARY = {
    "abs": (-3, 3), "acos": (-1, 1), "acosh": (1, 5), "asin": (-1, 1), "asinh": (-4, 4),
    "atan": (-4, 4), "atanh": (-1, 1), "cos": (-7, 7), "cosh": (-4, 4), "exp": (-4, 4),
    "math.expm1": (-2, 2), "math.log": (0.1, 9), "math.log1p": (-0.9, 4), "negative": (-4, 4),
    "math.reciprocal": (0.2, 4), "math.reciprocal_no_nan": (-3, 3), "math.rsqrt": (0.1, 9),
    "sigmoid": (-6, 6), "sign": (-2, 2), "sin": (-7, 7), "sinh": (-4, 4), "sqrt": (0.1, 9),
    "square": (-4, 4), "tan": (-1.4, 1.4), "tanh": (-4, 4), "math.conj": (-2, 2),
    "math.real": (-2, 2), "math.imag": (-2, 2), "math.angle": (-2, 2),
}  # fmt: skip
REAL_UNARY = {
    "math.ceil": (-3, 3), "floor": (-3, 3), "math.rint": (-3, 3), "round": (-3, 3),
    "math.is_nan": (-3, 3), "math.is_inf": (-3, 3), "math.is_finite": (-3, 3),
    "math.lgamma": (0.1, 9), "math.digamma": (0.2, 9), "math.erf": (-3, 3), "math.erfc": (-3, 3),
    "math.erfinv": (-0.95, 0.95), "math.erfcinv": (0.05, 1.95), "math.ndtri": (0.05, 0.95),
    "math.bessel_i0": (-4, 4), "math.bessel_i0e": (-4, 4), "math.bessel_i1": (-4, 4),
    "math.bessel_i1e": (-4, 4), "math.special.bessel_j0": (0.1, 6),
    "math.special.bessel_j1": (0.1, 6), "math.special.bessel_k0": (0.1, 6),
    "math.special.bessel_k0e": (0.1, 6), "math.special.bessel_k1": (0.1, 6),
    "math.special.bessel_k1e": (0.1, 6), "math.special.bessel_y0": (0.1, 6),
    "math.special.bessel_y1": (0.1, 6), "math.special.dawsn": (-3, 3),
    "math.special.expint": (0.1, 4), "math.special.fresnel_cos": (-3, 3),
    "math.special.fresnel_sin": (-3, 3), "math.special.spence": (0.1, 4),
    "math.log_sigmoid": (-6, 6), "math.softplus": (-6, 6), "math.softsign": (-6, 6),
}  # fmt: skip
#: Halfway cases, signed zeros, bounds, what is not finite.
EDGES = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, 1e-6, 20.0, -20.0, 88.0, -88.0, 1e5, -1e5)


def functions() -> Iterator[Case]:
    for name, (low, high) in {**UNARY, **REAL_UNARY}.items():
        dtypes = (*FLOATS, *COMPLEX) if name in UNARY else FLOATS
        for dtype in dtypes:
            for shape in SHAPES if dtype == "float32" else SHAPES[3:4]:
                yield name, (uniform(shape, low, high, dtype),), {}
        for dtype in ("float32", "float64"):
            if "bessel" not in name and "special" not in name:  # of which libraries differ
                yield name, (array(EDGES, dtype),), {}
                yield name, (array([NAN, INF, -INF], dtype),), {}
        for dtype in ("int32", "int8", "uint8", "int64", "bool", "str"):
            yield name, (array([0, 1, 3, 4], dtype),), {}
        yield name, (1.5,), {}
        yield name, ([0.25, 0.75],), {}
        yield name, (None,), {}
    yield "abs", (array([-128, 127], "int8"),), {}
    yield "negative", (array([-128, 127], "int8"),), {}
    yield "sign", (array([3 + 4j, 0j, -1j], "complex64"),), {}
    yield "math.angle", (array([1, 1j, -1, 0, -1j], "complex128"),), {}


ARITHMETIC = ("add", "subtract", "multiply", "divide", "truediv", "math.floordiv", "math.floormod",
              "maximum", "minimum", "math.squared_difference", "truncatediv", "truncatemod",
              "pow", "math.divide_no_nan", "math.multiply_no_nan", "realdiv")  # fmt: skip
COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
REAL_PAIRS = ("atan2", "math.xlogy", "math.xlog1py", "math.xdivy", "math.nextafter", "math.igamma",
              "math.igammac", "math.zeta", "math.polygamma")  # fmt: skip


def pairs() -> Iterator[Case]:
    for name in (*ARITHMETIC, *COMPARISONS):
        for a, b in PAIRS:
            yield name, (uniform(a, 0.5, 4), uniform(b, 0.5, 3)), {}
        for dtype in EVERY:
            if dtype in INTS:
                x, y = array([7, 100, 3, 120], dtype), array([2, 3, 100, 5], dtype)
            elif dtype in COMPLEX:
                x, y = uniform((4,), 0.5, 3, dtype), uniform((4,), 0.5, 2, dtype)
            else:
                x, y = array([1, 0, 3, 2], dtype), array([2, 1, 2, 2], dtype)
            if name in ("realdiv", "truncatediv", "truncatemod") and dtype in ("bool", "str"):
                continue
            yield name, (x, y), {}
        for dtype in ("int8", "int32", "int64"):
            x, y = array([-7, 7, -7, 7, -128], dtype), array([2, -2, -2, 2, 3], dtype)
            yield name, (x, y), {}
        yield name, (array([1, 2]), array([1, 2], "float64")), {}
        yield name, (array([1, 2], "int32"), array([1.0, 2.0])), {}
        yield name, (array([1.5, 2.0]), 2), {}
        yield name, (array([1.5, 2.0]), 0.5), {}
        yield name, (2, array([1.5, 2.0])), {}
        yield name, (array([1, 2], "int32"), 2.5), {}
        yield name, (array([1, 2], "int32"), "a"), {}
        yield name, (array([1, 2], "uint8"), 3), {}
        yield name, (array([1.0, -2.0, 3.0, NAN]), array([NAN, 0.0, INF, -INF])), {}
        yield name, (array([0.0, INF, -INF, 0.0]), array([0.0, 0.0, 0.0, -0.0])), {}
    for name in ("math.floordiv", "math.floormod", "truncatediv", "truncatemod", "divide"):
        yield name, (array([1, 2], "int32"), array([1, 0], "int32")), {}
        yield name, (uniform((9,), -5, 5), uniform((9,), -2, 2)), {}
        yield name, (uniform((9,), -5, 5, "float64"), uniform((9,), -2, 2, "float64")), {}
    for dtype in INTS[:4]:
        yield "pow", (array([2, -3, 0], dtype), array([3, 5, 0], dtype)), {}
        yield "pow", (array([2, 3], dtype), array([3, -1], dtype)), {}
    yield "pow", (array([0, 0, -1, -8, 2]), array([0, 2, 2, 1 / 3, 0])), {}
    for name in REAL_PAIRS:
        for a, b in PAIRS:
            yield name, (uniform(a, 1.5, 4), uniform(b, 1.5, 3)), {}
        for dtype in (*FLOATS, "complex64", "int32"):
            yield name, (uniform((4,), 1.5, 4, dtype), uniform((4,), 1.5, 3, dtype)), {}
        yield name, (array([0.0, 0.0, 0.0, 1.0]), array([0.0, 1.0, -1.0, 2.0])), {}
        yield name, (array([0.0, NAN, 1.0, INF]), array([NAN, 1.0, INF, 1.0])), {}
    yield "math.polygamma", (array([0, 1, 2, 3, 1.5]), array([1.5, 2, 3, 1, 1])), {}
    for a, b, x in (((3,), (3,), (3,)), ((), (3,), ()), ((3,), (2,), ()), ((), (), (2, 2))):
        args = uniform(a, 0.5, 4), uniform(b, 0.5, 3), uniform(x, 0.1, 0.9)
        yield "math.betainc", args, {}
    yield "math.lbeta", (uniform((2, 3), 0.5, 3),), {}


def logic() -> Iterator[Case]:
    for name in ("logical_and", "logical_or", "math.logical_xor"):
        for a, b in PAIRS:
            yield name, (uniform(a, 0, 1) > 0.5, uniform(b, 0, 1) > 0.5), {}
        yield name, (array([1, 0], "int32"), array([True, True], "bool")), {}
        yield name, (True, array([True, False], "bool")), {}
        yield name, (1, 0), {}
    yield "logical_not", (array([True, False], "bool"),), {}
    yield "logical_not", (array([1], "int32"),), {}
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
        for dtype in (*INTS, "float32", "bool"):
            args = array([1, 6, 100, 8], dtype), array([3, 5, 2, 0], dtype)
            yield f"bitwise.{name}", args, {}
        for dtype in INTS[:4]:
            args = array([-1, -100, 77], dtype), array([2, 3, 1], dtype)
            yield f"bitwise.{name}", args, {}
        yield f"bitwise.{name}", (array([1, 2], "int32"), array([1, 2, 3], "int32")), {}
    yield "bitwise.left_shift", (array([1, 1, 1], "int32"), array([31, 40, -1], "int32")), {}
    for dtype in INTS:
        yield "bitwise.invert", (array([0, 1, 100], dtype),), {}


SUMS = ("reduce_sum", "reduce_prod", "reduce_mean", "reduce_max", "reduce_min",
        "math.reduce_euclidean_norm", "reduce_logsumexp", "math.reduce_variance",
        "math.reduce_std", "reduce_all", "reduce_any", "math.count_nonzero")  # fmt: skip
AXES: tuple[Any, ...] = (None, 0, 1, -1, [0, 1], (-1, 0), [], 2, -3, [0, 0], 1.5)


def reductions() -> Iterator[Case]:
    for name in SUMS:
        dtype = "bool" if name in ("reduce_all", "reduce_any") else "float32"

        def sample(shape: tuple[int, ...], dtype: str = dtype) -> Any:
            return uniform(shape, -2, 2) > 0 if dtype == "bool" else uniform(shape, 0.5, 2, dtype)

        for axis, keep in product(AXES, (False, True)):
            yield name, (sample((2, 3)),), {"axis": axis, "keepdims": keep}
        for axis in (None, 0, 2, [0, 2], -2, np.array([1, 2], np.int32), np.array(1, np.int64)):
            yield name, (sample((2, 3, 4)),), {"axis": axis}
        for shape in ((), (0,), (0, 3), (3, 0), (5,)):
            for axis in (None, 0, -1):
                yield name, (sample(shape),), {"axis": axis}
        if dtype == "float32":
            for other in EVERY:
                if other in INTS:
                    x = array([[3, 100, 7], [1, 2, 120]], other)
                elif other in COMPLEX:
                    x = uniform((2, 3), -2, 2, other)
                else:
                    x = array([[3, 0, 7], [1, 2, 4]], other)
                yield name, (x,), {"axis": 1}
                yield name, (x,), {}
            yield name, (array([[1, NAN, 2], [INF, 3, -INF]]),), {"axis": 1}
            yield name, (array([[2, 2, 1], [0, 0, 3]]),), {"axis": 1}
            yield name, (array([-7, 2, 2], "int32"),), {}
        yield name, ([[1.0, 2.0], [3.0, 4.0]],), {"axis": 0}
    yield "reduce_prod", (array([[2, 0, 3], [0, 0, 4], [1, 2, 3]]),), {"axis": 1}
    for dtype in ("int8", "uint8", "int32", "int64"):
        yield "reduce_mean", (array([100, 100, 100, -3], dtype),), {}
    yield "math.count_nonzero", (array([1, 0, 2]),), {"dtype": "int32"}
    for name in ("cumsum", "math.cumprod", "math.cumulative_logsumexp"):
        for exclusive, reverse in product((False, True), (False, True)):
            flags = {"exclusive": exclusive, "reverse": reverse}
            for axis in (0, 1, -1, -2, 2):
                yield name, (uniform((2, 3), 0.5, 2),), {"axis": axis, **flags}
            yield name, (uniform((0, 3), 0.5, 2),), flags
        for dtype in (*FLOATS, *INTS, *COMPLEX, "bool"):
            yield name, (array([3, 1, 2], dtype),), {}
        yield name, (uniform((), 0.5, 2),), {}


def segments() -> Iterator[Case]:
    ids = {"sorted": [0, 0, 2, 2], "dense": [0, 1, 2, 3], "one": [0, 0, 0, 0], "gap": [1, 1, 4, 4]}
    bad = ([1, 0, 2, 2], [-1, 0, 1, 1], [0, 0, 1], [[0, 0], [1, 1]])
    for kind in ("sum", "mean", "prod", "max", "min"):
        name = f"math.segment_{kind}"
        for index in (*ids.values(), *bad):
            yield name, (uniform((4,), 0.5, 3), np.array(index, np.int32)), {}
            yield name, (uniform((4, 2), 0.5, 3), np.array(index, np.int64)), {}
        for dtype in (*FLOATS, "int32", "int64", "uint8", "complex64"):
            args = array([3, 3, 2, 5], dtype), np.array([0, 0, 0, 1], np.int32)
            yield name, args, {}
        yield name, (uniform((0, 2), 0, 1), np.zeros(0, np.int32)), {}
        yield name, (uniform((), 0, 1), np.zeros(1, np.int32)), {}
    for kind in ("sum", "mean", "prod", "max", "min", "sqrt_n"):
        name = f"math.unsorted_segment_{kind}"
        for index, count in (
            ([2, 0, 0, 1], 3), ([1, -1, 1, 4], 6), ([0, 0, 0, 0], 1), ([0, 1, 5, 0], 3),
            ([0, 1, 2, 3], -1), ([0, 1], 2), ([0, 0, 0, 0], 3),
        ):  # fmt: skip
            yield name, (uniform((4,), 0.5, 3), np.array(index, np.int32), count), {}
            yield name, (uniform((4, 2), 0.5, 3), np.array(index, np.int64), count), {}
        yield name, (uniform((2, 2, 3), 0.5, 3), np.array([[0, 2], [2, 0]], np.int32), 3), {}
        for dtype in (*FLOATS, "int32", "int64", "uint8", "complex64"):
            args = array([3, 3, 2, 5], dtype), np.array([0, 0, 0, 1], np.int32), 2
            yield name, args, {}
    yield "math.unsorted_segment_prod", (
        array([2, 0, 3, 0, 0, 5]), np.array([0, 0, 1, 2, 2, -1], np.int32), 3), {}  # fmt: skip
    for kind in ("sum", "mean", "sqrt_n"):
        name = f"sparse.segment_{kind}"
        for picks, index, count in (
            ([0, 1, 3], [0, 0, 2], None), ([0, 1, 3], [0, 0, 2], 4), ([0, 9, 3], [0, 0, 2], None),
            ([0, 1, 3], [0, 0, 2], 2), ([0, 1], [0, 0, 2], None), ([3, 3, 0], [0, 1, 1], None),
        ):  # fmt: skip
            args = uniform((4, 2), 0.5, 3), np.array(picks), np.array(index, np.int32)
            yield name, args, {} if count is None else {"num_segments": count}


def ordering() -> Iterator[Case]:
    rows = array([[3, 1, 3, 2], [0, 5, -1, 5], [2, 2, 2, 2]])
    for name in ("argmax", "argmin"):
        for axis in (None, 0, 1, -1, -2, 2, -3):
            yield name, (rows,), {"axis": axis}
        for dtype in EVERY:
            yield name, (array([3, 0, 5, 5, 1], dtype),), {}
        for kind in ("int32", "int64", "int16", "float32"):
            yield name, (rows,), {"output_type": kind}
        for shape, axis in (((0,), 0), ((0, 2), 0), ((0, 2), 1), ((), 0), ((2, 3, 4), 1)):
            yield name, (uniform(shape, -2, 2),), {"axis": axis}
        yield name, (array([[NAN, 1, NAN], [NAN, NAN, NAN], [-INF, INF, 0]]),), {"axis": 1}
    for k in (0, 1, 2, 4, 5, -1):
        yield "math.top_k", (rows, k), {}
    for dtype in (*FLOATS, *INTS, "complex64", "bool"):
        yield "math.top_k", (array([3, 0, 5, 5, 1], dtype), 3), {}
        yield "sort", (array([3, 0, 5, 5, 1], dtype),), {}
        yield "sort", (array([3, 0, 5, 5, 1], dtype),), {"direction": "DESCENDING"}
        yield "argsort", (array([3, 0, 5, 5, 1], dtype),), {}
    yield "math.top_k", (rows,), {"k": 2, "index_type": "int64"}
    yield "math.top_k", (uniform((), 0, 1), 1), {}
    yield "math.top_k", (uniform((2, 3, 4), -2, 2), 2), {}
    for axis, direction in product((-1, 0, 1, 2, -3), ("ASCENDING", "DESCENDING", "UP")):
        yield "sort", (rows,), {"axis": axis, "direction": direction}
        yield "argsort", (rows,), {"axis": axis, "direction": direction}
    yield "sort", (array([3, NAN, 1, -INF, INF]),), {}
    yield "sort", (uniform((), 0, 1),), {}
    yield "sort", (uniform((2, 0), 0, 1),), {}
    yield "sort", (uniform((2, 3, 4), -2, 2),), {"axis": 1}
    yield "argsort", (uniform((2, 3, 4), -2, 2),), {"axis": 0}
    for side, kind in product(("left", "right"), ("int32", "int64")):
        flags = {"side": side, "out_type": kind}
        for dtype in (*FLOATS[2:], "int32", "int64", "uint8", "int8"):
            yield "searchsorted", (array([1, 3, 3, 5], dtype), array([0, 3, 9], dtype)), flags
        stacked = np.sort(uniform((2, 5), -2, 2), axis=1), uniform((2, 3), -2, 2)
        yield "searchsorted", stacked, flags
        yield "searchsorted", (array([[1, 2]]), array([[1], [2]])), flags
        yield "searchsorted", (array([]), array([1, 2])), flags
        yield "searchsorted", (array([1, 2]), array([])), flags
    yield "searchsorted", (array([1]), array([1])), {"side": "up"}
    yield "searchsorted", (array([1]), array([1], "int32")), {}
    for name in ("unique", "unique_with_counts"):
        for dtype in (*FLOATS[2:], *INTS, "bool", "str"):
            yield name, (array([3, 1, 3, 0, 1], dtype),), {}
        yield name, (array([3, 1, 3]),), {"out_idx": "int64"}
        yield name, (array([[3, 1]]),), {}
        yield name, (array([]),), {}
        yield name, (array([NAN, 0.0, -0.0, NAN]),), {}


def counts() -> Iterator[Case]:
    for flags in ({}, {"minlength": 6}, {"maxlength": 2}, {"dtype": "int64"}, {"axis": -1},
                  {"axis": 0}, {"binary_output": True}, {"dtype": "float32"},
                  {"axis": -1, "binary_output": True}, {"axis": 2}):  # fmt: skip
        yield "math.bincount", (np.array([1, 1, 3, 0], np.int32),), flags
        yield "math.bincount", (np.array([[1, 1, 3], [0, 0, 2]], np.int32),), flags
    yield "math.bincount", (np.array([1, 1, 3], np.int64),), {}
    yield "math.bincount", (np.array([1, 1, 3], np.int32),), {"weights": array([1.5, 2, 3])}
    yield "math.bincount", (np.array([1, 1, 3], np.int32), array([1, 2, 3], "int64")), {}
    yield "math.bincount", (np.array([-1, 1], np.int32),), {}
    yield "math.bincount", (np.array([], np.int32),), {}
    values = array([-1, 0, 1.5, 2, 5, 15])
    for name in ("histogram_fixed_width", "histogram_fixed_width_bins"):
        yield name, (values, [0.0, 5.0]), {"nbins": 5}
        yield name, (values, [0.0, 5.0]), {}
        yield name, (values, [0.0, 5.0], 3, "int64"), {}
        yield name, (values.reshape(2, 3), [0.0, 5.0]), {"nbins": 5}
        yield name, (array([1, 3, 9], "int32"), [0, 5]), {"nbins": 5}
        yield name, (array([]), [0.0, 5.0]), {"nbins": 5}
    yield "histogram_fixed_width", (values, [5.0, 0.0]), {"nbins": 5}
    yield "histogram_fixed_width", (values, [0.0, 5.0]), {"nbins": 0}
    guesses = array([[1, 2, 3], [3, 3, 3], [1, 2, 3], [NAN, 1, 2]])
    for k in (1, 2, 3):
        targets = np.array([1, 0, 5, 2], np.int32)
        yield "math.in_top_k", (targets, guesses, k), {}
        yield "math.in_top_k", (targets.astype(np.int64), guesses, k), {}
    yield "math.in_top_k", (np.array([1], np.int32), guesses, 1), {}
    for flags in ({}, {"num_classes": 4}, {"num_classes": 2}, {"weights": array([1, 2, 3])},
                  {"dtype": "float32"}):  # fmt: skip
        classes = np.array([0, 1, 2], np.int32), np.array([1, 1, 2], np.int32)
        yield "math.confusion_matrix", classes, flags
    yield "math.confusion_matrix", (np.array([[0], [1]]), np.array([1, 1])), {}
    yield "math.confusion_matrix", (np.array([0, -1]), np.array([1, 1])), {}
    for x in (array([0, 1, 0]), array([1, 2]), array([]), array([[0, 0]], "int32")):
        yield "math.zero_fraction", (x,), {}
    for name in ("math.is_non_decreasing", "math.is_strictly_increasing"):
        for x in (array([1, 1, 2]), array([1, 2, 3], "int32"), array([2, 1]), array([]), array(1)):
            yield name, (x,), {}


def clips() -> Iterator[Case]:
    x = uniform((2, 3), -3, 3)
    for low, high in ((-1.0, 1.0), (1.0, -1.0), (0.0, 0.0)):
        yield "clip_by_value", (x, low, high), {}
    yield "clip_by_value", (x, array([-1, 0, 1]), 1.0), {}
    yield "clip_by_value", (x, array([-1, 0]), 1.0), {}
    yield "clip_by_value", (x, array([[[1.0]], [[0.0]]]), 1.0), {}
    yield "clip_by_value", (array([NAN, INF, -INF]), -1.0, 1.0), {}
    for dtype in (*FLOATS, *INTS, "complex64"):
        yield "clip_by_value", (array([1, 5, 9], dtype), array(2, dtype), array(6, dtype)), {}
    for limit in (0.5, 1.0, 100.0, 0.0, -1.0):
        yield "clip_by_norm", (x, limit), {}
        yield "clip_by_norm", (x, limit, [1]), {}
    for dtype in (*FLOATS, "int32"):
        yield "clip_by_norm", (array([3, 4], dtype), 1.0), {}
    yield "clip_by_norm", (array([0, 0]), 1.0), {}
    yield "clip_by_global_norm", ([x, array([1, 2])], 1.0), {}
    yield "clip_by_global_norm", ([x, array([1, 2])], 100.0), {}
    yield "clip_by_global_norm", ([array([INF]), array([1, 2])], 1.0), {}
    yield "clip_by_global_norm", ([array([3.0]), array([4.0])], 1.0, 10.0), {}
    yield "clip_by_global_norm", (array([3.0]), 1.0), {}
    yield "linalg.global_norm", ([array([3.0]), array([4.0])],), {}
    pair = array([3, 4])
    for dtype in (*FLOATS, "int32", "int64", "uint8", "bool", "complex64", "complex128"):
        numbers = array([3, 4], dtype)
        yield "linalg.global_norm", ([numbers],), {}
        yield "linalg.global_norm", ([pair, numbers],), {}
        yield "clip_by_global_norm", ([numbers], 2.0), {}
        yield "clip_by_global_norm", ([numbers], 2.0, array(5.0)), {}
        yield "clip_by_global_norm", ([pair], 2, array(5, dtype)), {}
        yield "clip_by_global_norm", ([pair], array(2, dtype)), {}


def sums() -> Iterator[Case]:
    for name in ("add_n", "math.accumulate_n"):
        for count in (0, 1, 2, 3):
            yield name, ([uniform((2, 3), -1, 1)] * count,), {}
        yield name, ([uniform((2,), -1, 1), uniform((3,), -1, 1)],), {}
        yield name, ([uniform((2,), -1, 1), array([1, 2], "int32")],), {}
        yield name, ([array([1, 2], "int32"), array([3, 4], "int32")],), {}
    yield "math.accumulate_n", ([uniform((2,), -1, 1)],), {"shape": [3]}
    yield "math.accumulate_n", ([uniform((2,), -1, 1)],), {"tensor_dtype": "int32"}
    for coefficients in ([], [2.0], [2.0, 0.0, 1.0]):
        yield "math.polyval", (coefficients, uniform((3,), -2, 2)), {}
        yield "math.polyval", (coefficients, 3.0), {}
    yield "math.polyval", (array([1, 2]), 3.0), {}
    for scalar in (2.0, 2, [2.0], array(3.0), array(3, "int32")):
        yield "scalar_mul", (scalar, uniform((3,), -2, 2)), {}
    for dim, skip in product((1, 2, 3, 7), (0, 1, 5)):
        yield "math.sobol_sample", (dim, 6), {"skip": skip}
    yield "math.sobol_sample", (3, 4), {"dtype": "float64"}
    yield "math.sobol_sample", (0, 4), {}
    for k, axis in product((1, 2, 3), (0, 1, -1)):
        yield "math.approx_max_k", (uniform((3, 4), -2, 2), k, axis), {}


def conversions() -> Iterator[Case]:
    numbers = (*FLOATS, *INTS, *COMPLEX, "bool")
    for source, to in product((*numbers, "str"), (*numbers, "str")):
        kind = "string" if to == "str" else to
        yield "cast", (array([0, 1, 3, 100], source), kind), {}
    for source in ("float32", "float64"):
        for to in (*INTS, "bool", "float16", "bfloat16"):
            yield "cast", (array([0.5, -0.5, 1.9, -1.9, 1e-9], source), to), {}
    for to in ("int8", "uint8", "int16", "uint16"):
        yield "cast", (array([300, -1, 70000, -129], "int32"), to), {}
        yield "cast", (array([300, -1, 70000, -129], "int64"), to), {}
    yield "cast", (array([NAN, INF, 1e9, 1e-9]), "float16"), {}
    yield "cast", (array([NAN, INF, 1e39, 1e300], "float64"), "float32"), {}
    yield "cast", (array([1]), "nonsense"), {}
    yield "cast", ([1.5, 2.5], "int32"), {}
    for to in ("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "float16"):
        yield "saturate_cast", (array([-500, 0, 3, 300, 70000], "int32"), to), {}
        yield "saturate_cast", (array([-500, 0, 3, 300, 70000]), to), {}
    yield "saturate_cast", (array([1e300, -1e300, 1], "float64"), "float32"), {}
    yield "saturate_cast", (array([1 + 2j, 300], "complex64"), "complex128"), {}
    widths = ("int8", "uint8", "int16", "float16", "bfloat16", "int32", "float32", "int64",
              "float64", "complex64", "complex128", "bool")  # fmt: skip
    for source, to in product(widths, widths):
        yield "bitcast", (array([1, 2], source), to), {}
    yield "bitcast", (array([[1, 2], [3, 4]]), "int64"), {}
    yield "bitcast", (array(1.0), "int64"), {}
    yield "bitcast", (array(1.0), "uint8"), {}
    for kind in ("float32", "float64", "int32"):
        yield "complex", (array([1, 2], kind), array([3, 4], kind)), {}
    yield "complex", (array([1, 2]), array(3.0)), {}
    yield "complex", (array([1, 2]), array([3, 4], "float64")), {}
    yield "complex", (1.0, [2.0, 3.0]), {}


def buckets() -> Iterator[Case]:
    """The ranges that numbers are in."""
    name = "raw_ops.Bucketize"
    x = np.array([[-5, 0, 0.5, 1], [9.5, 10, 100, np.inf]], np.float32)
    for bounds in ([0.0, 10.0, 100.0], [], [1.0], [0.0, 0.0, 5.0], [5.0, 1.0]):
        for dtype in ("float32", "float64"):
            yield name, (), {"input": x.astype(dtype), "boundaries": bounds}
        yield name, (), {"input": np.arange(-2, 12, dtype=np.int64), "boundaries": bounds}
    yield name, (), {"input": np.array([True]), "boundaries": [1.0]}


def cases() -> list[Case]:
    """All cases of the area."""
    groups = (functions, pairs, logic, reductions, segments, ordering, counts, clips, sums,
              conversions, buckets)  # fmt: skip
    return [case for group in groups for case in group()]


#: How far results may be apart, in units of the last place, and absolutely.
TOLERANCES: list[tuple[str, float, float]] = [
    ("special|bessel", 64, 1e-6),  # TensorFlow's are polynomials in the dtype itself
    ("lgamma|digamma|igamma|zeta|betainc|erf|ndtri|lbeta", 64, 1e-6),
]

#: What is meant to differ.
DEPARTURES: list[tuple[str, str]] = [
    (r"erf\(float64\[3\]\[nan, inf", "erf of infinity is 1 in float64 too"),
    (r"igammac?\(float32\[4\]\[0\.0, (0\.0|nan)", "gradients at 0 and infinity are not defined"),
    (r"imag\(object", "strings have no imaginary part"),
    (r"histogram_fixed_width_bins\(int32", "integers have bins too"),
    (r"xlogy\(c|xlog1py\(c|xdivy\(c", "complex gradients are conjugate as everywhere else"),
    (r"reduce_prod\(.*nan", "the product of the others is computed by a division"),
    (r"confusion_matrix\(int64\[2, 1\]", "which last axis is 1 is decided from known ranks"),
    (r"global_norm\(.*, 10\.0\)$", "a Python number is as good as a tensor for a norm"),
    (r"global_norm\(list\(bool.*5\.0\)$", "a product of bools is refused"),
]
