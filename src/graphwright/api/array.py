"""Top-level names for arrays: shapes, slices, joining, padding, gathering, filling."""

from graphwright.ops.blocks import (
    batch_to_space,
    required_space_to_batch_paddings,
    space_to_batch,
    space_to_batch_nd,
)
from graphwright.ops.creation import fill, ones, ones_like, zeros, zeros_like
from graphwright.ops.gathering import (
    gather,
    gather_nd,
    scatter_nd,
)
from graphwright.ops.grids import meshgrid, unravel_index
from graphwright.ops.identities import (
    ensure_shape,
    guarantee_const,
    identity,
    identity_n,
    stop_gradient,
)
from graphwright.ops.index_shuffle import random_index_shuffle
from graphwright.ops.indexing import boolean_mask, where
from graphwright.ops.indicators import one_hot, sequence_mask
from graphwright.ops.joining import concat, parallel_stack, split, stack, unstack
from graphwright.ops.matrices import eye
from graphwright.ops.movement import broadcast_to, expand_dims, reshape, squeeze, transpose
from graphwright.ops.padding import pad
from graphwright.ops.partition import dynamic_partition, dynamic_stitch
from graphwright.ops.patches import extract_volume_patches
from graphwright.ops.ragged_rows import ragged_fill_empty_rows, ragged_fill_empty_rows_grad
from graphwright.ops.repetition import repeat, tile
from graphwright.ops.reversal import reverse, reverse_sequence, roll
from graphwright.ops.scattering import (
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from graphwright.ops.sequences import linspace, range
from graphwright.ops.shape import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    rank,
    shape,
    shape_n,
    size,
)
from graphwright.ops.slicing import slice, strided_slice

__all__ = TOP_LEVEL = (
    "batch_to_space",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "concat",
    "dynamic_partition",
    "dynamic_stitch",
    "ensure_shape",
    "expand_dims",
    "extract_volume_patches",
    "eye",
    "fill",
    "gather",
    "gather_nd",
    "guarantee_const",
    "identity",
    "identity_n",
    "linspace",
    "meshgrid",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "parallel_stack",
    "ragged_fill_empty_rows",
    "ragged_fill_empty_rows_grad",
    "random_index_shuffle",
    "range",
    "rank",
    "repeat",
    "required_space_to_batch_paddings",
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
    "space_to_batch",
    "space_to_batch_nd",
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
