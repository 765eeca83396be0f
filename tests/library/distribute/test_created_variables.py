"""Variables that replicas create are the first replica's, by name and in order."""

from __future__ import annotations

import pytest

import graphwright as tf
from graphwright.library.distribute.created_variables import CreatedVariables


def test_other_replicas_get_the_variables_of_the_first_one() -> None:
    created = CreatedVariables()
    first = [created.variable(0, name, lambda: tf.Variable(1.0)) for name in ("w", "w_1", None)]
    assert len({id(v) for v in first}) == 3
    for replica in (1, 2):
        others = [created.variable(replica, name, pytest.fail) for name in ("w", "w_1", None)]
        assert all(mine is own for mine, own in zip(others, first))
    with pytest.raises(RuntimeError, match="variable w with mismatching name on device 1"):
        created.variable(1, "w", pytest.fail)
