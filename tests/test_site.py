"""The documentation site builds without a warning; a browser reads, searches and darkens it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("material", reason="the extra `docs` is not installed")

ROOT = Path(__file__).parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
#: What a page asks for while it is shown: the attribute that names it, by tag.
SHOWN = {"iframe": "src", "img": "src", "link": "href", "script": "src"}
#: Looks at a page as a reader would, and then puts what it saw into the page.
READER = """
const errors = [];
addEventListener("error", e => errors.push(e.message || e.target.src || e.target.href), true);
addEventListener("load", async () => {
  const until = async value => {
    while (!value()) {
      await fetch("/wait");  // the clock of timers stands meanwhile, that of the search does not
      await new Promise(resume => setTimeout(resume, 20));
    }
    return value();
  };
  const scheme = () => document.body.dataset.mdColorScheme;
  const results = await until(() => {
    const items = document.querySelectorAll(".md-search-result__item > a");
    return items.length && [...items].map(a => a.getAttribute("href"));
  });
  const colour = () => getComputedStyle(document.body).backgroundColor;
  const light = [scheme(), colour()];
  document.querySelector("label.md-header__button[for=__palette_1]").click();
  await until(() => scheme() !== light[0]);
  const report = document.createElement("script");
  report.type = "application/json"; report.id = "report";
  const loads = performance.getEntriesByType("resource").map(entry => entry.name);
  report.textContent = JSON.stringify({errors, results, loads, light, dark: [scheme(), colour()]});
  document.body.append(report);
});
"""


def build(source: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(
        [*command, "--config-file", str(source / "mkdocs.yml")],
        capture_output=True, text=True, timeout=100, env=environment,
    )  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT, folder)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


class Requests(HTMLParser):
    """The addresses that a page loads from when it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in SHOWN and values.get(SHOWN[tag]) and values.get("rel") != "canonical":
            self.addresses.append(str(values[SHOWN[tag]]))


def loaded(page: Path) -> list[str]:
    requests = Requests()
    requests.feed(page.read_text(encoding="utf-8"))
    return requests.addresses


def test_pages_load_only_files_of_the_site(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 80
    for page in pages:
        for address in loaded(page):
            parts = urlsplit(address)
            assert not parts.netloc, (page, address)
            root = site if parts.path.startswith("/") else page.parent
            if not parts.scheme:
                assert (root / parts.path.lstrip("/")).is_file(), (page, address)
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)[\s\"']*(https?:)?//", sheet.read_text()), sheet


def test_files_beside_the_documents_are_pages(site: Path) -> None:
    start = (site / "index.html").read_text()
    assert 'href="examples/index.html"' in start  # README: examples/
    assert 'href="examples/waves.html"' in (site / "gallery.html").read_text()
    assert 'href="keras.html"' in start  # README: docs/keras.md
    assert 'href="inside/portable-onnx.html"' in (site / "architecture.html").read_text()
    assert "What compiling costs" in (site / "engineering" / "machine_code.html").read_text()
    assert '<span class="filename">Wrong</span>' in (site / "lint" / "GW101.html").read_text()
    tutorial = site / "tutorials" / "first_function.html"
    assert 'href="first_function.ipynb"' in tutorial.read_text()
    assert json.loads(tutorial.with_suffix(".ipynb").read_text())["nbformat"] == 4
    nested = (site / "contributing.html").read_text()
    assert re.search(
        r"<li><strong>An error message</strong>[^<]*(<code>[^<]*</code>[^<]*)*<ol>", nested
    )


def test_links_to_nothing_are_errors(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(ROOT / "docs", source / "docs")
    (source / "tools").mkdir()
    for name in ("site_pages.py", "write_notebooks.py"):
        shutil.copy(ROOT / "tools" / name, source / "tools")
    for name in ("mkdocs.yml", *(path.name for path in ROOT.glob("*.md")), "examples", "src"):
        (source / name).symlink_to(ROOT / name)
    gone = {
        "gone.md": "is not found",
        "lint.md#gone": "does not contain an anchor '#gone'",
        "../src/graphwright/data/README.md#gone": "does not contain an anchor '#gone'",
        "../src/graphwright/hooks.py": "is not found",
    }
    with (source / "docs" / "data.md").open("a") as page:
        page.writelines(f"\n[nothing]({link})\n" for link in gone)
    (source / "docs" / "aside.md").write_text("# Aside\n")
    done = build(source, tmp_path / "site")
    warnings = [line for line in done.stderr.splitlines() if "WARNING" in line]
    assert done.returncode == 1
    for link, words in gone.items():
        name = "inside/data.md#gone" if link.endswith("README.md#gone") else link
        assert [line for line in warnings if f"'{name}'" in line and words in line], warnings
    # One more says which page the navigation lacks.
    assert len(warnings) == len(gone) + 1
    assert "  - aside.md" in done.stderr


class SiteServer(SimpleHTTPRequestHandler):
    """Serves the site; `/wait` is answered a little later."""

    missing: list[str] = []

    def do_GET(self) -> None:
        if self.path != "/wait":
            return super().do_GET()
        time.sleep(0.03)
        self.send_response(204)
        self.end_headers()
        return None

    def send_error(self, code: int, *arguments: str | None) -> None:
        self.missing.append(self.path)
        super().send_error(code, *arguments)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    handler = partial(SiteServer, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_browser_searches_and_turns_dark(site: Path, address: str, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    text = (site / "explain.html").read_text()
    (site / "read.html").write_text(text.replace("<head>", f"<head><script>{READER}</script>", 1))
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         "--dump-dom", f"--user-data-dir={tmp_path}", "--virtual-time-budget=8000",
         "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
         f"{address}/read.html?q=retracing"],
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    shown = re.search(r'id="report">(.*?)</script>', done.stdout, re.DOTALL)
    assert shown is not None, done.stderr
    report = json.loads(shown[1])
    assert report["errors"] == []
    assert SiteServer.missing == []
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    assert any(load.endswith("/search/search_index.json") for load in report["loads"])
    assert [load for load in report["loads"] if not load.startswith(f"{address}/")] == []
    assert any("explain.html" in result for result in report["results"])
    assert report["light"][0] == "default"
    assert report["dark"][0] == "slate"
    assert report["light"][1] != report["dark"][1]
