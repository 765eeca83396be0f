"""Modules of WebAssembly compute in Node, and in a page of a browser, what Python computes."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ziglang")

from support.library_models import MODELS, LibraryModel, traced

import graphwright as tf

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")

#: Makes calls, and gives their results as plain lists.
CALLS = """
const CLASSES = { float32: Float32Array, int32: Int32Array };
function results(library, calls) {
  return calls.map(({ name, arrays }) => {
    const made = library[name](...arrays.map(({ dtype, data, dims }) =>
      ({ data: CLASSES[dtype].from(data), dims })));
    return Object.entries(made).map(([key, { data, dims }]) =>
      ({ name: key, data: Array.from(data, Number), dims }));
  });
}
"""


@pytest.fixture(scope="module")
def models() -> dict[str, LibraryModel]:
    return {name: make() for name, make in MODELS.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, models: dict[str, LibraryModel]) -> Path:
    """The folder of a module with all models, and with their calls in a file."""
    place = tmp_path_factory.mktemp("web")
    traces = {name: model.concrete for name, model in models.items()}
    tf.compile_library(traces, place / "models.wasm", target="wasm32")
    calls = [
        {"name": name, "arrays": [described(array) for array in call]}
        for name, model in models.items()
        for call in model.calls
    ]
    (place / "calls.json").write_text(json.dumps(calls))
    return place


def described(array: Any) -> dict[str, Any]:
    """An array for JSON."""
    dims = list(array.shape)
    return {"dtype": array.dtype.name, "data": array.reshape(-1).tolist(), "dims": dims}


def in_node(folder: Path, script: str) -> Any:
    """What a script prints, as JSON."""
    (folder / "script.mjs").write_text(script)
    command = ["node", "script.mjs"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def check(outcome: list[Any], models: dict[str, LibraryModel]) -> None:
    """Compares the results of all calls."""
    calls = [(model, call) for model in models.values() for call in model.calls]
    for results, (model, call) in zip(outcome, calls, strict=True):
        values = tf.nest.flatten(model.concrete(*map(tf.constant, call)))
        for result, value in zip(results, values, strict=True):
            array = np.reshape(result["data"], result["dims"])
            np.testing.assert_allclose(array, value.numpy(), rtol=2e-5, atol=2e-5)


def test_node_computes_what_python_computes(folder: Path, models: dict[str, LibraryModel]) -> None:
    script = """
import { readFile } from "node:fs/promises";
import { load } from "./models.mjs";
const calls = JSON.parse(await readFile("calls.json"));
console.log(JSON.stringify(results(await load(), calls)));
"""
    outcome = in_node(folder, CALLS + script)
    assert [result["name"] for result in outcome[0]] == ["label", "probabilities"]
    check(outcome, models)


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium")
def test_a_page_computes_what_python_computes(
    folder: Path, models: dict[str, LibraryModel]
) -> None:
    page = f"""<!DOCTYPE html><html><body><script type="module">
import {{ load }} from "./models.mjs";
{CALLS}
const calls = await (await fetch("calls.json")).json();
const body = JSON.stringify(results(await load(), calls));
await fetch("results", {{ method: "POST", body }});
</script></body></html>"""
    (folder / "page.html").write_text(page)
    handler = partial(PageHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/page.html"
        # Without a port for a debugger it ends when the page is loaded, before code is compiled.
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0")
        command = ["chromium", *options, f"--user-data-dir={folder / 'profile'}", address]
        with subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, start_new_session=True
        ) as browser:
            try:
                posted = PageHandler.posted.get(timeout=100)
            finally:
                os.killpg(browser.pid, signal.SIGKILL)
            server.shutdown()
    check(json.loads(posted), models)


class PageHandler(SimpleHTTPRequestHandler):
    """Serves the files of a folder, keeps what its page posts, and says nothing."""

    posted: queue.Queue[bytes] = queue.Queue()

    def do_POST(self) -> None:
        """Keeps what was posted."""
        self.posted.put(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_what_does_not_fit_is_named(tmp_path: Path) -> None:
    kernel = tf.Variable(np.arange(3, dtype=np.float32))

    def f(x: Any, i: Any) -> Any:
        return tf.gather(x * kernel, i)

    specs = tf.TensorSpec([None, 3], name="x"), tf.TensorSpec([], tf.int32, name="i")
    path = tmp_path / "pick.wasm"
    tf.compile_library(traced(f, *specs), path, weights="beside", target="wasm32")
    script = """
