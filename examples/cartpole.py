"""A policy learns to balance a pole: the world is a loop of the graph.

A cart runs on a track, a pole stands on it; each moment the policy pushes left or right (Barto,
Sutton, Anderson, "Neuronlike adaptive elements", 1983, whose constants these are). What a push led
to says whether the policy should push so again (REINFORCE: Williams, 1992). Many carts learn at
once. An episode, from the first push to the gradient, is one call of a `tf.function`.

    python examples/cartpole.py            # some seconds
"""

from __future__ import annotations

import argparse
import time

import graphwright as tf

GRAVITY, CART, POLE, HALF, PUSH, TICK = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
TILT, TRACK = 0.2095, 2.4  # a pole that leans further has fallen; the track ends there


def move(state: tf.Tensor, force: tf.Tensor) -> tf.Tensor:
    """The state `[carts, 4]` a moment after a force: place, speed, angle, its speed."""
    _, speed, angle, turning = tf.unstack(state, axis=-1)
    sine, cosine = tf.sin(angle), tf.cos(angle)
    push = (force + POLE * HALF * turning**2 * sine) / (CART + POLE)
    ratio = 4.0 / 3.0 - POLE * cosine**2 / (CART + POLE)
    falling = (GRAVITY * sine - cosine * push) / (HALF * ratio)
    pushed = push - POLE * HALF * falling * cosine / (CART + POLE)
    change = tf.stack([speed, pushed, turning, falling], -1)
    return state + TICK * change


class Policy(tf.Module):
    """Gives the logit of a push to the right."""

    def __init__(self, units: int = 32) -> None:
        super().__init__()
        self.inner = tf.Variable(0.5 * tf.random.stateless_normal([4, units], [1, 2]))
        self.bias = tf.Variable(tf.zeros([units]))
        self.outer = tf.Variable(0.1 * tf.random.stateless_normal([units, 1], [3, 4]))

    def __call__(self, state: tf.Tensor) -> tf.Tensor:
        return (tf.tanh(state @ self.inner + self.bias) @ self.outer)[:, 0]


def play(policy: Policy, carts: int, moments: int, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Plays an episode; the log-likelihoods of its pushes and who still stood, by the moment."""
    start = tf.random.stateless_uniform([carts, 4], tf.stack([seed, 0]), -0.05, 0.05)
    luck = tf.random.stateless_uniform([moments, carts], tf.stack([seed, 1]))
    state, stands = start, tf.ones([carts], tf.bool)
    chances = tf.TensorArray(tf.float32, moments)
    standing = tf.TensorArray(tf.float32, moments)
    for i in tf.range(moments):
        if not tf.reduce_any(stands):
            break  # all have fallen
        logit = policy(state)
        right = luck[i] < tf.sigmoid(logit)
        chances = chances.write(i, -tf.nn.softplus(tf.where(right, -logit, logit)))
        standing = standing.write(i, tf.cast(stands, tf.float32))
        state = move(state, tf.where(right, PUSH, -PUSH))
        stands &= (tf.abs(state[:, 0]) < TRACK) & (tf.abs(state[:, 2]) < TILT)
    shape = [moments, carts]
    return tf.reshape(chances.stack(), shape), tf.reshape(standing.stack(), shape)


@tf.function
def learn(
    policy: Policy, optimizer: tf.optimizers.Optimizer, seed: tf.Tensor, carts: int, moments: int
) -> tf.Tensor:
    """An episode and one step; how many moments each cart stood on average."""
    with tf.GradientTape() as tape:
        chances, standing = play(policy, carts, moments, seed)
        later = tf.cumsum(standing, axis=0, reverse=True)  # the moments that a push led to
        mean = tf.reduce_sum(later * standing, 1) / (tf.reduce_sum(standing, 1) + 1e-6)
        better = standing * (later - mean[:, None])
        scale = tf.math.reduce_std(better) + 1e-6
        loss = -tf.reduce_mean(chances * tf.stop_gradient(better / scale))
    variables = policy.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return tf.reduce_mean(later[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--episodes", type=int, default=120)
    parser.add_argument("--carts", type=int, default=32)
    parser.add_argument("--moments", type=int, default=200)
    options = parser.parse_args()

    policy, optimizer = Policy(), tf.optimizers.Adam(0.02)
    started = time.perf_counter()
    for episode in range(options.episodes):
        seed = tf.constant(episode)
        stood = float(learn(policy, optimizer, seed, options.carts, options.moments))
        if episode % 10 == 0 or episode == options.episodes - 1:
            print(f"episode {episode:4} {stood:6.1f} " + "#" * round(stood / options.moments * 50))
    seconds = time.perf_counter() - started
    print(f"{seconds:.1f} s; traced {learn.experimental_get_tracing_count()} time")


if __name__ == "__main__":
    main()
