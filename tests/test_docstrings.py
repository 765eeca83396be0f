"""The docstrings of public functions, classes and methods have one form; see `tools.docstrings`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tools.docstrings import (
    Member,
    class_faults,
    classes,
    faults,
    functions,
    member_faults,
    members,
)


@pytest.mark.parametrize("function", [pytest.param(f, id=name) for name, f, _ in functions()])
def test_a_public_function_says_what_it_takes_gives_and_raises(
    function: Callable[..., Any],
) -> None:
    assert not faults(function)


@pytest.mark.parametrize("kind", [pytest.param(kind, id=name) for name, kind, _ in classes()])
def test_a_public_class_says_what_its_constructor_takes(kind: type) -> None:
    assert not class_faults(kind)


@pytest.mark.parametrize("member", [pytest.param(m, id=name) for name, m, _ in members()])
def test_a_public_method_says_what_it_takes_and_gives(member: Member) -> None:
    assert not member_faults(member)


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
    result = faults(function)
    assert (not result) if fault is None else fault in result


class Base:
    """A base.

    Args:
        size: An int.

    >>> 1
    1
    """

    def __init__(self, size: int) -> None: ...


def test_what_a_class_lacks_is_said() -> None:
    class Lacking(Base):
        """A class."""

        def __init__(self, size: int, name: str) -> None: ...

    class Naming(Base):
        """A class, else as `Base`.

        Args:
            name: A name.

        >>> 1
        1
        """

        def __init__(self, size: int, name: str) -> None: ...

    class Inheriting(Base):
        """A class.

        >>> 1
        1
        """

    for kind in (Lacking, Naming, Inheriting, Base):
        kind.__module__ = "graphwright.somewhere"
    assert class_faults(Lacking) == [
        "Args lacks ['name', 'size'] and has []",
        "it has no example",
    ]
    assert not class_faults(Naming)
    assert not class_faults(Inheriting)
    assert class_faults(type("E", (ValueError,), {"__doc__": "An error."})) == []


def test_what_a_method_lacks_is_said() -> None:
    def short(self: object) -> int:
        """The size."""
        return 1

    def long(self: object, more: int) -> int:
        """Adds."""
        return more

    assert not member_faults(short)
    assert not member_faults(property(short))
    assert member_faults(long) == ["Args lacks ['more'] and has []", "it has no Returns"]
    assert member_faults(property(lambda self: 1)) == ["its first paragraph is no sentence"]


def test_methods_of_bases_that_are_not_public_stand_under_the_class() -> None:
    names = {name for name, _, _ in members()}
    assert {"tf.Variable.assign", "tf.constant_initializer.__call__"} <= names
    assert "tf.RaggedTensor.from_row_splits" in names


def test_a_method_without_a_text_is_said_where_its_base_says_the_same() -> None:
    names = {name for name, _, _ in members()}
    assert "tf.optimizers.Optimizer.update_step" in names
    assert "tf.optimizers.SGD.update_step" not in names
