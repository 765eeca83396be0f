"""Segments that another process has lowered: they run as they did there, or they are lowered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from everyday.outcomes import differences
from everyday.runs import quiet
from everyday.tiers import EAGER, TIERS, is_stateful, outcomes
from everyday.writer import write

import graphwright as tf
from graphwright.base.errors import InternalError
from graphwright.compile.llvm.render import rendering
from graphwright.compile.run import lowered_segment as module
from graphwright.compile.run.lowered_segment import LoweredSegment
from graphwright.compile.run.options import OPTIONS
from graphwright.compile.select.native_op import Renderer
from graphwright.ir import graph_digest
from graphwright.machine import compiler, kept_texts
from graphwright.machine.disk_cache import DiskCache

#: Programs of the day whose segments are kept and recalled.
SEEDS = range(52, 64)


@pytest.fixture
def cache(usual_tiers: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DiskCache:
    """A cache for this test alone, in a mode in which segments are kept."""
    result = DiskCache(tmp_path / "code")
    monkeypatch.setattr(module, "disk_cache", lambda: result)
    return result


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[LoweredSegment]:
    """The segments that are lowered or recalled in a test."""
    result: list[LoweredSegment] = []

    def noted(*args: Any) -> LoweredSegment:
        result.append(LoweredSegment(*args))
        return result[-1]

    monkeypatch.setattr(Renderer, "lower", staticmethod(noted))
    return result


def run(function: Any, *arguments: Any) -> Any:
    """The result of a function that is machine code at once."""
    return tf.function(function, jit_compile=True)(*arguments).numpy()


def scaled(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.tanh(x) * 2.0) - 0.5


# -- what is recalled ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_program_runs_alike_when_its_segments_are_recalled(
    seed: int, cache: DiskCache, lowered: list[LoweredSegment]
) -> None:
    program, tier = write(seed), TIERS["native"]
    reference = outcomes(program, EAGER, tier.rounds)
    with quiet():
        first = outcomes(program, tier)
        seen = {segment.key: segment for segment in lowered}
        lowered.clear()
        second = outcomes(program, tier)
    state = is_stateful(program)
    assert list(differences(first, second, state)) == []
    errors = {difference.kind for _, difference in differences(reference, second, state)}
    assert errors <= {"no error", "refused", "dropped"}
    for segment in lowered:
        fresh = seen[segment.key].rendering
        assert segment.rendering == fresh
        if segment.is_recalled:
            assert "lowered" not in vars(segment)
            assert fresh == rendering(segment.lowered[0])


def test_equal_keys_have_equal_renderings(cache: DiskCache, lowered: list[LoweredSegment]) -> None:
    with quiet():
        for seed in SEEDS:
            outcomes(write(seed), TIERS["native"])
    texts: dict[str, set[str]] = {}
    for segment in lowered:
        texts.setdefault(segment.key, set()).add(rendering(segment.lowered[0]).text)
    assert len(texts) > len(SEEDS) / 2
    assert all(len(several) == 1 for key, several in texts.items() if key)


def test_constants_come_with_it(cache: DiskCache, lowered: list[LoweredSegment]) -> None:
    table = np.arange(40, dtype=np.float32).reshape(10, 4)

    def taken(i: tf.Tensor) -> tf.Tensor:
        return tf.gather(tf.constant(table), i) * 2.0

    i = tf.constant([3, 9, 0])
    first, second = run(taken, i), run(taken, i)
    assert (first == table[[3, 9, 0]] * 2).all()
    assert (first == second).all()
    assert [segment.is_recalled for segment in lowered] == [False, True]
    assert len(lowered[1].constants) == len(lowered[0].constants)


def test_results_go_into_lent_memory(cache: DiskCache, lowered: list[LoweredSegment]) -> None:
    for _ in range(2):
        v = tf.Variable(tf.ones([300]))
        step = tf.function(lambda v=v: v.assign_add(v * 0.5), jit_compile=True)
        for _ in range(3):
            step()
        assert (v.numpy() == 1.5**3).all()
    assert lowered[-1].is_recalled
    assert lowered[-1].reuses == lowered[0].reuses != ()


IN_A_PROCESS = """
import sys
import graphwright as tf

@tf.function(jit_compile=True)
def f(x):
    return tf.reduce_sum(tf.tanh(x) * 2.0) - 0.5

