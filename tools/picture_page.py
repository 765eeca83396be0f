"""Takes the picture in docs/explain.md: Chromium's view of the page about a small program.

    python tools/picture_page.py [--chromium PROGRAM]

The page is unfolded where the picture shall show something: a cause, a graph, the memory of
machine code.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PROGRAM = """\
import graphwright as tf

weights = tf.Variable(tf.eye(8))


@tf.function(jit_compile=True)
def relax(x, tolerance):
    steps = 0
    while tf.reduce_max(tf.abs(x)) > tolerance:
        x = (x - tf.reduce_mean(x, 0)) / (1.0 + tf.reduce_sum(tf.square(x), 0))
        steps += 1
    return x, steps


@tf.function
def loss(batch, rate):
    with tf.GradientTape() as tape:
        error = tf.reduce_mean(tf.square(tf.matmul(batch["x"], weights) - batch["y"]))
    weights.assign_sub(rate * tape.gradient(error, weights))
    return error


for epoch in range(1, 4):
    for rows in (4, 3):
        loss({"x": tf.ones([rows, 8]), "y": tf.zeros([rows, 8])}, 0.1 / epoch)
    relax(tf.random.normal([4, 8]), tf.constant(1e-3))
for i in range(4):
    tf.function(lambda x: x * 2.0)(tf.constant(float(i)))
"""

UNFOLD = """
window.addEventListener("load", () => {
  document.querySelector("#causes tbody tr.cause").click();
  const traces = [...document.querySelectorAll("details.trace")];
  const shown = traces.find(trace => trace.textContent.includes("in the block")) || traces[0];
  shown.open = true;
  shown.querySelector("details.memory").open = true;
  const section = shown.closest("details.function");
  section.parentNode.insertBefore(section, document.querySelector("details.function"));
});
"""

#: What Chromium needs to run without a display, a network and other users.
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--window-size=1300,1900", "--virtual-time-budget=5000",
]  # fmt: skip


def main() -> None:
    """Writes docs/explain.png."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    chromium = parser.parse_args().chromium
    if chromium is None:
        sys.exit("picture_page: no chromium is installed")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "train.py").write_text(PROGRAM)
        command = [
            sys.executable,
            "-m",
            "graphwright",
            "explain",
            "--html",
            "page.html",
            "train.py",
        ]
        path = os.environ | {"PYTHONPATH": str(ROOT / "src")}
        subprocess.run(command, cwd=folder, env=path, check=True, capture_output=True)
        page = folder / "page.html"
        page.write_text(page.read_text().replace("</head>", f"<script>{UNFOLD}</script></head>", 1))
        target = ROOT / "docs" / "explain.png"
        own = [f"--user-data-dir={folder / 'profile'}", f"--screenshot={target}", page.as_uri()]
        subprocess.run([chromium, *FLAGS, *own], check=True, capture_output=True)


if __name__ == "__main__":
    main()
