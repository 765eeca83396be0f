"""What a call of a library costs: functions of a library, called by a program in C.

    python -m benchmarks.library_calls

It needs the extra `compile` and a compiler of C. The first function does nothing but one addition,
so its time is that of a call with its allocation.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

PROGRAM = """
#include "calls.h"
#include <stdio.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define MEASURE(NAME, ROWS)                                                     \\
  do {                                                                          \\
    int64_t dims[2] = {ROWS, 64}, result_dims[2];                               \\
    float *result;                                                              \\
    double best = 1e9;                                                          \\
    for (int round = 0; round < 50; round++) {                                  \\
      double start = now();                                                     \\
      for (int i = 0; i < 1000; i++) {                                          \\
        if (calls_##NAME(x, dims, &result, result_dims)) return 1;              \\
        calls_free(result);                                                     \\
      }                                                                         \\
      double each = (now() - start) / 1000;                                     \\
      if (each < best) best = each;                                             \\
    }                                                                           \\
    printf("%-8s %4d rows %9.1f ns, %6ld bytes\\n", #NAME, ROWS, best * 1e9, size); \\
  } while (0)

static float x[256 * 64];

int main(void) {
  long size = SIZE;
  MEASURE(nothing, 1);
  MEASURE(softmax, 1);
  MEASURE(network, 1);
  MEASURE(network, 32);
  MEASURE(network, 256);
  return 0;
}
"""


def functions() -> dict[str, Any]:
    """The traces of a library."""
    import graphwright as tf

    rng = np.random.default_rng(0)
    first, second = [
        tf.constant(rng.normal(size=shape), tf.float32) for shape in ((64, 64), (64, 10))
    ]
    spec = tf.TensorSpec([None, 64])
    bodies = {
        "nothing": lambda x: x[:1, :1] + 1.0,
        "softmax": tf.nn.softmax,
        "network": lambda x: tf.nn.softmax(tf.nn.relu(x @ first) @ second),
    }
    return {
        name: tf.function(body, autograph=False).get_concrete_function(spec)
        for name, body in bodies.items()
    }


def main() -> None:
    """Compiles and runs all of it."""
    import graphwright as tf

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        tf.compile_library(functions(), place / "calls.so")
        size = (place / "calls.so").stat().st_size
        (place / "calls.c").write_text(PROGRAM.replace("SIZE", str(size)))
        command = ["gcc", "-O2", "calls.c", "./calls.so", f"-Wl,-rpath,{folder}", "-o", "calls"]
        subprocess.run(command, cwd=folder, check=True)
        subprocess.run([place / "calls"], check=True)


if __name__ == "__main__":
    main()
