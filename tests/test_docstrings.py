"""The docstrings of public functions have one form; see `tools.docstrings`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tools.docstrings import faults, functions


@pytest.mark.parametrize("function", [pytest.param(f, id=name) for name, f, _ in functions()])
def test_a_public_function_says_what_it_takes_gives_and_raises(
    function: Callable[..., Any],
) -> None:
    assert not faults(function)


def test_functions_of_any_number_of_arguments_are_there_by_their_own_code() -> None:
    folders = {name: folder for name, _, folder in functions()}
    assert folders["tf.function"] == "function"
    assert folders["tf.io.gfile.join"] == "library/io"


def documented(x: Any, *more: Any, y: int = 1) -> Any:
    """Adds one.

    Args:
        x: A tensor of floats.
        *more: Tensors like it.
        y: A number.

    Returns:
        The sum.

    Raises:
        ValueError: `y` is negative.

    >>> 1 + 1
    2
    """


@pytest.mark.parametrize(
    ("text", "by", "fault"),
    [
        ("", "", None),
        ("    y: A number.\n", "", "Args lacks ['y'] and has []"),
        ("x: A tensor", "z: A tensor", "Args lacks ['x'] and has ['z']"),
        ("Returns:\n    The sum.\n", "", "it has no Returns"),
        ("ValueError", "NoSuchError", "Raises names NoSuchError, which is no exception"),
        (">>>", "", "it has no example"),
        ("Adds one.\n", "", "its first paragraph is no sentence"),
        ("Returns:", "Example:", "the order of its sections is ['Args', 'Example', 'Raises']"),
    ],
)
def test_what_is_lacking_is_said(text: str, by: str, fault: str | None) -> None:
    import inspect

    def function(x: Any, *more: Any, y: int = 1) -> Any: ...

    doc = inspect.cleandoc(documented.__doc__ or "")
    assert text in doc
    function.__doc__ = doc.replace(text, by, 1) if text else doc
    found = faults(function)
    assert (not found) if fault is None else fault in found
