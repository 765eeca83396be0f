"""`tf.data.experimental`: functions for `Dataset.apply`, options, and others beside datasets."""

from graphwright.data.dataset_options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ThreadingOptions,
)
from graphwright.data.experimental.dataset_functions import (
    cardinality,
    choose_from_datasets,
    from_variant,
    get_next_as_optional,
    get_single_element,
    get_structure,
    sample_from_datasets,
    to_variant,
)
from graphwright.data.experimental.transformations import (
    bucket_by_sequence_length,
    dense_to_ragged_batch,
    enumerate_dataset,
    group_by_window,
    ignore_errors,
    scan,
    take_while,
    unbatch,
    unique,
)
from graphwright.data.optional import Optional
from graphwright.data.stage import AUTOTUNE
from graphwright.data.stage import INFINITE as INFINITE_CARDINALITY
from graphwright.data.stage import UNKNOWN as UNKNOWN_CARDINALITY

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "DistributeOptions",
    "ExternalStatePolicy",
    "OptimizationOptions",
    "Optional",
    "ThreadingOptions",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "dense_to_ragged_batch",
    "enumerate_dataset",
    "from_variant",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_window",
    "ignore_errors",
    "sample_from_datasets",
    "scan",
    "take_while",
    "to_variant",
    "unbatch",
    "unique",
]
