"""Tables of pipelines: what their text is, and all pipelines by name.

A line is a pipeline, an expression whose text is its name. A paragraph that begins with `# NAME` is a
program of several lines: the value of the last one is its outcome.
"""

from __future__ import annotations

from collections.abc import Iterator

from corpora.pipelines import (
    combinations,
    experiments,
    functions,
    iterators,
    lengths,
    loops,
    order,
    shapes,
    sources,
)

TABLES = {
    "sources": sources.SOURCES,
    "functions": functions.FUNCTIONS,
    "shapes": shapes.SHAPES,
    "lengths": lengths.LENGTHS,
    "order": order.ORDER,
    "combinations": combinations.COMBINATIONS,
    "iterators": iterators.ITERATORS,
    "files": iterators.FILES,
    "loops": loops.LOOPS,
    "experiments": experiments.EXPERIMENTS,
}


def entries(text: str) -> Iterator[tuple[str, str]]:
    """The names and the sources of a table's pipelines."""
    for paragraph in text.strip().split("\n\n"):
        if paragraph.startswith("# "):
            heading, _, source = paragraph.partition("\n")
            yield heading.removeprefix("# "), source
        else:
            for line in paragraph.splitlines():
                yield line, line


#: The sources of all pipelines, by name.
PIPELINES: dict[str, str] = {n: s for text in TABLES.values() for n, s in entries(text)}