import { load } from "./pick.mjs";
import { writeFile, readFile } from "node:fs/promises";
const words = [];
const attempt = async (action) => {
  try { words.push(await action()); } catch (error) { words.push(`${error}`); }
};
const { run } = await load();
const x = { data: Float32Array.of(1, 2, 3, 4, 5, 6), dims: [2, 3] };
await attempt(() => Array.from(run(x, 1).result.data));
await attempt(() => run(x));
await attempt(() => run({ data: x.data, dims: [3, 2] }, 1));
await attempt(() => run({ data: x.data, dims: [3, 3] }, 1));
await attempt(() => run({ data: [1, 2, 3], dims: [1, 3] }, 1));
await attempt(() => run(x.data, 1));
await attempt(() => run(x, 7));
const bytes = await readFile("pick.weights");
bytes[40] ^= 1;
await attempt(() => load({ weights: bytes }));
console.log(JSON.stringify(words));
"""
    assert in_node(tmp_path, script) == [
        [0, 5, 12],
        "TypeError: run takes 2 arrays, not 1",
        "TypeError: run: x must have the sizes [?,3], not [3,2]",
        "TypeError: run: x has 6 elements, and not those of [3,3]",
        "TypeError: run: x must be of Float32Array",
        "TypeError: run: x must have 2 axes, not 1",
        "RangeError: run: a value is out of range: an index, a divisor of 0, a size; or there is "
        "too little memory",
        "Error: pick: the weights are not loaded, or are those of another library",
    ]


def test_memory_is_used_again(tmp_path: Path) -> None:
    f = traced(lambda x: x + 1.0, tf.TensorSpec([None]))
    tf.compile_library(f, tmp_path / "more.wasm", target="wasm32")
    script = """
import { load } from "./more.mjs";
const instantiate = WebAssembly.instantiate;
let memory;
WebAssembly.instantiate = async (...operands) => {
  const made = await instantiate(...operands);
  memory = made.instance.exports.memory;
  return made;
};
const { run } = await load();
const sizes = [];
let x = new Float32Array(1 << 18);
for (let i = 0; i < 40; i++) {
  x = run(x).result.data;
  sizes.push(memory.buffer.byteLength);
}
console.log(JSON.stringify([x[x.length - 1], sizes[0] === sizes[39], sizes[0] > 1 << 21]));
"""
    assert in_node(tmp_path, script) == [40, True, True]


def test_float64_functions_are_as_exact(tmp_path: Path) -> None:
    """A product and a sum are rounded once there too, in several steps."""

    def f(x: Any) -> Any:
        return tf.exp(x), tf.sin(x), tf.math.log1p(tf.abs(x)), tf.math.erf(x), tf.tanh(x)

    concrete = traced(f, tf.TensorSpec([None], tf.float64, name="x"))
    tf.compile_library(concrete, tmp_path / "exact.wasm", target="wasm32")
    x = np.concatenate([np.linspace(-9, 9, 301), [1e5, -3e10, 1e-300, 700.0, np.inf, np.nan]])
    (tmp_path / "x.bin").write_bytes(x.tobytes())
    script = """
import { load } from "./exact.mjs";
import { readFileSync } from "node:fs";
const bytes = readFileSync("x.bin");
const x = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const made = (await load()).run(x);
console.log(JSON.stringify(Object.values(made).map(({ data }) =>
  Array.from(new BigInt64Array(data.buffer), String))));
"""
    for bits, value in zip(in_node(tmp_path, script), concrete(tf.constant(x)), strict=True):
        array = np.array([int(word) for word in bits], np.int64).view(np.float64)
        np.testing.assert_allclose(array, value.numpy(), rtol=4.5e-16)
