"""Have TensorFlow run graphs that were traced and exported here, and compare the results.

Usage, where tensorflow 2.21, graphwright's dependencies, hypothesis, pytest and pillow are:
    PYTHONPATH=src python tools/run_exported.py [--random NUMBER] [--cases NUMBER]

Traced, written as a GraphDef and run in a session from the bytes alone are: the programs of
tests/corpora/autograph.py and every nesting of its constructs, random programs, and golden cases
of every function, with all shapes known or none. The exit status is 1 when a result differs
or TensorFlow cannot read a graph.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import recording

tf = recording.tensorflow()

from corpora import autograph as corpus
from corpora.random_functions import give, helper, load, many
from support import goldens

import graphwright as gw
from tools import golden_format as gf

#: Golden cases that no file of a graph can hold, or that hold what TensorFlow makes otherwise.
APART = {
    "ensure_shape": "TensorFlow's op takes no unknown rank for the shape when it reads a graph",
    "image.draw_bounding_boxes": "TensorFlow's op wants colours for the image's channels",
    "io.decode_and_crop_jpeg": "decoders differ at the edges",
    "linalg.expm": "MatrixExponential is no op of TensorFlow's any more",
    "signal.linear_to_mel_weight_matrix": "an element is cut off where rounding decides",
    "nn.ctc_loss": "TensorFlow's op takes sparse labels",
    "random.experimental.index_shuffle": "TensorFlow's op wants a seed of known size",
    "tools.golden.state.in_python": "a function of this process",
    "tools.golden.state.shared": "its variable is not in the graph",
}


class Run(NamedTuple):
    """A traced function on arguments, and how two lists of results are compared."""

    name: str
    trace: Callable[[], Any]
    arguments: list[Any]
    differences: Callable[[list[Any], list[Any]], Iterator[str]]


def exactly(ours: list[Any], theirs: list[Any]) -> Iterator[str]:
    """What differs at all."""
    if not all(map(np.array_equal, ours, theirs)):
        yield f"{ours} here, {theirs} in TensorFlow"


def program(name: str, function: Callable[..., Any], values: Any) -> Run:
    """A program on integers."""
    arguments = list(map(gw.constant, values))
    trace = lambda: gw.function(function).get_concrete_function(*arguments)  # noqa: E731
    return Run(name, trace, arguments, exactly)


def written() -> Iterator[Run]:
    """The programs of the corpus with each of their arguments."""
    for each in corpus.STAGED:
        for values in each.arguments:
            yield program(each.name, each.function, values)


def nested() -> Iterator[Run]:
    """Each construct in each construct in each construct."""
    for name, text in corpus.NESTINGS.items():
        function = load(text, helper=corpus.positive)
        for values in [(0, 1, 0), (3, 2, 0), (-1, -1, 0)]:
            yield program(name, function, values)


def drawn(number: int) -> Iterator[Run]:
    """Random programs: branches, loops, state, lists that grow."""
    scope = {
        "helper": helper,
        "give": give,
        "context": contextlib.nullcontext,
        "tensor": lambda items: gw.constant(items, gw.int32),
    }
    for source, values in many(0, number, tensors=True):
        yield program(source, load(source, **scope), (*values, 0))


def golden(number: int) -> Iterator[Run]:
    """So many golden cases of each function, by turns with all shapes and without any."""
    for area, function in goldens.functions():
        module, store, groups = goldens.area_of(area)
        sound = [c for c in groups[function] if "error" not in store.index[gf.digest(c)]]
        for position, case in enumerate(sound[:number]):
            if function not in APART and not goldens.departs(module, case):
                yield of_case(module, case, ("none", "full")[position % 2])


def of_case(module: Any, case: gf.Case, level: str) -> Run:
    """A golden case."""
    arrays, _ = gf.split(case)
    specs = [gw.TensorSpec(gf.shape_at(a.shape, level), gf.as_dtype(gw, a)) for a in arrays]

    def body(*tensors: Any) -> Any:
        return [leaf for leaf in gf.call(gw, case, tensors) if gw.is_tensor(leaf)]

    def differences(ours: list[Any], theirs: list[Any]) -> Iterator[str]:
        return goldens.unequal(level, ours, theirs, goldens.tolerance_of(module, case[0]))

    function = gw.function(body, input_signature=specs, autograph=False)
    return Run(
        gf.describe(case), function.get_concrete_function, gf.constants(gw, case), differences
    )


def run(graph: Any, arguments: list[Any]) -> list[Any]:
    """What TensorFlow computes from the bytes of an exported graph."""
    message = graph.as_graph_def().SerializeToString()
    with tf.Graph().as_default() as read:
        tf.import_graph_def(tf.compat.v1.GraphDef.FromString(message), name="")
        element = read.as_graph_element
        feeds = {element(v.name): t.numpy() for v, t in zip(graph.arguments, arguments)}
        with tf.compat.v1.Session(graph=read) as session:
            values = session.run([element(v.name) for v in graph.results], feeds)
    return [np.asarray(v, object if isinstance(v, bytes) else None) for v in values]


def wrong(each: Run) -> Iterator[str]:
    """Why a run is not right in TensorFlow."""
    try:
        concrete = each.trace()
        leaves = gw.nest.flatten(concrete(*each.arguments))
    except goldens.REFUSALS:
        return  # cannot be traced without shapes, as the golden tests know
    ours = [gf.as_array(leaf) for leaf in leaves if gw.is_tensor(leaf)]
    if not ours or concrete.graph.captures:
        return
    try:
        theirs = run(concrete.graph, each.arguments)
    except (TypeError, ValueError, tf.errors.OpError) as error:
        yield f"{type(error).__name__}: {str(error)[:500]}"
        return
    if len(ours) != len(theirs):
        yield f"{len(ours)} results here, {len(theirs)} in TensorFlow"
    yield from each.differences(ours, theirs)


def main() -> int:
    """Run all and say how many agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, default=200, help="how many random programs")
    parser.add_argument("--cases", type=int, default=2, help="how many cases of a function")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    failed = 0
    for kind, runs in {
        "corpus": written(),
        "nestings": nested(),
        "random": drawn(given.random),
        "golden": golden(given.cases),
    }.items():
        total = different = 0
        for each in runs:
            total += 1
            result = list(wrong(each))
            if result:
                different += 1
                print(each.name, *result, sep="\n  ")
        failed += different
        print(f"{kind}: {total} runs, {different} that TensorFlow does not agree about")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
