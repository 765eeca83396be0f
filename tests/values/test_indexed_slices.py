"""`tf.IndexedSlices` as a composite: in structures, functions, branches, loops, gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf


def rows(whole: bool = True) -> Any:
    shape = tf.constant([4, 2]) if whole else None
    return tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 2]), shape)


def listed(slices: Any) -> Any:
    return slices.values.numpy().tolist(), slices.indices.numpy().tolist()


DOUBLED = ([[2.0, 4.0], [6.0, 8.0]], [0, 2])


def doubled(slices: Any) -> Any:
    return tf.IndexedSlices(slices.values * 2.0, slices.indices, slices.dense_shape)


def test_its_spec_says_what_tensorflow_says() -> None:
    assert repr(tf.type_spec_from_value(rows())) == (
        "IndexedSlicesSpec(TensorShape([4, 2]), tf.float32, tf.int32, tf.int32, TensorShape([2]))"
    )
    assert repr(tf.type_spec_from_value(rows(whole=False))) == (
        "IndexedSlicesSpec(TensorShape([None, 2]), tf.float32, tf.int32, None, TensorShape([2]))"
    )


@pytest.mark.parametrize("whole", [True, False])
def test_it_is_argument_and_result_of_a_function(whole: bool) -> None:
    function = tf.function(doubled)
    result = function(rows(whole))
    assert isinstance(result, tf.IndexedSlices)
    assert listed(result) == DOUBLED
    assert (result.dense_shape is None) is not whole
    function(rows(whole))
    assert function.experimental_get_tracing_count() == 1


def test_it_passes_branches_and_loops() -> None:
    @tf.function
    def branch(slices: Any) -> Any:
        return tf.cond(tf.reduce_sum(slices.values) > 0, lambda: doubled(slices), lambda: slices)

    @tf.function
    def loop(slices: Any) -> Any:
        return tf.while_loop(lambda i, _: i < 1, lambda i, s: (i + 1, doubled(s)), (0, slices))[1]

    assert listed(branch(rows())) == DOUBLED
    assert listed(loop(rows())) == DOUBLED


def test_a_traced_gradient_of_gathered_rows_is_returned_as_slices() -> None:
    table = tf.Variable([[1.0], [2.0], [3.0]])

    @tf.function
    def gradient() -> Any:
        with tf.GradientTape() as tape:
            y = tf.gather(table, [2, 0]) ** 2
        return tape.gradient(y, table)

    result = gradient()
    assert isinstance(result, tf.IndexedSlices)
    assert listed(result) == ([[6.0], [2.0]], [2, 0])


def test_gradients_with_respect_to_it_are_those_of_its_rows() -> None:
    slices = rows()
    with tf.GradientTape() as tape:
        tape.watch(slices.values)
        y = tf.reduce_sum(slices.values**2)
    assert listed(tape.gradient(y, slices)) == DOUBLED


def test_functions_on_it_keep_it_or_make_it_whole() -> None:
    assert isinstance(tf.identity(rows()), tf.IndexedSlices)
    assert isinstance(tf.stop_gradient(rows()), tf.IndexedSlices)
    cast = tf.cast(rows(), tf.int32)
    assert isinstance(cast, tf.IndexedSlices)
    assert cast.dtype is tf.int32
    assert tf.square(rows()).numpy().tolist() == [[1.0, 4.0], [0.0, 0.0], [9.0, 16.0], [0.0, 0.0]]
    with pytest.raises(ValueError, match="without dense_shape"):
        tf.square(rows(whole=False))


def test_what_is_no_slices_does_not_fit_its_spec() -> None:
    function = tf.function(doubled, input_signature=[tf.IndexedSlicesSpec([4, 2])])
    with pytest.raises(TypeError, match=r"Binding inputs to tf\.function failed"):
        function(tf.constant(1.0))
    with pytest.raises(TypeError, match=r"Binding inputs to tf\.function failed"):
        function(rows())  # its indices are int32


def test_scaled_and_clipped_rows_stay_rows_of_tensorflows_values() -> None:
    rows = [[4.0, 6.0], [12.0, 14.0], [4.0, 6.0]]
    x = tf.IndexedSlices(tf.constant(rows), tf.constant([1, 3, 1]), tf.constant([4, 2]))
    clipped = [[0.1898316, 0.2847474], [0.5694948, 0.6644109], [0.1898316, 0.2847474]]
    for result, wanted in (
        (tf.math.scalar_mul(2.0, x), 2 * np.array(rows)),
        (tf.clip_by_norm(x, 1.0), clipped),
        (tf.clip_by_global_norm([None, x], 1.0)[0][1], clipped),
    ):
        assert isinstance(result, tf.IndexedSlices)
        assert result.indices.numpy().tolist() == [1, 3, 1]
        np.testing.assert_allclose(result.values, wanted, rtol=1e-6)
    np.testing.assert_allclose(tf.linalg.global_norm([x]), 21.071308, rtol=1e-6)


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_optimizers_take_single_rows_as_the_whole_gradient(name: str, staged: bool) -> None:
    def trained(sparse: bool) -> Any:
        v = tf.Variable(np.arange(8.0, dtype=np.float32).reshape(4, 2))
        optimizer = getattr(tf.optimizers, name)(0.1)

        def step() -> None:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.gather(v, [1, 3]) ** 2)
            slope = tape.gradient(loss, v)
            assert isinstance(slope, tf.IndexedSlices)
            optimizer.apply_gradients([(slope if sparse else tf.convert_to_tensor(slope), v)])

        run = tf.function(step) if staged else step
        for _ in range(3):
            run()
        return v.numpy()

    np.testing.assert_allclose(trained(True), trained(False), rtol=1e-6)
