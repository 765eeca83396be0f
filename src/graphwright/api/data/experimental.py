"""`tf.data.experimental`: functions for `Dataset.apply`, options, and others beside datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphwright.api import late
from graphwright.data.dataset_options import (
    AutotuneOptions,
    DistributeOptions,
    OptimizationOptions,
    ServiceOptions,
    ThreadingOptions,
)
from graphwright.data.stage import INFINITE as INFINITE_CARDINALITY
from graphwright.data.stage import SHARD_HINT
from graphwright.data.stage import UNKNOWN as UNKNOWN_CARDINALITY
from graphwright.data.tuning.pipeline_budget import AUTOTUNE

if TYPE_CHECKING:
    from graphwright.data.experimental.dataset_functions import (
        Counter,
        at,
        cardinality,
        choose_from_datasets,
        enable_debug_mode,
        from_list,
        from_variant,
        get_next_as_optional,
        get_single_element,
        get_structure,
        sample_from_datasets,
        to_variant,
    )
    from graphwright.data.experimental.dataset_tables import (
        DatasetInitializer,
        index_table_from_dataset,
        table_from_dataset,
    )
    from graphwright.data.experimental.option_choices import (
        AutoShardPolicy,
        AutotuneAlgorithm,
        ExternalStatePolicy,
    )
    from graphwright.data.experimental.public_datasets import RandomDataset
    from graphwright.data.experimental.reducers import Reducer, group_by_reducer
    from graphwright.data.experimental.stored_datasets import load, save, snapshot
    from graphwright.data.experimental.transformations import (
        assert_cardinality,
        bucket_by_sequence_length,
        copy_to_device,
        dense_to_ragged_batch,
        dense_to_sparse_batch,
        enumerate_dataset,
        group_by_window,
        ignore_errors,
        map_and_batch,
        pad_to_cardinality,
        parallel_interleave,
        prefetch_to_device,
        rejection_resample,
        scan,
        shuffle_and_repeat,
        take_while,
        unbatch,
        unique,
    )
    from graphwright.data.optional import Optional
    from graphwright.data.tables.csv_batches import make_csv_dataset
    from graphwright.data.tables.example_datasets import (
        TFRecordWriter,
        make_batched_features_dataset,
        parse_example_dataset,
    )
    from graphwright.data.tables.table_datasets import CsvDataset, SqlDataset

#: Names that most pipelines never use, and the modules that have them.
_LATE = {
    "graphwright.data.experimental.dataset_functions": (
        "Counter",
        "at",
        "cardinality",
        "choose_from_datasets",
        "enable_debug_mode",
        "from_list",
        "from_variant",
        "get_next_as_optional",
        "get_single_element",
        "get_structure",
        "sample_from_datasets",
        "to_variant",
    ),
    "graphwright.data.experimental.dataset_tables": (
        "DatasetInitializer",
        "index_table_from_dataset",
        "table_from_dataset",
    ),
    "graphwright.data.experimental.option_choices": (
        "AutoShardPolicy",
        "AutotuneAlgorithm",
        "ExternalStatePolicy",
    ),
    "graphwright.data.experimental.public_datasets": ("RandomDataset",),
    "graphwright.data.experimental.reducers": ("Reducer", "group_by_reducer"),
    "graphwright.data.experimental.stored_datasets": ("load", "save", "snapshot"),
    "graphwright.data.experimental.transformations": (
        "assert_cardinality",
        "bucket_by_sequence_length",
        "copy_to_device",
        "dense_to_ragged_batch",
        "dense_to_sparse_batch",
        "enumerate_dataset",
        "group_by_window",
        "ignore_errors",
        "map_and_batch",
        "pad_to_cardinality",
        "parallel_interleave",
        "prefetch_to_device",
        "rejection_resample",
        "scan",
        "shuffle_and_repeat",
        "take_while",
        "unbatch",
        "unique",
    ),
    "graphwright.data.optional": ("Optional",),
    "graphwright.data.tables.csv_batches": ("make_csv_dataset",),
    "graphwright.data.tables.example_datasets": (
        "TFRecordWriter",
        "make_batched_features_dataset",
        "parse_example_dataset",
    ),
    "graphwright.data.tables.table_datasets": ("CsvDataset", "SqlDataset"),
}

__getattr__ = late(__name__, _LATE)

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "SHARD_HINT",
    "UNKNOWN_CARDINALITY",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DatasetInitializer",
    "DistributeOptions",
    "ExternalStatePolicy",
    "OptimizationOptions",
    "Optional",
    "RandomDataset",
    "Reducer",
    "ServiceOptions",
    "SqlDataset",
    "TFRecordWriter",
    "ThreadingOptions",
    "assert_cardinality",
    "at",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "from_variant",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "index_table_from_dataset",
    "load",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "map_and_batch",
    "pad_to_cardinality",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "table_from_dataset",
    "take_while",
    "to_variant",
    "unbatch",
    "unique",
]
