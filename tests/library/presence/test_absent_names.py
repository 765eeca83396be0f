"""Names of TensorFlow that are not here: the errors say why, and what to use."""

from __future__ import annotations

import json
import operator
import re
from pathlib import Path

import pytest

import graphwright as tf
from graphwright.library.presence.absent_names import ABSENT, CLASSIC, FORMER, absence, places

FORMER_NAMES = [name for names in FORMER for name in names.split()]


def test_names_of_tensorflow_1_are_not_at_the_top_of_either() -> None:
    file = Path(__file__).parents[2] / "golden" / "public_names.json"
    recorded = json.loads(file.read_text(encoding="utf-8"))
    names = {*recorded[""].split(), *(path.split(".")[0] for path in recorded)}
    assert not names.intersection(FORMER_NAMES)
    assert not set(FORMER_NAMES).intersection(dir(tf))
    assert len(set(FORMER_NAMES)) == len(FORMER_NAMES)


@pytest.mark.parametrize("group", [*ABSENT, *FORMER.items(), *CLASSIC.items()])
def test_what_to_use_in_their_place_is_there(group: tuple[str, ...]) -> None:
    """Each `tf.name` of the advice is a public name."""
    for path in re.findall(r"`tf\.([\w.]+)", group[-1]):
        if path != "keras":  # its first use changes the process
            operator.attrgetter(path)(tf)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("lite", "graphwright has no tf.lite. It is for models that other runtimes run. Use "),
        ("lite.TFLiteConverter", "graphwright has no tf.lite"),
        ("train.Coordinator", "graphwright has no tf.train.Coordinator. It is for programs"),
        ("compat.v1.layers", "graphwright has no tf.compat.v1.layers. TensorFlow has it with"),
        ("compat.v1.train.batch", "graphwright has no tf.compat.v1.train.batch. Use `tf.data.Da"),
        ("Session", "graphwright has no tf.Session, which is of TensorFlow 1. Call functions"),
        ("nothing", "module 'graphwright' has no attribute 'nothing'"),
        ("math.nothing", "module 'graphwright.math' has no attribute 'nothing'"),
        ("config.experimental.nothing", "module 'graphwright.config.experimental' has no attri"),
        ("raw_ops.Nothing", "module 'graphwright.raw_ops' has no attribute 'Nothing'"),
        ("test.Benchmark", "graphwright has no tf.test.Benchmark. It is for TensorFlow's own"),
    ],
)
def test_a_name_that_is_not_here_says_why(path: str, words: str) -> None:
    with pytest.raises(AttributeError) as raised:
        operator.attrgetter(path)(tf)
    assert str(raised.value).startswith(words)
    assert "\n" not in str(raised.value)


def test_a_name_that_tensorflow_has_not_either_is_not_known() -> None:
    assert absence("lit") is None
    assert absence("lite.Interpret") is None
    assert not hasattr(tf, "lite")


def test_the_page_about_programs_lists_what_is_not_there() -> None:
    page = (Path(__file__).parents[3] / "docs" / "portable.md").read_text(encoding="utf-8")
    part = page.partition("### Names that are not there")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in part.splitlines() if line.startswith("| `")]
    listed = {" ".join(re.findall(r"`([\w.]+)`", names)): way for names, way in rows}
    assert listed == {names: f"{way} |" for names, way in CLASSIC.items()}


@pytest.mark.parametrize("name", [name for names in CLASSIC for name in names.split()])
def test_errors_say_what_to_do_instead(name: str) -> None:
    (way,) = [way for names, way in CLASSIC.items() if name in names.split()]
    with pytest.raises(AttributeError, match=re.escape(way)):
        operator.attrgetter(f"compat.v1.{name}")(tf)


@pytest.mark.parametrize(
    ("path", "today"),
    [
        ("log", "math.log"),
        ("lin_space", "linspace"),
        ("decode_raw", "io.decode_raw"),
        ("random_uniform", "random.uniform"),
        ("to_float", "cast"),
        ("div", "compat.v1.div"),
        ("python_io", "compat.v1.python_io"),
        ("train.Saver", "compat.v1.train.Saver"),
        ("image.resize_bilinear", "compat.v1.image.resize_bilinear"),
        ("nn.sampled_softmax_loss_", None),
        ("math.ln", None),
    ],
)
def test_a_name_of_tensorflow_1_has_its_place_of_today(path: str, today: str | None) -> None:
    words = absence(path)
    if today is None:
        assert words is None
        return
    assert words is not None
    assert words.startswith(f"graphwright has no tf.{path}, which is of TensorFlow 1.")
    assert f" Use `tf.{today}" in words
    operator.attrgetter(today)(tf)


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("reduce_summ", "reduce_sum"),
        ("nn.softmx", "nn.softmax"),
        ("load", "onnx.load` or `tf.saved_model.load"),
        ("relu", "nn.relu"),
        ("conv2d", "nn.conv2d"),
        ("nn.reduce_sum", "reduce_sum"),
        ("math.relu", "nn.relu"),
        ("resize", "image.resize"),
        ("GFile", "io.gfile.GFile"),
        ("nothing_of_all", ""),
        ("_add", ""),
    ],
)
def test_a_name_that_is_nearly_right_is_asked_for(path: str, near: str) -> None:
    with pytest.raises(AttributeError) as raised:
        operator.attrgetter(path)(tf)
    assert str(raised.value).endswith(f"Did you mean `tf.{near}`?" if near else f"{path!r}")


def test_each_place_has_its_name() -> None:
    for name, paths in places().items():
        for path in paths:
            assert path.rpartition(".")[2] == name
            if path != "keras":  # it is not installed everywhere
                operator.attrgetter(path)(tf)
