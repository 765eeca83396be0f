"""`tf.linalg`: linear algebra."""

from graphwright.ops.matrices import (
    band_part,
    diag,
    diag_part,
    eye,
    set_diag,
    tensor_diag,
    tensor_diag_part,
)

__all__ = (
    "band_part",
    "diag",
    "diag_part",
    "eye",
    "set_diag",
    "tensor_diag",
    "tensor_diag_part",
)
