"""`tf.raw_ops`: the ops themselves, each a function of keyword arguments."""

from __future__ import annotations

from graphwright.edge.raw_ops import has_raw_form, names, raw_op


def __getattr__(name: str) -> object:
    if name == "__all__":
        return names()
    if not has_raw_form(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return raw_op(name)


def __dir__() -> list[str]:
    return names()
