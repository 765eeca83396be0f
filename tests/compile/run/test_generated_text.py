"""Texts that are alike are compiled once, and go with the last function made of them."""

from __future__ import annotations

import gc
import linecache

import pytest

from graphwright.compile.run.generated_text import make_function

TEXT = "def f(x):\n    return x + k\n"


def test_functions_of_one_text_have_one_file_and_their_own_names():
    one, ten = make_function(TEXT, {"k": 1}), make_function(TEXT, {"k": 10})
    assert (one(1), ten(1)) == (2, 11)
    filename = one.__code__.co_filename
    assert ten.__code__.co_filename == filename
    assert "".join(linecache.getlines(filename)) == TEXT
    del one
    gc.collect()
    assert linecache.getlines(filename)
    del ten
    gc.collect()
    assert linecache.getlines(filename) == []
    assert make_function("def g():\n    return 1\n", {}).__code__.co_filename == filename


def test_a_text_may_go_while_files_are_checked(monkeypatch):
    functions = [make_function(TEXT, {"k": 1})]
    names = [functions[0].__code__.co_filename]

    class Checked(dict):
        def __getitem__(self, name):
            if functions:
                functions.clear()
                gc.collect()
            return super().__getitem__(name)

    monkeypatch.setattr(linecache, "cache", Checked(linecache.cache))
    linecache.checkcache()
    assert not functions
    assert linecache.getlines(names[0]) == []


def test_a_traceback_shows_the_text():
    with pytest.raises(TypeError) as caught:
        make_function(TEXT, {"k": "a"})(1)
    assert str(caught.traceback[-1].statement).strip() == "return x + k"
