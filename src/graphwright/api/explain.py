"""`tf.explain`: why functions were traced. TensorFlow has no such namespace."""

from typing import TYPE_CHECKING

from graphwright.api import late
from graphwright.base.errors import RetracingWarning, StaleStateWarning
from graphwright.explain.debugging import debug_mode
from graphwright.function.held_functions import reports

if TYPE_CHECKING:
    from graphwright.explain.findings import CauseReport, TraceReport
    from graphwright.explain.report import Report

__all__ = [
    "CauseReport",
    "Report",
    "RetracingWarning",
    "StaleStateWarning",
    "TraceReport",
    "debug_mode",
    "reports",
]

__getattr__ = late(__name__, {"graphwright.explain.report": __all__})
