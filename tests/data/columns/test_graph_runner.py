"""What runs functions of elements asks for machine code once its calls took long together."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run import tiers
from graphwright.data.columns import graph_runner
from graphwright.data.columns.graph_runner import GraphRunner
from graphwright.machine.preparation import Waiting

CALLS = 10


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is handed to the compiler."""
    monkeypatch.setattr(Waiting, "always", False)
    handed: list[Any] = []
    monkeypatch.setattr(tiers.background, "submit", lambda job, is_urgent: handed.append(job))
    return handed


#: Numbers for functions that no other resembles, and that so find no code.
NUMBERS = itertools.count(1.0, 0.125)


def runner() -> GraphRunner:
    number, spec = next(NUMBERS), tf.TensorSpec([], tf.float32)
    function = tf.function(lambda x: (x + number) * 3.0 + (1.0 - 3.0 * number))
    return GraphRunner(function.get_concrete_function(spec).graph, [])


@pytest.mark.parametrize(("patience", "count"), [(0.0, 1), (1e9, 0)])
def test_it_waits_until_calls_took_long(
    monkeypatch: pytest.MonkeyPatch, requests: list[Any], patience: float, count: int
) -> None:
    monkeypatch.setattr(graph_runner, "_PATIENCE", patience)
    run = runner()
    for _ in range(CALLS):
        assert run([np.float32(2)]) == [7.0]
    assert len(requests) == count


@pytest.mark.usefixtures("requests")
def test_the_first_call_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for imports, and for the first execution of each op."""
    monkeypatch.setattr(graph_runner, "_PATIENCE", 1e-9)
    run = runner()
    run([np.float32(2)])
    assert run.tiers is not None
    assert run.tiers.spent == 0.0
    run([np.float32(2)])
    assert run.tiers.spent > 0.0


def test_where_code_is_waited_for_calls_decide(
    monkeypatch: pytest.MonkeyPatch, requests: list[Any]
) -> None:
    monkeypatch.setattr(Waiting, "always", True)
    monkeypatch.setattr(tiers.Tiered, "compile", lambda self: requests.append(self))
    run = runner()
    for _ in range(CALLS):
        run([np.float32(2)])
    assert len(requests) == 1
