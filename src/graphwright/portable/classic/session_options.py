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


class RunSettings(SessionOptions):
    """Options of a run as attributes; none of them has an effect.

    >>> import graphwright as tf
    >>> options = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE)
    >>> options.trace_level
    3
    """

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)


class OptimizerOptions(SessionOptions):
    """Options of the compiler as attributes; none of them has an effect.

    >>> import graphwright as tf
    >>> v1 = tf.compat.v1
    >>> config = v1.ConfigProto()
    >>> config.graph_options.optimizer_options.global_jit_level = v1.OptimizerOptions.ON_1
    >>> config.graph_options.optimizer_options.global_jit_level
    1
    """

    L0, L1 = -1, 0
    OFF, DEFAULT, ON_1, ON_2 = -1, 0, 1, 2
