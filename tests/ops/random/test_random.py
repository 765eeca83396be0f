"""Streams and seeds of random ops: the very numbers that TensorFlow 2.21 draws."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf


@pytest.fixture(autouse=True)
def _no_global_seed() -> object:
    yield
    tf.random.set_seed(None)


def close(drawn: object, expected: object) -> None:
    np.testing.assert_allclose(np.asarray(drawn), expected, rtol=2e-6)


def test_each_op_of_a_function_has_a_stream() -> None:
    @tf.function
    def draw() -> object:
        same = [tf.random.uniform([1], seed=3) for _ in range(2)]
        return tf.concat([*same, tf.random.uniform([1], seed=4)], 0)

    first = [0.3869294, 0.3869294, 0.9565817]
    close(draw(), first)
    close(draw(), [0.6633445, 0.6633445, 0.52588725])
    tf.random.set_seed(7)
    close(draw(), first)


def test_functions_number_their_ops_under_a_global_seed() -> None:
    tf.random.set_seed(7)

    @tf.function
    def draw() -> object:
        return tf.random.uniform([1]), tf.random.normal([2]), tf.random.uniform([1])

    first = ([0.7537285], [-0.5408054, 1.122033], [0.2800094])
    for drawn, expected in zip(draw(), first):
        close(drawn, expected)
    close(draw()[0], [0.58760154])
    tf.random.set_seed(7)
    close(draw()[1], first[1])


def test_bodies_of_loops_number_theirs() -> None:
    tf.random.set_seed(7)

    @tf.function
    def draw() -> object:
        total = tf.constant(0.0)
        for _ in tf.range(2):
            total += tf.random.uniform([])
        return tf.stack([total, tf.random.uniform([])])

    close(draw(), [1.34133, 0.7537285])
    close(draw(), [1.1886052, 0.5876015])


def test_eager_ops_share_the_stream_of_their_seeds() -> None:
    tf.random.set_seed(7)
    close(tf.random.uniform([1], seed=5), [0.8669311])
    close(tf.random.uniform([2], seed=5), [0.08908021, 0.72450435])
    close(tf.random.normal([2], seed=5), [0.00727805, 0.53435814])


def test_a_seed_set_while_tracing_is_for_what_comes_after() -> None:
    tf.random.set_seed(7)

    @tf.function
    def draw() -> object:
        tf.random.set_seed(8)
        return tf.random.uniform([1])

    close(draw(), [0.37862217])


def test_without_seeds_new_numbers_come_each_time() -> None:
    draw = tf.function(lambda: tf.random.uniform([4]))
    drawn = [tuple(f().numpy()) for f in (draw, draw, lambda: tf.random.uniform([4]))]
    assert len(set(drawn)) == 3


def test_a_generator_moves_on() -> None:
    generator = tf.random.Generator.from_seed(5)
    close(generator.uniform([2]), [0.567016, 0.2077086])
    close(generator.normal([2]), [-0.60377395, 0.08436535])
    close(generator.truncated_normal([2]), [-1.649019, 1.6503856])
    close(generator.uniform([2], 0, 5, tf.int32), [4, 3])
    drawn = generator.uniform_full_int([2]).numpy().tolist()
    assert drawn == [9127184445093215818, 11015292878891767583]
    close(generator.binomial([2], [3.0, 9.0], [0.2, 0.3]), [1, 1])
    assert generator.state.numpy().tolist() == [104965, 0, 0]
    assert generator.make_seeds(2).numpy()[0].tolist() == [
        1197796437851029718,
        -2150991546126222405,
    ]
    assert generator.split(2)[1].state.numpy().tolist() == [0, 0, -6101831464484750379]
    assert generator.skip(3).numpy().tolist() == [105989, 0, 0]
    assert generator.state.numpy().tolist() == [106757, 0, 0]


def test_a_generator_moves_on_in_functions() -> None:
    generator, twin = (tf.random.Generator.from_seed(5) for _ in range(2))
    draw = tf.function(lambda: generator.normal([2]))
    for _ in range(3):
        close(draw(), twin.normal([2]))


def test_threefry_is_no_generator() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="ThreeFry"):
        tf.random.Generator.from_seed(3, alg="threefry").uniform([2])


def test_dropout_draws_as_uniform_does() -> None:
    tf.random.set_seed(1)
    close(tf.nn.dropout(tf.ones([6]), 0.5), [0, 2, 2, 0, 0, 2])
    close(tf.nn.dropout(tf.ones([2, 3]), 0.5, noise_shape=[2, 1], seed=1), [[0] * 3] * 2)
    close(tf.nn.experimental.stateless_dropout(tf.ones([6]), 0.5, [1, 2]), [2, 0, 2, 0, 0, 2])


def test_initializers() -> None:
    start = tf.random_uniform_initializer(seed=1)
    close(start([2]), [0.03784882, -0.00400198])
    close(start([2]), start([2]))
    close(tf.random_normal_initializer(seed=1)([2]), [0.00633252, -0.02465083])
    again = tf.constant_initializer.from_config(tf.constant_initializer([1, 2]).get_config())
    assert again([2], tf.float32).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="numeric or boolean"):
        tf.zeros_initializer()([3], tf.string)


@tf.function
def third() -> object:
    return tf.random.uniform([], seed=3)


def test_each_call_in_a_function_has_streams_of_its_own() -> None:
    tf.random.set_seed(7)
    steps = [0.40108788, 0.7061949, 0.34264028, 0.5707437]

    @tf.function
    def twice() -> object:
        return third(), third()

    @tf.function
    def four() -> object:
        return (*twice(), *twice())

    for step in steps[:2]:
        close(four(), [step] * 4)
    for step in steps[:2]:
        close(twice(), [step] * 2)
    close([third(), third()], steps[:2])
    close(four(), [steps[2]] * 4)


def test_calls_in_loops_go_on_and_those_in_branches_have_streams_of_their_own() -> None:
    tf.random.set_seed(7)
    steps = [0.40108788, 0.7061949, 0.34264028, 0.5707437]

    @tf.function
    def loop() -> object:
        drawn = tf.TensorArray(tf.float32, 4)
        for i in tf.range(2):
            drawn = drawn.write(2 * i, third()).write(2 * i + 1, third())
        return drawn.stack()

    @tf.function
    def branch(first: tf.Tensor) -> object:
        return tf.cond(first, lambda: third(), lambda: third()), third()

    close(loop(), np.repeat(steps[:2], 2))
    close(loop(), np.repeat(steps[2:], 2))
    close(branch(tf.constant(True)), [steps[0], steps[0]])
    close(branch(tf.constant(False)), [steps[0], steps[1]])
    close(branch(tf.constant(True)), [steps[1], steps[2]])


def test_a_gradient_goes_through_the_numbers_that_were_drawn() -> None:
    tf.random.set_seed(7)

    @tf.function
    def scaled(x: tf.Tensor) -> object:
        return x * tf.random.uniform([], seed=3)

    @tf.function
    def product(x: tf.Tensor) -> object:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scaled(x) * scaled(x)
        return y, tape.gradient(y, x)

    close(product(tf.constant(1.0)), [0.16087149, 0.32174298])
    close(product(tf.constant(1.0)), [0.4987112, 0.9974224])
