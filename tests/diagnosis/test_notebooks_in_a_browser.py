"""A notebook in a browser, light and dark: what it shows is there, fits, and can be read."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="the extra `notebook` is not installed")
pytest.importorskip("nbclient")
nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

#: Cells, and words that a reader must see below them.
CELLS = (
    ("%load_ext graphwright\nimport graphwright as tf", ""),
    ("tf.constant([[1.5, 2.0], [3.0, 4.25]])", "tf.Tensor float32 2 × 2 1.5 2 3 4.25"),
    ("tf.random.stateless_normal([40, 60], [1, 2])", "tf.Tensor float32 40 × 60"),
    ("tf.Variable([1.0, 2.0], name='weight')", "tf.Variable weight:0 float32 2 1 2"),
    (
        "%%trace\n@tf.function\ndef scale(x, rate):\n    return x * rate\n\n"
        "for rate in (0.1, 0.2, 0.3):\n    scale(tf.ones([3]), rate)",
        "the first In[5]:6",
    ),
    ("scale", "tf.function scale 3 traces"),
    (
        "@tf.function\ndef broken(x):\n    v = tf.Variable(1.0)\n    return v * x\n\n"
        "try:\n    broken(tf.ones([3]))\nexcept ValueError:\n    pass\nbroken.explain()",
        "Create it once: 1 trace.",
    ),
    ("tf.data.Dataset.range(4).map(lambda e: e + 1).batch(2)", "Range → Map → Batch"),
    (
        "class Net(tf.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.weight = tf.Variable(tf.ones([3, 2]), name='weight')\n\nNet()",
        "Net 1 variable, 6 numbers variable type size trained weight:0 float32 3 × 2 6 yes",
    ),
)

EXECUTE = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, timeout=100, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[1])
"""

#: Measures the outputs as a reader sees them, and puts the numbers into the page.
MEASURE = """
addEventListener("load", () => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => below.map((c, i) => top[3] * top[i] + (1 - top[3]) * c);
  const chain = element => element ? [...chain(element.parentElement), element] : [];
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = element => {
    let below = [255, 255, 255], opacity = 1;
    for (const each of chain(element)) {
      const style = getComputedStyle(each);
      opacity *= Number(style.opacity);
      const ground = rgba(style.backgroundColor);
      below = over([...ground.slice(0, 3), ground[3] * opacity], below);
    }
    const text = rgba(getComputedStyle(element).color);
    const seen = over([...text.slice(0, 3), text[3] * opacity], below);
    const [a, b] = [light(seen), light(below)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const texts = root => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), all = [];
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      const isText = walker.currentNode.data.trim() && !element.closest("script,style");
      if (isText && element.checkVisibility()) all.push([walker.currentNode, element]);
    }
    return all;
  };
  const scrolls = element => element && (
    ["auto", "scroll"].includes(getComputedStyle(element).overflowX) ? true
      : scrolls(element.parentElement));
  const cells = [...document.querySelectorAll(".jp-CodeCell")].map(cell => {
    const outputs = [...cell.querySelectorAll(".jp-OutputArea-output")];
    const parts = outputs.flatMap(texts);
    const box = node => {
      const range = document.createRange(); range.selectNodeContents(node);
      return range.getBoundingClientRect();
    };
    return {
      words: parts.map(([node]) => node.data).join(" ").replace(/\\s+/g, " ").trim(),
      contrast: Math.min(...parts.map(([, element]) => contrast(element))),
      faintest: parts.map(([n, e]) => [contrast(e), n.data]).sort((a, b) => a[0] - b[0])[0],
      code: parts.filter(([, e]) => e.closest("pre"))
        .every(([, e]) => getComputedStyle(e).fontFamily.includes("monospace")),
      smallest: Math.min(...parts.map(([, e]) => parseFloat(getComputedStyle(e).fontSize))),
      hidden: parts.filter(([n]) => !box(n).width || !box(n).height).map(([n]) => n.data),
      wide: outputs.some(output => output.scrollWidth > output.clientWidth),
      outside: parts.filter(([n, e]) =>
        box(n).right > innerWidth && !scrolls(e)).map(([n]) => n.data),
    };
  });
  const report = document.createElement("script");
  report.type = "application/json"; report.id = "report";
  const ground = light(rgba(getComputedStyle(document.body).backgroundColor));
  report.textContent = JSON.stringify({cells, ground, width: innerWidth});
  document.body.append(report);
});
"""


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The cells with what they print."""
    file = tmp_path_factory.mktemp("notebook") / "cells.ipynb"
    cells = [nbformat.v4.new_code_cell(code) for code, _ in CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), file)
    subprocess.run([sys.executable, "-c", EXECUTE, str(file)], check=True, timeout=110)
    return nbformat.read(file, 4)


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 700])
def test_what_a_notebook_shows_can_be_read(
    notebook: Any, theme: str, width: int, tmp_path: Path
) -> None:
    assert CHROMIUM is not None
    page, _ = nbconvert.HTMLExporter(theme=theme).from_notebook_node(notebook)
    file = tmp_path / "notebook.html"
    file.write_text(page.replace("<head>", f"<head><script>{MEASURE}</script>", 1), "utf-8")
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
         f"--user-data-dir={tmp_path / 'browser'}", f"--window-size={width},900",
         "--host-resolver-rules=MAP * ~NOTFOUND", file.as_uri()],
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    shown = re.search(r'id="report">(.*?)</script>', done.stdout, re.DOTALL)
    assert shown is not None, done.stderr
    report = json.loads(shown[1])
    assert (report["ground"] > 0.5) == (theme == "light")
    assert len(report["cells"]) == len(CELLS)
    for cell, (code, words) in zip(report["cells"], CELLS):
        assert words in cell["words"], code
        assert cell["hidden"] == [], code
        assert cell["code"], code
        assert cell["outside"] == [], code
        assert width < 1000 or not cell["wide"], code
        if words:
            assert cell["contrast"] >= 4.5, (code, cell["faintest"])
            assert cell["smallest"] >= 10, code
