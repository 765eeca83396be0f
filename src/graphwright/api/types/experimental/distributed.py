"""`tf.types.experimental.distributed`: the classes of values that replicas have."""

from graphwright.library.distribute.distributed_values import Mirrored, PerReplica

__all__ = ["Mirrored", "PerReplica"]
