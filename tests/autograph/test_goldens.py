"""Programs on tensors give what TensorFlow gave for them, or more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from corpora.tensor_programs import outcome, plain, programs

import graphwright as tf

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "autograph.json").read_text())
PROGRAMS = {function.__name__: (function, arguments) for function, arguments in programs(tf)}

#: TensorFlow refuses them; here they mean what Python means by them.
BEYOND = {
    "b_all", "b_any", "b_bool", "b_enum", "b_filter", "b_map", "b_min", "b_min2", "b_sum", "b_zip",
    "break_while", "contains", "contains2", "function_argument", "map_structure", "py_for_break",
    "py_for_return", "return_loop0", "walrus", "while_true",
}  # fmt: skip

#: Both refuse them, we with another class.
REFUSED = {
    "andor": "ValueError",  # TensorFlow builds the graph and fails when it runs
    "assert_": "InvalidArgumentError",  # the assertion is in the graph here
    "return_loop1": "ValueError",
}

#: Errors that begin with TensorFlow's own words.
SAME_WORDS = {
    "dtype_if", "dtype_loop", "dtype_loop2", "else_attr", "none_else", "return_none_other",
    "shape_loop", "undefined_else", "undefined_main", "use_after_del",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    function, arguments = PROGRAMS[name]
    expected = GOLDEN[name]
    ours = outcome(function, arguments, tf)
    if name in REFUSED:
        assert ours["error"] == REFUSED[name]
    elif name in BEYOND:
        assert "error" in expected
        assert ours == eagerly(function, arguments)
    elif "error" in expected:
        assert ours["error"] == expected["error"]
        if name in SAME_WORDS and expected["text"]:
            assert words(function, arguments).startswith(expected["text"])
    else:
        assert ours == expected


def words(function: Any, arguments: tuple[Any, ...]) -> str:
    with pytest.raises((TypeError, ValueError)) as caught:
        tf.function(function)(*map(tf.constant, arguments))
    return str(caught.value)


def eagerly(function: Any, arguments: tuple[Any, ...]) -> list[Any]:
    result = function(*[tf.constant(argument) for argument in arguments])
    leaves = [tf.convert_to_tensor(leaf) for leaf in tf.nest.flatten(result)]
    return [plain(leaf.numpy()) for leaf in leaves]


def test_every_program_is_recorded() -> None:
    assert GOLDEN.keys() == PROGRAMS.keys()
