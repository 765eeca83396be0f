"""Lines of the program: those that are neither the package's nor Python's own between them."""

from __future__ import annotations

from typing import Any

from graphwright.base.errors import user_location


def test_a_frozen_module_of_python_has_no_line_of_the_program() -> None:
    """`in` of a `Mapping` of ours asks for its item from a module that Python has frozen."""
    names: dict[str, Any] = {}
    source = "def contains(ask):\n    return ask()"
    exec(compile(source, "<frozen _collections_abc>", "exec"), names)
    location = names["contains"](user_location)
    assert location is not None
    assert location.filename == __file__
