"""The command line: `python -m graphwright`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields

import graphwright


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of the command line; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m graphwright", description=graphwright.__doc__)
    parser.add_argument("--version", action="version", version=graphwright.__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help="train a network on handwritten digits in one graph")
    # Only the demo needs rich and its data.
    from graphwright.demo import program

    for field in fields(program.Settings):
        kind = type(field.default)
        demo.add_argument(f"--{field.name}", type=kind, default=field.default, metavar="N")
    options = vars(parser.parse_args(arguments))
    options.pop("command")
    return program.main(program.Settings(**options))


if __name__ == "__main__":
    sys.exit(main())
