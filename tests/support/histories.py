"""Histories of losses, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

#: The values by epoch, by the name of a loss or a metric.
Histories = Mapping[str, Sequence[float]]

#: How far apart values may be, relatively: four digits; in bfloat16, numbers have but three.
TOLERANCE = 1e-4
TOLERANCES = {"half_precision": 5e-4}


def differences(name: str, expected: Histories, given: Histories) -> list[str]:
    """What differs in the histories of a program by more than it may."""
    lines = [f"{name}: {key} is in one alone" for key in sorted(expected.keys() ^ given.keys())]
    for key in expected.keys() & given.keys():
        values, others = np.array(expected[key]), np.array(given[key])
        tolerance = TOLERANCES.get(name, TOLERANCE)
        if values.shape != others.shape or not np.allclose(others, values, tolerance, 1e-6):
            lines.append(f"{name}, {key}: {others.tolist()} is not {values.tolist()}")
    return lines
