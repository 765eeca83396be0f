"""The programs of `examples/`, each run as a user would, on a small setting."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def run(name: str, *options: str) -> str:
    """What an example prints."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *options]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", env=environment, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


def test_characters_are_learned_with_one_trace() -> None:
    out = run("characters", "--steps", "80", "--units", "24", "--batch", "8")
    bits = [float(b) for b in re.findall(r"([\d.]+) bits a character", out)]
    assert bits[-1] < bits[0] - 1.5
    found = re.search(r"batches of (\d+) lengths, traced 1 time", out)
    assert found is not None
    assert int(found[1]) > 5


def test_predators_are_fitted_as_others_fitted_them() -> None:
    """The means of the posterior that Stan's case study of these data reports (B. Carpenter,
    "Predator-Prey Population Dynamics: the Lotka-Volterra model in Stan", 2018)."""
    out = run("predators", "--steps", "60")
    published = {"a": 0.55, "b": 0.028, "c": 0.80, "d": 0.024}
    for name, mean in published.items():
        found = re.search(rf"\b{name} = ([\d.]+)", out)
        assert found is not None
        assert float(found[1]) == pytest.approx(mean, rel=0.1)
    assert "traced 1 time" in out


def test_every_example_is_tested_and_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    names = sorted(path.stem for path in EXAMPLES.glob("*.py"))
    assert names == ["characters", "predators"]
    for name in names:
        assert f"examples/{name}.py" in readme
