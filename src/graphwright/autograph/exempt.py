"""Functions that are never converted."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from inspect import unwrap
from typing import Any, TypeVar

from graphwright.base.identities import IdentityTable
from graphwright.types import tree

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__ag_do_not_convert__"

# Libraries whose functions do not branch on tensors, or do so knowingly. The standard
# library is exempt as a whole.
LIBRARIES = frozenset(
    {
        "IPython", "PIL", "_pytest", "cffi", "cloudpickle", "graphwright", "hypothesis",
        "importlib", "ipykernel", "joblib", "keras", "llvmlite", "matplotlib", "ml_dtypes",
        "mpmath", "numpy", "optree", "pandas", "pip", "pkg_resources", "pluggy", "psutil",
        "pytest", "scipy", "setuptools", "sklearn", "sympy", "tqdm", "wrapt",
    }
)  # fmt: skip

#: Of these, the functions that stand for one that they wrap are converted, so that it is.
_WRAPPERS = frozenset({"contextlib", "functools"})

_OPTIMIZED = 0x01  # the flag of all functions, which class bodies lack
_GENERATES = 0x20 | 0x80 | 0x100 | 0x200  # the flags of all generators and coroutines


def mark(function: F) -> F:
    """Mark `function` as one that AutoGraph leaves alone."""
    setattr(function, _MARK, True)
    return function


def is_marked(function: object) -> bool:
    """Whether `mark` has marked a function."""
    return getattr(function, _MARK, False) is True


def is_library(name: str) -> bool:
    """Whether the functions of a module, by its name, are never converted."""
    top = name.partition(".")[0]
    return top in LIBRARIES or (top in sys.stdlib_module_names and top != "__main__")


def calls_back(function: types.FunctionType) -> bool:
    """Whether a function of this library calls functions among its arguments in its trace.

    `tf.py_function` and its like call them later, when they get values: as Python would.
    """
    module = function.__globals__.get("__name__") or ""
    if module == "graphwright.control.python_call":
        return False
    return module.startswith("graphwright.control.") or unwrap(function) is tree.map_structure


_converted: IdentityTable[types.CodeType, None] = IdentityTable()


def note_converted(code: types.CodeType) -> None:
    """Remember that `code` and the functions in it are converted; classes in it are not."""
    _converted.add(code, None)
    for const in code.co_consts:
        if isinstance(const, types.CodeType) and const.co_flags & _OPTIMIZED:
            note_converted(const)


def is_converted(code: types.CodeType) -> bool:
    """Whether a conversion made the code."""
    return id(code) in _converted.entries and code in _converted  # most code is not


def is_exempt(function: types.FunctionType) -> bool:
    """Whether a Python function is not converted where a converted one calls it."""
    if is_never_converted(function):
        return True
    module = module_of(function)
    return is_library(module) and not (module in _WRAPPERS and hasattr(function, "__wrapped__"))


def is_never_converted(function: types.FunctionType) -> bool:
    """Whether a Python function is not converted either where `tf.function` is asked to trace it.

    Functions of other libraries are converted then, as one that asks wants its control flow staged.
    """
    return (
        is_converted(function.__code__)
        or bool(function.__code__.co_flags & _GENERATES)
        or is_marked(function)
        or module_of(function).partition(".")[0] == "graphwright"
    )


def module_of(function: types.FunctionType) -> str:
    """The name of the module that has a function; that of an example in a docstring has none."""
    is_example = function.__code__.co_filename.startswith("<doctest ")
    return "" if is_example else function.__globals__.get("__name__") or ""
