"""Pictures of the demo: a loss curve and a confusion matrix, as text and as a PNG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.table import Table

Counts = npt.NDArray[np.int64]


def smoothed(values: Sequence[float], count: int) -> npt.NDArray[np.float64]:
    """The means of at most `count` runs of values."""
    return np.array([np.mean(run) for run in np.array_split(values, min(count, len(values)))])


def curve(values: Sequence[float], width: int = 60, height: int = 10) -> list[str]:
    """Positive values over time as lines of text, on a logarithmic scale.

    >>> print("\\n".join(curve([8.0, 4.0, 2.0, 1.0], height=4)))
    8.000 |*
          | *
          |  *
    1.000 |   *
    """
    heights = np.log(np.maximum(smoothed(values, width), 1e-12))
    low, high = heights.min(), heights.max()
    rows = np.rint((heights - low) / (high - low or 1.0) * (height - 1)).astype(int)
    labels = {height - 1: f"{np.exp(high):.3f}", 0: f"{np.exp(low):.3f}"}
    margin = max(map(len, labels.values()))
    lines = []
    for row in reversed(range(height)):
        marks = "".join("*" if r == row else " " for r in rows)
        lines.append(f"{labels.get(row, ''):>{margin}} |{marks}".rstrip())
    return lines


def matrix(counts: Counts) -> Table:
    """The confusion matrix as a table: rows are the digits shown, columns the digits read."""
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("shown")
    for digit in range(len(counts)):
        table.add_column(str(digit), justify="right")
    for digit, row in enumerate(counts):
        table.add_row(f"{digit:>5}", *[str(n) if n else "." for n in row])
    return table


def draw(path: Path, losses: Sequence[float], counts: Counts, accuracy: float) -> bool:
    """Draws both into a PNG; False where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure: Any = Figure(figsize=(10, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.semilogy(range(1, len(losses) + 1), losses, color="0.75", linewidth=0.8, label="a step")
    means = smoothed(losses, 40)
    left.semilogy(np.linspace(1, len(losses), len(means)), means, label="mean")
    left.set(title="Loss", xlabel="step", ylabel="cross-entropy")
    left.legend()
    right.imshow(np.sqrt(counts), cmap="Blues")  # the roots show single mistakes, too
    for (shown, read), count in np.ndenumerate(counts):
        if count:
            color = "white" if shown == read else "black"
            right.text(read, shown, str(count), ha="center", va="center", color=color)
    places = range(len(counts))
    right.set(title=f"{accuracy:.1%} of the held-out digits", xlabel="read", ylabel="shown")
    right.set(xticks=places, yticks=places)
    figure.savefig(path, dpi=120)
    return True
