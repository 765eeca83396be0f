"""Iterators of graphs: several datasets begin one, and a handle says which one is meant."""

from __future__ import annotations

import pytest

import graphwright as tf

v1 = tf.compat.v1


def test_datasets_take_turns_in_one_iterator() -> None:
    with tf.Graph().as_default(), v1.Session() as session, v1.Session() as other:
        train, test = tf.data.Dataset.range(5), tf.data.Dataset.range(100, 103)
        types, shapes = v1.data.get_output_types(train), v1.data.get_output_shapes(train)
        iterator = v1.data.Iterator.from_structure(types, shapes)
        x = iterator.get_next()
        assert (x.dtype, x.shape) == (tf.int64, [])
        begin_train, begin_test = map(iterator.make_initializer, (train, test))
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(x)
        session.run(begin_train)
        assert [session.run(x) for _ in range(2)] == [0, 1]
        session.run(begin_test)
        other.run(begin_train)
        assert [session.run(x) for _ in range(3)] == [100, 101, 102]
        assert other.run(x) == 0
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(x)
        session.run(begin_train)
        assert session.run(x) == 0
        assert v1.global_variables() == []
        with pytest.raises(ValueError, match="does not have an initializer"):
            iterator.initializer  # noqa: B018


def test_an_iterator_begins_no_dataset_of_other_elements() -> None:
    with tf.Graph().as_default():
        iterator = v1.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
        with pytest.raises(TypeError, match=r"^Expected output types tf.int64 but got dataset"):
            iterator.make_initializer(tf.data.Dataset.from_tensor_slices([1.0]))
        with pytest.raises(TypeError, match=r"^Expected output shapes compatible with"):
            iterator.make_initializer(tf.data.Dataset.range(3).batch(2))
    with pytest.raises(RuntimeError, match="is for sessions"):
        v1.data.Iterator.from_structure(tf.int64)


def test_a_handle_says_which_iterator_is_meant() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        handle = v1.placeholder(tf.string, [])
        chosen = v1.data.Iterator.from_string_handle(handle, {"a": tf.int64}, {"a": []})
        x = chosen.get_next()["a"]
        several = tf.data.Dataset.range(5).map(lambda a: {"a": a})
        once = v1.data.make_one_shot_iterator(several)
        begun = v1.data.make_initializable_iterator(several.skip(3))
        handles = session.run([once.string_handle(), begun.string_handle()])
        assert handles[0] == session.run(once.string_handle()) != handles[1]
        assert [session.run(x, {handle: handles[0]}) for _ in range(2)] == [0, 1]
        with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
            session.run(x, {handle: handles[1]})
        session.run(begun.initializer)
        assert session.run(x, {handle: handles[1]}) == 3
        assert session.run(once.get_next()["a"]) == 2
        assert session.run(chosen.string_handle(), {handle: handles[0]}) == handles[0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse string_handle"):
            session.run(x, {handle: b"nothing"})
