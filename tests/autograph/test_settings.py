"""Optional features are those of the trace that asked for them, and of no other."""

from __future__ import annotations

import pytest

import graphwright as tf
from graphwright.autograph.settings import Feature, features, is_on

LISTS = tf.autograph.experimental.Feature.LISTS


def seen(fails=False):
    """A function, and which features were on when it was traced."""
    found = []

    def f(x):
        found.append(is_on(Feature.LISTS))
        if fails:
            raise KeyError
        return x

    return f, found


@pytest.mark.parametrize("fails", [False, True])
def test_a_trace_without_features_has_none_after_one_with_them(fails):
    asking, with_features = seen(fails)
    plain, without = seen()
    f = tf.function(asking, experimental_autograph_options=LISTS)
    if fails:
        with pytest.raises(KeyError):
            f(tf.constant(1))
    else:
        f(tf.constant(1))
    tf.function(plain)(tf.constant(1))
    assert (with_features, without) == ([True], [False])
    assert not is_on(Feature.LISTS)


def test_an_inner_trace_has_its_own_features_and_leaves_the_outer_ones():
    inner, found = seen()
    after = []

    def outer(x):
        y = tf.function(inner)(x)
        after.append(is_on(Feature.LISTS))
        return y

    tf.function(outer, experimental_autograph_options=LISTS)(tf.constant(1))
    assert (found, after) == ([False], [True])


def test_features_end_with_their_block():
    with pytest.raises(KeyError), features(LISTS):
        raise KeyError
    assert not is_on(Feature.LISTS)
