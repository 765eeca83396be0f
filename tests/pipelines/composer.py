"""The pipeline of a number: a source and up to eight stages, as people write them."""

from __future__ import annotations

from random import Random

from everyday.programs import Program
from pipelines.functions import Functions
from pipelines.kinds import Element, Kind, deeper, is_plain, leaves_of, like

_STAGES = 8
#: Stages after a shuffle must not ask for the order, and those of an endless dataset must end.
_ANY_ORDER = "map", "map", "filter", "prefetch"
_ENDLESS = "map", "batch", "enumerate", "scan", "zip", "prefetch", "window", "take"
_STAGE_NAMES = (
    "map", "map", "map", "filter", "flat_map", "interleave", "batch", "padded_batch",
    "ragged_batch", "unbatch", "rebatch", "repeat", "take", "skip", "take_while", "enumerate",
    "window", "group_by_window", "scan", "prefetch", "cache", "shard", "unique", "zip",
    "concatenate", "choose", "shuffle", "ignore_errors", "break",
)  # fmt: skip


def compose(seed: int) -> Program:
    """The pipeline of a number."""
    return Composer(Random(seed)).program()


class Composer(Functions):
    """Writes one pipeline."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.is_parallel = random.random() < 0.5
        self.is_endless = self.is_shuffled = self.is_ragged = self.is_cached = False

    def program(self) -> Program:
        """A source, stages, and an end."""
        self.source()
        for _ in range(self.random.randint(0, _STAGES)):
            names = _STAGE_NAMES
            if self.is_shuffled:
                names = _ANY_ORDER
            elif self.is_endless:
                names = _ENDLESS
            if self.is_ragged:
                self.from_ragged()
            else:
                getattr(self, f"stage_{self.random.choice(names)}")()
        if self.is_endless:
            self.add(f"ds.take({self.random.randint(1, 12)})")
        return Program("\n".join([*self.prelude(), *self.lines]), ("ds",))

    def add(self, text: str) -> None:
        """One more stage."""
        self.lines.append(f"ds = {text}")

    # Sources.

    def source(self) -> None:
        """The begin of a pipeline."""
        r = self.random
        kind = r.choice(["range", "range", "range", "slices", "slices", "tensors", "generator"])
        if kind == "range":
            self.element, text = self.numbers()
        elif kind == "generator":
            self.element, text = self.generator()
        else:
            rows = r.randint(1, 9)
            first = [rows] if kind == "slices" else []
            self.element, literal = self.literal(first, r.choice([0, 0, 0, 1]))
            text = f"tf.data.Dataset.from_tensor{'_slices' if first else 's'}({literal})"
        self.add(text)

    def numbers(self) -> tuple[Element, str]:
        """A range."""
        r = self.random
        bounds = r.choice([f"{r.randint(0, 12)}", f"{r.randint(0, 12)}", "2, 17, 3", "9, -2, -2"])
        if r.random() < 0.2:
            return Kind("int32"), f"tf.data.Dataset.range({bounds}, output_type=tf.int32)"
        return Kind("int64"), f"tf.data.Dataset.range({bounds})"

    def literal(self, first: list[int], depth: int) -> tuple[Element, str]:
        """A structure of arrays with the same number of rows, and what a row is."""
        r = self.random
        form = r.choice(["leaf", "leaf", "tuple", "dict"])
        if form == "leaf":
            return self.leaf(first)
        parts = [self.literal(first, 0) if depth else self.leaf(first) for _ in range(2)]
        (a, x), (b, y) = parts
        if form == "tuple":
            return (a, b), f"({x}, {y})"
        return {"a": a, "b": b}, f"{{'a': {x}, 'b': {y}}}"

    def leaf(self, first: list[int]) -> tuple[Kind, str]:
        """An array."""
        r = self.random
        dtype = r.choice(["int64", "int32", "int32", "float32", "string", "bool"])
        shape = r.choice([[], [], [], [r.randint(1, 4)], [2, r.randint(1, 3)]])
        text = self.nested(dtype, [*first, *shape])
        if dtype == "int64":
            text = f"tf.constant({text}, tf.int64)"
        return Kind(dtype, tuple(shape)), text

    def nested(self, dtype: str, shape: list[int]) -> str:
        """Lists in lists."""
        r = self.random
        if shape:
            return f"[{', '.join(self.nested(dtype, shape[1:]) for _ in range(shape[0]))}]"
        values: dict[str, object] = {
            "float32": r.randint(-8, 30) / 4,
            "string": "abcdefgh"[: r.randint(0, 5)],
            "bool": r.random() < 0.5,
        }
        return repr(values.get(dtype, r.randint(-3, 20)))

    def generator(self) -> tuple[Element, str]:
        """A Python generator, which keeps a log."""
        r = self.random
        yields: list[tuple[Element, str, str]] = [
            (Kind("int64"), "i", "tf.TensorSpec([], tf.int64)"),
            (Kind("int32", (None,)), "[i] * (i % 4)", "tf.TensorSpec([None], tf.int32)"),
            (Kind("string"), "b'ab' * (i % 3)", "tf.TensorSpec([], tf.string)"),
            (
                (Kind("int32"), Kind("float32")),
                "(i, i * 0.5)",
                "(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32))",
            ),
            (
                {"a": Kind("int64"), "b": Kind("float32", (2,))},
                "{'a': i, 'b': [i * 0.5, 1.0]}",
                "{'a': tf.TensorSpec([], tf.int64), 'b': tf.TensorSpec([2], tf.float32)}",
            ),
        ]
        element, value, spec = r.choice(yields)
        name = self.name("numbers")
        fails = [f"        if i == {r.randint(0, 6)}:", "            raise ValueError('no')"]
        if r.random() < 0.85:
            fails = []
        self.may_fail |= bool(fails)
        self.lines += [
            f"def {name}():",
            f"    for i in range({r.randint(0, 9)}):",
            *fails,
            "        log.append(i)",
            f"        yield {value}",
        ]
        return element, f"tf.data.Dataset.from_generator({name}, output_signature={spec})"

    # Stages.

    def parallel(self, may_reorder: bool = False) -> str:
        """Arguments of a stage that may work in parallel."""
        r = self.random
        if not self.is_parallel or r.random() < 0.5:
            return ""
        count = r.choice(["2", "4", "tf.data.AUTOTUNE"])
        if may_reorder and r.random() < 0.08:
            self.is_shuffled = True
            return f", num_parallel_calls={count}, deterministic=False"
        return f", num_parallel_calls={count}"

    def stage_map(self) -> None:
        function, element = self.mapping(self.element)
        parallel = self.parallel(may_reorder=not self.is_endless)
        self.add(f"ds.map({function}{parallel})")
        self.element = element

    def stage_filter(self) -> None:
        for _ in range(self.random.choice([1, 1, 2])):
            self.add(f"ds.filter({self.predicate(self.element)})")

    def stage_take_while(self) -> None:
        self.add(f"ds.take_while({self.predicate(self.element)})")

    def stage_flat_map(self) -> None:
        function, element = self.expansion(self.element)
        self.add(f"ds.flat_map({function})")
        self.element = element

    def stage_interleave(self) -> None:
        r = self.random
        function, element = self.expansion(self.element)
        block = r.choice(["", f", block_length={r.randint(1, 4)}"])
        cycle = r.randint(1, 5)
        parallel = "" if self.may_fail else self.parallel()
        if cycle < 4:
            parallel = parallel.replace("4", str(cycle)).replace("=2", f"={min(cycle, 2)}")
        self.add(f"ds.interleave({function}, cycle_length={cycle}{block}{parallel})")
        self.element = element

    def drop(self) -> bool:
        return self.random.random() < 0.3

    def stage_batch(self) -> None:
        if any(len(k.shape) > 2 for k in leaves_of(self.element)):
            return
        size, drop = self.random.randint(1, 5), self.drop()
        text = ", drop_remainder=True" if drop else ""
        self.add(f"ds.batch({size}{text}{self.parallel()})")
        self.may_fail |= any(None in k.shape for k in leaves_of(self.element))
        self.element = deeper(self.element, size if drop else None)

    def stage_padded_batch(self) -> None:
        if any(len(k.shape) > 2 for k in leaves_of(self.element)):
            return
        r = self.random
        size, drop = r.randint(1, 5), self.drop()
        text = ", drop_remainder=True" if drop else ""
        element = self.element
        if isinstance(element, Kind) and r.random() < 0.5:
            if element.dtype in ("int64", "int32", "float32"):
                text += f", padding_values=tf.constant({r.randint(-2, 9)}, tf.{element.dtype})"
            if len(element.shape) == 1 and r.random() < 0.5:
                width = r.randint(element.shape[0] or 1, max(element.shape[0] or 1, 5))
                self.may_fail |= element.shape[0] is None
                text += f", padded_shapes=[{width}]"
                element = element._replace(shape=(width,))
        self.add(f"ds.padded_batch({size}{text})")
        self.element = deeper(element, size if drop else None)

    def stage_ragged_batch(self) -> None:
        element = self.element
        if not isinstance(element, Kind) or element.shape != (None,) or element.dtype == "bool":
            return
        self.add(f"ds.ragged_batch({self.random.randint(1, 4)})")
        self.is_ragged = True

    def from_ragged(self) -> None:
        """A stage after ragged batches."""
        way = self.random.choice(["map", "unbatch", "keep"])
        assert isinstance(self.element, Kind)
        if way == "map":
            self.add("ds.map(lambda x: x.to_tensor())")
            self.element = self.element._replace(shape=(None, None))
        elif way == "unbatch":
            self.add("ds.unbatch().map(lambda x: x)")  # its spec is that of a ragged tensor still
        self.is_ragged = way == "keep"

    def rows(self) -> bool:
        """Whether elements have rows, the same number in each part."""
        kinds = leaves_of(self.element)
        return all(k.shape for k in kinds) and len({k.shape[0] for k in kinds if k.shape}) == 1

    def stage_unbatch(self) -> None:
        if self.rows():
            self.may_fail |= len(leaves_of(self.element)) > 1
            self.add("ds.unbatch()")
            self.element = like(self.element, lambda k: k._replace(shape=k.shape[1:]))

    def stage_rebatch(self) -> None:
        kinds = leaves_of(self.element)
        if self.rows() and not any(None in k.shape[1:] for k in kinds) and len(kinds) == 1:
            drop = self.drop()
            size = self.random.randint(1, 6)
            self.add(f"ds.rebatch({size}{', drop_remainder=True' if drop else ''})")
            rows = kinds[0].shape[0]
            is_whole = drop or (rows is not None and rows % size == 0)
            shape = (size if is_whole else None, *kinds[0].shape[1:])
            self.element = like(self.element, lambda k: k._replace(shape=shape))

    def stage_repeat(self) -> None:
        if self.random.random() < 0.2 and not self.may_fail:
            self.is_endless = True
            self.add("ds.repeat()")
        else:
            self.add(f"ds.repeat({self.random.choice([0, 1, 2, 2, 3])})")

    def stage_take(self) -> None:
        if self.random.random() < 0.2:
            self.add("ds.take(-1)")
            return
        self.is_endless = False
        self.add(f"ds.take({self.random.choice([0, 1, 2, 3, 4, 5, 7, 10, 20])})")

    def stage_skip(self) -> None:
        self.add(f"ds.skip({self.random.choice([0, 1, 1, 2, 3, 5])})")

    def stage_enumerate(self) -> None:
        start = self.random.choice(["", "start=3"])
        self.add(f"ds.enumerate({start})")
        self.element = (Kind("int64"), self.element)

    def stage_window(self) -> None:
        r = self.random
        element = self.element
        size = r.randint(1, 4)
        options = r.choice(["", "", f", shift={r.randint(1, 5)}"])
        options += r.choice(["", "", f", stride={r.randint(1, 3)}"])
        options += ", drop_remainder=True" if self.drop() else ""
        has_batch = r.random() < 0.7 and all(len(k.shape) < 3 for k in leaves_of(element))
        stage = f".batch({r.choice([size, r.randint(1, 5)])})" if has_batch else ""
        if isinstance(element, Kind):
            function = f"lambda w: w{stage}"
        elif isinstance(element, tuple) and is_plain(element):
            names = "abcdefgh"[: len(element)]
            parts = ", ".join(f"{n}{stage}" for n in names)
            function = f"lambda {', '.join(names)}: tf.data.Dataset.zip(({parts}))"
        elif isinstance(element, dict) and isinstance(element["a"], Kind):
            function, element = f"lambda w: w['a']{stage}", element["a"]
        else:
            return
        self.add(f"ds.window({size}{options}).flat_map({function})")
        self.may_fail |= has_batch and any(None in k.shape for k in leaves_of(element))
        self.element = deeper(element, None) if has_batch else element

    def stage_group_by_window(self) -> None:
        r = self.random
        if any(len(k.shape) > 2 or None in k.shape for k in leaves_of(self.element)):
            return
        key = self.key(self.element)
        self.add(
            f"ds.group_by_window(key_func={key}, reduce_func=lambda k, w: "
            f"w.batch({r.randint(1, 4)}), window_size={r.randint(1, 4)})"
        )
        self.element = deeper(self.element, None)

    def stage_scan(self) -> None:
        function, element = self.scanning(self.element)
        self.add(f"ds.scan(tf.constant({self.random.randint(0, 5)}, tf.int64), {function})")
        self.element = element

    def stage_prefetch(self) -> None:
        if self.is_parallel:
            self.add(f"ds.prefetch({self.random.choice(['0', '1', '2', '8', 'tf.data.AUTOTUNE'])})")
            if self.random.random() < 0.3:
                self.add("ds.prefetch(1)")

    def stage_cache(self) -> None:
        if not self.may_fail:
            self.is_cached = True
            self.add("ds.cache()")

    def stage_shard(self) -> None:
        count = self.random.randint(1, 4)
        self.add(f"ds.shard({count}, {self.random.randrange(count)})")

    def stage_unique(self) -> None:
        element = self.element
        if not isinstance(element, Kind) or element.shape:
            return
        if element.dtype in ("int64", "int32", "string"):
            self.add("ds.unique()")

    def stage_zip(self) -> None:
        element, text = self.numbers()
        if self.random.random() < 0.3 and not self.is_cached:
            element, text = self.element, "ds.skip(1)"
        if self.random.random() < 0.5:
            self.add(f"tf.data.Dataset.zip((ds, {text}))")
            self.element = (self.element, element)
        else:
            self.add(f"tf.data.Dataset.zip({{'a': {text}, 'b': ds}})")
            self.element = {"a": element, "b": self.element}

    def stage_concatenate(self) -> None:
        if not self.is_cached:
            other = self.random.choice(["take(2)", "skip(2)", "repeat(2)"])
            self.add(f"ds.concatenate(ds.{other})")

    def stage_choose(self) -> None:
        r = self.random
        if self.is_cached:
            return
        others = r.sample(["ds", "ds.take(2)", "ds.skip(1)", "ds.repeat(2)"], r.randint(1, 3))
        count = len(others)
        choice = f"tf.data.Dataset.range({r.randint(0, 20)}).map(lambda i: i % {count})"
        if r.random() < 0.3:
            choice = f"tf.data.Dataset.range({count}).repeat({r.randint(1, 8)})"
        rest = r.choice(["", ", stop_on_empty_dataset=False"])
        texts = ", ".join(others)
        self.add(f"tf.data.Dataset.choose_from_datasets([{texts}], {choice}{rest})")

    def stage_shuffle(self) -> None:
        r = self.random
        if not self.may_fail and r.random() < 0.4:
            self.is_shuffled = True
            again = r.choice(["", ", reshuffle_each_iteration=False"])
            self.add(f"ds.shuffle({r.choice([1, 2, 5, 100])}, seed={r.randint(0, 99)}{again})")

    def stage_ignore_errors(self) -> None:
        if self.may_fail:
            self.add("ds.ignore_errors()")

    def stage_break(self) -> None:
        """A map that fails for some elements."""
        if not self.is_cached:
            self.add(f"ds.map({self.failing(self.element)})")
            self.may_fail = True
