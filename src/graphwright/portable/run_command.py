"""`graphwright run`: a signature of a saved model on arrays of files, or a program.

graphwright run MODEL --inputs x.npz [--signature NAME] [--output y.npz] [--tags ...]
graphwright run PROGRAM [ARGS]
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from typing import Any

import numpy as np

from graphwright.base.errors import OpError
from graphwright.base.files import write_whole
from graphwright.function.concrete import ConcreteFunction
from graphwright.library.presence import running
from graphwright.portable.saved_model import contains_saved_model, load
from graphwright.portable.saved_model_names import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from graphwright.types.specs import TensorSpec
from graphwright.values.convert import constant


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command; those of models stand behind the folder."""
    parser.add_argument("program", help="the folder of a saved model, or the program to run")
    parser.add_argument(
        "arguments",
        nargs=argparse.REMAINDER,
        help="of a model: --inputs FILE.npz, --signature NAME, --output FILE.npz, --tags TAG ...; "
        "of a program: its arguments",
    )


def run(options: argparse.Namespace) -> int:
    """Runs a model, where the argument is the folder of one, or a program."""
    if not os.path.isdir(options.program):
        return running.run(options)
    parser = argparse.ArgumentParser(prog=f"graphwright run {options.program}")
    parser.add_argument("--inputs", metavar="FILE.npz", help="the arguments by name")
    parser.add_argument("--signature", default=DEFAULT_SERVING_SIGNATURE_DEF_KEY, metavar="NAME")
    parser.add_argument("--output", metavar="FILE.npz", help="where the results are written")
    parser.add_argument("--tags", nargs="*", help="the tags of the graph, if there are several")
    chosen = parser.parse_args(options.arguments)
    try:
        if not contains_saved_model(options.program):
            raise FileNotFoundError(f"there is no saved model in {options.program}")
        results = results_of(options.program, chosen)
    except (OSError, OpError, ValueError, TypeError, KeyError, NotImplementedError) as error:
        print(f"graphwright run: {error}", file=sys.stderr)
        return 2
    for name, array in results.items():
        print(f"{name}: {array.dtype}{list(array.shape)}\n{array}")
    return 0


def results_of(folder: str, chosen: argparse.Namespace) -> dict[str, Any]:
    """The results of a signature by name, as arrays, which are written if that is asked for."""
    model = load(folder, chosen.tags or None)
    if chosen.signature not in model.signatures:
        names = ", ".join(model.signatures) or "none"
        raise KeyError(f"the model has no signature {chosen.signature!r}: it has {names}")
    function: ConcreteFunction = model.signatures[chosen.signature]
    _, specs = function.structured_input_signature
    given = arrays_of(chosen.inputs) if chosen.inputs else {}
    check(specs, given)
    tensors = {name: constant(given[name], specs[name].dtype) for name in specs}
    results = {name: tensor.numpy() for name, tensor in function(**tensors).items()}
    if chosen.output:
        content = io.BytesIO()
        np.savez(content, **plain(results))
        write_whole(chosen.output, content.getvalue())
    return results


def arrays_of(path: str) -> dict[str, Any]:
    """The arrays of a file. Nothing in it is unpickled, so texts are of NumPy's own kinds."""
    with np.load(path, allow_pickle=False) as content:
        if not isinstance(content, np.lib.npyio.NpzFile):
            raise ValueError(f"{path} is no .npz file: `numpy.savez(path, x=...)` writes one")
        return {name: content[name] for name in content.files}


def check(specs: dict[str, TensorSpec], given: dict[str, Any]) -> None:
    """Refuses arrays of other names than those of the arguments, or of other shapes."""
    expected = ", ".join([f"{name}: {spec.type!r}" for name, spec in specs.items()])
    if given.keys() != specs.keys():
        names = ", ".join(given) or "nothing"
        raise ValueError(f"the signature takes ({expected}), and --inputs has {names}")
    for name, spec in specs.items():
        if not spec.shape.is_compatible_with(given[name].shape):
            shape = list(given[name].shape)
            raise ValueError(f"{name} has the shape {shape}: the signature takes ({expected})")


def plain(results: dict[str, Any]) -> dict[str, Any]:
    """Arrays that a file can have without pickling: texts as NumPy's bytes."""
    return {
        name: array.astype(np.bytes_) if array.dtype == object else array
        for name, array in results.items()
    }
