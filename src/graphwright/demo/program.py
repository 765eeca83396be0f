"""The demo: trains a network on handwritten digits in one traced function, and reports on it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import graphwright as tf
from graphwright.demo import digits, pictures
from graphwright.demo.network import Network


@dataclass(frozen=True)
class Settings:
    """The settings of the demo."""

    epochs: int = 20
    filters: int = 16
    batch: int = 64
    rate: float = 0.02
    seed: int = 0
    plot: str = "demo.png"


@dataclass(frozen=True)
class Result:
    """The results of the demo; eager and graph seconds are those of one training step."""

    accuracy_before: float
    confusion: pictures.Counts
    losses: list[float]
    training_seconds: float
    eager_seconds: float
    graph_seconds: float
    traced: list[dict[str, str]]
    tracing_count: int

    @property
    def accuracy(self) -> float:
        """The share of the held-out digits that were read right."""
        return share(self.confusion)


Batch: TypeAlias = tuple[tf.Tensor, tf.Tensor]


def batches(part: digits.DigitSet, size: int, random: np.random.RandomState) -> Iterator[Batch]:
    """One epoch in random order: images, one-hot digits; the last may be smaller."""
    order, one_hot = random.permutation(len(part)), part.one_hot
    for start in range(0, len(part), size):
        chosen = order[start : start + size]
        yield tf.constant(part.images[chosen]), tf.constant(one_hot[chosen])


def share(confusion: pictures.Counts) -> float:
    """The share of digits that were read right."""
    return float(np.trace(confusion) / confusion.sum())


def train(
    network: Network,
    training: digits.DigitSet,
    test: digits.DigitSet,
    settings: Settings,
    console: Console,
) -> list[float]:
    """Trains, with a progress bar on a terminal; the loss of every step."""
    random = np.random.RandomState(settings.seed)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    losses: list[float] = []
    total = settings.epochs * -(-len(training) // settings.batch)
    with Progress(
        *columns, TimeElapsedColumn(), console=console, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=total)
        for _ in range(settings.epochs):
            read = share(network.confusion(test))
            for batch in batches(training, settings.batch, random):
                losses.append(float(network.train_step(*batch)))
                text = f"loss {losses[-1]:.3f}, {read:5.1%} read"
                progress.update(task, advance=1, description=text)
    return losses


def time_step(network: Network, batch: Batch, rounds: int = 9, steps: int = 10) -> list[float]:
    """The median seconds of a training step on one batch: op by op, then as a graph.

    The two take turns, so that other work of the machine slows both.
    """
    samples: list[list[float]] = [[], []]
    for _ in range(rounds):
        for eagerly, seconds in zip((True, False), samples):
            tf.config.run_functions_eagerly(eagerly)
            try:
                start = time.perf_counter()
                for _ in range(steps):
                    network.train_step(*batch)
                seconds.append((time.perf_counter() - start) / steps)
            finally:
                tf.config.run_functions_eagerly(False)
    return [statistics.median(seconds) for seconds in samples]


def run(settings: Settings, console: Console) -> Result:
    """Trains, tests and times a network."""
    training, test = digits.split()
    console.print(
        f"Handwritten digits of 8x8 pixels: {len(training)} to learn from, {len(test)} held out."
    )
    network = Network(settings.filters, settings.rate, settings.seed)
    before = share(network.confusion(test))
    start = time.perf_counter()
    losses = train(network, training, test, settings, console)
    seconds = time.perf_counter() - start
    confusion = network.confusion(test)
    traced, count = list(network.traced), network.train_step.experimental_get_tracing_count()
    batch = next(batches(training, settings.batch, np.random.RandomState(settings.seed)))
    eager_seconds, graph_seconds = time_step(network, batch)
    return Result(
        accuracy_before=before,
        confusion=confusion,
        losses=losses,
        training_seconds=seconds,
        eager_seconds=eager_seconds,
        graph_seconds=graph_seconds,
        traced=traced,
        tracing_count=count,
    )


def why(traced: list[dict[str, str]]) -> Iterator[str]:
    """Why each trace was made: the types that differ from the trace before.

    >>> list(why([{"x": "float32 (64,)"}, {"x": "float32 (29,)"}]))
    ['the first call', 'x was float32 (64,), is float32 (29,)']
    """
    for i, new in enumerate(traced):
        if i == 0:
            yield "the first call"
        else:
            old = traced[i - 1]
            changed = [f"{k} was {old[k]}, is {new[k]}" for k in new if new[k] != old[k]]
            yield "; ".join(changed)


def report(result: Result, console: Console) -> None:
    """Prints the results."""
    steps, losses = len(result.losses), result.losses
    console.print("\nThe loss, step by step:", *pictures.curve(losses), sep="\n")
    console.print("\nThe held-out digits (rows), and the digits that were read (columns):")
    console.print(pictures.matrix(result.confusion))
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row(
        "accuracy on held-out digits",
        f"{result.accuracy:.1%}",
        f"{result.accuracy_before:.1%} before training",
    )
    table.add_row("loss", f"{losses[-1]:.3f}", f"{losses[0]:.3f} at the first step")
    table.add_row("training", f"{result.training_seconds:.2f} s", f"{steps} steps")
    table.add_row("a step, eager", f"{result.eager_seconds * 1e3:.3f} ms", "one op after another")
    ratio = result.eager_seconds / result.graph_seconds
    table.add_row(
        "a step, graph",
        f"{result.graph_seconds * 1e3:.3f} ms",
        f"{ratio:.1f} times as fast: tf.function",
    )
    console.print()
    console.print(table)
    console.print(f"\ntrain_step was traced {result.tracing_count} times in {steps} calls:")
    for number, reason in enumerate(why(result.traced), start=1):
        console.print(f"  {number}. {reason}")


def picture(result: Result, path: str, console: Console) -> None:
    """Draws the curve and the matrix into a PNG, or prints how to install matplotlib."""
    if not path:
        return
    if pictures.draw(Path(path), result.losses, result.confusion, result.accuracy):
        console.print(f"\nThe loss curve and the confusion matrix are in {path}.")
    else:
        console.print(
            "\nFor the loss curve and the confusion matrix as a PNG, install matplotlib: "
            "pip install 'graphwright\\[plot]'"
        )


def main(settings: Settings) -> int:
    """Runs the demo on the standard output; the exit code 0."""
    console = Console(highlight=False, soft_wrap=True)
    result = run(settings, console)
    report(result, console)
    picture(result, settings.plot, console)
    return 0
