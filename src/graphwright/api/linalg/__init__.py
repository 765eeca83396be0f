"""`tf.linalg`: linear algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphwright.api import late
from graphwright.api.linalg import experimental
from graphwright.ops.linalg.contraction import matmul, matvec, tensordot
from graphwright.ops.linalg.matrices import band_part, diag, diag_part, eye, set_diag
from graphwright.ops.math.clipping import global_norm
from graphwright.ops.nn.normalization import l2_normalize

if TYPE_CHECKING:
    from graphwright.library.linear_operators.block_operators import (
        LinearOperatorBlockDiag,
        LinearOperatorKronecker,
        LinearOperatorLowRankUpdate,
    )
    from graphwright.library.linear_operators.circulant_operators import (
        LinearOperatorCirculant,
        LinearOperatorCirculant2D,
        LinearOperatorCirculant3D,
    )
    from graphwright.library.linear_operators.derived_operators import (
        LinearOperatorAdjoint,
        LinearOperatorComposition,
        LinearOperatorInversion,
        LinearOperatorLowerTriangular,
    )
    from graphwright.library.linear_operators.diagonal_operators import (
        LinearOperatorDiag,
        LinearOperatorIdentity,
        LinearOperatorScaledIdentity,
        LinearOperatorZeros,
    )
    from graphwright.library.linear_operators.linear_operator import LinearOperator
    from graphwright.library.linear_operators.structured_operators import (
        LinearOperatorFullMatrix,
        LinearOperatorHouseholder,
        LinearOperatorPermutation,
        LinearOperatorToeplitz,
        LinearOperatorTridiag,
    )
    from graphwright.library.linear_operators.triangular_operators import (
        LinearOperatorBlockLowerTriangular,
    )
    from graphwright.ops.linalg.banded import banded_triangular_solve
    from graphwright.ops.linalg.decomposition import (
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
    from graphwright.ops.linalg.einsum import einsum
    from graphwright.ops.linalg.linear_systems import (
        adjoint,
        det,
        inv,
        lstsq,
        matrix_transpose,
        slogdet,
        solve,
        triangular_solve,
    )
    from graphwright.ops.linalg.matrix_functions import expm, logm, sqrtm
    from graphwright.ops.linalg.matrix_functions import sqrtm as matrix_square_root
    from graphwright.ops.linalg.norms import (
        cholesky_solve,
        logdet,
        matrix_rank,
        norm,
        normalize,
        pinv,
        trace,
    )
    from graphwright.ops.linalg.tensor_diagonals import tensor_diag, tensor_diag_part
    from graphwright.ops.linalg.tridiagonal import (
        cross,
        eigh_tridiagonal,
        tridiagonal_matmul,
        tridiagonal_solve,
    )

#: Modules that the first use of one of their names imports: most programs need few of them.
_LATE = {
    "graphwright.library.linear_operators.block_operators": (
        "LinearOperatorBlockDiag",
        "LinearOperatorKronecker",
        "LinearOperatorLowRankUpdate",
    ),
    "graphwright.library.linear_operators.circulant_operators": (
        "LinearOperatorCirculant",
        "LinearOperatorCirculant2D",
        "LinearOperatorCirculant3D",
    ),
    "graphwright.library.linear_operators.derived_operators": (
        "LinearOperatorAdjoint",
        "LinearOperatorComposition",
        "LinearOperatorInversion",
        "LinearOperatorLowerTriangular",
    ),
    "graphwright.library.linear_operators.diagonal_operators": (
        "LinearOperatorDiag",
        "LinearOperatorIdentity",
        "LinearOperatorScaledIdentity",
        "LinearOperatorZeros",
    ),
    "graphwright.library.linear_operators.linear_operator": ("LinearOperator",),
    "graphwright.library.linear_operators.structured_operators": (
        "LinearOperatorFullMatrix",
        "LinearOperatorHouseholder",
        "LinearOperatorPermutation",
        "LinearOperatorToeplitz",
        "LinearOperatorTridiag",
    ),
    "graphwright.library.linear_operators.triangular_operators": (
        "LinearOperatorBlockLowerTriangular",
    ),
    "graphwright.ops.linalg.banded": ("banded_triangular_solve",),
    "graphwright.ops.linalg.decomposition": (
        "cholesky",
        "eig",
        "eigh",
        "eigvals",
        "eigvalsh",
        "lu",
        "lu_matrix_inverse",
        "lu_reconstruct",
        "lu_solve",
        "qr",
        "svd",
    ),
    "graphwright.ops.linalg.einsum": ("einsum",),
    "graphwright.ops.linalg.linear_systems": (
        "adjoint",
        "det",
        "inv",
        "lstsq",
        "matrix_transpose",
        "slogdet",
        "solve",
        "triangular_solve",
    ),
    "graphwright.ops.linalg.matrix_functions": (
        "expm",
        "logm",
        "sqrtm",
        "sqrtm as matrix_square_root",
    ),
    "graphwright.ops.linalg.norms": (
        "cholesky_solve",
        "logdet",
        "matrix_rank",
        "norm",
        "normalize",
        "pinv",
        "trace",
    ),
    "graphwright.ops.linalg.tensor_diagonals": ("tensor_diag", "tensor_diag_part"),
    "graphwright.ops.linalg.tridiagonal": (
        "cross",
        "eigh_tridiagonal",
        "tridiagonal_matmul",
        "tridiagonal_solve",
    ),
}

__getattr__ = late(__name__, _LATE)

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

TOP_LEVEL = ("matrix_square_root",)
