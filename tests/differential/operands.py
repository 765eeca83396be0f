"""Literals of all dtypes, and the texts that take the places of a form."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from differential import composite_forms, dense_forms, rare_forms

import graphwright as tf

#: Dtypes that a letter stands for, the more usual ones more often.
DTYPES = {
    "f": ("float32",) * 7 + ("float64",) * 3 + ("float16", "bfloat16"),
    "w": ("float32", "float32", "float32", "float64"),
    "o": ("float32",),
    "i": ("int32", "int32", "int64"),
    "u": ("int32",) * 4
    + ("int64", "int64", "int8", "uint8", "int16", "uint16", "uint32", "uint64"),
    "b": ("bool",),
    "s": ("string",),
    "c": ("complex64", "complex64", "complex128"),
}  # fmt: skip
DTYPES["n"] = DTYPES["f"] * 3 + DTYPES["u"] * 2 + DTYPES["c"]
DTYPES["x"] = DTYPES["n"] * 2 + DTYPES["b"] * 9 + DTYPES["s"] * 9

SIZES = (2, 2, 2, 2, 3, 3, 3, 1, 1, 4, 0)
_WORDS = ("'ab'", "'b a'", "''", "'aab'", "'Zü'", "'7'", "'x,y'", "'1.5'", "' s '")
_SPECIAL = ("float('nan')", "float('inf')", "-float('inf')", "-0.0", "1e-30", "1e30")
_PLACE = re.compile(r"\{\{\}\}|\{([^{}]+)\}")
_TENSOR = re.compile(r"([a-z=~])(\d|\+)?")
_CHOICE = re.compile(r"<([^<>]*\|[^<>]*)>")
#: Forms whose function gets items of the first operand, and not the operand.
_BY_ITEM = re.compile(r"tf\.(map_fn|vectorized_map|scan|fold)|.*\nfor row in tf\.unstack")

FAMILIES = {**dense_forms.FORMS, **composite_forms.FORMS, **rare_forms.FORMS}
_SIMPLE = (*dense_forms.FORMS["arithmetic"], *dense_forms.FORMS["elementwise"])

Names = Mapping[str, Any]


def is_dense(value: Any) -> bool:
    """Whether a value is a tensor or a variable."""
    return isinstance(value, (tf.Tensor, tf.Variable))


def dtype_name(value: Any) -> str:
    """The name of a tensor's dtype."""
    return str(value.dtype.name)


def has_rank(rank: int, wanted: str | None) -> bool:
    """Whether a rank is the one that a place has, `+` for any but 0."""
    return wanted is None or (rank > 0 if wanted == "+" else rank == int(wanted))


