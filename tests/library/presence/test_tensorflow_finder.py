"""Programs that import `tensorflow` get this package, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[3] / "src"


def outcome(program: str, folder: Path, *command: str, **variables: str) -> tuple[int, str, str]:
    """The exit code and outputs of a program in a process, which may import from its folder."""
    file = folder / "program.py"
    file.write_text(textwrap.dedent(program))
    done = subprocess.run(
        [sys.executable, *command, str(file), "one", "--two"],
        env=os.environ | {"PYTHONPATH": f"{SRC}{os.pathsep}{folder}"} | variables,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


RUN = ("-m", "graphwright", "run")

PROGRAMS = {
    "names": """
        import tensorflow as tf, graphwright
        assert tf.__version__ == tf.version.VERSION == "2.21.0"
        assert tf.add is graphwright.add and tf.Tensor is graphwright.Tensor
        assert graphwright.version.VERSION == graphwright.__version__ != "2.21.0"
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = tf.function(lambda: x * x)()
        assert float(tape.gradient(y, x)) == 6.0
        """,
    "submodules": """
        import sys
        import tensorflow as tf
        import tensorflow.compat.v1 as tf1
        import tensorflow.experimental.numpy as tnp
        from tensorflow import data, errors
        from tensorflow.data import Dataset
        from tensorflow.compat.v2 import add
        assert tf.compat.v1 is tf1 and tf.data is data is sys.modules["tensorflow.data"]
        assert data.Dataset is Dataset and add is tf.add
        assert tf.experimental.numpy is tnp and tnp.ones([2]).shape == (2,)
        assert {"Dataset", "AUTOTUNE"} <= set(dir(data)) and "math" in dir(tf)
        """,
    "modules that are not public": """
        import importlib.util
        lines = (
            "from tensorflow.python.framework import ops",
            "import tensorflow.python.ops.array_ops",
            "from tensorflow.python.framework.ops import Tensor",
            "from tensorflow.python import keras",
            "from tensorflow.core.framework import graph_pb2",
        )
        words = []
        for line in lines:
            try:
                exec(line)
            except ModuleNotFoundError as error:
                words.append(str(error))
        assert len(words) == len(lines)
        assert "tensorflow.python.framework.ops is not public in TensorFlow" in words[0]
        assert all("Use tf." in text for text in (words[0], words[2], words[3])), words
        import tensorflow.python.framework
        assert not hasattr(tensorflow.python.framework, "ops")
        """,
    "internal places": """
        from tensorflow.compiler.tf2xla.python.xla import dynamic_update_slice
        from tensorflow.python.eager import context
        from tensorflow.python.framework.config import is_op_determinism_enabled
        from tensorflow.python.ops.math_ops import is_nan
        from tensorflow.python.trackable.data_structures import ListWrapper, _DictWrapper
        import tensorflow as tf
        from tensorflow.saved_model.experimental import TrackableResource
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        assert isinstance(table, TrackableResource) and tf.saved_model.save
        assert is_nan is tf.math.is_nan and not is_op_determinism_enabled()
        assert (ListWrapper.__name__, _DictWrapper.__name__) == ("ListWrapper", "_DictWrapper")
        context.context().clear_kernel_cache()
        for count in (2, 3):
            context._reset_context()
            parts = [tf.config.LogicalDeviceConfiguration()] * count
            (cpu,) = tf.config.list_physical_devices("CPU")
            tf.config.set_logical_device_configuration(cpu, parts)
            assert len(tf.config.list_logical_devices("CPU")) == count
        update = lambda *starts: dynamic_update_slice([[1, 2], [3, 4]], [[9]], starts)
        assert update(0, 1).numpy().tolist() == [[1, 9], [3, 4]]
        assert update(5, -3).numpy().tolist() == [[1, 2], [9, 4]]  # moved until it fits
        """,
    "what programs print": """
        import os
        import graphwright, tensorflow as tf
        from tensorflow.python.client import device_lib
        assert tf.__file__ == graphwright.__file__ and os.path.isfile(tf.__file__)
        assert tf.__all__.count("__file__") == 0
        (cpu,) = device_lib.list_local_devices()
        assert (cpu.name, cpu.device_type, cpu.memory_limit) == ("/device:CPU:0", "CPU", 1 << 28)
        assert str(cpu).startswith('name: "/device:CPU:0"\\ndevice_type: "CPU"\\n')
        """,
    "names of type specs": """
        import tensorflow as tf
        from tensorflow.python.framework import type_spec_registry as registry
        class Masked(tf.experimental.ExtensionType):
            __name__ = "mine.Masked"
            values: tf.Tensor
        class Nameless(tf.experimental.ExtensionType):
            values: tf.Tensor
        names = "tf.TensorSpec", "tf.RaggedTensorSpec", "tf.SparseTensorSpec", "mine.Masked.Spec"
        specs = tf.TensorSpec, tf.RaggedTensorSpec, tf.SparseTensorSpec, Masked.Spec
        for name, spec in zip(names, specs):
            assert registry.get_name(spec) == name and registry.lookup(name) is spec
        for call in (lambda: registry.get_name(Nameless.Spec), lambda: registry.lookup("Nothing")):
            try:
                call()
            except ValueError as error:
                assert "has been registered" in str(error) or "has not been" in str(error)
            else:
                raise AssertionError
        """,
    "classes that libraries know by their modules": """
        import pickle
        import tensorflow as tf
        ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
        sparse = tf.sparse.from_dense([0.0, 1.0])
        for value in (ragged, sparse, tf.constant(1.0)):
            assert any(k.__module__.startswith("tensorflow.python.") for k in type(value).__mro__)
        assert tf.Tensor.__module__ == "tensorflow.python.framework.tensor"
        kinds = type(tf.data.Dataset.range(3).batch(2)).__mro__
        names = {(kind.__module__, kind.__name__) for kind in kinds}
        assert ("tensorflow.python.data.ops.dataset_ops", "DatasetV2") in names
        assert pickle.loads(pickle.dumps(tf.data.Dataset)) is tf.data.Dataset
        assert pickle.loads(pickle.dumps(tf.RaggedTensor)) is tf.RaggedTensor
        assert pickle.loads(pickle.dumps(tf.constant([1.0, 2.0]))).numpy().tolist() == [1.0, 2.0]
        """,
    "a star": """
        from tensorflow import *
        assert float(reduce_sum(ones([2]))) == 2.0
        """,
    "what there is not": """
        import importlib.util
        import tensorflow as tf
        from tensorflow.python.ops.linalg.sparse import sparse_csr_matrix_ops
        assert not hasattr(tf, "no_such_name") and not hasattr(tf.math, "__file__")
        assert importlib.util.find_spec("tensorflow.python.no_such") is None
        try:
            tf.math.no_such_name
        except AttributeError as error:
            assert str(error) == (
                "module 'tensorflow.math' has no attribute 'no_such_name': graphwright, which "
                "stands for tensorflow in this process, does not have it"
            )
        else:
            raise AssertionError
        try:
            sparse_csr_matrix_ops.CSRSparseMatrix
        except AttributeError as error:
            assert "does not have it" in str(error)
        else:
            raise AssertionError
        """,
    "arguments": """
        import sys
        assert sys.argv[1:] == ["one", "--two"] and sys.argv[0].endswith("program.py")
        assert __name__ == "__main__"
        """,
}


@pytest.mark.usefixtures("usual_tiers")  # the mode `sanitize` is deterministic
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_gets_this_package(program: str, tmp_path: Path) -> None:
    assert outcome(program, tmp_path, *RUN) == (0, "", "")


def test_without_being_asked_nothing_stands_for_it(tmp_path: Path) -> None:
    program = """
        import sys, graphwright
        assert not any("graphwright" in type(finder).__module__ for finder in sys.meta_path)
        assert "graphwright.library.presence.tensorflow_finder" not in sys.modules
        """
    assert outcome(program, tmp_path) == (0, "", "")


def test_the_environment_asks_for_it(tmp_path: Path) -> None:
    program = "import graphwright, tensorflow\nassert tensorflow.add is graphwright.add"
    assert outcome(program, tmp_path, GRAPHWRIGHT_AS_TENSORFLOW="1") == (0, "", "")


def test_another_tensorflow_that_is_imported_is_left(tmp_path: Path) -> None:
    (tmp_path / "tensorflow.py").write_text("")
    program = """
        import tensorflow, graphwright
        try:
            graphwright.install_as_tensorflow()
        except ImportError as error:
            assert "tensorflow is imported already, from" in str(error)
            assert tensorflow.__file__ in str(error)
        else:
            raise AssertionError
        """
    assert outcome(program, tmp_path) == (0, "", "")


def test_keras_is_the_installed_one(tmp_path: Path) -> None:
    for name, text in {
        "keras/__init__.py": "print('imported')\nfrom keras import layers",
        "keras/layers.py": "Dense = 'own'",
        "keras/utils.py": "",
        "keras/_tf_keras/__init__.py": "",
        "keras/_tf_keras/keras/__init__.py": "from keras._tf_keras.keras import layers",
        "keras/_tf_keras/keras/layers.py": "Dense = 'for tensorflow'",
        "keras/losses.py": "",
        "keras/optimizers.py": "Adam = 'own'",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    program = """
        import tensorflow as tf
        print("first")
        assert tf.keras.layers.Dense == "for tensorflow"
        from tensorflow.keras.layers import Dense
        import tensorflow.keras.utils, keras._tf_keras.keras
        assert tf.keras is keras._tf_keras.keras and tensorflow.keras.utils is keras.utils
        import tensorflow.losses
        assert tf.losses is keras.losses and tf.optimizers.Adam == "own"
        """
    assert outcome(program, tmp_path, *RUN) == (0, "first\nimported\n", "")


@pytest.mark.parametrize(
    "line", ["tf.keras", "import tensorflow.keras.layers", "tf.initializers.Zeros()"]
)
def test_without_keras_the_error_names_the_command(line: str, tmp_path: Path) -> None:
    (tmp_path / "keras.py").write_text("raise ModuleNotFoundError")
    hidden = "import sys\nsys.modules['keras'] = None\nimport tensorflow as tf\n"
    code, _, errors = outcome(hidden + line, tmp_path, *RUN)
    assert code == 1
    assert errors.splitlines()[-1] == (
        "ImportError: tf.keras is Keras 3, which is not installed: `pip install keras`, and set "
        "KERAS_BACKEND=tensorflow."
    )


def test_the_package_itself_has_keras(tmp_path: Path) -> None:
    """It is loaded at its first use, and finds this package as its TensorFlow."""
    folder = tmp_path / "keras" / "_tf_keras" / "keras"
    folder.mkdir(parents=True)
    (tmp_path / "keras" / "__init__.py").touch()
    (tmp_path / "keras" / "_tf_keras" / "__init__.py").touch()
    (folder / "__init__.py").write_text("import tensorflow\nadd = tensorflow.add\n")
    program = """
        import sys
        import graphwright as tf
        assert "tensorflow" not in sys.modules and "keras" not in tf.__all__
        assert tf.keras.add is tf.add and tf.keras is sys.modules["keras._tf_keras.keras"]
        """
    assert outcome(program, tmp_path) == (0, "", "")
    hidden = "import sys\nsys.modules['keras'] = None\nimport graphwright as tf\ntf.keras"
    code, _, errors = outcome(hidden, tmp_path)
    assert (code, "`pip install keras`" in errors) == (1, True)


def test_without_keras_the_optimizers_are_our_own(tmp_path: Path) -> None:
    hidden = "import sys\nsys.modules['keras'] = None\nimport tensorflow as tf, graphwright\n"
    program = hidden + "assert tf.optimizers.Adam is graphwright.optimizers.Adam"
    assert outcome(program, tmp_path, *RUN) == (0, "", "")


@pytest.mark.parametrize("command", [RUN, ("-m", "graphwright", "explain")])
def test_a_traceback_begins_with_the_program(command: tuple[str, ...], tmp_path: Path) -> None:
    """And no name like an absent one is guessed behind the sentence that says why it is absent."""
    program = "import tensorflow as tf\ntf.lite.Interpreter\n"
    code, _, errors = outcome(program, tmp_path, *command)
    shown = errors.splitlines()
    assert code == 1
    assert shown[0] == "Traceback (most recent call last):"
    assert shown[1].endswith("line 2, in <module>")
    assert sum(line.startswith('  File "') for line in shown) == 1
    assert "Did you mean" not in errors
    assert "give TensorFlow's converter the folder." in errors
    failing = """import tensorflow as tf
