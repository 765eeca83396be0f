"""Random programs over tensors of all dtypes, called with several sizes: machine code, kernels and
the eager interpreter give the same, and refuse the same."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from corpora import random_tensors
from corpora.random_tensors import REFUSED, Program

import graphwright as tf
from graphwright.base.errors import InternalError
from graphwright.compile.run.checking import compare
from graphwright.compile.run.options import OPTIONS


@pytest.fixture(autouse=True)
def _options(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(OPTIONS, "native", "check")
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def is_smooth(x: Any) -> bool:
    return x.dtype.is_floating or x.dtype.is_complex


def forward(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def gradient(function: Callable[..., Any], times: int = 1) -> Callable[..., Any]:
    """What the function gives, and derivatives of the sum of all of it."""

    def run(*arguments: Any) -> Any:
        moving = [x for x in arguments if is_smooth(x)]
        with tf.GradientTape() as tape:
            tape.watch(moving)
            results = (function if times == 1 else gradient(function, times - 1))(*arguments)
            level = sum([tf.reduce_sum(tf.cast(tf.math.real(y), tf.float64))
                         for y in tf.nest.flatten(results) if is_smooth(y)],
                        tf.zeros([], tf.float64))  # fmt: skip
        return results, tape.gradient(level, moving, unconnected_gradients="zero")

    return run


def tangent(function: Callable[..., Any]) -> Callable[..., Any]:
    """What the function gives, and its derivative along ones."""

    def run(*arguments: Any) -> Any:
        moving = [x for x in arguments if is_smooth(x)]
        with tf.autodiff.ForwardAccumulator(moving, [tf.ones_like(x) for x in moving]) as forward:
            results = function(*arguments)
        return results, [forward.jvp(y, "zero") for y in results if is_smooth(y)]

    return run


MODES: dict[str, Callable[..., Any]] = {
    "forward": forward,
    "gradient": gradient,
    "second": lambda function: gradient(function, 2),
    "tangent": tangent,
}
SPECS: dict[str, Callable[[Any], Any]] = {
    "exact": lambda v: tf.TensorSpec(v.shape, tf.as_dtype(v.dtype)),
    "sizes": lambda v: tf.TensorSpec([None] * v.ndim, tf.as_dtype(v.dtype)),
    "ranks": lambda v: tf.TensorSpec(None, tf.as_dtype(v.dtype)),
}


def outcome(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Arrays, or the error: its class is what has to be the same."""
    try:
        results = function(*map(tf.constant, arguments))
    except InternalError:
        raise
    except REFUSED as error:
        return error
    return [np.asarray(y.numpy()) for y in map(tf.convert_to_tensor, tf.nest.flatten(results))]


def is_error(found: Any) -> bool:
    return isinstance(found, Exception)


def is_tame(found: Any) -> bool:
    """Whether numbers are small enough that a difference would say something."""
    return is_error(found) or all(
        np.all(np.abs(y.astype(np.complex128)) < 1e4)
        for y in found if y.dtype.kind not in "OS" and y.size
    )  # fmt: skip


def check(program: Program, mode: str, spec: str, threads: int = 1) -> None:
    """Eagerly, and traced once for all the calls, in the mode that the options say."""
    eager, _ = program.function()
    traced, _ = program.function()
    calls = program.calls if spec != "exact" else program.calls[:1]
    expected = [outcome(MODES[mode](eager), call) for call in calls]
    function = tf.function(MODES[mode](traced), autograph=False)
    signature = [SPECS[spec](v) for v in calls[0]]
    if mode != "forward" and not all(map(is_tame, expected)):
        return
    try:
        concrete = function.get_concrete_function(*signature)
    except InternalError:
        raise
    except REFUSED:
        assert any(map(is_error, expected)) or spec == "ranks", "only its trace is refused"
        return
    for call, wanted in zip(calls, expected):
        result = [wanted]
        if threads == 1 or "kept(" in program.source:
            result = [outcome(concrete, call)]
        else:
            result = together(lambda call=call: outcome(concrete, call), threads)
        for each in result:
            agree(wanted, each)


def together(function: Callable[[], Any], count: int) -> list[Any]:
    """What each of several threads gets."""
    with ThreadPoolExecutor(count) as pool:
        return [each.result() for each in [pool.submit(function) for _ in range(count)]]


def agree(wanted: Any, found: Any) -> None:
    if is_error(wanted) or is_error(found):
        alone = "eager" if is_error(wanted) else "traced"
        reason = wanted if is_error(wanted) else found
        if not (is_error(wanted) and is_error(found)):
            pytest.fail(f"only the {alone} one fails: {reason}")
        return
    assert len(wanted) == len(found)
    for i, (one, other) in enumerate(zip(wanted, found)):
        difference = compare(other, one)
        assert not difference, f"result {i}, traced and eager: {difference}"


def run(seed: int) -> None:
    """Checks the program of a number; what is tried with it follows from the number too."""
    r = random.Random(f"mode {seed}")
    mode = r.choice(["forward"] * 4 + ["gradient", "gradient", "second", "tangent"])
    spec = r.choice(["exact", "sizes", "sizes", "ranks"])
    OPTIONS["native"] = "off" if r.random() < 0.1 else "check"
    threads = 4 if r.random() < 0.05 else 1
    program = random_tensors.program(seed, 10 if mode == "forward" else 5)
    try:
        check(program, mode, spec, threads)
    except BaseException:
        print(f"program {seed}, {mode}, {spec}, {OPTIONS['native']}:\n{program.source}")
        raise


@pytest.mark.parametrize("part", range(5))
def test_tensor_programs(part: int) -> None:
    for seed in range(10 * part, 10 * part + 10):
        run(seed)


@pytest.mark.slow
def test_many_tensor_programs(shared_code: None) -> None:
    for seed in range(5_000):
        run(seed)
