"""Have TensorFlow run the graphs of AutoGraph's corpus, exported here, and compare the results.

Usage, in an environment with tensorflow 2.21, hypothesis, pytest and graphwright's dependencies:
    PYTHONPATH=src python tools/run_exported.py [--random NUMBER]

Every program of tests/autograph/corpus.py, every nesting of its constructs, and random programs
are traced, written as a GraphDef and run in a session from the bytes alone. The exit status is 1
when a result differs or TensorFlow cannot read a graph.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import recording

tf = recording.tensorflow()

from autograph import corpus, test_corpus, test_random_programs
from autograph.programs import load, many

import graphwright

Run = tuple[str, Callable[..., Any], list[Any]]


def written() -> Iterator[Run]:
    """The programs of the corpus, by name, with each of their arguments."""
    for program in test_corpus.STAGED:
        for arguments in program.arguments:
            yield program.name, program.function, list(map(graphwright.constant, arguments))


def nested() -> Iterator[Run]:
    """Each construct in each construct in each construct."""
    for name, text in test_corpus.NESTINGS.items():
        function = load(text, helper=corpus.positive)
        for values in [(0, 1, 0), (3, 2, 0), (-1, -1, 0)]:
            yield name, function, list(map(graphwright.constant, values))


def drawn(number: int) -> Iterator[Run]:
    """Random programs: branches, loops, state, lists that grow."""
    scope = {
        "helper": test_random_programs.helper,
        "give": test_random_programs.give,
        "context": contextlib.nullcontext,
        "tensor": lambda items: graphwright.constant(items, graphwright.int32),
    }
    for source, values in many(0, number, tensors=True):
        yield source, load(source, **scope), list(map(graphwright.constant, (*values, 0)))


def run(graph: Any, arguments: list[Any]) -> list[Any]:
    """What TensorFlow computes from the bytes of an exported graph."""
    message = graph.as_graph_def().SerializeToString()
    with tf.Graph().as_default() as read:
        tf.import_graph_def(tf.compat.v1.GraphDef.FromString(message), name="")
        element = read.as_graph_element
        feeds = {element(v.name): t.numpy() for v, t in zip(graph.arguments, arguments)}
        with tf.compat.v1.Session(graph=read) as session:
            return session.run([element(v.name) for v in graph.results], feeds)


def differences(runs: Iterator[Run]) -> int:
    """How many of the runs TensorFlow does not agree about; each is printed."""
    wrong = 0
    for name, function, arguments in runs:
        concrete = graphwright.function(function).get_concrete_function(*arguments)
        leaves = graphwright.nest.flatten(concrete(*arguments))
        ours = [leaf.numpy() for leaf in leaves if graphwright.is_tensor(leaf)]
        try:
            theirs = run(concrete.graph, arguments)
        except tf.errors.OpError as error:
            wrong += 1
            print(f"{name}\n  TensorFlow refuses: {error.message[:500]}")
            continue
        if len(ours) != len(theirs) or not all(map(np.array_equal, ours, theirs)):
            wrong += 1
            print(f"{name}\n  {arguments}: {ours} here, {theirs} in TensorFlow")
    return wrong


def main() -> int:
    """Run all and say how many agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, default=200, help="how many random programs")
    number = parser.parse_args().random
    total = 0
    for kind, runs in {"corpus": written(), "nestings": nested(), "random": drawn(number)}.items():
        listed = list(runs)
        wrong = differences(iter(listed))
        total += wrong
        print(f"{kind}: {len(listed)} runs, {wrong} that TensorFlow does not agree about")
    return 1 if total else 0


if __name__ == "__main__":
    raise SystemExit(main())
