"""The warning after repeated retracing: what causes it, and the line to write instead.

The terminal gets one line for each cause. Handlers of the logger "tensorflow" get TensorFlow's
words, twice at most, with ours as the record's `explanation`. The `warnings` module gets a
`RetracingWarning`, which is ignored unless a filter asks for it.
"""

from __future__ import annotations

import warnings

from graphwright.base.errors import RetracingWarning
from graphwright.base.logs import LOGGER
from graphwright.explain.trace_record import FunctionFamily, History
from graphwright.machine.process_settings import ignore_warnings_of
from graphwright.op.late_imports import late_module

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


def warn_of_retracing(history: History, is_inside: bool = False) -> None:
    """Warns after a call that traced, if calls of the function trace too often.

    A function that is made and called inside another one's trace is traced with it, as in models of
    libraries. Such a call counts only where its own function has many traces.
    """
    if is_inside and len(history.records) < _THRESHOLD:
        return
    family = history.family
    traces, calls = family.frequency()
    if traces < _THRESHOLD or traces < calls / 2:
        return
    text = None
    if is_worth_a_look(family):
        brief = late_module("graphwright.explain.brief")  # which few programs need
        text = brief.explanation(history, family)
    if family.warnings < _WARNINGS:
        family.warnings += 1
        LOGGER.warning(
            "%d out of the last %d calls to %r triggered tf.function retracing. %s",
            *(traces, calls, history.function, _ADVICE),
            extra={"explanation": text or ""},
        )
    elif text:
        LOGGER.warning("%s", text)
    if text:
        caller = history.records[-1].caller if history.records else None
        place = ("<unknown>", 1) if caller is None else (caller.filename, caller.lineno)
        ignore_warnings_of(RetracingWarning)
        warnings.warn_explicit(text, RetracingWarning, *place)


def is_worth_a_look(family: FunctionFamily) -> bool:
    """Whether to look for new causes: at powers of 4, since each trace prolongs the search."""
    family.looks += 1
    return family.looks.bit_count() == 1 and family.looks.bit_length() % 2 == 1
