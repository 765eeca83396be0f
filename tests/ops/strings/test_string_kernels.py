"""What strings' kernels refuse, laws of patterns, and many strings at once as one by one."""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.ops.strings import field_code, regex, string_code, string_kernels


def _array(*items: bytes) -> Any:
    return np.array(items, object)


@pytest.mark.parametrize(
    "pattern",
    [
        b"a++",
        b"(?=a)",
        rb"(a)\1",
        b"[",
        b"(",
        b")",
        b"*a",
        rb"\Z",
        b"[[:no:]]",
        b"\xff",
    ],
)
def test_patterns_are_refused(pattern: bytes) -> None:
    with pytest.raises(ValueError, match="Invalid pattern"):
        regex.compile_pattern(pattern)


@pytest.mark.parametrize("rewrite", [rb"\x", b"a\\"])
def test_rewrites_are_refused(rewrite: bytes) -> None:
    with pytest.raises(ValueError, match="rewrite"):
        regex.replaced(b"a", rewrite, [b"aaa"])


def test_a_group_that_is_not_there_replaces_nothing() -> None:
    assert regex.replaced(b"a", rb"\1", [b"aaa"]) == [b"aaa"]


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        (b"1_000", "f4"),
        (b"", "f8"),
        (b"1.5f", "f4"),
        (b"1e3", "i4"),
        (b"-4", "u4"),
        (b"99999999999", "i4"),
    ],
)
def test_numbers_are_refused(text: bytes, dtype: str) -> None:
    with pytest.raises(ValueError, match="could not correctly convert string"):
        string_kernels.to_number(_array(text), dtype)


def test_substr_names_the_string_at_fault() -> None:
    for unit, times in (("BYTE", 1), ("BYTE", 50), ("UTF8_CHAR", 1), ("UTF8_CHAR", 50)):
        texts, starts = _array(b"hello", *[b"ab"] * times), np.array([1, *[3] * times])
        with pytest.raises(ValueError, match=r"pos 3 out of range for string b'ab' at index 1$"):
            string_kernels.substr(texts, starts, np.array(2), unit)  # type: ignore[arg-type]


def test_strict_decoding_refuses_broken_text() -> None:
    with pytest.raises(ValueError, match="Invalid formatting"):
        string_kernels.decode(b"\xff", errors="strict")


@given(st.text(max_size=12).map(str.encode))
def test_a_quoted_text_matches_itself(text: bytes) -> None:
    if b"\\E" in text:
        return
    quoted = b"\\Q" + text + b"\\E"
    assert regex.compile_pattern(quoted).matches([text]) == [True]
    assert regex.replaced(quoted, b"", [b"<" + text + b">"], everywhere=False) == [b"<>"]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (b"a*", b"baac", b"<>b<aa>c<>"),
        (rb"\b", b"ab cd", b"<>ab<> <>cd<>"),
        (b"", "\u00e9x".encode(), "<>\u00e9<>x<>".encode()),
        (b"", b"\xffx", b"<>\xff<>x<>"),
        (b"(?m)$", b"a\nb", b"a<>\nb<>"),
        (rb"\p{Greek}", "a\u03b1b".encode(), "a<\u03b1>b".encode()),
        (b".", "\u00e9".encode(), "<\u00e9>".encode()),
    ],
)
def test_matches_are_replaced_as_by_re2(pattern: bytes, text: bytes, expected: bytes) -> None:
    assert regex.replaced(pattern, rb"<\0>", [text]) == [expected]


@given(
    st.sampled_from([b"a", b"[^a]", b"(a)|b", b"a+b?", b"^a", b"(?i)A.", rb"\\b|b"]),
    st.sampled_from([rb"", rb"\0\0", rb"<\\>", b"-"]),
    st.lists(st.text("ab\\", max_size=8).map(str.encode), max_size=3),
    st.booleans(),
)
def test_replacing_is_what_python_does_too(
    pattern: bytes, rewrite: bytes, texts: list[bytes], everywhere: bool
) -> None:
    template = rewrite.replace(rb"\0", rb"\g<0>")
    expected = [re.sub(pattern, template, text, count=0 if everywhere else 1) for text in texts]
    assert list(regex.replaced(pattern, rewrite, texts, everywhere)) == expected


SETS = [
    b"[^a-z ]", b"[a-c]",
    b"[]b^]", b"[^]]+", b"[-a]+", rb"[\]\\-]", b"[[:punct:]a]", rb"\d", rb"\W+",
    b"[^[:^alpha:]]", rb"[\s\d]+", b"[ab][cd]", b"[a]|b", rb"[^\x00-\x7f]",
    rb"[\x41-\x43]",
    b"[&&a~~|]+", rb"[a\n-\t]", b"[a-b]+?", b"[a]*",
]  # fmt: skip


