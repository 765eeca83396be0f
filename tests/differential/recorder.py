"""The process that has TensorFlow: `python -m differential.recorder`, where TensorFlow is.

Reads programs from its input, a JSON list of a source, its calls, its signature and stages in each
line. It writes their outcomes in these stages, a line for each program.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from differential.results import outcome_of
from everyday.limits import TooLong, limit, limit_memory
from everyday.programs import DECORATOR, Loaded, Program

if TYPE_CHECKING:
    from differential.author import Sample

#: Seconds that a program may wait, the first one with the import; those that a stage may compute.
_SECONDS, _STAGE_SECONDS = 120.0, 10.0
#: Programs of one process, and its memory: `tf.sequence_mask(2**31)` asks for all there is.
_AT_ONCE, _GIGABYTES = 1500, 4
#: How a program runs in TensorFlow. Graphs take six times as long as eager ops.
ALL_STAGES = ("eager", "traced", "shapeless")
#: What a line of outcomes begins with; programs print lines of their own.
_ANSWER = "outcomes: "


def tensorflow() -> Any:
    """TensorFlow, which computes on processors alone and says little."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    tf.autograph.set_verbosity(0)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    return tf


def outcomes(program: Program, decorator: str, tf: Any) -> list[Any]:
    """What the calls give."""
    lines = [decorator if line == DECORATOR else line for line in program.source.split("\n")]
    program = program._replace(source="\n".join(line for line in lines if line))
    try:
        with limit(_STAGE_SECONDS):
            loaded = Loaded(program, tf)
            loaded.names["np"] = __import__("numpy")
            return [outcome_of(loaded, i, tf) for i in range(len(program.calls))]
    except TooLong:
        return [{"error": "TooLong", "words": ""}] * len(program.calls)


def main() -> None:
    """Runs what is asked for."""
    warnings.simplefilter("ignore")
    tf = tensorflow()
    limit_memory(_GIGABYTES)
    for line in sys.stdin:
        source, calls, signature, stages = json.loads(line)
        program = Program(source, tuple(calls))
        decorators = {"eager": "", "traced": DECORATOR}
        if signature:
            decorators["shapeless"] = f"@tf.function(input_signature={signature})"
        record = {s: outcomes(program, d, tf) for s, d in decorators.items() if s in stages}
        print(_ANSWER + json.dumps(record), flush=True)


class Recorder:
    """A process that has TensorFlow; it is ended and begun anew where a program takes too long."""

    def __init__(self, python: str) -> None:
        self.command = [python, "-m", "differential.recorder"]
        self.process: subprocess.Popen[str] | None = None
        self.count = 0
        #: Where AutoGraph leaves files, if its process is killed.
        self.scratch = tempfile.TemporaryDirectory()

    def record(self, sample: Sample, stages: Iterable[str]) -> Any:
        """The outcomes of a program in some stages; None where the process ended in it."""
        if self.process is None or self.process.poll() is not None or self.count >= _AT_ONCE:
            self.close()
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(
                self.command,
                stdin=pipe,
                stdout=pipe,
                text=True,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "TMPDIR": self.scratch.name},
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.count += 1
        timer = threading.Timer(_SECONDS, self.process.kill)
        timer.start()
        try:
            asked = [*sample.program, sample.signature, list(stages)]
            self.process.stdin.write(json.dumps(asked) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
            while line and not line.startswith(_ANSWER):
                line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        return json.loads(line.removeprefix(_ANSWER)) if line.endswith("\n") else None

    def close(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process, self.count = None, 0


if __name__ == "__main__":
    main()
