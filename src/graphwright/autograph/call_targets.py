"""Callees: the functions that calls of converted code ran last.

Converted code keeps the callee of each call, so that the next call costs little more than in
Python. It does so only for a global function of a module, in a call that passes all parameters.
Only another code of the function can change such a call, and code is compared.
"""

from __future__ import annotations

import types

_STARS = 0x04 | 0x08  # the flags of `*args` and `**kwargs`


class Callee:
    """The function to call instead of the function `key`, while that has this code."""

    __slots__ = ("code", "key", "target")

    def __init__(self, key: object, code: types.CodeType | None, target: object) -> None:
        self.key = key
        self.code = code
        self.target = target


#: The callee of a call that has not run yet.
NONE = Callee(object(), None, None)


def may_be_kept(function: types.FunctionType, count: int) -> bool:
    """Whether a call with `count` arguments may keep the function as its callee."""
    code = function.__code__
    return (
        count == code.co_argcount + code.co_kwonlyargcount
        and not code.co_flags & _STARS
        and function.__closure__ is None
        and function.__globals__.get(function.__name__) is function
    )
