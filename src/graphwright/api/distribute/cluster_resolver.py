"""`tf.distribute.cluster_resolver`: what says which machines a program runs on."""

from graphwright.library.distribute.cluster_resolvers import (
    ClusterResolver,
    SimpleClusterResolver,
    TFConfigClusterResolver,
)

__all__ = ["ClusterResolver", "SimpleClusterResolver", "TFConfigClusterResolver"]
