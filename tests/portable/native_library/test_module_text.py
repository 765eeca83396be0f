"""Texts of LLVM become one module, whatever each of them declares and defines."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from graphwright.portable.native_library.module_text import joined, private, referred

FIRST = """
declare ptr @malloc(i64)
declare i64 @double(i64)
define i64 @run(i64 %x) #0 {
  %y = call i64 @double(i64 %x)
  %z = call i64 @run.part(i64 %y)
  ret i64 %z
}
define internal i64 @run.part(i64 %x) #0 {
  ret i64 %x
}
attributes #0 = { nounwind }
"""
SECOND = """
declare ptr @malloc(i64)
define i64 @double(i64 %x) #0 {
  %y = add i64 %x, %x
  ret i64 %y
}
attributes #0 = { nounwind }
"""


def test_functions_get_names_of_their_own() -> None:
    module = joined([private(FIRST, ".0"), private(FIRST, ".1"), private(SECOND, "")])
    parsed = llvm.parse_assembly(module)
    functions = {f.name: f.linkage for f in parsed.functions if not f.is_declaration}
    assert set(functions) == {"run.0", "run.part.0", "run.1", "run.part.1", "double"}
    assert set(functions.values()) == {llvm.Linkage.internal}
    assert referred(module) == {"malloc"}


def test_a_constant_of_several_texts_is_there_once() -> None:
    table = "@table = internal constant [2 x i64] [i64 1, i64 2]\n"
    module = joined([table + FIRST, "@table = external global i8\n", table + SECOND])
    assert module.count("@table") == 1
    llvm.parse_assembly(module).verify()
    with pytest.raises(ValueError, match="two objects are called table"):
        joined([table, table.replace("i64 2]", "i64 3]")])


def test_names_may_be_given() -> None:
    assert "@gw_double(i64 %x)" in private(SECOND, ".0", {"double": "gw_double"})


def test_what_is_not_defined_is_referred_to() -> None:
    assert referred(FIRST) == {"malloc", "double"}
