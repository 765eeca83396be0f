"""`tf.summary.experimental`: the step, scopes, messages as they are."""

from graphwright.library.summary.summary import get_step, set_step, summary_scope, write_raw_pb

__all__ = ["get_step", "set_step", "summary_scope", "write_raw_pb"]
