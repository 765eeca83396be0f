"""Cases of linear algebra."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tools.golden.nn import FLOATS, Case, as_numpy, normal

KINDS = ("float32", "float64", "complex64", "complex128")
BATCHES: tuple[tuple[int, ...], ...] = ((), (2,), (2, 2))

#: Units in the last place, of the greatest element too: sums may cancel.
TOLERANCES = [
    (r"matmul|matvec|einsum|tensordot|norm|trace", 8, 0.0, 8),
    (r"linalg", 64, 0.0, 64),
]
#: What is meant to differ.
DEPARTURES = [
    (r"(det|sqrtm)\(complex", "TensorFlow's gradient lacks a conjugation"),
]


def matrix(shape: tuple[int, ...], dtype: str = "float64", seed: int = 0) -> Any:
    """Well conditioned numbers: complex ones have an imaginary part."""
    x = normal(shape, "float64", seed)
    if dtype.startswith("complex"):
        x = x + 1j * normal(shape, "float64", seed + 100)
    return x.astype(dtype)


def definite(shape: tuple[int, ...], dtype: str = "float64") -> Any:
    """Positive definite matrices; rounded, as processors differ in the last places of products.

    The last sum makes zeros of negative ones.
    """
    x = matrix(shape, dtype)
    product = x @ np.conj(np.swapaxes(x, -1, -2))
    return np.round(product + np.eye(shape[-1]) * 0.5, 4).astype(dtype) + 0.0


def dominant(shape: tuple[int, ...], dtype: str = "float64") -> Any:
    """Matrices far from singular."""
    return (matrix(shape, dtype) + 3 * np.eye(shape[-1])).astype(dtype)


def products() -> Iterator[Case]:
    flags = ("transpose", "adjoint", "")
    for dtype in (*FLOATS, "int32", "int64", "complex64", "complex128"):
        for batch in ((), (2,)):
            for a, b in itertools.product(flags, flags):
                x = matrix((*batch, 4, 3) if a else (*batch, 3, 4), "complex128")
                y = matrix((*batch, 5, 4) if b else (*batch, 4, 5), "complex128", 1)
                if not dtype.startswith("complex"):
                    x, y = (x.real * 4, y.real * 4)
                    x, y = (np.round(v) if "int" in dtype else v for v in (x, y))
                options = {f"{a}_a": True} if a else {}
                options |= {f"{b}_b": True} if b else {}
                yield "matmul", (as_type(x, dtype), as_type(y, dtype)), options
    for x, y in (
        ((2, 1, 3, 4), (5, 4, 2)),
        ((3, 4), (2, 4, 5)),
        ((0, 3), (3, 2)),
        ((2, 0), (0, 3)),
        ((2, 3), (4, 5)),
        ((3,), (3, 2)),
        ((2, 2, 3), (3, 3, 4)),
        ((2, 2, 3), (2, 4, 3)),
    ):
        yield "matmul", (normal(x), normal(y)), {}
    yield "matmul", (normal((2, 2)), normal((2, 2))), {"transpose_a": True, "adjoint_a": True}
    yield "matmul", (normal((2, 2)), normal((2, 2), "float64")), {}
    small = np.arange(-6, 6).reshape(3, 4).astype(np.int8)
    yield "matmul", (small, small.T.copy()), {"output_type": "int32"}
    for batch in BATCHES:
        yield "linalg.matvec", (normal((*batch, 3, 4)), normal((*batch, 4))), {}
        yield "linalg.matvec", (normal((*batch, 4, 3)), normal((*batch, 4))), {"transpose_a": True}
    for axes in (0, 1, 2, [[0], [1]], [[1, 0], [0, 1]], [[-1], [0]]):
        yield "tensordot", (normal((3, 3, 3)), normal((3, 3, 3), seed=1), axes), {}
    yield "tensordot", (normal((2, 3)), normal((2, 3)), 1), {}
    yield "tensordot", (normal((2, 3)), normal((2, 3)), 3), {}
    yield "tensordot", (normal((2, 3)), normal((3,)), [[1], [0]]), {}


def as_type(x: Any, dtype: str) -> Any:
    """An array of a dtype, also bfloat16."""
    return x.astype(as_numpy(dtype))


def einsums() -> Iterator[Case]:
    sizes = dict(zip("abcdeijklmn", (2, 3, 4, 2, 3, 3, 4, 2, 5, 3, 2)))
    equations = """
        i-> i->i ij->ji ij-> ij->i ii-> ii->i iij->j iji->ij ij,jk->ik ij,kj->ik ji,jk->ki
        ij,ij-> ij,ij->i ij,ij->ij i,j->ij i,j->ji i,i-> ij,j->i ij,jk->ki aij,ajk->aik
        aij,jk->aik abij,abjk->abik abc,bad->cd abcd,cd->ab ab,cd->abcd ijk,kj->i
        ijk,ilj->kl ii,ij->j iij,jk->k ab,abc->c i,ij,j-> ij,jk,kl->il ab,bc,cd->ad
        i,i,i->i ij,jk ij ba abc,abd->acd bij,bjk->ikb
    """
    for equation in equations.split():
        terms = equation.split("->")[0].split(",")
        for dtype in ("float32", "complex128"):
            operands = [matrix(tuple(sizes[c] for c in t), dtype, i) for i, t in enumerate(terms)]
            yield "einsum", (equation, *operands), {}
    for equation, shapes in (
        ("...ij,...jk->...ik", ((2, 3, 4), (4, 2))),
        ("...ij,...jk->...ik", ((2, 1, 3, 4), (5, 4, 2))),
        ("i...,i...->...", ((3, 2), (3, 2))),
        ("...i->...", ((2, 3, 4),)),
        ("ij...,jk...->ik...", ((2, 3, 2), (3, 4, 2))),
        ("ij,jk->ik", ((2, 3), (4, 5))),
        ("ij->i", ((2,),)),
        ("ij,jk->ik", ((2, 3),)),
        ("ij->k", ((2, 3),)),
        ("ij,jk->ik", ((0, 3), (3, 2))),
        ("ij,jk->ik", ((2, 0), (0, 2))),
    ):
        yield "einsum", (equation, *(normal(s, seed=i) for i, s in enumerate(shapes))), {}
    yield "einsum", ("ij,jk->ik", normal((2, 3), "bfloat16"), normal((3, 2), "bfloat16")), {}
    yield "einsum", ("ij,jk->ik", np.arange(6).reshape(2, 3), np.arange(6).reshape(3, 2)), {}


def systems() -> Iterator[Case]:
    for dtype, batch in itertools.product(KINDS, BATCHES):
        square, rhs = dominant((*batch, 3, 3), dtype), matrix((*batch, 3, 2), dtype, 1)
        for flag in (False, True):
            yield "linalg.inv", (square, flag), {}
            yield "linalg.solve", (square, rhs, flag), {}
            for lower in (True, False):
                yield "linalg.triangular_solve", (square, rhs, lower, flag), {}
        yield "linalg.det", (square,), {}
        yield "linalg.slogdet", (square,), {}
        yield "linalg.pinv", (matrix((*batch, 4, 3), dtype),), {}
        yield "linalg.cholesky", (definite((*batch, 3, 3), dtype),), {}
        chol = np.round(np.linalg.cholesky(definite((*batch, 3, 3), dtype)), 4).astype(dtype)
        yield "linalg.cholesky_solve", (chol, rhs), {}
        if not dtype.startswith("complex"):
            yield "linalg.logdet", (definite((*batch, 3, 3), dtype),), {}
            for shape in ((5, 3), (3, 5)):
                sides = matrix((*batch, shape[0], 2), dtype, 1)
                tall = matrix((*batch, *shape), dtype)
                yield "linalg.lstsq", (tall, sides), {}
                yield "linalg.lstsq", (tall, sides, 0.25), {}
                yield "linalg.lstsq", (tall, sides), {"fast": False}
        yield "linalg.expm", (matrix((*batch, 3, 3), dtype),), {}
        yield "linalg.sqrtm", (definite((*batch, 3, 3), dtype),), {}
        if dtype.startswith("complex"):
            yield "linalg.logm", (dominant((*batch, 3, 3), dtype),), {}
        yield "linalg.lu", (matrix((*batch, 3, 3), dtype),), {}
        yield "linalg.trace", (matrix((*batch, 3, 4), dtype),), {}
        yield "linalg.adjoint", (matrix((*batch, 3, 4), dtype),), {}
        yield "linalg.matrix_transpose", (matrix((*batch, 3, 4), dtype),), {}
        yield "linalg.matrix_transpose", (matrix((*batch, 3, 4), dtype),), {"conjugate": True}
    yield from singular()


def singular() -> Iterator[Case]:
    """What has no answer, and what does not fit."""
    ones = np.ones((2, 2), np.float32)
    for name in ("inv", "lu", "cholesky", "det", "slogdet", "expm"):
        yield f"linalg.{name}", (ones,), {}
        yield f"linalg.{name}", (np.ones((2, 3), np.float32),), {}
        yield f"linalg.{name}", (np.ones(2, np.float32),), {}
        yield f"linalg.{name}", (np.ones((2, 2), np.int32),), {}
    for name in ("inv", "det", "cholesky"):
        yield f"linalg.{name}", (np.ones((0, 0), np.float32),), {}
        yield f"linalg.{name}", (np.ones((0, 2, 2), np.float32),), {}
    yield "linalg.solve", (ones, ones), {}
    yield "linalg.solve", (ones, np.ones((3, 2), np.float32)), {}
    yield "linalg.solve", (np.ones((4, 2, 2), np.float32), ones), {}
    yield "linalg.triangular_solve", (np.zeros((2, 2), np.float32), ones), {}
    yield "linalg.triangular_solve", (ones, np.ones((3, 2), np.float32)), {}
    yield "linalg.triangular_solve", (dominant((3, 2, 2)), matrix((2, 2))), {}
    yield "linalg.cholesky", (-np.eye(2),), {}
    yield "linalg.sqrtm", (-np.eye(2),), {}
    yield "linalg.cross", (normal((2, 3)), normal((2, 3), seed=1)), {}
    yield "linalg.cross", (np.arange(3), np.arange(3)[::-1].copy()), {}
    yield "linalg.adjoint", (normal((3,)),), {}
    yield "linalg.matrix_rank", (np.ones((3, 3)),), {}
    yield "linalg.matrix_rank", (dominant((2, 3, 3)),), {}


def decompositions() -> Iterator[Case]:
    """What is unique up to signs is compared by its absolute value or by the values alone."""
    for dtype, batch in itertools.product(KINDS, BATCHES):
        for shape in ((3, 3), (4, 2), (2, 4)):
            x = matrix((*batch, *shape), dtype)
            yield "linalg.svd", (x,), {"compute_uv": False}
        hermitian = definite((*batch, 3, 3), dtype)
        yield "linalg.eigvalsh", (hermitian,), {}


def norms() -> Iterator[Case]:
    orders: tuple[Any, ...] = ("euclidean", 1, 2, np.inf, 3, 0.5)
    for dtype in ("float32", "complex64"):
        x = matrix((2, 3, 4), dtype)
        for order, axis, keep in itertools.product(orders, (None, 0, -1), (False, True)):
            yield "norm", (x, order, axis), {"keepdims": keep}
        for order, axis in itertools.product(
            ("euclidean", "fro", 1, 2, np.inf), ([0, 1], (-2, -1))
        ):
            yield "norm", (x, order, axis), {}
        for order, axis in itertools.product(("euclidean", 1, np.inf), (None, 1)):
            yield "linalg.normalize", (x, order, axis), {}
    x = normal((2, 3, 4))
    for order, axis in (
        ("fro", None),
        ("x", None),
        (-1, None),
        (3, [0, 1]),
        (2, [0, 1, 2]),
        (2, [0, 0]),
    ):
        yield "norm", (x, order, axis), {}
    bands = normal((3, 5)) + np.array([[0], [4], [0]], np.float32)
    yield "linalg.tridiagonal_solve", (bands, normal((5, 2))), {}
    yield "linalg.tridiagonal_solve", (bands, normal((5,))), {}
    yield "linalg.tridiagonal_matmul", (bands, normal((5, 2))), {}


def odd_matrices() -> Iterator[Case]:
    """Matrices that are singular, defective or not finite, alone and among others."""
    odd = [[[1, np.nan], [2, 3]], [[1, 2], [np.nan, 3]], [[1, 2], [3, np.nan]],
           [[np.inf, 1], [2, 3]], [[1, np.inf], [2, 3]], [[4, 1], [2, np.inf]],
           [[np.nan, 1], [2, 3]], [[0, 1], [0, 3]],
           [[-1, 1], [2, 3]], [[1, 1], [0, 1]], [[-1, 0], [0, 2]]]  # fmt: skip
    for x in np.array(odd):
        yield "linalg.lu", (x,), {}
        yield "linalg.logm", (x.astype(np.complex128),), {}
        yield "linalg.sqrtm", (x,), {}
    yield "linalg.lu", (np.array([[1.0, 2], [2, 4]]),), {}
    whole = dominant((20, 2, 2), "float64")
    yield "linalg.lu", (np.concatenate([whole, odd[:6]]),), {}
    yield "linalg.sqrtm", (np.concatenate([whole, odd]),), {}
    yield "linalg.logm", (np.concatenate([whole, odd]).astype(np.complex128),), {}
    for dtype in ("float32", "complex64", "float64", "complex128"):
        many = dominant((16, 4, 4), dtype)
        yield "linalg.lu", (matrix((16, 4, 4), dtype),), {}
        yield "linalg.sqrtm", (many,), {}
        if dtype.startswith("complex"):
            yield "linalg.lu", (np.array([[3 + 3j, 1], [5, 2]], dtype),), {}
            yield "linalg.logm", (many,), {}
            yield "linalg.logm", (np.eye(3, k=1).astype(dtype) + np.eye(3, dtype=dtype),), {}


def singular_bands() -> Iterator[Case]:
    """Tridiagonal systems of which one is singular."""
    bands, rhs = normal((7, 3, 4), "float64"), normal((7, 4, 2), "float64", 1)
    bands[:, 1] += 4
    bands[1] = 0
    for some in (bands, rhs), (bands[1], rhs[1]):
        yield "linalg.tridiagonal_solve", some, {}
    yield "linalg.tridiagonal_solve", (np.array([[1.0], [0], [3]]), np.array([[4.0]])), {}


def banded() -> Iterator[Case]:
    """Triangular systems of few diagonals."""
    name = "linalg.banded_triangular_solve"
    random = np.random.default_rng(8)
    for dtype, lower, adjoint in itertools.product(
        ("float32", "float64", "complex128"), (False, True), (False, True)
    ):
        options = {"lower": lower, "adjoint": adjoint}
        for count, size, lead, columns in ((2, 3, (), 1), (2, 4, (), 2), (3, 5, (2,), 1)):
            bands = random.normal(size=(*lead, count, size)) * 0.3
            bands[..., 0 if lower else -1, :] += 2
            yield name, (bands.astype(dtype), random.normal(size=(*lead, size, columns))
                         .astype(dtype)), options  # fmt: skip
    yield name, (np.ones((2, 1, 2, 3)) * 2, np.ones((4, 3, 2))), {}
    yield name, (np.ones((4, 3)), np.ones((3, 2))), {}
    yield name, (np.ones((2, 3)), np.ones(3)), {}
    yield name, (np.ones((2, 3)), np.ones((4, 1))), {}
    yield name, (np.zeros((2, 3)), np.ones((3, 1))), {}


def cases() -> Iterator[Case]:
    """All of them."""
    groups = products, einsums, systems, decompositions, norms, banded, odd_matrices
    for group in (*groups, singular_bands):
        yield from group()
