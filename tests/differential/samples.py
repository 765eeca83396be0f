"""Programs that TensorFlow ran, with what they gave there (`tools/record_differential.py`)."""

from __future__ import annotations

import bz2
import functools
import json
from pathlib import Path
from typing import Any

from differential.author import Sample
from everyday.programs import Program

_FOLDER = Path(__file__).parent.parent / "golden" / "differential"
#: How many files there are.
PARTS = len(list(_FOLDER.glob("*.json.bz2")))


@functools.lru_cache(1)
def recorded(part: int) -> list[tuple[int, Sample, dict[str, Any]]]:
    """The seeds and programs of a file, and what TensorFlow gives in each stage."""
    data = bz2.decompress((_FOLDER / f"{part:02}.json.bz2").read_bytes())
    result = []
    for seed, source, calls, signature, theirs in zip(*json.loads(data), strict=True):
        stages = {stage: theirs["eager"] if got == 0 else got for stage, got in theirs.items()}
        result.append((seed, Sample(Program(source, tuple(calls)), signature), stages))
    return result
