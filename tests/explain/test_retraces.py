"""The table of retraces: the cause is named, the fix printed, and its promise comes true."""

from __future__ import annotations

import pytest
from corpora.retraces import SCENARIOS


def functions_of(made):
    return made if isinstance(made, list) else [made]


def traces(made):
    return sum(f.experimental_get_tracing_count() for f in functions_of(made))


def test_there_are_enough():
    assert len(SCENARIOS) >= 40
    assert len({s.name for s in SCENARIOS}) == len(SCENARIOS)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_the_fix_keeps_its_promise(scenario):
    wrong = scenario.program(False)
    assert traces(wrong) > 1
    report = functions_of(wrong)[0].explain()

    causes = [
        c for c in report.causes if (c.rule, scenario.path in c.paths) == (scenario.rule, True)
    ]
    assert causes, f"found only {[(c.rule, c.paths) for c in report.causes]}"
    offered = [f for c in causes for f in c.fixes] + [report.together] * (
        report.together is not None
    )
    fixes = [fix for fix in offered if scenario.code in fix.code]
    assert fixes, "\n".join(fix.code for fix in offered)

    text = str(report)
    assert scenario.code[:40] in text
    right = scenario.program(True)
    assert traces(right) in {fix.traces for fix in fixes}
    assert traces(right) < traces(wrong)
