"""Pictures of programs whose output has a curve, a chart of signs, or shares to compare, as SVG.

They have no background, and colours that read well on light and on dark pages.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import NamedTuple

_WIDTH, _HEIGHT, _MARGIN = 720, 320, 48
_COLOURS = ("#5c7cfa", "#f2711c", "#8a8f98")
_INK = "#8a8f98"

#: A place on a picture: to the right, and up.
Place = tuple[float, float]


class Curve(NamedTuple):
    """What of an output is drawn as a curve: two numbers of each line that matches."""

    pattern: str
    across: str  # the names of the numbers
    up: str


class Chart(NamedTuple):
    """A chart of signs in an output: what the signs mean, and the names of its axes."""

    signs: dict[str, str]
    across: str
    up: str
    rows: str  # a line of the chart: the group `signs`, and `at`, its place, if it says that


class Bars(NamedTuple):
    """Shares of an output, each a bar: a line that matches has a `label` and a `value`.

    With `whole`, the value is so many of that. Logarithms of likelihoods are shown beside the
    greatest of their block, which a line that matches `block` begins.
    """

    pattern: str
    across: str
    block: str = ""


CURVES = {
    "transformer": Curve(r"step +(\d+): loss ([\d.]+)", "step", "loss"),
    "cartpole": Curve(r"episode +(\d+) +([\d.]+)", "episode", "moments until the pole falls"),
    "vectors": Curve(r"step +(\d+): loss ([\d.]+)", "step", "loss"),
    "characters": Curve(r"step +(\d+): ([\d.]+) bits", "step", "bits a character"),
    "pictures": Curve(r"epoch (\d+): .*?([\d.]+)% are", "epoch", "% of the pictures read right"),
}
CHARTS = {
    "predators": Chart(
        {"o": "hares counted", "x": "lynxes counted", ".": "the equation"},
        "year", "thousands of pelts", r"(?P<at>19\d\d) (?P<signs>[ .ox]+)",
    ),
    "orbits": Chart(
        {"o": "measured", ".": "the orbit"},
        "a period, in 72 parts", "speed, in rows of the chart", r"(?P<signs>[ .o]*)",
    ),
}  # fmt: skip
BARS = {
    "beams": Bars(
        r"  (?P<label>[a-z ]+)  \((?P<value>-[\d.]+)\)",
        "likelihood, beside that of the best text", r"(?P<label>[a-z ]+) ->",
    ),
    "lines": Bars(
        r" *(?P<label>\w+Dataset)(?: lambda)? +lines.py:\d+ +(?P<value>\d+) (?P<whole>%) .*",
        "% of the time that a stage of the pipeline works",
    ),
    "serving": Bars(
        r"(?P<label>loaded|served): (?P<value>[\d.]+) of (?P<whole>\d*).*",
        "% of the digits: read right by the loaded model; answered as by that model",
    ),
}  # fmt: skip


def drawn(name: str, output: str) -> str:
    """The picture of a program by what it printed; empty if it has none."""
    if name in CURVES:
        curve = CURVES[name]
        found = re.findall(curve.pattern, output)
        places = [(float(across), float(up)) for across, up in found]
        return picture({curve.up: places}, curve.across, curve.up, is_joined=True)
    if name in CHARTS:
        chart = CHARTS[name]
        return picture(places_of(chart, output), chart.across, chart.up, is_joined=False)
    if name in BARS:
        return bars_picture(shares_of(BARS[name], output), BARS[name].across)
    return ""


def shares_of(bars: Bars, output: str) -> list[tuple[str, float | None]]:
    """The labels of an output with their shares; those of blocks have none."""
    shares: list[tuple[str, float | None]] = []
    greatest: float | None = None
    for line in output.splitlines():
        head = re.fullmatch(bars.block, line) if bars.block else None
        row = re.fullmatch(bars.pattern, line)
        if head is not None:
            shares.append((head["label"], None))
            greatest = None
        elif row is not None:
            value = float(row["value"])
            if bars.block:  # the likeliest stands first
                greatest = value if greatest is None else greatest
                share = math.exp(value - greatest)
            else:
                share = value / float(row["whole"].replace("%", "100") or 1)
            shares.append((row["label"], share))
    return shares


def bars_picture(shares: list[tuple[str, float | None]], across: str) -> str:
    """An SVG of shares, one bar below the other."""
    step, middle, width = 22, 290, _WIDTH - 290 - 2 * _MARGIN
    parts = [text(middle, 20, across, "start", _INK)]
    for number, (label, share) in enumerate(shares):
        y = 44 + step * number
        parts.append(text(middle - 10, y, label, "end", _INK if share is not None else _COLOURS[1]))
        if share is not None:
            length = round(width * share, 1)
            parts += [
                f'<rect x="{middle}" y="{y - 12}" width="{length}" height="15" '
                f'fill="{_COLOURS[0]}"/>',
                text(middle + length + 6, y, f"{100 * share:.3g} %", "start", _INK),
            ]
    return svg(parts, 44 + step * len(shares))


def places_of(chart: Chart, output: str) -> dict[str, list[Place]]:
    """The places of a chart's signs, by what they mean."""
    matches = [re.fullmatch(chart.rows, line) for line in output.splitlines()]
    rows = [match for match in matches if match is not None]
    places: dict[str, list[Place]] = {meaning: [] for meaning in chart.signs.values()}
    for number, row in enumerate(rows):
        for column, sign in enumerate(row["signs"]):
            if sign in chart.signs:
                year = row.groupdict().get("at")
                place = (column, len(rows) - number) if year is None else (int(year), column)
                places[chart.signs[sign]].append(place)
    return places


