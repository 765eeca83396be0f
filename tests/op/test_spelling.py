"""Whatever an element expression reads from its scalars is a word, or its class is refused."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from graphwright.op.op import Op
from graphwright.op.op_families import Elementwise, Reduction, Unary, no_element
from graphwright.op.spelling import WORDS, check_element
from graphwright.ops.math.special import Worded


def misspelt_helper(scalars: Any, x: Any) -> Any:
    return scalars.sqroot(x)


def helper(scalars: Any, x: Any) -> Any:
    return math.pi and misspelt_helper(scalars, x)


class Element(Unary):
    """Something to take element expressions from."""

    factor: float = math.pi

    def method(self, scalars: Any, x: Any) -> Any:
        return scalars.coshh(x)


def element_called(self: Any, words: Any, x: Any) -> Any:
    return words.abss(x)


def element_last(self: Any, scalars: Any, x: Any) -> Any:
    y = x
    return y, scalars.maximun(y, self.factor)


def element_handed_on(self: Any, scalars: Any, x: Any) -> Any:
    choose = scalars.selectt
    return choose(x, x, x)


def element_inside(self: Any, scalars: Any, *args: Any) -> Any:
    return [(lambda y: scalars.tanhh(y))(x) for x in args]


def element_with_helper(self: Any, scalars: Any, x: Any) -> Any:
    return helper(scalars, scalars.abs(x))


def element_with_method(self: Any, scalars: Any, x: Any) -> Any:
    return self.method(scalars, x)


def element_foreign(self: Any, scalars: Any, x: Any) -> Any:
    return scalars.frobnicate(x)


WRONG = {
    element_called: "Wrong: no word is called 'abss'; did you mean 'abs'?",
    element_last: "Wrong: no word is called 'maximun'; did you mean 'maximum'?",
    element_handed_on: "Wrong: no word is called 'selectt'; did you mean 'select'?",
    element_inside: "Wrong: no word is called 'tanhh'; did you mean 'tanh'?",
    element_with_helper: "Wrong: no word is called 'sqroot', which misspelt_helper reads from its "
    "scalars; did you mean 'sqrt'?",
    element_with_method: "Wrong: no word is called 'coshh', which Element.method reads from its "
    "scalars; did you mean 'cosh'?",
    element_foreign: "Wrong: no word is called 'frobnicate'",
}


@pytest.mark.parametrize("element", WRONG, ids=lambda element: element.__name__)
def test_a_misspelt_word_in_an_element_is_an_error(element: Any) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(WRONG[element])}$"):
        type("Wrong", (Element,), {"element": element})


def test_a_misspelt_word_of_a_record_is_an_error() -> None:
    message = "^Wrong: nothing combines elements by 'summ'; did you mean 'sum'[?]$"
    with pytest.raises(ValueError, match=message):
        type("Wrong", (Reduction,), {"type_name": "_Wrong", "combination": "summ"})
    message = "^Wrong: no word is called 'lgama'; did you mean 'lgamma'[?]$"
    with pytest.raises(ValueError, match=message):
        type("Wrong", (Worded,), {"type_name": "_Wrong", "word": "lgama"})


def right(self: Any, scalars: Any, x: Any) -> Any:
    """Whatever else an expression may name: fields, modules, built-in functions, attributes."""
    number = scalars.constant(self.factor * math.tau if len([x]) else self.missing.part, x)
    return scalars.add(scalars.constant(abs(-1), x).imag, scalars.mul(number, x).real)


@pytest.mark.parametrize("element", [right, no_element, None, staticmethod(misspelt_helper)])
def test_nothing_else_is_refused(element: Any) -> None:
    type("Right", (Element,), {"element": element})


def classes(base: type[Op]) -> list[type[Op]]:
    return [base, *(s for one in base.__subclasses__() for s in classes(one))]


def test_all_expressions_are_right_with_all_that_they_call() -> None:
    """Also those that call functions which stand behind them."""
    stated = [c for c in classes(Elementwise) if "element" in vars(c)]
    stated = [c for c in stated if c.__module__.startswith("graphwright.")]
    assert len(stated) > 90
    for one in stated:
        check_element(one)


def test_words_are_methods_of_scalars() -> None:
    assert {"abs", "select", "on_zero", "constant", "unary"} <= WORDS
