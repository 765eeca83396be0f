"""Fields and numbers that machine code reads are those that Python reads one by one."""

from __future__ import annotations

import ctypes
import random

import numpy as np
import pytest

from graphwright.ops.strings import field_code
from graphwright.ops.strings.number_columns import BEFORE
from graphwright.types.arrays import Array

strtof = ctypes.CDLL(None).strtof
strtof.restype, strtof.argtypes = ctypes.c_float, (ctypes.c_char_p, ctypes.c_void_p)

#: What stands for no number that is read here, and is left to who reads single ones.
LEFT = ["", " ", "-", ".", "e5", ".e5", "1e", "1e+", "1e0001", "- 1", "1 2", "1.5.5", "1e3x", "x1",
        "0x1", "nan", "1_0", "1e-400", "5e-324", "1e309", "1" * 20]  # fmt: skip


def read(texts: list[str], dtype: str) -> tuple[Array, Array]:
    """The numbers in texts, and their states."""
    page = np.frombuffer(",".join(["5" * BEFORE, *texts, ""]).encode(), np.uint8)
    stops = np.flatnonzero(page == ord(","))
    starts, stops = stops[:-1] + 1, stops[1:]
    return field_code.read(page, starts, stops, np.arange(len(texts)), np.dtype(dtype))


def decimals(count: int) -> list[str]:
    """Decimals of all lengths and sizes, and some in the middle between two doubles."""
    choose = random.Random(1)
    texts = []
    for _ in range(count):
        digits = "".join(choose.choices("0123456789", k=choose.randint(1, 19)))
        place = choose.randint(0, len(digits))
        exponent = choose.choice(["", f"e{choose.randint(-330, 310)}", f"E+{choose.randint(0, 9)}"])
        dot = choose.choice([".", ""])
        sign = choose.choice(["", "-", "+"])
        texts.append(f"{sign}{digits[:place]}{dot}{digits[place:]}{exponent}")
        middle = 2 * choose.randint(1 << 52, (1 << 53) - 1) + 1
        texts += [str(middle), f"{5 * middle}e-1", f"{middle}e{choose.randint(-30, 30)}"]
        texts.append(repr(choose.random() * 10.0 ** choose.randint(-300, 300)))
    return texts


def test_doubles_are_the_nearest() -> None:
    texts = decimals(4000)
    values, states = read(texts, "float64")
    is_read = states == field_code.READ
    assert is_read.mean() > 0.98
    expected = np.array([float(text) for text in texts])
    assert values[is_read].tobytes() == expected[is_read].tobytes()


def test_floats_are_the_nearest() -> None:
    texts = decimals(4000)
    values, states = read(texts, "float32")
    is_read = states == field_code.READ
    assert is_read.mean() > 0.9
    expected = np.array([strtof(text.encode(), None) for text in texts], np.float32)
    assert values[is_read].tobytes() == expected[is_read].tobytes()


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_short_decimals_are_the_nearest(kind: str) -> None:
    """Up to eight characters are read as one word, whatever stands before them."""
    choose = random.Random(3)
    texts = ["0", "-0", "-.0", "5.", ".5", "-5.", "16777216", "16777217", "99999999", "-16777.217"]
    texts += ["".join(choose.choices("0123456789.", k=choose.randint(1, 9))) for _ in range(20000)]
    texts += [f"-{text}" for text in texts if text[0] != "-"]
    values, states = read(texts, kind)
    is_number = np.array([t.count(".") < 2 and t.strip("-") != "." for t in texts])
    is_read = states == field_code.READ
    assert not is_read[~is_number].any()
    assert is_read[is_number].mean() > 0.9
    short = np.array([len(text.strip("-")) <= (8 if "." in text else 7) for text in texts])
    assert is_read[is_number & short].all()
    exact = [float(text) if kind == "float64" else strtof(text.encode(), None)
             for text, is_one in zip(texts, is_read) if is_one]  # fmt: skip
    assert values[is_read].tobytes() == np.array(exact, kind).tobytes()


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_short_words_are_integers_if_all_their_bytes_are_digits(dtype: str) -> None:
    words = ["12", "5", "99999999", "-99999999", "-7", "00000001"]
    words += [f"1{chr(byte)}2" for byte in range(1, 128) if chr(byte) not in ",\n 0123456789"]
    values, states = read(words, dtype)
    assert values[:6].tolist() == [12, 5, 99999999, -99999999, -7, 1]
    assert (states[:6] == field_code.READ).all()
    assert (states[6:] == field_code.OTHER).all()


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers_are_whole(dtype: str) -> None:
    choose = random.Random(2)
    edges = [f"{sign}{2**31 + n}" for n in (-1, 0, 1) for sign in ("", "-", "+")]
    texts = [*edges, "-0", "007", " 5 ", "  -5"]
    texts += [str(choose.randint(-(10**digits), 10**digits)) for digits in range(19)] * 20
    values, states = read(texts, dtype)
    most = min(np.iinfo(dtype).max, 10**18 - 1)
    fits = [-most - (dtype == "int32") <= int(text) <= most for text in texts]
    assert (states == field_code.READ).tolist() == fits
    assert values[fits].tolist() == [int(text) for text, is_in in zip(texts, fits) if is_in]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_other_texts_are_left(dtype: str) -> None:
    values, states = read([*LEFT, "17"], dtype)
    others = [field_code.OTHER] * (len(LEFT) - 1)
    assert states.tolist() == [field_code.EMPTY, *others, field_code.READ]
    assert values.tolist() == [0] * len(LEFT) + [17]


@pytest.mark.parametrize("text", ["", "a", "a;b", "\n", ";\n", "a;b\n", "\n\n;;\nab;c\n;", "a\nb"])
def test_fields_stop_at_delimiters_and_at_the_ends_of_records(text: str) -> None:
    page = np.frombuffer(f"..{text};".encode(), np.uint8)
    stops, lasts = field_code.cut(page, 2, 2 + len(text), ord(";"))
    assert stops.tolist() == [2 + n for n, character in enumerate(text) if character in ";\n"]
    ends = [n for n, character in enumerate(text.replace("a", "").replace("b", "").replace("c", ""))
            if character == "\n"]  # fmt: skip
    assert lasts.tolist() == ends


@pytest.mark.parametrize("size", [63, 64, 65, 128, 1000])
def test_long_texts_are_cut_as_short_ones(size: int) -> None:
    page = np.random.default_rng(size).choice(np.frombuffer(b"ab;\n", np.uint8), size + 5)
    stops, lasts = field_code.cut(page, 3, 3 + size, ord(";"))
    text = page[3 : 3 + size]
    assert (stops == np.flatnonzero((text == 10) | (text == ord(";"))) + 3).all()
    assert (stops[lasts] == np.flatnonzero(text == 10) + 3).all()
