"""Graphs as text: `print_graph` and `parse_graph`, an exact round trip.

    graph f(%x: float32[2,?]) captures(%v: resource[]) {
      %read = ReadVariableOp{dtype=tf.float32, shape=(2,)}(%v) : float32[2]
      %add = AddV2(%x, %read) : float32[2,2]
      return %add
    }

A node with several results is `%split, %split:1 = ...`. Attributes are Python literals,
dtypes, constants `literal('float32[2]', [1.0, 2.0])` and nested graphs. A graph that several nodes
hold is printed once, after `with f as #1:`; the others have `with f = #1`. The text leaves out the
tensors behind captures: a parsed graph has None for each. Passes are tested text to text.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphwright.ir.graph import Graph, Node, Value, subgraphs_of
from graphwright.op.op import Op, registered
from graphwright.ops.core.creation import Literal
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import Dims, TensorType


class PortableText:
    """Writes a graph in the words of another compiler; `hooks` provides it."""

    stablehlo: Callable[[Graph], str]


# -- printing -------------------------------------------------------------------------------


def print_graph(graph: Graph, locations: bool = False) -> str:
    """The text of a graph; with `locations`, beside each node its line of source."""
    return "\n".join(_Printer(graph, locations).lines(graph, ""))


def shared_graphs(graph: Graph) -> set[Graph]:
    """The graphs that several nodes hold, in a graph and in the graphs within it."""
    holders: Counter[Graph] = Counter()
    waiting = [graph]
    while waiting:
        for inner in waiting.pop().subgraphs():
            holders[inner] += 1
            if holders[inner] == 1:
                waiting.append(inner)
    return {inner for inner, count in holders.items() if count > 1}


class _Printer:
    """Makes the lines of a graph; it numbers a shared graph where it comes first."""

    def __init__(self, graph: Graph, locations: bool) -> None:
        self.locations = locations
        self.shared = shared_graphs(graph)
        self.numbers: dict[Graph, int] = {}

    def lines(self, graph: Graph, indent: str) -> list[str]:
        """The lines of a graph and of the graphs within it."""
        arguments = set(graph.arguments)
        lines = [_head(graph, indent)]
        for node in graph.nodes:
            if not (node.outputs and node.outputs[0] in arguments):
                lines.append(_node(node, indent + "  ", self.locations))
                for name, inner in _graphs(node.op):
                    lines += self.held(name, inner, indent + "    ")
        returned = ", ".join(_name(v) for v in graph.results)
        return [*lines, f"{indent}  return {returned}".rstrip(), f"{indent}}}"]

    def held(self, name: str, graph: Graph, indent: str) -> list[str]:
        """The lines of a graph that a node holds, or a line that says which one it is."""
        if graph not in self.shared:
            return [f"{indent}with {name}:", *self.lines(graph, indent + "  ")]
        number = self.numbers.get(graph)
        if number is not None:
            return [f"{indent}with {name} = #{number}"]
        number = self.numbers[graph] = len(self.numbers) + 1
        return [f"{indent}with {name} as #{number}:", *self.lines(graph, indent + "  ")]


def _head(graph: Graph, indent: str) -> str:
    parameters = ", ".join(f"{_name(v)}: {show_type(v.type)}" for v in graph.parameters)
    captures = ", ".join(f"{_name(v)}: {show_type(v.type)}" for _, v in graph.captures)
    head = f"{indent}{'body' if graph.is_body else 'graph'} {graph.name}({parameters})"
    return f"{head} captures({captures}) {{" if captures else f"{head} {{"


def _node(node: Node, indent: str, locations: bool) -> str:
    attributes = node.op.describe()
    inner = {name for name, _ in _graphs(node.op)}
    plain = ", ".join(f"{k}={show(v)}" for k, v in attributes.items() if k not in inner)
    targets = ", ".join(_name(v) for v in node.outputs) or f"%{node.name}!"
    text = f"{indent}{targets} = {node.op.type_name}{f'{{{plain}}}' if plain else ''}"
    text += f"({', '.join(_name(v) for v in node.inputs)})"
    if node.outputs:
        text += " : " + ", ".join(show_type(v.type) for v in node.outputs)
    if locations and node.location is not None:
        line = linecache.getline(node.location.filename, node.location.lineno).strip()
        text += f"  # {node.location.filename}:{node.location.lineno}{f': {line}' if line else ''}"
    return text


def _graphs(op: Op) -> Iterator[tuple[str, Graph]]:
    """The graphs that an op holds, with the names of the attributes."""
    if subgraphs_of(op):
        for name, value in op.describe().items():
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Graph):
                    yield name, part


def _name(value: Value) -> str:
    return f"%{value.node.name}" + (f":{value.index}" if value.index else "")


def show_type(type_: TensorType) -> str:
    """`float32[2,?]`; `float32` alone for an unknown rank."""
    if type_.dims is None:
        return type_.dtype.name
    return f"{type_.dtype.name}[{','.join('?' if d is None else str(d) for d in type_.dims)}]"


def show(value: object) -> str:
    """An attribute as text."""
    if isinstance(value, Literal):
        return f"literal({show_type(value.type)!r}, {value.array.tolist()!r})"
    if isinstance(value, tuple):
        items = ", ".join(show(v) for v in value)
        return f"({items},)" if len(value) == 1 else f"({items})"
    return repr(value)


# -- parsing --------------------------------------------------------------------------------

_HEAD = re.compile(r"(graph|body) (.+?)\((.*?)\)(?: captures\((.*)\))? \{$")
_NODE = re.compile(r"(%.+?) = (\w+)(.*)$")


def parse_graph(text: str) -> Graph:
    """The graph that a text describes; ValueError names a wrong line."""
    lines = [(i + 1, line) for i, line in enumerate(text.splitlines()) if line.strip()]
    parser = _Parser(lines)
    graph = parser.graph()
    if parser.lines:
        raise ValueError(f"line {parser.lines[0][0]}: text after the graph's end")
    return graph


class _Parser:
    """Reads lines from the first on."""

    def __init__(self, lines: list[tuple[int, str]]) -> None:
        self.lines = lines
        self.shared: dict[str, Graph] = {}

    def next(self) -> tuple[int, str]:
        if not self.lines:
            raise ValueError("the text ends inside a graph")
        number, line = self.lines.pop(0)
        return number, line.strip()

    def graph(self) -> Graph:
        number, line = self.next()
        head = _HEAD.match(line)
        if head is None:
            raise ValueError(f"line {number}: expected `graph name(...) {{`, got {line!r}")
        graph = Graph(head.group(2), head.group(1) == "body")
        values: dict[str, Value] = {}
        for parameter in _split(head.group(3)):
            graph.parameters.append(_placeholder(graph, parameter, values))
        for capture in _split(head.group(4) or ""):
            graph.captures.append((None, _placeholder(graph, capture, values)))
        while True:
            number, line = self.next()
            if line == "return" or line.startswith("return "):
                graph.results = [_value(values, n, number) for n in _split(line[7:])]
                self.next()
                return graph
            self.node(graph, number, line, values)

    def node(self, graph: Graph, number: int, line: str, values: dict[str, Value]) -> None:
        match = _NODE.match(_without_place(line))
        if match is None:
            raise ValueError(f"line {number}: expected a node, got {line!r}")
        targets, type_name, rest = match.groups()
        attributes: dict[str, Any] = {}
        if rest.startswith("{"):
            inside, rest = _bracketed(rest, "{}")
            attributes = _attributes(inside, number)
        arguments, rest = _bracketed(rest, "()")
        types = tuple([parse_type(t) for t in _split(rest.partition(" : ")[2])])
        attributes |= self.nested()
        cls = registered(type_name)
        if cls is None:
            raise ValueError(f"line {number}: there is no op {type_name!r}")
        inputs = tuple([_value(values, n, number) for n in _split(arguments)])
        names = _split(targets)
        op: Op = cls(**attributes)
        node = Node(op, inputs, types, names[0][1:].rstrip("!"), None)
        graph.nodes.append(node)
        values.update(zip(names, node.outputs))

    def nested(self) -> dict[str, Any]:
        """The graphs among a node's attributes."""
        graphs: dict[str, list[Graph]] = {}
        while self.lines and self.lines[0][1].strip().startswith("with "):
            number, line = self.next()
            name, again, label = line[5:].partition(" = ")
            if not again:
                name, _, label = line[5:-1].partition(" as ")
                graph = self.graph()
                if label:
                    self.shared[label] = graph
            elif label not in self.shared:
                raise ValueError(f"line {number}: no graph above is {label}")
            graphs.setdefault(name, []).append(self.shared[label] if again else graph)
        return {k: g[0] if len(g) == 1 else tuple(g) for k, g in graphs.items()}


