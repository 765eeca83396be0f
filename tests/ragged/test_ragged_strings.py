"""Runs of words: what pads them."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf


@pytest.mark.parametrize("pad_values", [3, ("a", 1), ("a",), ("a", "b", "c")])
def test_what_cannot_pad_is_refused(pad_values: Any) -> None:
    with pytest.raises(TypeError, match="must be a string, tuple of strings, or None"):
        tf.strings.ngrams(["a", "b"], 2, pad_values=pad_values)
