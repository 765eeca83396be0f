"""Whether the code that is running is converted, for libraries that call functions of programs.

A library passes the status to `tf_convert`. Conversion does not depend on it.
"""

from __future__ import annotations

import contextvars
import enum
import functools
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, ParamSpec, TypeVar

from graphwright.autograph.exempt import is_converted
from graphwright.op.late_imports import late_module
from graphwright.trace import missing_values

P = ParamSpec("P")
R = TypeVar("R")


class Status(enum.Enum):
    """Whether the code that is running is converted."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class ControlStatusCtx:
    """A status, as the context of a block: `with ctx: ...`."""

    def __init__(self, status: Status, options: object = None) -> None:
        self.status = status
        self.options = options

    def __repr__(self) -> str:
        return f"ControlStatusCtx[status={self.status}, options={self.options}]"

    def __enter__(self) -> ControlStatusCtx:
        _entered.set((*_entered.get(), self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _entered.set(_entered.get()[:-1])

    def around(self, function: Callable[P, R]) -> Callable[P, R]:
        """The function, which runs in this status."""

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            with self:
                return function(*args, **kwargs)

        return call


UNSPECIFIED, ENABLED, DISABLED = map(ControlStatusCtx, Status)
#: The status in a function that was made with `autograph=False`.
SWITCHED_OFF = ControlStatusCtx(Status.DISABLED)

_entered: contextvars.ContextVar[tuple[ControlStatusCtx, ...]] = contextvars.ContextVar(
    "entered", default=(UNSPECIFIED,)
)


def control_status_ctx() -> ControlStatusCtx:
    """Returns whether AutoGraph has converted the code that is running.

    A library that takes functions passes it to `tf.__internal__.autograph.tf_convert`.

    Returns:
        An object whose `status` is ENABLED in a `tf.function`, DISABLED in one with
        `autograph=False` or under `do_not_convert`, else UNSPECIFIED.

    >>> import graphwright as tf
    >>> tf.__internal__.autograph.control_status_ctx().status
    <Status.UNSPECIFIED: 0>
    >>> @tf.function
    ... def f():
    ...     print(tf.__internal__.autograph.control_status_ctx().status)
    >>> f()
    Status.ENABLED
    """
    return _entered.get()[-1]


def is_switched_off() -> bool:
    """Whether AutoGraph is switched off for the code that is running."""
    return _entered.get()[-1].status is Status.DISABLED


def conversion_of(frame: FrameType) -> str:
    """Why AutoGraph does not stage the code of a frame that asks a tensor for its value."""
    forms: Any = late_module("graphwright.autograph.traced_form")
    if is_converted(frame.f_code) or forms.is_straight_code(frame.f_code):
        return missing_values.CONVERTED
    if _entered.get()[-1] is SWITCHED_OFF:
        return missing_values.SWITCHED_OFF
    return missing_values.LEFT_OUT
