"""Mishaps: exceptions of the engine itself, which are reported while kernels run the graph.

A fault of the engine must not reach the caller of a function: a graph that cannot be compiled runs
without that. The checking mode and the tests must see the fault, so it is raised there.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from graphwright.base.errors import InternalError, OpError
from graphwright.base.logs import get_logger
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.run.options import OPTIONS
from graphwright.ir.graph import Node


class Mishaps:
    """Settings and memory of reports."""

    #: Whether mishaps are raised, as in the tests; the checking mode always raises them.
    are_raised = False
    #: The reports so far: each is logged once.
    reported: set[str] = set()


@contextmanager
def contained(name: str, nodes: Sequence[Node] = ()) -> Iterator[None]:
    """A context that compiles a graph, or some nodes of it; `NotNative` if it fails for any reason.

    An op's own refusal is no fault: its kernel raises it again in its turn.
    """
    try:
        yield
    except NotNative:
        raise
    except Exception as error:
        if not isinstance(error, OpError) or isinstance(error, InternalError):
            if Mishaps.are_raised or OPTIONS.get("native") in ("check", "sanitize"):
                raise
            report(name, error)
        raise NotNative(f"the engine fails with {brief(error)}", nodes) from error


def report(name: str, error: Exception) -> None:
    """Logs which graph could not be compiled, and why."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    text = f"{name} has no machine code, by a fault of graphwright: {brief(error)}{place}."
    if text not in Mishaps.reported:
        Mishaps.reported.add(text)
        get_logger().warning("%s Kernels run it.", text)


def brief(error: Exception) -> str:
    """An exception in one line."""
    first = str(error).strip().split("\n", 1)[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
