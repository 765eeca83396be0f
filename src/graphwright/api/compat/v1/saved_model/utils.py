"""`tf.compat.v1.saved_model.utils`: messages that name tensors."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same

if TYPE_CHECKING:
    from graphwright.portable.classic.models.signature_messages import (
        build_tensor_info,
        get_tensor_from_tensor_info,
    )

__all__ = [
    "build_tensor_info",
    "get_tensor_from_tensor_info",
]

#: Where the names are that few programs need, and what each is there.
_LATE: dict[str, dict[str, str]] = {
    "graphwright.portable.classic.models.signature_messages": {
        "build_tensor_info": "build_tensor_info",
        "get_tensor_from_tensor_info": "get_tensor_from_tensor_info",
    },
}

__getattr__: Any = late_or_same(__name__, _LATE)
