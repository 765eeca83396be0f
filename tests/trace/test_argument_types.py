"""Trace types form a lattice; values have the types that the guide says they have."""

from __future__ import annotations

import collections
import gc

import attrs
import numpy as np
import pytest
from hypothesis import given
from support.strategies import trace_types

import graphwright as tf
from graphwright.trace.argument_types import LiteralType, Structure, TypeContext, from_value


@given(trace_types)
def test_every_type_is_its_own_subtype_and_supertype(a):
    assert a.is_subtype_of(a)
    assert a.most_specific_common_supertype([a]) == a


@given(trace_types, trace_types)
def test_subtypes_of_each_other_are_equal(a, b):
    if a.is_subtype_of(b) and b.is_subtype_of(a):
        assert a == b
        assert hash(a) == hash(b)


@given(trace_types, trace_types, trace_types)
def test_subtyping_is_transitive(a, b, c):
    if a.is_subtype_of(b) and b.is_subtype_of(c):
        assert a.is_subtype_of(c)


@given(trace_types, trace_types)
def test_the_common_supertype_is_above_both_and_does_not_depend_on_their_order(a, b):
    joined = a.most_specific_common_supertype([b])
    assert joined == b.most_specific_common_supertype([a])
    if joined is not None:
        assert a.is_subtype_of(joined)
        assert b.is_subtype_of(joined)


@given(trace_types, trace_types, trace_types)
def test_the_common_supertype_is_the_most_specific(a, b, above):
    if a.is_subtype_of(above) and b.is_subtype_of(above):
        joined = a.most_specific_common_supertype([b])
        assert joined is not None
        assert joined.is_subtype_of(above)


@given(trace_types, trace_types)
def test_exact_types_serve_no_other_exact_type(a, b):
    if a._is_exact and b._is_exact and a.is_subtype_of(b):
        assert a == b


def test_literals_of_different_python_types_differ():
    types = [from_value(v) for v in (1, True, 1.0, "1", b"1", None)]
    assert len(set(types)) == len(types)


EQUAL = [(1, True), (0.0, -0.0), (0j, complex(0.0, -0.0)), ({1: 2}, {True: 2}),
         ({0.0: 2}, {-0.0: 2}), ([0.0], [-0.0])]  # fmt: skip


@pytest.mark.parametrize("pair", EQUAL, ids=repr)
def test_equal_values_have_types_of_their_own(pair):
    first, second = map(from_value, pair)
    assert first != second
    assert not first.is_subtype_of(second)
    assert first.most_specific_common_supertype([second]) is None
    with pytest.raises(TypeError, match="Can not cast"):
        first.cast(pair[1])


def test_variables_that_tapes_watch_have_another_type_than_those_they_do_not():
    first, second = (from_value(tf.Variable(1.0, trainable=t)) for t in (True, False))
    assert first != second
    assert not first.is_subtype_of(second)
    assert first.most_specific_common_supertype([second]) is None
    assert repr(second) == repr(first).replace("float32)", "float32, trainable=False)")


def test_nan_is_one_literal():
    assert from_value(float("nan")) == from_value(float("nan"))


def test_arrays_have_the_type_of_the_tensor_that_they_become():
    assert from_value(np.ones([2], np.float32)) == from_value(tf.ones([2]))
    assert from_value(np.float64(1)) == from_value(tf.constant(1.0, tf.float64))


def test_dictionaries_do_not_depend_on_the_order_of_their_keys():
    assert from_value({"a": 1, "b": 2}) == from_value({"b": 2, "a": 1})


def test_named_tuples_and_attrs_classes_are_told_apart_by_their_class():
    first = collections.namedtuple("first", "a")
    second = collections.namedtuple("second", "a")
    one = attrs.make_class("One", ["a"])
    assert len({from_value(v) for v in (first(1), second(1), one(1), (1,))}) == 4
    assert from_value(one(1)).placeholder_value(None) == one(1)


