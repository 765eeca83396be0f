"""Kinds of values that an expression may have."""

from __future__ import annotations


class Kind:
    """Bits of a set of possibilities; UNKNOWN says that there may be others.

    Plain integers: enumerations would take half of the linter's time.
    """

    NOTHING = 0
    UNKNOWN = 1
    TENSOR = 2
    VARIABLE = 4
    TENSOR_ARRAY = 8
    DATASET = 16
    DATA_ITERATOR = 32
    NUMPY = 64
    NUMBER = 128
    BOOL = 256
    TEXT = 512
    NONE = 1024
    CONTAINER = 2048
    ITERATOR = 4096
    FUNCTION = 8192
    OBJECT = 16384  # of a class, of this file or another
    EXTERNAL = 32768  # a module, function or class of elsewhere, by its path


#: Values with which Python decides once, while a function is traced.
STATIC = Kind.NUMBER | Kind.BOOL | Kind.TEXT
#: So many lengths or shapes are more than two uses of one function.
MANY = 3
#: The depth to which items of items are known.
DEPTH = 3


def words(text: str) -> frozenset[str]:
    """The words of a table that is written as one text."""
    return frozenset(text.split())
