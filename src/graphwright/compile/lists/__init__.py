"""Lists of tensors in machine code."""
