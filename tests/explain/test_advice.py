"""Each advice that is printed is a program text: applied, it mends the program."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys

import corpora.advice
import pytest
from corpora import failures, retraces
from corpora.advice.program import ADVISED, Advised, Outcome, run
from corpora.advice.templates import UNPROVOKED, templates

from graphwright.autograph import regions
from graphwright.explain.cause import CauseRule
from graphwright.explain.failure import KNOWN

for _module in pkgutil.iter_modules(corpora.advice.__path__):
    importlib.import_module(f"corpora.advice.{_module.name}")


@pytest.fixture(autouse=True)
def _few_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops count as long after fewer turns, which take less time."""
    monkeypatch.setattr(regions, "UNROLLED_AT_MOST", 50)


@functools.cache
def outcome(program: Advised) -> Outcome:
    """What a program says before its repair."""
    return run(program.name, program.program)


@pytest.mark.parametrize("program", ADVISED, ids=lambda p: p.name)
def test_what_is_advised_mends_the_program(program: Advised) -> None:
    complaints = outcome(program).complaints
    says = program.says
    if sys.version_info[:2] != (3, 11) and not any(says in text for text in complaints):
        # Before, Python does not say which expression it was; later, comprehensions are inlined.
        assert complaints
        says = complaints[0].splitlines()[0]
    assert any(says in text for text in complaints), "\n".join(complaints)
    repaired = run(f"{program.name} repaired", program.repaired)
    assert not any(says in text for text in repaired.complaints), repaired.complaints
    assert repaired.result == program.result, repaired.complaints


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="other Pythons give other words for some expressions"
)
def test_each_advice_in_the_source_has_a_program() -> None:
    texts = [text for program in ADVISED for text in outcome(program).complaints]
    missing = [
        f"{template.place}: {template.text}"
        for template in templates()
        if not any(part in template.text for part in UNPROVOKED)
        and not any(template.pattern.search(text) for text in texts)
    ]
    assert not missing, "write a program for each in tests/corpora/advice"


def test_each_kind_of_explanation_has_a_program() -> None:
    rules = {scenario.rule for scenario in retraces.SCENARIOS}
    assert rules == {rule.value for rule in CauseRule} - {CauseRule.CUSTOM.value}  # no code
    for kind in KNOWN:
        pieces = [s.sentence[i : i + 10] for s in failures.SCENARIOS for i in (0, 5, 10)]
        assert any(len(piece) == 10 and piece in kind.sentence for piece in pieces), kind.title
