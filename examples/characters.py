"""A character-level LSTM on Python's own help texts, line by line.

Lines differ in length, and a batch is as long as its longest line. `train_step` says so in its
input signature, so one graph serves all lengths, where every new length would otherwise be traced.
The loop over the characters is a Python `for` over `tf.range`: AutoGraph makes a graph's loop of
it, and the gradient goes back through that.

    python examples/characters.py            # a minute or two
"""

import argparse
import time
from pydoc_data.topics import topics

import numpy as np

import graphwright as tf

END = "\n"


def read_lines() -> list[str]:
    """The lines of the help texts, 20 to 80 characters each, without those in other scripts."""
    lines = [" ".join(line.split()) for text in topics.values() for line in text.splitlines()]
    return sorted({line for line in lines if 20 <= len(line) <= 80 and line.isascii()})


class Text:
    """Lines as numbers: a character's place in the alphabet, 0 being the end of a line."""

    def __init__(self, lines: list[str]) -> None:
        self.alphabet = END + "".join(sorted(set("".join(lines))))
        self.lines = [[self.alphabet.index(c) for c in line] for line in lines]

    def batch(self, random: np.random.RandomState, size: int) -> tuple[tf.Tensor, tf.Tensor]:
        """Random lines: `[size, longest]`, filled up with 0; and their lengths `[size]`."""
        chosen = [self.lines[int(i)] for i in random.permutation(len(self.lines))[:size]]
        longest = max(map(len, chosen))
        padded = [line + [0] * (longest - len(line)) for line in chosen]
        return tf.constant(padded), tf.constant([len(line) for line in chosen])


class Network(tf.Module):
    """Characters as vectors, an LSTM over them, a score for each next character."""

    def __init__(self, characters: int, units: int, rate: float, seed: int) -> None:
        super().__init__()
        random = np.random.RandomState(seed)

        def weights(rows: int, columns: int) -> tf.Variable:
            return tf.Variable(random.normal(0, rows**-0.5, [rows, columns]), dtype=tf.float32)

        self.units = units
        self.vectors = weights(characters, units // 2)
        self.kernel = weights(units // 2 + units, 4 * units)
        self.bias = tf.Variable(tf.zeros([4 * units]))
        self.scores = weights(units, characters)
        self.scores_bias = tf.Variable(tf.zeros([characters]))
        self.optimizer = tf.optimizers.Adam(rate, global_clipnorm=1.0)
        self.optimizer.build(self.trainable_variables)

    def step(
        self, characters: tf.Tensor, output: tf.Tensor, memory: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """The output and the memory after one more character (Hochreiter, Schmidhuber 1997)."""
        x = tf.concat([tf.gather(self.vectors, characters), output], axis=1)
        gates = tf.split(tf.matmul(x, self.kernel) + self.bias, 4, axis=1)
        take, forget, give = [tf.sigmoid(gate) for gate in gates[:3]]
        memory = memory * forget + take * tf.tanh(gates[3])
        return give * tf.tanh(memory), memory

    def judge(self, output: tf.Tensor) -> tf.Tensor:
        """Scores of the next characters."""
        return tf.matmul(output, self.scores) + self.scores_bias

    def loss(self, lines: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
        """The mean cross-entropy of every character, given those before it; in bits."""
        size, longest = tf.shape(lines)[0], tf.shape(lines)[1]
        output = memory = tf.zeros([size, self.units])
        last = tf.zeros([size], tf.int32)
        total = tf.constant(0.0)
        for t in tf.range(longest + 1):
            output, memory = self.step(last, output, memory)
            last = lines[:, t] if t < longest else tf.zeros([size], tf.int32)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(last, self.judge(output))
            total += tf.reduce_sum(tf.where(t <= lengths, losses, 0.0))
        return total / tf.cast(tf.reduce_sum(lengths + 1), tf.float32) / tf.math.log(2.0)

    @tf.function(
        input_signature=[tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.int32)]
    )
    def train_step(self, lines: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
        """One step down the slope; the loss before it."""
        with tf.GradientTape() as tape:
            loss = self.loss(lines, lengths)
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    @tf.function
    def write(self, count: tf.Tensor, longest: tf.Tensor) -> tf.Tensor:
        """Lines of the network's own: `[count, at most longest]` characters, 0 after the end."""
        output = memory = tf.zeros([count, self.units])
        last = tf.zeros([count], tf.int32)
        going = tf.ones([count], tf.bool)
        written = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[None])
        while tf.reduce_any(going) and written.size() < longest:
            output, memory = self.step(last, output, memory)
            chosen = tf.random.categorical(self.judge(output), 1, dtype=tf.int32)[:, 0]
            last = tf.where(going, chosen, 0)
            going = last > 0
            written = written.write(written.size(), last)
        return tf.transpose(written.stack())


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--units", type=int, default=128)
    parser.add_argument("--batch", type=int, default=32)
    options = parser.parse_args()

    text = Text(read_lines())
    print(f"{len(text.lines)} lines of {len(text.alphabet)} different characters")
    random = np.random.RandomState(0)
    tf.random.set_seed(0)
    network = Network(len(text.alphabet), options.units, rate=0.004, seed=0)
    lengths: set[int | None] = set()
    losses: list[float] = []
    started = time.perf_counter()
    for i in range(options.steps):
        batch = text.batch(random, options.batch)
        lengths.add(batch[0].shape[1])
        losses.append(float(network.train_step(*batch)))
        if i % max(1, options.steps // 10) == 0 or i == options.steps - 1:
            mean = np.mean(losses[-20:])
            print(f"step {i + 1:4}: {mean:.3f} bits a character, {batch[0].shape[1]} in a row")
    seconds = time.perf_counter() - started
    traces = network.train_step.experimental_get_tracing_count()
    print(f"{seconds:.1f} s; batches of {len(lengths)} lengths, traced {traces} time\n")
    assert traces == 1, "a new length must not make a new graph"

    for line in network.write(tf.constant(5), tf.constant(80)).numpy():
        print("  ", "".join(text.alphabet[c] for c in line).rstrip(END))


if __name__ == "__main__":
    main()
