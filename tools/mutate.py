"""Plants faults of one line in a copy of the tree, and sees which the tests notice.

    python tools/mutate.py src/graphwright/trace --count 20
    python tools/mutate.py src/graphwright/compile/memory --tests tests/plans --table t.jsonl

A fault is an operator that is another one, a statement or a key's component that is missing, a
condition that is turned round, arguments that have changed places, a number that is one more, a
`finally` or a lock that is not there. Each is planted alone. The tests that mirror its file run
until the first failure: `tests/trace/test_tracer.py` for `trace/tracer.py`, or where there is none
all of `tests/trace`. With a table, what stands in it is not done again.

    python tools/mutate.py --again docs/engineering/mutants/trace.jsonl

plants the faults of a table once more, wherever their functions are by now: a fault is found by the
name of its function and the line that it changes. A record of the table that no test noticed has a
`why`, which a reader wrote: why no program can see this fault. `--missed` in the place of `--again`
plants only those that no test noticed and that have no `why`, and writes what becomes of them into
the table.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import functools
import json
import os
import py_compile
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("src/graphwright")

#: Operators, and what each becomes.
OPERATORS: dict[type, str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.LShift: ">>",
    ast.BitOr: "&", ast.BitAnd: "|", ast.Mod: "//",
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
    ast.And: "or", ast.Or: "and",
}  # fmt: skip


class Fault(NamedTuple):
    """A part of a file that is replaced."""

    kind: str
    line: int
    start: int  # in bytes
    end: int
    text: str
    function: str = ""  # the qualified name of the function it stands in

    def code(self, path: Path) -> str:
        """The line of a file that it changes, without its margin."""
        return lines_of(path)[self.line - 1].strip()


@functools.cache
def lines_of(path: Path) -> list[str]:
    """The lines of a file; faults are planted in copies, so they stay as they are."""
    return path.read_text().splitlines()


def faults(source: str) -> list[Fault]:
    """All faults that can be planted in a source, in its order."""
    all_of_them = list(Finder(source).of(ast.parse(source)))
    return sorted(all_of_them, key=lambda fault: (fault.start, fault.end, fault.kind, fault.text))


class Finder:
    """Finds where faults can be planted."""

    def __init__(self, source: str) -> None:
        self.data = source.encode()
        lines = self.data.splitlines(keepends=True)
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: Any) -> tuple[int, int]:
        """The bytes of a node."""
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: Any) -> str:
        """The source of a node."""
        start, end = self.span(node)
        return self.data[start:end].decode()

    def replaced(self, kind: str, node: Any, text: str) -> Fault:
        """A node replaced by a text."""
        return Fault(kind, node.lineno, *self.span(node), text)

    def between(self, kind: str, left: Any, right: Any, text: str) -> Fault:
        """What stands between two nodes replaced; parentheses around them stay."""
        start, end = self.span(left)[1], self.span(right)[0]
        gap = self.data[start:end].decode()
        head = gap[: gap.rfind(")") + 1]
        tail = gap[gap.find("(") :] if "(" in gap else ""
        return Fault(kind, left.lineno, start, end, f"{head} {text} {tail}")

    def of(self, tree: ast.AST, outer: str = "") -> Iterator[Fault]:
        """The faults of a tree; annotations and docstrings have none."""
        for node in ast.iter_child_nodes(tree):
            name = outer
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                name = f"{outer}.{node.name}".lstrip(".")
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for statement in node.body:
                    for fault in self.inside(statement):
                        yield fault._replace(function=name)
            yield from self.of(node, name)

    def inside(self, statement: ast.AST) -> Iterator[Fault]:
        """The faults of a statement of a function, without those of functions in it."""
        apart = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        if isinstance(statement, (*apart, ast.JoinedStr)):  # whose parts old Pythons misplace
            return
        if isinstance(statement, ast.AnnAssign):
            children: list[ast.AST] = [] if statement.value is None else [statement.value]
        else:
            children = list(ast.iter_child_nodes(statement))
        yield from self.here(statement)
        for child in children:
            yield from self.inside(child)

    def here(self, node: Any) -> Iterator[Fault]:
        """The faults of one node."""
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            yield self.between("operator", node.left, node.right, OPERATORS[type(node.op)])
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:]):
                yield self.between("operator", left, right, OPERATORS[type(node.op)])
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            right, other = node.comparators[0], OPERATORS[type(node.ops[0])]
            yield self.between("comparison", node.left, right, other)
        elif isinstance(node, (ast.If, ast.IfExp)):
            yield self.replaced("condition", node.test, f"(not ({self.text(node.test)}))")
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield self.replaced("number", node, str(node.value + 1))
        elif isinstance(node, ast.Call) and len(node.args) > 1:
            one, two = node.args[:2]
            if not isinstance(one, ast.Starred) and not isinstance(two, ast.Starred):
                start, middle = self.span(one)
                again, end = self.span(two)
                gap = self.data[middle:again].decode()
                text = f"{self.text(two)}{gap}{self.text(one)}"
                yield Fault("arguments", node.lineno, start, end, text)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            names = " ".join(map(ast.unparse, node.targets))
            parts = [self.text(part) for part in node.value.elts]
            for i in range(len(parts)) if "key" in names else ():
                others = ", ".join(parts[:i] + parts[i + 1 :])
                yield self.replaced("key", node.value, f"({others},)")
        yield from self.missing(node)

    def missing(self, node: Any) -> Iterator[Fault]:
        """Statements that are not there, `finally` and `with` without their meaning."""
        calls = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        sets = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute)
        if calls or sets or isinstance(node, ast.AugAssign):
            yield self.replaced("statement", node, "pass")
        elif isinstance(node, ast.Try) and node.finalbody:
            for last in node.finalbody:
                yield self.replaced("finally", last, "pass")
        elif isinstance(node, ast.With):
            for item in node.items:
                if "lock" in self.text(item.context_expr).lower() and not item.optional_vars:
                    nothing = "__import__('contextlib').nullcontext()"
                    yield self.replaced("lock", item.context_expr, nothing)


def planted(source: str, fault: Fault) -> str:
    """The source with a fault in it."""
    data = source.encode()
    return (data[: fault.start] + fault.text.encode() + data[fault.end :]).decode()


def is_python(source: str) -> bool:
    """Whether a source compiles."""
    try:
        compile(source, "planted", "exec")
    except SyntaxError:
        return False
    return True


def tests_of(path: Path, root: Path) -> list[str]:
    """The tests that mirror a file of the package."""
    inside = path.relative_to(root / PACKAGE)
    own = Path("tests") / inside.parent / f"test_{inside.name}"
    folder = next(p for p in (own, *own.parents) if (root / p).exists())
    return [str(folder)]


def copied(root: Path, into: Path) -> Path:
    """A copy of the files that git knows, the package compiled."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        if name and (root / name).is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, into / name)
    # A file is compiled anew if its text is another, however soon after the one before.
    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(into / "src", quiet=2, invalidation_mode=checked)
    return into


