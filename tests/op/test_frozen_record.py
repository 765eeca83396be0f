"""Records are what frozen dataclasses are."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from graphwright.op.frozen_record import Record


class Point(Record):
    kind: ClassVar[str] = "point"
    x: int
    y: int = 2


class Named(Point):
    name: str = "p"


class Weighted(Record):
    weight: float = 0.0


class Words(Record, fields=False):
    x: int


def test_fields_are_those_of_the_bases_and_then_the_own() -> None:
    assert list(Point.fields) == ["x", "y"]
    assert Named.fields == {"x": "int", "y": "int", "name": "str"}
    assert Words.fields == {}
    assert (Point.has_floats, Weighted.has_floats) == (False, True)


def test_values_are_given_by_place_by_name_or_not_at_all() -> None:
    assert Point(1).values() == (1, 2)
    assert Point(1, 3).values() == Point(1, y=3).values() == Point(y=3, x=1).values() == (1, 3)
    assert Named(1, name="q").values() == (1, 2, "q")
    assert repr(Named(1)) == "Named(x=1, y=2, name='p')"


@pytest.mark.parametrize(
    ("given", "named", "message"),
    [
        ((), {}, "Point needs a value for 'x'"),
        ((1, 2, 3), {}, "Point has the fields x, y; got 3 values and no names"),
        ((1,), {"z": 3}, "Point has the fields x, y; got 1 values and z"),
        ((1,), {"x": 3}, "Point has the fields x, y; got 1 values and x"),
        ((1, 2), {"y": 3}, "Point has the fields x, y; got 2 values and y"),
    ],
)
def test_wrong_values_are_refused(given: Any, named: Any, message: str) -> None:
    with pytest.raises(TypeError) as raised:
        Point(*given, **named)
    assert str(raised.value) == message


def test_records_are_equal_to_their_like_alone() -> None:
    assert Point(1) == Point(1, 2)
    assert hash(Point(1)) == hash(Point(1, 2))
    assert Point(1) != Point(2)
    assert Point(1, 2) != Point(2, 1)
    assert Point(1) != (1, 2)
    assert Named(1) != Point(1)
    assert Weighted(0.0) != Weighted(-0.0)
    assert len({Point(1), Point(1, 2), Named(1), Point(3)}) == 3


def test_records_do_not_change() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="Point is frozen: 'x' cannot be set"):
        point.x = 3
    with pytest.raises(AttributeError, match="Point is frozen: 'x' cannot be deleted"):
        del point.x
    assert point.values() == (1, 2)
