"""Tensors of a graph: what they lack, and what an error then says."""

from __future__ import annotations

import pickle
from copy import copy

import pytest

import graphwright as tf
from graphwright.trace import missing_values


@pytest.mark.parametrize("name", ["numpy", "item", "tolist"])
def test_a_reader_of_values_is_refused_with_what_works(name: str) -> None:
    @tf.function
    def read(x: tf.Tensor) -> tf.Tensor:
        return getattr(x, name)()  # which has no name in the source, so `x` stands for any tensor

    with pytest.raises(AttributeError, match=rf"no attribute '{name}': `x` is a tensor of a graph"):
        read(tf.constant(2.0))


def test_what_the_refusal_advises_works() -> None:
    @tf.function
    def read(x: tf.Tensor) -> tf.Tensor:
        return tf.py_function(lambda value: value.numpy() + 1.0, [x], tf.float32)

    assert read(tf.constant(2.0)).numpy() == 3.0


def test_the_words_of_a_refusal_are_made_when_somebody_reads_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    monkeypatch.setattr(missing_values, "condition_at", lambda place: asked.append(place) or "x")

    @tf.function
    def staged(x: tf.Tensor) -> tf.Tensor:
        if x > 0.0:
            x = -x
        return x

    @tf.function(autograph=False)
    def refused(x: tf.Tensor) -> tf.Tensor:
        return x if x > 0.0 else -x

    assert staged(tf.constant(2.0)).numpy() == -2.0
    assert not asked
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError) as error:
        refused(tf.constant(2.0))
    texts = [str(error.value), error.value.args[0], str(error.value)]
    assert "Make `refused` without `autograph=False`" in texts[0]  # though the trace is over
    assert texts == [texts[0]] * 3
    assert texts[0] in repr(pickle.loads(pickle.dumps(copy(error.value)))).replace("\\n", "\n")
    assert len(asked) == 1


def test_other_names_are_plainly_absent() -> None:
    @tf.function
    def look(x: tf.Tensor) -> tf.Tensor:
        assert not hasattr(x, "numpy")
        assert getattr(x, "nothing", None) is None
        with pytest.raises(AttributeError, match=r"no attribute 'nothing'$"):
            x.nothing  # noqa: B018 - the attribute is what is tested
        return x

    look(tf.constant(2.0))


def test_libraries_give_tensors_attributes():
    """An attribute is of the object, be it in a graph or not."""

    @tf.function
    def f(x):
        y = tf.sigmoid(x)
        y._logits = x
        return y._logits * 2.0

    x = tf.constant(1.0)
    x._mask = "mask"
    assert x._mask == "mask"
    assert not hasattr(x * 1.0, "_mask")
    assert f(x) == 2.0


def test_a_tensor_that_leaked_gets_tensorflows_words_alone() -> None:
    leaked = []

    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        leaked.append(x + 1)
        return x

    f(tf.constant(1))
    with pytest.raises(AttributeError) as raised:
        leaked[0].numpy()
    assert str(raised.value) == "'SymbolicTensor' object has no attribute 'numpy'"
