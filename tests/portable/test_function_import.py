"""Functions of models as graphs: what their readers are."""

from __future__ import annotations

from graphwright.portable.function_import import TRAINED
from graphwright.portable.graphs.training_steps import STEPS


def test_all_steps_of_training_are_read() -> None:
    assert set(TRAINED) == {f"Resource{name}" for name in STEPS}
