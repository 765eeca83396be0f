"""What strings' kernels refuse, and laws of patterns and pieces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.kernels import regex, strings


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
        rb"\C",
        rb"\p{Greek}",
        b"[[:no:]]",
    ],
)
def test_patterns_are_refused(pattern: bytes) -> None:
    with pytest.raises(ValueError, match="Invalid pattern"):
        regex.compile_pattern(pattern)


@pytest.mark.parametrize("rewrite", [rb"\x", b"a\\"])
def test_rewrites_are_refused(rewrite: bytes) -> None:
    with pytest.raises(ValueError, match="rewrite"):
        regex.replace(b"a", rewrite, b"aaa")


def test_a_group_that_is_not_there_replaces_nothing() -> None:
    assert regex.replace(b"a", rb"\1", b"aaa") == b"aaa"


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
        strings.to_number(_array(text), dtype)


def test_substr_names_the_string_at_fault() -> None:
    with pytest.raises(ValueError, match=r"pos 3 out of range for string b'ab' at index 1"):
        strings.substr(_array(b"hello", b"ab"), np.array([1, 3]), np.array([2, 1]))


def test_strict_decoding_refuses_broken_text() -> None:
    with pytest.raises(ValueError, match="Invalid formatting"):
        strings.decode(b"\xff", errors="strict")


@given(st.binary(max_size=12))
def test_a_quoted_text_matches_itself(text: bytes) -> None:
    if b"\\E" in text:
        return
    assert regex.full_match(b"\\Q" + text + b"\\E", text)
    assert regex.replace(b"\\Q" + text + b"\\E", b"", b"<" + text + b">", everywhere=False) == b"<>"
