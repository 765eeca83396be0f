"""The functions of random pipelines."""

from __future__ import annotations

from random import Random

from pipelines.kinds import Element, Kind, paths

_NAMES = "abcdefgh"
_NUMERIC = "int64", "int32", "float32"


class Functions:
    """Writes functions of elements into the lines of a pipeline."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.element: Element = Kind("int64")
        self.may_fail = False
        self._count = 0

    def name(self, word: str) -> str:
        """A new name."""
        self._count += 1
        return f"{word}_{self._count}"

    def prelude(self) -> list[str]:
        """The effects that lines call."""
        text = "\n".join(self.lines)
        lines = ["log = []"] if "log." in text or "tick" in text else []
        if "tick" in text:
            lines += ["def tick(n):", "    log.append(int(n))", "    return n"]
        if "refuse" in text:
            lines += ["def refuse(n):", "    if n % 5 == 3:", "        raise ValueError('no')"]
            lines += ["    return n"]
        return lines

    def parameters(self, element: Element) -> tuple[str, list[tuple[str, Kind]]]:
        """Parameters of a function of elements, and its arrays."""
        if isinstance(element, tuple) and not isinstance(element, Kind):
            names = _NAMES[: len(element)]
            parts = [p for n, e in zip(names, element) for p in paths(n, e)]
            return ", ".join(names), parts
        return "x", paths("x", element)

    def whole(self, parts: list[tuple[str, Kind]]) -> str:
        """An int64 scalar made of one of the arrays."""
        text, kind = self.random.choice(parts)
        if kind.dtype == "string":
            text, kind = f"tf.strings.length({text})", kind._replace(dtype="int32")
        if kind.dtype != "int64":
            text = f"tf.cast({text}, tf.int64)"
        return f"tf.reduce_sum({text})" if kind.shape else text

    def changed(self, text: str, kind: Kind) -> tuple[str, Kind]:
        """An expression of an array's kind, or nearly."""
        r = self.random
        c, d = r.randint(1, 5), r.randint(1, 9)
        if kind.dtype in ("int64", "int32"):
            texts = [
                f"{text} + {c}", f"{text} * {c} - {d}", f"{text} % {d}", f"{text} // {c + 1}",
                f"tf.maximum({text}, {c})", f"tf.abs({text})", f"{d} - {text}", f"-{text}",
            ]  # fmt: skip
            if r.random() < 0.15:
                return f"tf.cast({text}, tf.float32) * 0.5", kind._replace(dtype="float32")
            return r.choice(texts), kind
        if kind.dtype == "float32":
            texts = [f"{text} + 0.5", f"{text} * 2.0", f"{text} * 0.5 - {c}", f"tf.abs({text})"]
            if r.random() < 0.15:
                return f"tf.cast({text}, tf.int32)", kind._replace(dtype="int32")
            return r.choice(texts), kind
        if kind.dtype == "string":
            if kind.shape:
                return text, kind
            return f"tf.strings.join([{text}, 'z'])", kind
        return f"tf.logical_not({text})", kind

    def define(self, parameters: str, lines: list[str]) -> str:
        """A function of some lines."""
        name = self.name("f")
        self.lines += [f"def {name}({parameters}):", *(f"    {line}" for line in lines)]
        return name

    def mapping(self, element: Element) -> tuple[str, Element]:
        """A function for `map`, and what its results are."""
        r = self.random
        parameters, parts = self.parameters(element)
        way = r.choice(
            ["change", "change", "change", "tuple", "dict", "if", "while", "capture", "tick",
             "tick", "fill", "range", "pick"]
        )  # fmt: skip
        number = self.whole(parts)
        text, kind = r.choice(parts)
        if way == "change":
            out, result = self.changed(text, kind)
            return f"lambda {parameters}: {out}", result
        if way == "pick":
            return f"lambda {parameters}: {text}", kind
        if way == "tuple":
            out, result = self.changed(text, kind)
            return f"lambda {parameters}: ({out}, {number})", (result, Kind("int64"))
        if way == "dict":
            out, result = self.changed(text, kind)
            parts_of = {"a": result, "b": Kind("int64")}
            return f"lambda {parameters}: {{'a': {out}, 'b': {number}}}", parts_of
        if way == "capture":
            name = self.name("c")
            self.lines.append(f"{name} = tf.constant({r.randint(1, 9)}, tf.int64)")
            return f"lambda {parameters}: {number} + {name}", Kind("int64")
        lines = [f"n = {number}"]
        result: Element = Kind("int64")
        if way == "if":
            lines += [
                f"if n % {r.randint(2, 3)} == 0:", f"    n = n * {r.randint(2, 4)}",
                "else:", f"    n = n - {r.randint(1, 4)}", "return n",
            ]  # fmt: skip
        elif way == "while":
            lines += [f"while n > {r.randint(5, 20)}:", "    n = n // 2", "return n"]
        elif way == "tick":
            lines += ["n = tf.reshape(tf.numpy_function(tick, [n], tf.int64), [])"]
            lines += [f"return n, {text}"] if r.random() < 0.5 else ["return n"]
            result = (Kind("int64"), kind) if "," in lines[-1] else result
        elif way == "range":
            lines += [f"return tf.range(n % {r.randint(2, 5)})"]
            result = Kind("int64", (None,))
        else:
            lines += [f"return tf.fill([n % {r.randint(1, 4)} + 1], n)"]
            result = Kind("int64", (None,))
        return self.define(parameters, lines), result

    def failing(self, element: Element) -> str:
        """A function that fails for some elements."""
        r = self.random
        parameters, parts = self.parameters(element)
        number = self.whole(parts)
        results = f"({parameters})" if "," in parameters else parameters
        rest = r.randint(0, 4)
        ways = [
            [f"n = {number}", f"tf.debugging.Assert(n % 5 != {rest}, [n])", f"return {results}"],
            ["n = tf.numpy_function(refuse, [" + number + "], tf.int64)",
             "return tf.reshape(n, [])"],
            [f"n = {number}", f"return tf.math.floordiv(n, n % 5 - {rest})"],
        ]  # fmt: skip
        lines = r.choice(ways)
        name = self.define(parameters, lines)
        if results not in lines[-1] or "Assert" not in lines[1]:
            self.element = Kind("int64")
        return name

    def predicate(self, element: Element) -> str:
        """A function for `filter`."""
        r = self.random
        parameters, parts = self.parameters(element)
        number = self.whole(parts)
        rest = r.randint(0, 2)
        texts = [f"{number} % 3 != {rest}", f"{number} < {r.randint(2, 15)}", f"{number} > 1"]
        texts += [t for t, kind in parts if kind == Kind("bool")]
        way = r.random()
        if way < 0.7:
            return f"lambda {parameters}: {r.choice(texts)}"
        lines = [f"n = {number}"]
        if way < 0.85:
            lines.append("n = tf.reshape(tf.numpy_function(tick, [n], tf.int64), [])")
            return self.define(parameters, [*lines, f"return n % 3 != {rest}"])
        lines += [f"if n > {r.randint(1, 9)}:", "    return n % 2 == 0", "return n % 3 > 0"]
        return self.define(parameters, lines)

    def key(self, element: Element) -> str:
        """A function for the keys of groups."""
        parameters, parts = self.parameters(element)
        return f"lambda {parameters}: {self.whole(parts)} % {self.random.randint(1, 4)}"

    def expansion(self, element: Element) -> tuple[str, Element]:
        """A function that gives a dataset, and what its elements are."""
        r = self.random
        parameters, parts = self.parameters(element)
        number = self.whole(parts)
        rows = [(t, k) for t, k in parts if k.shape]
        if rows and r.random() < 0.5:
            text, kind = r.choice(rows)
            out = f"tf.data.Dataset.from_tensor_slices({text})"
            return f"lambda {parameters}: {out}", kind._replace(shape=kind.shape[1:])
        text, kind = r.choice(parts)
        count = r.randint(1, 4)
        dataset = "tf.data.Dataset"
        choices: list[tuple[str, Element]] = [
            (f"{dataset}.range({number} % {count})", Kind("int64")),
            (f"{dataset}.range({count}).map(lambda i: i + {number})", Kind("int64")),
            (
                f"{dataset}.from_tensors(({text}, {number})).repeat({count})",
                (kind, Kind("int64")),
            ),
            (f"{dataset}.from_tensors({text}).repeat({number} % {count})", kind),
            (f"{dataset}.range({count + 2}).batch({count})", Kind("int64", (None,))),
        ]
        out, result = r.choice(choices)
        return f"lambda {parameters}: {out}", result

    def scanning(self, element: Element) -> tuple[str, Element]:
        """A function for `scan` with an int64 scalar as its state."""
        r = self.random
        parts = paths("e", element)
        number = self.whole(parts)
        text, kind = r.choice(parts)
        lines = [f"n = {number}"]
        if r.random() < 0.4:
            lines.append("n = tf.reshape(tf.numpy_function(tick, [n], tf.int64), [])")
        if r.random() < 0.5:
            return self.define("s, e", [*lines, "return s + n, s * 2 - n"]), Kind("int64")
        return self.define("s, e", [*lines, f"return n, (s, {text})"]), (Kind("int64"), kind)