@given(
    st.sampled_from(SETS),
    st.sampled_from([b"", b"-", b"<>", rb"\\", rb"<\0>"]),
    st.lists(
        st.one_of(
            st.text(st.characters(max_codepoint=127), max_size=8).map(str.encode),
            st.text("ab]^-[\\d 1AB\n~|&\u00e9", max_size=8).map(str.encode),
            st.binary(max_size=4),
        ),
        max_size=4,
    ),
)
def test_characters_of_a_set_are_what_re2_says(
    pattern: bytes, rewrite: bytes, texts: list[bytes]
) -> None:
    try:
        compiled = regex.compile_pattern(pattern)
    except ValueError:
        return  # RE2 has no such set
    parts = regex.rewrite_parts(rewrite)
    expected = [regex.replaced_in(compiled, parts, text, True) for text in texts]
    assert list(regex.replaced(pattern, rewrite, texts)) == expected


@given(
    st.lists(st.binary(max_size=6), min_size=1, max_size=4), st.integers(-4, 4), st.integers(-2, 5)
)
def test_one_part_of_all_strings(texts: list[bytes], start: int, length: int) -> None:
    array = np.empty(len(texts), object)
    array[:] = texts
    wide = [np.full(len(texts), n) for n in (start, length)]
    if any(abs(start) > len(text) for text in texts):
        with pytest.raises(ValueError, match="pos"):
            string_kernels.substr(array, np.array(start), np.array(length))
    else:
        one = string_kernels.substr(array, np.array(start), np.array(length))
        assert one.tolist() == string_kernels.substr(array, *wide).tolist()


def test_no_pattern_takes_exponential_time() -> None:
    text = b"a" * 100
    assert regex.compile_pattern(b"(a*)*b").matches([text]) == [False]
    assert regex.replaced(b"(a|aa)+$|x", b"", [text + b"b"]) == [text + b"b"]


TEXT = st.text(max_size=6).map(str.encode) | st.binary(max_size=6)
# Some of them many enough to be taken at once, and others few.
TEXTS = st.lists(TEXT, max_size=8) | st.lists(TEXT, max_size=3).map(lambda few: few * 20)


@given(TEXTS)
def test_lengths(items: list[bytes]) -> None:
    array = _array(*items)
    assert string_kernels.length(array).tolist() == list(map(len, items))
    characters = [sum(byte & 0xC0 != 0x80 for byte in item) for item in items]
    assert string_kernels.length(array, "UTF8_CHAR").tolist() == characters


#: A text, which of its places a part begins at, and the length of the part.
PART = st.tuples(TEXT, st.integers(0, 60), st.integers(0, 7) | st.just(2**63 - 1))
PARTS = st.lists(PART, max_size=8) | st.lists(PART, max_size=3).map(lambda few: few * 20)


@given(PARTS, st.sampled_from(["BYTE", "UTF8_CHAR"]))
def test_substrings(parts: list[tuple[bytes, int, int]], unit: Any) -> None:
    items = [item for item, _, _ in parts]
    starts, lengths, expected = [], [], []
    for i, (item, place, length) in enumerate(parts):
        edges = [at for at, byte in enumerate(item) if unit == "BYTE" or byte & 0xC0 != 0x80]
        start = (place + i) % (2 * len(edges) + 1) - len(edges)
        first = start + len(edges) * (start < 0)
        edges.append(len(item))
        expected.append(item[edges[first] : edges[min(first + length, len(edges) - 1)]])
        starts.append(start)
        lengths.append(length)
    found = string_kernels.substr(
        _array(*items), np.array(starts, int), np.array(lengths, int), unit
    )
    assert found.tolist() == expected


def test_substrings_of_negative_lengths() -> None:
    for times in (1, 50):
        array, start = np.array([[b"hello", b"ab"]] * times, object), np.array(1)
        assert (
            string_kernels.substr(array, start, np.array(-1)).tolist() == [[b"ello", b"b"]] * times
        )
        found = string_kernels.substr(array, start, np.array(-1), "UTF8_CHAR")
        assert found.tolist() == [[b"", b""]] * times


@given(TEXTS, st.sampled_from(["UTF-8", "UTF-16-BE", "UTF-32-BE", "latin-1", "shift_jis"]))
def test_code_points_at_once(items: list[bytes], encoding: str) -> None:
    points, starts, counts = string_kernels.code_points(items, encoding)
    rows = [string_kernels.characters(item, encoding) for item in items]
    assert counts.tolist() == list(map(len, rows))
    assert starts.tolist() == [start for row in rows for _, start in row]
    assert points.tolist() == [-1 if p is None else p for row in rows for p, _ in row]


