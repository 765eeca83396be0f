"""Hits among the best by machine code are those that NumPy counts."""

from __future__ import annotations

import numpy as np
import pytest

from graphwright.ops.math import counting, hit_code
from graphwright.ops.math.counting import InTopKV2


@pytest.mark.parametrize("k", [-1, 0, 1, 3, 10, 1000])
@pytest.mark.parametrize("classes", [1, 5, 8, 9, 31, 40])
def test_hits_are_those_of_numpy(classes: int, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(classes)
    predictions = rng.integers(-9, 9, (400, classes)).astype(np.float32)
    odd = rng.integers(0, 400, 60), rng.integers(0, classes, 60)
    predictions[odd] = rng.choice([np.nan, np.inf, -np.inf, -0.0], 60)
    targets = rng.integers(-2, classes + 2, 400)
    results = []
    for is_ready in (False, True):
        monkeypatch.setattr(counting, "_MANY", 0 if is_ready else 1 << 60)
        hit_code.PREPARATION.work()
        for kind in (np.int32, np.int64):
            by = InTopKV2().kernel(predictions, targets.astype(kind), k)
            assert by.dtype == np.bool_
            results.append(by.tolist())
            strided = predictions[:, ::-1]
            results.append(InTopKV2().kernel(strided, targets.astype(kind), k).tolist())
    assert results[:4] == results[4:]
    expected = [
        bool(np.isfinite(row).all() and 0 <= target < classes and sum(row > row[target]) < k)
        for row, target in zip(predictions, targets.tolist())
    ]
    assert results[0] == results[4] == expected
