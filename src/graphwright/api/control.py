"""Top-level names of control flow."""

from graphwright.control.branch import case, cond, switch_case
from graphwright.control.dependencies import control_dependencies, group, no_op, tuple
from graphwright.control.loop import while_loop
from graphwright.ops.core.effect_ops import timestamp

__all__ = [
    "case",
    "cond",
    "control_dependencies",
    "group",
    "no_op",
    "switch_case",
    "timestamp",
    "tuple",
    "while_loop",
]

TOP_LEVEL = (*__all__,)
