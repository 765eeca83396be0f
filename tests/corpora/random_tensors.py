"""Random programs over tensors of all dtypes, written as source: for tests that compare ways to run
them. A program that shows a difference is the text to start a small test from.

`Writer` writes a program line by line and runs each line at once, so it knows what operands look
like. A line that is refused is dropped, but for one now and then: errors are to agree too.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import graphwright as tf
from graphwright.library.dispatch.raw_ops import load_all
from graphwright.op.op import REGISTRY, Op
from graphwright.op.op_families import Binary, Comparison, Elementwise, Predicate, Unary

REFUSED = (tf.errors.OpError, ValueError, TypeError)

KINDS: dict[str, tuple[str, ...]] = {
    "f": ("float16", "bfloat16", "float32", "float64"),
    "c": ("complex64", "complex128"),
    "i": ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    "b": ("bool",),
}
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}


class Known(NamedTuple):
    """A value of the program that is being written."""

    name: str
    value: Any
    #: Whether the last bits depend on the order of sums and on how functions are rounded, so that
    #: nothing that jumps (a comparison, a sort, a rounding) may be done with it.
    is_rough: bool

    @property
    def rank(self) -> int:
        return len(self.value.shape)

    @property
    def dims(self) -> list[int]:
        return list(self.value.shape)

    @property
    def dtype(self) -> str:
        return str(self.value.dtype.name)


class Rule(NamedTuple):
    """An op: `operands` are kinds and a least rank each ("fi2"), "=" for the first one's dtype."""

    operands: Sequence[str]
    text: Callable[..., str]
    jumps: bool = False
    #: Whether its results have the operands' own elements, or sums and products of integers.
    moves: bool = False


R = random.Random


def axis(r: R, x: Known) -> int:
    return r.randrange(-x.rank, x.rank)


def some_axes(r: R, x: Known) -> list[int]:
    return r.sample(range(x.rank), r.randrange(x.rank + 1))


def slices(r: R, x: Known) -> str:
    """What stands in brackets: strided, negative, new and dropped axes, an ellipsis."""
    parts = []
    for size in x.dims[: r.randrange(1, x.rank + 1)]:
        bound = lambda: r.choice(["", "", str(r.randrange(-size - 1, size + 2))])  # noqa: E731,B023
        parts.append(
            r.choice([f"{bound()}:{bound()}:{r.choice(['', 1, 2, -1, -2, 3])}", f"{bound()}:", "0"])
        )
    if r.random() < 0.2:
        parts.insert(r.randrange(len(parts) + 1), "tf.newaxis")
    if r.random() < 0.2:
        parts.append("...")
    return "{0}[" + ", ".join(parts) + "]"


def places(r: R, size: int, count: int | None = None) -> list[int]:
    """Indices along an axis, some more than once."""
    return [r.randrange(max(size, 1)) for _ in range(r.randrange(5) if count is None else count)]


def gather(r: R, x: Known) -> str:
    at = axis(r, x)
    return f"tf.gather({{0}}, {places(r, x.dims[at])}, axis={at})".replace(", [],", ", NONE,")


def reduction(name: str, **fixed: Any) -> Callable[[R, Known], str]:
    def text(r: R, x: Known) -> str:
        axes = r.choice([None, some_axes(r, x), some_axes(r, x)[:1] or None])
        return f"tf.{name}({{0}}, axis={axes}, keepdims={r.random() < 0.3})"

    return text


def scan(name: str) -> Callable[[R, Known], str]:
    return lambda r, x: (
        f"tf.{name}({{0}}, axis={axis(r, x)}, exclusive={r.random() < 0.4}, "
        f"reverse={r.random() < 0.4})"
    )


def einsum(r: R, x: Known, y: Known) -> str:
    """An equation that fits: labels with equal sizes are often the same one."""
    letters, known, sides = iter("abcdefgh"), [], []
    for operand in (x, y):
        labels = ""
        for size in operand.dims:
            same = [name for name, s in known if s == size and name not in labels]
            if same and r.random() < 0.6:
                labels += r.choice(same)
            else:
                labels += next(letters)
                known.append((labels[-1], size))
        sides.append(labels)
    every = sorted({*sides[0], *sides[1]})
    out = "".join(r.sample(every, r.randrange(min(len(every), 4) + 1)))
    return f"tf.einsum('{sides[0]},{sides[1]}->{out}', {{0}}, {{1}})"


