"""The gallery's pictures show what the programs printed."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools.gallery_pictures import BARS, CHARTS, CURVES, drawn

DOCS = Path(__file__).parents[2] / "docs"


def output_of(name: str) -> str:
    """What the page says that a program printed."""
    parts = (DOCS / "gallery.md").read_text("utf-8").split("\n## ")
    part = next(part for part in parts[1:] if f"[examples/{name}.py]" in part)
    assert f"](gallery/{name}.svg)" in part
    text = re.search(r"```text\n(.*?)\n```", part, re.DOTALL)
    assert text is not None
    return text[1]


@pytest.mark.parametrize("name", [*BARS, *CHARTS, *CURVES])
def test_a_picture_shows_the_output_on_its_page(name: str) -> None:
    text = output_of(name)
    picture = drawn(name, text)
    assert (DOCS / "gallery" / f"{name}.svg").read_text("utf-8") == picture
    tree = ElementTree.fromstring(picture)
    kind, least = ("rect", 2) if name in BARS else ("circle", 5)
    assert len(tree.findall(f"{{http://www.w3.org/2000/svg}}{kind}")) >= least


def test_a_curve_has_a_place_for_each_line() -> None:
    picture = drawn("transformer", "step 1: loss 2.0\nother\nstep 3: loss 1.0\nstep 5: loss 0.0")
    assert '<polyline points="48.0,48.0 360.0,160.0 672.0,272.0"' in picture


def test_a_chart_has_a_place_for_each_sign() -> None:
    picture = drawn("predators", "traced\n1900 o x\n1902 x.o\n")
    circles = re.findall(r'cx="([\d.]+)" cy="([\d.]+)" r="(\d)"', picture)
    left, right = "48.0", "672.0"
    assert sorted(circles) == sorted(
        [(left, "272.0", "4"), (right, "48.0", "4"), (left, "48.0", "4"), (right, "272.0", "4"),
         (right, "160.0", "2")]
    )  # fmt: skip


def test_other_programs_have_none() -> None:
    assert drawn("waves", "step 1: loss 2.0") == ""


def test_a_bar_is_as_long_as_its_share() -> None:
    likely = drawn("beams", "th ->\n  the  (-2.0)\n  thee  (-2.6931472)\nn ->\n  an  (-9.0)\n")
    assert re.findall(r'width="([\d.]+)" height', likely) == ["334.0", "167.0", "334.0"]
    served = drawn("serving", "loaded: 0.25 of the other digits\nserved: 3 of 4 answers are those")
    assert re.findall(r'width="([\d.]+)" height', served) == ["83.5", "250.5"]
