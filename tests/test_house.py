"""The rules of the tree: small folders, names that say what they name, ever fewer `Any`, tests that
mirror it."""

from __future__ import annotations

import ast
import functools
import gc
import itertools
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "graphwright"

#: Files of a folder, at most.
MOST_FILES = 30

#: File names that occur twice, and why that confuses nobody.
SAME_FILES = {"__init__": "each package has one"}

#: Classes of one name, and why.
SAME_CLASSES = {
    "ComplexTransform": "a family of ops along the last axes, and one along any",
    "Layout": "of the buffers of a plan, and of a tensor on a mesh by TensorFlow's name",
    "Options": "how AutoGraph converts, and those of `tf.data` by their public name",
    "RandomUniform": "the op by TensorFlow's name, the initializer by Keras's",
    "TFRecordWriter": "of `tf.io`, and of `tf.data.experimental`, which writes a dataset",
    "Size": "the op by TensorFlow's name, and a size of lowering",
}

#: The share of `Any` among the annotations of parameters, in percent. These numbers only fall.
MOST_ANY = {
    "api": 0, "autodiff": 2, "autograph": 1, "base": 2, "compat": 0, "compile": 1, "control": 1,
    "data": 4, "demo": 0, "diagnosis": 0,
    "explain": 1, "function": 0, "ir": 0, "library": 0, "lint": 0, "machine": 0, "op": 2, "ops": 1,
    "portable": 7, "ragged": 1, "trace": 0, "types": 8, "values": 1,
}  # fmt: skip

#: Words that name nothing, where variables, parameters and fields have names.
NO_NAMES = {"asked", "at", "found", "kept", "own", "told"}

#: Folders of tests that mirror none of the package, and what their tests are about.
OTHER_FOLDERS = {
    "benchmarks": "benchmarks/",
    "examples": "examples/",
    "plans": "what plans of memory must hold, by an interpreter of them",
    "soundness": "the whole engine, by random programs",
    "tools": "tools/",
}

#: Modules that show a test all that their folder does, so it need not be about them.
ENTRANCES = {
    "explain/brief": "a report of any calls",
    "lint/check": "the linter as a function",
    "op/op": "the class of every op",
    "trace/tracer": "a trace of any function",
    "types/specs": "the specs that a corpus names",
}

#: The share of test files that are about one module, in percent; the others are about what a folder
#: does. This number only rises.
LEAST_OF_MODULES = 72


@pytest.fixture(scope="module", autouse=True)
def _trees() -> Iterator[None]:
    """Trees of the package are a million objects. The collector, which would take longer than all
    rules to look at them again and again, waits until they are gone."""
    gc.disable()
    yield
    nodes_of.cache_clear()
    tree_of.cache_clear()
    gc.enable()


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a module: many rules read it."""
    return ast.parse(path.read_text())


@functools.cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All nodes of a module."""
    return list(ast.walk(tree_of(path)))


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
    return {name: result for name, result in places.items() if len(result) > 1}


