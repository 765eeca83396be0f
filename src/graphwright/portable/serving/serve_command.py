"""`graphwright serve MODEL`: a saved model behind the REST calls of TensorFlow Serving."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys

from graphwright.base.errors import OpError
from graphwright.portable.serving.rest_api import RestApi, serving_package
from graphwright.portable.serving.served_model import ServedModel


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "model", help="the folder of a model, or one whose folders are its versions by number"
    )
    parser.add_argument("--name", help="what requests call the model (default: its folder)")
    parser.add_argument("--port", type=int, default=8501, help="0 takes any free one")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 is open to other machines")
    parser.add_argument("--all-versions", action="store_true", help="not the newest alone")
    parser.add_argument(
        "--label", action="append", default=[], metavar="NAME=VERSION", help="a name of a version"
    )
    parser.add_argument(
        "--batch", type=int, default=0, metavar="ROWS",
        help="compute rows of requests that wait together, at most so many at once",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Serves a model until Ctrl-C; 2 if it cannot be loaded."""
    folder = os.path.abspath(options.model)
    name = options.name or os.path.basename(folder)
    try:
        uvicorn = serving_package("uvicorn")
        labels = dict(label_of(text) for text in options.label)
        model = ServedModel(name, folder, labels, options.all_versions)
        application = RestApi({name: model}, options.batch).application()
    except (OSError, OpError, ValueError, NotImplementedError, ModuleNotFoundError) as error:
        print(f"{options.model}: {error}", file=sys.stderr)
        return 2
    config = uvicorn.Config(
        application, host=options.host, port=options.port, log_level="warning", access_log=False
    )
    try:
        socket = config.bind_socket()
    except SystemExit:  # it has said why
        return 2
    socket.listen()  # whoever reads the line below may ask at once
    port = socket.getsockname()[1]
    numbers = ", ".join(map(str, model.versions))
    print(f"{name}, version {numbers}: http://{options.host}:{port}/v1/models/{name}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):  # which comes after the server has ended
        uvicorn.Server(config).run(sockets=[socket])
    return 0


def label_of(text: str) -> tuple[str, int]:
    """A label and its version."""
    name, _, version = text.partition("=")
    if not name or not version.isdecimal():
        raise ValueError(f"a label is NAME=VERSION, such as stable=3, not {text!r}")
    return name, int(version)
