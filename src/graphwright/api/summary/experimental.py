"""`tf.summary.experimental`: the step, scopes, and whole messages."""

from graphwright.library.summary.summary import get_step, set_step, summary_scope, write_raw_pb

__all__ = ["get_step", "set_step", "summary_scope", "write_raw_pb"]
