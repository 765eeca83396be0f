"""What TensorFlow makes of the corpus of expressions, and what we make of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from corpora import types as corpus
from support.type_runtime import TF, Runtime

from graphwright.types import specs

GOLDEN = Path(__file__).parent.parent / "golden"

# Where we depart on purpose: the expression, our outcome, and why.
DEPARTURES: dict[str, tuple[str, str]] = {
    "tf.nest.pack_sequence_as(proxy({'b':0,'a':0}), [1,2,3])": (
        "raises TypeError",
        "both are wrong, the type that cannot be built and the number of leaves",
    ),
    "PairSpec(S([1]),'a').is_compatible_with(object())": (
        "False",
        "a value of no type is compatible with none, as other values of other types are",
    ),
}


@pytest.mark.parametrize("group", corpus.GROUPS)
def test_corpus_is_recorded(group: str) -> None:
    recorded = json.loads((GOLDEN / f"{group}.json").read_text(encoding="utf-8"))
    assert list(recorded) == list(dict.fromkeys(corpus.GROUPS[group]))


@pytest.mark.parametrize("group", corpus.GROUPS)
def test_outcomes_are_as_recorded(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specs._Installed, "runtime", Runtime(), raising=False)
    recorded = json.loads((GOLDEN / f"{group}.json").read_text(encoding="utf-8"))
    different = []
    for text, expected in recorded.items():
        wanted = DEPARTURES[text][0] if text in DEPARTURES else expected
        ours = corpus.outcome(text, TF)
        if ours != wanted:
            different.append(f"{text}\n  recorded {wanted}\n  ours     {ours}")
    assert not different, "\n".join(different)


def test_departures_are_departures() -> None:
    everything = {}
    for group in corpus.GROUPS:
        everything.update(json.loads((GOLDEN / f"{group}.json").read_text(encoding="utf-8")))
    for text, (ours, reason) in DEPARTURES.items():
        assert everything[text] != ours, text
        assert reason
