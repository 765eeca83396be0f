"""Top-level names of control flow."""

from graphwright.control.branch import case, cond, switch_case
from graphwright.control.dependencies import control_dependencies, group, no_op
from graphwright.control.loop import while_loop
from graphwright.control.python_call import numpy_function, py_function
from graphwright.control.tensor_array import TensorArray, TensorArraySpec
from graphwright.ops.effects import timestamp
from graphwright.ops.printing import print

__all__ = [
    "TensorArray",
    "TensorArraySpec",
    "case",
    "cond",
    "control_dependencies",
    "group",
    "no_op",
    "numpy_function",
    "print",
    "py_function",
    "switch_case",
    "timestamp",
    "while_loop",
]

TOP_LEVEL = tuple(__all__)
