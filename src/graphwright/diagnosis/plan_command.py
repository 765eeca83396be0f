"""`graphwright plan`: how a program's training step would do on many machines.

    graphwright plan train.py --ranks 4..4096 --network 25Gbit,10us
    graphwright plan train.py --svg curve.svg --arguments="--epochs 1"

The program runs in this process, and each rank is taken to have as many cores. It must call a
`tf.function` that changes trainable variables, or Keras's `fit`, at least seven times.
"""

from __future__ import annotations

import argparse
import math
import runpy
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from graphwright.base.files import write_whole
from graphwright.diagnosis.bench_command import duration
from graphwright.diagnosis.collective_costs import network_of
from graphwright.diagnosis.rank_layouts import LAYOUTS, Prediction
from graphwright.diagnosis.step_costs import StepCosts, costs_of
from graphwright.diagnosis.step_watch import StepWatch
from graphwright.library.distribute.pending_sums import BUCKET
from graphwright.library.presence.tensorflow_finder import install_as_tensorflow
from graphwright.machine import threads

_BAR = 20
_WIDTH, _HEIGHT, _EDGE = 560, 320, 50  # of a drawing, in pixels
_COLOURS = ("#36c", "#2a7", "#c52")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("program", help="a file of Python")
    parser.add_argument("--arguments", default="", help="what the program gets, as one text")
    parser.add_argument("--ranks", default="4..4096", help="numbers of ranks: 4..4096 or 2,6,8")
    parser.add_argument("--network", default="25Gbit,10us", help="its bandwidth and its latency")
    parser.add_argument("--bucket", type=int, default=BUCKET, help="the bytes summed together")
    parser.add_argument("--svg", metavar="FILE", help="draw the curves")


def run(options: argparse.Namespace) -> int:
    """Prints the predictions; 2 where the program shows no training step."""
    try:
        network, ranks = network_of(options.network), ranks_of(options.ranks)
    except ValueError as error:
        print(f"graphwright plan: {error}", file=sys.stderr)
        return 2
    if not Path(options.program).is_file():
        print(f"graphwright plan: there is no file {options.program!r}", file=sys.stderr)
        return 2
    step = watched(options.program, shlex.split(options.arguments)).step()
    if step is None:
        print(
            f"graphwright plan: {options.program} has no training step to look at. It must call a "
            "tf.function that changes trainable variables, or Keras's `fit`, at least seven times.",
            file=sys.stderr,
        )
        return 2
    costs = costs_of(*step)
    curves = {
        name: [layout(costs, count, network, options.bucket) for count in ranks]
        for name, layout in LAYOUTS.items()
    }
    print(report(costs, options.network, curves))
    if options.svg:
        try:
            write_whole(options.svg, drawing(curves).encode())
        except OSError as error:
            print(f"graphwright plan: cannot write {options.svg!r}: {error}", file=sys.stderr)
            return 2
    return 0


def watched(program: str, arguments: Sequence[str]) -> StepWatch:
    """The calls of a program, which runs to its end."""
    install_as_tensorflow()
    sys.argv[:] = [program, *arguments]
    sys.path[0] = str(Path(program).resolve().parent)
    watch = StepWatch()
    with watch.watching():
        try:
            runpy.run_path(program, run_name="__main__")
        except SystemExit as end:
            if end.code:
                raise
    return watch


def ranks_of(text: str) -> list[int]:
    """The numbers of ranks in "4..64", by doubling, or in "2,6,8"; ValueError for another text."""
    first, dots, last = text.partition("..")
    try:
        numbers = [int(word) for word in ([first, last] if dots else text.split(","))]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 2:
        raise ValueError(f"{text!r} are no numbers of ranks from 2 on: give 4..4096 or 2,6,8")
    if dots:
        count = int(math.log2(max(numbers[1] / numbers[0], 1))) + 1
        numbers = [numbers[0] << place for place in range(count)]
    return numbers


