"""`tf.compat.v1.saved_model.main_op`: what runs when a model is loaded."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same

if TYPE_CHECKING:
    from graphwright.portable.classic.models.model_builder import main_op, main_op_with_restore

__all__ = [
    "main_op",
    "main_op_with_restore",
]

#: Where the names are that few programs need, and what each is there.
_LATE: dict[str, dict[str, str]] = {
    "graphwright.portable.classic.models.model_builder": {
        "main_op": "main_op",
        "main_op_with_restore": "main_op_with_restore",
    },
}

__getattr__: Any = late_or_same(__name__, _LATE)