def _placeholder(graph: Graph, text: str, values: dict[str, Value]) -> Value:
    name, _, type_ = text.partition(": ")
    value = graph.placeholder(parse_type(type_), name[1:])
    values[name] = value
    return value


def _value(values: dict[str, Value], name: str, number: int) -> Value:
    if name not in values:
        raise ValueError(f"line {number}: {name} is not defined before it is used")
    return values[name]


def parse_type(text: str) -> TensorType:
    """`float32[2,?]` -> TensorType."""
    name, bracket, inside = text.strip().partition("[")
    if not bracket:
        return TensorType(as_dtype(name), None)
    entries = [e for e in inside.rstrip("]").split(",") if e]
    dims: Dims = tuple([None if e == "?" else int(e) for e in entries])
    return TensorType(as_dtype(name), dims)


def _unquoted(text: str) -> Iterator[tuple[int, str]]:
    """The letters of a text that are in no quotes, with their places."""
    quote, escaped = "", False
    for i, c in enumerate(text):
        if escaped:
            escaped = False
        elif quote:
            escaped = c == "\\"
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        else:
            yield i, c


def _without_place(text: str) -> str:
    """A node's text without its line of the program."""
    ends = (i for i, c in _unquoted(text) if c == "#" and text[:i].endswith("  "))
    return text[: next(ends, len(text))]


