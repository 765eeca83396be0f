"""The command line: `graphwright COMMAND`, also `python -m graphwright COMMAND`."""

from __future__ import annotations

import argparse
import os
import select
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple, TextIO

import graphwright

_DESCRIPTION = """Runs TensorFlow and Keras programs without TensorFlow, and looks at them: why they
trace, what they cost, what their models hold. `graphwright COMMAND --help` has examples."""
_NOTE = """Exit codes: 0 where all is well, 1 where the answer is no (something differs, is slow, or
was found), 2 where a command cannot do what it was asked. Programs that are run give their own."""


class Command(NamedTuple):
    """A command: the module with its `add_arguments(parser)` and `run(options)`, and its help.

    Only the module of the command that was asked for is imported.
    """

    module: str
    summary: str
    examples: tuple[str, ...]

    @property
    def epilog(self) -> str:
        """What stands under the options."""
        lines = [f"  graphwright {example}" for example in self.examples]
        return "\n".join(["for example:", *lines, "", _NOTE])


COMMANDS = {
    "bench": Command(
        "graphwright.diagnosis.bench_command",
        "say how long a call of a program takes, beside TensorFlow",
        ('bench program.py --call "step(x)"',),
    ),
    "cache": Command(
        "graphwright.diagnosis.cache_command",
        "say how much machine code lies on the disk, or remove it",
        ("cache", "cache --clear"),
    ),
    "compile": Command(
        "graphwright.portable.native_library.compile_command",
        "write a function of a saved model as a library that needs no Python",
        ("compile model/ -o model.so", "compile model/ -o model.wasm --target wasm32"),
    ),
    "demo": Command(
        "graphwright.demo.command",
        "train a network on handwritten digits in one graph",
        ("demo", "demo --epochs 5"),
    ),
    "diff": Command(
        "graphwright.portable.diff_command",
        "say what differs between two saved models",
        ("diff model-1/ model-2/",),
    ),
    "doctor": Command(
        "graphwright.diagnosis.doctor_command",
        "say what graphwright runs on here, how fast that is, and what slows it down",
        ("doctor", "doctor --quick"),
    ),
    "explain": Command(
        "graphwright.library.objects.explaining",
        "run a program, and say why it traced what",
        ("explain train.py --epochs 2", "explain --html report.html train.py"),
    ),
    "launch": Command(
        "graphwright.library.distribute.launching",
        "run a program in several processes, on MPI",
        ("launch -n 4 train.py",),
    ),
    "lint": Command(
        "graphwright.lint.lint_command",
        "find in source what will go wrong in staged functions",
        ("lint src notebooks", "lint --select GW1 train.py"),
    ),
    "plan": Command(
        "graphwright.diagnosis.plan_command",
        "predict how a program's training step would do on many machines",
        (
            "plan train.py --ranks 4..4096 --network 25Gbit,10us",
            'plan train.py --svg curve.svg --arguments="--epochs 1"',
        ),
    ),
    "run": Command(
        "graphwright.portable.run_command",
        "run a signature of a saved model, or a program that imports tensorflow, on graphwright",
        ("run train.py --epochs 2", "run model/ --inputs x.npz --output y.npz"),
    ),
    "serve": Command(
        "graphwright.portable.serving.serve_command",
        "answer TensorFlow Serving's REST calls with a saved model",
        ("serve model/ --port 8501",),
    ),
    "show": Command(
        "graphwright.portable.show_command",
        "print the signatures, functions and variables of a saved model",
        ("show model/",),
    ),
    "view": Command(
        "graphwright.portable.view_command",
        "draw the graphs of a saved model on a page",
        ("view model/", "view model/ --no-browser -o model.html"),
    ),
}


#: The exit code where nobody reads any more, as a shell gives it for a program that a signal ends.
READER_GONE = 128 + 13  # SIGPIPE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of the command line; its exit code."""
    try:
        try:
            return command_code(arguments)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # or the end of the process would do it, and report a failure
    except BrokenPipeError:
        gone = [stream for stream in (sys.stdout, sys.stderr) if is_unread(stream)]
        if not gone:  # it was another pipe, or a connection
            raise
        for stream in gone:  # what is still in their buffers goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return READER_GONE


def is_unread(stream: TextIO | None) -> bool:
    """Whether a stream leads to a pipe that nobody reads any more."""
    try:
        poll = select.poll()
        poll.register(stream.fileno(), 0)  # type: ignore[union-attr]  # None has no number either
        return bool(poll.poll(0))
    except (AttributeError, OSError, ValueError):  # no file, or a system without `poll`
        return False


def command_code(arguments: Sequence[str] | None) -> int:
    """The exit code of a command, which it runs."""
    words = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="graphwright", description=_DESCRIPTION, epilog=_NOTE)
    parser.add_argument("--version", action="version", version=graphwright.__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(
            name,
            help=command.summary,
            description=f"{command.summary[0].upper()}{command.summary[1:]}.",
            epilog=command.epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name in words:
            import_module(command.module).add_arguments(subparser)
    if not words:
        parser.print_help()
        return 2
    options = parser.parse_args(words)
    return int(import_module(COMMANDS[options.command].module).run(options))


if __name__ == "__main__":
    sys.exit(main())
