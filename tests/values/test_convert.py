"""Conversions that programs register."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf


def test_a_class_is_converted_as_its_program_says() -> None:
    class Length:
        metres = 2.5

    class Mass(Length):
        pass

    def converted(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        return NotImplemented if dtype is tf.int32 else tf.constant(value.metres, dtype)

    tf.register_tensor_conversion_function((Length, Mass), converted)
    for value in (Length(), Mass()):
        assert (tf.constant(0.5) + value).numpy() == 3.0
        assert tf.convert_to_tensor(value, tf.float64).dtype is tf.float64
        with pytest.raises(TypeError, match="no conversion of"):
            tf.convert_to_tensor(value, tf.int32)


def test_an_object_that_makes_a_tensor_of_itself_is_taken_for_one() -> None:
    class Two:
        def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
            return tf.convert_to_tensor(state, dtype)

    def program() -> Any:
        sizes = [tf.range(two), tf.zeros(two), tf.repeat(7, two)]
        items = tf.TensorArray(tf.int32, two).unstack([5, 6]).stack()
        chosen = tf.cond(two > tf.constant(1), lambda: two, lambda: 3)
        return *sizes, items, chosen, two

    two, state = Two(), tf.Variable(2)
    eager, traced = program(), tf.function(program)()
    assert [x.numpy().tolist() for x in map(tf.convert_to_tensor, eager)] == [
        x.numpy().tolist() for x in traced
    ]
    state.assign(5)
    assert int(tf.function(lambda: two)()) == 5
    with pytest.raises(TypeError, match="found return value of type type"):
        tf.function(lambda: Two)()


@pytest.mark.parametrize("kind", [int, bool, float, np.float32, np.ndarray, (str, np.generic)])
def test_numbers_and_arrays_have_their_own_conversion(kind: Any) -> None:
    with pytest.raises(TypeError, match="Python numeric types and NumPy scalars and arrays"):
        tf.register_tensor_conversion_function(kind, lambda value, **_: value)


def test_what_is_no_class_or_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match=r"must be a type or a tuple of types\. Obtained: 3"):
        tf.register_tensor_conversion_function(3, lambda value, **_: value)
    with pytest.raises(TypeError, match=r"`conversion_func` must be callable\. Received 3"):
        tf.register_tensor_conversion_function(str, 3)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (2**31 - 1, tf.int32),
        (2**31, tf.int64),
        (-(2**31), tf.int32),
        (-(2**31) - 1, tf.int64),
        ([0, 2**31], tf.int64),
        ([-(2**31), 2**31 - 1], tf.int32),
    ],
)
def test_integers_take_32_bits_if_they_fit(value: Any, dtype: Any) -> None:
    assert tf.constant(value).dtype is dtype
    assert np.all(tf.constant(value).numpy() == value)


@pytest.mark.parametrize("value", [1e300, -1e300, 3.4028236e38, [1e300], [[1.0, -1e300]]])
def test_a_float_that_float32_does_not_hold_is_refused(value: Any) -> None:
    """As TensorFlow does eagerly; a dtype that is stated has it infinite there, and here."""
    for convert in (tf.constant, tf.convert_to_tensor, tf.Variable):
        with pytest.raises(ValueError, match="out-of-range float"):
            convert(value)
    assert np.isinf(tf.constant(value, tf.float32).numpy()).any()
    assert tf.constant(value, tf.float64).numpy().tolist() == value


def test_a_tape_changes_no_refusal_and_a_graph_has_infinity() -> None:
    with tf.GradientTape(), pytest.raises(ValueError, match="out-of-range float"):
        tf.constant(1e300)
    assert np.isinf(tf.function(lambda: tf.constant(1e300))().numpy())


def test_infinity_and_the_greatest_float_are_no_overflow() -> None:
    values = [float("inf"), -float("inf"), 3.4028235e38]
    assert tf.constant(values).numpy().tolist() == [np.inf, -np.inf, float(np.finfo("f").max)]


@pytest.mark.parametrize("staged", [False, True])
def test_tensors_in_a_list_are_cast_to_a_dtype_that_the_program_asks_for(staged):
    def converted(x):
        small = tf.convert_to_tensor([x, 2], tf.int64)
        nested = tf.convert_to_tensor([[x, x], tf.constant([3, 4])], tf.float32)
        return small, nested, tf.SparseTensor([[0]], [1], [x]).dense_shape

    small, nested, shape = (tf.function(converted) if staged else converted)(tf.constant(1))
    assert (small.dtype, small.numpy().tolist()) == (tf.int64, [1, 2])
    assert (nested.dtype, nested.numpy().tolist()) == (tf.float32, [[1.0, 1.0], [3.0, 4.0]])
    assert (shape.dtype, shape.numpy().tolist()) == (tf.int64, [1])
    with pytest.raises(ValueError, match="requested dtype int32 for Tensor with dtype float32"):
        tf.convert_to_tensor([tf.constant(1), tf.constant(1.0)])


@pytest.mark.parametrize("item", [tf.constant(2.9), tf.constant(2.1, tf.float64), tf.uint8])
@pytest.mark.parametrize("is_staged", [False, True])
def test_tensors_in_a_list_of_sizes_are_cast(item: Any, is_staged: bool) -> None:
    """As TensorFlow 2.21 does for ops whose places and sizes are int32 by default."""
    size = item if isinstance(item, tf.Tensor) else tf.constant(2, item)
    x = tf.range(6.0)
    one = tf.cast(1, size.dtype)
    axis = size - size

    def shapes() -> list[Any]:
        return [
            tf.reshape(x, (size, 3)),
            tf.tile(x, [size]),
            tf.transpose(tf.zeros([1, 2]), [one, 0]),
            tf.zeros([size, 1]),
            tf.pad(x, [[size, 1]]),
            tf.reduce_sum(tf.ones([2, 3]), [axis]),
            tf.image.resize(tf.ones([1, 4, 4, 1]), (size, 1)),
            tf.convert_to_tensor([size, 1], dtype_hint=tf.int32),
        ]

    results = tf.function(shapes)() if is_staged else shapes()
    sizes = [[2, 3], [12], [2, 1], [2, 1], [9], [3], [1, 2, 1, 1], [2]]
    assert [result.shape.as_list() for result in results] == sizes
    assert results[-1].numpy().tolist() == [2, 1]


@pytest.mark.parametrize("is_staged", [False, True])
def test_sizes_of_other_dtypes_are_refused_where_no_dtype_is_the_default(is_staged: bool) -> None:
    half, pair, x = tf.constant(2.0), tf.constant([2.0, 3.0]), tf.range(6.0)
    for refused in (
        lambda: tf.slice(x, [half], [half]),
        lambda: tf.random.uniform([half, 6]),
        lambda: tf.reshape(x, pair),
        lambda: tf.reshape(x, [2.0, half]),
    ):
        with pytest.raises((TypeError, tf.errors.InvalidArgumentError), match="float"):
            tf.function(refused)() if is_staged else refused()


def test_none_is_refused_in_graphs_as_tensorflow_does() -> None:
    """A loss of Keras that lacks its `return` gives it."""
    for use in (tf.convert_to_tensor, lambda none: tf.add(1.0, none), tf.Variable(1.0).assign):
        with pytest.raises(ValueError, match=r"Attempt to convert a value \(None\)"):
            use(None)
        with pytest.raises(ValueError, match="None values not supported"):
            tf.function(lambda use=use: use(None))()


def test_an_array_of_objects_has_the_numbers_of_a_dtype_or_is_refused() -> None:
    array = np.array([1, 2.5, None], object)
    assert tf.constant(array[:2], tf.float64).numpy().tolist() == [1.0, 2.5]
    assert np.isnan(tf.Variable(array, dtype=tf.float32).numpy()[2])
    assert tf.constant(np.array(["a", b"b"], object)).numpy().tolist() == [b"a", b"b"]
    for dtype in (None, tf.string):
        words = r"Failed to convert a NumPy array to a Tensor \(Unsupported object type int\)"
        with pytest.raises(ValueError, match=words) as raised:
            tf.constant(np.array(["a", 1], object), dtype)
        assert "in this object array, element 1 is 1" in str(raised.value)


@pytest.mark.parametrize(
    ("values", "eager", "staged"),
    [
        ([np.float32(1), 2], tf.float32, tf.float32),
        ([np.float32(1), 2.5], tf.float32, tf.float32),
        ([2.5, np.float32(1)], tf.float32, tf.float32),
        ([np.float32(1), np.float64(2.5)], tf.float32, tf.float32),
        ([np.float16(1), 2.5], tf.float16, tf.float32),
        ([np.float64(1), 2], tf.float64, tf.float32),
        ([np.int64(1), 2.5], tf.float32, tf.float32),
        ([np.int8(1), np.float64(2.5)], tf.float32, tf.float32),
        ([[np.float32(1), 2], [3.0, 4.0]], tf.float32, tf.float32),
        ([np.ones([], np.float32), 2.5], tf.float32, tf.float32),
        ([np.ones([], np.int8), 2.5], tf.float32, tf.float32),
    ],
    ids=repr,
)
def test_the_first_number_decides_about_floats(
    values: list[object], eager: tf.DType, staged: tf.DType
) -> None:
    """TensorFlow's dtypes, of NumPy's numbers beside Python's."""
    assert tf.constant(values).dtype is eager
    assert tf.Variable(values).dtype is eager
    assert tf.add(values, 1).dtype is eager
    assert tf.function(lambda: tf.constant(values))().dtype is staged
