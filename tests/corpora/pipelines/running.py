"""Pipelines are run: eagerly, built and looped over in a function, or with parallel stages."""

from __future__ import annotations

import ast
import collections
import functools
import gzip
import itertools
import json
import linecache
import math
import re
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from corpora.pipelines.descriptions import MOST_ELEMENTS, described, refusal

Point = collections.namedtuple("Point", ["x", "y"])

_NUMBERS = itertools.count()

#: Stages that take `num_parallel_calls`.
PARALLEL = ("map", "interleave", "batch")

FILES = {
    "a.txt": b"one\ntwo\r\n\nfour",
    "b.txt": b"five\nsix\n",
    "empty.txt": b"",
    "c.txt.gz": gzip.compress(b"seven\neight\n", mtime=0),
    "bytes": bytes(range(97, 106)),
    "t.csv": b"n,x,s\n1,2.5,a\n2,,b\n3,4.5,\n",
}


def scope(tf: Any, folder: str) -> dict[str, Any]:
    """The names that pipelines use: `D` is tf.data.Dataset, `c` constant, `rc` ragged.constant."""
    return {
        "__name__": __name__,  # AutoGraph asks for the module of lambdas
        "tf": tf,
        "np": np,
        "D": tf.data.Dataset,
        "c": tf.constant,
        "rc": tf.ragged.constant,
        "sparse": tf.SparseTensor([[0, 1], [2, 0], [2, 3]], [5, 6, 7], [3, 4]),
        "Point": Point,
        "collections": collections,
        "functools": functools,
        "folder": folder,
    }


def value_of(source: str, tf: Any, folder: str) -> Any:
    """The value of a program's last line."""
    tree = ast.parse(source)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    names = scope(tf, folder)
    name = readable(source)
    exec(compile(tree, name, "exec", dont_inherit=True), names)
    return eval(compile(ast.Expression(last.value), name, "eval", dont_inherit=True), names)


def function_of(source: str, tf: Any, folder: str) -> Any:
    """A function that returns the value of a program's last line."""
    tree = ast.parse(source)
    last = tree.body[-1]
    assert isinstance(last, ast.Expr)
    tree.body[-1] = ast.Return(last.value)
    text = "def pipeline():\n" + textwrap.indent(ast.unparse(tree), "    ")
    names = scope(tf, folder)
    exec(compile(text, readable(text), "exec", dont_inherit=True), names)
    return names["pipeline"]


def readable(source: str) -> str:
    """The name of a file that AutoGraph finds the text in."""
    name = f"<pipeline {next(_NUMBERS)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    return name


@contextmanager
def folder_for(source: str) -> Iterator[str]:
    """A folder with the files that pipelines read, where this one names it."""
    if "folder" not in source:
        yield "no folder"
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, data in FILES.items():
            (Path(folder) / name).write_bytes(data)
        yield folder


def eager(source: str, tf: Any) -> Any:
    """What a pipeline gives eagerly: a description of its value, or an error."""
    with folder_for(source) as folder:
        tf.random.set_seed(1)
        try:
            outcome = described(value_of(source, tf, folder), tf)
        except Exception as error:  # noqa: BLE001 - any error is an outcome
            outcome = refusal(error)
        return json.loads(json.dumps(outcome).replace(folder, "FOLDER"))


def parallel(source: str, tf: Any) -> Any:
    """What it gives where every stage that may run in parallel does."""
    return eager(in_parallel(source), tf)


