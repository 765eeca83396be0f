"""Write the pages of docs/tutorials as Jupyter notebooks, without what they print.

    python tools/write_notebooks.py FOLDER

A block of Python is a cell that runs, and all else a cell of text. The documentation site offers
the same files beside its pages (tools/site_pages.py).
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

TUTORIALS = Path(__file__).resolve().parents[1] / "docs" / "tutorials"
CODE = re.compile(r"^```python[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"^```text output\n.*?^```\n", re.MULTILINE | re.DOTALL)
#: Links to other pages: a notebook stands alone.
RELATIVE = re.compile(r"\[([^\]]+)\]\((?!\w+:)[^)]+\)")


def cells(page: str) -> list[dict[str, object]]:
    """The cells of a page of Markdown.

    >>> page = "# A\\n\\n```python\\nx = 1\\n```\\n\\n```text output\\n```\\n[b](c.md)\\n"
    >>> [(cell["cell_type"], cell["source"]) for cell in cells(page)]
    [('markdown', '# A'), ('code', 'x = 1'), ('markdown', 'b')]
    """
    made: list[dict[str, object]] = []
    for place, part in enumerate(CODE.split(OUTPUT.sub("", page))):
        text = part.strip() if place % 2 else RELATIVE.sub(r"\1", part.strip())
        if not text:
            continue
        cell: dict[str, object] = {"id": f"cell-{len(made)}", "metadata": {}, "source": text}
        if place % 2:
            cell |= {"cell_type": "code", "execution_count": None, "outputs": []}
        else:
            cell |= {"cell_type": "markdown"}
        made.append(cell)
    return made


def notebook(page: Path) -> str:
    """The notebook of a page, as the text of its file."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    content = {
        "cells": cells(page.read_text(encoding="utf-8")),
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    for page in sorted(TUTORIALS.glob("*.md")):
        (folder / f"{page.stem}.ipynb").write_text(notebook(page), encoding="utf-8")


if __name__ == "__main__":
    main()