class Operands:
    """Texts of operands by chance."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        #: How often a float is none that people write.
        self.wild = 0.0

    def often(self, probability: float) -> bool:
        """True as often as that."""
        return self.chance.random() < probability

    # -- literals --------------------------------------------------------------------------

    def number(self, dtype: str) -> str:
        """One element of a dtype as a literal."""
        if dtype == "bool":
            return self.chance.choice(("True", "False"))
        if dtype == "string":
            return self.chance.choice(_WORDS)
        if dtype.startswith("complex"):
            return f"{self.number('float32')} + {self.chance.choice((0, 1, 2, -0.5))}j"
        if "float" in dtype:
            if self.often(self.wild):
                return self.chance.choice(_SPECIAL)
            return str(self.chance.randint(-12, 16) / 4)
        if self.often(self.wild) and dtype in ("int32", "int64"):
            return self.chance.choice(("2**31 - 1", "-2**31", "100000", "-7"))
        return str(self.chance.randint(0, 5) if self.often(0.7) or "u" in dtype else -1)

    def shape(self, rank: int | None = None) -> tuple[int, ...]:
        """A shape, of a rank if that is given."""
        if rank is None:
            rank = self.chance.choice((0, 1, 1, 2, 2, 2, 3))
        return tuple(self.chance.choice(SIZES) for _ in range(rank))

    def nested(self, dtype: str, shape: Sequence[int]) -> str:
        """Nested lists of literals."""
        if not shape:
            return self.number(dtype)
        return "[" + ", ".join(self.nested(dtype, shape[1:]) for _ in range(shape[0])) + "]"

    def literal(self, dtype: str, shape: Sequence[int]) -> str:
        """A tensor as a literal; the dtype stands in it where Python's would be another."""
        text = self.nested(dtype, shape)
        if 0 in shape:
            zeros = f"tf.zeros({list(shape)}, tf.{dtype})"
            return (
                zeros
                if list(shape).index(0) < len(shape) - 1
                else f"tf.constant({text}, tf.{dtype}, {list(shape)})"
            )
        usual = dtype in ("float32", "int32", "bool", "string")
        return f"tf.constant({text})" if usual else f"tf.constant({text}, tf.{dtype})"

    def ragged(self, dtype: str) -> str:
        """A ragged tensor as a literal."""
        rows = [
            self.nested(dtype, [self.chance.randint(0, 3)])
            for _ in range(self.chance.randint(1, 3))
        ]
        return f"tf.ragged.constant([{', '.join(rows)}], tf.{dtype})"

    def sparse(self, dtype: str) -> str:
        """A sparse matrix as a literal."""
        rows, columns = self.chance.randint(1, 3), self.chance.randint(1, 4)
        places = [[i, j] for i in range(rows) for j in range(columns) if self.often(0.4)]
        values = self.nested(dtype, [len(places)])
        indices = f"tf.constant({places}, tf.int64)" if places else "tf.zeros([0, 2], tf.int64)"
        return f"tf.SparseTensor({indices}, tf.constant({values}, tf.{dtype}), [{rows}, {columns}])"

    # -- places ----------------------------------------------------------------------------

    def fill(self, form: str, names: Names, first: str = "") -> str:
        """The text of a form over names that are bound; `first` takes its first place."""
        form = _CHOICE.sub(lambda m: self.chance.choice(m[1].split("|")), form)
        texts: list[str] = []  # of tensors, in order

        def text(match: re.Match[str]) -> str:
            place = match[1]
            if place is None:
                return "{}"
            if place.startswith("E:"):
                return self.inner(form, place[2:], texts[0] if texts else "", names)
            simple = self.simple(place, texts[0] if texts else "", names)
            if simple is not None:
                return simple
            if not texts and first:
                texts.append(first)
            else:
                texts.append(self.operand(place, texts[0] if texts else "", names))
            return texts[-1]

        return _PLACE.sub(text, form)

    def inner(self, form: str, name: str, first: str, names: Names) -> str:
        """An expression of a name that a function binds."""
        value = self.value(first, names)
        if _BY_ITEM.match(form) and value is not None and value.shape.rank:
            value = value[0] if value.shape[0] else None
        if value is None:
            return name
        for _ in range(8):
            simple = self.chance.choice(_SIMPLE)
            text = self.fill(simple, {**names, name: value}, name)
            if self.value(text, {**names, name: value}) is not None:
                return text
        return f"{name} + {name}"

    def value(self, text: str, names: Names) -> Any:
        """What a text gives; None where it fails."""
        try:
            return eval(text, dict(names)) if text else None
        except Exception:  # noqa: BLE001 - the text is no operand then
            return None

    def simple(self, place: str, first: str, names: Names) -> str | None:
        """The text of a place that is for no tensor."""
        if place == "$":
            return first
        if place == "k":
            return str(self.chance.choice((0, 1, 1, 2, 2, 3, -1 if self.often(0.2) else 4)))
        if place == "p":
            return str(self.chance.choice((1, 1, 2, 2, 3)))
        if place == "D":
            return f"tf.{self.chance.choice(DTYPES['n'] + ('bool',) * 3)}"
        if place not in ("@", "q", "^", "^^", "^s"):
            return None
        value = self.value(first, names)
        rank = getattr(getattr(value, "shape", None), "rank", None) or 0
        if place == "@":
            beyond = rank + self.often(0.03)
            return str(self.chance.randrange(-beyond, beyond)) if beyond else "0"
        if place == "q":
            dtype = dtype_name(value) if hasattr(value, "dtype") else "float32"
            return self.number(
                "float32" if "float" in dtype else "int32" if dtype != "string" else dtype
            )
        size = int(value.shape[0] or 1) if rank else 2
        if place == "^s":
            ids = sorted(self.chance.randrange(3) for _ in range(size))
            return f"tf.constant({ids})"
        last = size + self.often(0.05)
        picked = [self.chance.randrange(last) for _ in range(size)]
        indices: Any = [[i] for i in picked] if place == "^^" else picked
        return f"tf.constant({indices}{', tf.int64' if self.often(0.3) else ''})"

    def operand(self, place: str, first: str, names: Names) -> str:
        """A tensor for a place: a name that fits, or a literal."""
        match = _TENSOR.fullmatch(place)
        if match is None:
            raise ValueError(f"no place: {place}")
        letter, ranked = match.groups()
        if letter in "rz":
            return self.composite(letter, names)
        model = self.value(first, names) if letter in "=~" else None
        wanted = None if model is None else dtype_name(model)
        shape = (
            tuple(model.shape)
            if letter == "~" and model is not None and model.shape.rank is not None
            else None
        )
        fitting = [
            name
            for name, value in names.items()
            if is_dense(value) and not name.startswith("_")
            and dtype_name(value) in ([wanted] if letter in "=~" else DTYPES[letter])
            and (shape is None or tuple(value.shape) == shape)
            and has_rank(value.shape.rank, ranked)
        ]  # fmt: skip
        if fitting and self.often(0.85):
            later = fitting[-2:]
            return self.chance.choice(later if self.often(0.5) else fitting)
        dtype = wanted or self.chance.choice(DTYPES.get(letter, DTYPES["f"]))
        if shape is not None:
            draw = self.chance.random()
            shape = (
                shape
                if draw < 0.6
                else ()
                if draw < 0.8
                else shape[1:]
                if draw < 0.9
                else tuple(1 for _ in shape)
            )
            return self.literal(dtype, shape)
        rank = (
            None
            if ranked is None
            else int(ranked)
            if ranked != "+"
            else self.chance.choice((1, 1, 2, 2, 3))
        )
        return self.literal(dtype, self.shape(rank))

    def composite(self, letter: str, names: Names) -> str:
        """A ragged or sparse tensor."""
        kind = tf.RaggedTensor if letter == "r" else tf.SparseTensor
        fitting = [n for n, value in names.items() if isinstance(value, kind)]
        if fitting and self.often(0.9):
            return self.chance.choice(fitting)
        dtype = self.chance.choice(("float32", "float32", "int32", "int64", "float64", "string"))
        return self.ragged(dtype) if letter == "r" else self.sparse(dtype)
