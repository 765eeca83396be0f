"""The table of failures: said what was wrong, and the form that is printed works."""

from __future__ import annotations

import sys

import pytest
from corpora.failures import SCENARIOS


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_the_form_that_is_printed_works(scenario):
    f, call = scenario.program(False)
    with pytest.raises(scenario.error):
        call()
    report = f.explain()
    failure = report.failures[-1]
    assert scenario.sentence in failure.sentence, failure.message
    if (3, 11) <= sys.version_info < (3, 13):  # others do not say which expression it was
        assert scenario.code in failure.fix.code
    assert scenario.program.__code__.co_filename in failure.line
    assert failure.sentence[:60] in " ".join(str(report).split())
    assert report.to_dict()["failures"][-1]["error"] == failure.error

    f, call = scenario.program(True)
    call()
    assert f.explain().failures == ()
    assert f.experimental_get_tracing_count() == failure.fix.traces


def test_the_line_is_the_one_that_failed():
    f, call = SCENARIOS[0].program(False)
    with pytest.raises(ValueError, match="singleton"):
        call()
    file, _, number = f.explain().failures[0].line.rpartition(":")
    with open(file) as lines:
        assert "v = tf.Variable(1.0)" in lines.readlines()[int(number) - 1]
