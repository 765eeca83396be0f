"""`tf.compat.v1.saved_model.signature_def_utils`: messages of signatures."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same

if TYPE_CHECKING:
    from graphwright.portable.classic.models.signature_messages import (
        build_signature_def,
        classification_signature_def,
        is_valid_signature,
        predict_signature_def,
        regression_signature_def,
    )

__all__ = [
    "build_signature_def",
    "classification_signature_def",
    "is_valid_signature",
    "predict_signature_def",
    "regression_signature_def",
]

#: Where the names are that few programs need, and what each is there.
_LATE: dict[str, dict[str, str]] = {
    "graphwright.portable.classic.models.signature_messages": {
        "build_signature_def": "build_signature_def",
        "classification_signature_def": "classification_signature_def",
        "is_valid_signature": "is_valid_signature",
        "predict_signature_def": "predict_signature_def",
        "regression_signature_def": "regression_signature_def",
    },
}

__getattr__: Any = late_or_same(__name__, _LATE)
