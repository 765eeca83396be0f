"""A pipeline imports the modules of its own stages, and names of late ones are right."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import graphwright
import graphwright as tf
from graphwright.data.columns import ragged_lanes
from graphwright.data.columns.row_rewrite import MAKING_RAGGED
from graphwright.data.dataset_value import stage_class
from graphwright.data.element_function import _PYTHON
from graphwright.data.stage import MAPS, DatasetStage, kind_of
from graphwright.data.stages import stage_rewrites
from graphwright.library.dispatch.raw_ops import load_all
from graphwright.machine import compiler
from graphwright.machine.disk_cache import DiskCache
from graphwright.op.op import REGISTRY
from graphwright.ops.io import example_code
from graphwright.ops.strings import field_code

PACKAGE = Path(graphwright.__file__).parent
STAGES = "graphwright.data.stages."

#: The module of maps and filters, and what it imports.
CALLS = ["map_stages"]
#: What a pipeline of a line imports of `data.stages`, beside what each has.
IMPORTED = {
    "range(3)": [],
    "range(10).batch(2)": ["batch_stages"],
    "range(10).map(lambda x: x * 2).batch(2)": ["batch_stages", *CALLS],
    "range(10).map(lambda x: x * 2).filter(lambda x: x > 2)": ["fused_stages", *CALLS],
    "range(10).shuffle(3, seed=1)": ["shuffle_buffers", "shuffle_stages"],
    "range(10).take(3)": ["select_stages"],
    "range(10).prefetch(2)": ["buffer_stages"],
    "zip(tf.data.Dataset.range(3), tf.data.Dataset.range(3))": ["combine_stages"],
    "range(10).window(2)": ["fixed_stage", "group_stages"],
}
#: What every pipeline imports of it.
ALWAYS = {"source_stages", "stage_rewrites"}

#: What few pipelines need, and takes milliseconds to import.
HEAVY = (
    "concurrent.futures",
    "json",
    "mmap",
    "graphwright.api.data.experimental",
    "graphwright.data.columns.ragged_lanes",
    "graphwright.data.dataset_ops",
    "graphwright.data.experimental.option_choices",
    "graphwright.data.optional",
    "graphwright.ops.random.philox",
    "graphwright.ops.state.list_tensors",
    "graphwright.ops.strings.string_kernels",
    "graphwright.ragged.ragged_tensor",
    "graphwright.values.sparse.sparse_functions",
)

#: What pipelines of files need as little, unless their records are odd.
OF_FILES = (
    "_sqlite3",
    "base64",
    "google.protobuf",
    "google_crc32c",
    "graphwright.library.io.gfile",
    "graphwright.ops.strings.regex",
    "graphwright.ops.strings.string_kernels",
    "graphwright.ragged.ragged_tensor",
    "graphwright.values.sparse.sparse_functions",
    "threadpoolctl",
)
PARSE = "tf.io.parse_example(x, {'n': tf.io.FixedLenFeature([], tf.int64)})"
FILES = (
    "experimental.CsvDataset('FOLDER/rows.csv', [tf.int32, tf.float32]).batch(100)",
    "TextLineDataset('FOLDER/rows.csv').batch(100)",
    f"TFRecordDataset('FOLDER/records').batch(100).map(lambda x: {PARSE})",
)


def texts_of(path: Path) -> Iterator[str]:
    """The texts in a file that are no docstrings, those of f-strings too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def places() -> list[str]:
    """The places of stages that the modules of `data` name."""
    names = {path.stem for path in (PACKAGE / "data/stages").glob("*.py")}
    files = sorted((PACKAGE / "data").rglob("*.py"))
    pairs = [(text, text.partition(":")) for path in files for text in texts_of(path)]
    return sorted({text for text, (module, _, name) in pairs if name and module in names})


@pytest.mark.parametrize("place", places())
def test_each_place_has_a_stage(place: str) -> None:
    kind = stage_class(place)
    assert issubclass(kind, DatasetStage)
    assert kind.__module__ == STAGES + place.partition(":")[0]


def test_there_are_such_places() -> None:
    assert len(places()) > 25


def kinds_in_rules() -> set[str]:
    """The names of classes that rewrites ask for."""
    tree = ast.parse(Path(stage_rewrites.__file__).read_text(encoding="utf-8"))
    compared = [
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for part in (node.left, *node.comparators)
    ]
    values = [part.value for part in compared if isinstance(part, ast.Constant)]
    return {value for value in values if isinstance(value, str)}