def windows(name: str) -> Callable[[R, Known], str]:
    def text(r: R, x: Known) -> str:
        size, strides = r.randrange(1, 4), r.randrange(1, 4)
        padding = r.choice(["SAME", "VALID"])
        return f"tf.nn.{name}(image({{0}}), {size}, {strides}, '{padding}')"

    return text


def conv(r: R, x: Known) -> str:
    size, strides, padding = r.randrange(1, 4), r.randrange(1, 3), r.choice(["SAME", "VALID"])
    dilations = r.choice([1, 1, 2]) if strides == 1 else 1
    return (
        f"tf.nn.conv2d(image({{0}}), filters({{0}}, {size}, {r.randrange(1, 4)}), {strides}, "
        f"'{padding}', dilations={dilations})"
    )


def segments(r: R, x: Known) -> str:
    name = r.choice(["sum", "mean", "max", "min", "prod"])
    count = x.dims[0]
    if r.random() < 0.5:
        return f"tf.math.segment_{name}({{0}}, ints({sorted(places(r, 4, count))}))"
    ids = [r.randrange(-1, 4) for _ in range(count)]
    return f"tf.math.unsorted_segment_{name}({{0}}, ints({ids}), 4)"


def scatter(r: R, x: Known, y: Known) -> str:
    """Rows that are put into, or added to, rows of another tensor."""
    name = r.choice(["add", "sub", "max", "min"])
    at = [[i] for i in places(r, x.dims[0], r.randrange(1, 4))]
    return f"tf.tensor_scatter_nd_{name}({{0}}, {at}, like_rows({{1}}, {{0}}, {len(at)}))"


def padded(r: R, x: Known) -> str:
    mode = r.choice(["CONSTANT", "CONSTANT", "REFLECT", "SYMMETRIC"])
    most = 3 if mode == "CONSTANT" else 2
    return f"tf.pad({{0}}, {[[r.randrange(most), r.randrange(most)] for _ in x.dims]}, '{mode}')"


def cast(r: R, x: Known) -> str:
    kinds = "cf" if KIND_OF[x.dtype] == "c" else "fffiiibc"
    names = KINDS["c"] if kinds == "cf" else KINDS[r.choice(kinds)]
    return f"tf.cast({{0}}, '{r.choice(names)}')"


def step(r: R) -> str:
    """What a loop does with a tensor again and again."""
    return "lambda x: " + r.choice(
        ["x + x", "x - one(x)", "tf.reverse(x, [0])", "tf.roll(x, 1, 0)"]
    )


def flipped(dtype: str) -> str:
    """The integers of the same width, with a sign or without."""
    return dtype.removeprefix("u") if dtype.startswith("u") else f"u{dtype}"


def permutation(r: R, x: Known) -> list[int]:
    return r.sample(range(x.rank), x.rank)


ANY, NUMBERS, REAL = "fcib", "fci", "fi"
UPDATES = ("assign", "assign_add", "assign_sub", "rows", "slice")

