"""The verifier of plans takes those that are right, and refuses those with a fault in them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from corpora.plan_programs import PROGRAMS, VECTOR
from plans import faults
from support.plan_cases import FAULTS, Planned, loops, of, planned

import graphwright as tf
from graphwright.base.errors import InternalError
from graphwright.compile.nests.call_statements import OutsideCall
from graphwright.compile.nests.list_statements import Deliver, Extend, Locate, Reserve
from graphwright.compile.nests.nest import Loop, Nest, Straight
from graphwright.compile.nests.sizes import Size
from graphwright.compile.verifier import statement_steps, verify


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_plan_is_taken_as_it_is(name: str) -> None:
    assert of(name).refusal() == ""
    assert of(name).difference() == ""


def planting(name: str, fault: str, seeds: range) -> tuple[int, int]:
    """How many faults of a kind were planted in a program, and how many of them were refused: all
    that make the plan do something else."""
    count = refused = 0
    for seed in seeds:
        plant = FAULTS[fault](random.Random(seed), of(name))
        if plant is None:
            continue
        count += 1
        if plant.refusal():
            refused += 1
            continue
        difference = plant.difference()
        assert not difference, f"{fault} {seed}: {difference}\n{plant.plan}"
    return count, refused


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_refused_or_does_no_harm(fault: str) -> None:
    counts = [planting(name, fault, range(3)) for name in PROGRAMS]
    planted, refused = map(sum, zip(*counts))
    assert planted >= 9
    assert refused > planted // 10


# -- plans that were wrong once -------------------------------------------------------------


def changed(given: Planned, kind: type, change: Callable[[Any], Any]) -> Planned:
    """A program in which statements of a kind are others."""
    return given.with_lowered(faults.every(kind, change)(given.lowered))


def test_a_number_in_a_register_is_not_read_from_memory() -> None:
    wrong = changed(of("stacked"), Straight, lambda s: s._replace(stores=()))
    assert "rule 4" in wrong.refusal()


def test_chains_do_not_exchange_memory_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def mixed(loop: Loop) -> list[tuple[int, int]]:
        variables, following = [[pair[i] for pair in loop.buffers] for i in (0, 1)]
        ends = [f for f in following if f not in variables]
        starts = [v for v in variables if v not in following]
        return [*loop.buffers, *zip(ends, reversed(starts))]

    given = of("two chains")
    assert any(len(loop.buffers) > 1 for loop in loops(given.plan))
    monkeypatch.setattr(statement_steps, "exchanges", mixed)
    assert "rule 8" in given.refusal()


@pytest.mark.parametrize("kind", [Locate, Extend, Reserve, Deliver])
def test_items_of_a_list_have_one_shape(kind: type) -> None:
    wrong = changed(of("listed"), kind, lambda s: s._replace(item=s.item * Size(2)))
    assert "rule 9" in wrong.refusal()


def special(x: Any) -> Any:
    """A loop that calls a kernel."""
    for _ in tf.range(2):
        x = tf.math.igamma(x, x * 0.7)
    return x


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("rule 6", lambda s: s._replace(targets=s.sources[-1:])),
        ("rule 4", lambda s: None),
        ("rule 3", lambda s: s._replace(shapes=(*s.shapes[:-1], (*s.shapes[-1], Size(2))))),
        ("rule 3", lambda s: s._replace(shapes=s.shapes[:-1])),
        ("rule 2", lambda s: s._replace(kinds=(*s.kinds[:-1], "f64"))),
    ],
)
def test_a_call_has_its_operands_and_its_own_results(
    rule: str, change: Callable[[Any], Any]
) -> None:
    given = planned(special, VECTOR)
    assert given.refusal() == ""
    assert rule in changed(given, OutsideCall, change).refusal()


def test_a_plan_with_a_call_is_lent_nothing() -> None:
    assert "rule 11" in planned(special, VECTOR).with_plan(reuses=((0, 0),)).refusal()


@pytest.mark.parametrize("turns", [range(3), tf.constant(3)], ids=["unrolled", "loop"])
def test_what_nobody_reads_may_be_lost(turns: Any) -> None:
    """Only the shape of `pair` matters, so others have its memory. Its copies are left out."""

    def last(x: Any) -> Any:
        y, pair = tf.constant(0.25), tf.constant([3.0, 0.5])
        for _ in turns if isinstance(turns, range) else tf.range(turns):
            if y < 1.0:
                pair = tf.identity(pair)
            y = x[tf.argmin(tf.zeros_like(pair), output_type=tf.int32)]
        return y

    given = planned(last, np.ones(1, np.float32))
    assert given.refusal() == given.difference() == ""


def test_an_argument_that_is_lent_is_not_lost() -> None:
    given = planned(lambda x, y: (tf.cumsum(x), x // y), np.ones(6, np.int32), np.ones(6, np.int32))
    lent = given.with_plan(reuses=((1, 0),))
    assert "rule 11" in lent.refusal()


def test_an_argument_is_lent_to_a_result_of_its_shape() -> None:
    given = planned(lambda x: x[:, None] * 2.0, VECTOR)
    assert "rule 11" in given.with_plan(reuses=((0, 0),)).refusal()


def test_the_plan_of_another_program_is_refused() -> None:
    given = of("nested")
    assert "rule 1" in given._replace(plan=of("following").plan).refusal()


def test_a_refusal_names_the_statement() -> None:
    wrong = changed(of("picked"), Nest, lambda s: s._replace(axes=(s.axes[0] * Size(2),)))
    with pytest.raises(InternalError, match=r"rule 3, places are bounded(.|\n)*nest \[2\*s"):
        verify(wrong.lowered, wrong.plan)


def test_sizes_that_no_call_has_prove_nothing() -> None:
    """The guard wants as many rows as twice as many: a program that only no rows get past."""

    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, None])])
    def rows_and_twice_as_many(x: Any) -> Any:
        return x + tf.concat([x, x], axis=0)

    with pytest.raises(tf.errors.InvalidArgumentError):
        rows_and_twice_as_many(tf.ones([2, 3]))
    assert rows_and_twice_as_many(tf.ones([0, 3])).shape == [0, 3]
