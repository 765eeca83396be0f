"""Programs that TensorFlow ran, with what they gave there (`tools/record_everyday.py`)."""

from __future__ import annotations

import functools
import gzip
import json
from pathlib import Path

from everyday.coding import decoded
from everyday.outcomes import REFUSALS, Outcome, compare
from everyday.programs import Program
from everyday.runs import quiet
from everyday.tiers import EAGER, TIERS, outcomes

_FILE = Path(__file__).parent.parent / "golden" / "everyday.json.gz"

Outcomes = list[Outcome]

#: Programs of the file, by their place, that end otherwise here, and why.
_CAST = "`tf.cast` of a variable to its own dtype is the variable in TensorFlow, and no tensor"
KNOWN = {
    **dict.fromkeys((927, 1484, 2060, 3804, 4421, 4567, 4594), _CAST),
    3752: "`range` takes a variable here: TensorFlow's have no `__index__`",
    4961: "the size of a TensorArray may be a variable here: TensorFlow's have no `__index__`",
}


@functools.cache
def recorded() -> list[tuple[Program, Outcomes, Outcomes]]:
    """The programs, and what TensorFlow gives eagerly and traced."""
    result = []
    for source, calls, *records in json.loads(gzip.decompress(_FILE.read_bytes())):
        eager = [decoded(r) for r in records[0]]
        traced = [decoded(r) for r in records[1]] if records[1] else eager
        result.append((Program(source, tuple(calls)), eager, traced))
    return result


def differences(program: Program, eager: Outcomes, traced: Outcomes) -> list[str]:
    """Where eager ops, or graphs, give something else than TensorFlow's.

    What TensorFlow cannot trace may run here, and then has to give what it gives eagerly.
    """
    wanted = [e if t.error in REFUSALS else t for e, t in zip(eager, traced, strict=True)]
    with quiet():
        own = outcomes(program, EAGER), outcomes(program, TIERS["steps"])
    return [
        *disagreements(EAGER.name, eager, eager, own[0], eager),
        *disagreements("traced", wanted, traced, own[1], eager),
    ]


def disagreements(
    name: str, best: Outcomes, theirs: Outcomes, found: Outcomes, eager: Outcomes
) -> list[str]:
    """The calls that differ from the best outcome there is.

    Where TensorFlow refuses to trace a program, that matters only if both give values. A graph of
    ours may leave out an op that fails, in loops too, where nobody needs its result. And it may
    give what TensorFlow gives eagerly: a list that grows in a loop has all of its items.
    """
    result = []
    for i, (one, own, other) in enumerate(zip(best, theirs, found, strict=True)):
        difference = compare(one, other)
        if difference and name != EAGER.name:
            failing = eager[i].error and not other.error  # nothing to compare with
            dropped = failing and (difference.kind == "no error" or not own.error)
            refused = own.error in REFUSALS and (one.error or other.error)
            as_python = compare(eager[i], other) is None
            difference = None if dropped or refused or as_python else difference
        if difference:
            result.append(f"{name}, call {i}: {' '.join(difference)}; TensorFlow: {own}")
    return result
