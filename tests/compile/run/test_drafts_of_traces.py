"""Traces whose code is made quickly at first: same bits, before and after, whatever happens."""

from __future__ import annotations

import gc
import itertools
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.drafting import drafting
from support.forking import in_child

import graphwright as tf
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.run.executable import executables
from graphwright.compile.select.native_op import Native
from graphwright.compile.select.segments import partition
from graphwright.machine import background, codegen, drafts

pytestmark = pytest.mark.usefixtures("usual_tiers")


NUMBERS = itertools.count(1)


def new_program() -> Callable[..., Any]:
    """A loop with sums, branches, roots and a product: one whose code nobody has made yet."""
    number = next(NUMBERS)

    def steps(x: Any, n: Any) -> Any:
        total = tf.zeros_like(x)
        for i in tf.range(n):
            if tf.reduce_sum(x) > 3.0:
                x = tf.tanh(x) * 0.75
            else:
                x = tf.sqrt(tf.abs(x)) + tf.cast(i, tf.float32)
            for _ in range(number):
                x = tf.where(x > 2.0, x * 0.5, x)
            total += x @ tf.transpose(x) @ x
        return total, tf.reduce_mean(total, 0)

    return steps


X = np.random.default_rng(0).normal(size=(5, 5)).astype(np.float32)


def bits(results: Any) -> list[bytes]:
    return [t.numpy().tobytes() for t in tf.nest.flatten(results)]


class Gate:
    """Better code waits until it is open."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = threading.Event()
        self.quick = 0
        self.others = set(drafts._DRAFTS.values())  # of tests whose worker did not do all
        generate, settle = codegen.generate, drafts.Draft.settle

        def counted(text: str, is_quick: bool = False) -> bytes:
            self.quick += is_quick
            return generate(text, is_quick)

        def gated(draft: drafts.Draft) -> None:
            self.open.wait(60)
            settle(draft)

        monkeypatch.setattr(codegen, "generate", counted)
        monkeypatch.setattr(drafts.Draft, "settle", gated)

    def pending(self) -> int:
        mine = set(drafts._DRAFTS.values()) - self.others
        return sum(draft.settled is None for draft in mine)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Any:
    gc.collect()
    background.wait(60)
    made = Gate(monkeypatch)
    yield made
    made.open.set()
    background.wait(60)


def drafted(program: Callable[..., Any] | None = None) -> Any:
    """A function with quick code; the better code waits at the gate."""
    f = tf.function(program or new_program())
    with drafting():
        f(tf.constant(X), tf.constant(4))
        f(tf.constant(X), tf.constant(4))
        f(tf.constant(X), tf.constant(4))
        background.wait_for(lambda: False, 60)
    return f


def test_quick_code_and_better_code_compute_the_same_bits(gate: Any) -> None:
    program = new_program()
    f = drafted(program)
    assert gate.quick
    assert gate.pending()
    before = bits(f(tf.constant(X), tf.constant(40)))
    gate.open.set()
    assert background.wait(60)
    assert not gate.pending()
    assert bits(f(tf.constant(X), tf.constant(40))) == before
    settled = tf.function(program, jit_compile=True)
    assert bits(settled(tf.constant(X), tf.constant(40))) == before


def test_calls_in_threads_go_on_while_better_code_takes_over(gate: Any) -> None:
    f = drafted()
    expected = bits(f(tf.constant(X), tf.constant(60)))
    wrong: list[Any] = []
    over = threading.Event()

    def call() -> None:
        while not over.is_set():
            if bits(f(tf.constant(X), tf.constant(60))) != expected:
                wrong.append(1)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    gate.open.set()
    assert background.wait(60)
    for _ in range(20):
        assert bits(f(tf.constant(X), tf.constant(60))) == expected
    over.set()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_function_that_is_gone_leaves_no_code(gate: Any) -> None:
    before = len(drafts._DRAFTS)
    f = drafted()
    assert len(drafts._DRAFTS) > before
    del f
    gc.collect()
    gate.open.set()
    assert background.wait(60)
    gc.collect()
    assert len(drafts._DRAFTS) <= before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_child_of_a_fork_makes_the_better_code_itself(gate: Any) -> None:
    f = drafted()
    expected = bits(f(tf.constant(X), tf.constant(40)))

    def in_the_child() -> bool:
        gate.open.set()
        done = background.wait(15)
        return done and not gate.pending() and bits(f(tf.constant(X), tf.constant(40))) == expected

    assert gate.pending()
    assert in_child(in_the_child)


def test_calls_run_the_better_code_once_it_is_there(gate: Any) -> None:
    concrete = tf.function(new_program()).get_concrete_function(
        tf.TensorSpec([5, 5]), tf.TensorSpec([], tf.int32)
    )

    def made() -> Any:
        graph = simplify(concrete.graph)
        (segment,) = (n.op for n in partition(graph, {}).nodes if isinstance(n.op, Native))
        (executable,) = executables([segment.segment], is_quick=True)
        return executable

    def addresses(executable: Any) -> set[int]:
        """The numbers in the description of its C function, of which two are addresses."""
        return set(np.frombuffer(executable.function().__self__, np.int64).tolist())

    first, second = made(), made()
    quick = set(first.code.library.addresses.values())
    assert len(addresses(first) & quick) == len(addresses(second) & quick) == 2
    gate.open.set()
    assert background.wait(60)
    third = made()
    better = set(third.code.library.addresses.values())
    assert not quick & better
    for executable in (first, second, third):
        assert len(addresses(executable) & better) == 2
