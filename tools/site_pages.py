"""Makes pages of files outside docs/, and links that lead to them: hooks of MkDocs.

On the code host, pages link to files of the repository by relative paths. `addresses` says which of
these files are pages of the site, and where; links between them lead from page to page. A link to
any other file stays as it is, and MkDocs warns of it. Beside each tutorial lies its notebook.
"""

from __future__ import annotations

import ast
import functools
import os
import posixpath
import re
import sys
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools import write_notebooks

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

Nav: TypeAlias = "list[str | dict[str, str | Nav]]"

PACKAGE = "src/graphwright"
PROGRAMS = "examples"
#: Pages of the site that are files outside docs/.
TOP = {
    "index.md": "README.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
}
#: What a block says to tools/run_docs.py and to the tests of the linter, as its title.
TITLES = {"wrong": "Wrong", "right": "Right", "output": "Output"}
FENCED = re.compile(r"^(`{3,})(?!`)(.*)\n((?:.*\n)*?)\1 *$", re.MULTILINE)
LINK = re.compile(r"(\]\()([^)#\s:]+)((?:#[^)\s]*)?\))")
NESTED_ITEM = re.compile(r"^ {2,3}(?=(?:\d+\.|[-*]) )", re.MULTILINE)


def sources(root: Path = ROOT) -> dict[str, str]:
    """The file outside docs/ that each page is made of which MkDocs would not find."""
    made = {**TOP, f"{PROGRAMS}/index.md": PROGRAMS}
    for program in sorted((root / PROGRAMS).glob("*.py")):
        made[f"{PROGRAMS}/{program.stem}.md"] = f"{PROGRAMS}/{program.name}"
    for readme in sorted((root / PACKAGE).rglob("README.md")):
        folder = readme.parent.relative_to(root / PACKAGE)
        made[f"inside/{'-'.join(folder.parts)}.md"] = readme.relative_to(root).as_posix()
    return made


def addresses(root: Path = ROOT) -> dict[str, str]:
    """The page of the site that each file or folder of the repository is, or is described by."""
    pages = {path: page for page, path in sources(root).items()}
    for file in sorted((root / "docs").rglob("*.*")):
        page = file.relative_to(root / "docs").as_posix()
        pages[f"docs/{page}"] = page
        if file.name == "README.md":
            pages[posixpath.dirname(f"docs/{page}")] = page
    pages["docs/engineering"] = "architecture.md#where-to-read-on"
    # tools/write_gallery.py makes it where TensorFlow is. Until then its programs are listed.
    pages.setdefault("docs/gallery.md", pages[PROGRAMS])
    return pages


def summary(program: Path) -> str:
    """The first sentence of a program's docstring."""
    text = ast.get_docstring(ast.parse(program.read_text(encoding="utf-8"))) or program.stem
    return text.split("\n\n")[0].replace("\n", " ")


def listing(program: Path) -> str:
    """The page of one program: its name, what it is about, its source."""
    source = program.read_text(encoding="utf-8")
    block = f'````python title="{program.name}"\n{source}````\n'
    return f"# {program.stem}\n\n{summary(program)}\n\n{block}"


def contents(path: str, root: Path = ROOT) -> str:
    """The Markdown of the page that is made of a file, or of the folder of programs."""
    file = root / path
    if path == PROGRAMS:
        lines = [
            f"- [{p.stem}]({path}/{p.name}): {summary(p)}\n" for p in sorted(file.glob("*.py"))
        ]
        return "".join(["# Programs\n\n", *lines])
    return listing(file) if file.suffix == ".py" else file.read_text(encoding="utf-8")


def fence(info: str) -> str:
    """The info string of a block in the words of this site.

    >>> fence("python wrong raises=TypeError"), fence("text output"), fence("python no-run")
    ('python title="Wrong"', 'text title="Output"', 'python')
    """
    language, *words = info.split() or [""]
    if any(word.startswith("title=") for word in words):
        return info
    return " ".join([language, *(f'title="{TITLES[word]}"' for word in words if word in TITLES)])


def around_fences(markdown: str, change: Callable[[str], str]) -> str:
    """A page with its text changed; of its blocks, the info strings are those of the site."""
    parts, end = [], 0
    for block in FENCED.finditer(markdown):
        mark, info, text = block.groups()
        parts += [change(markdown[end : block.start()]), f"{mark}{fence(info)}\n{text}{mark}"]
        end = block.end()
    return "".join([*parts, change(markdown[end:])])


def translate(markdown: str, origin: str, page: str, pages: dict[str, str]) -> str:
    """The Markdown of file `origin` as that of page `page`: links, blocks, nested lists.

    >>> pages = {"README.md": "index.md", "docs/data.md": "data.md"}
    >>> translate("[a](../README.md#b), [c](c.md)", "docs/data.md", "data.md", pages)
    '[a](index.md#b), [c](c.md)'
    >>> translate("[d](docs/data.md#e)", "README.md", "index.md", pages)
    '[d](data.md#e)'
    """

    def lead(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(origin), link[2]))
        if target not in pages:
            return link[0]
        way = posixpath.relpath(pages[target], posixpath.dirname(page) or ".")
        return f"{link[1]}{way}{link[3]}"

    def change(text: str) -> str:
        # The code host nests a list by two spaces, Python's Markdown by four.
        return NESTED_ITEM.sub("    ", LINK.sub(lead, text))

    return around_fences(markdown, change)


def expand(nav: Nav, pages: list[str]) -> Nav:
    """A navigation with the pages that its patterns match, each page once.

    >>> expand(["a.md", {"B": ["b/x.md", "b/*.md", "c*.md"]}], ["b/w.md", "b/x.md"])
    ['a.md', {'B': ['b/x.md', 'b/w.md']}]
    """
    entries: Nav = []
    for entry in nav:
        if isinstance(entry, dict):
            entries.append(
                {k: expand(v, pages) if isinstance(v, list) else v for k, v in entry.items()}
            )
        elif "*" in entry:
            # A star stands for names in one folder.
            beside = [page for page in pages if page.count("/") == entry.count("/")]
            entries += [p for p in beside if fnmatch(p, entry) and p not in entries]
        else:
            entries.append(entry)
    return entries


@functools.cache
def api_pages() -> dict[str, str]:
    """The pages of public names, where `API_PAGES=1` asks for them."""
    if os.environ.get("API_PAGES") != "1":
        return {}
    from tools.api_pages import pages

    return pages()


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Adds the pages of files outside docs/, and puts names for patterns into the navigation."""
    from mkdocs.structure.files import File

    for page, path in sources().items():
        files.append(File.generated(config, page, content=contents(path)))
    for tutorial in sorted(write_notebooks.TUTORIALS.glob("*.md")):
        name = f"tutorials/{tutorial.stem}.ipynb"
        notebook = write_notebooks.notebook(tutorial)
        files.append(File.generated(config, name, content=notebook))
    for name, text in api_pages().items():
        files.append(File.generated(config, name, content=text))
    pages = [file.src_uri for file in files.documentation_pages()]
    config.nav = expand(config.nav, sorted(pages, key=lambda uri: uri.removesuffix(".md")))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Makes the links of a page lead to pages, and its blocks look as they should."""
    uri = page.file.src_uri
    if uri.startswith("tutorials/"):
        name = posixpath.basename(uri).removesuffix(".md")
        markdown += f"\n[This page as a notebook]({name}.ipynb)\n"
    if uri == "api.md" and api_pages():
        from tools.api_pages import linked

        markdown = linked(markdown, api_pages())
    if uri in api_pages():
        return markdown
    return translate(markdown, sources().get(uri, f"docs/{uri}"), uri, addresses())
