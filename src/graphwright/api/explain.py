"""`tf.explain`: what is known of functions' traces. Ours; TensorFlow has none."""

from graphwright.errors import RetracingWarning, StaleStateWarning
from graphwright.explain.debugging import debug_mode
from graphwright.explain.report import CauseReport, Report, TraceReport

__all__ = [
    "CauseReport",
    "Report",
    "RetracingWarning",
    "StaleStateWarning",
    "TraceReport",
    "debug_mode",
]
