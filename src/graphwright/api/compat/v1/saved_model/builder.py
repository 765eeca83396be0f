"""`tf.compat.v1.saved_model.builder`: writes models."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same

if TYPE_CHECKING:
    from graphwright.portable.classic.models.model_builder import SavedModelBuilder

__all__ = [
    "SavedModelBuilder",
]

#: Where the names are that few programs need, and what each is there.
_LATE: dict[str, dict[str, str]] = {
    "graphwright.portable.classic.models.model_builder": {
        "SavedModelBuilder": "SavedModelBuilder",
    },
}

__getattr__: Any = late_or_same(__name__, _LATE)
