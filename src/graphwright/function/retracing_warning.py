"""The warning after repeated retracing: what causes it, and the line to write instead.

One line on the terminal for each cause. Handlers of the logger "tensorflow" get the words that
programs know from TensorFlow, twice at most, with ours as the record's `explanation`; the
`warnings` module gets a `RetracingWarning`, which is ignored unless a filter asks for it.
"""

from __future__ import annotations

import threading
import warnings

from graphwright.base.errors import RetracingWarning
from graphwright.base.forks import held_over_forks
from graphwright.base.logs import LOGGER
from graphwright.explain.trace_record import FunctionFamily, History
from graphwright.machine.process_settings import ignore_warnings_of

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

#: Held while explanations are imported: what another thread was importing when a child was forked
#: can never be imported in that.
_LOADING = held_over_forks(threading.RLock())


def warn_of_retracing(history: History) -> None:
    """The present call of a function traced: warns when that is too often."""
    family = history.family
    traces, calls = family.frequency()
    if traces < _THRESHOLD or traces < calls / 2:
        return
    told = None
    if is_worth_a_look(family):
        with _LOADING:
            from graphwright.explain.brief import explanation  # which few programs come to

        told = explanation(history, family)
    if family.warnings < _WARNINGS:
        family.warnings += 1
        LOGGER.warning(
            "%d out of the last %d calls to %r triggered tf.function retracing. %s",
            *(traces, calls, history.function, _ADVICE),
            extra={"explanation": told or ""},
        )
    elif told:
        LOGGER.warning("%s", told)
    if told:
        caller = history.records[-1].caller if history.records else None
        place = ("<unknown>", 1) if caller is None else (caller.filename, caller.lineno)
        ignore_warnings_of(RetracingWarning)
        warnings.warn_explicit(told, RetracingWarning, *place)


def is_worth_a_look(family: FunctionFamily) -> bool:
    """Whether there may be a new cause, at powers of 4: the search takes longer with each trace."""
    family.looks += 1
    return family.looks.bit_count() == 1 and family.looks.bit_length() % 2 == 1
