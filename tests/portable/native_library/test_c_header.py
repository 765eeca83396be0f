"""Programs in C call libraries by their headers, watched by the address sanitizer."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ziglang")

from support.library_calls import DeclaredArray, LoadedLibrary
from support.library_models import MODELS, traced

import graphwright as tf

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")


def bytes_of(array: Any) -> str:
    """The bytes of an array in C."""
    return ", ".join(str(byte) for byte in np.ascontiguousarray(array).tobytes()) or "0"


def c_call(number: int, symbol: str, prefix: str, call: list[Any], results: list[Any]) -> str:
    """A function in C that makes a call and writes the sizes and elements of its results."""
    lines, arguments = [], []
    for i, array in enumerate(call):
        words = f"static const union {{ unsigned char bytes[{max(array.nbytes, 1)}]; double d; }}"
        lines.append(f"  {words} x{i} = {{{{ {bytes_of(array)} }}}};")
        arguments.append(f"(const void *)&x{i}")
        if array.ndim:
            sizes = ", ".join(map(str, array.shape))
            lines.append(f"  static const int64_t x{i}_dims[] = {{ {sizes} }};")
            arguments.append(f"x{i}_dims")
    after = []
    for i, result in enumerate(results):
        lines.append(f"  void *y{i} = 0; int64_t y{i}_dims[{max(len(result.dims), 1)}] = {{ 0 }};")
        arguments += [f"(void *)&y{i}", *([f"y{i}_dims"] if result.dims else [])]
        size = " * ".join(
            [str(result.dtype.itemsize), *[f"y{i}_dims[{a}]" for a in range(len(result.dims))]]
        )
        after += [
            f"  fwrite(y{i}_dims, 8, {len(result.dims)}, stdout);",
            f"  fwrite(y{i}, 1, (size_t)({size}), stdout);",
            f"  {prefix}_free(y{i});",
        ]
    lines += [
        f"  int code = {symbol}({', '.join(arguments)});",
        f'  if (code) {{ fprintf(stderr, "%s\\n", {prefix}_error(code)); exit(code); }}',
    ]
    return "\n".join([f"static void call{number}(void) {{", *lines, *after, "}"])


def run_in_c(folder: Path, library: str, calls: list[tuple[str, list[Any]]], *flags: str) -> bytes:
    """What a program writes that makes these calls."""
    loaded = LoadedLibrary(folder / f"{library}.so")
    functions = [
        c_call(i, f"{library}_{name}", library, call, loaded.functions[f"{library}_{name}"][1])
        for i, (name, call) in enumerate(calls)
    ]
    includes = "".join(f"#include {x}\n" for x in (f'"{library}.h"', "<stdio.h>", "<stdlib.h>"))
    body = "".join(f"  call{i}();\n" for i in range(len(calls)))
    main = f"int main(void) {{\n{body}  return 0;\n}}\n"
    (folder / "program.c").write_text("\n".join([includes, *functions, main]))
    command = ["gcc", *STRICT, *flags, "program.c", f"{library}.so", "-Wl,-rpath,$ORIGIN"]
    subprocess.run([*command, "-o", "program"], cwd=folder, check=True)
    result = subprocess.run([folder / "program"], capture_output=True)
    assert not result.returncode, result.stderr.decode()
    return result.stdout


def parsed(output: bytes, results: list[DeclaredArray]) -> tuple[list[Any], bytes]:
    """The results of a call, and what follows them."""
    arrays = []
    for result in results:
        rank = len(result.dims)
        dims = struct.unpack_from(f"<{rank}q", output)
        output = output[8 * rank :]
        size = result.dtype.itemsize * int(np.prod(dims, dtype=np.int64))
        arrays.append(np.frombuffer(output[:size], result.dtype).reshape(dims))
        output = output[size:]
    return arrays, output


SANITIZED = ("-g", "-fsanitize=address,undefined")


def test_c_programs_compute_what_python_computes(tmp_path: Path) -> None:
    models = {name: make() for name, make in MODELS.items()}
    tf.compile_library({name: m.concrete for name, m in models.items()}, tmp_path / "models.so")
    calls = [(name, call) for name, model in models.items() for call in model.calls]
    output = run_in_c(tmp_path, "models", calls, *SANITIZED)
    loaded = LoadedLibrary(tmp_path / "models.so")
    for name, call in calls:
        arrays, output = parsed(output, loaded.functions[f"models_{name}"][1])
        values = tf.nest.flatten(models[name].concrete(*map(tf.constant, call)))
        same = loaded.call(name, *call)
        for array, value, bits in zip(arrays, values, same, strict=True):
            assert array.tobytes() == bits.tobytes()
            np.testing.assert_allclose(array, value.numpy(), rtol=2e-5, atol=2e-5)
    assert output == b""


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