def in_parallel(source: str) -> str:
    """The program with two parallel calls in each stage that names no number."""

    class Stages(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.Call:
            self.generic_visit(node)
            if isinstance(node.func, ast.Attribute) and node.func.attr in PARALLEL:
                names = {keyword.arg for keyword in node.keywords}
                if "num_parallel_calls" not in names and len(node.args) <= 2:
                    more = ast.parse("f(num_parallel_calls=2, deterministic=True)", mode="eval")
                    assert isinstance(more.body, ast.Call)
                    extra = more.body.keywords
                    node.keywords += [k for k in extra if k.arg not in names]
            return node

    return ast.unparse(ast.fix_missing_locations(Stages().visit(ast.parse(source))))


def traced(source: str, tf: Any) -> Any:
    """The elements of a pipeline that a function builds and loops over, or the error."""
    dtypes: list[Any] = []
    specs: list[Any] = []
    with folder_for(source) as folder:
        pipeline = function_of(source, tf, folder)

        @tf.autograph.experimental.do_not_convert
        def packed(element: Any) -> Any:
            """The parts of an element as texts, with one before them that stands for none."""
            leaves = tf.nest.flatten(element, expand_composites=True)
            dtypes[:] = [leaf.dtype for leaf in leaves]
            return tf.stack([tf.constant("element"), *map(tf.io.serialize_tensor, leaves)])

        @tf.function
        def collect() -> Any:
            rows = tf.TensorArray(tf.string, 0, dynamic_size=True, infer_shape=False)
            count = 0
            dataset = pipeline()
            specs.append(dataset.element_spec)
            for element in dataset:
                rows = rows.write(count, packed(element))
                count += 1
                if count == MOST_ELEMENTS:
                    break
            return rows.concat() if count > 0 else tf.zeros([0], tf.string)

        tf.random.set_seed(1)
        try:
            texts = collect().numpy().tolist()
            width = len(dtypes) + 1
            rows = [texts[i + 1 : i + width] for i in range(0, len(texts), width)]
            outcome: Any = [unpacked(row, dtypes, specs[0], tf) for row in rows]
        except Exception as error:  # noqa: BLE001 - any error is an outcome
            outcome = refusal(error)
        return json.loads(json.dumps(outcome).replace(folder, "FOLDER"))


def unpacked(row: list[bytes], dtypes: list[Any], spec: Any, tf: Any) -> Any:
    """The description of an element from the texts of its parts."""
    leaves = [tf.io.parse_tensor(part, dtype) for part, dtype in zip(row, dtypes)]
    return described(tf.nest.pack_sequence_as(spec, leaves, expand_composites=True), tf)


def elements_of(outcome: Any) -> Any:
    """What a loop sees of an eager outcome: all elements, or the first error."""
    if isinstance(outcome, dict) and "elements" in outcome:
        for element in outcome["elements"]:
            if isinstance(element, dict) and "error" in element:
                return element
        return outcome["elements"]
    return outcome


def in_functions(outcome: Any) -> bool:
    """Whether an eager outcome is that of a dataset whose elements a function can return."""
    if not isinstance(outcome, dict) or "spec" not in outcome:
        return False
    return not any(word in outcome["spec"] for word in ("DatasetSpec", "NoneTensorSpec"))


def has_parallel_stages(source: str) -> bool:
    """Whether a program has stages that can be made parallel, and no state that orders them."""
    if re.search(r"tf\.random\.(?!stateless|set_seed)|assign_add", source):
        return False
    return in_parallel(source) != ast.unparse(ast.parse(source))


def alike(outcome: Any, expected: Any) -> bool:
    """Whether two descriptions agree; errors by their classes alone."""
    if isinstance(expected, dict) and isinstance(outcome, dict):
        if outcome.keys() != expected.keys():
            return False
        same = outcome.get("error") == expected.get("error")
        return same and all(alike(outcome[k], v) for k, v in expected.items() if k != "message")
    if isinstance(expected, list) and isinstance(outcome, list):
        return len(outcome) == len(expected) and all(map(alike, outcome, expected))
    if isinstance(expected, float) and isinstance(outcome, float):
        return math.isclose(outcome, expected, rel_tol=1e-5, abs_tol=1e-7) or (
            math.isnan(outcome) and math.isnan(expected)
        )
    return bool(outcome == expected) and type(outcome) is type(expected)
