"""Tensors, conversion, operators, indexing, variables and signatures behave as TensorFlow's."""

from __future__ import annotations

import json
import logging
import re

import pytest
from corpora.core import corpus, outcome

import graphwright as tf
from graphwright.machine import preparation
from tools import golden_format as gf

GOLDEN = json.loads((gf.GOLDEN / "core.json").read_text(encoding="utf-8"))

#: How TensorFlow refuses operands: which of these it is depends on its wrappers' order.
REFUSALS = {
    f"! {name}"
    for name in (
        "AttributeError",
        "InvalidArgumentError",
        "NotFoundError",
        "TypeError",
        "UnimplementedError",
        "ValueError",
    )
}

#: Where the outcome is meant to be another one, and why.
DEPARTURES = [
    (
        r"lambda: tf.constant\(\[np\.array",
        "arrays in a list are stacked in graphs as they are outside",
    ),
    (r"lambda: tf.constant\(range", "a range is a list in graphs as it is outside"),
    (r"lambda: tf.constant\(tf\.", "a constant of a constant is that one"),
    (
        r"lambda: tf.constant\(np.array\(.*>i4",
        "bytes in another order are the numbers that they are",
    ),
    (r"lambda: tf.constant\({}, tf.bool", "an empty dict is no bool"),
    (r"\[.*tf\.constant\(.*\].*\)$", "lists of tensors are stacked, as convert_to_tensor does"),
    (r"datetime64", "dates are no numbers: refused whatever dtype is asked for"),
    (r"constant\(True\) \* |\* tf\.constant\(True\)", "bool * number is refused, not cast to bool"),
    (r"constant\('s'\) \* np|np\.array\(\['a'", "NumPy's own string arithmetic is not reached"),
    (r"\[np\.int8\(1\), np\.int8", "NumPy scalars in a list keep their dtype"),
    (r"\* 't'$|constant\(True\) / np", "Python's own repetition and NumPy's division stay out"),
    (r"^\+tf", "unary plus is allowed"),
    (r"2\*\*63, tf\.(bfloat16|complex64)", "an int of 64 bits may become any float"),
    (r"None [!=]= tf\.Variable|tf\.Variable\(3\.0\) [!=]= None", "a variable is not None"),
    (r"constant\(2\*\*64, tf\.complex", "an int of any size may become complex"),
    (r"np\.zeros\(\(0, 3\), np\.float16\), tf\.string", "no float array becomes strings"),
]


@pytest.fixture(autouse=True)
def _usual_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """One program has all wait for kernels, and nothing ends that."""
    monkeypatch.setattr(preparation.Waiting, "always", preparation.Waiting.always)


def departs(expression: str) -> bool:
    return any(re.search(pattern, expression) for pattern, _ in DEPARTURES)


def numbers(text: str) -> tuple[str, list[float]]:
    """The text with its numbers taken out, and they."""
    pattern = r"-?\d+\.?\d*(?:e[-+]?\d+)?"
    return re.sub(r"\s+|" + pattern, "", text), [float(x) for x in re.findall(pattern, text)]


def agrees(found: str, expected: str) -> bool:
    if found == expected or {found, expected} <= REFUSALS:
        return True
    (text, values), (wanted_text, wanted) = numbers(found), numbers(expected)
    return text == wanted_text and values == pytest.approx(wanted, rel=1e-6, abs=1e-12)


@pytest.fixture(autouse=True)
def _quiet():
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


EXPRESSIONS = [e for e in corpus() if not departs(e)]


def test_the_record_covers_the_corpus():
    assert set(GOLDEN) == set(corpus())


@pytest.mark.parametrize("part", range(16))
@pytest.mark.filterwarnings("ignore")
def test_outcomes_are_tensorflow_s(part):
    address = r"0x[0-9a-f]+"
    wrong = []
    for expression in EXPRESSIONS[part::16]:
        expected = re.sub(address, "", GOLDEN[expression])
        result = re.sub(address, "", outcome(expression, tf))
        if not agrees(result, expected):
            wrong.append(f"{expression}\n  TensorFlow: {expected}\n  here:       {result}")
    assert not wrong, "\n".join([f"{len(wrong)} differ", *wrong])