#: What lines are made of, beside the elementwise ops, which their records describe.
RULES: dict[str, Rule] = {
    "cast": Rule([ANY + "0"], cast, jumps=True),
    "slice": Rule([ANY + "1"], slices, moves=True),
    "gather": Rule([ANY + "1"], gather, moves=True),
    "gather_computed": Rule(
        [ANY + "1", "i0"],
        lambda r, x, i: "tf.gather({0}, tf.cast({1}, 'int32') % tf.shape({0})[0])",
        moves=True,
    ),
    "gather_nd": Rule(
        [ANY + "2"],
        lambda r, x: f"tf.gather_nd({{0}}, {[places(r, min(x.dims[:2]), 2) for _ in range(3)]})",
        moves=True,
    ),
    "concat": Rule(
        [ANY + "1", "=1"], lambda r, x, y: f"tf.concat([{{0}}, {{1}}], {axis(r, x)})", moves=True
    ),
    "stack": Rule(
        [ANY + "0", "=0"],
        lambda r, x, y: f"tf.stack([{{0}}, {{1}}], {r.randrange(-1, 1)})",
        moves=True,
    ),
    "pad": Rule([NUMBERS + "1"], padded, moves=True),
    "tile": Rule(
        [ANY + "1"], lambda r, x: f"tf.tile({{0}}, {[r.randrange(3) for _ in x.dims]})", moves=True
    ),
    "repeat": Rule(
        [ANY + "1"], lambda r, x: f"tf.repeat({{0}}, {r.randrange(3)}, {axis(r, x)})", moves=True
    ),
    "reverse": Rule([ANY + "1"], lambda r, x: f"tf.reverse({{0}}, {some_axes(r, x)})", moves=True),
    "roll": Rule(
        [ANY + "1"], lambda r, x: f"tf.roll({{0}}, {r.randrange(-3, 4)}, {axis(r, x)})", moves=True
    ),
    "transpose": Rule(
        [ANY + "1"], lambda r, x: f"tf.transpose({{0}}, {permutation(r, x)})", moves=True
    ),
    "flatten": Rule([ANY + "0"], lambda r, x: "tf.reshape({0}, [-1])", moves=True),
    "rows": Rule([ANY + "2"], lambda r, x: "tf.reshape({0}, [tf.shape({0})[0], -1])", moves=True),
    "expand": Rule(
        [ANY + "0"],
        lambda r, x: f"tf.expand_dims({{0}}, {r.randrange(-x.rank - 1, x.rank + 1)})",
        moves=True,
    ),
    "broadcast": Rule(
        [ANY + "0"],
        lambda r, x: "tf.broadcast_to({0}, tf.concat([[2], tf.shape({0})], 0))",
        moves=True,
    ),
    "band": Rule(
        [NUMBERS + "2"],
        lambda r, x: f"tf.linalg.band_part({{0}}, {r.randrange(-1, 3)}, {r.randrange(-1, 3)})",
        moves=True,
    ),
    "diagonal": Rule([NUMBERS + "2"], lambda r, x: "tf.linalg.diag_part({0})", moves=True),
    "diag": Rule(
        [NUMBERS + "1"], lambda r, x: f"tf.linalg.diag({{0}}, k={r.randrange(-1, 2)})", moves=True
    ),
    "where": Rule(
        ["b0", ANY + "0", "=0"], lambda r, c, x, y: "tf.where({0}, {1}, {2})", moves=True
    ),
    "clip": Rule(
        [REAL + "0"], lambda r, x: "tf.clip_by_value({0}, one({0}), three({0}))", moves=True
    ),
    "sum": Rule([NUMBERS + "0"], reduction("reduce_sum")),
    "prod": Rule([NUMBERS + "0"], reduction("reduce_prod")),
    "mean": Rule([NUMBERS + "0"], reduction("reduce_mean")),
    "max": Rule([REAL + "0"], reduction("reduce_max"), moves=True),
    "min": Rule([REAL + "0"], reduction("reduce_min"), moves=True),
    "any": Rule(["b0"], reduction("reduce_any")),
    "all": Rule(["b0"], reduction("reduce_all")),
    "logsumexp": Rule(["f1"], reduction("reduce_logsumexp")),
    "variance": Rule(["f1"], reduction("math.reduce_variance")),
    "softmax": Rule(["f1"], lambda r, x: f"tf.nn.softmax({{0}}, {axis(r, x)})"),
    "log_softmax": Rule(["f1"], lambda r, x: f"tf.nn.log_softmax({{0}}, {axis(r, x)})"),
    "cumsum": Rule([NUMBERS + "1"], scan("cumsum")),
    "cumprod": Rule([NUMBERS + "1"], scan("math.cumprod")),
    "cumlogsumexp": Rule(["f1"], scan("math.cumulative_logsumexp")),
    "argmax": Rule(
        [REAL + "1"],
        lambda r, x: (
            f"tf.arg{r.choice(['max', 'min'])}({{0}}, {axis(r, x)}, "
            f"tf.{r.choice(['int32', 'int64'])})"
        ),
        jumps=True,
    ),
    "sort": Rule(
        [REAL + "1"],
        lambda r, x: f"tf.sort({{0}}, {axis(r, x)}, '{r.choice(['ASCENDING', 'DESCENDING'])}')",
        jumps=True,
    ),
    "argsort": Rule(
        [REAL + "1"], lambda r, x: f"tf.argsort({{0}}, {axis(r, x)}, stable=True)", jumps=True
    ),
    "top_k": Rule(
        [REAL + "1"],
        lambda r, x: f"tf.math.top_k({{0}}, {r.randrange(3)})[{r.randrange(2)}]",
        jumps=True,
    ),
    "segments": Rule([REAL + "1"], segments),
    "scatter": Rule([REAL + "1", "=0"], scatter),
    "scatter_update": Rule(
        [ANY + "1"],
        lambda r, x: f"tf.tensor_scatter_nd_update({{0}}, [{places(r, x.dims[0], 1)}], {{0}}[:1])",
        moves=True,
    ),
    "scatter_nd": Rule(
        [NUMBERS + "1"],
        lambda r, x: (
            f"tf.scatter_nd({[[i] for i in places(r, 4, x.dims[0])]}, {{0}}, "
            f"tf.concat([[4], tf.shape({{0}})[1:]], 0))"
        ),
    ),
    "one_hot": Rule(
        ["i0"],
        lambda r, x: (
            f"tf.one_hot(tf.cast({{0}}, '{r.choice(['int32', 'int64', 'uint8'])}'), "
            f"{r.randrange(5)}, axis={r.choice([-1, 0])})"
        ),
        jumps=True,
    ),
    "sequence_mask": Rule(
        ["i1"], lambda r, x: f"tf.sequence_mask(tf.cast({{0}}, 'int32') % 5, {r.randrange(5)})"
    ),
    "range": Rule([ANY + "1"], lambda r, x: f"tf.range(tf.shape({{0}})[{axis(r, x)}])"),
    "size": Rule([ANY + "0"], lambda r, x: "tf.size({0})"),
    "unique": Rule(["i1"], lambda r, x: "tf.unique(tf.reshape({0}, [-1]))[0]", jumps=True),
    "nonzero": Rule(["bi1"], lambda r, x: "tf.where({0})", jumps=True),
    "mask": Rule(
        [ANY + "1"],
        lambda r, x: "tf.boolean_mask({0}, tf.range(tf.shape({0})[0]) % 2 == 0)",
        moves=True,
    ),
    "einsum": Rule(["f1", "=1"], einsum),
    "matmul": Rule(["f2", "=2"], lambda r, x, y: "tf.matmul({0}, {1}, transpose_b=True)"),
    "matmul_a": Rule(["fc2", "=2"], lambda r, x, y: "tf.matmul({0}, {1}, transpose_a=True)"),
    "tensordot": Rule(["f1", "=1"], lambda r, x, y: "tf.tensordot({0}, {1}, 1)"),
    "conv": Rule(["f1"], conv),
    "max_pool": Rule(["f1"], windows("max_pool2d")),
    "avg_pool": Rule(["f1"], windows("avg_pool2d")),
    "norm": Rule(["f1"], lambda r, x: f"tf.nn.l2_normalize({{0}}, {axis(r, x)})"),
    "map": Rule(
        [NUMBERS + "1"],
        lambda r, x: f"tf.map_fn(lambda row: row {r.choice('+-*')} row, rows({{0}}))",
    ),
    "vectorized_map": Rule(
        [NUMBERS + "2"], lambda r, x: "tf.vectorized_map(lambda row: row - row[:1], {0})"
    ),
    "scan": Rule(
        [REAL + "1"],
        lambda r, x: (
            f"tf.scan(lambda s, row: s {r.choice('+-')} row, rows({{0}}), "
            f"reverse={r.random() < 0.5})"
        ),
    ),
    "loop": Rule([REAL + "1"], lambda r, x: f"repeated({{0}}, {r.randrange(4)}, {step(r)})"),
    "while": Rule(["i0", REAL + "1"], lambda r, n, x: f"repeated({{1}}, few({{0}}, 4), {step(r)})"),
    "cond": Rule(["b0", NUMBERS + "0", "=0"], lambda r, c, x, y: "either({0}, {1}, {2})"),
    "switch": Rule(["i0", NUMBERS + "0"], lambda r, i, x: "one_of(few({0}, 3), {1})"),
    "array": Rule([NUMBERS + "1"], lambda r, x: f"rewritten(rows({{0}}), {places(r, x.dims[0])})"),
    "list": Rule([NUMBERS + "1"], lambda r, x: f"listed({{0}}, {r.randrange(1, 4)})"),
    "split": Rule(
        [ANY + "1"],
        lambda r, x: f"tf.split({{0}}, {r.randrange(1, 4)}, {axis(r, x)})[-1]",
        moves=True,
    ),
    "unstack": Rule(
        [ANY + "1"], lambda r, x: f"tf.unstack({{0}}, {max(x.dims[0], 1)})[-1]", moves=True
    ),
    "cell": Rule(
        [REAL + "1"],
        lambda r, x: f"kept({r.randrange(2)}, {x.rank}, {{0}}, '{r.choice(UPDATES)}')",
    ),
    "assert": Rule(["i0"], lambda r, x: f"asserted({{0}}, {r.randrange(3, 12)})"),
    "bitcast": Rule(["i0"], lambda r, x: f"tf.bitcast({{0}}, '{flipped(x.dtype)}')", moves=True),
}

