"""The texts in the package's source that advise something, found by a search.

A text advises if a clause of it is an imperative: `use tf.cast`, `Write ... first in the loop`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import graphwright

PACKAGE = Path(graphwright.__file__).parent

#: Folders whose texts are checked elsewhere, are no advice about programs, or need an extra.
ELSEWHERE = {
    "explain": "its kinds have programs in `corpora.failures` and `corpora.retraces`",
    "data/explanation.py": "what a pipeline's explanation advises: tests/data",
    "data/storage": "files of datasets that another process writes: tests/data",
    "base/file_paths.py": "files of other machines: tests/base",
    "__main__.py": "the list of commands",
    "library/objects/explaining.py": "the options of a command",
    "lint": "its pages have a wrong and a right program each (tests/lint/test_pages.py)",
    "demo": "a program that prints its own results",
    "diagnosis": "what a machine lacks: tests/diagnosis",
    "data/clusters": "processes of a cluster: tests/data/clusters",
    "proto": "generated",
    "compile": "words about code of the engine, for its developers",
    "machine": "the cache and the linker: their own tests say what they print",
    "portable": "commands and models of others: tests/portable",
    "library/presence": "a table of names, each of which tests/library/presence looks up",
    "library/distribute": "several devices and processes: tests/library/distribute",
    "library/dtensor/partwise_ops.py": "processes that MPI starts: tests/library/dtensor",
    "ops/quantization": "docstrings of functions that are made from templates",
}

_VERBS = (
    "add append ask assign await begin call cast catch choose collect compare compute convert copy "
    "create cut decorate define ensure fix give keep leave let loop make mend merge name open pass "
    "prefix put read remove rename return save set specify start state sum take try use wrap write"
).replace(" ", "|")
_IMPERATIVE = re.compile(rf"(?:^|[.:;?]\s+|\bor |\band |[Pp]lease )(?:{_VERBS})\b(?!:| of\b)", re.I)

#: Texts that look like advice and are none, by a part of each.
NO_ADVICE = {
    "assert statement": "the name of a statement",
    "write(): a record must": "the name of a method",
    "name for name_scope": "the name of an argument",
    "a `finally` that ends in": "a cause that a warning names",
    "outer(": "code that is generated",
    "define internal": "code that is generated",
    "def execute(": "code that is generated",
    "if type(result) is not": "code that is generated",
    "return [": "code that is generated",
    "if not ({})": "code that is generated",
    "set{0}_": "the operands of an op",
    "sparse=True or copy": "the options of a function",
    "Cast {} to": "the name of an op",
    "begin {} and size": "the operands of an op",
    "start has {} and size": "the operands of an op",
    "add divide divide_no_nan": "names of functions",
    "add i64": "code that is generated",
    "@llvm.": "code that is generated",
    "call {} @": "code that is generated",
    "call void @": "code that is generated",
    "call double @": "code that is generated",
    "scalar or begin with": "a verb of the operands",
    "buffer_size to be": "a verb of the operands",
}


#: Advice that no program here provokes, by a part of each, and why.
UNPROVOKED = {
    "look alike; write them on separate": "only Python 3.10 cannot tell such lambdas apart",
    "batch_dims < 0 needs indices": "no call of today gives a tensor there",
    "tf.gradients cannot tell how": "the constant must be folded before it is asked for",
    "Make it inside: `with strategy.scope()": "it needs several devices: tests/library/distribute",
    "Start more processes: graphwright launch": "it needs several processes",
    "a saver has the value: call": "it needs a file of a graph: tests/portable/classic",
}


class Template(NamedTuple):
    """A text of the source with holes."""

    place: str
    text: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """What a printed text matches that was made of it."""
        parts = re.split(r"\{\}|%[srd]|\{\d?\w*\}", self.text)
        return re.compile(".*?".join(map(re.escape, parts)), re.DOTALL)


def templates() -> list[Template]:
    """The texts of the package that advise something."""
    found = [t for path in sorted(PACKAGE.rglob("*.py")) for t in of_file(path)]
    return list({template.text: template for template in found}.values())


def of_file(path: Path) -> Iterator[Template]:
    """The texts of one module."""
    place = path.relative_to(PACKAGE).as_posix()
    if any(place == other or place.startswith(f"{other}/") for other in ELSEWHERE):
        return
    nodes: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    for node in nodes:  # it grows
        text = text_of(node)
        if text:
            if " " in text and advises(text):
                yield Template(f"{place}:{getattr(node, 'lineno', 0)}", text)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            nodes += ast.iter_child_nodes(node)


def advises(text: str) -> bool:
    """Whether a text advises something."""
    return bool(_IMPERATIVE.search(text)) and not any(part in text for part in NO_ADVICE)


def text_of(node: ast.AST) -> str:
    """A string of the source, `{}` for what is filled in; empty for other expressions."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join([text_of(part) or "{}" for part in node.values])
    if type(node) is ast.BinOp and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return (left or "{}") + (right or "{}") if left or right else ""
    return ""
