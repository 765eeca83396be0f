"""Debug mode, and what it adds to each trace: the state that it read, the effects that it had."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from graphwright.explain.glimpse import Glimpse
from graphwright.explain.paths import reached
from graphwright.explain.state import MODES, StateWatch
from graphwright.explain.trace_effects import Observer, StoreObserver, observing
from graphwright.explain.trace_record import Debug, History, Traced
from graphwright.ir.graph import Graph
from graphwright.trace.signature import Bound
from graphwright.trace.tracer import current_tracer

Made = TypeVar("Made", bound=Traced)


#: So many traces of one piece of code have notes without debug mode.
_NOTED = 4

#: The watches of traces that were used while a graph was made.
_INNER: weakref.WeakKeyDictionary[Graph, list[StateWatch]] = weakref.WeakKeyDictionary()


def mode_of(on_stale: str | None) -> str:
    """The reaction to state that changed: `on_stale`, or the default of debug mode."""
    if on_stale is None:
        return "warn" if Debug.on else "ignore"
    if on_stale not in MODES:
        raise ValueError(f"on_stale must be one of {', '.join(MODES)}, got {on_stale!r}")
    return on_stale


def look_at(watch: StateWatch) -> None:
    """Warns of state that changed, and notes the watch for the graphs that are being made."""
    watch.tell()
    tracer = current_tracer()
    while tracer is not None:
        if not tracer.graph.is_body:
            _INNER.setdefault(tracer.graph, []).append(watch)
        tracer = tracer.outer


def attended(history: History, bound: Bound, make: Callable[[], Made]) -> Made:
    """The trace that `make` makes, with the watch that its function or debug mode asks for."""
    mode = mode_of(history.options["on_stale"])
    if mode == "ignore" and not Debug.on:
        return noted(history, bound, make)
    functions = reached(history.function, bound)
    observer = Observer(functions) if Debug.on else None
    with observing(observer):
        concrete = make()
    if observer is not None:
        concrete.effects = tuple(observer.effects(concrete.graph))
    watch_with(concrete, StateWatch(mode, history.name, functions if mode != "ignore" else []))
    return concrete


def noted(history: History, bound: Bound, make: Callable[[], Made]) -> Made:
    """The trace that `make` makes. The first traces of a piece of code have a glimpse for reports.

    Where the environment asks for notes, they have these instead: a note takes a tenth of a trace.
    """
    glimpse = observer = functions = None
    is_early = len(history.records) + history.family.functions < _NOTED
    if is_early and not Debug.notes:
        with looking():
            glimpse = Glimpse(history.function, bound)
    elif is_early:
        with looking():
            functions = reached(history.function, bound)
            observer = StoreObserver(functions)
    concrete = make()
    concrete.glimpse = glimpse
    if functions is not None and observer is not None:
        with looking():
            concrete.effects = tuple(observer.effects(concrete.graph))
            concrete.notes = StateWatch.quiet(history.name, functions)
    if _INNER:
        watch_with(concrete, StateWatch("ignore", history.name, []))
    return concrete


def looking() -> suppress:
    """A block that may look at any object of the program: one that raises then has no notes.

    Proxies of web frameworks do, outside of a request; the call that traces must not fail for it.
    """
    return suppress(Exception)


def watch_with(concrete: Traced, watch: StateWatch) -> None:
    """Gives a trace its watch, with those of inner traces, if there is anything to watch."""
    watch.inner = _INNER.pop(concrete.graph, [])
    concrete.watch = watch if watch else None


def debug_mode(on: bool = True) -> None:
    """Records and watches all that explains a program, from the next trace on.

    Every trace remembers which state it read, and warns when that has changed. Calls of `print`,
    `random` and the like are reported where they happen. Functions that no longer exist stay in the
    reports. Calls of functions that read state take longer: see docs/explain.md. The environment
    variable `GRAPHWRIGHT_EXPLAIN=1` does so from the start. `GRAPHWRIGHT_EXPLAIN=notes` leaves the
    warnings and costs no call anything: reports say which state has changed.

    Args:
        on: True for debug mode, False for the usual mode.

    >>> import graphwright as tf
    >>> tf.explain.debug_mode()
    >>> tf.explain.debug_mode(False)
    """
    Debug.on = bool(on)
