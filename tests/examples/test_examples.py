"""The programs of `examples/`, each run as a user would, on a small setting."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.example_runs import EXAMPLES, ROOT, run


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


def test_pictures_of_records_are_read() -> None:
    out = run("pictures", "--epochs", "2", "--explain")
    read = [float(percent) for percent in re.findall(r"([\d.]+)% are read right", out)]
    assert read[0] < 30 < 60 < read[-1]
    assert re.findall(r"(\d+) steps in", out) == ["44", "44"]
    assert "traced 1 time" in out
    for stage in ("PrefetchDataset", "ParallelMapDataset", "InterleaveDataset", "TFRecordDataset"):
        assert stage in out


def test_lines_are_sorted_out_and_a_stopped_run_goes_on(tmp_path: Path) -> None:
    """The run that stopped in the first epoch takes the steps of the one that did not."""
    small = ["--lines", "600", "--units", "8"]
    whole = run("lines", *small)
    known = [float(percent) for percent in re.findall(r"([\d.]+)% of the held-out", whole)]
    assert known[-1] > 60
    assert "traced 1 time" in whole

    folder = ["--folder", str(tmp_path)]
    began = run("lines", *small, *folder, "--stop-after", "6")
    assert "epoch 1: 6 steps" in began
    rest = run("lines", *small, *folder)
    assert "goes on in epoch 1, after step 6" in rest
    assert epochs(rest)[1] == epochs(whole)[1]
    assert int(epochs(rest)[0][0]) == int(epochs(whole)[0][0]) - 6


@pytest.mark.slow
def test_digits_are_drawn(tmp_path: Path) -> None:
    """The autoencoder needs fewer nats than the pixels' own entropy, and writes what it draws."""
    out = run("autoencoder", "--epochs", "6", "--png", str(tmp_path / "drawn.png"))
    nats = [float(number) for number in re.findall(r"([\d.]+) nats to draw", out)]
    assert nats[0] > 60 > 28 > nats[-1]
    assert (tmp_path / "drawn.png").read_bytes().startswith(b"\x89PNG")


def test_text_gets_its_vowels_back() -> None:
    out = run("beams")
    for text in ("returns the value of an object", "raise an exception"):
        assert f"\n  {text}  (" in out
    assert "traced 1 time" in out


@pytest.mark.slow
def test_a_pole_is_balanced() -> None:
    out = run("cartpole", "--episodes", "41")
    stood = [float(number) for number in re.findall(r"episode +\d+ +([\d.]+)", out)]
    assert stood[0] < 30 < 180 < stood[-1]
    assert "traced 1 time" in out


def test_digits_group_themselves(tmp_path: Path) -> None:
    out = run("clusters", "--tries", "5", "--png", str(tmp_path / "groups.png"))
    found = re.search(r"([\d.]+)% are of their group", out)
    assert found is not None
    assert float(found[1]) > 70
    assert (tmp_path / "groups.png").read_bytes().startswith(b"\x89PNG")


def test_an_orbit_is_found() -> None:
    """The noise of the speeds is 4 m/s, and the orbit is known to a few of its standard errors."""
    out = run("orbits", "--steps", "400")
    errors = [float(number) for number in re.findall(r"wrong by +([\d.]+)", out)]
    assert 3 < errors[-1] < 4.5 < errors[0]
    fitted = re.findall(r"([\d.]+), in truth ([\d.]+)", out)
    assert len(fitted) == 5
    for number, truth in fitted:
        assert float(number) == pytest.approx(float(truth), rel=0.05)


@pytest.mark.slow
def test_a_transformer_sorts() -> None:
    out = run("transformer", "--steps", "250")
    found = re.search(r"([\d.]+)% of 500 answers", out)
    assert found is not None
    assert float(found[1]) > 60


@pytest.mark.slow
def test_words_get_vectors() -> None:
    out = run("vectors", "--steps", "400", "--word", "float")
    assert re.search(r"^float .*\b(integers|complex|int|decimal|floating)\b", out, re.MULTILINE)


def test_waves_keep_their_energy(tmp_path: Path) -> None:
    out = run("waves", "--side", "64", "--steps", "200", "--png", str(tmp_path / "pool.png"))
    found = re.search(r"energy changed by ([\d.e+-]+)", out)
    assert found is not None
    assert float(found[1]) < 1e-5
    assert "traced 1 time" in out
    assert (tmp_path / "pool.png").read_bytes().startswith(b"\x89PNG")


def epochs(out: str) -> list[tuple[str, str]]:
    """The steps of each epoch, and its loss."""
    return re.findall(r"epoch \d+: (\d+) steps in [\d.]+ s, loss ([\d.]+)", out)


def test_every_example_is_tested_and_in_the_gallery() -> None:
    gallery = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    names = sorted(path.stem for path in EXAMPLES.glob("*.py"))
    assert names == [
        "autoencoder", "beams", "cartpole", "characters", "clusters", "keras_digits",
        "keras_rivals", "keras_topics", "keras_transfer", "keras_waves", "lines", "orbits",
        "pictures", "predators", "serving", "transformer", "vectors", "waves",
    ]  # fmt: skip
    for name in names:
        assert f"examples/{name}.py" in gallery
        assert 60 <= len((EXAMPLES / f"{name}.py").read_text("utf-8").splitlines()) <= 150
