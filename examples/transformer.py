"""A transformer learns to sort, and writes its answers token by token from a cache.

A line is some random digits, a bar, and the same digits in order. A small transformer (Vaswani et
al., "Attention Is All You Need", 2017) reads lines from left to right and learns what comes next.
To answer, it does not read all of the line again for each token: the keys and values of what was
read wait in a cache. The loop over tokens is a loop of the graph.

    python examples/transformer.py            # some seconds
"""

import argparse
import time

import numpy as np

import graphwright as tf

DIGITS = 6  # of a question
BAR, TOKENS = 10, 11  # the token between question and answer, and how many tokens there are
LENGTH = 2 * DIGITS + 1


def normal(shape: list[int], scale: float, seed: int) -> tf.Variable:
    """A variable of random numbers."""
    return tf.Variable(scale * tf.random.stateless_normal(shape, [seed, len(shape)]))


def normalize(x: tf.Tensor) -> tf.Tensor:
    """Rows of mean 0 and variance 1."""
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5)


class Block(tf.Module):
    """Attention to what came before, then a layer of its own for each position."""

    def __init__(self, width: int, heads: int, seed: int) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.project = normal([width, 3 * width], width**-0.5, seed)
        self.merge = normal([width, width], width**-0.5, seed + 1)
        self.widen = normal([width, 4 * width], width**-0.5, seed + 2)
        self.narrow = normal([4 * width, width], width**-0.5 / 2, seed + 3)

    def split(self, x: tf.Tensor) -> list[tf.Tensor]:
        """Queries, keys and values of positions: each `[batch, heads, positions, size]`."""
        batch, positions = tf.shape(x)[0], tf.shape(x)[1]
        mixed = tf.reshape(normalize(x) @ self.project, [batch, positions, 3, self.heads, -1])
        return tf.unstack(tf.transpose(mixed, [2, 0, 3, 1, 4]))

    def finish(self, x: tf.Tensor, parts: list[tf.Tensor], mask: tf.Tensor) -> tf.Tensor:
        """The block's output at the positions of `x`: queries look at keys that a mask allows."""
        queries, keys, values = parts
        scores = tf.matmul(queries, keys, transpose_b=True) * self.size**-0.5
        weights = tf.nn.softmax(tf.where(mask, scores, -1e9))
        attended = tf.transpose(weights @ values, [0, 2, 1, 3])
        x += tf.reshape(attended, tf.shape(x)) @ self.merge
        return x + tf.nn.gelu(normalize(x) @ self.widen) @ self.narrow


class Transformer(tf.Module):
    """Reads tokens, gives logits for the next."""

    def __init__(self, width: int = 64, heads: int = 4, depth: int = 2) -> None:
        super().__init__()
        self.tokens = normal([TOKENS, width], 1.0, 1)
        self.positions = normal([LENGTH, width], 1.0, 2)
        self.blocks = [Block(width, heads, 10 * i + 10) for i in range(depth)]

    def __call__(self, tokens: tf.Tensor) -> tf.Tensor:
        """The logits after each token of whole lines `[batch, positions]`."""
        count = tokens.shape[1]
        x = tf.gather(self.tokens, tokens) + self.positions[:count]
        mask = tf.linalg.band_part(tf.ones([count, count]), -1, 0) > 0
        for block in self.blocks:
            x = block.finish(x, block.split(x), mask)
        return normalize(x) @ tf.transpose(self.tokens) * 0.25

    @tf.function(input_signature=[tf.TensorSpec([None, DIGITS + 1], tf.int32)])
    def answer(self, questions: tf.Tensor) -> tf.Tensor:
        """What the model writes after questions, each token from the cache and the last token."""
        batch = tf.shape(questions)[0]
        cache = [[tf.zeros([batch, b.heads, LENGTH, b.size])] * 2 for b in self.blocks]
        token = questions[:, 0]
        written = tf.TensorArray(tf.int32, size=DIGITS)
        for i in tf.range(LENGTH - 1):
            x = tf.gather(self.tokens, token)[:, None] + self.positions[i]
            here = tf.one_hot(i, LENGTH)[:, None]
            for place, block in enumerate(self.blocks):
                query, *new = block.split(x)
                cache[place] = [old + here * part for old, part in zip(cache[place], new)]
                x = block.finish(x, [query, *cache[place]], tf.range(LENGTH) <= i)
            if i < DIGITS:
                token = questions[:, i + 1]
            else:
                token = tf.argmax(normalize(x[:, 0]) @ tf.transpose(self.tokens), -1, tf.int32)
                written = written.write(i - DIGITS, token)
        return tf.transpose(written.stack())


def lines(batch: int) -> tf.data.Dataset:
    """An endless dataset of batches of lines."""

    def make(i: tf.Tensor) -> tf.Tensor:
        question = tf.random.stateless_uniform([batch, DIGITS], [i, 3], 0, 10, tf.int32)
        return tf.concat([question, tf.fill([batch, 1], BAR), tf.sort(question)], 1)

    return tf.data.Dataset.counter().map(make)


@tf.function
def train_step(model: Transformer, optimizer: tf.optimizers.Adam, tokens: tf.Tensor) -> tf.Tensor:
    """One step; the mean loss of the answers' tokens."""
    with tf.GradientTape() as tape:
        logits = model(tokens[:, :-1])[:, DIGITS:]
        wrong = tf.nn.sparse_softmax_cross_entropy_with_logits(tokens[:, DIGITS + 1 :], logits)
        loss = tf.reduce_mean(wrong)
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    steps = parser.parse_args().steps

    model = Transformer()
    optimizer = tf.optimizers.Adam(tf.optimizers.schedules.CosineDecay(3e-3, steps))
    started = time.perf_counter()
    for step, tokens in enumerate(lines(64).take(steps), 1):
        loss = train_step(model, optimizer, tokens)
        if step % max(1, steps // 6) == 0:
            print(f"step {step:4}: loss {loss:.3f}")
    print(f"trained in {time.perf_counter() - started:.1f} s")

    asked = next(iter(lines(500).skip(steps)))[:, : DIGITS + 1]  # of no batch before
    model.answer(asked)  # it is traced
    started = time.perf_counter()
    answers = model.answer(asked).numpy()
    took = 1e3 * (time.perf_counter() - started)
    questions = asked[:, :DIGITS].numpy()
    for question, answer in zip(questions[:4], answers):
        print("".join(map(str, question)), "->", "".join(map(str, answer)))
    right = (answers == np.sort(questions)).all(axis=1).mean()
    print(f"{right:.1%} of 500 answers are right; that took {took:.0f} ms")


if __name__ == "__main__":
    main()
