"""Faults that random pipelines met and that are not mended yet, each with its smallest pipeline.

A pipeline of the random test that has such a fault's words counts as known. The smallest one must
differ still: who mends a fault takes it out of here.
"""

from __future__ import annotations

from typing import NamedTuple

from everyday.programs import Program
from pipelines.trials import Finding


class Fault(NamedTuple):
    """How a fault is recognized: ways in which it shows, words of the pipeline and the finding."""

    ways: tuple[str, ...]
    source: tuple[str, ...]
    words: tuple[str, ...]
    smallest: str

    def explains(self, program: Program, finding: Finding) -> bool:
        """Whether a finding may be of this fault."""
        return (
            (not self.ways or finding.way in self.ways)
            and any(word in program.source for word in self.source)
            and (not self.words or any(word in finding.words for word in self.words))
        )


FAULTS: dict[str, Fault] = {}


def is_known(program: Program, finding: Finding) -> bool:
    """Whether a finding is of one of the faults."""
    return any(fault.explains(program, finding) for fault in FAULTS.values())
