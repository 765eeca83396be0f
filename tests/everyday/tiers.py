"""The ways in which a program runs; `eager`, Python as it stands, is what others are held to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

from everyday.calls import call
from everyday.outcomes import Outcome, outcome_of
from everyday.programs import DECORATOR, Loaded, Program
from plans.tier import interpreted
from support.departures import departing
from support.drafting import drafting, staying_drafts

import graphwright as tf
from graphwright.compile.run import straight_line
from graphwright.compile.run.options import MODES, OPTIONS
from graphwright.machine import background


class Tier(NamedTuple):
    """How a program is staged, and how often each of its calls is made."""

    name: str
    decorator: str = DECORATOR
    #: When traces become machine code, as `GRAPHWRIGHT_NATIVE` has it; "": when it pays.
    native: str = ""
    #: Rounds of all calls before code that is made in the background is waited for, and after.
    rounds: tuple[int, int] = (1, 0)
    around: Callable[[], AbstractContextManager[Any]] = nullcontext


@contextmanager
def plans() -> Iterator[None]:
    """Runs plans in their interpreter; what it finds wrong is raised, whatever a program does."""
    with interpreted() as log:
        yield
    if log.errors:
        raise log.errors[0][1]


@contextmanager
def soon_written() -> Iterator[None]:
    """Makes the text of a graph after two calls in steps, and not after dozens."""
    before, straight_line._FIRST = straight_line._FIRST, 2
    try:
        yield
    finally:
        straight_line._FIRST = before


EAGER = Tier("eager", "")
_JIT = "@tf.function(jit_compile=True)"
TIERS = {
    tier.name: tier
    for tier in (
        Tier("steps", native="off"),
        Tier("kernels", native="off", rounds=(4, 0), around=soon_written),
        Tier("native", _JIT),
        Tier("always", native="always", rounds=(2, 0)),
        Tier("promoted", rounds=(5, 3)),
        Tier("relaxed", "@tf.function(jit_compile=True, reduce_retracing=True)", rounds=(2, 0)),
        Tier("check", native="check"),
        Tier("plans", native="always", around=plans),
        Tier("departures", rounds=(2, 0), around=departing),
        Tier("drafts", native="always", rounds=(2, 0), around=staying_drafts),
        Tier("settled", native="always", rounds=(2, 1), around=drafting),
        *([Tier("sanitize", native="sanitize")] if "sanitize" in MODES else []),
    )
}


@contextmanager
def native(wanted: str) -> Iterator[None]:
    """Sets when traces become machine code."""
    before = OPTIONS.pop("native", None)
    if wanted:
        OPTIONS["native"] = wanted
    try:
        yield
    finally:
        OPTIONS.pop("native", None)
        if before is not None:
            OPTIONS["native"] = before


def outcomes(program: Program, tier: Tier, rounds: tuple[int, int] | None = None) -> list[Outcome]:
    """What the calls give, in order; as many rounds of them as the tier says."""
    before, after = tier.rounds if rounds is None else rounds
    calls = range(len(program.calls))
    try:
        loaded = Loaded(program.decorated(tier.decorator), tf)
    except Exception as error:  # noqa: BLE001 - its class is the outcome
        return [outcome_of(error)] * len(calls) * (before + after)
    try:
        with native(tier.native), tier.around():
            results = [call(loaded, i, tf) for _ in range(before) for i in calls]
            if after:
                background.wait()
                results += [call(loaded, i, tf) for _ in range(after) for i in calls]
        return results
    finally:
        loaded.close()


def is_stateful(program: Program) -> bool:
    """Whether a call may leave something for the next one."""
    return "tf.Variable" in program.source


def expected(program: Program, tiers: Sequence[Tier]) -> dict[tuple[int, int], list[Outcome]]:
    """What Python and eager ops give, for each number of rounds that these tiers make."""
    wanted = {tier.rounds for tier in tiers} or {(1, 0)}
    if is_stateful(program):
        return {rounds: outcomes(program, EAGER, rounds) for rounds in wanted}
    once = outcomes(program, EAGER, (1, 0))
    return {rounds: once * sum(rounds) for rounds in wanted}
