"""Faults that random pipelines met and that are not mended yet, each with its smallest pipeline.

A pipeline of the random test that has such a fault's words counts as known. The smallest one must
differ still: who mends a fault takes it out of here.
"""

from __future__ import annotations

from typing import NamedTuple

from everyday.programs import Program
from pipelines.trials import Finding


class Fault(NamedTuple):
    """How a fault is recognized: ways in which it shows, words of the pipeline and the finding."""

    ways: tuple[str, ...]
    source: tuple[str, ...]
    words: tuple[str, ...]
    smallest: str

    def explains(self, program: Program, finding: Finding) -> bool:
        """Whether a finding may be of this fault."""
        return (
            (not self.ways or finding.way in self.ways)
            and any(word in program.source for word in self.source)
            and (not self.words or any(word in finding.words for word in self.words))
        )


FAULTS: dict[str, Fault] = {
    "a failure does not take an element of what is beside it": Fault(
        (),
        ("enumerate(", "zip("),
        (),
        """
def f(x):
    tf.debugging.Assert(x != 2, [x])
    return x
ds = tf.data.Dataset.range(5).map(f).enumerate()
""",
    ),
    "a generator of one string": Fault(
        (),
        ("yield b",),
        (),
        """
def numbers():
    yield b'ab'
ds = tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.string))
""",
    ),
    "shard reads on before what comes before it is done": Fault(
        (),
        ("tick",),
        ("effects",),
        """
log = []
def tick(n):
    log.append(int(n))
    return n
def f(x):
    return tf.reshape(tf.numpy_function(tick, [x], tf.int64), [])
def g(s, e):
    n = tf.reshape(tf.numpy_function(tick, [e], tf.int64), [])
    return n, n
ds = tf.data.Dataset.range(6).scan(tf.constant(0, tf.int64), g).map(f).shard(2, 0)
""",
    ),
    "repeat ends at a turn without elements": Fault(
        (),
        ("repeat(",),
        ("effects",),
        """
log = []
def tick(n):
    log.append(int(n))
    return n
def f(x):
    return tf.reshape(tf.numpy_function(tick, [x], tf.int64), []) > 9
ds = tf.data.Dataset.range(2).filter(f).repeat(3)
""",
    ),
    "skip counts anew after a failure": Fault(
        (),
        ("skip(",),
        (),
        """
def f(x):
    return tf.math.floordiv(x, x - 1)
ds = tf.data.Dataset.range(9).map(f).skip(2)
""",
    ),
    "a second pass over failures, restored": Fault(
        ("restored",),
        ("concatenate(", "repeat("),
        ("restored at",),
        """
def f(x):
    return tf.math.floordiv(x, x % 5)
ds = tf.data.Dataset.range(2, 17, 3).map(f)
ds = ds.concatenate(ds.repeat(2))
""",
    ),
    "the cardinality of chosen datasets": Fault(
        ("eagerly",),
        ("choose_from_datasets",),
        ("cardinality",),
        """
ds = tf.data.Dataset.choose_from_datasets(
    [tf.data.Dataset.range(9)], tf.data.Dataset.range(1), stop_on_empty_dataset=False)
""",
    ),
    "saved interleave": Fault(
        ("restored",),
        ("interleave(",),
        ("restored at",),
        "ds = tf.data.Dataset.range(5).interleave(tf.data.Dataset.range, cycle_length=3)",
    ),
    "saved choice of datasets": Fault(
        ("restored",),
        ("choose_from_datasets",),
        ("restored at", "NoneType"),
        """
ds = tf.data.Dataset.range(6)
choice = tf.data.Dataset.range(10).map(lambda i: i % 3)
ds = tf.data.Dataset.choose_from_datasets([ds, ds, ds.take(2)], choice, False)
""",
    ),
    "saved groups": Fault(
        ("restored",),
        ("group_by_window",),
        ("restored at",),
        """
ds = tf.data.Dataset.range(5).group_by_window(
    key_func=lambda x: x % 2, reduce_func=lambda k, w: w.batch(4), window_size=2)
""",
    ),
}


def is_known(program: Program, finding: Finding) -> bool:
    """Whether a finding is of one of the faults."""
    return any(fault.explains(program, finding) for fault in FAULTS.values())
