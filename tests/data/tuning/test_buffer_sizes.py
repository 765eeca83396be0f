"""How many elements wait: what a program says, what waiting asks for, and what memory allows."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest

import graphwright as tf
from graphwright.data.blocks import ElementBlock
from graphwright.data.threads.held_work import held_works
from graphwright.data.tuning.buffer_sizes import BufferSize, bytes_of
from graphwright.data.tuning.pipeline_budget import AUTOTUNE, PipelineBudget

Dataset = tf.data.Dataset


class Buffer:
    """What asks for room."""


def budget(memory: int, is_tuned: bool = True) -> PipelineBudget:
    """What may be used where buffers have so many bytes."""
    options = tf.data.Options()
    options.autotune.ram_budget = memory
    options.autotune.enabled = is_tuned
    return PipelineBudget(options)


#: Eight elements of 800 bytes each.
BLOCK = ElementBlock(8, (np.zeros([8, 100]),))


def test_a_size_doubles_where_a_reader_waits_at_a_buffer_that_was_full() -> None:
    size, free = BufferSize(AUTOTUNE), budget(1 << 30)
    assert size.words == "a thread takes at most 2 ahead: the reader takes each as quickly"
    size.has_thread = True
    assert size.words == "a thread takes at most 2 ahead: more was not needed"
    for _ in range(3):
        size.grow(0.001, free)
    assert size.limit(Buffer(), free) == 16
    assert size.words == "a thread takes at most 16 ahead: with fewer, the reader waited 3 ms"
    for _ in range(30):
        size.grow(0.001, free)
    assert size.limit(Buffer(), free) == 512


def test_a_size_that_a_program_gives_stays() -> None:
    size = BufferSize(3)
    size.note(BLOCK)
    size.grow(1.0, budget(100))
    assert size.limit(Buffer(), budget(100)) == 3
    assert size.words == "a thread takes at most 3 ahead"


def test_a_size_stays_where_nothing_is_tuned() -> None:
    size, fixed = BufferSize(AUTOTUNE), budget(1 << 30, is_tuned=False)
    size.grow(1.0, fixed)
    assert size.limit(Buffer(), fixed) == 2


def test_memory_bounds_all_buffers_of_an_iterator_together() -> None:
    narrow, one, other = budget(8000), Buffer(), Buffer()
    sizes = BufferSize(AUTOTUNE), BufferSize(AUTOTUNE)
    for size in sizes:
        size.grow(0.001, narrow)
        size.grow(0.001, narrow)
        size.note(BLOCK)
    assert sizes[0].limit(one, narrow) == 8
    assert sizes[1].limit(other, narrow) == 2
    words = "a thread takes at most 2 ahead: the memory has room for no more"
    assert sizes[1].words == words
    sizes[1].grow(0.001, narrow)
    assert sizes[1].number == 8
    narrow.memory.leave(one)
    assert sizes[1].limit(other, narrow) == 8
    del other
    assert sizes[0].limit(one, narrow) == 8


def test_one_element_fits_always() -> None:
    size, narrow = BufferSize(AUTOTUNE), budget(10)
    size.note(BLOCK)
    assert size.limit(Buffer(), narrow) == 1


def test_texts_are_as_large_as_some_of_them() -> None:
    texts = np.array([b"a" * 1000] * 50, object)
    assert bytes_of(ElementBlock(50, (texts,))) >= 50 * 1000
    assert bytes_of(ElementBlock(2, ([np.zeros(3), np.zeros(5)],))) == 64


def bursts(x: int) -> int:
    """Takes long for one number of twenty."""
    time.sleep(0.02 if x % 20 == 0 else 0.0)
    return x


@pytest.mark.parametrize("budget", [None, 5 * 80_000])
def test_a_pipeline_in_bursts_gets_a_buffer_for_them(budget: int | None) -> None:
    def padded(x: tf.Tensor) -> tf.Tensor:
        return tf.fill([10_000], tf.numpy_function(bursts, [x], tf.int64))

    dataset = Dataset.range(80).map(padded).prefetch(tf.data.AUTOTUNE)
    options = tf.data.Options()
    if budget is not None:
        options.autotune.ram_budget = budget
    others = held_works()
    most = 0
    iterator = iter(dataset.with_options(options))
    (supply,) = [work for work in held_works() if work not in others]
    for _ in iterator:
        time.sleep(0.001)
        most = max(most, supply.count)
    assert 2 < most <= (512 if budget is None else 5)


def test_a_pipeline_says_what_it_chose() -> None:
    files = Dataset.range(4).interleave(
        lambda x: Dataset.range(x, x + 100), num_parallel_calls=tf.data.AUTOTUNE
    )
    report = files.prefetch(tf.data.AUTOTUNE).explain(0.2)
    notes = [note for stage in report.stages for note in stage.notes]
    # A busy machine may have let the buffer grow.
    assert any(re.match(r"a thread takes at most \d+ ahead: ", note) for note in notes)
    assert any(note.startswith("in each open dataset, a thread takes at most") for note in notes)
