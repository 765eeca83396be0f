"""Which programs a day has."""

from __future__ import annotations

from datetime import datetime, timezone

#: How far the programs of two days are apart.
_DAY = 10_000


def day() -> int:
    """The number of today."""
    return datetime.now(timezone.utc).date().toordinal()


def first_seed() -> int:
    """The number of today's first program."""
    return day() * _DAY
