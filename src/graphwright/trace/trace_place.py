"""Where a trace is made: a function has traces of its own in each scope of a strategy, and in each
replica."""

from __future__ import annotations

from collections.abc import Hashable
from contextvars import ContextVar

from graphwright.op.interpreter import Layer

#: What tells the place from others; None outside all scopes. Traces of its place serve a call.
PLACE: ContextVar[Hashable] = ContextVar("PLACE", default=None)


class PlaceLayer(Layer):
    """Hands every op on. Calls of functions come by it, and so they look at their place."""
