"""Places of images dealt out to channels or batches, and cross products, in machine code."""

from __future__ import annotations

import pytest
from support.tiers import differences, normal, numbers

import graphwright as tf
from graphwright.compile.run.inspection import outside

X = normal(4, 6, 8, 4)
BLOCKS = {
    "to depth": lambda x: tf.nn.space_to_depth(x * 2.0, 2) + 1.0,
    "to depth, channels first": lambda x: tf.nn.space_to_depth(x * 2.0, 2, "NCHW") + 1.0,
    "to space": lambda x: tf.nn.depth_to_space(x * 2.0, 2) + 1.0,
    "to space, channels first": lambda x: tf.nn.depth_to_space(x[:, :4] * 2.0, 2, "NCHW") + 1.0,
    "to batches": lambda x: tf.space_to_batch(x * 2.0, [3, 2], [[2, 1], [0, 0]]) + 1.0,
    "from batches": lambda x: tf.batch_to_space(x * 2.0, [2, 2], [[1, 0], [2, 3]]) + 1.0,
    "one axis": lambda x: tf.batch_to_space(x * 2.0, [4], [[0, 3]]) + 1.0,
    "all axes": lambda x: tf.space_to_batch(x * 2.0, [2, 4, 2], [[0, 0]] * 3) + 1.0,
}


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_of_space(name):
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(BLOCKS[name](x) ** 2)
        return tape.gradient(y, x)

    for function in (BLOCKS[name], slope):
        assert not differences(function, [X], False, exact=True)


def test_images_of_an_unknown_number():
    specs = [tf.TensorSpec([None, 6, 8, 4])]
    for name in ("to depth", "to space", "to batches"):
        function = tf.function(BLOCKS[name], input_signature=specs, jit_compile=True)
        assert not outside(function.get_concrete_function().graph)
        assert function(X).numpy().tobytes() == BLOCKS[name](tf.constant(X)).numpy().tobytes()


def test_cross_products():
    floats = [normal(5, 3), normal(5, 3) + 1]
    assert not differences(lambda a, b: tf.linalg.cross(a, b) * 2.0, floats, False, exact=True)
    integers = [numbers(5, 3), numbers(5, 3, below=9)]
    assert not differences(lambda a, b: tf.linalg.cross(a, b) * 2, integers, False, exact=True)
    specs = [tf.TensorSpec([None, 3])] * 2
    run = tf.function(lambda a, b: tf.linalg.cross(a, b) * 2.0, specs, jit_compile=True)
    assert not outside(run.get_concrete_function().graph)
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(floats[0], floats[1][:1])
