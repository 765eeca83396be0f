"""Which outputs of a convolution read which inputs: phases of outputs that the same taps reach."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.ops.convolution.windows import Windows


class Phase(NamedTuple):
    """Outputs that the same taps reach: `counts` of them, from `starts`, `strides` apart.

    `offsets` are, for each axis, where its taps lie before the first output's step.
    """

    counts: tuple[int, ...]
    starts: tuple[int, ...]
    strides: tuple[int, ...]
    offsets: tuple[tuple[int, ...], ...]

    @property
    def taps(self) -> int:
        return math.prod([len(o) for o in self.offsets])


class Geometry(NamedTuple):
    """Where the outputs of all phases read: `steps` apart, from `lows` to `highs`."""

    sizes: tuple[int, ...]
    steps: tuple[int, ...]
    lows: tuple[int, ...]
    highs: tuple[int, ...]
    phases: tuple[Phase, ...]

    @classmethod
    def of(
        cls, sizes: tuple[int, ...], steps: tuple[int, ...], phases: Sequence[Phase]
    ) -> Geometry:
        lows, highs = [], []
        for axis, step in enumerate(steps):
            lows.append(min(min(p.offsets[axis]) for p in phases))
            highs.append(max(max(p.offsets[axis]) + (p.counts[axis] - 1) * step for p in phases))
        return cls(sizes, steps, tuple(lows), tuple(highs), tuple(phases))

    @property
    def rows(self) -> int:
        """Outputs along the first axis, of the longest phase."""
        return max(p.counts[0] for p in self.phases)

    @property
    def inside(self) -> bool:
        """Whether no window reaches into padding."""
        ends = zip(self.lows, self.highs, self.sizes)
        return all(low >= 0 and high < size for low, high, size in ends)

    def frame(self, rows: int) -> tuple[int, ...]:
        """The sizes of the input that a number of rows of outputs reads."""
        reach = max(max(p.offsets[0]) for p in self.phases) - self.lows[0]
        first = (rows - 1) * self.steps[0] + reach + 1
        return (first, *[h - low + 1 for low, h in zip(self.lows[1:], self.highs[1:])])


def forward(windows: Windows) -> Geometry:
    """A convolution is one phase."""
    rank = len(windows.sizes)
    offsets = [
        tuple(tap * dilation - before for tap in range(taps))
        for taps, dilation, (before, _) in zip(windows.kernel, windows.dilations, windows.pads)
    ]
    phase = Phase(windows.counts, (0,) * rank, (1,) * rank, tuple(offsets))
    return Geometry.of(windows.sizes, windows.strides, [phase])


@lru_cache(maxsize=64)
def backward(windows: Windows) -> tuple[list[Phase], list[tuple[tuple[int, ...], ...]]]:
    """The phases of the gradient of the input, and the taps that reach each."""
    axes = [_axis_phases(windows, axis) for axis in range(len(windows.sizes))]
    phases, chosen = [], []
    for combined in itertools.product(*axes):
        counts, starts, strides, taps, offsets = zip(*combined)
        phases.append(Phase(counts, starts, strides, offsets))
        chosen.append(taps)
    return phases, chosen


def _axis_phases(windows: Windows, axis: int) -> list[tuple[Any, ...]]:
    """(count, start, stride, taps, offsets) of each phase of an axis that some tap reaches.

    Input i is read by tap t of output o where i + before = o * stride + t * dilation.
    """
    size, stride, before = windows.sizes[axis], windows.strides[axis], windows.pads[axis][0]
    phases = []
    for start in range(min(stride, size)):
        reaching = [
            (tap, (start + before - tap * windows.dilations[axis]) // stride)
            for tap in range(windows.kernel[axis])
            if (start + before - tap * windows.dilations[axis]) % stride == 0
        ]
        if reaching:
            taps, offsets = zip(*reaching)
            phases.append((len(range(start, size, stride)), start, stride, taps, offsets))
    return phases
