"""The page about a program: what it holds, and what a browser makes of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from itertools import combinations, pairwise
from time import perf_counter

import pytest

import graphwright as tf
from graphwright.explain import memory_profile
from graphwright.explain.page import page
from graphwright.explain.timeline import Timeline
from graphwright.explain.trace_record import family_of

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
VOID = {"br", "circle", "input", "link", "meta", "path", "rect"}


@pytest.fixture(scope="module")
def text():
    timeline = Timeline(perf_counter())

    @tf.function
    def looped(x, n):
        for _ in tf.range(n):
            if tf.reduce_sum(x) < 10.0:
                x = x * 2.0
        return x

    @tf.function
    def scaled(x, rate):
        return x * rate

    for n in (2, 3):
        began = perf_counter()
        looped(tf.ones([n]), tf.constant(4))
        timeline.call(looped._history, began, perf_counter())
    for rate in (1.0, 2.0, 3.0, 4.0):
        scaled(tf.ones([2]), rate)
    families = [family_of(f.python_function) for f in (looped, scaled)]
    return page("a <program>", families, timeline)


class Balance(HTMLParser):
    """Notes elements that are not closed in order."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.seen = []

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


def test_every_element_is_closed(text):
    parser = Balance()
    parser.feed(text)
    assert parser.open == []


def test_the_page_needs_no_network(text):
    parser = Balance()
    parser.feed(text)
    links = [v for _, a in parser.seen for k, v in a.items() if k in ("src", "href")]
    assert links == ["data:,"]
    assert "a &lt;program&gt;" in text


def test_the_events_of_the_timeline(text):
    events = json.loads(re.search(r'id="events">(.*?)</script>', text, re.DOTALL).group(1))
    assert events["lanes"] == ["looped", "scaled"]
    kinds = [kind for _, kind, *_ in events["events"]]
    assert kinds.count("trace") == 6
    assert kinds.count("call") == 2
    assert kinds.count("compile") >= 6


def test_graphs_have_source_lines_and_fold(text):
    assert "while: body" in text
    assert "x = x * 2.0" in text
    assert text.count("<svg") > 12  # graphs, those in them, memory


def normalized(x):
    for _ in range(3):
        x -= tf.reduce_mean(x, 0)
        x = tf.transpose(x / (1.0 + tf.reduce_sum(tf.square(x), 0)))
    return x


def test_what_lies_in_the_memory_of_machine_code_at_once_lies_apart():
    f = tf.function(normalized, jit_compile=True)
    f(tf.ones([64, 64]))
    (concrete,) = f._list_all_concrete_functions()
    ((title, plan),) = memory_profile.plans(concrete.graph, concrete.tier)
    assert title == "memory of segment 0"
    assert "A call takes one block of" in plan.words
    assert "reuse the memory of others" in plan.words
    lives = {life.name.split()[0]: life for life in plan.lives}
    starts = {n: int(p.split()[1].replace(",", "")) for n, p in placed(lives) if p[:2] == "at"}
    homes = {n: p.split()[1] for n, p in placed(lives) if p.startswith("where")}
    assert len(starts) > 3
    assert len(homes) > 3
    blocks = sorted((at, at + lives[n].bytes) for n, at in starts.items())
    assert all(first[1] <= second[0] for first, second in pairwise(blocks))
    for one, other in combinations(lives, 2):
        if homes.get(one, one) == homes.get(other, other):
            assert lives[one].bytes == lives[other].bytes
            assert lives[one].end <= lives[other].begin or lives[other].end <= lives[one].begin


def placed(lives):
    return [(name, life.place) for name, life in lives.items()]


def test_sizes_of_machine_code_that_only_a_call_tells():
    f = tf.function(normalized, jit_compile=True)
    concrete = f.get_concrete_function(tf.TensorSpec([None, 64]))
    concrete(tf.ones([64, 64]))
    ((_, plan),) = memory_profile.plans(concrete.graph, concrete.tier)
    assert "and 4 buffers sized by a call" in plan.words
    assert {life.type for life in plan.lives} >= {"f32[s0,s1]", "f32[s0]"}


def test_memory_of_segments_and_between_them():
    f = tf.function(lambda x: tf.nn.softmax(tf.linalg.pinv(tf.nn.softmax(x))), jit_compile=True)
    f(tf.eye(3))
    (concrete,) = f._list_all_concrete_functions()
    between, *segments = memory_profile.plans(concrete.graph, concrete.tier)
    assert between[0] == "memory between segments"
    assert [title for title, _ in segments] == ["memory of segment 0", "memory of segment 1"]
    assert "<rect" in memory_profile.svg(between[1])


ACTIONS = """
const found = { errors: [] };
window.onerror = message => found.errors.push(message);
window.addEventListener("load", () => {
  const table = document.getElementById("causes");
  const column = i => [...table.tBodies].map(body => body.rows[0].cells[i].textContent);
  const heads = table.tHead.rows[0].cells;
  found.before = column(3);
  heads[3].click(); found.ascending = column(3);
  heads[3].click(); found.descending = column(3);
  heads[0].click(); found.names = column(0);
  const more = table.tBodies[0].rows[1];
  found.hidden = getComputedStyle(more).display;
  table.tBodies[0].rows[0].click(); found.shown = getComputedStyle(more).display;
  const canvas = document.getElementById("timeline");
  const ink = () => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
    .data.reduce((sum, value) => sum + value, 0);
  canvas.dispatchEvent(new MouseEvent("dblclick"));
  found.drawn = ink();
  const box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new WheelEvent("wheel",
    { deltaY: -900, clientX: box.left + 400, cancelable: true }));
  found.zoomed = ink();
  canvas.dispatchEvent(new MouseEvent("dblclick"));
  found.again = ink();
  for (let x = 170; x < box.width && !document.getElementById("tip").textContent; x += 1) {
    canvas.dispatchEvent(new PointerEvent("pointermove",
      { clientX: box.left + x, clientY: box.top + 31, pointerId: 1 }));
  }
  found.tip = document.getElementById("tip").textContent;
  const folds = [...document.querySelectorAll("details.trace")];
  const visible = fold => fold.querySelector("svg").checkVisibility();
  found.folded = folds.some(visible);
  folds[0].querySelector("summary").click();
  found.unfolded = visible(folds[0]);
  const inner = [...folds[0].querySelectorAll(".graph details")][0];
  inner.querySelector("summary").click();
  found.inner = visible(inner);
  const result = document.createElement("script");
  result.type = "application/json"; result.id = "found";
  result.textContent = JSON.stringify(found);
  document.body.append(result);
});
"""


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_a_browser_opens_sorts_and_unfolds(text, tmp_path):
    acted = tmp_path / "page.html"
    acted.write_text(text.replace("<style>", f"<script>{ACTIONS}</script><style>", 1))
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1400,1200",
         "--virtual-time-budget=5000", "--dump-dom", acted.as_uri()],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert [line for line in said if "willReadFrequently" not in line] == []  # that is the test's
    found = json.loads(re.search(r'id="found">(.*?)</script>', done.stdout, re.DOTALL).group(1))
    assert found["errors"] == []
    assert found["ascending"] == sorted(found["before"], key=int)
    assert found["descending"] == sorted(found["before"], key=int, reverse=True)
    assert found["names"] == sorted(found["names"])
    assert (found["hidden"], found["shown"]) == ("none", "table-row")
    assert found["drawn"] > 0
    assert found["drawn"] != found["zoomed"]
    assert found["drawn"] == found["again"]
    assert "looped" in found["tip"]
    assert (found["folded"], found["unfolded"], found["inner"]) == (False, True, True)
