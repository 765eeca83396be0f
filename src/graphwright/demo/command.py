"""The command line of the demo."""

from __future__ import annotations

import argparse
from dataclasses import fields

from graphwright.demo import program

#: What the settings mean.
HELP = {
    "epochs": "how often all digits are seen",
    "filters": "the channels of the network",
    "batch": "the digits of a step",
    "rate": "the greatest learning rate",
    "seed": "for other random numbers",
    "plot": "where the picture goes, if matplotlib is there",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds an option for each of the demo's settings."""
    for field in fields(program.Settings):
        kind, default = type(field.default), field.default
        text = f"{HELP[field.name]}; default: {default}"
        parser.add_argument(f"--{field.name}", type=kind, default=default, metavar="X", help=text)


def run(options: argparse.Namespace) -> int:
    """Run the demo; its exit code."""
    chosen = {field.name: getattr(options, field.name) for field in fields(program.Settings)}
    return program.main(program.Settings(**chosen))
