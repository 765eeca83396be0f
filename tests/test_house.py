"""The rules of the tree: small folders, names that say what they name, ever fewer `Any`."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "graphwright"

#: Files of a folder, at most.
MOST_FILES = 30

#: File names that occur twice, and why that confuses nobody.
SAME_FILES = {"__init__": "each package has one"}

#: Classes of one name, and why.
SAME_CLASSES = {
    "ComplexTransform": "a family of ops along the last axes, and one along any",
    "RandomUniform": "the op by TensorFlow's name, the initializer by Keras's",
    "Size": "the op by TensorFlow's name, and a size of lowering",
}

#: The share of `Any` among the annotations of parameters, in percent. These numbers only fall.
MOST_ANY = {
    "compile": 4, "control": 50, "library": 52, "op": 31, "ops": 37, "ragged": 70, "types": 59,
    "values": 57,
}  # fmt: skip


def sources(package: Path) -> Iterator[Path]:
    """The files that people write."""
    for path in sorted(package.rglob("*.py")):
        if "proto" not in path.relative_to(package).parts:
            yield path


def crowded(package: Path) -> list[str]:
    """The folders with too many files."""
    counts: dict[str, int] = defaultdict(int)
    for path in sources(package):
        counts[str(path.parent.relative_to(package))] += 1
    return [f"{folder}: {n}" for folder, n in counts.items() if n > MOST_FILES]


def twice(package: Path) -> dict[str, list[str]]:
    """File names that occur in several folders; those of public namespaces are given."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in sources(package):
        inside = path.relative_to(package)
        if inside.parts[0] != "api" and path.stem not in SAME_FILES:
            places[path.stem].append(str(inside.parent))
    return {name: found for name, found in places.items() if len(found) > 1}


def namesakes(package: Path) -> dict[str, list[str]]:
    """Classes of one name in several places."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in sources(package):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{path.relative_to(package)}:{node.lineno}")
    return {name: found for name, found in places.items() if len(found) > 1}


def share_of_any(folder: Path) -> int:
    """How many percent of the annotations of parameters have an `Any` in them."""
    total = loose = 0
    for path in sources(folder):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                arguments = node.args
                for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                    if a.annotation is not None:
                        total += 1
                        loose += "Any" in ast.unparse(a.annotation)
    return round(100 * loose / max(1, total))


def installed(package: Path) -> list[str]:
    """Where a module other than `hooks` sets an attribute of what it imports."""
    places = []
    for path in sources(package):
        tree = ast.parse(path.read_text())
        imports = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
        imported = {alias.asname or alias.name for n in imports for alias in n.names}
        for node in tree.body:
            for target in node.targets if isinstance(node, ast.Assign) else ():
                owner = target.value if isinstance(target, ast.Attribute) else None
                if isinstance(owner, ast.Name) and owner.id in imported:
                    places.append(f"{path.relative_to(package)}:{node.lineno}")
    return places


#: What changes the process, and the one module that may; `library` has what programs ask for.
CHANGING = {
    "mallopt", "setswitchinterval", "set_num_threads", "threadpool_limits", "setrecursionlimit",
    "seterr", "seterrcall", "set_printoptions", "simplefilter", "filterwarnings", "settrace",
    "gc.disable", "gc.enable", "gc.freeze", "gc.unfreeze", "gc.set_threshold", "signal.signal",
    "os.environ.setdefault", "os.putenv",
}  # fmt: skip
SETTINGS = "machine/process_settings.py"

#: Changes elsewhere, and why each is none of the process.
CHANGES_OF_ONE = {
    "lint/linted_source.py: simplefilter": "in `catch_warnings`, in the command line",
    "library/objects/explaining.py: signal.signal": "in the command line, whose process it is",
    "ops/linalg/matrix_roots.py: simplefilter": "in `catch_warnings`, until SciPy returns",
    "values/quiet.py: seterr": "in a context of our own",
}


def changing(package: Path) -> set[str]:
    """Where a module names what changes the process."""
    places = set()
    for path in sources(package):
        inside = str(path.relative_to(package))
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and inside != SETTINGS:
                for name in {ast.unparse(node), node.attr} & CHANGING:
                    places.add(f"{inside}: {name}")
    return places


def test_what_changes_the_process_stands_in_one_module() -> None:
    assert changing(PACKAGE) == CHANGES_OF_ONE.keys()


#: What CPython keeps to itself, or shows of frames, and who reads it: each says why.
PRIVATE = {"_getframe", "_tuplegetter", "_current_frames", "f_locals", "f_builtins"}
READS_PRIVATE = {
    "autograph/converted_operators.py: f_locals",
    "library/objects/extension_type.py: f_locals",
}


def private(package: Path) -> set[str]:
    """Where a module reads what is CPython's own."""
    places = set()
    for path in sources(package):
        for node in ast.walk(ast.parse(path.read_text())):
            names = {getattr(node, "attr", ""), getattr(node, "name", "")}
            places |= {f"{path.relative_to(package)}: {name}" for name in names & PRIVATE}
    return places


def test_what_is_cpythons_own_is_read_where_a_reason_stands() -> None:
    assert private(PACKAGE) == READS_PRIVATE


def test_only_hooks_provides_what_lower_layers_declare() -> None:
    assert not installed(PACKAGE)  # `hooks` does it in a function


def test_no_folder_is_crowded() -> None:
    assert not crowded(PACKAGE)


def test_file_names_tell_files_apart() -> None:
    assert not twice(PACKAGE)


def test_class_names_tell_classes_apart() -> None:
    assert namesakes(PACKAGE).keys() <= SAME_CLASSES.keys()


@pytest.mark.parametrize("folder", MOST_ANY)
def test_any_only_falls(folder: str) -> None:
    assert share_of_any(PACKAGE / folder) <= MOST_ANY[folder]


def test_faults_are_seen(tmp_path: Path) -> None:
    (tmp_path / "crowd").mkdir()
    for i in range(MOST_FILES + 1):
        (tmp_path / "crowd" / f"file{i}.py").touch()
    (tmp_path / "file3.py").write_text("class A:\n    def f(self, x: Any, y: int) -> None: ...\n")
    (tmp_path / "other.py").write_text(
        "from b import B\nB.of = 1\nclass A: ...\ngc.freeze()\nsys._getframe\n"
    )
    assert crowded(tmp_path) == [f"crowd: {MOST_FILES + 1}"]
    assert sorted(twice(tmp_path)["file3"]) == [".", "crowd"]
    assert list(namesakes(tmp_path)) == ["A"]
    assert share_of_any(tmp_path) == 50
    assert installed(tmp_path) == ["other.py:2"]
    assert changing(tmp_path) == {"other.py: gc.freeze"}
    assert private(tmp_path) == {"other.py: _getframe"}
