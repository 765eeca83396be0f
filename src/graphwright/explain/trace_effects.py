"""Effects that happened once, while tracing, and do not happen when the graph runs.

Comparing values before and after a trace shows assignments and changes of containers. A profile
function sees calls of `print`, `open`, `random`, `time` and the like. Both cost time, so they run
in debug mode only.
"""

from __future__ import annotations

import builtins
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from graphwright.autograph.exempt import is_library
from graphwright.base import errors
from graphwright.base.named_tuples import NamedTuple
from graphwright.explain.facts import NameChain, StoreSite
from graphwright.explain.paths import (
    MISSING,
    Path,
    Reached,
    print_of,
    reached,
    store_paths,
)
from graphwright.explain.trace_record import FAMILIES
from graphwright.explain.wording import listed, show_place
from graphwright.ir.graph import Graph
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import tree

#: Where converted code calls builtins that have a form for tensors too.
_OVERLOADS = os.path.join(
    os.path.dirname(os.path.dirname(errors.__file__)), "autograph", "overloads.py"
)


class TraceEffect(NamedTuple):
    """One effect of a trace: what happened, where, and the form for graphs."""

    what: str
    place: str
    form: str
    when: str = "ran once, while tracing"

    def __str__(self) -> str:
        return f"{self.what} ({self.place}) {self.when}; {self.form}"


#: By the sort of function that was called: what to write instead.
FORMS = {
    "print": "tf.print(...) prints at each call",
    "open": "tf.io.read_file and tf.io.write_file work at each call, or tf.py_function",
    "input": "pass the text as an argument",
    "next": "take items of a tf.data iterator, or pass them as arguments",
    "random": "tf.random.uniform draws new numbers at each call",
    "time": "tf.timestamp() tells the time at each call",
}

