"""The training whose plan docs/distribution.md shows: a perceptron of three layers with Adam.

`graphwright plan benchmarks/perceptron_steps.py --ranks 4,16,64,256,1024,4096 --network 1Gbit,50us`
prints it.
"""

from __future__ import annotations

import itertools

import graphwright as tf

_BATCH, _SIZES, _STEPS = 512, (256, 512, 512, 10), 12


def main() -> None:
    """Trains for some steps."""
    pairs = list(itertools.pairwise(_SIZES))
    weights = [tf.Variable(tf.random.normal([a, b], stddev=a**-0.5, seed=1)) for a, b in pairs]
    biases = [tf.Variable(tf.zeros([b])) for _, b in pairs]
    optimizer = tf.optimizers.Adam()

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            for w, b in zip(weights, biases):
                x = tf.nn.relu(x @ w + b)
            loss = tf.reduce_mean(x**2)
        variables = [*weights, *biases]
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    for _ in range(_STEPS):
        step(tf.random.normal([_BATCH, _SIZES[0]]))


if __name__ == "__main__":
    main()
