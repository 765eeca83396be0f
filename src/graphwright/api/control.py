"""Top-level names of control flow."""


TOP_LEVEL = ("TensorArray", "TensorArraySpec", "case", "cond", "switch_case", "while_loop")
