"""Products over batches in loops: part of the loop's machine code, whatever is known of sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.tiers import differences, normal

import graphwright as tf


def cast_to(dtype):
    return lambda x, y: tf.cast(tf.cast(x, dtype) @ tf.cast(y, dtype), tf.float32)


PRODUCTS = {
    "batches": (tf.matmul, (5, 4, 6), (5, 6, 3)),
    "first transposed": (lambda x, y: tf.matmul(x, y, True), (5, 6, 4), (5, 6, 3)),
    "second transposed": (lambda x, y: tf.matmul(x, y, False, True), (5, 4, 6), (5, 3, 6)),
    "both transposed": (lambda x, y: tf.matmul(x, y, True, True), (5, 6, 4), (5, 3, 6)),
    "one matrix": (tf.matmul, (2, 5, 4, 6), (6, 3)),
    "one matrix, transposed": (lambda x, y: tf.matmul(x, y, True), (2, 6, 4), (6, 3)),
    "one matrix on the left": (tf.matmul, (4, 6), (5, 6, 3)),
    "broadcast": (tf.matmul, (1, 5, 4, 6), (2, 1, 6, 3)),
    "large": (tf.matmul, (3, 80, 90), (3, 90, 70)),
    "float64": (cast_to(tf.float64), (5, 4, 6), (5, 6, 3)),
    "float16": (cast_to(tf.float16), (5, 4, 6), (5, 6, 3)),
    "matrices of bfloat16": (cast_to(tf.bfloat16), (4, 6), (6, 3)),
}

EQUATIONS = {
    "bij,bjk->bik": ((5, 4, 6), (5, 6, 3)),
    "ij,jk->ki": ((4, 6), (6, 3)),
    "bqhd,bkhd->bhqk": ((2, 5, 3, 4), (2, 6, 3, 4)),
    "bhqk,bkhd->bqhd": ((2, 3, 5, 6), (2, 6, 3, 4)),
    "...ij,...jk->...ik": ((2, 5, 4, 6), (5, 6, 3)),
    "...i,...i": ((2, 3), (1, 3)),
    "b...,bc->c...": ((3, 2, 4), (3, 5)),
    "i,j->ij": ((4,), (5,)),
    "i,i->": ((4,), (4,)),
    "ij,k->i": ((3, 4), (5,)),
    "ijk,jil->kl": ((3, 4, 5), (4, 3, 6)),
    "ij->ji": ((3, 4),),
    "ijk->ik": ((3, 4, 5),),
    "...i->...": ((2, 3),),
}


def equation(text):
    return lambda *operands: tf.einsum(text, *operands)


CASES = {
    **{name: (function, shapes) for name, (function, *shapes) in PRODUCTS.items()},
    **{text: (equation(text), shapes) for text, shapes in EQUATIONS.items()},
}


def looped(function):
    """Three steps, each of which takes the product anew."""

    def run(*operands):
        def body(i, total):
            return i + 1, total + function(*operands) * tf.cast(i, tf.float32)

        start = tf.zeros_like(function(*operands))
        return tf.while_loop(lambda i, total: i < 3, body, (0, start))[1]

    return run


def slopes(function):
    def run(*operands):
        with tf.GradientTape() as tape:
            tape.watch(operands)
            y = tf.reduce_sum(tf.square(looped(function)(*operands)))
        return tape.gradient(y, operands)

    return run


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("form", [looped, slopes])
def test_products_of_a_loop_are_part_of_it(form, name, dynamic):
    function, shapes = CASES[name]
    found = differences(form(function), [normal(*shape) for shape in shapes], dynamic)
    assert not [text for text in found if "StatelessWhile" in text or "array" in text]


def test_the_kernel_of_an_equation_of_which_a_label_repeats_is_called_in_a_loop():
    x = normal(4, 4)
    found = differences(looped(equation("ii,ij->j")), [x, x], False)
    assert {text.partition(":")[0] for text in found} == {"Einsum"}  # outside of the loop


def test_matrices_of_another_number_are_refused():
    specs = [tf.TensorSpec([None, None, None])] * 2
    run = tf.function(looped(tf.matmul), input_signature=specs, jit_compile=True)
    one = np.ones((2, 3, 3), np.float32)
    np.testing.assert_array_equal(run(one, one), 9 * one)
    np.testing.assert_array_equal(run(one, one[:1]), 9 * one)
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch dimensions"):
        run(one, np.ones((5, 3, 3), np.float32))


@pytest.mark.parametrize("shape", [(0, 0), (0, 2), (2, 0)])
def test_tensordot_of_nothing_has_its_sizes_where_no_rank_is_known(shape: tuple[int, int]) -> None:
    def squares(x: Any) -> Any:
        return tf.tensordot(x, x, [[0], [0]])

    x = tf.ones(shape)
    anything = tf.function(squares, input_signature=[tf.TensorSpec(None)])
    np.testing.assert_array_equal(anything(x), np.zeros([shape[1]] * 2) + shape[0])


@pytest.mark.parametrize("axes", [[[5], [0]], [[1], [2]], [[-3], [0]], [[1], [-3]]])
def test_tensordot_takes_no_axis_that_there_is_not(axes: Any) -> None:
    a, b = tf.ones([2, 3]), tf.ones([3, 2])
    with pytest.raises(IndexError, match="out of range for a tensor of rank 2"):
        tf.tensordot(a, b, axes)
    with pytest.raises(TypeError):
        tf.tensordot(a, b, [[1.0], [0]])