def noticed(tests: Sequence[str], root: Path, seconds: float) -> tuple[str, str]:
    """What becomes of the tests: `noticed`, `missed` or `hangs`, and the test that says so."""
    command = [sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "-p", "no:cacheprovider"]
    paths = os.pathsep.join([str(root / "src"), str(root / "tests")])
    environment = {
        **os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1",
        "GRAPHWRIGHT_TEST_SECONDS": "0",  # what takes long hangs, and is not noticed
    }  # fmt: skip
    try:
        done = subprocess.run(
            [*command, *tests], cwd=root, env=environment, capture_output=True, text=True,
            timeout=seconds,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "hangs", ""
    if "ERROR: not found:" in done.stderr:
        raise ValueError(done.stderr.strip())  # the tests, not the fault
    last = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return ("missed" if done.returncode == 0 else "noticed"), (last or [""])[-1]


#: A name that follows no dot: attributes and methods are part of what a line does.
_NAME = re.compile(r"(?<![.\w])[A-Za-z_]\w*")


class Place(NamedTuple):
    """A fault in a file."""

    path: Path
    fault: Fault

    def key(self) -> tuple[str, str, str, str, str]:
        """What finds it again when its file has moved or grown."""
        code = self.fault.code(self.path)
        return (self.path.name, self.fault.function, code, self.fault.kind, self.fault.text)


def places_of(paths: Sequence[Path]) -> list[Place]:
    """All places in files and folders where a fault can be planted."""
    files = [f for p in paths for f in (sorted(p.rglob("*.py")) if p.is_dir() else [p])]
    return [Place(f.resolve(), fault) for f in files for fault in faults(f.read_text())]


def key_of(record: dict[str, Any]) -> tuple[str, str, str, str, str]:
    """The key of the place that a record tells of."""
    name = Path(record["file"]).name
    return (name, record["function"], record["code"], record["kind"], record["text"])


def found_again(records: Sequence[dict[str, Any]]) -> list[Place]:
    """The places of records, wherever they are by now; prints which are gone.

    A file that has another name by now is looked for among all others.
    """
    places = []
    for record, place in zip(records, places_again(records)):
        if place is None:
            print(json.dumps({**record, "outcome": "gone"}), flush=True)
        else:
            places.append(place)
    return places


def places_again(records: Sequence[dict[str, Any]]) -> list[Place | None]:
    """The place of each record, None for a fault that is gone.

    A fault is found again where its file has moved, and where names in its line have changed.
    """
    own = {ROOT / record["file"] for record in records}
    by_key = indexed([path for path in own if path.exists()])
    result = [by_key.get(key_of(record)) for record in records]
    gone = {record["code"] for record, place in zip(records, result) if place is None}
    if gone:
        files = sorted((ROOT / PACKAGE).rglob("*.py"))
        by_key = indexed([f for f in files if not gone.isdisjoint(map(str.strip, lines_of(f)))])
    by_form: dict[tuple[str, ...], Place] = {}
    for place in places_of([path for path in own if path.exists()]) if gone else ():
        by_form.setdefault(form_of(place.key()), place)
    return [
        place
        or by_key.get(key_of(record))
        or by_key.get(key_of(record)[1:])
        or by_form.get(form_of(key_of(record)))
        for record, place in zip(records, result)
    ]


def form_of(key: tuple[str, str, str, str, str]) -> tuple[str, ...]:
    """A key without the names of variables, which change more often than what a line does."""
    file, function, code, kind, text = key
    return (file, function, _NAME.sub("x", code), kind, _NAME.sub("x", text))


def indexed(paths: Sequence[Path]) -> dict[tuple[str, ...], Place]:
    """The places in files by their keys, and by their keys without the names of files."""
    by_key: dict[tuple[str, ...], Place] = {}
    for place in places_of(paths):
        by_key.setdefault(place.key(), place)
        by_key.setdefault(place.key()[1:], place)
    return by_key


def read_table(path: Path | None) -> list[dict[str, Any]]:
    """The records of a table; none where there is no such file yet."""
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def is_open(record: dict[str, Any]) -> bool:
    """Whether a record tells of a fault that no test noticed, and not why."""
    return record["outcome"] != "noticed" and "why" not in record


def put(table: Path, record: dict[str, Any]) -> None:
    """Writes a record into a table, in the place of an older one of the same fault."""
    others = [r for r in read_table(table) if key_of(r) != key_of(record)]
    table.write_text("".join([json.dumps(r) + "\n" for r in (*others, record)]))


def outcome_of(place: Place, copy: Path, tests: Sequence[str], seconds: float) -> dict[str, Any]:
    """Plants a fault in a copy of the tree and runs tests; the record of what became of it."""
    path, fault = place
    name = str(path.relative_to(ROOT))
    source = path.read_text()
    began = time.monotonic()
    (copy / name).write_text(planted(source, fault))
    outcome, by = noticed(tests, copy, seconds)
    (copy / name).write_text(source)
    return {
        "file": name, "function": fault.function, "line": fault.line, "code": fault.code(path),
        "kind": fault.kind, "text": fault.text, "outcome": outcome, "by": by,
        "seconds": round(time.monotonic() - began, 1),
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Plants faults and prints what became of each; 1 if one was missed."""
    parser = argparse.ArgumentParser("mutate", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, help="files or folders of the package")
    parser.add_argument("--count", type=int, default=10, help="how many, drawn from all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0, help="for the tests of each")
    parser.add_argument("--tests", nargs="+", default=(), help="not those that mirror the file")
    parser.add_argument("--first", nargs="+", default=(), help="tests that run before these")
    parser.add_argument("--table", type=Path, help="a file of JSON lines: what became of each")
    parser.add_argument("--again", type=Path, help="a table whose faults are planted once more")
    parser.add_argument("--missed", type=Path, help="a table: those of its faults without a why")
    given = parser.parse_args(arguments)
    if given.again:
        places = found_again([r for r in read_table(given.again) if "why" not in r])
    elif given.missed:
        given.table = given.missed
        places = found_again([r for r in read_table(given.missed) if is_open(r)])
    else:
        places = places_of(given.paths)
        random.Random(given.seed).shuffle(places)
        del places[given.count :]
    known = {key_of(record) for record in read_table(given.table)}
    known -= {place.key() for place in places if given.missed}
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(ROOT, Path(folder)) if places else Path(folder)
        for place in places:
            if place.key() in known or not is_python(planted(place.path.read_text(), place.fault)):
                continue
            tests = [*given.first, *(given.tests or tests_of(place.path, ROOT))]
            record = outcome_of(place, copy, tests, given.seconds)
            print(json.dumps(record), flush=True)
            if given.table:
                put(given.table, record)
            missed += record["outcome"] == "missed"
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
