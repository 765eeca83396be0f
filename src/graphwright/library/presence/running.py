"""`graphwright run PROGRAM [ARGS]`: runs a program whose `import tensorflow` gives this package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from graphwright.library.presence.program_run import run_program
from graphwright.library.presence.tensorflow_finder import install_as_tensorflow
from graphwright.library.presence.waiting_line import show_waits


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command; the program gets all arguments behind its name."""
    parser.add_argument("program", help="the program to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the arguments of the program")


def run(options: argparse.Namespace) -> int:
    """Runs the program as `python PROGRAM` would; its exit code."""
    if not Path(options.program).is_file():
        print(f"graphwright run: there is no file {options.program!r}", file=sys.stderr)
        return 2
    install_as_tensorflow()
    show_waits()
    return run_program(options.program, options.arguments)
