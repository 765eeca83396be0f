"""`tf.experimental`: types of a program's own, and functions for them."""

from __future__ import annotations

from graphwright.api.dtypes import experimental as _dtypes
from graphwright.api.dtypes.experimental import *
from graphwright.api.experimental import dlpack, dtensor, extension_type, numpy
from graphwright.data.optional import Optional
from graphwright.library.dispatch.user_dispatch import (
    dispatch_for_api,
    dispatch_for_binary_elementwise_apis,
    dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for,
)
from graphwright.library.objects.extension_type import (
    BatchableExtensionType,
    ExtensionType,
    ExtensionTypeBatchEncoder,
    ExtensionTypeSpec,
)
from graphwright.ragged.ragged_shape import DynamicRaggedShape
from graphwright.ragged.row_partition import RowPartition

__all__ = [
    *_dtypes.__all__,
    "BatchableExtensionType",
    "DynamicRaggedShape",
    "ExtensionType",
    "ExtensionTypeBatchEncoder",
    "ExtensionTypeSpec",
    "Optional",
    "RowPartition",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_unary_elementwise_apis",
    "dlpack",
    "dtensor",
    "extension_type",
    "numpy",
    "unregister_dispatch_for",
]
