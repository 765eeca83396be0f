"""The line of a program that asked for something, where a library as Keras stands in between."""

from __future__ import annotations

import os
import sys
from types import FrameType

from graphwright.base.errors import Location, frame_above, is_own
from graphwright.base.named_tuples import NamedTuple

#: The libraries that make functions of ours for a program, and call them.
LIBRARIES = ("keras", "keras_hub", "keras_rs", "scikeras")
#: The file of Keras whose frames stand between a call and the method that is called.
_FILTER = "traceback_utils.py"


class ProgramCall(NamedTuple):
    """A call in a program: its line, and the functions of a library between it and the package."""

    line: Location | None
    through: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """The method of a library that the program called, or nothing."""
        return self.through[-1] if self.through else ""


def program_call(depth: int = 1) -> ProgramCall:
    """The innermost call on the stack that neither the package nor a library makes.

    Where libraries make all calls, it is the innermost that the package does not make.
    """
    folders = library_folders()
    frame = frame_above(depth)
    innermost: Location | None = None
    through: list[str] = []
    while frame is not None:
        code = frame.f_code
        if is_own(code):
            pass
        elif not code.co_filename.startswith(folders):
            return ProgramCall(location_of(frame), tuple(through))
        else:
            innermost = innermost or location_of(frame)
            if not code.co_filename.endswith(_FILTER):
                through.append(code.co_name)
        frame = frame.f_back
    return ProgramCall(innermost)


def location_of(frame: FrameType) -> Location:
    """The line at which a frame stands."""
    return Location(frame.f_code.co_filename, frame.f_lineno or 0, frame.f_code.co_name)


def library_folders() -> tuple[str, ...]:
    """How the file names of the code of libraries begin, as far as these are imported."""
    modules = [sys.modules[name] for name in LIBRARIES if name in sys.modules]
    files = [getattr(module, "__file__", None) for module in modules]
    return tuple([os.path.dirname(file) + os.sep for file in files if file])
