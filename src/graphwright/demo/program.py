"""The demo: train a network on handwritten digits inside one traced function, and tell about it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import graphwright as tf
from graphwright.demo import digits, pictures
from graphwright.demo.network import Network


@dataclass(frozen=True)
class Settings:
    """What of the demo can be chosen."""

    epochs: int = 20
    filters: int = 16
    batch: int = 64
    rate: float = 0.02
    seed: int = 0
    plot: str = "demo.png"


@dataclass(frozen=True)
class Result:
    """What the demo found; seconds are those of one training step."""

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


Batch = tuple[tf.Tensor, tf.Tensor]


def batches(part: digits.DigitSet, size: int, random: np.random.RandomState) -> Iterator[Batch]:
    """One epoch in random order: images, one-hot digits; the last may be smaller."""
    order, one_hot = random.permutation(len(part)), part.one_hot
    for start in range(0, len(part), size):
        chosen = order[start : start + size]
        yield tf.constant(part.images[chosen]), tf.constant(one_hot[chosen])


def share(confusion: pictures.Counts) -> float:
    """The share of what was read right."""
    return float(np.trace(confusion) / confusion.sum())


def train(
    network: Network,
    learned: digits.DigitSet,
    judged: digits.DigitSet,
    settings: Settings,
    to: Console,
) -> list[float]:
    """Train with a progress bar where there is a terminal; the loss of every step."""
    random = np.random.RandomState(settings.seed)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    losses: list[float] = []
    total = settings.epochs * -(-len(learned) // settings.batch)
    with Progress(
        *columns, TimeElapsedColumn(), console=to, disable=not to.is_terminal
    ) as progress:
        task = progress.add_task("", total=total)
        for _ in range(settings.epochs):
            read = share(network.confusion(judged))
            for batch in batches(learned, settings.batch, random):
                losses.append(float(network.train_step(*batch)))
                text = f"loss {losses[-1]:.3f}, {read:5.1%} read"
                progress.update(task, advance=1, description=text)
    return losses


def time_step(network: Network, batch: Batch, rounds: int = 9, steps: int = 10) -> list[float]:
    """The median seconds of a training step on one batch: op by op, then as a graph.

    The two take turns, so that whatever else the machine does falls on both.
    """
    samples: list[list[float]] = [[], []]
    for _ in range(rounds):
        for eagerly, taken in zip((True, False), samples):
            tf.config.run_functions_eagerly(eagerly)
            try:
                start = time.perf_counter()
                for _ in range(steps):
                    network.train_step(*batch)
                taken.append((time.perf_counter() - start) / steps)
            finally:
                tf.config.run_functions_eagerly(False)
    return [statistics.median(taken) for taken in samples]


def run(settings: Settings, console: Console) -> Result:
    """Train, judge and time."""
    learned, judged = digits.split()
    console.print(
        f"Handwritten digits of 8x8 pixels: {len(learned)} to learn from, {len(judged)} held out."
    )
    network = Network(settings.filters, settings.rate, settings.seed)
    before = share(network.confusion(judged))
    start = time.perf_counter()
    losses = train(network, learned, judged, settings, console)
    seconds = time.perf_counter() - start
    confusion = network.confusion(judged)
    traced, count = list(network.traced), network.train_step.experimental_get_tracing_count()
    batch = next(batches(learned, settings.batch, np.random.RandomState(settings.seed)))
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
    """Why each trace was made: what no earlier one had.

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
    """Print what was found."""
    steps, losses = len(result.losses), result.losses
    console.print("\nThe loss, step by step:", *pictures.curve(losses), sep="\n")
    console.print("\nThe held-out digits, by what they were read as:")
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
    """Draw the curve and the matrix into a PNG where that can be done; say which."""
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
    """Run the demo on the standard output; 0, the exit code."""
    console = Console(highlight=False, soft_wrap=True)
    result = run(settings, console)
    report(result, console)
    picture(result, settings.plot, console)
    return 0
