"""Options of sessions, which say how devices and threads share work: none is needed here."""

from __future__ import annotations

from typing import Any


class SessionOptions:
    """Options of a session as attributes; none of them has an effect.

    Args:
        **options: Options by name.

    >>> import graphwright as tf
    >>> config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    >>> config.gpu_options.allow_growth = True
    >>> config.allow_soft_placement, config.gpu_options.allow_growth
    (True, True)
    """

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        group = self.__dict__[name] = SessionOptions()
        return group
