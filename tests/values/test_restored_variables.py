"""A variable that is made after a checkpoint was restored takes its value from it."""

from __future__ import annotations

from pathlib import Path

import graphwright as tf


def test_a_variable_has_the_value_of_the_checkpoint_when_somebody_holds_it(tmp_path: Path) -> None:
    saved, restored = tf.Module(), tf.Module()
    saved.v = tf.Variable(3.0)
    path = tf.train.Checkpoint(m=saved).write(str(tmp_path / "all"))
    status = tf.train.Checkpoint(m=restored).read(path)
    alone = tf.Variable(5.0)
    alone.assign_add(1.0)
    restored.v = tf.Variable(7.0)
    assert restored.v.numpy() == 3.0
    assert alone.numpy() == 6.0
    status.assert_consumed()


def test_a_variable_in_a_list_or_a_dictionary_is_restored_too(tmp_path: Path) -> None:
    saved, restored = tf.Module(), tf.Module()
    saved.items, saved.named = [tf.Variable(3.0)], {"a": tf.Variable(4.0)}
    path = tf.train.Checkpoint(m=saved).write(str(tmp_path / "all"))
    restored.items, restored.named = [], {}
    status = tf.train.Checkpoint(m=restored).read(path)
    restored.items.append(tf.Variable(7.0))
    restored.named["a"] = tf.Variable(8.0)
    assert restored.items[0].numpy() == 3.0
    assert restored.named["a"].numpy() == 4.0
    status.assert_consumed()
