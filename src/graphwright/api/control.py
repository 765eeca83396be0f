"""Top-level names of control flow."""

from graphwright.control.branch import case, cond, switch_case
from graphwright.control.dependencies import control_dependencies, group, no_op, tuple
from graphwright.control.loop import while_loop
from graphwright.control.map import foldl, foldr, map_fn, scan
from graphwright.control.tensor_array import TensorArray, TensorArraySpec
from graphwright.control.vectorize import vectorized_map
from graphwright.ops.core.effect_ops import timestamp

__all__ = [
    "TensorArray",
    "TensorArraySpec",
    "case",
    "cond",
    "control_dependencies",
    "foldl",
    "foldr",
    "group",
    "map_fn",
    "no_op",
    "scan",
    "switch_case",
    "timestamp",
    "tuple",
    "vectorized_map",
    "while_loop",
]

TOP_LEVEL = (*__all__,)
