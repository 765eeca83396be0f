"""The warning after repeated retracing."""

from __future__ import annotations

from collections import deque
from typing import Any

from graphwright.logs import LOGGER

_HISTORY = 10  # calls looked back upon
_THRESHOLD = 5  # traces among them
_WARNINGS = 2  # at most, for one function

_ADVICE = (
    "Tracing is expensive and the excessive number of tracings could be due to (1) creating "
    "@tf.function repeatedly in a loop, (2) passing tensors with different shapes, (3) passing "
    "Python objects instead of tensors. For (1), please define your @tf.function outside of the "
    "loop. For (2), @tf.function has reduce_retracing=True option that can avoid unnecessary "
    "retracing. For (3), please refer to "
    "https://www.tensorflow.org/guide/function#controlling_retracing and "
    "https://www.tensorflow.org/api_docs/python/tf/function for  more details."
)


class Frequency:
    """Counts how many of a function's last calls had to trace."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._traced: deque[int] = deque(maxlen=_HISTORY)
        self._warnings = 0

    def traced(self, call: int) -> None:
        """Call number `call` traced; warns when that is too often."""
        self._traced.append(call)
        recent = sum(1 for c in self._traced if c > call - _HISTORY)
        if recent >= _THRESHOLD and self._warnings < _WARNINGS:
            self._warnings += 1
            LOGGER.warning(
                "%d out of the last %d calls to %r triggered tf.function retracing. %s",
                recent,
                min(call, _HISTORY),
                self._function,
                _ADVICE,
            )
