"""`tf.CriticalSection` excludes threads from each other, eagerly and in graphs."""

from __future__ import annotations

from threading import Thread
from typing import Any

import numpy as np
import pytest

import graphwright as tf


def test_threads_take_turns() -> None:
    section, count = tf.CriticalSection(), tf.Variable(0)

    def step() -> Any:
        return section.execute(lambda: count.assign(count + 1))

    staged = tf.function(step)

    def work() -> None:
        for _ in range(50):
            staged()
            step()

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count.numpy() == 400


def test_a_failure_leaves_the_section_open() -> None:
    section = tf.CriticalSection()

    @tf.function
    def fail(x: Any) -> Any:
        return section.execute(lambda: tf.debugging.check_numerics(x, "here"))

    with pytest.raises(tf.errors.InvalidArgumentError, match="here"):
        fail(tf.constant(np.nan))
    assert section.execute(lambda: 3) == 3


def test_a_section_is_not_entered_twice() -> None:
    section = tf.CriticalSection(name="mine")
    with pytest.raises(ValueError, match="CriticalSection mine in which we are already running"):
        section.execute(lambda: section.execute(lambda: 1))
    assert section.execute(lambda: 2) == 2


def test_sections_of_a_shared_name_exclude_each_other() -> None:
    first, second = (tf.CriticalSection(shared_name="shared") for _ in range(2))
    with pytest.raises(ValueError, match="already running"):
        first.execute(lambda: second.execute(lambda: 1))
