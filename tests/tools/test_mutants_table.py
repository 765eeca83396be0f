"""The tables of planted faults: each was noticed, or a reader wrote why no program can see it."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
TABLES = sorted((ROOT / "docs" / "engineering" / "mutants").glob("*.jsonl"))


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutate", ROOT / "tools" / "mutate.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["mutate"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def records_of(table: Path) -> list[Any]:
    return [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()]


def test_there_are_tables() -> None:
    assert TABLES


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_every_fault_was_noticed_or_has_a_why(table: Path) -> None:
    records = records_of(table)
    assert {r["outcome"] for r in records} <= {"noticed", "missed", "hangs"}
    noticed = [r for r in records if r["outcome"] == "noticed"]
    unexplained = [r for r in records if r["outcome"] != "noticed" and not r.get("why")]
    assert not unexplained
    assert len(noticed) >= 0.9 * len(records)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_the_faults_are_still_in_the_package(mutate: ModuleType, table: Path) -> None:
    """Where many are gone, the table says little: plant others in their place."""
    records = records_of(table)
    gone = [r for r, place in zip(records, mutate.places_again(records)) if place is None]
    assert len(gone) <= 0.1 * len(records), gone


def test_the_page_of_plans_has_the_numbers_of_the_planners_table() -> None:
    """A row for each file: its faults, how each was noticed, and those that do no harm."""
    rows: dict[str, list[int]] = {}
    for record in records_of(TABLES[0].with_name("planner.jsonl")):
        file = record["file"].removeprefix("src/graphwright/").removeprefix("compile/")
        row = rows.setdefault(f"`{file}`", [0] * 5)
        how = record.get("how", "")
        noticed = 1 if how.startswith("rule") else 3 if how == "cost" else 2
        row[0] += 1
        row[noticed if record["outcome"] == "noticed" else 4] += 1
    rows["all"] = [sum(column) for column in zip(*rows.values())]
    lines = (TABLES[0].parent.parent / "plans.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    written = {c[0]: [int(n) for n in c[1:]] for c in cells if len(c) == 6 and c[1].isdigit()}
    assert written == rows
