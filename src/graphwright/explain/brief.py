"""A report in one line: the first cause that no warning has named yet, and its fix."""

from __future__ import annotations

from graphwright.explain.cause import retraces
from graphwright.explain.findings import CauseReport
from graphwright.explain.fix import Fix
from graphwright.explain.report import Report, report
from graphwright.explain.trace_record import RECENT, FunctionFamily, History
from graphwright.explain.wording import plural

_CODE = 200  # characters of code that a line may have


def is_new(history: History, family: FunctionFamily) -> bool:
    """Whether the latest traces have a cause that no warning has named.

    A report says so too, but takes much longer.
    """
    known = {(rule, path) for rule, paths in family.warned for path in paths}
    return any(
        (difference.rule.value, difference.path) not in known
        for retrace in retraces(history, RECENT)
        for difference in retrace.differences
    )


def explanation(history: History, family: FunctionFamily) -> str | None:
    """The first cause that no warning has named yet, with its best fix, or None."""
    if family.functions == 1 and not is_new(history, family):
        return None
    full = report([history], family, with_loops=False)
    for cause in full.causes:
        key = cause.rule, cause.paths
        if key not in family.warned:
            family.warned.add(key)
            name = f"`{full.name}` ({full.place})" if full.place else f"`{full.name}`"
            fix = fix_in_a_line(best(cause, full))
            return f"{name} was traced {full.made} times. {cause.sentence}{fix}"
    return None


def best(cause: CauseReport, full: Report) -> Fix | None:
    """The fix of a cause; that of all causes together where one alone saves nothing."""
    alone = cause.best
    together = full.together
    if alone is not None and together is not None and alone.traces >= full.made:
        return together
    return alone


def fix_in_a_line(fix: Fix | None) -> str:
    """A fix: its code where that is short, else where to find it."""
    if fix is None:
        return ""
    lines = [line for line in fix.code.splitlines() if not line.endswith(": ...")]
    code = "; ".join(lines)
    is_short = len(code) <= _CODE and not any(line.startswith(" ") for line in lines)
    shown = code if is_short else "see explain()"
    return f" {fix.title} ({plural(fix.traces, 'trace')}): {shown}"
