"""`tf.raw_ops`: the ops themselves, each a function of keyword arguments."""

from __future__ import annotations

from graphwright.api import lacking
from graphwright.library.dispatch import raw_ops


def __getattr__(name: str) -> object:
    if name == "__all__":
        return __dir__()
    if raw_ops.has_raw_form(name):
        op = globals()[name] = raw_ops.raw_op(name)  # which is looked up but once
        return op
    if not name.startswith("_") and name in former():
        return former()[name]
    raise lacking(__name__, name)


def __dir__() -> list[str]:
    return sorted([*raw_ops.names(), *former()])


def former() -> dict[str, object]:
    """The ops of earlier versions, which few programs use."""
    from graphwright.library.dispatch.former_ops import FORMER

    return dict(FORMER)
