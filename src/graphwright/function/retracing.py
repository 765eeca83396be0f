"""The warning after repeated retracing."""

from __future__ import annotations

from graphwright.explain.record import History
from graphwright.logs import LOGGER

_THRESHOLD = 5  # traces among the last calls
_WARNINGS = 2  # in TensorFlow's words at most, for one piece of code

_ADVICE = (
    "Tracing is expensive and the excessive number of tracings could be due to (1) creating "
    "@tf.function repeatedly in a loop, (2) passing tensors with different shapes, (3) passing "
    "Python objects instead of tensors. For (1), please define your @tf.function outside of the "
    "loop. For (2), @tf.function has reduce_retracing=True option that can avoid unnecessary "
    "retracing. For (3), please refer to "
    "https://www.tensorflow.org/guide/function#controlling_retracing and "
    "https://www.tensorflow.org/api_docs/python/tf/function for  more details."
)


def warn_of_retracing(history: History) -> None:
    """The present call of a function traced: warns when that is too often."""
    family = history.family
    traces, calls = family.frequency()
    if traces >= _THRESHOLD and family.warnings < _WARNINGS:
        family.warnings += 1
        LOGGER.warning(
            "%d out of the last %d calls to %r triggered tf.function retracing. %s",
            traces,
            calls,
            history.function,
            _ADVICE,
        )
