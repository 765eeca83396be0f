"""The words that machine code has are those that its renderer writes."""

from __future__ import annotations

from typing import Any

import pytest
from support.native_cases import RECORDS, kinds

from graphwright.compile.llvm.emitter import Emitter, Reg
from graphwright.compile.llvm.functions import elements
from graphwright.compile.nests.element_kinds import KINDS
from graphwright.compile.select import native_words
from graphwright.compile.select.native_words import NativeKinds, family
from graphwright.op import scalars
from graphwright.op.op import REGISTRY
from graphwright.op.op_families import Elementwise
from graphwright.op.scalars import NoNativeForm, NumpyScalars, Scalars


class Names(NumpyScalars):
    """Gives each word by its name."""

    def unary(self, function: str, x: Any) -> Any:
        return "unary", function

    def binary(self, function: str, x: Any, y: Any) -> Any:
        return "binary", function

    def compare(self, relation: str, x: Any, y: Any) -> Any:
        return "compare", relation


def test_each_word_is_a_method_and_each_method_a_word() -> None:
    named = set()
    for name, method in vars(Scalars).items():
        if name.startswith("_") or getattr(method, "__isabstractmethod__", False):
            continue
        operands = [None] * (method.__code__.co_argcount - 1)
        named.add(getattr(Names(), name)(*operands))
    assert named == {
        *[("unary", word) for word in scalars.UNARY],
        *[("binary", word) for word in scalars.BINARY],
        *[("compare", word) for word in scalars.COMPARE],
    }


@pytest.mark.parametrize("kind", KINDS.values())
@pytest.mark.parametrize("operands", [1, 2])
def test_the_renderer_has_the_same_words(kind: str, operands: int) -> None:
    tables = [scalars.UNARY, scalars.BINARY]
    for word in tables[operands - 1]:
        outcomes = []
        for implementation, operand in (
            (NativeKinds(), kind),
            (elements.VectorScalars(Emitter()), Reg("%x", kind, 2)),
        ):
            rule = implementation.unary if operands == 1 else implementation.binary
            try:
                result: Any = rule(word, *[operand] * operands)  # type: ignore[arg-type]
            except NoNativeForm:
                result = None
            outcomes.append(getattr(result, "kind", result))
        assert outcomes[0] == outcomes[1], (word, kind)


@pytest.mark.parametrize(("op", "name"), RECORDS, ids=str)
def test_kinds_tell_what_the_renderer_gives(op: Elementwise, name: str) -> None:
    given = kinds(op, name)
    words, reported = NativeKinds(), list[Reg]()
    vectors = elements.VectorScalars(Emitter(), reported.append)
    registers = [Reg(f"%x{i}", kind, 2) for i, kind in enumerate(given)]
    try:
        kind = op.element(words, *given)
    except NoNativeForm:
        with pytest.raises(NoNativeForm):
            op.element(vectors, *registers)
    else:
        assert kind == op.element(vectors, *registers).kind
        assert words.refuses == bool(reported)


def test_every_elementwise_op_states_an_element_or_that_it_has_none() -> None:
    ours = [op for op in REGISTRY.values() if op.__module__.startswith("graphwright.")]
    silent = [
        op.__name__
        for op in ours
        if issubclass(op, Elementwise) and op.element is Elementwise.element
    ]
    assert not silent


def test_families_are_those_of_kinds() -> None:
    assert {family(kind) for kind in KINDS.values()} == {"float", "integer", "bool"}
    assert set(elements.CHECKED) == native_words.CHECKED