def test_variables_are_numbered_within_a_call():
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    def types(*values):
        context = TypeContext()
        return tuple(context.type_of(value) for value in values)

    assert types(v, v) == types(w, w)
    assert types(v, w) == types(w, v)
    assert types(v, v) != types(v, w)


def test_objects_match_by_identity_then_by_equality_while_they_live():
    class Point:
        def __init__(self, x):
            self.x = x

        def __eq__(self, other):
            return self.x == other.x

        def __hash__(self):
            return hash(self.x)

    one = Point(1)
    kept = from_value(one)
    assert kept == from_value(one)
    also_one, two = Point(1), Point(2)
    assert kept == from_value(also_one)
    assert kept != from_value(two)
    del one
    gc.collect()
    assert kept != from_value(also_one)


def test_a_shape_is_a_value_that_a_trace_is_made_for() -> None:
    seen: list[object] = []

    @tf.function
    def filled(x: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
        seen.append(shape)
        return tf.fill(shape, x)

    for dims in ([2], [3], [2], [2, 1]):
        assert filled(1.0, tf.TensorShape(dims)).shape == dims
    assert seen == [tf.TensorShape([2]), tf.TensorShape([3]), tf.TensorShape([2, 1])]
    shapes = {"of": [x.shape for x in (tf.zeros([2, 3]), tf.zeros([6]))]}
    assert tf.function(lambda d: tf.reshape(tf.range(6), d["of"][0]))(shapes).shape == [2, 3]


def test_a_trace_knows_no_default_factory() -> None:
    total = tf.function(lambda d: d["a"] + sum(d["b"]))
    numbers = collections.defaultdict(list, a=tf.constant(1), b=[tf.constant(2), tf.constant(3)])
    assert int(total(numbers)) == 6
    with pytest.raises(KeyError):
        tf.function(lambda d: d["c"])(numbers)
    assert list(numbers) == ["a", "b"]


def test_a_structure_that_contains_itself_is_refused():
    circular: list = [1]
    circular.append(circular)
    with pytest.raises(ValueError, match="contains itself"):
        from_value(circular)


def test_unhashable_objects_are_refused_with_the_way_out():
    class Unhashable:
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other):
            return True

    with pytest.raises(TypeError, match="__tf_tracing_type__"):
        from_value(Unhashable())


def test_the_text_of_types_is_the_guide_s():
    assert repr(from_value([1, 2])) == "List[Literal[1], Literal[2]]"
    assert repr(from_value({"x": 2})) == "Dict[['x', Literal[2]]]"
    assert repr(LiteralType("relu")) == "Literal['relu']"
    assert repr(Structure(tuple, None, ())) == "Tuple[]"


def test_which_values_are_tensors() -> None:
    """Those of TensorFlow 2.21: libraries ask so before they look for a shape."""
    dataset = tf.data.Dataset.range(3)
    array = tf.TensorArray(tf.int32, 1)
    optional = tf.experimental.Optional.from_value(1)
    for value in (dataset, iter(dataset), optional, array, tf.TensorSpec([]), [1]):
        assert not tf.is_tensor(value)
    rows = tf.IndexedSlices(tf.constant([1]), tf.constant([0]))
    sparse, ragged = tf.sparse.from_dense([1]), tf.ragged.constant([[1]])
    for value in (tf.constant(1), tf.Variable(1), rows, sparse, ragged):
        assert tf.is_tensor(value)


def test_a_tensor_of_a_library_is_an_argument_as_its_value_is() -> None:
    class Weight(tf.__internal__.types.Tensor):
        """As a variable of Keras: no tensor, and not hashable."""

        __hash__ = None

        def __init__(self, value: list[float]) -> None:
            self.value = value

        def __tf_tensor__(self, dtype: object = None, name: str | None = None) -> tf.Tensor:
            return tf.constant(self.value, dtype)

    size = tf.function(lambda x, rest: tf.reduce_sum(x * x) + tf.reduce_sum(rest[0]))
    one, other = Weight([1.0, 2.0]), Weight([3.0, 2.0])
    assert [float(size(w, [other])) for w in (one, other)] == [10.0, 18.0]
    assert size.experimental_get_tracing_count() == 1
