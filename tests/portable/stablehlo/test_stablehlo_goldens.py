"""Golden cases of ops as StableHLO, which XLA computes."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

import pytest

pytest.importorskip("jax")

from support.goldens import AREAS, area_of, departs, shorten, tolerance_of, unequal
from support.hlo_runs import run_text

import graphwright as tf
from tools import golden_format as gf

#: Units in the last place: functions of XLA are less precise than ours.
_ULPS = 64
#: Areas without numbers, and how many of their cases are left out before the next one is taken.
_NO_NUMBERS, _STEP = {"strings", "io"}, 8
USUAL = {"same", "refused", "not run"}


def outcome_of(module: Any, case: gf.Case) -> str:
    """What becomes of a case: "same", "refused", "not run", or words on what differs."""
    arrays, _ = gf.split(case)
    specs = [tf.TensorSpec(a.shape, gf.as_dtype(tf, a)) for a in arrays]

    def body(*tensors: Any) -> Any:
        return [leaf for leaf in gf.call(tf, case, tensors) if tf.is_tensor(leaf)]

    function = tf.function(body, input_signature=specs, autograph=False)
    try:
        concrete = function.get_concrete_function()
        expected = [gf.as_array(leaf) for leaf in function(*gf.constants(tf, case))]
    except Exception:  # noqa: BLE001 - other tests are about what cannot be traced or computed
        return "not run"
    try:
        text = tf.stablehlo.export(concrete)
    except (tf.errors.UnimplementedError, ValueError):
        return "refused"
    tolerance = tolerance_of(module, case[0])
    ulps = max(_ULPS, tolerance.ulps)
    wide = tolerance._replace(ulps=ulps, spread=max(tolerance.spread, ulps))
    lines = list(unequal("XLA", run_text(text, arrays), expected, wide))
    return "; ".join(map(shorten, lines)) or "same"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_cases_agree(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "tensorflow")
    counts: Counter[str] = Counter()
    for area in sorted(set(AREAS) - _NO_NUMBERS):
        module, store, groups = area_of(area)
        cases = [case for group in groups.values() for case in group]
        for case in cases[::_STEP]:
            recorded = store.index.get(gf.digest(case), {"error": ""})
            if "error" not in recorded and not departs(module, case):
                outcome = outcome_of(module, case)
                counts[outcome if outcome in USUAL else f"{case}: {outcome}"] += 1
    assert counts.keys() <= USUAL
    assert counts["same"] >= 600
