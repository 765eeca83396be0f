"""Cases of `tf.experimental.numpy`: (public name, positional arguments, keyword arguments).

TensorFlow's own functions work whole only once NumPy's behaviour is enabled: it is recorded so.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

Case = tuple[str, tuple[Any, ...], dict[str, Any]]

TOLERANCES: list[tuple[str, float, float, float]] = [
    (r"cbrt|exp2|logspace|geomspace|sinc|log2|log10|logaddexp|power|std|var|average", 64, 0, 8),
    ("", 8, 0, 4),
]
DEPARTURES: list[tuple[str, str]] = [
    (r"numpy\.(negative|square|sign|cumsum|cumprod|argmax|argmin)\(bool", "booleans"),
    (r"numpy\.(reciprocal|arctan2|hypot|logaddexp2?|heaviside|nextafter)\(u?int", "integers"),
    (r"numpy\.(arctan2|hypot|logaddexp2?|heaviside|nextafter)\(.*(int|bool)", "integers"),
    (r"numpy\.(heaviside|nextafter|hypot)\(float32.*float64", "floats of two widths"),
    (r"numpy\.(isinf|isneginf|isposinf)\((u?int|bool|\d)", "TensorFlow asks integers for methods"),
    (r"numpy\.(log2|log10)\(float32", "NumPy's are float32 there"),
    (r"numpy\.(hypot|logaddexp2)\((float32.*, 2\)|list)", "NumPy's are float32 there"),
    (r"numpy\.angle\(float64", "NumPy's is float64 there"),
    (r"numpy\.isclose\(.*inf", "equal infinities are close in NumPy"),
    (r"numpy\.var\(.*ddof", "TensorFlow's fails"),
    (r"numpy\.(cbrt|nanprod)\(float32.*inf", "gradients at infinities"),
    (r"numpy\.sinc\(float32\[2, 3\]\[\[0.5", "gradient at 0"),
    (r"numpy\.concatenate\(.*None\)", "TensorFlow's fails"),
]
#: What is refused, with ValueError, where a traced argument's rank (or shape) is not known.
NEEDS_RANK = (
    r"numpy\.(atleast_.d|cross|diag|diagflat|diagonal|dot|dstack|flip|fliplr|flipud|hsplit|hstack"
    r"|inner|ix_|matmul|moveaxis|nonzero|pad|rot90|swapaxes|take_along_axis|tile|trace|vstack|where"
    r"|diff|array)$"
)
NEEDS_SHAPE = r"numpy\.(broadcast_arrays|cross|kron|take_along_axis|tile|vander)$"


def setup(tf: Any) -> None:
    """What TensorFlow needs before it is recorded."""
    tf.experimental.numpy.experimental_enable_numpy_behavior()


I32, I64 = np.array([[1, -2, 3], [4, 0, 6]], np.int32), np.array([2, 5, 7], np.int64)
F32 = np.array([[0.5, -1.5, 2.0], [3.25, 0.0, -0.25]], np.float32)
F64 = np.array([1.0, 2.5, -3.0])
BOOL = np.array([[True, False, True], [False, False, True]])
C64 = np.array([1 + 2j, -3.0, 0.5j], np.complex64)
UNIT = np.array([0.1, 0.5, 0.9], np.float32)
NAN = np.array([[1.0, np.nan, 3.0], [np.inf, -np.inf, 2.0]], np.float32)
CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)

UNARY = [
    "abs", "absolute", "ceil", "conj", "conjugate", "cos", "cosh", "cbrt", "deg2rad", "exp",
    "exp2", "expm1", "fabs", "fix", "floor", "imag", "isfinite", "isinf", "isnan", "isneginf",
    "isposinf", "logical_not", "negative", "positive", "rad2deg", "real", "sign", "signbit",
    "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh", "arctan", "arcsinh", "iscomplex",
    "isreal", "bitwise_not",
]  # fmt: skip
BINARY = [
    "add", "subtract", "multiply", "true_divide", "divide", "floor_divide", "mod", "remainder",
    "maximum", "minimum", "equal", "not_equal", "greater", "greater_equal", "less",
    "less_equal", "logical_and", "logical_or", "logical_xor", "arctan2", "hypot", "logaddexp",
    "logaddexp2", "heaviside", "isclose", "array_equal", "power",
]  # fmt: skip


def case(name: str, *args: Any, **kwargs: Any) -> Case:
    """A case of a function of the namespace."""
    return f"experimental.numpy.{name}", args, kwargs


def elementwise() -> Iterator[Case]:
    for name in UNARY:
        for x in (I32, F32, BOOL, NAN, 3, 2.5):
            if name == "bitwise_not" and x is not I32:
                continue
            yield case(name, x)
    for name in ("arccos", "arcsin", "arctanh", "log", "log2", "log10", "log1p", "arccosh",
                 "reciprocal"):  # fmt: skip
        yield case(name, UNIT)
        yield case(name, np.array(2.0))
    pairs = ((I32, I64), (I32, F32), (F32, F64), (F32, 2), (I64, 2.5), (F64, F64), (I32, BOOL),
             (3, I32), ([1, 2, 3], F32))  # fmt: skip
    for name, (x, y) in product(BINARY, pairs):
        if not (name == "power" and x is I32):
            yield case(name, x, y)
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm"):
        yield case(name, I32, I64)
        yield case(name, I32, 6)
        yield case(name, F32, 6)
    for name in ("conj", "abs", "real", "imag", "angle", "exp", "iscomplex", "isreal"):
        yield case(name, C64)
    yield case("angle", F64, deg=True)
    yield case("clip", I32, 0, 3)
    yield case("clip", F32, -1, None)
    yield case("clip", F32, None, None)
    yield case("around", F32, 1)
    yield case("round", F64 / 3, 2)
    yield case("allclose", F32, F32 + 1e-9)
    yield case("isclose", NAN, NAN, equal_nan=True)
    yield case("divmod", I32, I64)


def reductions() -> Iterator[Case]:
    for name in ("sum", "prod", "mean", "var", "std", "max", "min", "amax", "amin", "ptp", "all",
                 "any", "average"):  # fmt: skip
        for x, axis in product((I32, F32, CUBE), (None, 0, -1)):
            yield case(name, x, axis)
        if name != "average":
            yield case(name, F32, 1, keepdims=True)
    for name in ("sum", "prod", "max", "min", "all", "any", "count_nonzero", "mean"):
        yield case(name, BOOL)
    for name in ("sum", "prod", "mean"):
        yield case(name, I32, dtype=np.float32)
    for name, x, axis in product(("nansum", "nanprod", "nanmean"), (NAN, I32), (None, 1)):
        yield case(name, x, axis)
    for name, x, axis in product(("cumsum", "cumprod", "argmax", "argmin", "sort", "argsort",
                                  "count_nonzero"), (I32, F32, BOOL), (None, 0, -1)):  # fmt: skip
        if x is not BOOL or name == "count_nonzero":
            yield case(name, x, axis)
    yield case("average", F32, 1, weights=np.array([1.0, 2.0, 3.0], np.float32))
    yield case("average", F32, weights=F32 + 5, returned=True)
    yield case("var", F64, ddof=1)
    yield case("polyval", F64, I64)
    yield case("polyval", F32[0], 2)
    yield case("diff", F32)
    yield case("diff", I32, 1, 0)
    yield case("diff", F64, 2)


def creation() -> Iterator[Case]:
    for name, shape in product(("zeros", "ones", "empty"), ([2, 3], [0], 3)):
        if name != "empty" or shape == [0]:
            yield case(name, shape)
            yield case(name, shape, dtype=np.int32)
    for name, x in product(("zeros_like", "ones_like"), (I32, F32, BOOL)):
        yield case(name, x)
        yield case(name, x, dtype=np.float64)
    for value in (3, 2.5, True):
        yield case("full", [2, 2], value)
        yield case("full_like", I32, value)
        yield case("array", value)
        yield case("asarray", [value, value])
    yield case("full", [2, 3], F64)
    for args in ((3,), (2, 4), (3, 3, 1), (3, 2, -1)):
        yield case("eye", *args)
        yield case("tri", *args)
    yield case("identity", 2, dtype=np.float32)
    for args in ((3,), (1, 5), (1, 10, 3), (5, 0, -2), (2.5,), (0, 1, 0.25), (1, 5, 0)):
        yield case("arange", *args)
    yield case("arange", 4, dtype=np.float32)
    for end in (True, False):
        yield case("linspace", 0, 5, 4, endpoint=end)
        yield case("linspace", F64, 5, 3, endpoint=end, axis=-1)
        yield case("logspace", 0, 2, 3, endpoint=end)
        yield case("geomspace", 1, 16, 5, endpoint=end)
    for x, k in product((F64, I32), (0, 1, -1)):
        yield case("diag", x, k)
        yield case("diagflat", F64, k)
        yield case("tril", CUBE, k)
        yield case("triu", F32, k)
        yield case("diagonal", CUBE, k, 0, 2)
        yield case("trace", CUBE, k, 1, 2)
    yield case("diag_indices", 3)
    yield case("vander", F64)
    yield case("vander", I64, 2, True)
    yield case("array", 3, ndmin=2)
    yield case("meshgrid", F64, I64)
    yield case("meshgrid", F64, I64, indexing="ij")
    yield case("ix_", I64, np.array([0, 1]))


def moving() -> Iterator[Case]:
    for order in ("C", "F"):
        yield case("reshape", CUBE, [4, -1], order)
        yield case("reshape", CUBE, 24, order)
        yield case("flatten", CUBE, order)
    for name in ("ravel", "transpose", "flip", "flipud", "fliplr", "rot90", "atleast_1d",
                 "atleast_2d", "atleast_3d", "copy", "nonzero", "squeeze"):  # fmt: skip
        yield case(name, F32)
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        yield case(name, 3)
        yield case(name, I64)
    yield case("transpose", CUBE, [2, 0, 1])
    yield case("flip", CUBE, 1)
    for k in (0, 1, 2, 3, 5):
        yield case("rot90", CUBE, k, (1, 2))
    yield case("swapaxes", CUBE, 0, 2)
    yield case("moveaxis", CUBE, 0, -1)
    yield case("moveaxis", CUBE, [0, 1], [2, 0])
    yield case("expand_dims", F32, 1)
    yield case("squeeze", F32[:1], 0)
    yield case("broadcast_to", F64, [2, 3])
    yield case("broadcast_arrays", F64, F32)
    pairs = [I32, F32]
    for axis in (0, 1, None):
        yield case("concatenate", pairs, axis)
        yield case("append", I32, F32, axis)
    yield case("stack", pairs, 1)
    for name in ("hstack", "vstack", "dstack"):
        yield case(name, [I64, F64])
        yield case(name, pairs)
    yield case("split", CUBE, 2)
    yield case("split", CUBE, [1, 3], -1)
    yield case("hsplit", CUBE, 3)
    yield case("vsplit", CUBE, 2)
    yield case("dsplit", CUBE, [1])
    for times in (2, [2, 1], [2, 1, 2], [1, 2, 1, 1]):
        yield case("tile", F32, times)
    for times, axis in ((2, None), (2, 0), ([1, 2, 0], 1)):
        yield case("repeat", F32, times, axis)
    for shift, axis in ((1, None), (2, 1), (-1, 0)):
        yield case("roll", F32, shift, axis)
    for mode in ("constant", "reflect", "symmetric"):
        yield case("pad", F32, [[1, 0], [1, 2]], mode)
    yield case("pad", F32, [[0, 0], [1, 2]], "constant", constant_values=7)
    yield case("pad", F32, [[0, 0], [1, 2]], "edge")


def choosing() -> Iterator[Case]:
    yield case("where", BOOL, I32, F32)
    yield case("where", BOOL, 1, 2.5)
    yield case("where", BOOL)
    yield case("where", BOOL, I32)
    yield case("select", [I32 > 2, I32 < 0], [I32, F32], 9)
    yield case("compress", [True, False, True], F32, 1)
    yield case("compress", BOOL[0], F64)
    for mode in ("clip", "wrap", "raise"):
        yield case("take", F32, np.array([0, 7, -1]), mode=mode)
        yield case("take", F32, np.array([[0, 4]]), axis=1, mode=mode)
    yield case("take_along_axis", F32, np.array([[0], [2]]), 1)
    yield case("take_along_axis", CUBE, np.array([[[1, 0, 1, 0]]]), 0)
    yield case("array_equal", I32, I32 * 1.0)
    yield case("array_equal", I32, F64)


def products() -> Iterator[Case]:
    square = np.arange(9, dtype=np.float32).reshape(3, 3)
    for name in ("dot", "matmul", "inner"):
        yield case(name, F64, I64)
        yield case(name, I32, F64)
        yield case(name, F32, square)
    yield case("matmul", F64, square)
    yield case("matmul", CUBE, np.ones((4, 2), np.int32))
    yield case("dot", 3, F32)
    yield case("outer", I64, F32)
    yield case("vdot", C64, C64)
    yield case("tensordot", CUBE, CUBE, [[1, 2], [1, 2]])
    yield case("tensordot", F32, square, 1)
    yield case("kron", I64, F64)
    yield case("kron", F32, square)
    for x, y in ((F64, I64), (square, F64), (F64[:2], I64), (F64[:2], F64[1:])):
        yield case("cross", x, y)
    yield case("einsum", "ij,jk->ik", I32, square)


def forms() -> Iterator[Case]:
    """Ranges of nothing, scalars with an axis, tensors of sizes, lists beside tensors."""
    for args in ((5, 3), (0, 5, -1), (-3,), (np.array(4.0), 2.0)):
        yield case("arange", *args)
    for name in ("argmax", "argmin", "argsort"):
        yield case(name, np.array(2.5), 0)
        yield case(name, np.array(2.5), -1)
    for reps in ([2], [2, 1], [2, 1, 1]):
        yield case("tile", I32, np.array(reps))
    yield case("pad", I32, np.array([[1, 0], [0, 2]]), "constant")
    yield case("geomspace", np.array(1.0, np.float32), 16.0, 5)
    yield case("bitwise_not", BOOL)
    yield case("ascontiguousarray", 3)
    for name in ("hstack", "vstack", "dstack"):
        yield case(name, [[1.0, 2.0, 3.0], F32[0]])


def cases() -> Iterator[Case]:
    """All cases of the area."""
    yield from elementwise()
    yield from reductions()
    yield from creation()
    yield from moving()
    yield from choosing()
    yield from products()
    yield from forms()
