"""`tf.compat.v1.nn`: ops of neural networks, with the arguments that TensorFlow 1 had."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same

if TYPE_CHECKING:
    from graphwright.portable.classic.classic_functions import dropout
    from graphwright.portable.classic.former_functions import xw_plus_b

__all__ = ["dropout", "xw_plus_b"]

__getattr__: Any = late_or_same(
    __name__,
    {
        "graphwright.portable.classic.classic_functions": {"dropout": "dropout"},
        "graphwright.portable.classic.former_functions": {"xw_plus_b": "xw_plus_b"},
    },
)
