"""Every rule has a page; its wrong example shows the rule at work, its right one is clean."""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import Any

import pytest

from graphwright.lint.check import check_text
from graphwright.lint.fixes import fix
from graphwright.lint.rules import RULES
from tools.run_docs import Block, blocks

PAGES = Path(__file__).resolve().parents[2] / "docs" / "lint"


def example(code: str, kind: str) -> Block:
    """The one example of a kind on a rule's page."""
    (found,) = [
        block
        for block in blocks((PAGES / f"{code}.md").read_text(encoding="utf-8"))
        if block.words[:2] == ("python", kind)
    ]
    return found


def execute(code: str, block: Block) -> None:
    """Run an example with its source at hand, as a file of its own would have it."""
    file = f"<{code} {block.words[1]}>"
    linecache.cache[file] = (len(block.text), None, block.text.splitlines(True), file)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(block.text, file, "exec"), namespace)


@pytest.mark.parametrize("code", sorted(RULES))
def test_the_wrong_example_shows_that_rule_and_no_other(code: str) -> None:
    block = example(code, "wrong")
    assert {finding.code for finding in check_text(block.text)} == {code}


@pytest.mark.parametrize("code", sorted(RULES))
def test_the_right_example_is_clean(code: str) -> None:
    assert check_text(example(code, "right").text) == []


@pytest.mark.parametrize("code", sorted(RULES))
def test_the_right_example_runs(code: str) -> None:
    execute(code, example(code, "right"))


@pytest.mark.parametrize("code", sorted(RULES))
def test_the_wrong_example_does_what_its_page_says(code: str) -> None:
    block = example(code, "wrong")
    raised = [word.removeprefix("raises=") for word in block.words if word.startswith("raises=")]
    if not raised:
        execute(code, block)
        return
    with pytest.raises(Exception) as caught:  # noqa: PT011 - its class is compared below
        execute(code, block)
    assert raised[0] in [cls.__name__ for cls in type(caught.value).__mro__]


@pytest.mark.parametrize("code", sorted(RULES))
def test_a_fix_of_the_wrong_example_mends_it(code: str) -> None:
    block = example(code, "wrong")
    if not any(finding.fix for finding in check_text(block.text)):
        assert "--fix" not in (PAGES / f"{code}.md").read_text(encoding="utf-8") or code == "GW501"
        return
    mended, count = fix(block.text, check_text)
    assert count > 0
    assert check_text(mended) == []
    assert fix(mended, check_text) == (mended, 0)


@pytest.mark.parametrize("code", sorted(RULES))
def test_a_page_is_headed_by_its_code(code: str) -> None:
    first = (PAGES / f"{code}.md").read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith(f"# {code}: ")


def test_there_is_no_page_without_a_rule() -> None:
    assert {path.stem for path in PAGES.glob("GW*.md")} == set(RULES)


def test_the_overview_lists_every_rule() -> None:
    text = (PAGES.parent / "lint.md").read_text(encoding="utf-8")
    assert re.findall(r"\[(GW\d+)\]\(lint/\1\.md\)", text) == sorted(RULES)
