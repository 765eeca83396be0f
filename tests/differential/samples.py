"""Programs that TensorFlow ran, with what they gave there (`tools/record_differential.py`)."""

from __future__ import annotations

import functools
import gzip
import json
from pathlib import Path
from typing import Any

from differential.author import Sample
from everyday.programs import Program

_FILE = Path(__file__).parent.parent / "golden" / "differential.json.gz"


@functools.cache
def recorded() -> list[tuple[int, Sample, dict[str, Any]]]:
    """The seeds, the programs, and what TensorFlow gives in each stage."""
    result = []
    for seed, source, calls, signature, theirs in json.loads(gzip.decompress(_FILE.read_bytes())):
        stages = {stage: theirs["eager"] if got == 0 else got for stage, got in theirs.items()}
        result.append((seed, Sample(Program(source, tuple(calls)), signature), stages))
    return result