_BUILTINS: dict[object, str] = {
    builtins.print: "print",
    builtins.open: "open",
    builtins.input: "input",
    builtins.next: "next",
}
_TIMES = frozenset(
    getattr(time, name)
    for name in ("time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "process_time")
)


class StoreObserver:
    """Watches what one trace changes outside of it, by the statements of its functions."""

    def __init__(self, functions: Sequence[Reached]) -> None:
        self.stores = list(store_paths(functions))
        self.before = [print_of(path.value()) for path, _, _ in self.stores]

    def effects(self, graph: Graph) -> Iterator[TraceEffect]:
        """The changes that the trace made."""
        different = [
            (path, store, here, path.value())
            for (path, store, here), before in zip(self.stores, self.before)
            if print_of(path.value()) != before
        ]
        texts = {path.text for path, *_ in different}
        for path, store, here, value in different:
            inside = any(t.startswith((f"{path.text}[", f"{path.text}.")) for t in texts)
            leaks = [] if inside else leaked(value, graph)
            yield changed(path, store, here, leaks)


class Observer(StoreObserver):
    """Watches one trace, its calls of `print`, `random` and the like included."""

    def __init__(self, functions: Sequence[Reached]) -> None:
        super().__init__(functions)
        self.numpy_random = numpy_position()
        self.calls: dict[tuple[str, str], None] = {}

    def profile(self, frame: FrameType, event: str, argument: object) -> None:
        """Notes a call; Python calls this at every call of the thread."""
        if event == "c_call":
            kind = kind_of_builtin(argument)
            if kind:
                self.called(kind, getattr(argument, "__name__", kind), frame)
        elif event == "call" and frame.f_code.co_filename == random.__file__:
            caller = frame.f_back
            if caller is not None and caller.f_code.co_filename != random.__file__:
                self.called("random", f"random.{frame.f_code.co_name}", caller)

    def called(self, kind: str, name: str, frame: FrameType | None) -> None:
        """Notes a call by the program, directly or from converted code."""
        while frame is not None and frame.f_code.co_filename == _OVERLOADS:
            frame = frame.f_back
        if frame is None or is_library(frame.f_globals.get("__name__") or ""):
            return
        self.calls[kind, f"{name}|{frame.f_code.co_filename}:{frame.f_lineno}"] = None

    def effects(self, graph: Graph) -> Iterator[TraceEffect]:
        """The effects of the trace."""
        for kind, where in self.calls:
            name, _, place = where.partition("|")
            yield TraceEffect(f"`{name}(...)`", place, FORMS[kind])
        if self.numpy_random != numpy_position():
            yield TraceEffect("NumPy's random numbers", "numpy.random", FORMS["random"])
        yield from super().effects(graph)


def calls_in(functions: Sequence[Reached]) -> Iterator[TraceEffect]:
    """The calls of `print`, `random` and the like in the source of functions."""
    for here in functions:
        for call in here.facts.calls:
            kind = kind_of_builtin(called_value(here, call.function))
            if kind:
                place = f"{here.function.__code__.co_filename}:{call.line}"
                yield TraceEffect(
                    f"`{call.function}(...)`", place, FORMS[kind], "runs only while tracing"
                )


def called_value(here: Reached, chain: NameChain) -> object:
    """The function that a chain denotes: a name from outside, or a builtin."""
    path = here.path(chain)
    if path is not None:
        value = path.value()
        return None if value is MISSING else value
    is_name = not chain.steps and chain.root not in here.facts.parameters
    return vars(builtins).get(chain.root) if is_name else None


def changed(
    path: Path, store: StoreSite, here: Reached, leaks: Sequence[SymbolicTensor]
) -> TraceEffect:
    """The effect of a change of something outside, with the tensors that left the graph by it."""
    place = place_of(store, here)
    what = deed(path, store)
    if leaks:
        made = [f"{t.name}, made {made_at(t)}" for t in leaks]
        form = f"it keeps a tensor of the graph ({listed(made)}): return it instead"
        return TraceEffect(what, place, form)
    if store.method:
        return TraceEffect(what, place, "a tf.TensorArray collects in the graph")
    form = f"make it a tf.Variable and use {path.text}.assign(...)"
    return TraceEffect(what, place, form)


def deed(path: Path, store: StoreSite) -> str:
    """The change of something outside, in words."""
    return f"`{path.text}.{store.method}(...)`" if store.method else f"the change of `{path.text}`"


def place_of(store: StoreSite, here: Reached) -> str:
    """The place of a change."""
    return f"{here.function.__code__.co_filename}:{store.line}"


def where_stored(error: BaseException) -> tuple[str, ...]:
    """The statements by which a leaked tensor left its function."""
    tensor = getattr(error, "tensor", None)
    if tensor is None:
        return ()
    makers = [
        history
        for family in FAMILIES.values()
        for history in family.histories()
        for record in history.records
        if is_of(tensor, record.concrete.graph)
    ]
    return tuple(
        f"{deed(path, store)} ({place_of(store, here)})"
        for history in dict.fromkeys(makers)
        for path, store, here in store_paths(reached(history.function, []))
        if any(t._value is tensor._value for t in symbolic(path.value()))
    )


def leaked(value: object, graph: Graph) -> list[SymbolicTensor]:
    """The tensors of a graph in a value that outlives it."""
    return [tensor for tensor in symbolic(value) if is_of(tensor, graph)]


def symbolic(value: object) -> list[SymbolicTensor]:
    """The symbolic tensors in a value."""
    leaves = tree.flatten(value) if isinstance(value, (list, tuple, dict)) else [value]
    return [leaf for leaf in leaves if isinstance(leaf, SymbolicTensor)]


def is_of(tensor: SymbolicTensor, graph: Graph) -> bool:
    """Whether a tensor belongs to a graph or to one in it."""
    graphs, seen = [graph], {graph}
    for each in graphs:  # it grows: many nodes may share a graph, which is looked into once
        inner = [g for g in each.subgraphs() if g not in seen]
        graphs += inner
        seen.update(inner)
    return tensor.graph in seen


def made_at(tensor: SymbolicTensor) -> str:
    """The place where a tensor was made."""
    location = tensor._value.node.location
    return "for an argument" if location is None else f"at {show_place(location)}"


def kind_of_builtin(function: object) -> str:
    """The sort of effect that a builtin function has, or nothing."""
    try:
        kind = _BUILTINS.get(function)
    except TypeError:
        return ""
    if kind is not None:
        return kind
    if function in _TIMES:
        return "time"
    return "random" if isinstance(getattr(function, "__self__", None), random.Random) else ""


def numpy_position() -> tuple[Any, ...]:
    """The position of NumPy's global generator."""
    state = np.random.get_state(legacy=False)["state"]
    return int(state["pos"]), bytes(state["key"].data) if "key" in state else b""


@contextmanager
def observing(observer: Observer | None) -> Iterator[None]:
    """Watches the block, unless somebody else profiles this thread."""
    outside = sys.getprofile()
    is_observer = (
        getattr(outside, "__func__", None) is Observer.profile
    )  # of a trace around this one
    if observer is None or not (is_observer or outside is None):
        yield
        return
    sys.setprofile(observer.profile)
    try:
        yield
    finally:
        sys.setprofile(outside)
