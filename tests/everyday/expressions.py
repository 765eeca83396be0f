"""Expressions of a type, as people write them.

A method whose name begins with `any_`, `float_`, `int_` or `bool_` is one way to write a tensor of
this kind: given the shape and how deep the expression may go on, the text, or None.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from everyday.scope import BOOL, FLOAT, INT, Base, Dim, Shape, Type, Variable, is_known, is_one

_UNARY = (
    "-{}", "tf.abs({})", "tf.tanh({})", "tf.sin({})", "tf.cos({})", "tf.nn.relu({})",
    "tf.sigmoid({})", "tf.square({})", "tf.exp(-tf.abs({}))", "tf.sqrt(tf.abs({}) + 1.0)",
    "tf.math.log(tf.abs({}) + 1.0)", "tf.sign({})", "tf.floor({})", "tf.round({})",
    "tf.identity({})", "tf.stop_gradient({})", "tf.clip_by_value({}, -1.0, 2.0)", "abs({})",
    "tf.nn.softplus({})", "tf.math.atan({})", "{} ** 2", "1.0 - {}", "2.0 * {}", "{} / 2.0",
    "{} + 1.0", "{} - 0.5", "tf.nn.leaky_relu({})", "0.5 * {}",
)  # fmt: skip
_BINARY = (
    "{} + {}", "{} - {}", "{} * {}", "{} + {}", "{} * {}", "tf.maximum({}, {})",
    "tf.minimum({}, {})", "{} / (tf.abs({}) + 1.0)", "tf.math.squared_difference({}, {})",
    "tf.math.divide_no_nan({}, {})", "{} - 0.5 * {}", "tf.add({}, {})", "tf.multiply({}, {})",
)  # fmt: skip
_INTEGER = (
    "{} + {}", "{} - {}", "({} * {}) % 7", "tf.maximum({}, {})", "tf.minimum({}, {})",
    "({} + {}) % 5", "{} // (tf.abs({}) + 1)",
)  # fmt: skip
_COMPARISONS = ("<", ">", "<=", ">=", "<", ">", "==", "!=")
_CONSTANT = re.compile(r"tf\.(?:constant|zeros|ones|fill)\b")
_NAME = re.compile(r"\b[a-z]\w*")
_FLOATS = ("0.0", "1.0", "0.5", "2.0", "-1.0", "0.25", "1.5", "3.0", "-0.5", "4.0")
_INTS = ("0", "1", "2", "3", "-1", "4", "5")


class Expressions(Base):
    """Writes expressions over what is in scope."""

    def __init__(self, r: random.Random) -> None:
        super().__init__(r)
        self.ways: dict[str, list[Callable[[str, Shape, int], str | None]]] = {}
        for kind, word in ((FLOAT, "float_"), (INT, "int_"), (BOOL, "bool_")):
            self.ways[kind] = [
                getattr(self, name) for name in sorted(dir(self)) if name.startswith((word, "any_"))
            ]

    # -- leaves ---------------------------------------------------------------------------

    def value(self, kind: str, shape: Shape, depth: int) -> str:
        """Of some expressions the one that reads most variables for its length."""
        texts = [self.expression(kind, shape, depth) for _ in range(3)]
        return min(texts, key=lambda text: 3 * len(_CONSTANT.findall(text)) - self.reads(text))

    def reads(self, text: str) -> int:
        """How many different variables a text reads."""
        return len(set(_NAME.findall(text)) & self.scope.variables.keys())

    def expression(self, kind: str, shape: Shape, depth: int) -> str:
        """A tensor of this kind and shape; ints without axes may be Python's."""
        known = self.scope.of(kind, shape)
        if depth <= 0 or (known and self.chance(0.35)):
            return self.leaf(kind, shape)
        for _ in range(6):
            text = self.r.choice(self.ways[kind])(kind, shape, depth - 1)
            if text:
                return f"({text})" if " " in text else text
        return self.leaf(kind, shape)

    def leaf(self, kind: str, shape: Shape) -> str:
        """A variable, or a new tensor."""
        known = self.scope.of(kind, shape)
        if known and self.chance(0.9):
            return self.r.choice(known).name
        return self.constant(kind, shape)

    def literal(self, kind: str) -> str:
        """A Python number."""
        return self.pick({FLOAT: _FLOATS, INT: _INTS, BOOL: ("True", "False")}[kind])

    def constant(self, kind: str, shape: Shape) -> str:
        """A tensor that depends on nothing but sizes."""
        dtype = self.dtype_of(kind)
        if is_known(shape) and (self.chance(0.6) or kind == BOOL):
            return self.numbers(kind, shape)
        like = [v.name for k in (FLOAT, INT) for v in self.scope.of(k, shape)]
        if like and kind != BOOL and self.chance(0.3):
            form = self.pick(["tf.zeros_like({}, {})", "tf.ones_like({}, {})"])
            return form.format(self.pick(like), dtype)
        if kind == BOOL:
            return f"tf.fill({self.dims(shape)}, {self.literal(BOOL)})"
        if self.chance(0.3):
            value = self.literal(kind)
            if kind == FLOAT and self.dtype != "tf.float32":
                value = f"tf.constant({value}, {dtype})"
            return f"tf.fill({self.dims(shape)}, {value})"
        return f"tf.{self.pick(['zeros', 'ones'])}({self.dims(shape)}, {dtype})"

    def numbers(self, kind: str, shape: Shape) -> str:
        """`tf.constant` of a nested list."""

        def nested(rest: Shape) -> str:
            if not rest:
                return self.literal(kind)
            return "[" + ", ".join(nested(rest[1:]) for _ in range(int(rest[0]))) + "]"

        empty = 0 in shape
        typed = empty or (kind == FLOAT and self.dtype != "tf.float32")
        return f"tf.constant({nested(shape)}{', ' + self.dtype_of(kind) if typed else ''})"

    def scalar(self, kind: str, depth: int) -> str:
        """A number, Python's perhaps: an operand beside a tensor, or a part of a test."""
        plain = self.scope.of(kind, (), plain=True)
        if plain and self.chance(0.5):
            return self.r.choice(plain).name
        return self.literal(kind) if self.chance(0.3) else self.expression(kind, (), depth)

    def index(self, dim: Dim, depth: int = 1) -> str:
        """An index along an axis of this size, in range but for wild programs."""
        index = self.expression(INT, (), depth)
        if self.chance(self.wild):
            return index
        if isinstance(dim, int) and self.chance(0.3):
            return str(self.r.randrange(dim)) if self.chance(0.8) else "-1"
        if isinstance(dim, int) and self.chance(0.2):
            return f"tf.clip_by_value({index}, 0, {dim - 1})"
        return f"({index}) % {self.size(dim)}"

    def indices(self, dim: Dim, shape: Shape, depth: int = 1) -> str:
        """Indices along an axis of this size."""
        found = self.expression(INT, shape, depth)
        if self.chance(self.wild):
            return found
        if self.chance(0.25):
            return f"tf.clip_by_value({found}, 0, {self.size(dim)} - 1)"
        return f"({found}) % {self.size(dim)}"

    def narrower(self, shape: Shape) -> Shape:
        """A shape that broadcasts to this one."""
        if self.chance(0.6):
            return shape
        if self.chance(0.5):
            return ()
        start = self.r.randint(0, len(shape))
        return tuple(1 if self.chance(0.3) else d for d in shape[start:])

    def larger(self, kind: str, shape: Shape) -> tuple[Shape, int] | None:
        """The shape of some variable that has one axis more, and which that is."""
        found = [
            (v.type.shape, axis)
            for v in self.scope.variables.values()
            for axis in range(len(v.type.shape))
            if v.type.kind == kind and v.type.shape[:axis] + v.type.shape[axis + 1 :] == shape
        ]
        return self.r.choice(found) if found else None

    def variable_with(self, kind: str, rest: Shape) -> Variable | None:
        """A variable whose items along the first axis have this shape."""
        found = [
            v
            for v in self.scope.variables.values()
            if v.type.kind == kind and v.type.shape and v.type.shape[1:] == rest
        ]
        return self.r.choice(found) if found else None

    # -- tests ----------------------------------------------------------------------------

    def test(self, depth: int = 1) -> str:
        """What `if` and `while` ask."""
        draw = self.r.random()
        if draw < 0.1 and depth:
            word = self.pick(["and", "or"])
            return f"{self.test(depth - 1)} {word} {self.test(depth - 1)}"
        if draw < 0.15 and depth:
            return f"not ({self.test(depth - 1)})"
        flags = self.scope.of(BOOL, (), plain=True)
        if flags and draw < 0.35:
            return self.r.choice(flags).name
        if draw < 0.5:
            return f"{self.scalar(INT, 1)} % {self.pick('23')} == {self.pick('01')}"
        if draw < 0.65:
            found = [v for v in self.scope.variables.values() if v.type.shape]
            if found:
                v = self.r.choice(found)
                if v.type.kind == BOOL:
                    return f"tf.reduce_{self.pick(['any', 'all'])}({v.name})"
                limit = self.literal(v.type.kind)
                form = self.pick(
                    ["tf.reduce_sum({}) {} {}", "tf.reduce_max({}) {} {}",
                     "tf.reduce_any({} {} {})", "tf.reduce_all({} {} {})"]
                )  # fmt: skip
                return form.format(v.name, self.pick(_COMPARISONS[:4]), limit)
        kind = FLOAT if self.chance(0.5) else INT
        comparison = self.pick(_COMPARISONS if kind == INT else _COMPARISONS[:4])
        return f"{self.scalar(kind, depth)} {comparison} {self.scalar(kind, 0)}"

    # -- floats ---------------------------------------------------------------------------

    def float_unary(self, kind: str, shape: Shape, depth: int) -> str | None:
        return self.pick(_UNARY).format(self.expression(kind, shape, depth))

    def float_binary(self, kind: str, shape: Shape, depth: int) -> str | None:
        operands = [self.expression(FLOAT, shape, depth)]
        narrow = self.narrower(shape)
        operands.append(
            self.scalar(FLOAT, depth) if not narrow else self.expression(FLOAT, narrow, depth)
        )
        form = self.pick(_BINARY)
        if "tf." not in form:
            self.r.shuffle(operands)
        return form.format(*operands)

    float_binary_again = float_binary_too = float_binary

    def float_reduced(self, kind: str, shape: Shape, depth: int) -> str | None:
        larger = self.larger(FLOAT, shape)
        if larger is None:
            return None
        name = self.pick(["sum", "mean", "max", "min", "sum", "logsumexp", "prod"])
        return f"tf.reduce_{name}({self.expression(FLOAT, larger[0], depth)}, axis={larger[1]})"

    def float_total(self, kind: str, shape: Shape, depth: int) -> str | None:
        found = [v for v in self.scope.variables.values() if v.type.kind == FLOAT and v.type.shape]
        if not found or not is_one(shape):
            return None
        v = self.r.choice(found)
        name = self.pick(["sum", "mean", "max", "min"])
        if shape and len(v.type.shape) == len(shape):
            return f"tf.reduce_{name}({v.name}, keepdims=True)"
        if shape:
            return None
        if len(v.type.shape) == 1 and self.chance(0.2):
            return f"tf.tensordot({v.name}, {self.expression(FLOAT, v.type.shape, depth)}, 1)"
        if self.chance(0.1):
            return f"tf.norm({v.name})"
        return f"tf.reduce_{name}({self.expression(FLOAT, v.type.shape, depth)})"

    def float_cast(self, kind: str, shape: Shape, depth: int) -> str | None:
        other = INT if self.chance(0.7) else BOOL
        return f"tf.cast({self.expression(other, shape, depth)}, {self.dtype})"

    def float_matmul(self, kind: str, shape: Shape, depth: int) -> str | None:
        if len(shape) == 1:
            found = self.larger(FLOAT, shape)
            if found is None or found[1] != 1:
                return None
            inner = found[0][1]
            a, b = self.expression(FLOAT, found[0], depth), self.expression(FLOAT, (inner,), depth)
            return f"tf.linalg.matvec({a}, {b})"
        if len(shape) != 2:
            return None
        inner = self.r.choice([1, 2, 3, *shape, 1])
        a = self.expression(FLOAT, (shape[0], inner), depth)
        b = self.expression(FLOAT, (inner, shape[1]), depth)
        return self.pick([f"tf.matmul({a}, {b})", f"{a} @ {b}"])

    float_matmul_again = float_matmul

    def float_einsum(self, kind: str, shape: Shape, depth: int) -> str | None:
        if len(shape) != 2:
            return None
        a = self.expression(FLOAT, (shape[0],), depth)
        b = self.expression(FLOAT, (shape[1],), depth)
        return self.pick([f"tf.einsum('i,j->ij', {a}, {b})", f"tf.tensordot({a}, {b}, 0)"])

    def float_softmax(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not shape:
            return None
        name = self.pick(["tf.nn.softmax", "tf.nn.log_softmax", "tf.math.l2_normalize"])
        return f"{name}({self.expression(FLOAT, shape, depth)})"

    def float_triangle(self, kind: str, shape: Shape, depth: int) -> str | None:
        if len(shape) != 2:
            return None
        bounds = self.pick(["-1, 0", "0, -1", "0, 0", "1, 1"])
        return f"tf.linalg.band_part({self.expression(FLOAT, shape, depth)}, {bounds})"

    def float_mapped(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not shape or not self.chance(0.4):
            return None
        item = self.fresh("item", "e", "r", "s")
        inside = self.within([Variable(item, Type(FLOAT, shape[1:]))], FLOAT, shape[1:], depth)
        return f"tf.map_fn(lambda {item}: {inside}, {self.expression(FLOAT, shape, depth)})"

    def float_scan(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not shape or not self.chance(0.4):
            return None
        a, e = self.fresh("a", "acc"), self.fresh("e", "item")
        names = [Variable(a, Type(FLOAT, shape[1:])), Variable(e, Type(FLOAT, shape[1:]))]
        inside = self.within(names, FLOAT, shape[1:], depth)
        start = f", {self.expression(FLOAT, shape[1:], depth)}" if self.chance(0.6) else ""
        return f"tf.scan(lambda {a}, {e}: {inside}, {self.expression(FLOAT, shape, depth)}{start})"

    def float_fold(self, kind: str, shape: Shape, depth: int) -> str | None:
        v = self.variable_with(FLOAT, shape)
        if v is None or not self.chance(0.5):
            return None
        a, e = self.fresh("a", "acc"), self.fresh("e", "item")
        names = [Variable(a, Type(FLOAT, shape)), Variable(e, Type(FLOAT, shape))]
        inside = self.within(names, FLOAT, shape, depth)
        start = self.expression(FLOAT, shape, depth)
        return f"tf.{self.pick(['foldl', 'foldr'])}(lambda {a}, {e}: {inside}, {v.name}, {start})"

    # -- ints -----------------------------------------------------------------------------

    def int_binary(self, kind: str, shape: Shape, depth: int) -> str | None:
        narrow = self.narrower(shape)
        other = self.scalar(INT, depth) if not narrow else self.expression(INT, narrow, depth)
        return self.pick(_INTEGER).format(self.expression(INT, shape, depth), other)

    int_binary_again = int_binary

    def int_cast(self, kind: str, shape: Shape, depth: int) -> str | None:
        if self.chance(0.5):
            return f"tf.cast({self.expression(BOOL, shape, depth)}, tf.int32)"
        inside = self.expression(FLOAT, shape, depth)
        return f"tf.cast(tf.clip_by_value({inside}, -3.0, 3.0), tf.int32)"

    def int_reduced(self, kind: str, shape: Shape, depth: int) -> str | None:
        larger = self.larger(INT, shape)
        if larger is None:
            return None
        name = self.pick(["sum", "max", "min"])
        return f"tf.reduce_{name}({self.expression(INT, larger[0], depth)}, axis={larger[1]})"

    def int_argmax(self, kind: str, shape: Shape, depth: int) -> str | None:
        larger = self.larger(FLOAT, shape)
        if larger is None:
            return None
        name = self.pick(["argmax", "argmin"])
        inside = self.expression(FLOAT, larger[0], depth)
        return f"tf.{name}({inside}, axis={larger[1]}, output_type=tf.int32)"

    def int_size(self, kind: str, shape: Shape, depth: int) -> str | None:
        if shape:
            v = [d for d in shape if isinstance(d, str)]
            if len(shape) == 1 and (v or self.chance(0.5)):
                return f"tf.range({self.size(shape[0])})"
            return None
        found = [v for v in self.scope.variables.values() if v.type.shape]
        if not found:
            return None
        v = self.r.choice(found)
        axis = self.r.randrange(len(v.type.shape))
        return self.pick([f"tf.shape({v.name})[{axis}]", f"tf.size({v.name})"])

    def int_counted(self, kind: str, shape: Shape, depth: int) -> str | None:
        larger = self.larger(BOOL, shape)
        if larger is not None and self.chance(0.5):
            inside = self.expression(BOOL, larger[0], depth)
            return f"tf.math.count_nonzero({inside}, axis={larger[1]}, dtype=tf.int32)"
        found = [v for v in self.scope.variables.values() if v.type.kind == FLOAT and v.type.shape]
        if shape or not found:
            return None
        return f"tf.reduce_sum(tf.cast({self.r.choice(found).name} > 0.0, tf.int32))"

    # -- bools ----------------------------------------------------------------------------

    def bool_comparison(self, kind: str, shape: Shape, depth: int) -> str | None:
        kind = FLOAT if self.chance(0.6) else INT
        sign = self.pick(_COMPARISONS if kind == INT else _COMPARISONS[:4])
        narrow = self.narrower(shape)
        left = self.expression(kind, shape, depth)
        if narrow:
            return f"{left} {sign} {self.expression(kind, narrow, depth)}"
        return f"{left} {sign} {self.scalar(kind, depth)}"

    bool_comparison_again = bool_comparison

    def bool_logical(self, kind: str, shape: Shape, depth: int) -> str | None:
        name = self.pick(["and", "or", "xor"])
        a, b = self.expression(BOOL, shape, depth), self.expression(BOOL, shape, depth)
        module = "tf.math" if name == "xor" else "tf"
        return f"{module}.logical_{name}({a}, {b})"

    def bool_not(self, kind: str, shape: Shape, depth: int) -> str | None:
        return f"tf.logical_not({self.expression(BOOL, shape, depth)})"

    def bool_reduced(self, kind: str, shape: Shape, depth: int) -> str | None:
        larger = self.larger(self.r.choice([FLOAT, INT, BOOL]), shape)
        if larger is None:
            return None
        name = self.pick(["any", "all"])
        return f"tf.reduce_{name}({self.expression(BOOL, larger[0], depth)}, axis={larger[1]})"

    # -- all kinds ------------------------------------------------------------------------

    def any_where(self, kind: str, shape: Shape, depth: int) -> str | None:
        condition = self.expression(BOOL, shape if self.chance(0.7) else (), depth)
        narrow = self.narrower(shape)
        one, other = self.expression(kind, shape, depth), self.expression(kind, narrow, depth)
        return f"tf.where({condition}, {one}, {other})"

    def any_ternary(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not self.chance(0.4):
            return None
        one, other = self.expression(kind, shape, depth), self.expression(kind, shape, depth)
        return f"{one} if {self.test(0)} else {other}"

    def any_cond(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not self.chance(0.3):
            return None
        one, other = self.expression(kind, shape, depth), self.expression(kind, shape, depth)
        return f"tf.cond({self.expression(BOOL, (), depth)}, lambda: {one}, lambda: {other})"

    def any_switch(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not self.chance(0.3):
            return None
        count = self.r.randint(2, 3)
        branches = ", ".join(f"lambda: {self.expression(kind, shape, depth)}" for _ in range(count))
        index = self.expression(INT, (), depth)
        if index.isidentifier():
            index = f"tf.cast({index}, tf.int32)"  # Python's number is refused by TensorFlow
        return f"tf.switch_case({index}, [{branches}])"

    def any_stack(self, kind: str, shape: Shape, depth: int) -> str | None:
        axes = [i for i, d in enumerate(shape) if isinstance(d, int) and 1 <= d <= 3]
        if not axes:
            return None
        axis = self.r.choice(axes)
        rest = shape[:axis] + shape[axis + 1 :]
        items = ", ".join(self.expression(kind, rest, depth) for _ in range(int(shape[axis])))
        return f"tf.stack([{items}]{f', axis={axis}' if axis else ''})"

    def any_concat(self, kind: str, shape: Shape, depth: int) -> str | None:
        axes = [i for i, d in enumerate(shape) if isinstance(d, int) and d >= 2]
        if not axes:
            return None
        axis = self.r.choice(axes)
        first = self.r.randint(1, int(shape[axis]) - 1)
        parts = [
            self.expression(kind, (*shape[:axis], n, *shape[axis + 1 :]), depth)
            for n in (first, int(shape[axis]) - first)
        ]
        return f"tf.concat([{', '.join(parts)}], {self.pick(['', 'axis='])}{axis})"

    def any_pad(self, kind: str, shape: Shape, depth: int) -> str | None:
        axes = [i for i, d in enumerate(shape) if isinstance(d, int) and d >= 2]
        if not axes or kind == BOOL:
            return None
        axis = self.r.choice(axes)
        inner = self.r.randint(1, int(shape[axis]) - 1)
        before = self.r.randint(0, int(shape[axis]) - inner)
        after = int(shape[axis]) - inner - before
        pads = [[before, after] if i == axis else [0, 0] for i in range(len(shape))]
        inside = self.expression(kind, (*shape[:axis], inner, *shape[axis + 1 :]), depth)
        mode = self.pick(["", "", ", constant_values=1", ", mode='SYMMETRIC'"])
        if "SYM" in mode and (before > inner or after > inner):
            mode = ""
        return f"tf.pad({inside}, {pads}{mode})"

    def any_item(self, kind: str, shape: Shape, depth: int) -> str | None:
        v = self.variable_with(kind, shape)
        if v is None:
            return None
        index = self.index(v.type.shape[0], depth)
        if self.chance(0.25):
            return f"tf.gather({v.name}, {index})"
        return f"{v.name}[{index}]"

    any_item_again = any_item

    def any_column(self, kind: str, shape: Shape, depth: int) -> str | None:
        found = [
            v
            for v in self.scope.variables.values()
            if v.type.kind == kind and len(v.type.shape) == 2 and v.type.shape[:1] == shape
        ]
        if not found:
            return None
        v = self.r.choice(found)
        return f"{v.name}[:, {self.index(v.type.shape[1], depth)}]"

    def any_element(self, kind: str, shape: Shape, depth: int) -> str | None:
        found = [
            v for v in self.scope.variables.values()
            if v.type.kind == kind and len(v.type.shape) == 2
        ]  # fmt: skip
        if shape or not found:
            return None
        v = self.r.choice(found)
        row, column = (self.index(d, depth) for d in v.type.shape)
        return f"{v.name}[{row}, {column}]"

    def any_slice(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not shape:
            return None
        v = self.variable_with(kind, shape[1:])
        if v is None or not isinstance(shape[0], int):
            return None
        whole, part = v.type.shape[0], shape[0]
        if isinstance(whole, str) or whole < part:
            return None
        start = self.r.randint(0, whole - part)
        if self.chance(0.3) and whole > part:
            begin = f"({self.expression(INT, (), depth)}) % {whole - part + 1}"
            rest = "".join(f", {self.size(d)}" for d in shape[1:])
            zeros = ", 0" * (len(shape) - 1)
            return f"tf.slice({v.name}, [{begin}{zeros}], [{part}{rest}])"
        if start + part == whole and self.chance(0.5):
            return f"{v.name}[{start or ''}:]" if start else f"{v.name}[:]"
        return f"{v.name}[{start or ''}:{start + part}]"

    def any_gather(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not shape:
            return None
        v = self.variable_with(kind, shape[1:])
        if v is None:
            return None
        inside = self.expression(kind, v.type.shape, depth)
        return f"tf.gather({inside}, {self.indices(v.type.shape[0], shape[:1], depth)})"

    def any_gathered_points(self, kind: str, shape: Shape, depth: int) -> str | None:
        v = self.variable_with(kind, shape)
        if v is None or not self.chance(0.4):
            return None
        return f"tf.gather_nd({v.name}, [{self.index(v.type.shape[0], depth)}])"

    def any_one_element(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not is_one(shape):
            return None
        found = [
            v for v in self.scope.variables.values()
            if v.type.kind == kind and v.type.shape != shape and is_one(v.type.shape)
            and (kind != FLOAT or not v.is_plain)
        ]  # fmt: skip
        if not found:
            inside = self.expression(kind, (1,) if not shape else (), depth)
            return f"tf.reshape({inside}, {self.dims(shape)})"
        v = self.r.choice(found)
        rank = len(v.type.shape)
        if not shape:
            return self.pick([f"tf.squeeze({v.name})", f"{v.name}[{', '.join('0' * rank)}]",
                              f"tf.reshape({v.name}, [])"])  # fmt: skip
        if len(shape) == rank + 1:
            return f"tf.expand_dims({v.name}, {self.pick(['0', '-1'])})"
        return f"tf.reshape({v.name}, {self.dims(shape)})"

    any_one_element_again = any_one_element

    def any_expanded(self, kind: str, shape: Shape, depth: int) -> str | None:
        axes = [i for i, d in enumerate(shape) if d == 1]
        if not axes:
            return None
        axis = self.r.choice(axes)
        inside = self.expression(kind, shape[:axis] + shape[axis + 1 :], depth)
        return f"tf.expand_dims({inside}, {axis})"

    def any_squeezed(self, kind: str, shape: Shape, depth: int) -> str | None:
        if len(shape) > 1:
            return None
        axis = self.r.randint(0, len(shape))
        inside = self.expression(kind, (*shape[:axis], 1, *shape[axis:]), depth)
        return f"tf.squeeze({inside}, {self.pick(['', 'axis='])}{axis})"

    def any_transpose(self, kind: str, shape: Shape, depth: int) -> str | None:
        if len(shape) != 2:
            return None
        return f"tf.transpose({self.expression(kind, shape[::-1], depth)})"

    def any_broadcast(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not shape:
            return None
        narrow = self.narrower(shape)
        return f"tf.broadcast_to({self.expression(kind, narrow, depth)}, {self.dims(shape)})"

    def any_tile(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not shape:
            return None
        inside = self.expression(kind, (1, *shape[1:]), depth)
        if self.chance(0.4):
            return f"tf.repeat({inside}, {self.size(shape[0])}, axis=0)"
        return f"tf.tile({inside}, [{self.size(shape[0])}{', 1' * (len(shape) - 1)}])"

    def any_rearranged(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not shape:
            return None
        inside = self.expression(kind, shape, depth)
        if kind != BOOL and self.chance(0.5):
            return self.pick([
                f"tf.cumsum({inside})", f"tf.sort({inside})", f"tf.cumsum({inside}, axis=-1)",
                f"tf.cumsum({inside}, exclusive=True, reverse=True)",
            ])  # fmt: skip
        shift = self.expression(INT, (), 0) if self.chance(0.3) else self.pick("12")
        return self.pick([f"tf.reverse({inside}, [0])", f"tf.roll({inside}, {shift}, axis=0)"])

    def any_updated(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not shape:
            return None
        name = self.pick(["update", "add", "sub", "max"]) if kind != BOOL else "update"
        where = self.index(shape[0], depth)
        value = self.expression(kind, shape[1:], depth)
        inside = self.expression(kind, shape, depth)
        return f"tf.tensor_scatter_nd_{name}({inside}, [[{where}]], [{value}])"

    any_updated_again = any_updated

    def any_scattered(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not shape or kind == BOOL:
            return None
        where = self.index(shape[0], depth)
        value = self.expression(kind, shape[1:], depth)
        if self.chance(0.4):
            two = self.index(shape[0], 0), self.expression(kind, shape[1:], 0)
            inside = f"[[{where}], [{two[0]}]], [{value}, {two[1]}]"
            return f"tf.scatter_nd({inside}, {self.dims(shape)})"
        return f"tf.scatter_nd([[{where}]], [{value}], {self.dims(shape)})"

    def any_segments(self, kind: str, shape: Shape, depth: int) -> str | None:
        if not shape or kind == BOOL:
            return None
        v = self.variable_with(kind, shape[1:])
        if v is None:
            return None
        rows = v.type.shape[0]
        ids = self.indices(shape[0], (rows,), depth)
        name = self.pick(["sum", "sum", "max", "min", "prod"])
        return f"tf.math.unsorted_segment_{name}({v.name}, {ids}, {self.size(shape[0])})"

    def any_reversed_sequence(self, kind: str, shape: Shape, depth: int) -> str | None:
        if len(shape) != 2 or kind == BOOL:
            return None
        lengths = self.expression(INT, shape[:1], depth)
        if not self.chance(self.wild):
            lengths = f"({lengths}) % ({self.size(shape[1])} + 1)"
        inside = self.expression(kind, shape, depth)
        return f"tf.reverse_sequence({inside}, {lengths}, seq_axis=1, batch_axis=0)"

    def any_unstacked(self, kind: str, shape: Shape, depth: int) -> str | None:
        v = self.variable_with(kind, shape)
        if v is None or not isinstance(v.type.shape[0], int) or v.type.shape[0] < 1:
            return None
        which = self.r.randrange(v.type.shape[0])
        return f"tf.unstack({v.name})[{which}]"

    def any_call(self, kind: str, shape: Shape, depth: int) -> str | None:
        found = [f for f in self.scope.functions.values() if f.result == (kind, shape)]
        if not found:
            return None
        f = self.r.choice(found)
        return f"{f.name}({', '.join(self.expression(*t, depth) for t in f.parameters)})"

    any_call_again = any_call_too = any_call

    def within(self, names: list[Variable], kind: str, shape: Shape, depth: int) -> str:
        """An expression that reads these names too, more often than others."""
        before = self.scope
        self.scope = before.copy()
        for v in names:
            self.scope.variables[v.name] = v
        try:
            text = self.expression(kind, shape, depth)
            first = names[0].name
            if kind == FLOAT and self.chance(0.7):
                text = f"{first} + {text}"
            return text
        finally:
            self.scope = before
