"""`tf.train`: checkpoints, and the messages in files of training data."""

from typing import TYPE_CHECKING

from graphwright.api import late
from graphwright.library.checkpoint.checkpoint import Checkpoint, CheckpointOptions
from graphwright.library.checkpoint.checkpoint_manager import CheckpointManager
from graphwright.library.checkpoint.checkpoint_reader import (
    checkpoints_iterator,
    list_variables,
    load_checkpoint,
    load_variable,
)
from graphwright.library.checkpoint.checkpoint_state import get_checkpoint_state, latest_checkpoint
from graphwright.library.checkpoint.object_graph import TrackableView
from graphwright.library.distribute.cluster_spec import ClusterSpec

if TYPE_CHECKING:
    from graphwright.portable.classic.moving_averages import ExponentialMovingAverage
    from graphwright.proto.example_pb2 import (
        BytesList,
        Example,
        Feature,
        FeatureList,
        FeatureLists,
        Features,
        FloatList,
        Int64List,
        SequenceExample,
    )

__all__ = [
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "ClusterSpec",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "SequenceExample",
    "TrackableView",
    "checkpoints_iterator",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]

__getattr__ = late(
    __name__,
    {
        "graphwright.proto.example_pb2": __all__,
        "graphwright.portable.classic.moving_averages": ["ExponentialMovingAverage"],
    },
)
