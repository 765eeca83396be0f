"""`tf.compat.v1.saved_model.loader`: reads models."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same

if TYPE_CHECKING:
    from graphwright.portable.classic.models.model_loader import load
    from graphwright.portable.saved_model import contains_saved_model as maybe_saved_model_directory

__all__ = [
    "load",
    "maybe_saved_model_directory",
]

#: Where the names are that few programs need, and what each is there.
_LATE: dict[str, dict[str, str]] = {
    "graphwright.portable.classic.models.model_loader": {
        "load": "load",
    },
    "graphwright.portable.saved_model": {
        "maybe_saved_model_directory": "contains_saved_model",
    },
}

__getattr__: Any = late_or_same(__name__, _LATE)
