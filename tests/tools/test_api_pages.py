"""tools/api_pages.py: what becomes of a docstring, and which names have pages."""

from __future__ import annotations

import graphwright as tf
from tools import api_pages

DOCSTRING = """Doubles.

    Args:
        x: A tensor,
            of any shape.

    Returns:
        A tensor.

    Its slope is 2.

    >>> double(2)
    4

    And so on.
    """
MARKDOWN = """Doubles.

## Args

- `x`: A tensor,
  of any shape.

## Returns

A tensor.

Its slope is 2.

```pycon
>>> double(2)
4
```

And so on."""


def test_sections_and_examples_become_markdown() -> None:
    assert api_pages.markdown(DOCSTRING) == MARKDOWN


def test_a_page_has_the_call_the_other_names_and_the_methods() -> None:
    page = api_pages.page("tf.Module", tf.Module, ["tf.other.Module"])
    assert "tf.Module(name: str | None = None)" in page
    assert "Also `tf.other.Module`." in page
    assert "\n## trainable_variables\n" in page


def test_every_name_has_a_page_or_an_alias() -> None:
    pages = api_pages.pages()
    assert len(pages) > 1200
    assert "`tf.math.add`" in pages["api/tf.add.md"].split("\n\n")[2]
    assert "api/tf.math.add.md" not in pages
    assert all(page.count("\n```") % 2 == 0 for page in pages.values())
