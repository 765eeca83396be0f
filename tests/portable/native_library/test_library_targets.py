"""Libraries for other processors compute the same, run by an emulator.

`python -m pytest -m slow tests/portable/native_library/test_library_targets.py`. The compiler of
programs that call them comes with the linker. Its first use takes a minute.
"""

from __future__ import annotations

import platform
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ziglang")

from support.c_programs import outcomes
from support.library_models import MODELS

import graphwright as tf
from graphwright.machine.targets import target
from graphwright.portable.native_library.library_targets import PROCESSORS, TRIPLES, USUAL, chosen

#: Where Debian has the C library of AArch64 (libc6-arm64-cross).
ROOT = Path("/usr/aarch64-linux-gnu")


def test_each_target_has_a_usual_processor() -> None:
    for name in TRIPLES:
        aim = chosen(name, None)
        assert aim.features == PROCESSORS[aim.family][USUAL[aim.family]]
    assert chosen(None, None) == target()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("qemu-aarch64") is None, reason="there is no qemu-user")
@pytest.mark.skipif(not ROOT.exists(), reason="the C library of AArch64 is not there")
@pytest.mark.skipif(platform.machine() == "aarch64", reason="this processor is one")
def test_models_compute_the_same_on_aarch64(tmp_path: Path) -> None:
    models = {name: make() for name, make in MODELS.items()}
    traces = {name: model.concrete for name, model in models.items()}
    tf.compile_library(traces, tmp_path / "models.so", target="aarch64-linux-gnu")
    calls = [(name, call) for name, model in models.items() for call in model.calls]
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-gnu.2.31"]
    made = outcomes(tmp_path, "models", calls, compiler, "qemu-aarch64", "-L", str(ROOT))
    for arrays, (name, call) in zip(made, calls, strict=True):
        values = tf.nest.flatten(models[name].concrete(*map(tf.constant, call)))
        for array, value in zip(arrays, values, strict=True):
            np.testing.assert_allclose(array, value.numpy(), rtol=2e-5, atol=2e-5)
