"""`tf.config.optimizer`: options of the graph passes."""

from graphwright.edge.config import get_experimental_options, set_experimental_options

__all__ = ["get_experimental_options", "set_experimental_options"]
