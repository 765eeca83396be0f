"""Drawings of graphs: a row for each node, an arc for each use, the inner graphs below."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

import graphwright as tf
from graphwright.ir import picture

SVG = "{http://www.w3.org/2000/svg}"
SPEC = tf.TensorSpec([2], tf.float32)


def graph_of(function: Any) -> Any:
    return tf.function(function).get_concrete_function(SPEC).graph


def drawn(graph: Any) -> ElementTree.Element:
    return ElementTree.fromstring(picture.svg(graph))


def lines(drawing: ElementTree.Element, kind: str) -> list[str]:
    return [t.text or "" for t in drawing.iter(f"{SVG}text") if t.get("class") == kind]


@pytest.fixture
def graph() -> Any:
    return graph_of(lambda x: (x + 1.0) * x)


def test_a_drawing_has_a_row_for_each_node_and_an_arc_for_each_use(graph: Any) -> None:
    drawing = drawn(graph)
    rows = lines(drawing, "node")
    assert rows[0] == "x: float32[2]"
    assert [row.split(" = ")[0] for row in rows[1:]] == [node.name for node in graph.nodes[1:]]
    arcs = [title.text for title in drawing.iter(f"{SVG}title") if title in titles_of_arcs(drawing)]
    uses = [repr(v) for node in graph.nodes for v in node.inputs]
    assert sorted(arcs) == sorted([*uses, *map(repr, graph.results)])
    assert lines(drawing, "return") == [f"return {graph.results[0].name}"]
    places = lines(drawing, "source")
    assert len(places) == len(rows)
    assert all("lambda x: (x + 1.0) * x" in place for place in places[2:4])


def titles_of_arcs(drawing: ElementTree.Element) -> list[ElementTree.Element]:
    return [title for path in drawing.iter(f"{SVG}path") for title in path]


def test_rows_are_below_each_other_and_inside_of_the_drawing(graph: Any) -> None:
    drawing = drawn(graph)
    width, height = (float(drawing.get(side) or 0) for side in ("width", "height"))
    assert drawing.get("viewBox") == f"0 0 {width:.0f} {height:.0f}"
    heights = [
        float(t.get("y") or 0) for t in drawing.iter(f"{SVG}text") if t.get("class") == "node"
    ]
    assert heights == [15.0 + 20 * i for i in range(len(graph.nodes))]
    (last,) = [t for t in drawing.iter(f"{SVG}text") if t.get("class") == "return"]
    assert heights[-1] < float(last.get("y") or 0) < height
    assert height == 20 * (len(graph.nodes) + 1) + 8
    for t in drawing.iter(f"{SVG}text"):
        assert float(t.get("x") or 0) + 7 * len(t.text or "") < width
    starts = {
        float(t.get("x") or 0) for t in drawing.iter(f"{SVG}text") if t.get("class") == "node"
    }
    assert starts == {140.0}
    places = {
        float(t.get("x") or 0) for t in drawing.iter(f"{SVG}text") if t.get("class") == "source"
    }
    assert min(places) > 140 + 7 * max(map(len, lines(drawing, "node")))
    for path in drawing.iter(f"{SVG}path"):
        x, above, *_, end, below = (float(n) for n in re.findall(r"-?[\d.]+", path.get("d") or ""))
        assert (x, end) == (134, 134)
        assert above < below
        assert (above % 20, below % 20) == (11, 11)
        (circle,) = [c for c in drawing.iter(f"{SVG}circle") if float(c.get("cy") or 0) == below][
            :1
        ]
        assert circle.get("cx") == "134"


def test_what_is_not_drawn_is_counted(monkeypatch: pytest.MonkeyPatch, graph: Any) -> None:
    assert "more nodes" not in picture.svg(graph)
    monkeypatch.setattr(picture, "_ROWS", 2)
    drawing = drawn(graph)
    assert len(lines(drawing, "node")) == 2
    left_out = len(graph.nodes) - 2
    name = graph.results[0].name
    assert lines(drawing, "return") == [f"... {left_out} more nodes; return {name}"]


def test_inner_graphs_are_below_and_can_be_folded() -> None:
    inner = tf.function(lambda x: x * 2.0)
    graph = graph_of(lambda x: tf.cond(x[0] > 0.0, lambda: inner(x), lambda: -x))
    text = picture.html(graph)
    titles = re.findall(r"<summary>(.*?)</summary>", text)
    graphs = list(all_inner(graph))
    assert len(titles) == text.count("</details>") == len(graphs) == 3
    assert text.count("<svg") == 4
    assert [int(re.findall(r"\((\d+) nodes\)", t)[0]) for t in titles] == [
        len(g.nodes) for g in graphs
    ]
    assert picture.svg(graph).count("class='holds'") == 1


def all_inner(graph: Any) -> Any:
    for node in graph.nodes:
        for _, inner in picture.inner_graphs(node):
            yield inner
            yield from all_inner(inner)


def test_long_attributes_are_shortened(graph: Any) -> None:
    long = graph_of(lambda x: x + tf.constant([1.25, 1.5] * 1)[:2] + tf.reduce_sum(x))
    for each in (graph, long):
        for node, row in zip(each.nodes, lines(drawn(each), "node")):
            result = re.search(r"\{(.*)\}", row)
            assert result is None or len(result.group(1)) <= 40
            types = ", ".join(picture.show_type(v.type) for v in node.outputs)
            assert row.endswith(types)


def test_graphviz_has_an_edge_for_each_use() -> None:
    graph = graph_of(lambda x: tf.cond(x[0] > 0.0, lambda: x * 2.0, lambda: -x))
    text = picture.to_dot(graph)
    assert text.startswith("digraph ")
    assert text.count("{") == text.count("}") + text.count("\\{")
    graphs = [graph, *all_inner(graph)]
    uses = sum(len(n.inputs) for g in graphs for n in g.nodes) + sum(len(g.results) for g in graphs)
    assert text.count(" -> ") == uses
    assert text.count("subgraph cluster_") == len(graphs) - 1
    nodes = sum(len(g.nodes) for g in graphs)
    assert len(re.findall(r"^ *g[\w]*\d \[label=", text, re.M)) == nodes
    assert picture.quoted('a "b"\n\\c') == '"a \\"b\\"\\n\\\\c"'


def test_a_function_that_is_called_twice_is_drawn_once() -> None:
    f = tf.function(lambda x: x + 1.0, autograph=False)
    for _ in range(20):
        f = tf.function(lambda x, f=f: f(f(x)), autograph=False)
    graph = f.get_concrete_function(SPEC).graph
    assert picture.html(graph).count("<svg") == 21
    assert picture.html(graph).count(", the graph of ") == 20
    text = picture.to_dot(graph)
    assert text.count("{") == text.count("}")
    assert text.count("subgraph cluster_") == 40
    assert text.count("the graph of ") == 20


def test_longer_arcs_reach_farther_and_stay_inside(graph: Any) -> None:
    (value,) = graph.results
    curves = [
        re.findall(r" C(\d+) ", picture.arc(3, 3 + rows, value)) for rows in (1, 16, 81, 5000)
    ]
    assert curves == [["113"], ["64"], ["10"], ["10"]]