#: Elementwise ops of which a small change of an operand may be a great one of the result.
JUMPING = {"Floor", "Ceil", "Rint", "Round", "Sign", "FloorDiv", "FloorMod", "TruncateDiv",
           "TruncateMod", "Mod", "NextAfter", "Atan2"}  # fmt: skip
#: Those that give operands or their negatives.
MOVING = {"Neg", "Abs", "Maximum", "Minimum", "Conj", "Real", "Imag", "SelectV2", "Relu"}


def from_record(op: type[Op]) -> Rule | None:
    """An elementwise op as its record describes it: with raw operands of one dtype."""
    names = [operand.split(":")[0] for operand in op.inputs]
    kinds = {operand.split(":")[1].strip() for operand in op.inputs}
    if len(kinds) > 1 or len(names) > 2:
        return None
    [kind] = kinds
    allowed = {d.name for d in op.dtypes[kind]} if kind in op.dtypes else {kind}
    letters = "".join(sorted({KIND_OF[name] for name in allowed if name in KIND_OF}))
    arguments = ", ".join(f"{name}={{{i}}}" for i, name in enumerate(names))
    text = f"tf.raw_ops.{op.type_name}({arguments})"
    jumps = op.type_name in JUMPING or issubclass(op, (Comparison, Predicate))
    operands = [letters + "0", *["=0"] * (len(names) - 1)]
    return Rule(operands, lambda r, *_: text, jumps, op.type_name in MOVING)