def picture(series: dict[str, list[Place]], across: str, up: str, is_joined: bool) -> str:
    """An SVG of some series over common axes."""
    everywhere = [place for places in series.values() for place in places]
    left, right = min(p[0] for p in everywhere), max(p[0] for p in everywhere)
    low, high = min(0.0, *[p[1] for p in everywhere]), max(p[1] for p in everywhere)

    def at(place: Place) -> Place:
        x = _MARGIN + (place[0] - left) / (right - left) * (_WIDTH - 2 * _MARGIN)
        y = _HEIGHT - _MARGIN - (place[1] - low) / (high - low) * (_HEIGHT - 2 * _MARGIN)
        return round(x, 1), round(y, 1)

    parts = [*axes((left, right), (low, high), across, up)]
    for number, (meaning, places) in enumerate(series.items()):
        colour = _COLOURS[number] if number < len(series) - 1 or is_joined else _COLOURS[-1]
        where = [at(place) for place in places]
        if is_joined:
            points = " ".join([f"{x},{y}" for x, y in where])
            parts.append(
                f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
            )
        else:
            parts.append(text(_WIDTH - _MARGIN, 16 + 16 * number, f"● {meaning}", "end", colour))
        radius = 4 if colour != _COLOURS[-1] else 2
        parts += [f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>' for x, y in where]
    return svg(parts, _HEIGHT)


def svg(parts: Iterable[str], height: int) -> str:
    """The text of a picture."""
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'font-family="sans-serif" font-size="13">\n{body}\n</svg>\n'
    )


def axes(across: Place, up: Place, name: str, other: str) -> Iterable[str]:
    """The lines of the two axes, their names and their ends."""
    bottom, right = _HEIGHT - _MARGIN, _WIDTH - _MARGIN
    path = f"M{_MARGIN},{_MARGIN} V{bottom} H{right}"
    yield f'<path d="{path}" fill="none" stroke="{_INK}"/>'
    yield text(_MARGIN, bottom + 18, f"{across[0]:g}", "middle", _INK)
    yield text(right, bottom + 18, f"{across[1]:g}", "middle", _INK)
    yield text(_WIDTH / 2, bottom + 34, name, "middle", _INK)
    yield text(_MARGIN - 6, bottom, f"{up[0]:g}", "end", _INK)
    yield text(_MARGIN - 6, _MARGIN + 4, f"{up[1]:g}", "end", _INK)
    yield text(_MARGIN, _MARGIN - 16, other, "start", _INK)


def text(x: float, y: float, words: str, anchor: str, colour: str) -> str:
    """Words at a place."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{words}</text>'
