"""Programs under TensorFlow: `python -m everyday.peer`, where TensorFlow is.

Reads programs from its input, a JSON list of a source and its calls in each line, and writes
what they give, eagerly and traced, a line for each.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from everyday.calls import call
from everyday.coding import encoded
from everyday.limits import TooLong, limit
from everyday.outcomes import Outcome, outcome_of
from everyday.programs import DECORATOR, Loaded, Program


def tensorflow() -> Any:
    """TensorFlow, which computes on processors alone and says little."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    tf.autograph.set_verbosity(0)
    return tf


def outcomes(program: Program, tf: Any, decorator: str) -> list[Outcome]:
    """What the calls give."""
    try:
        with limit(60.0):
            loaded = Loaded(program.decorated(decorator), tf)
            return [call(loaded, i, tf) for i in range(len(program.calls))]
    except TooLong:
        return [Outcome(error="TooLong")] * len(program.calls)
    except Exception as error:  # noqa: BLE001 - its class is the outcome
        return [outcome_of(error)] * len(program.calls)


def main() -> None:
    """Runs what is asked for."""
    tf = tensorflow()
    for line in sys.stdin:
        source, calls = json.loads(line)
        program = Program(source, tuple(calls))
        both = [outcomes(program, tf, decorator) for decorator in ("", DECORATOR)]
        record = [[encoded(o) for o in each] for each in both]
        print(json.dumps([*record, [o.message[:400] for o in both[1]]]), flush=True)


if __name__ == "__main__":
    main()
