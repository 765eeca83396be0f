"""Programs in C call libraries by their headers, watched by the address sanitizer."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ziglang")

from support.c_programs import outcomes
from support.library_calls import LoadedLibrary
from support.library_models import MODELS, traced

import graphwright as tf

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")


SANITIZED = ("-g", "-fsanitize=address,undefined")


def test_c_programs_compute_what_python_computes(tmp_path: Path) -> None:
    models = {name: make() for name, make in MODELS.items()}
    tf.compile_library({name: m.concrete for name, m in models.items()}, tmp_path / "models.so")
    calls = [(name, call) for name, model in models.items() for call in model.calls]
    made = outcomes(tmp_path, "models", calls, ["gcc", *STRICT, *SANITIZED])
    loaded = LoadedLibrary(tmp_path / "models.so")
    for arrays, (name, call) in zip(made, calls, strict=True):
        values = tf.nest.flatten(models[name].concrete(*map(tf.constant, call)))
        same = loaded.call(name, *call)
        for array, value, bits in zip(arrays, values, same, strict=True):
            assert array.tobytes() == bits.tobytes()
            np.testing.assert_allclose(array, value.numpy(), rtol=2e-5, atol=2e-5)


def test_nothing_is_lost_where_a_call_fails(tmp_path: Path) -> None:
    """The sanitizer counts what is never freed."""
    items = tf.Variable(np.arange(9.0, dtype=np.float32))

    def f(i: Any) -> Any:
        values = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for k in tf.range(i):
            values = values.write(k, items * 2.0)
        return tf.reduce_sum(values.stack(), 0)[i], items + 1.0

    tf.compile_library(traced(f, tf.TensorSpec([], tf.int32)), tmp_path / "lost.so")
    (tmp_path / "program.c").write_text(
        """
#include "lost.h"
#include <stdio.h>
int main(void) {
  float *x, *y;
  int64_t dims[1];
  for (int32_t i = 1; i < 40; i++) {
    int code = lost_run(&i, &x, &y, dims);
    if (code != (i < 9 ? LOST_OK : LOST_VALUE)) return 10 + code;
    if (!code && (x[0] != 2.0f * (float)(i * i) || y[8] != 9.0f)) return 2;
    if (code && (x || y)) return 3;
    lost_free(x);
    lost_free(y);
  }
  puts(lost_error(LOST_VALUE));
  return 0;
}
"""
    )
    files = ("program.c", "lost.so", "-Wl,-rpath,$ORIGIN", "-o", "program")
    subprocess.run(["gcc", *STRICT, *SANITIZED, *files], cwd=tmp_path, check=True)
    result = subprocess.run([tmp_path / "program"], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert "out of range" in result.stdout


def test_the_header_is_cplusplus_too(tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    f = traced(lambda double, new: double @ new, *[tf.TensorSpec([None, None])] * 2)
    tf.compile_library(f, tmp_path / "plus.so")
    (tmp_path / "program.cpp").write_text('#include "plus.h"\nint main() { return PLUS_OK; }\n')
    command = ["g++", "-Wall", "-Wextra", "-Werror", "program.cpp", "-c"]
    subprocess.run(command, cwd=tmp_path, check=True)
