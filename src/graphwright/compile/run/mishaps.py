"""What the engine stumbles over: whatever exception says so, kernels run it, and it is reported.

A fault of the engine must not reach who calls a function: what cannot be compiled runs without
being compiled. The checking mode and the tests want to see it, so there it is raised.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from graphwright.base.errors import InternalError, OpError
from graphwright.base.logs import get_logger
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.run.options import OPTIONS
from graphwright.ir.graph import Node


class Mishaps:
    """What becomes of them."""

    #: Whether they are raised, as in the tests; the checking mode raises them too.
    are_raised = False
    #: What was reported: each is, once.
    reported: set[str] = set()


@contextmanager
def contained(name: str, nodes: Sequence[Node] = ()) -> Iterator[None]:
    """What compiles a graph, or some of its nodes; `NotNative` where that fails for any reason.

    An op's own refusal is no fault: its kernel says the same when its turn comes.
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
    """Logs what could not be compiled, and why."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    text = f"{name} has no machine code, by a fault of graphwright: {brief(error)}{place}."
    if text not in Mishaps.reported:
        Mishaps.reported.add(text)
        get_logger().warning("%s Kernels run it.", text)


def brief(error: Exception) -> str:
    """An exception in one line."""
    first = str(error).strip().split("\n", 1)[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