def test_rewrites_ask_for_stages_that_there_are() -> None:
    defined = {
        node.name
        for path in (PACKAGE / "data/stages").glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    assert {"PrefetchStage", "FusedStage", "OptionsStage"} <= kinds_in_rules() <= defined
    assert set(stage_rewrites._FUSIBLE) <= defined


def test_rules_name_ops_that_there_are() -> None:
    load_all()
    assert set(ragged_lanes.RULES) <= set(REGISTRY)
    makers = {kind for kind, rule in ragged_lanes.RULES.items() if rule in ragged_lanes.MAKERS}
    assert makers == MAKING_RAGGED
    assert set(REGISTRY) >= _PYTHON


def test_rules_know_maps_by_their_names() -> None:
    numbers = tf.data.Dataset.range(3)
    mapped = numbers.map(lambda x: x), numbers.map(lambda x: x, num_parallel_calls=2)
    assert tuple([kind_of(dataset._stage) for dataset in mapped]) == MAPS


def loaded_by(line: str, home: str = "tf.data.Dataset", **settings: str) -> set[str]:
    """The modules that a new process has after the first element of a pipeline."""
    program = (
        "import sys, graphwright as tf\n"
        f"next(iter({home}.{line}))\n"
        "print(*sys.modules, sep='\\n')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, check=True, env={**os.environ, **settings},
    )  # fmt: skip
    return set(done.stdout.split())


@pytest.mark.parametrize(("line", "own"), IMPORTED.items())
def test_a_pipeline_imports_its_own_stages(line: str, own: list[str]) -> None:
    stages = {name.removeprefix(STAGES) for name in loaded_by(line) if name.startswith(STAGES)}
    assert stages - ALWAYS == set(own)


@pytest.mark.parametrize("size", [2, 100])
def test_the_first_pipeline_imports_nothing_heavy(size: int) -> None:
    loaded = loaded_by(f"range(1000).map(lambda x: x * 2).batch({size})")
    assert not loaded.intersection(HEAVY)


#: Pipelines whose functions only call the library, and what needs its generators of numbers.
PLAIN = (
    "range(9).window(3).flat_map(lambda window: window.batch(3))",
    "range(9).group_by_window(lambda x: x % 3, lambda key, window: window.batch(2), 2)",
    "range(9).map(lambda x: tf.numpy_function(abs, [x], tf.int64))",
    "range(9).map(lambda x: tf.py_function(abs, [x], tf.int64))",
    "sample_from_datasets([tf.data.Dataset.range(9), tf.data.Dataset.range(9)], [0.5, 0.5], 1)",
)


@pytest.mark.parametrize("line", PLAIN)
def test_pipelines_of_the_library_import_no_conversion(line: str) -> None:
    loaded = loaded_by(line)
    assert "graphwright.autograph.conversion" not in loaded
    assert not loaded.intersection(HEAVY) - {"graphwright.ops.random.philox"}
    assert "graphwright.ops.random.stateful_random" not in loaded
    assert "graphwright.ops.random.stateless_random" not in loaded


def test_pipelines_without_functions_trace_nothing() -> None:
    tracing = {"graphwright.data.element_function", "graphwright.control.vectorize"}
    assert not tracing & loaded_by("range(10).batch(3)")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with lines of CSV and with records of messages."""
    (tmp_path / "rows.csv").write_text("".join(f"{n},{n}.5\n" for n in range(9_000)))
    message = tf.train.Example()
    message.features.feature["n"].int64_list.value.append(7)
    with tf.io.TFRecordWriter(str(tmp_path / "records")) as writer:
        for _ in range(3_000):
            writer.write(message.SerializeToString())
    return tmp_path


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with the machine code that reads numbers and messages."""
    folder = tmp_path_factory.mktemp("code")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "disk_cache", lambda: DiskCache(folder))
        for module in (example_code, field_code):
            module.functions.__wrapped__()  # this process may have them already
    return str(folder)


def test_the_first_records_of_files_in_turn_wait_for_no_thread(files: Path, codes: str) -> None:
    """Threads read ahead behind the first part of each file, which is short."""
    line = f"TFRecordDataset(['{files}/records'] * 2, num_parallel_reads=2).batch(9)"
    loaded = loaded_by(line, "tf.data", GRAPHWRIGHT_CACHE_DIR=codes)
    assert STAGES + "files_in_turn_stages" in loaded
    assert "graphwright.data.threads.element_calls" not in loaded


def test_images_import_no_convolutions() -> None:
    loaded = loaded_by("range(2).map(lambda x: tf.image.flip_left_right(tf.zeros([2, 3, 1])))")
    assert "graphwright.ops.image.cropping" in loaded
    assert not [name for name in loaded if name.startswith("graphwright.ops.convolution.conv")]


@pytest.mark.parametrize("line", FILES)
def test_the_first_record_imports_nothing_heavy(files: Path, codes: str, line: str) -> None:
    line = line.replace("FOLDER", str(files))
    loaded = loaded_by(line, "tf.data", GRAPHWRIGHT_CACHE_DIR=codes)
    assert not loaded.intersection(OF_FILES)
