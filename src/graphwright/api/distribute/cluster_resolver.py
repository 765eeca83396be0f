"""`tf.distribute.cluster_resolver`: what says which machines a program runs on."""

from graphwright.library.distribute.cluster_resolvers import (
    ClusterResolver,
    SimpleClusterResolver,
    TFConfigClusterResolver,
)
from graphwright.library.distribute.refused_names import absent

__all__ = ["ClusterResolver", "SimpleClusterResolver", "TFConfigClusterResolver"]

__getattr__ = absent("tf.distribute.cluster_resolver")
