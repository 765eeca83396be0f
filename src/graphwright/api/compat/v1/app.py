"""`tf.compat.v1.app`: programs with flags; `app.flags` is `tf.compat.v1.flags`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphwright.api import late

if TYPE_CHECKING:
    from graphwright.portable.classic.program_flags import run

__all__ = ["run"]

_start = late(__name__, {"graphwright.portable.classic.program_flags": ("run",)})


def __getattr__(name: str) -> Any:
    return import_module("graphwright.api.compat.v1.flags") if name == "flags" else _start(name)
