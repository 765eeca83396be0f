"""Top-level names of control flow."""

from graphwright.control.branch import case, cond, switch_case
from graphwright.control.loop import while_loop
from graphwright.control.tensor_array import TensorArray, TensorArraySpec

__all__ = ["TensorArray", "TensorArraySpec", "case", "cond", "switch_case", "while_loop"]

TOP_LEVEL = tuple(__all__)
