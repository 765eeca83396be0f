"""Linear operators and what is asked of them, with either package (`tf`)."""

from __future__ import annotations

from typing import Any

OPERATORS = """
L.LinearOperatorFullMatrix(m3)
L.LinearOperatorFullMatrix(b3)
L.LinearOperatorFullMatrix(m3[:2])
L.LinearOperatorFullMatrix(s3, is_self_adjoint=True, is_positive_definite=True)
L.LinearOperatorFullMatrix(c3)
L.LinearOperatorFullMatrix(m3 * 0)
L.LinearOperatorFullMatrix(m3, is_non_singular=False)
L.LinearOperatorDiag(v3)
L.LinearOperatorDiag(bv3)
L.LinearOperatorDiag(cv3)
L.LinearOperatorDiag(abs(v3), is_positive_definite=True)
L.LinearOperatorDiag(v3 * 0)
L.LinearOperatorIdentity(3)
L.LinearOperatorIdentity(3, batch_shape=[2])
L.LinearOperatorScaledIdentity(3, 2.5)
L.LinearOperatorScaledIdentity(3, [2.5, -1.0])
L.LinearOperatorScaledIdentity(3, 4.0, is_positive_definite=True)
L.LinearOperatorZeros(3)
L.LinearOperatorZeros(3, 2, is_square=False, is_self_adjoint=False)
L.LinearOperatorLowerTriangular(m3)
L.LinearOperatorLowerTriangular(b3)
L.LinearOperatorHouseholder(v3)
L.LinearOperatorHouseholder(bv3)
L.LinearOperatorPermutation([2, 0, 1])
L.LinearOperatorPermutation([1, 0, 2])
L.LinearOperatorToeplitz([1.0, 2.0, 3.0], [1.0, -4.0, 5.0])
L.LinearOperatorToeplitz(bv3, bv3)
L.LinearOperatorTridiag(m3 + 3 * eye)
L.LinearOperatorTridiag([v3, v3 + 5, v3], 'sequence')
L.LinearOperatorTridiag(m3 + 3 * eye, 'matrix')
L.LinearOperatorCirculant(cv3)
L.LinearOperatorCirculant(v3)
L.LinearOperatorCirculant2D([[1.0, 2.0], [3.0, 4.5]])
L.LinearOperatorCirculant3D([[[1.0, 2.0], [3.0, 4.5]], [[1.5, 2.5], [3.5, 4.0]]])
L.LinearOperatorComposition([L.LinearOperatorFullMatrix(m3), L.LinearOperatorDiag(v3)])
L.LinearOperatorComposition([L.LinearOperatorFullMatrix(b3), L.LinearOperatorFullMatrix(m3)])
L.LinearOperatorKronecker([L.LinearOperatorFullMatrix(m3[:2, :2]), L.LinearOperatorDiag(v3)])
L.LinearOperatorKronecker([L.LinearOperatorFullMatrix(m3[:2]), L.LinearOperatorFullMatrix(b3)])
L.LinearOperatorBlockDiag([L.LinearOperatorFullMatrix(m3), L.LinearOperatorDiag(v3[:2])])
L.LinearOperatorBlockDiag([L.LinearOperatorFullMatrix(b3), L.LinearOperatorIdentity(2)])
T([[L.LinearOperatorFullMatrix(m3)], [L.LinearOperatorFullMatrix(m3[:2]), L.LinearOperatorFullMatrix(m3[:2, :2])]])
T([[L.LinearOperatorDiag(v3)], [L.LinearOperatorFullMatrix(b3[:, :1]), L.LinearOperatorFullMatrix(m3[:1, :1])], [L.LinearOperatorFullMatrix(m3[:2]), L.LinearOperatorFullMatrix(m3[:2, :1]), L.LinearOperatorIdentity(2)]])
T([[L.LinearOperatorFullMatrix(m3)]])
T([])
T([[L.LinearOperatorFullMatrix(m3)], [L.LinearOperatorFullMatrix(m3)]])
T([[L.LinearOperatorFullMatrix(m3[:2])]])
T([[L.LinearOperatorFullMatrix(m3)], [L.LinearOperatorFullMatrix(m3[:2, :2]), L.LinearOperatorIdentity(2)]])
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(v3), m3[:, :2])
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(v3), m3[:, :2], [0.5, 2.0])
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(v3), m3[:, :2], [0.5, 2.0], m3[:, 1:])
L.LinearOperatorAdjoint(L.LinearOperatorFullMatrix(m3))
L.LinearOperatorAdjoint(L.LinearOperatorFullMatrix(c3))
L.LinearOperatorInversion(L.LinearOperatorFullMatrix(m3))
L.LinearOperatorFullMatrix(m3).matmul(L.LinearOperatorDiag(v3))
L.LinearOperatorDiag(v3).matmul(L.LinearOperatorDiag(v3 + 1))
L.LinearOperatorFullMatrix(m3).solve(L.LinearOperatorDiag(v3))
L.LinearOperatorFullMatrix(m3) @ L.LinearOperatorIdentity(3)
L.LinearOperatorDiag(v3).inverse()
L.LinearOperatorCirculant(v3).inverse()
L.LinearOperatorDiag(abs(v3), is_positive_definite=True).cholesky()
L.LinearOperatorFullMatrix(s3, is_self_adjoint=True, is_positive_definite=True).cholesky()
L.LinearOperatorDiag(v3, is_self_adjoint=False)
L.LinearOperatorDiag(v3, is_non_singular=False, is_positive_definite=True)
L.LinearOperatorFullMatrix(m3, is_square=False, is_non_singular=True)
L.LinearOperatorFullMatrix(v3)
L.LinearOperatorIdentity(-1)
L.LinearOperatorIdentity(1.5)
L.LinearOperatorIdentity([3])
L.LinearOperatorTridiag(m3, 'rows')
L.LinearOperatorComposition([])
L.LinearOperatorPermutation([1.0, 0.0])
L.LinearOperatorFullMatrix(m3).matmul(L.LinearOperatorIdentity(2))
L.LinearOperatorFullMatrix(m3[:2]).inverse()
L.LinearOperatorFullMatrix(m3, is_non_singular=False).inverse()
L.LinearOperatorFullMatrix(m3).cholesky()
"""

