"""`tf.compat.v1.train`: reading event files."""

from graphwright.library.summary.event_file import summary_iterator

__all__ = ["summary_iterator"]
