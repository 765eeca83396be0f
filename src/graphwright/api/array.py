"""Top-level names for arrays: shapes, slices, joining, padding, gathering, filling, products."""

from graphwright.ops.core.creation import fill, ones, ones_like, zeros, zeros_like
from graphwright.ops.core.gathering import gather, gather_nd, scatter_nd
from graphwright.ops.core.grids import meshgrid, unravel_index
from graphwright.ops.core.identity import (
    ensure_shape,
    guarantee_const,
    identity,
    identity_n,
    stop_gradient,
)
from graphwright.ops.core.indexing import boolean_mask, where
from graphwright.ops.core.indicators import one_hot, sequence_mask
from graphwright.ops.core.joining import concat, parallel_stack, split, stack, unstack
from graphwright.ops.core.movement import broadcast_to, expand_dims, reshape, squeeze, transpose
from graphwright.ops.core.padding import pad
from graphwright.ops.core.partition import dynamic_partition, dynamic_stitch
from graphwright.ops.core.repetition import repeat, tile
from graphwright.ops.core.reversal import reverse, reverse_sequence, roll
from graphwright.ops.core.scattering import (
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from graphwright.ops.core.sequences import linspace, range
from graphwright.ops.core.shapes import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    rank,
    shape,
    shape_n,
    size,
)
from graphwright.ops.core.slicing import slice, strided_slice
from graphwright.ops.linalg.contraction import matmul
from graphwright.ops.linalg.matrices import eye

__all__ = TOP_LEVEL = (
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "concat",
    "dynamic_partition",
    "dynamic_stitch",
    "ensure_shape",
    "expand_dims",
    "eye",
    "fill",
    "gather",
    "gather_nd",
    "guarantee_const",
    "identity",
    "identity_n",
    "linspace",
    "matmul",
    "meshgrid",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "parallel_stack",
    "range",
    "rank",
    "repeat",
    "reshape",
    "reverse",
    "reverse_sequence",
    "roll",
    "scatter_nd",
    "sequence_mask",
    "shape",
    "shape_n",
    "size",
    "slice",
    "split",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tile",
    "transpose",
    "unravel_index",
    "unstack",
    "where",
    "zeros",
    "zeros_like",
)
