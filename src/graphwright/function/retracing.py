"""The warning after repeated retracing: what causes it, and the line to write instead.

One line on the terminal for each cause. Handlers of the logger "tensorflow" get the words that
programs know from TensorFlow, twice at most, with ours as the record's `explanation`; the
`warnings` module gets a `RetracingWarning`, which is ignored unless a filter asks for it.
"""

from __future__ import annotations

import warnings

from graphwright.errors import RetracingWarning
from graphwright.explain.cause import retraces
from graphwright.explain.fix import Fix
from graphwright.explain.record import RECENT, Family, History
from graphwright.explain.report import CauseReport, Report, report
from graphwright.explain.wording import plural
from graphwright.logs import LOGGER

_THRESHOLD = 5  # traces among the last calls
_WARNINGS = 2  # in TensorFlow's words at most, for one piece of code
_CODE = 200  # characters of code that a line may have

_ADVICE = (
    "Tracing is expensive and the excessive number of tracings could be due to (1) creating "
    "@tf.function repeatedly in a loop, (2) passing tensors with different shapes, (3) passing "
    "Python objects instead of tensors. For (1), please define your @tf.function outside of the "
    "loop. For (2), @tf.function has reduce_retracing=True option that can avoid unnecessary "
    "retracing. For (3), please refer to "
    "https://www.tensorflow.org/guide/function#controlling_retracing and "
    "https://www.tensorflow.org/api_docs/python/tf/function for  more details."
)

warnings.simplefilter("ignore", RetracingWarning, append=True)


def warn_of_retracing(history: History) -> None:
    """The present call of a function traced: warns when that is too often."""
    family = history.family
    traces, calls = family.frequency()
    if traces < _THRESHOLD or traces < calls / 2:
        return
    told = explanation(history, family) if is_worth_a_look(family) else None
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
        warnings.warn_explicit(told, RetracingWarning, *place)


def is_worth_a_look(family: Family) -> bool:
    """Whether there may be a new cause, at powers of 4: the search takes longer with each trace."""
    family.looks += 1
    return family.looks.bit_count() == 1 and family.looks.bit_length() % 2 == 1


def is_new(history: History, family: Family) -> bool:
    """Whether the latest traces have a cause that was not told: what a report takes much longer
    to find."""
    told = {(rule, path) for rule, paths in family.warned for path in paths}
    return any(
        (difference.rule.value, difference.path) not in told
        for retrace in retraces(history, RECENT)
        for difference in retrace.differences
    )


def explanation(history: History, family: Family) -> str | None:
    """The first cause that was not told yet, and the best fix; None if all were."""
    if family.functions == 1 and not is_new(history, family):
        return None
    found = report([history], family)
    for cause in found.causes:
        key = cause.rule, cause.paths
        if key not in family.warned:
            family.warned.add(key)
            name = f"`{found.name}` ({found.place})" if found.place else f"`{found.name}`"
            fix = fix_in_a_line(best(cause, found))
            return f"{name} was traced {found.made} times. {cause.sentence}{fix}"
    return None


def best(cause: CauseReport, found: Report) -> Fix | None:
    """The fix of a cause; that of all causes together where one alone saves nothing."""
    alone = cause.best
    together = found.together
    if alone is not None and together is not None and alone.traces >= found.made:
        return together
    return alone


def fix_in_a_line(fix: Fix | None) -> str:
    """A fix: its code where that is short, else where to find it."""
    if fix is None:
        return ""
    code = "; ".join(line for line in fix.code.splitlines() if not line.endswith(": ..."))
    shown = code if len(code) <= _CODE else "see explain()"
    return f" {fix.title} ({plural(fix.traces, 'trace')}): {shown}"
