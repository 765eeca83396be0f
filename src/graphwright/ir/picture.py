"""Drawings of graphs: `graph.view()` and `graph.to_dot()`.

A drawing has a row for each node in the order of the program, with its line of source. Each value
has an arc from the node that makes it to those that use it. The graphs of branches, loops and calls
are drawn below the graph that holds them, and fold.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from html import escape

from graphwright.base.errors import Location
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.text import print_graph, show, show_type

_ROW = 20  # pixels
_LETTER = 7.3  # width of one
_ARCS = 140  # width of the arcs
_ROWS = 400  # nodes drawn of one graph
_ATTRIBUTES = 40  # letters of a node's attributes


class View:
    """A graph as text on a terminal, as a drawing in a notebook.

    >>> import graphwright as tf
    >>> f = tf.function(lambda x: x * 2.0)
    >>> print(f.get_concrete_function(tf.TensorSpec([3])).graph.view())
    graph <lambda>(%x: float32[3]) {
      %mul/y = Const{value=literal('float32[]', 2.0)}() : float32[]
      %mul = Mul(%x, %mul/y) : float32[3]  # ...: f = tf.function(lambda x: x * 2.0)
      ...
    }
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def __str__(self) -> str:
        return print_graph(self._graph, locations=True)

    def _repr_html_(self) -> str:
        return html(self._graph)

    def to_svg(self) -> str:
        """The drawing of the graph, without the graphs in it."""
        return svg(self._graph)


def source_line(location: Location | None) -> str:
    """`file:line  source` of a node's place in the program, the file without its folder."""
    if location is None:
        return ""
    name = location.filename.replace("\\", "/").rpartition("/")[2]
    text = linecache.getline(location.filename, location.lineno).strip()
    return f"{name}:{location.lineno}  {text}"


# -- drawings -------------------------------------------------------------------------------


def html(graph: Graph) -> str:
    """The drawing of a graph, and those of the graphs in it in elements that fold, each once."""
    return "".join(html_parts(graph, {}))


def html_parts(graph: Graph, drawn: dict[Graph, str]) -> Iterator[str]:
    """The drawings of a graph and the graphs in it; `drawn` has the titles of earlier drawings."""
    yield svg(graph)
    for node in graph.nodes:
        for name, inner in inner_graphs(node):
            title = f"{node.name}: {name} ({len(inner.nodes)} nodes)"
            if inner in drawn:
                yield f"<div>{escape(f'{title}, the graph of {drawn[inner]}')}</div>"
                continue
            drawn[inner] = title
            yield f"<details><summary>{escape(title)}</summary><div style='margin-left:2em'>"
            yield from html_parts(inner, drawn)
            yield "</div></details>"


def inner_graphs(node: Node) -> Iterator[tuple[str, Graph]]:
    """The graphs that a node holds, by the names of its attributes."""
    for name, value in node.op.describe().items():
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, Graph):
                yield name, each


def svg(graph: Graph) -> str:
    """A graph as one SVG element."""
    nodes = graph.nodes[:_ROWS]
    rows = {node: i for i, node in enumerate(nodes)}
    labels = [label(node, graph) for node in nodes]
    indent = _ARCS + (max(map(len, labels), default=0) + 4) * _LETTER
    places = [source_line(node.location) for node in nodes]
    width = indent + (max(map(len, places), default=0) + 2) * _LETTER
    shapes = [arc(rows[v.node], row, v) for node, row in rows.items() for v in node.inputs]
    shapes += [row_of(i, *texts, indent) for i, texts in enumerate(zip(nodes, labels, places))]
    shapes.append(text(len(nodes), _ARCS, ending(graph, len(graph.nodes) - len(nodes)), "return"))
    returned = [v for v in graph.results if v.node in rows]
    shapes += [arc(rows[v.node], len(nodes), v) for v in returned]
    height = (len(nodes) + 1) * _ROW + 8
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height}' "
        f"viewBox='0 0 {width:.0f} {height}' font-family='monospace' font-size='12'>"
        f"<title>{escape(graph.name)}</title>{''.join(shapes)}</svg>"
    )


