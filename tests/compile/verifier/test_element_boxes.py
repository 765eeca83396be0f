"""The boxes in which the verifier of plans counts elements, and the sizes that it takes."""

from __future__ import annotations

import itertools
from functools import cache

import pytest
from corpora.plan_programs import PROGRAMS
from hypothesis import given
from hypothesis import strategies as st
from support.plan_cases import of

from graphwright.compile.nests.nest import Linear
from graphwright.compile.nests.sizes import Size
from graphwright.compile.verifier.element_boxes import Box, box_of, contains, cover, joined
from graphwright.compile.verifier.quantities import Quantities, runs_of

SIZES = Quantities({})
AXES = st.lists(st.tuples(st.integers(0, 4), st.integers(-6, 12)), max_size=3)
SLICES = st.tuples(
    st.integers(0, 3), st.integers(1, 4), st.sampled_from([(), ((2, 4),), ((3, 4),)])
)


def elements(box: Box) -> list[int]:
    """The elements of a box."""
    indices = itertools.product(range(box.length), *[range(count) for count, _ in box.rows])
    return [
        box.first + i + sum(k * step for k, (_, step) in zip(rest, box.rows))
        for i, *rest in indices
    ]


@given(st.integers(0, 20), AXES)
def test_a_box_has_the_elements_of_a_place(first: int, axes: list[tuple[int, int]]) -> None:
    at = Linear((Size(first),), tuple([Size(step) for _, step in axes]))
    counts = [count for count, _ in axes]
    places = [
        first + sum(i * step for i, (_, step) in zip(index, axes))
        for index in itertools.product(*map(range, counts))
    ]
    box, apart = box_of(at, counts, SIZES)
    if box is None:
        assert not places
        return
    assert set(elements(box)) == set(places)
    assert box.end == max(places) + 1
    if apart:
        assert len(set(places)) == len(places)


@given(st.lists(SLICES, min_size=1, max_size=6), st.integers(1, 12))
def test_boxes_cover_what_they_have(
    slices: list[tuple[int, int, tuple[tuple[int, int], ...]]], count: int
) -> None:
    boxes = list(itertools.starmap(Box, slices))
    places = {place for box in boxes for place in elements(box)}
    assert cover(boxes, count) == (places >= set(range(count)))


@given(st.lists(SLICES, min_size=1, max_size=6))
def test_joined_boxes_have_the_elements_of_all(slices: list[tuple[int, int, tuple[()]]]) -> None:
    boxes: tuple[Box, ...] = ()
    places: set[int] = set()
    for box in itertools.starmap(Box, slices):
        boxes = joined(boxes, box)
        places |= set(elements(box))
        assert any(contains(b, box) for b in boxes)
    assert set().union(*map(elements, boxes)) == places


def test_parts_of_a_tensor_make_all_of_it() -> None:
    whole = Box(0, 30, ())
    for boxes in (
        [Box(0, 10, ()), Box(10, 20, ())],
        [Box(2, 3, ((6, 5),)), Box(0, 2, ((6, 5),))],
        [Box(i, 1, ((6, 5),)) for i in (3, 0, 4, 2, 1)],
    ):
        result: tuple[Box, ...] = ()
        for box in boxes:
            assert not any(contains(b, whole) for b in result)
            result = joined(result, box)
        assert result == (whole,)


@cache
def runs(name: str) -> list[Quantities]:
    """The runs in which a program's plan is verified."""
    return runs_of(of(name).plan)


@pytest.mark.parametrize("name", PROGRAMS)
def test_sizes_are_such_as_guards_allow(name: str) -> None:
    plan = of(name).plan
    assert runs(name)
    for run in runs(name):
        assert all(run.of(a) == run.of(b) for a, b in plan.guards)


def test_no_size_is_the_smaller_one_in_all_runs() -> None:
    one, other = runs("joined")
    free = [Size(1, (s,)) for s, _, _ in of("joined").plan.symbols]
    assert {one.of(size) < other.of(size) for size in free} == {True}
    a, b, *_ = free
    assert (one.of(a) < one.of(b)) != (other.of(a) < other.of(b))
