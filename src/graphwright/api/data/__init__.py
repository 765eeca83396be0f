"""`tf.data`: pipelines of elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphwright.api import late
from graphwright.data.dataset import Dataset
from graphwright.data.dataset_options import Options, ThreadingOptions
from graphwright.data.dataset_value import DatasetSpec
from graphwright.data.iterator import Iterator, IteratorSpec, NumpyIterator
from graphwright.data.stage import INFINITE as INFINITE_CARDINALITY
from graphwright.data.stage import UNKNOWN as UNKNOWN_CARDINALITY
from graphwright.data.tuning.pipeline_budget import AUTOTUNE

if TYPE_CHECKING:
    from graphwright.api.data import experimental
    from graphwright.data.file_datasets import (
        FixedLengthRecordDataset,
        TextLineDataset,
        TFRecordDataset,
    )

#: Names that most pipelines never use, and the modules that have them.
_LATE = {
    "graphwright.data.file_datasets": (
        "FixedLengthRecordDataset",
        "TFRecordDataset",
        "TextLineDataset",
    ),
}

__getattr__ = late(__name__, _LATE, inside=["experimental"])

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "experimental",
]
