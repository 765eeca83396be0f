"""Writes docs/gallery.md: what the programs of `examples/` print, and how long they take.

    python tools/write_gallery.py --tensorflow PYTHON     # an interpreter that has TensorFlow

Each program runs here and, but for its import, unchanged on TensorFlow, in turns. The page says
how long the processes took from start to end, imports and traces included.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.gallery_pictures import BARS, CHARTS, CURVES, drawn

EXAMPLES = ROOT / "examples"
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "gallery"
#: The programs in the order of the page; those that write a picture, with its name. Others have one
#: that is drawn by what they print, or text alone.
PROGRAMS = {
    "autoencoder": "digits.png",
    "transformer": "",
    "cartpole": "",
    "predators": "",
    "waves": "pool.png",
    "beams": "",
    "clusters": "groups.png",
    "vectors": "",
    "orbits": "",
    "characters": "",
    "lines": "",
    "pictures": "",
    "serving": "",
}
#: What is asked of programs whose output the page shows, beyond what TensorFlow can do too.
ASKED = {"lines": ["--explain"], "pictures": ["--explain"]}
#: What is asked of those that are timed.
TIMED = {"serving": ["--offline"]}
#: How a program for graphwright becomes one for TensorFlow.
AS_TENSORFLOW = {
    "import graphwright as tf": "import tensorflow as tf",
    "from graphwright.demo.digits": "from recorded.digits",
    "tf.optimizers": "tf.keras.optimizers",
}
HEAD = """# Gallery

Programs of one file each, in [examples/](../examples). Here is what they print and draw. The
seconds are those of the whole process: the import, the first trace, the work. TensorFlow {version}
ran the same text with `import tensorflow as tf` in turns with graphwright, on {cores} cores.
Seconds of processors were measured where other work ran beside it.

```bash
python tools/write_gallery.py --tensorflow PYTHON     # PYTHON: an interpreter that has TensorFlow
```

Not on this page, since they need Keras:

- [examples/keras_digits.py](../examples/keras_digits.py): layers that change pictures.
- [examples/keras_topics.py](../examples/keras_topics.py): sentences by topic.
- [examples/keras_waves.py](../examples/keras_waves.py): a series.
- [examples/keras_rivals.py](../examples/keras_rivals.py): a `train_step` of its own.
- [examples/keras_transfer.py](../examples/keras_transfer.py): a model takes over what a file has.

"""


class Run(NamedTuple):
    """What a process printed, its seconds from start to end, and those of processors."""

    text: str
    seconds: float
    busy: float


def run(python: str, program: Path, *options: str) -> Run:
    """Runs a program to its end."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "TF_CPP_MIN_LOG_LEVEL": "3"}
    if program.parent != EXAMPLES:
        del environment["PYTHONPATH"]
    started, before = time.perf_counter(), os.times()
    done = subprocess.run(
        [python, str(program), *options],
        capture_output=True,
        text=True,
        env=environment,
    )
    if done.returncode:
        raise SystemExit(f"{program} failed:\n{done.stderr}")
    after = os.times()
    busy = sum(after[2:4]) - sum(before[2:4])  # of processes that ended
    return Run(done.stdout, time.perf_counter() - started, busy)


def tensorflow_folder(folder: Path) -> None:
    """Fills a folder with the programs as TensorFlow runs them, and with the digits they read."""
    digits = ROOT / "src" / "graphwright" / "demo"
    (folder / "recorded").mkdir()
    for file in ("digits.py", "digits.npz"):
        shutil.copy(digits / file, folder / "recorded")
    for name in PROGRAMS:
        text = (EXAMPLES / f"{name}.py").read_text("utf-8")
        for ours, theirs in AS_TENSORFLOW.items():
            text = text.replace(ours, theirs)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")


def section(
    name: str, picture: str, theirs: tuple[str, Path], rounds: int, is_shared: bool
) -> str:
    """The part of the page about a program; on a shared machine its time is that of processors."""
    options = [*ASKED.get(name, []), *(["--png", str(PICTURES / picture)] if picture else [])]
    runs: list[Run] = []
    others: list[Run] = []
    source = (EXAMPLES / f"{name}.py").read_text("utf-8")
    timed = TIMED.get(name, [])
    for _ in range(rounds):
        runs.append(run(sys.executable, EXAMPLES / f"{name}.py", *timed))
        others.append(run(theirs[0], theirs[1] / f"{name}.py", *timed))
    mine, other = [
        statistics.median(r.busy if is_shared else r.seconds for r in each)
        for each in (runs, others)
    ]
    kind = " of processors" if is_shared else ""
    seconds = f"{mine:.1f} s{kind}, with TensorFlow {other:.1f} s"
    if options or timed:
        runs.append(run(sys.executable, EXAMPLES / f"{name}.py", *options))
    if timed:
        seconds += f", both with `{' '.join(timed)}`"
    if name in {*BARS, *CHARTS, *CURVES}:
        picture = f"{name}.svg"
        (PICTURES / picture).write_text(drawn(name, runs[-1].text), encoding="utf-8")
    document = ast.get_docstring(ast.parse(source))
    assert document is not None
    title, _, rest = document.partition("\n\n")
    words = re.split(r":?\n\n    (?:python|pip) ", rest)[0].rstrip(".").replace("\n", " ") + "."
    shown = f"![{title}](gallery/{picture})\n\n" if picture else ""
    return (
        f"## {title}\n\n[examples/{name}.py](../examples/{name}.py): {seconds}.\n\n{words}\n\n"
        f"```text\n{runs[-1].text.rstrip()}\n```\n\n{shown}"
    )


def present(name: str) -> str:
    """The part of the page about a program as it is."""
    parts = PAGE.read_text("utf-8").split("\n## ")
    return next(f"## {part.rstrip()}\n\n" for part in parts if f"[examples/{name}.py]" in part)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", required=True, metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--shared",
        action="store_true",
        help="other work runs on the machine: measure the seconds of processors instead",
    )
    parser.add_argument("programs", nargs="*", help="those whose parts are written anew; else all")
    options = parser.parse_args()
    version = subprocess.run(
        [options.tensorflow, "-c", "import tensorflow as tf; print(tf.__version__)"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tensorflow_folder(folder)
        theirs = options.tensorflow, folder
        parts = [
            section(name, picture, theirs, options.rounds, options.shared)
            if not options.programs or name in options.programs
            else present(name)
            for name, picture in PROGRAMS.items()
        ]
    page = HEAD.format(version=version, cores=os.cpu_count()) + "".join(parts)
    PAGE.write_text(page.rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
