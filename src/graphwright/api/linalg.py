"""`tf.linalg`: linear algebra."""

from graphwright.ops.contraction import matmul
from graphwright.ops.decomposition import cholesky, eig, eigh, eigvals, eigvalsh, lu, qr, svd
from graphwright.ops.linalg import (
    adjoint,
    det,
    inv,
    lstsq,
    matrix_transpose,
    slogdet,
    solve,
    triangular_solve,
)
from graphwright.ops.matrices import (
    band_part,
    diag,
    diag_part,
    eye,
    set_diag,
    tensor_diag,
    tensor_diag_part,
)
from graphwright.ops.matrix_function import expm, logm, sqrtm
from graphwright.ops.normalization import l2_normalize

__all__ = (
    "adjoint",
    "band_part",
    "cholesky",
    "det",
    "diag",
    "diag_part",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "eye",
    "inv",
    "l2_normalize",
    "logm",
    "lstsq",
    "lu",
    "matmul",
    "matrix_transpose",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "triangular_solve",
)

TOP_LEVEL = ("eig", "eigvals", "matmul")
