"""Words as vectors: which words of Python's own help texts mean similar things.

A word is known by those around it. For each word of a text the program learns a vector that tells
its neighbors from words at random (Mikolov et al., "Distributed Representations of Words and
Phrases and their Compositionality", 2013). Words with similar neighbors get similar vectors. The
gradient of each step touches the few rows of its words alone.

    python examples/vectors.py            # some seconds
    python examples/vectors.py --word tuple list --steps 3000
"""

from __future__ import annotations

import argparse
import collections
import pydoc_data.topics
import re
import time

import numpy as np
import numpy.typing as npt

import graphwright as tf

WINDOW = 4  # words to each side that count as neighbors


def read(rarest: int) -> tuple[list[str], npt.NDArray[np.int32]]:
    """The words that come so many times or more, and the text as their numbers."""
    text = "\n".join(pydoc_data.topics.topics[name] for name in sorted(pydoc_data.topics.topics))
    words = re.findall(r"[a-z_]{2,}", text.lower())
    counts = collections.Counter(words)
    known = sorted(word for word in counts if counts[word] >= rarest)
    numbers = {word: number for number, word in enumerate(known)}
    return known, np.array([numbers[word] for word in words if word in numbers], np.int32)


def pairs(text: npt.NDArray[np.int32], frequencies: npt.NDArray[np.float64]) -> tf.data.Dataset:
    """A dataset of words and neighbors; frequent words are left out now and then."""
    rare = np.minimum(1.0, np.sqrt(1e-3 / frequencies))
    text = text[np.random.RandomState(0).rand(len(text)) < rare[text]]
    steps = [step for step in range(-WINDOW, WINDOW + 1) if step]
    middle = text[WINDOW:-WINDOW]
    words = np.repeat(middle, len(steps))
    around = np.stack([text[WINDOW + step : len(text) - WINDOW + step] for step in steps], 1)
    return tf.data.Dataset.from_tensor_slices((words, around.reshape(-1)))


class Vectors(tf.Module):
    """A vector for each word as itself, and one as a neighbor."""

    def __init__(self, words: int, size: int) -> None:
        super().__init__()
        start = tf.random.stateless_uniform([words, size], [1, 2], -0.5, 0.5) / size
        self.words = tf.Variable(start)
        self.neighbors = tf.Variable(tf.zeros([words, size]))

    def loss(self, words: tf.Tensor, neighbors: tf.Tensor, others: tf.Tensor) -> tf.Tensor:
        """How badly the vectors tell neighbors from others `[batch, n]`."""
        vectors = tf.gather(self.words, words)
        near = tf.reduce_sum(vectors * tf.gather(self.neighbors, neighbors), -1)
        far = tf.einsum("bd,bnd->bn", vectors, tf.gather(self.neighbors, others))
        return tf.reduce_mean(tf.nn.softplus(-near) + tf.reduce_sum(tf.nn.softplus(far), -1))


@tf.function
def train_step(
    model: Vectors,
    optimizer: tf.optimizers.Optimizer,
    words: tf.Tensor,
    neighbors: tf.Tensor,
    odds: tf.Tensor,
    step: tf.Tensor,
) -> tf.Tensor:
    """One step, with words at random in the place of neighbors; the loss."""
    seed = tf.stack([step, 5])
    others = tf.random.stateless_categorical(odds[None], 5 * tf.size(words), seed, tf.int32)
    with tf.GradientTape() as tape:
        loss = model.loss(words, neighbors, tf.reshape(others, [-1, 5]))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--size", type=int, default=48)
    parser.add_argument("--word", nargs="+", default=["list", "float", "raise", "import", "async"])
    options = parser.parse_args()

    known, text = read(rarest=8)
    counts = np.bincount(text, minlength=len(known))
    odds = tf.constant(0.75 * np.log(counts), tf.float32)
    print(f"{len(text):,} words, {len(known):,} of them different")
    data = pairs(text, counts / len(text)).shuffle(100_000, seed=3).repeat()
    data = data.batch(512, drop_remainder=True).prefetch(2).take(options.steps)

    model, optimizer = Vectors(len(known), options.size), tf.optimizers.Adam(0.01)
    started = time.perf_counter()
    for step, (words, neighbors) in enumerate(data, 1):
        loss = train_step(model, optimizer, words, neighbors, odds, tf.constant(step))
        if step % max(1, options.steps // 5) == 0:
            print(f"step {step:5}: loss {loss:.3f}")
    print(f"{time.perf_counter() - started:.1f} s")

    units = tf.math.l2_normalize(model.words, axis=1)
    for word in options.word:
        alike = tf.linalg.matvec(units, units[known.index(word)])
        nearest = tf.math.top_k(alike, 7).indices.numpy()[1:]
        print(f"{word:8} {', '.join(known[int(number)] for number in nearest)}")


if __name__ == "__main__":
    main()