print(float(f(tf.ones([5]))))
writers = "graphwright.compile.nests.lowering", "graphwright.compile.llvm.render", "llvmlite"
print([name for name in writers if name in sys.modules])
"""


def test_a_second_process_imports_nothing_that_lowers(usual_tiers: None, tmp_path: Path) -> None:
    environment = {**os.environ, "GRAPHWRIGHT_CACHE_DIR": os.fspath(tmp_path / "code")}
    printed = [
        subprocess.run(
            [sys.executable, "-c", IN_A_PROCESS], env=environment, capture_output=True, text=True
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert printed[0][0] == printed[1][0]
    assert len(printed[0][1]) > 2
    assert printed[1][1] == "[]"


# -- what is not -----------------------------------------------------------------------------


def test_a_damaged_record_is_lowered_anew(cache: DiskCache, lowered: list[LoweredSegment]) -> None:
    x = tf.ones([7])
    first = run(scaled, x)
    (path,) = cache.entries()
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert run(scaled, x) == first
    assert not lowered[1].is_recalled or lowered[1].record == lowered[0].record


def strings(x: tf.Tensor) -> tf.Tensor:
    total = 0.0
    for i in tf.range(3):
        total += tf.strings.to_number(tf.strings.as_string(x[i]))  # kernels that it calls
    return total


def lists(x: tf.Tensor) -> tf.Tensor:
    rows = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        rows = rows.write(i, x * tf.cast(i, tf.float32))
    return rows.stack()


def test_what_is_no_plain_data_is_lowered_each_time(
    cache: DiskCache, lowered: list[LoweredSegment]
) -> None:
    x = tf.constant([1.5, 2.5, 3.5])
    large = np.arange(360_000, dtype=np.float32).reshape(600, 600)
    functions = strings, lists, lambda x: tf.reduce_sum(tf.constant(large)[:, :3] * x)
    for function in functions:
        assert (run(function, x) == run(function, x)).all()
        assert not any(
            segment.is_recalled
            for segment in lowered
            if not module.is_plain(segment.lowered[0]) or module.total(segment.lowered[1]) > 1 << 20
        )


def test_sanitized_code_is_never_kept(cache: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPTIONS, "native", "sanitize")
    assert run(scaled, tf.ones([6])) == pytest.approx(run(scaled, tf.ones([6])))
    assert not list(cache.entries())


# -- keys ------------------------------------------------------------------------------------


def key_of(function: Any, *arguments: Any, updates: tuple[tuple[int, int], ...] = ()) -> str:
    """The key of a function's graph."""
    graph = tf.function(function).get_concrete_function(*arguments).graph
    return module.key_for(graph, updates)


SAMPLES: dict[str, Any] = {
    "": lambda: key_of(scaled, tf.ones([3])),
    "size": lambda: key_of(scaled, tf.ones([4])),
    "unknown size": lambda: key_of(scaled, tf.TensorSpec([None])),
    "rank": lambda: key_of(scaled, tf.ones([3, 1])),
    "dtype": lambda: key_of(lambda x: tf.reduce_sum(tf.tanh(x) * 2) - 0.5, tf.ones([3], "float64")),
    "constant": lambda: key_of(lambda x: tf.reduce_sum(tf.tanh(x) * 2.0) - 0.25, tf.ones([3])),
    "op": lambda: key_of(lambda x: tf.reduce_sum(tf.sinh(x) * 2.0) - 0.5, tf.ones([3])),
    "attribute": lambda: key_of(
        lambda x: tf.reduce_sum(tf.tanh(x) * 2.0, keepdims=True) - 0.5, tf.ones([3])
    ),
    "operands": lambda: key_of(lambda x: 0.5 - tf.reduce_sum(tf.tanh(x) * 2.0), tf.ones([3])),
    "zero": lambda: key_of(lambda x: tf.maximum(x, 0.0), tf.ones([3])),
    "negative zero": lambda: key_of(lambda x: tf.maximum(x, -0.0), tf.ones([3])),
    "results": lambda: key_of(lambda x: (x + 1.0, x * 2.0), tf.ones([3])),
    "order of results": lambda: key_of(lambda x: (x + 1.0, x * 2.0)[::-1], tf.ones([3])),
    "updates": lambda: key_of(scaled, tf.ones([3]), updates=((0, 0),)),
    "branch": lambda: key_of(lambda x: tf.cond(x > 0, lambda: x, lambda: x * 2.0), tf.ones([])),
    "other branch": lambda: key_of(
        lambda x: tf.cond(x > 0, lambda: x, lambda: x * 3.0), tf.ones([])
    ),
}


def test_each_difference_of_graphs_is_one_of_keys(cache: DiskCache) -> None:
    keys = {name: make() for name, make in SAMPLES.items()}
    assert all(keys.values())
    assert len(set(keys.values())) == len(keys), keys
    assert keys == {name: make() for name, make in reversed(SAMPLES.items())}


def test_names_are_no_difference(cache: DiskCache) -> None:
    def named(thing: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.tanh(thing, name="t") * 2.0) - 0.5

    assert key_of(named, tf.ones([3])) == key_of(scaled, tf.ones([3]))


CIRCUMSTANCES: dict[str, Any] = {
    "sources": lambda patch: patch.setattr(kept_texts, "source_digest", lambda: "others"),
    "threads": lambda patch: patch.setattr(module.threads, "are_possible", lambda: "perhaps"),
    "options": lambda patch: patch.setitem(OPTIONS, "constant_folding", "sometimes"),
    "processor": lambda patch: patch.setattr(compiler, "circumstances", lambda: ("z80",)),
}


@pytest.mark.parametrize("change", CIRCUMSTANCES.values(), ids=CIRCUMSTANCES)
def test_each_circumstance_is_part_of_the_key(
    change: Any, cache: DiskCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = tf.function(scaled).get_concrete_function(tf.ones([3])).graph
    before = module.key_for(graph, ())
    change(monkeypatch)
    assert before
    assert module.key_for(graph, ()) not in ("", before)


def test_without_sources_nothing_is_kept(cache: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_texts, "source_digest", lambda: None)
    assert run(scaled, tf.ones([3])) == run(scaled, tf.ones([3]))
    assert not list(cache.entries())


def test_the_checking_mode_sees_a_key_that_lacks_something(
    cache: DiskCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A planted fault: types do not count."""
    described = graph_digest.described_node

    def without_types(*args: Any) -> Any:
        return described(*args)[:2]

    monkeypatch.setattr(graph_digest, "described_node", without_types)
    monkeypatch.setattr(graph_digest, "described_op", lambda op: type(op).__name__)
    monkeypatch.setitem(OPTIONS, "native", "check")
    run(lambda x: tf.tanh(x) * x, tf.ones([3, 4]))
    with pytest.raises(InternalError, match="under a key that fits another"):
        run(lambda x: tf.tanh(x) * x, tf.ones([9]))