METHODS = """
(o.dtype.name, o.shape.as_list(), o.batch_shape.as_list(), o.tensor_rank)
(int(o.domain_dimension), int(o.range_dimension), o.is_square)
(o.is_non_singular, o.is_self_adjoint, o.is_positive_definite)
o.shape_tensor()
o.batch_shape_tensor()
o.to_dense()
o.matmul(right(o))
o.matmul(left(o), adjoint=True)
o.matmul(tf.linalg.adjoint(right(o)), adjoint_arg=True)
o.matmul(batched(right(o)))
o.matvec(right(o)[..., 0])
o.matvec(left(o)[..., 0], adjoint=True)
o.solve(left(o))
o.solve(right(o), adjoint=True)
o.solve(batched(left(o)))
o.solvevec(left(o)[..., 0])
o.determinant()
o.log_abs_determinant()
o.diag_part()
o.trace()
o.add_to_tensor(o.to_dense() * 2)
o.adjoint().to_dense()
o.inverse().to_dense()
o.cond()
tf.sort(tf.math.real(o.eigvals()))
o.assert_non_singular()
o.assert_self_adjoint()
o.assert_positive_definite()
o.matmul(right(o)[..., :-1, :])
"""


def names(tf: Any) -> dict[str, Any]:
    """What the expressions use."""
    import numpy as np

    rng = np.random.default_rng(5)

    def real(*dims: int) -> Any:
        return rng.normal(size=dims).astype(np.float32)

    def complex(*dims: int) -> Any:
        return (real(*dims) + 1j * real(*dims)).astype(np.complex64)

    m3, b3, v3, bv3, c3, cv3 = (
        real(3, 3), real(2, 3, 3), real(3), real(2, 3), complex(3, 3), complex(3),
    )  # fmt: skip
    columns = rng.normal(size=(40, 2))

    def operand(operator: Any, size: int) -> Any:
        return tf.cast(tf.constant(columns[:size]), operator.dtype)

    def batched(x: Any) -> Any:
        return tf.stack([x, 2 * x])

    return {
        "T": tf.linalg.LinearOperatorBlockLowerTriangular,
        "tf": tf, "L": tf.linalg, "m3": m3, "b3": b3, "v3": v3, "bv3": bv3, "c3": c3, "cv3": cv3,
        "s3": m3 @ m3.T + np.eye(3, dtype=np.float32), "eye": np.eye(3, dtype=np.float32),
        "right": lambda o: operand(o, o.domain_dimension),
        "left": lambda o: operand(o, o.range_dimension), "batched": batched,
    }  # fmt: skip


def show(value: Any) -> Any:
    """A result as JSON holds it."""
    if not hasattr(value, "numpy"):
        return repr(value)
    array = value.numpy()
    if array.dtype.kind == "c":
        return [array.dtype.name, array.real.tolist(), array.imag.tolist()]
    return [array.dtype.name, array.tolist()]


def outcomes(tf: Any) -> dict[str, Any]:
    """What each method of each operator gives, or the class of the error."""
    known = names(tf)
    found: dict[str, Any] = {}
    for line in OPERATORS.strip().splitlines():
        try:
            operator = eval(line, known)
        except Exception as error:  # noqa: BLE001 - which error is what is compared
            found[line] = f"! {type(error).__name__}"
            continue
        found[line] = methods = {}
        for method in METHODS.strip().splitlines():
            try:
                methods[method] = show(eval(method, {**known, "o": operator}))
            except Exception as error:  # noqa: BLE001 - likewise
                methods[method] = f"! {type(error).__name__}"
    return found
