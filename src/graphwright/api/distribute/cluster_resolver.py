"""`tf.distribute.cluster_resolver`: what says which machines a program runs on."""

from graphwright.library.distribute.absent_cluster_names import absent
from graphwright.library.distribute.cluster_resolvers import (
    ClusterResolver,
    SimpleClusterResolver,
    TFConfigClusterResolver,
)

__all__ = ["ClusterResolver", "SimpleClusterResolver", "TFConfigClusterResolver"]

__getattr__ = absent("tf.distribute.cluster_resolver")