def test_a_character_does_not_reach_into_the_next_string() -> None:
    for times in (1, 30):
        texts = [b"a\xc3", b"\xb6b"] * times
        points, starts, counts = string_kernels.code_points(texts)
        assert points.tolist() == [97, -1, -1, 98] * times
        assert starts.tolist() == [0, 1, 0, 1] * times
        assert counts.tolist() == [2, 2] * times
        with pytest.raises(ValueError, match="Invalid formatting"):
            string_kernels.code_points(texts, errors="strict")


@given(
    st.lists(st.lists(st.integers(-2, 0x110003) | st.integers(0xD7FE, 0xE001), max_size=4)),
    st.sampled_from(["UTF-8", "UTF-16-BE", "UTF-32-BE"]),
    st.booleans(),
)
def test_encoding_at_once(rows: list[list[int]], encoding: str, ignored: bool) -> None:
    def char(point: int) -> str:
        valid = 0 <= point < 0xD800 or 0xDFFF < point < 0x110000
        return chr(point) if valid else "" if ignored else "\ufffd"

    points = np.array([point for row in rows for point in row], np.int32)
    counts = np.array([len(row) for row in rows], np.int64)
    errors: Any = "ignore" if ignored else "replace"
    expected = ["".join(map(char, row)).encode(encoding) for row in rows]
    for times in (1, 50):
        many = np.tile(points, times), np.tile(counts, times)
        assert string_kernels.unicode_encode(*many, encoding, errors).tolist() == expected * times


def test_strict_encoding_names_what_is_no_character() -> None:
    for size in (1, 100):
        points, counts = np.full(size, 0xD800, np.int32), np.array([size])
        with pytest.raises(ValueError, match="55296 is no Unicode code point"):
            string_kernels.unicode_encode(points, counts, errors="strict")


PLAIN = st.sampled_from([b"1", b" -2.5\n", b"3e2", b"inf", b"-NaN", b"7", b"+4", b"\t0"])
ODD = st.sampled_from([b"0x1p3", b"nan(1)", b"-0XA"])


@given(st.lists(PLAIN | ODD, max_size=6), st.sampled_from(["f4", "f8"]))
def test_numbers_in_forms_of_c_beside_plain_ones(items: list[bytes], dtype: str) -> None:
    alone = [string_kernels.to_number(_array(item), dtype).item() for item in items]
    np.testing.assert_array_equal(string_kernels.to_number(_array(*items), dtype), alone)


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u8"])
def test_the_largest_and_the_least_integers(dtype: str) -> None:
    bounds = np.iinfo(dtype)
    items = [str(bounds.min).encode(), str(bounds.max).encode()]
    assert string_kernels.to_number(_array(*items), dtype).tolist() == [bounds.min, bounds.max]
    for beyond in (bounds.min - 1, bounds.max + 1):
        with pytest.raises(ValueError, match=f"could not correctly convert string: {beyond}"):
            string_kernels.to_number(_array(b"1", str(beyond).encode()), dtype)


@given(st.lists(st.text("a \n\x1c,", max_size=6).map(str.encode), max_size=4), st.integers(-1, 3))
def test_pieces_of_many_strings_are_those_of_each(items: list[bytes], limit: int) -> None:
    for separator in (b"", b","):
        alone = [string_kernels.split(_array(item), separator, limit) for item in items]
        values, counts = string_kernels.split(_array(*items), separator, limit)
        assert values.tolist() == [piece for pieces, _ in alone for piece in pieces]
        assert counts.tolist() == [len(pieces) for pieces, _ in alone]
        if separator and limit < 0:
            assert [separator.join(pieces) for pieces, _ in alone] == items


def test_white_space_is_that_of_ascii() -> None:
    assert string_kernels.split(_array(b" a\x1cb\xa0\t\n\v\f\rc "))[0].tolist() == [
        b"a\x1cb\xa0",
        b"c",
    ]


@given(
    st.lists(TEXT, min_size=1, max_size=5),
    st.integers(-3, 3), st.integers(-2, 4), st.sampled_from(["BYTE", "UTF8_CHAR"]),
)  # fmt: skip
def test_many_strings_are_cut_as_few_are(
    texts: list[bytes], start: int, length: int, unit: Any
) -> None:
    string_code.PREPARATION.work()
    array = np.empty(len(texts), object)
    array[:] = texts
    many = np.broadcast_to(array, (string_code.MANY, len(texts)))
    starts = np.arange(len(texts)) % 2 * start
    lengths = np.full(len(texts), length)
    try:
        expected = string_kernels.substr(array, starts, lengths, unit)
    except ValueError as error:
        words = re.escape(str(error).partition(" at index")[0])
        with pytest.raises(ValueError, match=words):
            string_kernels.substr(many, starts, lengths, unit)
    else:
        assert (string_kernels.substr(many, starts, lengths, unit) == expected).all()


