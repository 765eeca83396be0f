"""`tf.compat.v1.flags` and `tf.compat.v1.app`: flags of absl, and programs that start with them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from absl import flags

#: What TensorFlow calls arguments of absl.
NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


class ProgramFlags:
    """The flags of a program: reading one parses the command line, if nothing has done so."""

    def __getattr__(self, name: str) -> Any:
        parse()
        return getattr(flags.FLAGS, name)

    def __setattr__(self, name: str, value: object) -> None:
        parse()
        setattr(flags.FLAGS, name, value)

    def __dir__(self) -> list[str]:
        return dir(flags.FLAGS)

    def __repr__(self) -> str:
        return "<the flags of the program>"


def parse(argv: Sequence[str] | None = None) -> list[str]:
    """Parses a command line, unless one was parsed already; what is no flag stays."""
    line = sys.argv if argv is None else list(argv)
    return line if flags.FLAGS.is_parsed() else flags.FLAGS(line, known_only=True)


def flag_name(name: str) -> Any:
    """What absl has under a name, with TensorFlow's names of arguments too."""
    value = getattr(flags, name)
    return renaming(value) if name.startswith("DEFINE") else value


def renaming(define: Callable[..., Any]) -> Callable[..., Any]:
    """A function of absl that takes TensorFlow's names of arguments too."""

    @functools.wraps(define)
    def call(*args: Any, **kwargs: Any) -> Any:
        return define(*args, **{NAMES.get(key, key): value for key, value in kwargs.items()})

    return call


def run(main: Callable[..., Any] | None = None, argv: Sequence[str] | None = None) -> NoReturn:
    """Parses flags, calls a function with what is left of the command line, and ends the program.

    Args:
        main: A function of a list of strings; None takes `main` of the program.
        argv: The command line, as a list of strings; None takes that of the process.

    Raises:
        SystemExit: Always, with what `main` returned.

    >>> import graphwright as tf
    >>> tf.compat.v1.app.run(lambda argv: print(argv[1:]), ["program", "file"])
    Traceback (most recent call last):
        ...
    SystemExit
    """
    start = main or sys.modules["__main__"].main
    sys.exit(start(parse(argv)))
