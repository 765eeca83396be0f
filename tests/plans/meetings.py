"""Which values meet which readers: how a value was made, the way from there, what reads it."""

from __future__ import annotations

from typing import NamedTuple

from plans.memory import Here


class Meeting(NamedTuple):
    """A value that was read, in the words of a plan."""

    made: str
    way: str
    reader: str


def meetings(made: str, ends: tuple[Here, Here], reader: str) -> list[Meeting]:
    """What was made at one place and read at another: a value that comes out of one block and goes
    into another goes two ways."""
    return [Meeting(made, way, reader) for way in ways(*ends)]


def ways(one: Here, other: Here) -> list[str]:
    """The ways from where a value is made to where it is read."""
    same = 0
    for a, b in zip(one.around, other.around):
        if a != b:
            break
        same += 1
    out, into = one.around[same:], other.around[same:]
    if out and into and out[0][0] == into[0][0]:
        return ["carried"]
    ends = [(word, some[0][1]) for word, some in (("out of", out), ("into", into)) if some]
    return [f"{word} {kind(block)}" for word, block in ends] or ["beside"]


def kind(block: str) -> str:
    """Loop or branch."""
    return "a loop" if block in ("condition", "body") else "a branch"
