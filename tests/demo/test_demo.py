"""The demo, small: it learns, it traces as often as it says, its gradients are right."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

import graphwright as tf
from graphwright.__main__ import main
from graphwright.demo import program
from graphwright.demo.network import Network


@pytest.fixture(scope="module")
def result() -> program.Result:
    return program.run(program.Settings(epochs=3, hidden=32), Console(file=io.StringIO()))


def test_it_learns(result: program.Result) -> None:
    assert result.accuracy_before < 0.3
    assert result.accuracy > 0.8
    assert result.last_loss < result.first_loss / 2


def test_as_it_stands_it_reads_95_of_100_digits() -> None:
    assert program.run(program.Settings(), Console(file=io.StringIO())).accuracy >= 0.95


def test_it_traces_once_for_each_size_of_a_batch(result: program.Result) -> None:
    assert result.steps == 3 * 23
    assert result.tracing_count == len(result.traced) == 2
    assert list(program.why(result.traced)) == [
        "the first call",
        "images was float32 (64, 64), is float32 (30, 64);"
        " one_hot was float32 (64, 10), is float32 (30, 10)",
    ]


def test_the_report_holds_the_figures(result: program.Result) -> None:
    text = io.StringIO()
    program.report(result, Console(file=text, soft_wrap=True))
    assert f"{result.accuracy:.1%}" in text.getvalue()
    assert "traced 2 times in 69 calls" in text.getvalue()


def test_timing_leaves_functions_traced(result: program.Result) -> None:
    assert not tf.config.functions_run_eagerly()


def loss(parameters: list[np.ndarray], images: np.ndarray, one_hot: np.ndarray) -> float:
    """The network's loss in float64."""
    inner, inner_bias, outer, outer_bias = parameters
    scores = np.maximum(images @ inner + inner_bias, 0.0) @ outer + outer_bias
    logarithms = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return float(-(one_hot * logarithms).sum(axis=1).mean())


def test_a_step_goes_down_the_numeric_gradient() -> None:
    random = np.random.RandomState(3)
    network = Network(hidden=5, rate=1.0, seed=3)
    before = [variable.numpy().astype(np.float64) for variable in network.variables]
    images, one_hot = random.rand(7, 64), np.eye(10)[random.randint(0, 10, 7)]

    told = network.train_step(tf.constant(images, tf.float32), tf.constant(one_hot, tf.float32))
    assert float(told) == pytest.approx(loss(before, images, one_hot), rel=1e-5)
    for which, variable in enumerate(network.variables):
        moved = before[which] - variable.numpy()
        for place in map(tuple, random.permutation(list(np.ndindex(moved.shape)))[:20]):
            ends = []
            for shift in (1e-6, -1e-6):
                shifted = [value.copy() for value in before]
                shifted[which][place] += shift
                ends.append(loss(shifted, images, one_hot))
            assert moved[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-5)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--epochs", "1", "--hidden", "4"]) == 0
    out = capsys.readouterr().out
    assert "1438 to learn from, 359 held out" in out
    assert out.isascii()  # any terminal can show it
    assert "\x1b" not in out  # no terminal, no control characters


@pytest.mark.parametrize("arguments", [[], ["no-such-command"], ["demo", "--epochs", "many"]])
def test_a_wrong_command_line_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    assert "usage: graphwright" in capsys.readouterr().err