def elementwise() -> dict[str, Rule]:
    """The elementwise ops that have a native form."""
    load_all()
    found = {}
    for name, op in sorted(REGISTRY.items()):
        if not issubclass(op, Elementwise) or not op.__module__.startswith("graphwright."):
            continue
        if op.element.__name__ == "no_element" or name.endswith("Grad") or name == "Cast":
            continue
        rule = from_record(op) if issubclass(op, (Unary, Binary, Comparison, Predicate)) else None
        if rule is not None:
            found[name] = rule
    return found


STRUCTURAL = sorted(RULES)
RULES |= elementwise()


class Scope:
    """What programs call beside `tf`; it holds their variables."""

    def __init__(self) -> None:
        self.cells: dict[Any, Any] = {}

    def names(self) -> dict[str, Any]:
        own = {n: getattr(self, n) for n in vars(Scope) if not n.startswith("_") and n != "names"}
        return {"tf": tf, "NONE": tf.zeros([0], tf.int32), **own}

    def one(self, x: Any) -> Any:
        return tf.ones([], x.dtype)

    def three(self, x: Any) -> Any:
        return tf.cast(3, x.dtype)

    def ints(self, values: list[int]) -> Any:
        return tf.constant(values, tf.int32)

    def image(self, x: Any) -> Any:
        """Any tensor as two images of three columns and a channel or two."""
        flat = tf.tile(tf.reshape(x, [-1]), [24])[:24]
        return tf.reshape(flat, [1, -1, 3, 2])

    def rows(self, x: Any) -> Any:
        """At least one: of an array without any, only a graph knows the shape of its rows."""
        return tf.concat([x, tf.ones(tf.concat([[1], tf.shape(x)[1:]], 0), x.dtype)], 0)

    def like_rows(self, y: Any, x: Any, count: int) -> Any:
        """A tensor broadcast to so many rows of another one."""
        return tf.broadcast_to(y, tf.concat([[count], tf.shape(x)[1:]], 0))

    def few(self, x: Any, below: int) -> Any:
        """A small number that any tensor of integers makes."""
        return tf.reduce_max(tf.cast(tf.reshape(x, [-1])[:1], tf.int32)) % below

    def either(self, test: Any, x: Any, y: Any) -> Any:
        return tf.cond(tf.reduce_any(test), lambda: x + y, lambda: x - y)

    def one_of(self, i: Any, x: Any) -> Any:
        return tf.switch_case(i, [lambda: x, lambda: x + x, lambda: x * x])

    def filters(self, x: Any, size: int, out: int) -> Any:
        count = size * size * 2 * out
        return tf.reshape(tf.cast(tf.range(count) % 5 - 2, x.dtype), [size, size, 2, out])

    def repeated(self, x: Any, times: Any, function: Any) -> Any:
        return tf.while_loop(
            lambda i, x: i < times, lambda i, x: (i + 1, function(x)), (0, x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape(None)),
        )[1]  # fmt: skip

    def rewritten(self, x: Any, at: list[int]) -> Any:
        """An array of rows, some of which are written again, in a loop."""
        array = tf.TensorArray(x.dtype, tf.shape(x)[0], clear_after_read=False).unstack(x)
        order = tf.constant(at, tf.int32)

        def body(i: Any, array: Any) -> Any:
            place = order[i]
            return i + 1, array.write(place, array.read(place) + array.read(0))

        return tf.while_loop(lambda i, _: i < len(at), body, (0, array))[1].stack()

    def listed(self, x: Any, times: int) -> Any:
        """A list that grows in a loop."""
        array = tf.TensorArray(x.dtype, 0, dynamic_size=True)

        def body(i: Any, array: Any) -> Any:
            return i + 1, array.write(i, x[0] + tf.cast(i, x.dtype))

        return tf.while_loop(lambda i, _: i < times, body, (0, array))[1].stack()

    def kept(self, number: int, rank: int, x: Any, what: str) -> Any:
        """A variable that is updated, and read."""
        cell = self._cell(number, rank, x.dtype)
        if what == "rows":
            cell.scatter_add(tf.IndexedSlices(tf.stack([x[0], x[0]]), tf.constant([0, 0])))
        elif what == "slice":
            cell[:1].assign(x[:1])
        else:
            getattr(cell, what)(x)
        return cell + x

    def _cell(self, number: int, rank: int, dtype: Any) -> Any:
        key = (number, rank, dtype)
        if key not in self.cells:
            with tf.init_scope():
                zeros = tf.zeros([3, *[2] * (rank - 1)], dtype)
                self.cells[key] = tf.Variable(zeros, shape=[None] * rank)
        return self.cells[key]

    def asserted(self, x: Any, bound: int) -> Any:
        with tf.control_dependencies([tf.debugging.assert_less(x, tf.cast(bound, x.dtype))]):
            return tf.identity(x)


