"""Run the Python blocks of Markdown files, so that no page shows what does not work.

    python tools/run_docs.py [FILE ...]     (default: README.md, docs/, engineering/, tutorials/)

Blocks of one file share one namespace, in order. What a fence's info string says decides:

- ``python``: the block is executed; if it holds ``>>>``, it is checked as a doctest;
- ``python no-run``: the block is only compiled (for what needs a network, hours, a mistake);
- ``python needs=NAME``: this block and those after it run only where package NAME is installed;
- ``text output``: what the executed block before it must have printed, by doctest's rules
  (``...`` stands for anything, runs of white space are equal).

Other blocks are text. The exit code is 1 if a block failed.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import linecache
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: the words of its info string, its text, the line its text begins at."""

    words: tuple[str, ...]
    text: str
    line: int

    @property
    def is_python(self) -> bool:
        return self.words[:1] == ("python",)

    @property
    def runs(self) -> bool:
        return self.is_python and "no-run" not in self.words

    @property
    def lacks(self) -> str:
        """The package that the block needs and that is not installed, or nothing."""
        names = [word.removeprefix("needs=") for word in self.words if word.startswith("needs=")]
        return next((name for name in names if find_spec(name) is None), "")

    @property
    def is_output(self) -> bool:
        return self.words == ("text", "output")


def blocks(markdown: str) -> Iterator[Block]:
    """The fenced blocks of a Markdown text, in order.

    >>> [(b.words, b.text, b.line) for b in blocks("a\\n```python no-run\\n1 + 1\\n```\\n")]
    [(('python', 'no-run'), '1 + 1\\n', 3)]
    """
    fence, begin = "", 0
    words: tuple[str, ...] = ()
    lines: list[str] = []
    for number, line in enumerate(markdown.splitlines(), start=1):
        mark = line.strip()
        if fence and mark == fence:
            yield Block(words, "".join(f"{x}\n" for x in lines), begin)
            fence = ""
        elif fence:
            lines.append(line)
        elif mark.startswith("```"):
            fence = "`" * (len(mark) - len(mark.lstrip("`")))
            words, lines, begin = tuple(mark[len(fence) :].split()), [], number + 1
    if fence:
        raise ValueError(f"the block that begins at line {begin} has no end")


class Page:
    """One Markdown file while its blocks run."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.blocks = list(blocks(path.read_text(encoding="utf-8")))
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self.printed = ""
        self.lacks = ""

    def run(self) -> list[str]:
        """Run every block; what failed, one text each."""
        failures = []
        for block in self.blocks:
            self.lacks = self.lacks or block.lacks
            reason = "" if self.lacks else self._run_block(block)
            if reason:
                failures.append(f"{self.name}:{block.line}: {reason}")
        return failures

    def _run_block(self, block: Block) -> str:
        if block.is_output:
            return self._compare(block)
        if not block.is_python:
            return ""
        if ">>>" in block.text:
            return self._doctest(block) if block.runs else ""
        return self._execute(block)

    def _execute(self, block: Block) -> str:
        # Blank lines before the block keep the file's line numbers in tracebacks, and an entry in
        # linecache lets a traced function read its own source.
        source = "\n" * (block.line - 1) + block.text
        file = f"<{self.name}:{block.line}>"
        printed = io.StringIO()
        try:
            code = compile(source, file, "exec")
            if not block.runs:
                return ""
            linecache.cache[file] = (len(source), None, source.splitlines(True), file)
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                exec(code, self.namespace)
        except Exception:  # noqa: BLE001 - whatever a block raises is the report
            return f"the block failed\n{printed.getvalue()}{traceback.format_exc()}"
        finally:
            self.printed = printed.getvalue()
        return ""

    def _doctest(self, block: Block) -> str:
        runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
        name = f"{self.name}:{block.line}"
        case = doctest.DocTestParser().get_doctest(
            block.text, self.namespace, name, self.name, block.line - 1
        )
        report = io.StringIO()
        runner.run(case, out=report.write, clear_globs=False)
        self.namespace.update(case.globs)
        return report.getvalue()

    def _compare(self, block: Block) -> str:
        checker = doctest.OutputChecker()
        if checker.check_output(block.text, self.printed, FLAGS):
            return ""
        example = doctest.Example("", block.text)
        return "the output differs\n" + checker.output_difference(example, self.printed, FLAGS)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    files = parser.parse_args(arguments).files
    failed = 0
    for path in files or [
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs" / "engineering").glob("*.md")),
        *sorted((ROOT / "docs" / "tutorials").glob("*.md")),
    ]:
        page = Page(path)
        failures = page.run()
        failed += len(failures)
        if page.lacks:
            print(f"{page.name}: NOT RUN from where it needs {page.lacks}")
            continue
        skipped = sum(block.is_python and not block.runs for block in page.blocks)
        ran = sum(block.runs for block in page.blocks)
        print(f"{page.name}: {ran} blocks ran, {skipped} only compiled, {len(failures)} failed")
        for failure in failures:
            print(failure)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
