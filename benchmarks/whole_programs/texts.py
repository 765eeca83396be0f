"""Programs that read text: words that are counted, sentences that become numbers."""

from __future__ import annotations

from typing import Any

from benchmarks.whole_programs.whole_program import Step, WholeProgram, integers

# Words: text made plain, split, and counted.


def words_tf(tf: Any, n: int) -> Step:
    @tf.function
    def count(lines: Any) -> Any:
        plain = tf.strings.regex_replace(tf.strings.lower(lines), "[^a-z ]", "")
        tokens = tf.strings.split(plain).values
        words, _, counts = tf.unique_with_counts(tokens)
        return words, counts

    lines = tf.constant(prose(n))
    return lambda: count(lines)


# Numbers for words: those of a table, and shares of pairs of neighbours by their hash.

BUCKETS = 256


def pairs_tf(tf: Any, n: int) -> Step:
    names = tf.constant(["the", "brown", "fox;", "over", "a"])
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(names, tf.range(1, 6)), 0)

    @tf.function
    def encode(lines: Any) -> Any:
        words = tf.strings.split(tf.strings.lower(lines))
        known = table.lookup(words).to_tensor(-1)
        pairs = tf.strings.ngrams(words, 2)
        places = tf.strings.to_hash_bucket_fast(pairs.values, BUCKETS)
        rows = pairs.value_rowids() * BUCKETS + tf.cast(places, tf.int64)
        counts = tf.math.bincount(tf.cast(rows, tf.int32), minlength=n * BUCKETS)
        shares = tf.cast(tf.reshape(counts, [n, BUCKETS]), tf.float32)
        return known, tf.nn.l2_normalize(shares, 1)

    lines = tf.constant(prose(n))
    return lambda: encode(lines)


def prose(n: int) -> list[str]:
    """Lines of twelve words."""
    stock = ["The", "quick,", "brown", "fox;", "jumps", "over", "a", "lazy", "dog!", "Why?"]
    return [" ".join(stock[i] for i in row) for row in integers(len(stock), n, 12)]


PROGRAMS = (
    WholeProgram("words", "count the words of 500 lines", 500, 5, words_tf, xla=False),
    WholeProgram("grams", "pairs of words of 200 lines", 200, 4, pairs_tf, xla=False),
)
