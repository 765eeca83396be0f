"""`graphwright compile MODEL -o model.so`: a function of a saved model as a shared library."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from graphwright.base.errors import OpError
from graphwright.machine.linker_program import LinkerFailure
from graphwright.portable.native_library.library import OneTrace, compile_library
from graphwright.portable.native_library.library_targets import TRIPLES
from graphwright.portable.saved_model import load
from graphwright.portable.saved_model_names import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from graphwright.portable.show_command import size_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", help="the folder of a model")
    parser.add_argument("-o", "--output", required=True, help="the library, as model.so")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--signature",
        default=DEFAULT_SERVING_SIGNATURE_DEF_KEY,
        help="the signature to compile, by default %(default)s",
    )
    which.add_argument("--function", help="a function of the model instead, as `encoder.call`")
    parser.add_argument("--tags", nargs="*", help="the tags of the graph, if there are several")
    parser.add_argument(
        "--weights", choices=["inside", "beside"], default="inside", help="where the weights are"
    )
    parser.add_argument("--target", choices=list(TRIPLES), help="by default this machine")
    parser.add_argument("--processor", help="the least processor, as x86-64-v3")


def run(options: argparse.Namespace) -> int:
    """Writes the library; 2 if it cannot be written."""
    try:
        root = load(options.model, options.tags)
        function = chosen_function(root, options)
        compile_library(
            function, options.output, options.weights, options.target, options.processor
        )
    except (
        OSError, OpError, ValueError, NotImplementedError, ImportError, LinkerFailure
    ) as error:  # fmt: skip
        print(f"{options.model}: {error}", file=sys.stderr)
        return 2
    output = Path(options.output)
    for path in (output, *[output.with_suffix(end) for end in (".h", ".mjs", ".weights")]):
        if path.exists():
            print(f"{path}  {size_text(path.stat().st_size)}")
    return 0


def chosen_function(root: object, options: argparse.Namespace) -> OneTrace:
    """The signature or the function of a model that is wanted; ValueError where it has none."""
    if options.function is None:
        signatures = getattr(root, "signatures", {})
        if options.signature not in signatures:
            raise ValueError(
                f"it has no signature {options.signature!r}, but {', '.join(signatures) or 'none'}"
            )
        signature: OneTrace = signatures[options.signature]
        return signature
    function = root
    for name in options.function.split("."):
        function = getattr(function, name, None)
    if not isinstance(function, OneTrace):
        raise ValueError(f"it has no function {options.function!r}")
    return function
