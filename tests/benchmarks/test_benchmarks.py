"""The benchmark harness: its rounds, its ratios, its tables. No times are asserted."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks import neighbours, rounds, tables, trees
from benchmarks.peers import PEERS
from benchmarks.programs import WORKLOADS
from benchmarks.questions import QUESTIONS, question_of
from benchmarks.rounds import Row
from benchmarks.workload import Growth, Repeated, resident_mib


def row(goal: float | None = 2.0, **samples: list[float]) -> Row:
    workload = Repeated("T1", "a test", "µs", goal, {})
    return Row(workload, dict(samples), dict.fromkeys(samples, "1.0"))


def test_the_ratio_is_ours_over_the_best_peers_and_the_floor_is_no_peer() -> None:
    made = row(graphwright=[1.0, 3.0, 2.0], jax=[4.0], torch=[8.0], numpy=[0.1])
    assert made.best_peer() == "jax"
    assert made.ratio() == pytest.approx(0.5)


def test_without_a_peer_there_is_no_ratio() -> None:
    assert row(graphwright=[1.0], numpy=[0.1]).ratio() is None
    assert row(jax=[1.0]).ratio() is None


@pytest.mark.parametrize(("ours", "verdict"), [([2.0], "2, met"), ([2.1], "2, missed")])
def test_the_goal_is_judged_by_the_median(ours: list[float], verdict: str) -> None:
    assert tables.goal(row(graphwright=ours)) == verdict


def test_the_markdown_table_has_a_column_a_peer() -> None:
    text = tables.markdown([row(graphwright=[1.5], jax=[3.0])], ["graphwright", "jax"])
    head, rule, line = text.splitlines()[:3]
    assert head == "|  | unit | graphwright | jax | to the best peer | goal |"
    assert rule.count("|") == head.count("|")
    assert line == "| T1 a test | µs | 1.5 | 3 | 0.5 (jax) | 2, met |"
    assert "jax 1.0" in text


def test_every_program_is_of_a_known_peer() -> None:
    assert {peer for w in WORKLOADS.values() for peer in w.programs} <= set(PEERS)
    assert all("graphwright" in w.programs for w in WORKLOADS.values())


def test_memory_grows_with_what_is_kept() -> None:
    before = resident_mib()
    kept = bytearray(64 * 2**20)
    kept[::512] = b"x" * (len(kept) // 512)  # every page is touched
    assert resident_mib() - before > 32


@pytest.mark.parametrize("name", ["W13a", "W12"])
def test_a_run_in_processes(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.json"
    code = command.main(["--only", name, "--peers", "numpy", "--rounds", "2", "--json", str(file)])
    assert code == 0
    assert f"| {name} " in capsys.readouterr().out
    samples = json.loads(file.read_text(encoding="utf-8"))["samples"][name]
    assert len(samples["numpy"]) == 2
    assert min(samples["numpy"]) > 0


def test_a_peer_that_is_not_installed_is_left_out() -> None:
    programs = {"no_such_library": WORKLOADS["W1"].programs["numpy"]}
    workload = Repeated("W1", "a test", "µs", None, programs)
    made = rounds.measure(workload, {"no_such_library": sys.executable}, 1)
    assert made.samples == {}


def test_a_worker_that_fails_tells_why() -> None:
    with pytest.raises(RuntimeError, match="KeyError: 'no_such_workload'"):
        rounds.Worker.start("numpy", sys.executable, "no_such_workload")


@pytest.mark.parametrize("text", ["jax", "jax=", "someone=/usr/bin/python"])
def test_a_peer_argument_that_names_none_is_refused(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        command.main(["--peer", text])
    assert "is not NAME=PYTHON" in capsys.readouterr().err


def test_growth_finds_what_a_program_keeps() -> None:
    kept: list[bytes] = []
    leaking = Growth("T2", "a leak", "MiB", 1.0, {"numpy": lambda _: lambda: kept.append(block())})
    tidy = Growth("T3", "no leak", "MiB", 1.0, {"numpy": lambda _: block})
    assert leaking.prepare("numpy")() > 10
    assert tidy.prepare("numpy")() < 1


def block() -> bytes:
    return b"x" * (64 * 2**20)  # so large that the allocator keeps none of it


def test_each_workload_answers_a_question() -> None:
    assert {question_of(name) for name in WORKLOADS} == QUESTIONS.keys()
    for name in WORKLOADS:
        assert sum(bool(re.fullmatch(names, name)) for names in QUESTIONS.values()) == 1


def test_a_page_has_a_table_for_each_question() -> None:
    rows = [
        replaced(row(graphwright=[1.5], jax=[3.0]), name) for name in ("Y_life", "W1", "W12")
    ]
    text = tables.page(rows, ["graphwright", "jax", "torch"])
    headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert headings == [
        h for h in QUESTIONS if h in map(question_of, ("W1", "Y_life", "W12"))
    ]
    assert text.count("| unit | graphwright | jax | to the best peer |") == 3


def replaced(measured: Row, name: str) -> Row:
    """A row of a workload of another name."""
    measured.workload = replace(measured.workload, name=name)
    return measured


def test_a_checkout_is_measured_beside_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert trees.main([str(rounds.ROOT), "W13a", "--rounds", "2"]) == 0
    line = capsys.readouterr().out
    assert re.fullmatch(r"W13a \[µs\]: \S+ \S+, ratio \S+ \(\S+ to \S+\), of the least \S+\n", line)


def test_the_ratio_of_checkouts_is_of_neighbours() -> None:
    pairs = [(1.0, 2.0), (10.0, 20.0), (2.0, 4.0)]
    assert trees.summary(pairs) == "2 4, ratio 2.000 (2.000 to 2.000), of the least 2.000"


def test_two_processes_are_counted_at_the_same_time() -> None:
    alone, both = neighbours.rates("A_tanh", 1, 0.1), neighbours.rates("A_tanh", 2, 0.1)
    assert [len(alone), len(both)] == [1, 2]
    assert min(alone + both) > 0