class Program(NamedTuple):
    """A program's lines, and what to call it with."""

    lines: tuple[str, ...]
    results: tuple[str, ...]
    calls: tuple[tuple[Any, ...], ...]

    @property
    def source(self) -> str:
        arguments = ", ".join(f"a{i}" for i in range(len(self.calls[0])))
        body = [*self.lines, f"return [{', '.join(self.results)}]"]
        return "\n    ".join([f"def program({arguments}):", *body]) + "\n"

    def function(self) -> tuple[Callable[..., Any], Scope]:
        scope = Scope()
        names = scope.names()
        exec(self.source, names)
        return names["program"], scope


SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan]


def array(r: R, dtype: str, dims: Sequence[int], is_special: bool) -> Any:
    """Numbers of some dtype: small ones that floats hold exactly, and now and then special ones."""
    count = int(np.prod(dims))
    kind = KIND_OF[dtype]
    if kind == "b":
        values: list[Any] = [r.random() < 0.5 for _ in range(count)]
    elif kind == "i":
        info = np.iinfo(dtype)
        low = 0 if info.min == 0 else -4
        values = [r.randrange(low, 6) for _ in range(count)]
        if is_special:
            values = [r.choice([v, v, info.min, info.max]) for v in values]
    else:
        values = [r.randrange(-16, 17) / 8 for _ in range(count)]
        if is_special:
            values = [r.choice([v, v, r.choice(SPECIAL)]) for v in values]
        if kind == "c":
            values = [complex(v, r.randrange(-16, 17) / 8) for v in values]
    return np.array(values, dtype=tf.as_dtype(dtype).as_numpy_dtype).reshape(dims)


