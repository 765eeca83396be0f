"""The demo, small: it learns, it traces as often as it says, its gradients are right."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from rich.console import Console

import graphwright as tf
from graphwright.__main__ import main
from graphwright.demo import digits, program
from graphwright.demo.network import Network


@pytest.fixture(scope="module")
def result() -> program.Result:
    return program.run(program.Settings(epochs=3, filters=4), Console(file=io.StringIO()))


def test_it_learns(result: program.Result) -> None:
    assert result.accuracy_before < 0.3
    assert result.accuracy > 0.8
    assert result.losses[-1] < result.losses[0] / 2


@pytest.mark.parametrize("seed", [0, 1])
def test_as_it_stands_it_reads_97_of_100_digits(seed: int) -> None:
    settings = program.Settings(seed=seed)
    assert program.run(settings, Console(file=io.StringIO())).accuracy >= 0.97


def test_it_traces_once_for_each_size_of_a_batch(result: program.Result) -> None:
    assert len(result.losses) == 3 * 23
    assert result.tracing_count == len(result.traced) == 2
    assert list(program.why(result.traced)) == [
        "the first call",
        "images was float32 (64, 8, 8, 1), is float32 (30, 8, 8, 1);"
        " one_hot was float32 (64, 10), is float32 (30, 10)",
    ]


def test_the_report_holds_the_figures(result: program.Result) -> None:
    text = io.StringIO()
    program.report(result, Console(file=text, soft_wrap=True))
    assert f"{result.accuracy:.1%}" in text.getvalue()
    assert "traced 2 times in 69 calls" in text.getvalue()
    rows = [line.split() for line in text.getvalue().splitlines()]
    for digit, counts in enumerate(result.confusion):
        assert [str(digit), *[str(n) if n else "." for n in counts]] in rows


def test_the_confusion_matrix_counts_every_held_out_digit(result: program.Result) -> None:
    _, judged = digits.split()
    np.testing.assert_array_equal(result.confusion.sum(axis=1), np.bincount(judged.digits))


def test_the_picture(result: program.Result, tmp_path: Path) -> None:
    file = tmp_path / "demo.png"
    text = io.StringIO()
    program.picture(result, str(file), Console(file=text, soft_wrap=True))
    image = imread(file)
    assert image.shape[0] > 400
    assert image.shape[1] > 800
    assert str(file) in text.getvalue()


def test_without_matplotlib_it_says_so(
    result: program.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    text = io.StringIO()
    program.picture(result, str(tmp_path / "demo.png"), Console(file=text, soft_wrap=True))
    assert "pip install 'graphwright[plot]'" in text.getvalue()
    assert not list(tmp_path.iterdir())


def test_the_progress_bar_is_live(result: program.Result) -> None:
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=100)
    parts = digits.split()
    program.train(Network(filters=2, rate=0.01), *parts, program.Settings(epochs=1), console)
    assert "23/23" in text.getvalue()
    assert "% read" in text.getvalue()


def test_timing_leaves_functions_traced(result: program.Result) -> None:
    assert not tf.config.functions_run_eagerly()


def convolution(images: np.ndarray, filters: np.ndarray) -> np.ndarray:
    """The convolution of 3x3 with zeros around the images, tap by tap."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    taps = np.ndindex(3, 3)
    return sum(padded[:, i : i + 8, j : j + 8] @ filters[i, j] for i, j in taps)


def loss(parameters: dict[str, np.ndarray], images: np.ndarray, one_hot: np.ndarray) -> float:
    """The network's loss in float64."""
    x = np.maximum(convolution(images, parameters["edges"]) + parameters["edges_bias"], 0.0)
    x = np.maximum(convolution(x, parameters["shapes"]) + parameters["shapes_bias"], 0.0)
    x = x.reshape(len(x), 4, 2, 4, 2, -1).max(axis=(2, 4)).reshape(len(x), -1)
    scores = x @ parameters["digits"] + parameters["digits_bias"]
    logarithms = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return float(-(one_hot * logarithms).sum(axis=1).mean())


def test_a_step_goes_down_the_numeric_gradient() -> None:
    random = np.random.RandomState(3)
    network = Network(filters=2, rate=1.0, seed=3)
    names = [name for name, value in vars(network).items() if isinstance(value, tf.Variable)]
    assert len(names) == 6
    network.shapes_bias.assign([0.1, 0.2, -0.1, -0.2])  # at zero the slope has a kink
    before = {name: getattr(network, name).numpy().astype(np.float64) for name in names}
    images, one_hot = random.rand(7, 8, 8, 1), np.eye(10)[random.randint(0, 10, 7)]

    told = network.train_step(tf.constant(images, tf.float32), tf.constant(one_hot, tf.float32))
    assert float(told) == pytest.approx(loss(before, images, one_hot), rel=1e-5)
    for name in names:
        moved = before[name] - getattr(network, name).numpy()
        for place in map(tuple, random.permutation(list(np.ndindex(moved.shape)))[:20]):
            ends = []
            for shift in (1e-6, -1e-6):
                shifted = {key: value.copy() for key, value in before.items()}
                shifted[name][place] += shift
                ends.append(loss(shifted, images, one_hot))
            assert moved[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-5)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--epochs", "1", "--filters", "2", "--plot", ""]) == 0
    out = capsys.readouterr().out
    assert "1438 to learn from, 359 held out" in out
    assert out.isascii()  # any terminal can show it
    assert "\x1b" not in out  # no terminal, no control characters


@pytest.mark.parametrize("arguments", [["no-such-command"], ["demo", "--epochs", "many"]])
def test_a_wrong_command_line_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    assert "usage: graphwright" in capsys.readouterr().err
