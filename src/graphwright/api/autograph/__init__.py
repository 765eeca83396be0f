"""`tf.autograph`: Python's control flow as graphs."""

from graphwright.api.autograph import experimental
from graphwright.autograph.conversion import to_code, to_graph
from graphwright.autograph.settings import set_verbosity, trace

__all__ = ["experimental", "set_verbosity", "to_code", "to_graph", "trace"]
