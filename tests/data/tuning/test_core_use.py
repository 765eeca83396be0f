"""Whether cores were idle, by clocks of the test."""

from __future__ import annotations

import pytest

from graphwright.data.tuning import core_use
from graphwright.data.tuning.core_use import CoreUse


@pytest.mark.parametrize(
    ("spans", "cores", "is_full"),
    [
        ([(1.0, 2.0)], 2, True),
        ([(1.0, 1.0)], 2, False),
        ([(1.0, 1.0)], 1, True),
        ([(1.0, 0.0), (9.0, 36.0)], 4, True),
        ([(9.0, 0.0), (1.0, 4.0)], 4, False),
    ],
)
def test_cores_are_full_where_all_compute_nearly_all_the_time(
    monkeypatch: pytest.MonkeyPatch,
    spans: list[tuple[float, float]],
    cores: int,
    is_full: bool,
) -> None:
    now = {"clock": 5.0, "computed": 7.0}
    monkeypatch.setattr(core_use, "perf_counter", lambda: now["clock"])
    monkeypatch.setattr(core_use, "process_time", lambda: now["computed"])
    monkeypatch.setattr(core_use, "cores", lambda: cores)
    use = CoreUse()
    for seconds, computed in spans:
        use.begin()
        now["clock"] += seconds
        now["computed"] += computed
        use.end()
        now["clock"] += 3.0  # what passes between spans does not count
        now["computed"] += 30.0
        use.end()
    assert use.seconds == sum(seconds for seconds, _ in spans)
    assert use.is_full is is_full
