"""`graphwright view MODEL`: the graphs of a saved model, drawn on a page."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from html import escape
from typing import Any

from graphwright.base.errors import OpError
from graphwright.base.files import write_whole
from graphwright.function.concrete import ConcreteFunction
from graphwright.portable.model_objects import functions_of, members
from graphwright.portable.restored_functions import RestoredFunction
from graphwright.portable.saved_model import load
from graphwright.values.trackable import Trackable

_STYLE = """body{font:15px/1.5 system-ui,sans-serif;margin:2em;color:#222}
summary{cursor:pointer;font-family:ui-monospace,monospace;padding:.2em 0}
pre{overflow-x:auto}"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", help="the folder of a model")
    parser.add_argument("--tags", nargs="*", help="the tags of the graph, if there are several")
    parser.add_argument("-o", "--output", metavar="FILE.html", help="where the page is written")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page")


def run(options: argparse.Namespace) -> int:
    """Writes the page, says where it is, and opens it; 2 if the model cannot be loaded."""
    try:
        content = page(options.model, load(options.model, options.tags or None))
        path = options.output
        if path is None:
            path = os.path.join(tempfile.mkdtemp(prefix="graphwright-"), "model.html")
        write_whole(path, content.encode())
    except (OSError, OpError, ValueError, NotImplementedError) as error:
        print(f"{options.model}: {error}", file=sys.stderr)
        return 2
    print(path)
    if not options.no_browser:
        webbrowser.open(f"file://{os.path.abspath(path)}")
    return 0


def page(title: str, model: Any) -> str:
    """The page about a loaded model, as HTML that loads nothing."""
    sections = [
        f"<details><summary>{escape(name)}{escape(str(concrete.function_type))}</summary>"
        f"{concrete.graph.view()._repr_html_()}</details>"
        for name, concrete in graphs(model)
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}'
        f'</title><link rel="icon" href="data:,"><style>{_STYLE}</style></head><body>\n'
        f"<h1>{escape(title)}</h1>\n" + "\n".join(sections) + "\n</body></html>\n"
    )


def graphs(model: Any) -> Iterator[tuple[str, ConcreteFunction]]:
    """The signatures and the traces of a model, each with the way to it."""
    for name in model.signatures:
        yield f"signatures[{name!r}]", model.signatures[name]
    seen, pending = {id(model)}, [("", model)]
    for path, holder in pending:
        if isinstance(holder, Trackable):
            for name, function in functions_of(holder):
                if isinstance(function, RestoredFunction):
                    for concrete in function.concrete_functions:
                        yield f"{path}{name}", concrete
                elif isinstance(function, ConcreteFunction):
                    yield f"{path}{name}", function
        for name, child in members(holder).items():
            if name != "signatures" and id(child) not in seen:
                seen.add(id(child))
                pending.append((f"{path}{name}.", child))