class Writer:
    """Writes one program."""

    def __init__(self, seed: int, length: int, names: Sequence[str] | None = None) -> None:
        self.random = random.Random(seed)
        self.names = (STRUCTURAL, sorted(RULES)) if names is None else (names,)
        self.scope = Scope()
        self.globals = self.scope.names()
        self.lines: list[str] = []
        self.values: list[Known] = []
        self.length = length
        self.has_failed = False

    def program(self) -> Program:
        r = self.random
        shapes = ["nm", "n", "m", "", "nkm", "1m"]
        real, whole = r.choice(KINDS["f"]), r.choice(KINDS["i"])
        picked = [real, real, whole, whole, "bool", *r.choices(sorted(KIND_OF), k=2)]
        inputs = [(d, r.choice(shapes)) for d in picked]
        is_special = r.random() < 0.15
        sizes = [{"n": 3, "m": 2, "k": 2, "1": 1}]
        for n, m in r.sample([(0, 2), (1, 1), (3, 0), (5, 2), (17, 3), (2, 33)], 2):
            sizes.append({"n": n, "m": m, "k": 2, "1": 1})
        calls = [
            tuple([array(r, d, [size[s] for s in dims], is_special) for d, dims in inputs])
            for size in sizes
        ]
        for i, value in enumerate(calls[0]):
            self.globals[f"a{i}"] = tf.constant(value)
            self.values.append(Known(f"a{i}", self.globals[f"a{i}"], False))
        for _ in range(self.length * 8):
            if len(self.lines) == self.length or self.has_failed:
                break
            self.line()
        results = tuple([f"v{i}" for i in range(len(self.lines))])
        return Program(tuple(self.lines), results, tuple(calls))

    def line(self) -> None:
        """One more line, if one comes to mind that works."""
        r = self.random
        rule = RULES[r.choice(r.choice(self.names))]
        operands: list[Known] = []
        for wanted in rule.operands:
            kinds, rank = wanted[:-1], int(wanted[-1])
            last = operands[-1].dtype if kinds == "=" else None
            fitting = [
                v for v in self.values
                if v.rank >= rank and (v.dtype == last if last else KIND_OF[v.dtype] in kinds)
                and not (rule.jumps and v.is_rough)
            ]  # fmt: skip
            if not fitting:
                return
            operands.append(r.choice(fitting[-6:] if r.random() < 0.6 else fitting))
        text = rule.text(r, *operands).format(*[o.name for o in operands])
        name = f"v{len(self.lines)}"
        before = {key: cell.read_value() for key, cell in self.scope.cells.items()}
        try:
            value = eval(text, self.globals)
        except REFUSED:
            for key, old in before.items():
                self.scope.cells[key].assign(old)
            if r.random() < 0.004:  # a program that fails, here
                self.has_failed = True
                self.lines.append(f"{name} = {text}")
            return
        is_rough = not rule.moves and KIND_OF.get(value.dtype.name, "i") in "fc"
        is_rough |= any(o.is_rough for o in operands)
        if self.is_wild(value, is_rough):
            return
        self.lines.append(f"{name} = {text}")
        self.globals[name] = value
        self.values.append(Known(name, value, is_rough))

    def is_wild(self, value: Any, is_rough: bool) -> bool:
        """Whether a value is of no use further on: large, or of numbers that say nothing."""
        if value.dtype.name not in KIND_OF or value.shape.num_elements() > 3000:
            return True
        if KIND_OF[value.dtype.name] not in "fc":
            return False
        numbers = np.abs(value.numpy().astype(np.complex128))
        if is_rough:
            return bool(np.any(~(numbers < 64)))
        return bool(np.any(numbers[np.isfinite(numbers)] > 64))


def program(seed: int, length: int = 10, names: Sequence[str] | None = None) -> Program:
    """The random program of this number."""
    return Writer(seed, length, names).program()