def report(costs: StepCosts, network: str, curves: Mapping[str, Sequence[Prediction]]) -> str:
    """The step and all predictions as text."""
    cores = threads.available()
    lines = [
        f"`{costs.name}` takes {duration(costs.seconds)} on {cores} core{'s' * (cores > 1)}, which "
        f"each rank has too; {duration(costs.update)} of it are behind the last gradient.",
        f"Weights have {size(costs.weights)} in {len(costs.gradients)} gradients, the rest of what "
        f"it changes {size(costs.state)}, its values {size(costs.values)} at once.",
        f"The network: {network}. Predicted, not measured:",
    ]
    for name, curve in curves.items():
        batch = "one batch for all ranks" if curve[0].batches == 1 else "a batch for each rank"
        lines += [
            "",
            f"{name}, {batch}",
            f"{'ranks':>6} {'step':>9} {'sums':>9} {'waiting':>9} {'memory':>9} {'examples':>9}  "
            f"{'efficiency':<{_BAR + 5}} bottleneck",
            *[row(prediction) for prediction in curve],
        ]
    best = max(curves, key=lambda name: curves[name][-1].gain)
    last = curves[best][-1]
    lines += [
        "",
        f"On {last.ranks} ranks the {best} layout does most examples a second: {times(last.gain)} "
        f"times as many as one process. Its bottleneck is {last.bottleneck}.",
    ]
    return "\n".join(lines)


def row(prediction: Prediction) -> str:
    """The line of a prediction."""
    share = prediction.efficiency
    bar = "█" * max(1, round(_BAR * min(share, 1.0)))
    cells = [
        duration(prediction.seconds),
        duration(prediction.sums.seconds),
        duration(prediction.waiting),
        size(prediction.memory),
        f"{times(prediction.gain)}x",
    ]
    line = f"{prediction.ranks:>6} " + " ".join(f"{cell:>9}" for cell in cells)
    return f"{line}  {bar:<{_BAR}} {share:>4.0%} {prediction.bottleneck}"


def times(gain: float) -> str:
    """A factor, to three digits."""
    return f"{gain:.3g}" if gain < 1000 else f"{gain:,.0f}"


def size(nbytes: float) -> str:
    """Bytes in a unit that fits."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6)):
        if nbytes >= factor:
            return f"{nbytes / factor:.3g} {unit}"
    return f"{nbytes / 1e3:.3g} kB"


def drawing(curves: Mapping[str, Sequence[Prediction]]) -> str:
    """A picture of the gains by the number of ranks, both by doubling."""
    points = [point for curve in curves.values() for point in curve]
    last = math.log2(max(point.ranks for point in points))
    low = min(0.0, *[math.log2(point.gain) for point in points])

    def place(ranks: float, gain: float) -> str:
        x = _EDGE + math.log2(ranks) / last * (_WIDTH - 2 * _EDGE)
        y = (math.log2(gain) - low) / (last - low) * (_HEIGHT - 2 * _EDGE)
        return f"{x:.1f},{_HEIGHT - _EDGE - y:.1f}"

    shapes = [f"<polyline points='{place(1, 1)} {place(2**last, 2**last)}' stroke='#bbb'/>"]
    for number, (name, curve) in enumerate(curves.items()):
        line = " ".join(place(point.ranks, point.gain) for point in curve)
        colour = _COLOURS[number]
        shapes.append(f"<polyline points='{line}' stroke='{colour}' stroke-width='2'/>")
        top = _EDGE + 16 * number
        shapes.append(f"<text x='{_EDGE + 10}' y='{top}' fill='{colour}'>{name}</text>")
    for power in range(0, int(last) + 1, max(1, int(last) // 6)):
        x, _, y = place(2**power, 2**power).partition(",")
        shapes.append(f"<text x='{x}' y='{_HEIGHT - 20}' fill='#666'>{2**power}</text>")
        shapes.append(f"<text x='5' y='{y}' fill='#666'>{2**power}x</text>")
    shapes.append(f"<text x='{_WIDTH // 2}' y='{_HEIGHT - 4}' fill='#666'>ranks</text>")
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{_WIDTH}' height='{_HEIGHT}' "
        f"font-family='sans-serif' font-size='12' fill='none'>{''.join(shapes)}</svg>\n"
    )
