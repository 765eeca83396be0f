"""Programs in C that call libraries by their headers."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from support.library_calls import DeclaredArray, declared

#: A function's name, and arrays.
Call = tuple[str, list[Any]]


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


def write_program(folder: Path, library: str, calls: Sequence[Call]) -> None:
    """Writes `program.c`, which makes calls and writes what they give."""
    functions = declared((folder / f"{library}.h").read_text())
    texts = [
        c_call(i, f"{library}_{name}", library, call, functions[f"{library}_{name}"][1])
        for i, (name, call) in enumerate(calls)
    ]
    includes = "".join(f"#include {x}\n" for x in (f'"{library}.h"', "<stdio.h>", "<stdlib.h>"))
    body = "".join(f"  call{i}();\n" for i in range(len(calls)))
    main = f"int main(void) {{\n{body}  return 0;\n}}\n"
    (folder / "program.c").write_text("\n".join([includes, *texts, main]))


def outcomes(
    folder: Path, library: str, calls: Sequence[Call], compiler: Sequence[str], *runner: str
) -> list[list[Any]]:
    """The results of calls that a program in C makes, compiled and run by these commands."""
    write_program(folder, library, calls)
    command = [*compiler, "program.c", f"./{library}.so", f"-Wl,-rpath,{folder}", "-o", "program"]
    subprocess.run(command, cwd=folder, check=True)
    done = subprocess.run([*runner, folder / "program"], capture_output=True)
    assert not done.returncode, done.stderr.decode()
    functions = declared((folder / f"{library}.h").read_text())
    output, results = done.stdout, []
    for name, _ in calls:
        arrays, output = parsed(output, functions[f"{library}_{name}"][1])
        results.append(arrays)
    assert output == b""
    return results


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
