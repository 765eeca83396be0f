"""Our named tuples are what `typing.NamedTuple` makes, but for when it makes it."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing

import pytest

from graphwright.base import named_tuples


class Theirs(typing.NamedTuple):
    a: int
    b: str | None = None
    c: float = 2.0

    def total(self):
        return self.a + self.c


class Ours(named_tuples.NamedTuple):
    a: int
    b: str | None = None
    c: float = 2.0

    def total(self):
        return self.a + self.c


class Empty(named_tuples.NamedTuple):
    """It has no fields."""


class Change(named_tuples.NamedTuple):
    """Its fields are called what its constructor might use."""

    new: int
    cls: int
    tuple: int


class Below(Ours):
    """It has those of its base."""


def outcome(use, cls):
    try:
        return use(cls)
    except (TypeError, AttributeError, ValueError) as error:
        return type(error)


@pytest.mark.parametrize(
    "use",
    [
        lambda cls: tuple(cls(1)),
        lambda cls: tuple(cls(1, "x", c=3.0)),
        lambda cls: cls(b="x"),
        lambda cls: cls(1, 2, 3, 4),
        lambda cls: cls(1, d=4),
        lambda cls: tuple(cls(1)._replace(b="x")),
        lambda cls: cls._make((1, 2, 3)) == (1, 2, 3),
        lambda cls: cls(1)._asdict(),
        lambda cls: (cls._fields, cls._field_defaults, cls.__match_args__),
        lambda cls: repr(cls(1, "x")).removeprefix(cls.__name__),
        lambda cls: (cls(1).total(), cls(1).b, hash(cls(1)) == hash((1, None, 2.0))),
        lambda cls: setattr(cls(1), "a", 2),
        lambda cls: setattr(cls(1), "d", 2),
        lambda cls: pickle.loads(pickle.dumps(cls(1, "x"))) == cls(1, "x"),
        lambda cls: type(copy.copy(cls(1))) is cls,
    ],
)
def test_it_does_what_theirs_does(use):
    assert outcome(use, Ours) == outcome(use, Theirs)


def test_fields_of_other_names_of_bases_and_none():
    assert Empty() == ()
    assert Change(1, 2, tuple=3) == (1, 2, 3)
    assert repr(Below(1)) == "Below(a=1, b=None, c=2.0)"
    assert isinstance(Below(1), Ours)


def test_a_match_takes_it_apart():
    match Ours(1, "x"):
        case Ours(a, b):
            assert (a, b) == (1, "x")


def test_the_constructor_has_the_signature_of_theirs() -> None:
    theirs = inspect.signature(Theirs).parameters.values()
    ours = inspect.signature(Ours).parameters.values()
    assert [(p.name, p.default) for p in ours] == [(p.name, p.default) for p in theirs]
