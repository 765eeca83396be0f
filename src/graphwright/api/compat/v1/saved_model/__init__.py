"""`tf.compat.v1.saved_model`: graphs of sessions as saved models."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same
from graphwright.api.compat.v1.saved_model import (
    builder,
    loader,
    main_op,
    signature_def_utils,
    utils,
)
from graphwright.portable.saved_model_names import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    CLASSIFY_INPUTS,
    CLASSIFY_METHOD_NAME,
    CLASSIFY_OUTPUT_CLASSES,
    CLASSIFY_OUTPUT_SCORES,
    DEBUG_DIRECTORY,
    DEBUG_INFO_FILENAME_PB,
    DEFAULT_SERVING_SIGNATURE_DEF_KEY,
    GPU,
    LEGACY_INIT_OP_KEY,
    MAIN_OP_KEY,
    PREDICT_INPUTS,
    PREDICT_METHOD_NAME,
    PREDICT_OUTPUTS,
    REGRESS_INPUTS,
    REGRESS_METHOD_NAME,
    REGRESS_OUTPUTS,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
    SAVED_MODEL_SCHEMA_VERSION,
    SERVING,
    TPU,
    TRAINING,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)

if TYPE_CHECKING:
    from graphwright.portable.classic.models.model_builder import SavedModelBuilder as Builder
    from graphwright.portable.classic.models.model_builder import main_op_with_restore, simple_save
    from graphwright.portable.classic.models.model_loader import load
    from graphwright.portable.classic.models.signature_messages import (
        build_signature_def,
        build_tensor_info,
        classification_signature_def,
        get_tensor_from_tensor_info,
        is_valid_signature,
        predict_signature_def,
        regression_signature_def,
    )
    from graphwright.portable.model_saving import SaveOptions, save
    from graphwright.portable.saved_model import Asset, LoadOptions, contains_saved_model
    from graphwright.portable.saved_model import contains_saved_model as maybe_saved_model_directory
    from graphwright.portable.saved_model import load as load_v2

__all__ = [
    "ASSETS_DIRECTORY",
    "ASSETS_KEY",
    "CLASSIFY_INPUTS",
    "CLASSIFY_METHOD_NAME",
    "CLASSIFY_OUTPUT_CLASSES",
    "CLASSIFY_OUTPUT_SCORES",
    "DEBUG_DIRECTORY",
    "DEBUG_INFO_FILENAME_PB",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY",
    "GPU",
    "LEGACY_INIT_OP_KEY",
    "MAIN_OP_KEY",
    "PREDICT_INPUTS",
    "PREDICT_METHOD_NAME",
    "PREDICT_OUTPUTS",
    "REGRESS_INPUTS",
    "REGRESS_METHOD_NAME",
    "REGRESS_OUTPUTS",
    "SAVED_MODEL_FILENAME_PB",
    "SAVED_MODEL_FILENAME_PBTXT",
    "SAVED_MODEL_SCHEMA_VERSION",
    "SERVING",
    "TPU",
    "TRAINING",
    "VARIABLES_DIRECTORY",
    "VARIABLES_FILENAME",
    "Asset",
    "Builder",
    "LoadOptions",
    "SaveOptions",
    "build_signature_def",
    "build_tensor_info",
    "builder",
    "classification_signature_def",
    "contains_saved_model",
    "get_tensor_from_tensor_info",
    "is_valid_signature",
    "load",
    "load_v2",
    "loader",
    "main_op",
    "main_op_with_restore",
    "maybe_saved_model_directory",
    "predict_signature_def",
    "regression_signature_def",
    "save",
    "signature_def_utils",
    "simple_save",
    "utils",
]

#: Where the names are that few programs need, and what each is there.
_LATE: dict[str, dict[str, str]] = {
    "graphwright.portable.classic.models.model_builder": {
        "Builder": "SavedModelBuilder",
        "main_op_with_restore": "main_op_with_restore",
        "simple_save": "simple_save",
    },
    "graphwright.portable.classic.models.model_loader": {
        "load": "load",
    },
    "graphwright.portable.classic.models.signature_messages": {
        "build_signature_def": "build_signature_def",
        "build_tensor_info": "build_tensor_info",
        "classification_signature_def": "classification_signature_def",
        "get_tensor_from_tensor_info": "get_tensor_from_tensor_info",
        "is_valid_signature": "is_valid_signature",
        "predict_signature_def": "predict_signature_def",
        "regression_signature_def": "regression_signature_def",
    },
    "graphwright.portable.model_saving": {
        "SaveOptions": "SaveOptions",
        "save": "save",
    },
    "graphwright.portable.saved_model": {
        "Asset": "Asset",
        "LoadOptions": "LoadOptions",
        "contains_saved_model": "contains_saved_model",
        "load_v2": "load",
        "maybe_saved_model_directory": "contains_saved_model",
    },
}

__getattr__: Any = late_or_same(__name__, _LATE)
