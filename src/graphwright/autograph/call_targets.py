"""What calls found last: the functions that are called instead of others.

Converted code keeps at each call what it found there, so that the next one costs little more than
Python's. That is only so for functions that their modules keep anyway, and whose parameters are
all given: then nothing but their code can change what a call means, and code is compared.
"""

from __future__ import annotations

import types

_STARS = 0x04 | 0x08  # the flags of `*args` and `**kwargs`


class Callee:
    """What to call instead of `key`, as long as that has this code."""

    __slots__ = ("code", "key", "target")

    def __init__(self, key: object, code: types.CodeType | None, target: object) -> None:
        self.key = key
        self.code = code
        self.target = target

    def forget(self) -> None:
        """It counts for no function any more."""
        self.key = _NOBODY


_NOBODY = object()

#: What is kept at a place where nothing was called yet.
NONE = Callee(_NOBODY, None, None)


def may_be_kept(function: types.FunctionType, given: int) -> bool:
    """Whether a call that gives so many arguments may keep what it found."""
    code = function.__code__
    return (
        given == code.co_argcount + code.co_kwonlyargcount
        and not code.co_flags & _STARS
        and function.__closure__ is None
        and function.__globals__.get(function.__name__) is function
    )
