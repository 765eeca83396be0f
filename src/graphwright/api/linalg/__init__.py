"""`tf.linalg`: linear algebra."""

from graphwright.api.linalg import experimental
from graphwright.edge.block_operators import (
    LinearOperatorBlockDiag,
    LinearOperatorKronecker,
    LinearOperatorLowRankUpdate,
)
from graphwright.edge.circulant_operators import (
    LinearOperatorCirculant,
    LinearOperatorCirculant2D,
    LinearOperatorCirculant3D,
)
from graphwright.edge.derived_operators import (
    LinearOperatorAdjoint,
    LinearOperatorComposition,
    LinearOperatorInversion,
    LinearOperatorLowerTriangular,
)
from graphwright.edge.diagonal_operators import (
    LinearOperatorDiag,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from graphwright.edge.linear_operator import (
    LinearOperator,
)
from graphwright.edge.structured_operators import (
    LinearOperatorFullMatrix,
    LinearOperatorHouseholder,
    LinearOperatorPermutation,
    LinearOperatorToeplitz,
    LinearOperatorTridiag,
)
from graphwright.edge.triangular_operators import LinearOperatorBlockLowerTriangular
from graphwright.ops.banded import banded_triangular_solve
from graphwright.ops.clipping import global_norm
from graphwright.ops.contraction import matmul, matvec, tensordot
from graphwright.ops.decomposition import (
    cholesky,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    lu,
    lu_matrix_inverse,
    lu_reconstruct,
    lu_solve,
    qr,
    svd,
)
from graphwright.ops.einsum import einsum
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
)
from graphwright.ops.matrix_function import expm, logm, sqrtm
from graphwright.ops.matrix_function import sqrtm as matrix_square_root
from graphwright.ops.normalization import l2_normalize
from graphwright.ops.norms import cholesky_solve, logdet, matrix_rank, norm, normalize, pinv, trace
from graphwright.ops.tensor_diagonals import tensor_diag, tensor_diag_part
from graphwright.ops.tridiagonal import (
    cross,
    eigh_tridiagonal,
    tridiagonal_matmul,
    tridiagonal_solve,
)

__all__ = (
    "LinearOperator",
    "LinearOperatorAdjoint",
    "LinearOperatorBlockDiag",
    "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant",
    "LinearOperatorCirculant2D",
    "LinearOperatorCirculant3D",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder",
    "LinearOperatorIdentity",
    "LinearOperatorInversion",
    "LinearOperatorKronecker",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular",
    "LinearOperatorPermutation",
    "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz",
    "LinearOperatorTridiag",
    "LinearOperatorZeros",
    "adjoint",
    "band_part",
    "banded_triangular_solve",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eig",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvalsh",
    "einsum",
    "experimental",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "logm",
    "lstsq",
    "lu",
    "lu_matrix_inverse",
    "lu_reconstruct",
    "lu_solve",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
)

TOP_LEVEL = (
    "eig",
    "eigvals",
    "einsum",
    "eye",
    "matmul",
    "matrix_square_root",
    "norm",
    "tensordot",
)