@given(
    st.lists(st.text("a\u00e9\u4e16\U0001f600", max_size=90), min_size=1, max_size=4),
    st.integers(-90, 90),
    st.integers(0, 90),
)
def test_characters_of_long_strings_are_pythons(texts: list[str], start: int, length: int) -> None:
    string_code.PREPARATION.work()
    many = texts * string_code.MANY * 2
    array = np.array([text.encode() for text in many], object)
    counts = string_kernels.length(array, "UTF8_CHAR")
    assert counts.tolist() == [*map(len, many)]
    place, size = np.array(start), np.array(length)
    if any(abs(start) > len(text) for text in texts):
        with pytest.raises(ValueError, match="out of range"):
            string_kernels.substr(array, place, size, "UTF8_CHAR")
        return
    begins = [start + len(text) * (start < 0) for text in many]
    expected = [text[begin : begin + length].encode() for text, begin in zip(many, begins)]
    assert string_kernels.substr(array, place, size, "UTF8_CHAR").tolist() == expected


@given(
    st.lists(st.text(" \t\r\x1c\x85,ab", max_size=9).map(str.encode), min_size=1, max_size=9),
    st.sampled_from([b"", b" ", b",", b"a"]),
)
def test_many_strings_are_split_as_by_python(texts: list[bytes], separator: bytes) -> None:
    string_code.PREPARATION.work()
    many = texts * string_code.MANY
    pieces, counts = string_kernels.split(_array(*many), separator)
    expected = [text.split(separator) if separator else text.split() for text in many]
    assert pieces.tolist() == [piece for row in expected for piece in row]
    assert counts.tolist() == [*map(len, expected)]


def test_split_strings_are_counted_once() -> None:
    string_code.PREPARATION.work()
    before = sys.getrefcount(None)
    for _ in range(20):
        pieces, _ = string_kernels.split(np.full(string_code.MANY, b"one other", object))
    assert {sys.getrefcount(piece) for piece in pieces} <= {3, 4}
    assert abs(sys.getrefcount(None) - before) < 100


def test_cut_strings_are_counted_once() -> None:
    string_code.PREPARATION.work()
    text = b"a string that nobody else has"
    array = np.full(string_code.MANY, text, object)
    before = sys.getrefcount(text), sys.getrefcount(None)
    for _ in range(20):
        cut = string_kernels.substr(array, np.array(2), np.array(6))
        assert cut.tolist() == [b"string"] * len(array)
    assert sys.getrefcount(cut[0]) <= 3
    del cut
    assert sys.getrefcount(text) == before[0]
    assert abs(sys.getrefcount(None) - before[1]) < 100


NUMBER = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(repr),
    st.sampled_from(["+7", " 8 ", "\t9\n", "1_000", "0x1p3", "nan(1)", "-0", "", "1e400", "2 3"]),
).map(str.encode)


@given(st.lists(NUMBER, min_size=1, max_size=5), st.sampled_from(["i4", "i8", "f4", "f8"]))
def test_many_numbers_are_read_as_few_are(texts: list[bytes], dtype: str) -> None:
    field_code.PREPARATION.work()
    many = texts * field_code.WORTH_CALLING
    array = np.empty(len(many), object)
    array[:] = many
    try:
        expected = np.array(
            [string_kernels.to_number(array[i : i + 1], dtype)[0] for i in range(len(texts))]
        )
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            string_kernels.to_number(array, dtype)
    else:
        results = string_kernels.to_number(array, dtype)[: len(texts)]
        assert results.tobytes() == expected.tobytes()


@pytest.mark.parametrize("shape", [(), (1,), (0,), (1, 1), (2, 0), (2, 3)])
def test_machine_code_gives_results_of_the_shape_of_the_strings(shape: tuple[int, ...]) -> None:
    string_code.PREPARATION.work()
    field_code.PREPARATION.work()
    strings = tf.fill(shape, "12")
    results = [
        tf.strings.length(strings),
        tf.strings.length(strings, "UTF8_CHAR"),
        tf.strings.substr(strings, 0, 1),
        tf.strings.substr(strings, 0, 1, "UTF8_CHAR"),
        tf.strings.regex_full_match(strings, "[0-9]+"),
        tf.strings.to_number(strings),
        tf.strings.to_hash_bucket_fast(strings, 7),
        tf.strings.to_hash_bucket_strong(strings, 7, [1, 2]),
        tf.strings.to_hash_bucket(strings, 7),
    ]
    for result in results:
        assert result.shape == shape
        assert len(set(np.ravel(result.numpy()).tolist())) <= 1
