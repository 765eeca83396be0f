"""The node tests that the package `onnx` brings, by the modules that we make of their models."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx.backend.test.loader import load_model_tests

import graphwright as tf

#: Tests that come out otherwise, and why.
OTHERWISE = [
    ("bernoulli", "random numbers"),
    ("bf16|fp16|bfloat16", "halves are rounded at other places, and the tolerance is of float32"),
]
#: How many pass at least, of those of onnx 1.23.
LEAST = 1740


def array_of(value: Any) -> Any:
    """A value of a test as an array."""
    is_message = isinstance(value, onnx.TensorProto)
    return onnx.numpy_helper.to_array(value) if is_message else np.asarray(value)


def loaded(test: Any, file: Path) -> tuple[Any, list[str]]:
    """The module of a test's model, and the inputs that are open: axes and sizes are fixed where
    they must be."""
    file.write_bytes(test.model.SerializeToString())
    names = [value.name for value in test.model.graph.input]
    try:
        return tf.onnx.load(file), names
    except tf.errors.NotFoundError as error:
        if "must be known" not in str(error):
            raise
        given = dict(zip(names, map(array_of, test.data_sets[0][0])))
        fixed = {
            name: value for name, value in given.items()
            if value.dtype.kind in "ib" or name in ("roi", "scales")
        }  # fmt: skip
        open_ = [name for name in names if name not in fixed]
        return tf.onnx.load(file, constants=fixed), open_


def wrong(test: Any, file: Path) -> Iterator[str]:
    """Where a test's results differ."""
    names = [value.name for value in test.model.graph.input]
    model, open_ = loaded(test, file)
    for inputs, outputs in test.data_sets:
        given = dict(zip(names, map(array_of, inputs)))
        made = model(*[tf.constant(given[name]) for name in open_])
        results = list(made.values()) if isinstance(made, dict) else [made]
        for result, wanted in zip(results, map(array_of, outputs)):
            yield from unlike(result.numpy(), wanted, test.rtol, max(test.atol, 1e-7))


def unlike(value: Any, wanted: Any, rtol: float, atol: float) -> Iterator[str]:
    """How a result differs from what is wanted."""
    if wanted.dtype.kind in "OSU":
        words = [[w.decode() if isinstance(w, bytes) else w for w in np.ravel(a)]
                 for a in (value, wanted)]  # fmt: skip
        if words[0] != words[1]:
            yield f"{words[0]}, not {words[1]}"
    elif value.dtype != wanted.dtype or value.shape != wanted.shape:
        yield f"{value.dtype}{value.shape}, not {wanted.dtype}{wanted.shape}"
    else:
        a, b = [x if x.dtype.kind == "c" else x.astype(np.float64) for x in (value, wanted)]
        if not np.allclose(a, b, rtol, atol, equal_nan=True):
            yield f"{value}, not {wanted}"


def run(tests: list[Any], file: Path) -> Counter[str]:
    """How many tests pass, differ or are refused; an assertion that none differs."""
    counts: Counter[str] = Counter()
    found = []
    for test in tests:
        try:
            lines = list(wrong(test, file))
        except (tf.errors.NotFoundError, tf.errors.InvalidArgumentError):
            counts["refused"] += 1
            continue
        if lines and not any(re.search(pattern, test.name) for pattern, _ in OTHERWISE):
            found.append(f"{test.name}: {lines[0][:300]}")
        counts["differs" if lines else "passes"] += 1
    assert not found, "\n".join(found)
    return counts


def node_tests() -> list[Any]:
    """All tests of one node, which `onnx` makes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests: list[Any] = load_model_tests(kind="node")
    return tests


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_node_tests_pass(tmp_path: Path) -> None:
    counts = run(node_tests(), tmp_path / "model.onnx")
    assert counts["passes"] >= LEAST, counts
