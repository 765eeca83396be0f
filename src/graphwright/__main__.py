"""The command line: `graphwright COMMAND`, also `python -m graphwright COMMAND`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

import graphwright

#: Every command: the module that has its `add_arguments(parser)` and `run(options)`, and its help.
#: Only the module of the command that was asked for is imported.
COMMANDS = {
    "cache": (
        "graphwright.library.diagnosis.cache_command",
        "say how much machine code lies on the disk, or remove it",
    ),
    "compile": (
        "graphwright.portable.native_library.compile_command",
        "write a function of a saved model as a library that needs no Python",
    ),
    "demo": ("graphwright.demo.command", "train a network on handwritten digits in one graph"),
    "diff": ("graphwright.portable.diff_command", "say what differs between two saved models"),
    "doctor": (
        "graphwright.library.diagnosis.doctor_command",
        "say what graphwright runs on here, how fast that is, and what slows it down",
    ),
    "explain": (
        "graphwright.library.objects.explaining",
        "run a program, and say why it traced what",
    ),
    "launch": (
        "graphwright.library.distribute.launching",
        "run a program in several processes, on MPI",
    ),
    "lint": (
        "graphwright.lint.lint_command",
        "find in source what will go wrong in staged functions",
    ),
    "run": (
        "graphwright.portable.run_command",
        "run a signature of a saved model, or a program that imports tensorflow, on graphwright",
    ),
    "serve": (
        "graphwright.portable.serving.serve_command",
        "answer TensorFlow Serving's REST calls with a saved model",
    ),
    "show": (
        "graphwright.portable.show_command",
        "print the signatures, functions and variables of a saved model",
    ),
    "view": ("graphwright.portable.view_command", "draw the graphs of a saved model on a page"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of the command line; its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="graphwright", description=graphwright.__doc__)
    parser.add_argument("--version", action="version", version=graphwright.__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary)
        if name in words:
            import_module(module).add_arguments(command)
    options = parser.parse_args(words)
    module, _ = COMMANDS[options.command]
    return int(import_module(module).run(options))


if __name__ == "__main__":
    sys.exit(main())
