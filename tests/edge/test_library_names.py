"""Names that libraries ask for, compared with what TensorFlow recorded of them."""

from __future__ import annotations

import json
from typing import Any

import name_corpus
import pytest

import graphwright as tf
from tools import golden_format as gf

RECORDED = json.loads((gf.GOLDEN / "library_names.json").read_text(encoding="utf-8"))
#: What is told otherwise here, by the expression.
DEPARTURES = {
    "distributed(lambda c: tf.constant(c.replica_id_in_sync_group + c.num_replicas_in_sync))": (
        "the value of the one replica is that value, and no `PerReplica` of it"
    ),
}


@pytest.fixture(scope="module")
def outcomes() -> dict[str, dict[str, Any]]:
    return name_corpus.outcomes(tf)


@pytest.mark.parametrize("area", RECORDED)
def test_outcomes_are_tensorflows(area: str, outcomes: dict[str, dict[str, Any]]) -> None:
    ours = outcomes[area]
    assert list(ours) == list(RECORDED[area])
    differing = {
        line: (found, RECORDED[area][line])
        for line, found in ours.items()
        if found != RECORDED[area][line] and line not in DEPARTURES
    }
    assert differing == {}


def test_other_strategies_refuse() -> None:
    for name in ("MultiWorkerMirroredStrategy", "TPUStrategy", "ParameterServerStrategy"):
        kind = getattr(tf.distribute, name)
        with pytest.raises(ValueError, match=rf"tf.distribute.{name} needs more than there is"):
            kind(None)
        assert issubclass(kind, tf.distribute.Strategy)
    for devices in (["/gpu:0"], ["/cpu:1"], ["/cpu:0", "/cpu:0"], []):
        with pytest.raises(ValueError, match="'/cpu:0'"):
            tf.distribute.MirroredStrategy(devices)
    with pytest.raises(ValueError, match="of one's own needs devices"):
        tf.distribute.Strategy(None)


def test_scopes_of_strategies_do_not_nest() -> None:
    default = tf.distribute.get_strategy()
    one, other = tf.distribute.OneDeviceStrategy("/cpu:0"), tf.distribute.MirroredStrategy()
    with one.scope(), one.scope():
        for inner in (other, default):
            with pytest.raises(RuntimeError, match="Must not nest"), inner.scope():
                pass
        with pytest.raises(RuntimeError, match="Mixing different"):
            other.run(lambda: 1)
        v = tf.Variable(1.0)
    assert not tf.distribute.has_strategy()
    assert one.extended.variable_created_in_scope(v)
    with one.extended.colocate_vars_with(v):
        pass
    with pytest.raises(ValueError, match="created in this"), other.extended.colocate_vars_with(v):
        pass
