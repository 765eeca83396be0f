"""Rewrites keep what pipelines give, can be switched off, and are shown."""

from __future__ import annotations

import logging
import re
import threading
import time
from typing import Any

import pytest
from corpora.pipelines.table import PIPELINES
from pipelines.ways import rewriting
from support import pipelines

import graphwright as tf
from graphwright.data.stages.fused_stages import FusedStage
from graphwright.data.stages.stage_rewrites import RULES, plan_of

Dataset = tf.data.Dataset
MISSING = pipelines.missing()


def of_maps() -> Any:
    return Dataset.range(100).map(lambda x: x + 1).map(lambda x: x * 2)


def of_filters() -> Any:
    return Dataset.range(100).filter(lambda x: x % 3 > 0).filter(lambda x: x % 5 > 0)


def of_windows() -> Any:
    windows = Dataset.range(100).window(4, shift=3, stride=2)
    return windows.flat_map(lambda window: window.batch(4))


def of_rounds() -> Any:
    return Dataset.range(20).shuffle(7, seed=1, reshuffle_each_iteration=False).repeat(3)


def of_pairs() -> Any:
    pairs = Dataset.zip(Dataset.range(50), Dataset.range(50, 100).map(float))
    return pairs.window(3, shift=1).flat_map(lambda a, b: Dataset.zip(b.batch(3), a.batch(5)))


#: For each rewrite a pipeline to which it applies.
PROGRAMS = {
    "noop_elimination": lambda: Dataset.range(100).take(-1).skip(0).repeat(1).shard(1, 0),
    "map_parallelization": lambda: Dataset.range(100).map(lambda x: x + 1),
    "map_fusion": of_maps,
    "filter_fusion": of_filters,
    "map_and_filter_fusion": lambda: Dataset.range(100).map(tf.square).filter(lambda x: x % 2 > 0),
    "window_and_batch_fusion": of_windows,
    "shuffle_and_repeat_fusion": of_rounds,
    "map_and_batch_fusion": lambda: Dataset.range(100).map(lambda x: x + 1).batch(3),
}


def options(**switches: bool) -> Any:
    """Options with these switches."""
    made = tf.data.Options()
    for name, switch in switches.items():
        setattr(made.experimental_optimization, name, switch)
    return made


def applied(dataset: Any) -> set[str]:
    """The names of the rewrites of a dataset."""
    return {rewrite.name for rewrite in plan_of(dataset._stage).rewrites}


def values(dataset: Any) -> list[Any]:
    """The elements as lists."""
    return [tf.nest.map_structure(lambda leaf: leaf.tolist(), e) for e in numpy_elements(dataset)]


def numpy_elements(dataset: Any) -> Any:
    """The elements in NumPy's form."""
    return dataset.as_numpy_iterator()


def test_every_rewrite_has_a_pipeline() -> None:
    assert PROGRAMS.keys() == RULES.keys()


@pytest.mark.parametrize("name", RULES)
def test_a_rewrite_can_be_switched_off_and_is_shown(name: str) -> None:
    dataset = PROGRAMS[name]()
    assert name in applied(dataset)
    assert f"{name}: " in str(dataset.explain())
    assert name not in applied(dataset.with_options(options(**{name: False})))
    none = dataset.with_options(options(apply_default_optimizations=False))
    assert not applied(none)
    only = dataset.with_options(options(apply_default_optimizations=False, **{name: True}))
    assert applied(only) == {name}
    assert values(none) == values(only) == values(dataset)


@pytest.mark.parametrize("name", RULES)
def test_a_rewrite_keeps_what_a_dataset_says_of_itself(name: str) -> None:
    dataset = PROGRAMS[name]()
    plan = plan_of(dataset._stage)
    assert plan.stage.cardinality() == dataset._stage.cardinality()
    assert plan.stage.element == dataset._stage.element


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("place", [0, 1, 5, 11, 20])
def test_a_state_does_not_depend_on_a_rewrite(name: str, place: int) -> None:
    dataset = PROGRAMS[name]()
    off = dataset.with_options(options(**{name: False}))
    for one, other in ((dataset, off), (off, dataset)):
        before, after = iter(one), iter(other)
        for _ in range(place):
            next(before)
        after._reader.restore(before._reader.save())
        rest = [element.numpy().tolist() for element in after]
        assert rest == values(dataset)[place:]
        assert rest == [element.numpy().tolist() for element in before]


def test_windows_of_pairs() -> None:
    dataset = of_pairs()
    assert "window_and_batch_fusion" in applied(dataset)
    expected = [
        ([50.0 + i for i in range(n, min(n + 3, 50))], list(range(n, min(n + 3, 50))))
        for n in range(50)
    ]
    assert values(dataset) == expected


def test_options_of_a_later_stage_go_before_others() -> None:
    dataset = of_maps().with_options(options(map_fusion=False))
    assert "map_fusion" not in applied(dataset.batch(2))
    assert "map_fusion" in applied(dataset.batch(2).with_options(options(map_fusion=True)))


def test_caches_and_seeds_are_shared_by_what_rewrites_make() -> None:
    calls = []

    def count(x: Any) -> Any:
        calls.append(int(x))
        return x

    source = Dataset.range(3).map(lambda x: tf.py_function(count, [x], tf.int64))
    dataset = source.take(-1).cache().map(lambda x: x + 1)
    assert values(dataset) == values(dataset.map(lambda x: x * 1)) == [1, 2, 3]
    assert calls == [0, 1, 2]
    shuffled = Dataset.range(50).take(-1).shuffle(50, seed=3)
    assert values(shuffled.map(lambda x: x * 1)) != values(shuffled.map(lambda x: x * 1))


@pytest.mark.parametrize("calls", [4, tf.data.AUTOTUNE])
def test_a_private_pool_limits_the_threads_of_a_map(calls: int) -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def wait(x: Any) -> Any:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.01)
        with lock:
            running[0] -= 1
        return x

    dataset = Dataset.range(12).map(
        lambda x: tf.py_function(wait, [x], tf.int64), num_parallel_calls=calls
    )
    pool = tf.data.Options()
    pool.threading.private_threadpool_size = 1
    assert values(dataset.with_options(pool)) == list(range(12))
    assert most[0] == 1
    pool.threading.private_threadpool_size = 3
    assert values(dataset.with_options(pool)) == list(range(12))
    assert most[0] == 3


#: What a pipeline has if a rewrite can make two maps or filters one stage.
_TWO_MAPS = re.compile(r"rejection_resample\(|(\.(map|filter|ragged_batch)\(.*){2}", re.DOTALL)


@pytest.mark.filterwarnings("ignore")
def test_recorded_pipelines_do_not_depend_on_the_fusion_of_few_elements(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few elements are not worth it otherwise. All other rewrites are on in
    tests/data/test_pipelines.py, too."""
    caplog.set_level(logging.CRITICAL, "tensorflow")
    fused: set[str] = set()
    name = ""
    begin = FusedStage.start
    monkeypatch.setattr(FusedStage, "start", lambda stage: fused.add(name) or begin(stage))
    with rewriting(True):
        for mode, name in pipelines.cases():
            source = PIPELINES[name]
            if (mode, name) in MISSING or not _TWO_MAPS.search(source):
                continue
            words = pipelines.difference(mode, name)
            assert not words, f"{mode} {name}: {words}\n{source}"
    assert len(fused) >= 20
