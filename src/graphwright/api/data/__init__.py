"""`tf.data`: pipelines of elements."""

from graphwright.api.data import experimental
from graphwright.data.dataset import Dataset
from graphwright.data.dataset_options import Options, ThreadingOptions
from graphwright.data.dataset_value import DatasetSpec
from graphwright.data.file_datasets import (
    FixedLengthRecordDataset,
    TextLineDataset,
    TFRecordDataset,
)
from graphwright.data.iterator import Iterator, IteratorSpec, NumpyIterator
from graphwright.data.optional import OptionalSpec
from graphwright.data.stage import INFINITE as INFINITE_CARDINALITY
from graphwright.data.stage import UNKNOWN as UNKNOWN_CARDINALITY
from graphwright.data.tuning.pipeline_budget import AUTOTUNE

TOP_LEVEL = ("OptionalSpec",)

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