def namesakes(package: Path) -> dict[str, list[str]]:
    """Classes of one name in several places."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in sources(package):
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{path.relative_to(package)}:{node.lineno}")
    return {name: result for name, result in places.items() if len(result) > 1}


def places(package: Path) -> dict[str, str]:
    """Where a module stands, by its name; those of public namespaces are given."""
    inside = [path.relative_to(package).with_suffix("") for path in sources(package)]
    return {path.name: path.as_posix() for path in inside if path.parts[0] != "api"}


def mirrored(tests: Path) -> Iterator[tuple[Path, str, str]]:
    """Test files that mirror the package: the file, the folder, and what it is named for."""
    for path in sorted(tests.rglob("test_*.py")):
        folder = path.relative_to(tests).parent.as_posix()
        if folder.partition("/")[0] not in OTHER_FOLDERS:
            yield path, folder, path.stem.removeprefix("test_")


def misplaced(tests: Path, package: Path) -> list[str]:
    """Test files in a folder that the package lacks, or with the name of a module of another."""
    where, wrong = places(package), []
    for _, folder, name in mirrored(tests):
        own = f"{folder}/{name}".removeprefix("./")
        if not (package / folder).is_dir():
            wrong.append(f"{own}: no such folder")
        elif not (package / own).is_dir() and where.get(name, own) != own:
            wrong.append(f"{own}: {where[name]}")
    return wrong


def of_folders(tests: Path, package: Path) -> list[tuple[Path, str]]:
    """Test files of a folder that are named for neither a module nor a folder in it."""
    return [
        (path, folder)
        for path, folder, name in mirrored(tests)
        if folder != "."
        and not (package / folder / name).with_suffix(".py").exists()
        and not (package / folder / name).is_dir()
    ]


def imported(path: Path, package: Path) -> set[str]:
    """The modules of the package that a file names in its imports."""
    names: set[str] = set()
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("graphwright."):
            base = (node.module or "").split(".", 1)[1].replace(".", "/")
            inner = {f"{base}/{a.name}" for a in node.names}
            names |= {n for n in inner if (package / f"{n}.py").exists()} or {base}
    return names


def of_one_module(tests: Path, package: Path) -> list[str]:
    """Test files that see of the package one module of their folder, but have another name."""
    seen = [(path, folder, imported(path, package)) for path, folder in of_folders(tests, package)]
    return [
        f"{path.relative_to(tests)}: {module}"
        for path, folder, modules in seen
        for module in modules
        if len(modules) == 1 and module not in ENTRANCES and module.rpartition("/")[0] == folder
    ]


def share_of_any(folder: Path) -> int:
    """How many percent of the annotations of parameters have an `Any` in them."""
    total = loose = 0
    for path in sources(folder):
        for node in nodes_of(path):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                arguments = node.args
                for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                    if a.annotation is not None:
                        total += 1
                        loose += "Any" in ast.unparse(a.annotation)
    return round(100 * loose / max(1, total))


def bad_names(folder: Path) -> list[str]:
    """Where a variable, a parameter or a field is named by a word that names nothing."""
    places = []
    for path in sources(folder):
        for node in nodes_of(path):
            if isinstance(node, ast.arg):
                name = node.arg
            elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
                name = node.id if isinstance(node, ast.Name) else node.attr
            else:
                continue
            if name.strip("_").lower() in NO_NAMES:
                places.append(f"{path.relative_to(folder)}:{node.lineno}: {name}")
    return places


#: Modules that give methods to classes of others, and why.
GIVES_METHODS = {"values/eager.py": "operators of eager tensors skip what only a trace needs"}


def at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when a module is imported."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from at_import(node)


def attributes_set(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """The names whose attributes a node sets, each with its value if that is an expression."""
    pairs: list[tuple[ast.expr, ast.expr | None]] = []
    if isinstance(node, ast.Assign):
        for target in node.targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            pairs += itertools.zip_longest(parts, values)
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        pairs = [(node.target, node.value)]
    for part, value in pairs:
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            yield part.value.id, value
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "setattr":
        yield ast.unparse(node.args[0]), None


def installed(package: Path) -> list[str]:
    """Where a module sets an attribute of what it imports by its import, or a function anywhere.

    `hooks` alone may set functions: what else changes while a program runs is state.
    """
    places = []
    for path in sources(package):
        inside = str(path.relative_to(package))
        if inside in {"hooks.py", *GIVES_METHODS}:
            continue
        imports = [n for n in nodes_of(path) if isinstance(n, (ast.Import, ast.ImportFrom))]
        imported = {alias.asname or alias.name for n in imports for alias in n.names}
        early = set(map(id, at_import(tree_of(path))))
        for node in nodes_of(path):
            for name, value in attributes_set(node):
                is_function = isinstance(value, ast.Call) and "staticmethod" in ast.unparse(value)
                if name in imported and (is_function or id(node) in early):
                    places.append(f"{inside}:{getattr(node, 'lineno', 0)}")
    return places


#: What changes the process, and the one module that may; `library` has what programs ask for.
CHANGING = {
    "mallopt", "setswitchinterval", "set_num_threads", "threadpool_limits", "setrecursionlimit",
    "seterr", "seterrcall", "set_printoptions", "simplefilter", "filterwarnings", "settrace",
    "gc.disable", "gc.enable", "gc.freeze", "gc.unfreeze", "gc.set_threshold", "signal.signal",
    "os.environ[]", "os.environ.setdefault", "os.environ.update", "os.putenv",
}  # fmt: skip
LAST = {name.rpartition(".")[2] for name in CHANGING}
SETTINGS = "machine/process_settings.py"

#: Changes elsewhere, and why each is none of the process.
CHANGES_OF_ONE = {
    "lint/notebook_cells.py: simplefilter": "in `catch_warnings`, in the command line",
    "library/distribute/launching.py: signal.signal": "in the command line, whose process it is",
    "library/objects/explaining.py: signal.signal": "in the command line, whose process it is",
    "ops/linalg/matrix_roots.py: simplefilter": "in `catch_warnings`, until SciPy returns",
    "values/quiet.py: seterr": "in a context of our own",
}


def changing(package: Path) -> set[str]:
    """Where a module names what changes the process."""
    places = set()
    for path in sources(package):
        inside = str(path.relative_to(package))
        for node in nodes_of(path) if inside != SETTINGS else ():
            names: set[str] = set()
            if isinstance(node, ast.Attribute):
                names = {ast.unparse(node), node.attr} if node.attr in LAST else set()
            elif isinstance(node, ast.ImportFrom):
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                names = {f"{ast.unparse(node.value)}[]"}
            places |= {f"{inside}: {name}" for name in names & CHANGING}
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
        for node in nodes_of(path):
            names = {getattr(node, "attr", ""), getattr(node, "name", "")}
            places |= {f"{path.relative_to(package)}: {name}" for name in names & PRIVATE}
    return places


def test_what_is_cpythons_own_is_read_where_a_reason_stands() -> None:
    assert private(PACKAGE) == READS_PRIVATE


def test_only_hooks_provides_what_lower_layers_declare() -> None:
    assert not installed(PACKAGE)


def test_no_folder_is_crowded() -> None:
    assert not crowded(PACKAGE)


def test_file_names_tell_files_apart() -> None:
    assert not twice(PACKAGE)


def test_class_names_tell_classes_apart() -> None:
    assert namesakes(PACKAGE).keys() <= SAME_CLASSES.keys()


@pytest.mark.parametrize("folder", MOST_ANY)
def test_any_only_falls(folder: str) -> None:
    assert share_of_any(PACKAGE / folder) <= MOST_ANY[folder]


@pytest.mark.parametrize("folder", MOST_ANY)
def test_names_are_nouns(folder: str) -> None:
    assert not bad_names(PACKAGE / folder)


def test_each_package_has_its_numbers() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")} - {"proto"}
    assert packages == MOST_ANY.keys()


def test_a_test_stands_where_its_module_does() -> None:
    assert not misplaced(TESTS, PACKAGE)


def test_a_test_of_one_module_is_named_for_it() -> None:
    assert not of_one_module(TESTS, PACKAGE)
    assert all((PACKAGE / f"{module}.py").exists() for module in ENTRANCES)


def test_most_tests_are_about_one_module() -> None:
    count = sum(folder != "." for _, folder, _ in mirrored(TESTS))
    assert 100 * (count - len(of_folders(TESTS, PACKAGE))) / count >= LEAST_OF_MODULES


def test_tests_out_of_place_are_seen(tmp_path: Path) -> None:
    tests, package = tmp_path / "tests", tmp_path / "package"
    for file in ("a/one.py", "a/two.py", "b/three.py"):
        (package / file).parent.mkdir(parents=True, exist_ok=True)
        (package / file).touch()
    texts = {
        "a/test_one.py": "",
        "test_three.py": "",
        "test_everything.py": "",
        "a/test_three.py": "",
        "c/test_four.py": "",
        "tools/test_five.py": "",
        "a/test_all.py": "from graphwright.a.one import f\nfrom graphwright.a import two\n",
        "a/test_some.py": "from graphwright.a import two\n",
        "b/test_much.py": "from graphwright.a.one import f\n",
    }
    for file, text in texts.items():
        (tests / file).parent.mkdir(parents=True, exist_ok=True)
        (tests / file).write_text(text)
    assert misplaced(tests, package) == [
        "a/three: b/three",
        "c/four: no such folder",
        "three: b/three",
    ]
    assert of_one_module(tests, package) == ["a/test_some.py: a/two"]
    names = [path.name for path, _ in of_folders(tests, package)]
    assert names == ["test_all.py", "test_some.py", "test_three.py", "test_much.py", "test_four.py"]


def test_faults_are_seen(tmp_path: Path) -> None:
    (tmp_path / "crowd").mkdir()
    for i in range(MOST_FILES + 1):
        (tmp_path / "crowd" / f"file{i}.py").touch()
    (tmp_path / "file3.py").write_text("class A:\n    def f(self, x: Any, y: int) -> None: ...\n")
    (tmp_path / "other.py").write_text(
        "from b import B\nB.of = 1\nclass A: ...\ngc.freeze()\nsys._getframe\nfound = self.own\n"
        "a, B.by = 1, 2\nB.all += [1]\nfor n in 'ab': setattr(B, n, 1)\nfrom gc import disable\n"
        "os.environ['A'] = '1'\ndef f():\n    B.state = 1\n    B.of = staticmethod(f)\n"
    )
    assert crowded(tmp_path) == [f"crowd: {MOST_FILES + 1}"]
    assert sorted(twice(tmp_path)["file3"]) == [".", "crowd"]
    assert list(namesakes(tmp_path)) == ["A"]
    assert share_of_any(tmp_path) == 50
    assert sorted(installed(tmp_path)) == [f"other.py:{n}" for n in (14, 2, 7, 8, 9)]
    assert changing(tmp_path) == {
        "other.py: gc.disable",
        "other.py: gc.freeze",
        "other.py: os.environ[]",
    }
    assert bad_names(tmp_path) == ["other.py:6: found"]
    assert private(tmp_path) == {"other.py: _getframe"}