def stop():
    raise KeyboardInterrupt
tf.function(lambda: KIND)()
"""
    for kind, words in (("tf.Variable(1.0)", "ValueError: "), ("stop()", "KeyboardInterrupt")):
        _, _, errors = outcome(failing.replace("KIND", kind), tmp_path, *command)
        before, found, _ = errors.partition(words)
        assert found
        assert "graphwright" not in before


def test_arithmetic_with_a_gradient_that_is_none_names_the_line_that_got_it(tmp_path: Path) -> None:
    program = """import tensorflow as tf
x = tf.constant(2.0)
with tf.GradientTape() as tape:
    y = x * x
gradient = tape.gradient(y, x)
x - 0.1 * gradient
"""
    code, _, errors = outcome(program, tmp_path, *RUN)
    assert code == 1
    assert "unsupported operand" in errors
    last = errors.splitlines()[-1]
    assert "line 5, in <module>: a gradient is None there, since the tape saw no way" in last
    watched = program.replace("    y = x", "    tape.watch(x)\n    y = x")
    zero = program.replace("(y, x)", "(y, x, unconnected_gradients='zero')")
    for advised, result in ((watched, "1.6"), (zero, "2.0")):
        advised += "print(round(float(x - 0.1 * gradient), 3))"
        assert outcome(advised, tmp_path, *RUN) == (0, f"{result}\n", "")
    silent = "import tensorflow as tf\nNone + 1\n"
    assert "gradient" not in outcome(silent, tmp_path, *RUN)[2]


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    command = [sys.executable, *RUN, str(tmp_path / "none.py")]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(SRC)}, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "there is no file" in done.stderr
