"""`tf.config.optimizer`: options of the graph passes."""

from graphwright.library.config.config import (
    get_experimental_options,
    get_jit,
    set_experimental_options,
    set_jit,
)

__all__ = [
    "get_experimental_options",
    "get_jit",
    "set_experimental_options",
    "set_jit",
]
