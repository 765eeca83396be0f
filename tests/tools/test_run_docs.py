"""tools/run_docs.py: what runs, what is only compiled, what fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import run_docs


def failures(folder: Path, text: str) -> list[str]:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return run_docs.Page(page).run()


def test_blocks_of_a_page_share_one_namespace(tmp_path: Path) -> None:
    text = "```python\nx = 20\n```\nthen\n```python\nassert x + 1 == 21\n```\n"
    assert failures(tmp_path, text) == []


def test_a_failing_block_is_reported_with_its_own_line(tmp_path: Path) -> None:
    (failure,) = failures(tmp_path, "# A page\n\n```python\nx = 1\nx.nothing\n```\n")
    assert failure.startswith("page.md:4: the block failed")
    assert 'File "<page.md:4>", line 5' in failure
    assert "AttributeError" in failure


def test_output_is_compared(tmp_path: Path) -> None:
    text = "```python\nprint('took', 12, 'ms')\n```\n\n```text output\ntook {} ms\n```\n"
    assert failures(tmp_path, text.format("...")) == []
    (failure,) = failures(tmp_path, text.format("13"))
    assert "took 12 ms" in failure


def test_a_block_with_prompts_is_a_doctest(tmp_path: Path) -> None:
    assert failures(tmp_path, "```python\nx = 3\n```\n```python\n>>> x + 1\n4\n```\n") == []
    (failure,) = failures(tmp_path, "```python\n>>> 1 + 1\n3\n```\n")
    assert "Expected:" in failure


def test_what_a_doctest_defines_stays(tmp_path: Path) -> None:
    assert failures(tmp_path, "```python\n>>> x = 3\n```\n```python\nassert x == 3\n```\n") == []


def test_a_block_marked_no_run_is_compiled_only(tmp_path: Path) -> None:
    assert failures(tmp_path, "```python no-run\nraise SystemExit\n```\n") == []
    (failure,) = failures(tmp_path, "```python no-run\nif\n```\n")
    assert "SyntaxError" in failure


def test_blocks_after_one_that_needs_what_is_absent_are_left_out(tmp_path: Path) -> None:
    text = "```python\n1 / {}\n```\n```python needs={}\nx = 1\n```\n```python\n1 / 0\n```\n"
    assert failures(tmp_path, text.format(1, "no_such_package")) == []
    assert len(failures(tmp_path, text.format(0, "no_such_package"))) == 1
    assert len(failures(tmp_path, text.format(1, "json"))) == 1


def test_functions_can_read_their_own_source(tmp_path: Path) -> None:
    text = "```python\nimport inspect\ndef f():\n    return 1\nprint(inspect.getsource(f))\n```\n"
    assert failures(tmp_path, text + "```text output\ndef f():\n    return 1\n```\n") == []


def test_other_languages_are_text(tmp_path: Path) -> None:
    assert failures(tmp_path, "```bash\nexit 1\n```\n```\nplain\n```\n") == []


def test_a_fence_without_an_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="line 2 has no end"):
        failures(tmp_path, "```python\nx = 1\n")


def test_the_exit_code_tells_of_failures(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text("```python\n1 + 1\n```\n", encoding="utf-8")
    bad.write_text("```python\n1 / 0\n```\n", encoding="utf-8")
    assert run_docs.main([str(good)]) == 0
    assert run_docs.main([str(good), str(bad)]) == 1
