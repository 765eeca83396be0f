"""Every op is compared with TensorFlow's: golden cases run it, or a reason stands here."""

from __future__ import annotations

import pytest
from corpora.oracles import oracles
from support.goldens import AREAS, area_of, departs
from support.op_samples import Witness, our_ops

import graphwright as tf
from graphwright.library.dispatch.raw_ops import OUR_OPS
from tools import golden_format as gf

EVENTS = "what it writes is compared with a recorded file in tests/library/summary/test_summary.py"
NO_CPU = (
    "TensorFlow has no kernel of it on a CPU; tests/ops/signal/test_fourier_axes.py has NumPy's"
)
#: Ops that no golden case of tools/golden runs, but those that are no ops of TensorFlow.
NOT_RUN = {
    **dict.fromkeys(
        ["CloseSummaryWriter", "FlushSummaryWriter", "WriteGraphSummary", "WriteRawProtoSummary",
         "WriteSummary"], EVENTS),
    **dict.fromkeys(["FFTND", "IFFTND", "IRFFTND", "RFFTND"], NO_CPU),
    "ResourceCountUpTo": "no golden yet: tests/ops/state/test_variable_counts.py has the values",
}  # fmt: skip


def run_by_goldens() -> set[str]:
    """The ops that golden cases run whose values are compared, and their gradients."""
    witness = Witness()
    for area in AREAS:
        module, store, groups = area_of(area)
        for case in (case for group in groups.values() for case in group):
            outcome = store.index.get(gf.digest(case), {"error": ""})
            if "error" not in outcome and not departs(module, case):
                witness.enter()
                try:
                    gf.run_eager(tf, case)
                finally:
                    witness.leave()
    return witness.names


@pytest.mark.filterwarnings("ignore")
def test_golden_cases_run_every_op() -> None:
    compared = run_by_goldens() | {oracle.op for oracle in oracles()}
    assert set(our_ops()) - compared - OUR_OPS == set(NOT_RUN)
