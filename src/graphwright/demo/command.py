"""The command line of the demo."""

from __future__ import annotations

import argparse
from dataclasses import fields

from graphwright.demo import program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds an option for each of the demo's settings."""
    for field in fields(program.Settings):
        kind = type(field.default)
        parser.add_argument(f"--{field.name}", type=kind, default=field.default, metavar="X")


def run(options: argparse.Namespace) -> int:
    """Run the demo; its exit code."""
    chosen = {field.name: getattr(options, field.name) for field in fields(program.Settings)}
    return program.main(program.Settings(**chosen))
