"""`graphwright plan`: what it prints of a program, and what it refuses."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from graphwright.diagnosis.plan_command import ranks_of

PROGRAM = """
import sys
import tensorflow as tf

w, b = tf.Variable(tf.ones([64, 64])), tf.Variable(tf.zeros([64]))
optimizer = tf.optimizers.Adam()

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((x @ w + b) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))
    return loss

for _ in range(int(sys.argv[1])):
    step(tf.ones([8, 64]))
"""


def plan(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the command gives."""
    path = folder / "train.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "graphwright", "plan", str(path), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_program_is_planned(tmp_path: Path) -> None:
    svg = tmp_path / "curve.svg"
    done = plan(tmp_path, "--ranks", "4..16", "--svg", str(svg), "--arguments=9")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert re.match(r"`step` takes \S+ \ws on \d+ cores?, which each rank has too; ", lines[0])
    assert lines[1].startswith("Weights have 16.6 kB in 2 gradients, the rest of what it changes ")
    for layout in ("data-parallel", "sharded optimizer", "tensor-parallel"):
        (place,) = [i for i, line in enumerate(lines) if line.startswith(f"{layout}, ")]
        assert [line.split()[0] for line in lines[place + 2 : place + 5]] == ["4", "8", "16"]
    assert lines[-1].startswith("On 16 ranks the ")
    assert " Its bottleneck is " in lines[-1]
    root = ET.fromstring(svg.read_text(encoding="utf-8"))
    assert len(root.findall("{*}polyline")) == 4


def test_what_cannot_be_planned_is_refused(tmp_path: Path) -> None:
    done = plan(tmp_path, "--arguments=3")
    assert done.returncode == 2
    assert "has no training step to look at" in done.stderr
    done = plan(tmp_path, "--network", "fast")
    assert (done.returncode, "'fast' is no network" in done.stderr) == (2, True)


def test_a_drawing_that_cannot_be_written_is_an_error_behind_the_predictions(
    tmp_path: Path,
) -> None:
    done = plan(tmp_path, "--svg", str(tmp_path / "train.py" / "curve.svg"), "--arguments=9")
    assert done.returncode == 2
    assert "On 4096 ranks the " in done.stdout
    assert done.stderr.startswith("graphwright plan: cannot write ")
    assert "Traceback" not in done.stderr


def test_ranks_double_or_are_listed() -> None:
    assert ranks_of("4..4096") == [4 << place for place in range(11)]
    assert ranks_of("3..20") == [3, 6, 12]
    assert ranks_of("2,6,8") == [2, 6, 8]
    for text in ("1..4", "many", "", "2..x"):
        with pytest.raises(ValueError, match="are no numbers of ranks"):
            ranks_of(text)
