"""Is a line program or prose? A recurrent network reads lines of Python and of its help texts.

Lines differ in length. `bucket_by_sequence_length` makes batches of lines that are about as long,
so little is computed for padding; what is, a mask leaves out. An epoch is one call of a
`tf.function`, which takes batches from an iterator.

A checkpoint has the iterator beside the network: its place in the epoch, and the lines that wait in
the shuffle's buffer and in buckets. So a run that stopped goes on with the batches that come next:

    python examples/lines.py                                      # some seconds
    python examples/lines.py --folder saved --stop-after 50       # stops in the first epoch
    python examples/lines.py --folder saved                       # goes on from there
"""

import argparse
import inspect
import tarfile
import tempfile
import time
from pydoc_data.topics import topics

import numpy as np

import graphwright as tf

BOUNDARIES = [20, 35, 50]  # of the lengths in a bucket
SHORTEST, LONGEST = 8, 70
MODULES = [argparse, inspect, tarfile]


def read_lines(count: int, seed: int) -> tuple[list[str], list[int]]:
    """So many lines, in random order, and whether each is of a program (1) or of a help (0)."""
    prose = [line for text in topics.values() for line in text.splitlines() if line[:1].isalpha()]
    programs = [line for module in MODULES for line in inspect.getsource(module).splitlines()]
    kinds = dict.fromkeys(map(str.strip, programs), 1) | dict.fromkeys(map(str.strip, prose), 0)
    lines = sorted([x for x in kinds if SHORTEST <= len(x) <= LONGEST and x.isascii()])
    order = np.random.RandomState(seed).permutation(len(lines))[:count]
    chosen = [lines[int(i)] for i in order]
    return chosen, [kinds[line] for line in chosen]


def batches_of(lines: list[str], kinds: list[int], size: int, seed: int) -> tf.data.Dataset:
    """Batches of lines about as long: characters `[lines, longest]`, padded with 0, and kinds."""
    texts = tf.data.Dataset.from_tensor_slices((lines, kinds)).shuffle(400, seed)
    letters = texts.map(lambda x, kind: (tf.cast(tf.io.decode_raw(x, tf.uint8), tf.int32), kind))
    batches = letters.bucket_by_sequence_length(lambda x, kind: tf.size(x), BOUNDARIES, [size] * 4)
    return batches.prefetch(tf.data.AUTOTUNE)


class Network(tf.Module):
    """Characters as vectors, a gated recurrent unit over them, and a score."""

    def __init__(self, units: int, seed: int) -> None:
        super().__init__()
        random = np.random.RandomState(seed)

        def weights(rows: int, columns: int) -> tf.Variable:
            return tf.Variable(random.normal(0, rows**-0.5, [rows, columns]), dtype=tf.float32)

        self.units = units
        self.vectors = weights(128, units)
        self.gates = weights(2 * units, 2 * units)
        self.candidate = weights(2 * units, units)
        self.score = weights(units, 1)

    def __call__(self, lines: tf.Tensor) -> tf.Tensor:
        """How much each line looks like program `[lines]` (K. Cho et al. 2014)."""
        state = tf.zeros([tf.shape(lines)[0], self.units])
        for t in tf.range(tf.shape(lines)[1]):
            x = tf.gather(self.vectors, lines[:, t])
            gates = tf.sigmoid(tf.concat([x, state], 1) @ self.gates)
            update, reset = tf.split(gates, 2, axis=1)
            candidate = tf.tanh(tf.concat([x, reset * state], 1) @ self.candidate)
            after = update * state + (1 - update) * candidate
            state = tf.where(lines[:, t, tf.newaxis] > 0, after, state)
        return tf.squeeze(state @ self.score, axis=1)


@tf.function
def train(
    network: Network, optimizer: tf.optimizers.Adam, iterator: tf.data.Iterator, most: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Steps down the slope until the epoch or `most` steps are over; their number and mean loss."""
    count, total = tf.constant(0), tf.constant(0.0)
    for lines, kinds in iterator:
        with tf.GradientTape() as tape:
            kinds = tf.cast(kinds, tf.float32)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(kinds, network(lines)))
        variables = network.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        count, total = count + 1, total + loss
        if count == most:
            break
    return count, total / tf.cast(tf.maximum(count, 1), tf.float32)


@tf.function
def accuracy(network: Network, batches: tf.data.Dataset) -> tf.Tensor:
    """The part of the lines whose kind the network knows."""
    right, count = tf.constant(0), tf.constant(0)
    for lines, kinds in batches:
        right += tf.math.count_nonzero((network(lines) > 0) == (kinds > 0), dtype=tf.int32)
        count += tf.size(kinds)
    return right / count


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lines", type=int, default=4000)
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--folder", help="where checkpoints are; if none, nothing is kept")
    parser.add_argument("--stop-after", type=int, default=2**31 - 1, help="so many steps")
    parser.add_argument("--explain", action="store_true", help="say what the pipeline costs")
    options = parser.parse_args()

    lines, kinds = read_lines(options.lines, seed=0)
    held_out = len(lines) // 5
    test = batches_of(lines[:held_out], kinds[:held_out], 32, seed=1)
    training = batches_of(lines[held_out:], kinds[held_out:], 32, seed=2)
    network = Network(options.units, seed=0)
    optimizer = tf.optimizers.Adam(0.01, global_clipnorm=1.0)
    optimizer.build(network.trainable_variables)
    iterator, epoch = iter(training), tf.Variable(1)
    run = tf.train.Checkpoint(network=network, optimizer=optimizer, iterator=iterator, epoch=epoch)
    with tempfile.TemporaryDirectory() as scratch:
        manager = tf.train.CheckpointManager(run, options.folder or scratch, max_to_keep=1)
        if manager.restore_or_initialize():
            print(f"goes on in epoch {int(epoch)}, after step {int(optimizer.iterations)}")
        left = options.stop_after
        while epoch <= options.epochs:
            began = time.perf_counter()
            steps, loss = train(network, optimizer, iterator, tf.constant(left))
            seconds = time.perf_counter() - began
            print(f"epoch {int(epoch)}: {steps} steps in {seconds:.2f} s, loss {loss:.5f}")
            left -= int(steps)
            if not left:
                print("saved in", manager.save())
                return
            print(f"  {accuracy(network, test):.1%} of the held-out lines are known")
            epoch.assign_add(1)
            run.iterator = iterator = iter(training)
        manager.save()
    print(f"\ntraced {train.experimental_get_tracing_count()} time\n")
    if options.explain:
        print(training.explain(0.3))


if __name__ == "__main__":
    main()
