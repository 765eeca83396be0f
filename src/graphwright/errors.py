"""Every exception of the package, and the user's stack frame that goes with it.

The classes that programs catch have TensorFlow's names and bases. Errors of an op
are raised from one place by the interpreter that ran it: eager execution raises
`InvalidArgumentError`, tracing raises `TypeError` (dtypes) or `ValueError` (shapes).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NamedTuple, TypeVar, cast

_PACKAGE = str(Path(__file__).parent)
#: What the file names of code that is not the user's begin with: ours, and what we generated.
_OWN = (_PACKAGE, "<graphwright ")

VARIADIC = 0x04 | 0x08  # the flags of code with *args and **kwargs

F = TypeVar("F", bound=Callable[..., Any])


class Location(NamedTuple):
    """A line of the user's program."""

    filename: str
    lineno: int
    function: str

    def __str__(self) -> str:
        return f'File "{self.filename}", line {self.lineno}, in {self.function}'


def user_location(depth: int = 1) -> Location | None:
    """The innermost line on the stack that is not the package's own."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_PACKAGE):
            return Location(code.co_filename, frame.f_lineno or 0, code.co_name)
        frame = frame.f_back
    return None


def last_user_line(error: BaseException) -> Location | None:
    """The innermost line of an error's traceback that is not the package's own."""
    found = None
    entry = error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if not code.co_filename.startswith(_OWN):
            found = Location(code.co_filename, entry.tb_lineno, code.co_name)
        entry = entry.tb_next
    return found


class Tracebacks:
    """Whether tracebacks leave out the package's own frames."""

    filtered = True


def show_users_lines(error: BaseException) -> None:
    """Leaves the user's own lines in an error's traceback: a public function raises it so.

    A cause that says nothing of the user's program, as NumPy's words for what the error says in
    ours, is left out. (Python 3.10 keeps the whole traceback: a bare `raise` remembers it there.)
    """
    if Tracebacks.filtered:
        error.__traceback__ = users_part(error.__traceback__)
        cause = error.__cause__
        if cause is not None:
            cause.__traceback__ = users_part(cause.__traceback__)
            if cause.__traceback__ is None:
                error.__cause__ = None  # and `__suppress_context__` stays set


def users_part(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the package's own frames; None if it has no others."""
    entries = []
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_OWN):
            entries.append(trace)
        trace = trace.tb_next
    kept: TracebackType | None = None
    for entry in reversed(entries):
        kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return kept


def outermost(function: F) -> F:
    """A special method that Python calls for the user: its errors show the user's own lines.

    What users call by its name is a boundary (`op.refusal`), which names the call, too.
    """

    def alone(self: Any) -> Any:
        try:
            return function(self)
        except Exception as error:
            show_users_lines(error)
            raise

    def with_arguments(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return function(self, *args, **kwargs)
        except Exception as error:
            show_users_lines(error)
            raise

    code = function.__code__
    takes_nothing = code.co_argcount == 1 and not code.co_flags & VARIADIC
    public = alone if takes_nothing else with_arguments  # which costs three times as much
    return cast(F, functools.update_wrapper(public, function))


def raised_by_us(error: BaseException) -> bool:
    """Whether none of the user's own code lies between here and where an error was raised."""
    trace = error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_OWN):
            return False
        trace = trace.tb_next
    return True


def enable_traceback_filtering() -> None:
    """Has errors show the lines of your program only, and not the library's: the default.

    >>> import graphwright as tf
    >>> tf.debugging.disable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    False
    >>> tf.debugging.enable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    Tracebacks.filtered = True


def disable_traceback_filtering() -> None:
    """Has errors show the library's own frames too."""
    Tracebacks.filtered = False


def is_traceback_filtering_enabled() -> bool:
    """Whether errors show the lines of your program only."""
    return Tracebacks.filtered


class OpError(Exception):
    """An op that could not be executed; the base of the classes below.

    `node_def` and `op` are the graph's node where there is one, `error_code` is the
    number of the canonical status that the class stands for.
    """

    code: int = 2

    def __init__(
        self, node_def: Any, op: Any, message: str, error_code: int | None = None, *args: Any
    ) -> None:
        super().__init__(node_def, op, message, *args)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = self.code if error_code is None else error_code

    @property
    def message(self) -> str:
        """What happened, as one string."""
        return self._message

    def reword(self, message: str) -> None:
        """Says what happened in other words."""
        self._message = message
        self.args = (*self.args[:2], message, *self.args[3:])

    @property
    def op(self) -> Any:
        """The graph's operation that failed, or None when it ran eagerly."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The description of that operation, or None."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The canonical status number of this class of error."""
        return self._error_code

    @property
    def experimental_payloads(self) -> dict[str, bytes]:
        """Details attached by the runtime: none here."""
        return {}

    def __str__(self) -> str:
        return self._message


class StatusError(OpError):
    """An `OpError` whose class says its status."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, None, *args)


class CancelledError(StatusError):
    """The operation was cancelled."""

    code = 1


class UnknownError(StatusError):
    """An error of no better-known class."""

    code = 2


class InvalidArgumentError(StatusError):
    """An argument has a value, shape or dtype that the op does not take."""

    code = 3


class DeadlineExceededError(StatusError):
    """The operation did not finish in time."""

    code = 4


class NotFoundError(StatusError):
    """A file, key or resource does not exist."""

    code = 5


class AlreadyExistsError(StatusError):
    """What should be created exists already."""

    code = 6


class PermissionDeniedError(StatusError):
    """The caller may not do this."""

    code = 7


class ResourceExhaustedError(StatusError):
    """Memory or another resource is used up."""

    code = 8


class FailedPreconditionError(StatusError):
    """The state needed for the operation is not there, such as an initialised variable."""

    code = 9


class AbortedError(StatusError):
    """The operation was aborted, typically by a concurrent one."""

    code = 10


class OutOfRangeError(StatusError):
    """An iteration went past its end."""

    code = 11


class UnimplementedError(StatusError):
    """The operation has no implementation for these arguments."""

    code = 12


class InternalError(StatusError):
    """An invariant of the system is broken."""

    code = 13


class UnavailableError(StatusError):
    """A service cannot be reached for now."""

    code = 14


class DataLossError(StatusError):
    """Data was lost or is corrupt."""

    code = 15


class UnauthenticatedError(StatusError):
    """The caller is not known."""

    code = 16


class OperatorNotAllowedInGraphError(TypeError):
    """A Python operator that needs a value was used on a symbolic tensor."""


class InaccessibleTensorError(ValueError):
    """A symbolic tensor was used outside the graph that it belongs to."""


class NotDifferentiableError(LookupError):
    """No gradient is defined for an op."""


class RetracingWarning(UserWarning):
    """A function is traced again and again; the message says why and what to write instead."""


class StaleStateWarning(UserWarning):
    """What a function read while it was traced has changed; its graph has the old value."""
