"""Restores text that has lost its vowels: beam search, as a loop of the graph.

"rtrns th vl" was "returns the value", but which vowels stood where? A model of letters counts in
Python's help texts what follows each three letters. The search reads the damaged text from left to
right and writes: at each moment a vowel from nowhere, or the next letter of the text. It keeps the
likeliest texts so far (Lowerre, "The HARPY Speech Recognition System", 1976).

    python examples/beams.py                      # a second
    python examples/beams.py "prnt th lst"        # a text of yours
"""

from __future__ import annotations

import argparse
import re
import time
from pydoc_data.topics import topics

import numpy as np

import graphwright as tf

LETTERS = " abcdefghijklmnopqrstuvwxyz"
VOWELS = np.array([letter in "aeiou" for letter in LETTERS])
KNOWN = 3  # letters that the next one depends on
SENTENCES = ["returns the value of an object", "raise an exception", "names are bound to functions"]


def numbers(text: str) -> list[int]:
    """The numbers of a text's letters."""
    return [LETTERS.index(letter) for letter in re.sub("[^a-z]+", " ", text.lower())]


def count() -> tf.Tensor:
    """The logarithms of how likely each letter is after each three: `[27, 27, 27, 27]`."""
    text = np.array(numbers(" ".join(topics[name] for name in sorted(topics))))
    model = np.full([len(LETTERS)], 1 / len(LETTERS))
    for known in range(KNOWN + 1):  # a longer context says more, where it was seen often
        shape = [len(LETTERS)] * (known + 1)
        windows = tuple(text[i : len(text) - known + i] for i in range(known + 1))
        seen = np.zeros(shape)
        np.add.at(seen, windows, 1.0)
        seen = seen + 4 * model
        model = seen / seen.sum(-1, keepdims=True)
    return tf.constant(np.log(model), tf.float32)


@tf.function(
    input_signature=[
        tf.TensorSpec([len(LETTERS)] * (KNOWN + 1)),
        tf.TensorSpec([None], tf.int32),
        tf.TensorSpec([], tf.int32),
    ]
)
def restore(model: tf.Tensor, damaged: tf.Tensor, width: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The likeliest whole texts for one without vowels.

    Args:
        model: The logarithms of the chances of letters, float32 `[27, 27, 27, 27]`.
        damaged: The numbers of the letters that are left, int32 `[n]`; a space at the end.
        width: How many texts the search keeps, an int32.

    Returns:
        Texts as numbers `[width, 3 n]`, 0 after their ends, and how likely each is.
    """
    size, letters = tf.size(damaged), len(LETTERS)
    longest = 3 * size
    texts = tf.zeros([width, longest + KNOWN], tf.int32)
    read = tf.zeros([width], tf.int32)  # how many of the damaged text's letters each has read
    scores = tf.concat([[0.0], tf.fill([width - 1], -1e9)], 0)
    for i in tf.range(KNOWN, longest + KNOWN):
        done = read == size
        if tf.reduce_all(done):
            break
        last = tf.gather(texts, tf.stack([i - 3, i - 2, i - 1]), axis=1)
        chances = tf.gather_nd(model, last)  # [width, 27]
        expected = tf.gather(damaged, tf.minimum(read, size - 1))
        allowed = VOWELS | (tf.range(letters) == expected[:, None])
        gains = tf.where(allowed, chances, -1e9)
        stay = tf.where(tf.range(letters) == 0, 0.0, -1e9)  # a text that has ended waits
        gains = tf.where(done[:, None], stay, gains)
        scores, chosen = tf.math.top_k(tf.reshape(scores[:, None] + gains, [-1]), width)
        origin, letter = chosen // letters, chosen % letters
        done, read = tf.gather(done, origin), tf.gather(read, origin)
        vowel = tf.gather(VOWELS, letter)
        read += tf.cast(~done & ~vowel, tf.int32)
        here = tf.range(longest + KNOWN) == i
        texts = tf.where(here, letter[:, None], tf.gather(texts, origin))
    return texts[:, KNOWN:], scores


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("text", nargs="?", help="a text without vowels")
    parser.add_argument("--width", type=int, default=200)
    options = parser.parse_args()

    model = count()
    sentences = [options.text] if options.text else SENTENCES
    for sentence in sentences:
        damaged = re.sub("[aeiou]", "", sentence)
        print(f"{damaged} ->")
        asked = tf.constant([*numbers(damaged), 0])
        started = time.perf_counter()
        texts, scores = restore(model, asked, tf.constant(options.width))
        seconds = time.perf_counter() - started
        for text, score in list(zip(texts.numpy(), scores.numpy()))[:3]:
            print(f"  {''.join(LETTERS[i] for i in text).strip()}  ({score:.1f})")
        print(f"  {seconds * 1e3:.0f} ms")
    print(f"traced {restore.experimental_get_tracing_count()} time")


if __name__ == "__main__":
    main()