def label(node: Node, graph: Graph) -> str:
    """A node in a line: its name, op, plain attributes and types."""
    types = ", ".join(show_type(v.type) for v in node.outputs)
    if node.outputs and node.outputs[0] in graph.arguments:
        return f"{node.name}: {types}"
    plain = {k: v for k, v in node.op.describe().items() if not any(True for _ in graphs_of(v))}
    attributes = ", ".join(f"{k}={show(v)}" for k, v in plain.items())
    if len(attributes) > _ATTRIBUTES:
        attributes = f"{attributes[: _ATTRIBUTES - 3]}..."
    shown = f"{{{attributes}}}" if attributes else ""
    return f"{node.name} = {node.op.type_name}{shown}{f': {types}' if types else ''}"


def graphs_of(value: object) -> Iterator[Graph]:
    """The graph or graphs of an attribute's value."""
    for each in value if isinstance(value, tuple) else (value,):
        if isinstance(each, Graph):
            yield each


def ending(graph: Graph, left_out: int) -> str:
    """The last row: the results, and the number of nodes that are not drawn."""
    more = f"... {left_out} more nodes; " if left_out else ""
    return f"{more}return {', '.join(v.name for v in graph.results)}"


def row_of(number: int, node: Node, shown: str, place: str, indent: float) -> str:
    """A node's row: its label, and its line of the program."""
    whole = "" if node.location is None else str(node.location)
    tip = f"<title>{escape(f'{node} {whole}')}</title>"
    folds = " class='holds'" if any(True for _ in inner_graphs(node)) else ""
    parts = text(number, _ARCS, shown, "node") + text(number, indent, place, "source")
    return f"<g{folds}>{tip}{parts}</g>"


def text(number: int, x: float, shown: str, kind: str) -> str:
    """A line of text in a row."""
    colour = {"source": "#777", "return": "#a33"}.get(kind, "currentColor")
    y = (number + 1) * _ROW - 5
    return f"<text class='{kind}' x='{x:.0f}' y='{y}' fill='{colour}'>{escape(shown)}</text>"


def arc(start: int, end: int, value: Value) -> str:
    """The arc of a value, from the row that makes it to one that uses it."""
    x, above, below = _ARCS - 6, (start + 1) * _ROW - 9, (end + 1) * _ROW - 9
    reach = min(_ARCS - 16, 14 + 7 * (end - start) ** 0.75)
    return (
        f"<path d='M{x} {above} C{x - reach:.0f} {above} {x - reach:.0f} {below} {x} {below}' "
        f"fill='none' stroke='#69c' stroke-opacity='.6'><title>{escape(repr(value))}</title></path>"
        f"<circle cx='{x}' cy='{below}' r='2' fill='#69c'/>"
    )


# -- Graphviz -------------------------------------------------------------------------------


def to_dot(graph: Graph) -> str:
    """A graph in the language of Graphviz; the graphs in it as clusters, each once."""
    lines = [f"digraph {quoted(graph.name)} {{", "  node [shape=box, fontname=monospace];"]
    lines += dot_lines(graph, "g", "  ", {})
    return "\n".join([*lines, "}"])


def dot_lines(graph: Graph, prefix: str, indent: str, drawn: dict[Graph, str]) -> Iterator[str]:
    """The statements for one graph; `drawn` has the titles of earlier graphs."""
    names = {node: f"{prefix}_{i}" for i, node in enumerate(graph.nodes)}
    for node, name in names.items():
        place = source_line(node.location)
        shown = label(node, graph) + (f"\n{place}" if place else "")
        yield f"{indent}{name} [label={quoted(shown)}];"
        for value in node.inputs:
            yield f"{indent}{names[value.node]} -> {name} [label={quoted(show_type(value.type))}];"
        for i, (attribute, inner) in enumerate(inner_graphs(node)):
            title = f"{node.name}: {attribute}"
            yield f"{indent}subgraph cluster_{name}_{i} {{"
            yield f"{indent}  label={quoted(title)};"
            if inner in drawn:
                shown = quoted(f"the graph of {drawn[inner]}")
                yield f"{indent}  {name}_{i}_above [label={shown}, shape=plaintext];"
            else:
                drawn[inner] = title
                yield from dot_lines(inner, f"{name}_{i}", f"{indent}  ", drawn)
            yield f"{indent}}}"
    if graph.results:
        yield f"{indent}{prefix}_return [label=return, shape=plaintext];"
        for value in graph.results:
            yield f"{indent}{names[value.node]} -> {prefix}_return;"


def quoted(words: str) -> str:
    """A string as Graphviz reads it."""
    escaped = words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