def _bracketed(text: str, brackets: str) -> tuple[str, str]:
    """The text inside the bracket at the beginning, and the text after it."""
    depth = 0
    for i, c in _unquoted(text):
        if c == brackets[0]:
            depth += 1
        elif c == brackets[1]:
            depth -= 1
            if depth == 0:
                return text[1:i], text[i + 1 :]
    raise ValueError(f"unbalanced {brackets} in {text!r}")


def _split(text: str) -> list[str]:
    """The parts between commas that are in no bracket and no quote."""
    parts, depth, start = [], 0, 0
    for i, c in _unquoted(text):
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def _attributes(text: str, number: int) -> dict[str, Any]:
    attributes = {}
    for part in _split(text):
        key, _, value = part.partition("=")
        try:
            attributes[key] = _attribute(ast.parse(value, mode="eval").body)
        except (SyntaxError, ValueError, TypeError) as error:
            raise ValueError(f"line {number}: attribute {part!r}: {error}") from error
    return attributes


def _attribute(tree: ast.expr) -> Any:
    """An attribute's value from the syntax tree of its text; nothing is executed."""
    if isinstance(tree, ast.Tuple):
        return tuple([_attribute(item) for item in tree.elts])
    if isinstance(tree, ast.Attribute):  # tf.float32
        return as_dtype(tree.attr)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "literal":
        return _literal(ast.literal_eval(tree.args[0]), tree.args[1])
    return _plain(tree)


def _plain(tree: ast.expr) -> Any:
    """Numbers, text and lists of them; `nan` and `inf` as floats print them."""
    if isinstance(tree, ast.List):
        return [_plain(item) for item in tree.elts]
    if isinstance(tree, ast.Name) and tree.id in ("nan", "inf"):
        return float(tree.id)
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return -_plain(tree.operand)
    return ast.literal_eval(tree)


def _complex(tree: ast.expr) -> Any:
    """Complex numbers as printed, with the signs of zeros, and lists of them."""
    if isinstance(tree, ast.List):
        return [_complex(item) for item in tree.elts]
    return complex(ast.unparse(tree).replace(" ", ""))


def _literal(type_text: str, tree: ast.expr) -> Literal:
    type_ = parse_type(type_text)
    dtype: DType = type_.dtype
    value = _complex(tree) if dtype.is_complex else _plain(tree)
    array = np.array(value, dtype=dtype.numpy_dtype)
    return Literal(array.reshape(type_.dims or ()), type_)
