"""An import finder that puts this package under the name `tensorflow`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from graphwright.base.errors import outermost
from graphwright.library.presence.absent_names import absence, near_name
from graphwright.library.presence.internal_places import PLACES

NAME = "tensorflow"

#: The release of TensorFlow whose behaviour the package has.
RELEASE = "2.21.0"

#: What names have under `tensorflow` instead of what they have here.
SUBSTITUTES = {
    NAME: {
        "__version__": RELEASE,
        "__file__": str(Path(__file__).parents[2] / "__init__.py"),  # programs print it
    },
    f"{NAME}.version": {"VERSION": RELEASE},
}

#: The classes that libraries know by their names and those of their modules, without an import.
CLASSES = frozenset(
    {
        "DatasetV2",
        "DistributedDataset",
        "ListWrapper",
        "RaggedTensor",
        "SparseTensor",
        "Tensor",
        "_DictWrapper",
    }
)

#: The packages whose modules are not public.
INTERNAL = frozenset({"compiler", "contrib", "core", "python"})

#: What is public of what modules of these have.
PUBLIC = {
    "array_ops": "tf",
    "attributes": "tf",
    "backprop": "tf.GradientTape",
    "constant_op": "tf.constant",
    "context": "tf.config and tf.executing_eagerly",
    "control_flow_ops": "tf.cond, tf.while_loop and tf.group",
    "data_flow_ops": "tf.dynamic_stitch and tf.dynamic_partition",
    "def_function": "tf.function",
    "dtypes": "tf.dtypes",
    "embedding_ops": "tf.nn.embedding_lookup",
    "errors": "tf.errors",
    "errors_impl": "tf.errors",
    "file_io": "tf.io.gfile",
    "function": "tf.function",
    "gen_array_ops": "tf.raw_ops",
    "gen_math_ops": "tf.raw_ops",
    "gen_nn_ops": "tf.raw_ops",
    "graph_util": "tf.compat.v1.graph_util",
    "init_ops": "tf.keras.initializers",
    "keras": "tf.keras",
    "layers": "tf.keras.layers",
    "linalg_ops": "tf.linalg",
    "logging_ops": "tf.print and tf.summary",
    "math_ops": "tf.math",
    "nest": "tf.nest",
    "nn": "tf.nn",
    "nn_ops": "tf.nn",
    "ops": "tf.Tensor, tf.Graph, tf.convert_to_tensor and tf.name_scope",
    "random_ops": "tf.random",
    "random_seed": "tf.random.set_seed",
    "resource_variable_ops": "tf.Variable",
    "saver": "tf.train.Checkpoint",
    "session": "tf.compat.v1.Session",
    "sparse_ops": "tf.sparse",
    "state_ops": "tf.Variable",
    "string_ops": "tf.strings",
    "summary": "tf.summary",
    "tensor_shape": "tf.TensorShape",
    "tensor_util": "tf.get_static_value and tf.make_ndarray",
    "test": "tf.test",
    "tf_export": "no decorator",
    "tf_logging": "tf.get_logger",
    "training": "tf.train",
    "variable_scope": "tf.compat.v1.variable_scope",
    "variables": "tf.Variable",
}

#: Where Keras 3 has its form for `tf.keras`, first, and all else.
KERAS = ("keras._tf_keras.keras", "keras")

#: What `tf` has of Keras under a name of its own, beside `tf.keras`.
OF_KERAS = frozenset({"initializers", "losses", "metrics", "optimizers"})


def install_as_tensorflow() -> None:
    """Makes `import tensorflow` give this package, for all that this process imports from now on.

    `tensorflow` and each namespace under it become modules with the names of this package, and
    `tensorflow.__version__` is the release whose behaviour they have. `tensorflow.keras` is the
    installed Keras 3, which is imported at its first use. A second call does nothing.

    `tf.Tensor`, `tf.SparseTensor`, `tf.RaggedTensor` and `tf.data.Dataset` say from now on that
    they are of modules of TensorFlow, since libraries ask for these modules by name.

    `python -m graphwright run PROGRAM` does so before it runs a program, and `import graphwright`
    does so where the environment has `GRAPHWRIGHT_AS_TENSORFLOW=1`.

    Raises:
        ImportError: The process has imported TensorFlow itself.

    A process stays so until it ends, so the example has one of its own.

    >>> import subprocess, sys
    >>> start = "import graphwright; graphwright.install_as_tensorflow()"
    >>> program = f"{start}; import tensorflow as tf; print(tf.add is graphwright.add)"
    >>> command = [sys.executable, "-c", program]
    >>> subprocess.run(command, capture_output=True, text=True).stdout
    'True\\n'
    """
    if any(isinstance(finder, Finder) for finder in sys.meta_path):
        return
    if NAME in sys.modules:
        place = getattr(sys.modules[NAME], "__file__", None) or "an unknown place"
        raise ImportError(
            f"graphwright cannot stand for tensorflow: tensorflow is imported already, from "
            f"{place}. Call graphwright.install_as_tensorflow() before anything imports it.",
            name=NAME,
        )
    sys.meta_path.insert(0, Finder())
    for path, names in PLACES.items():
        for name in CLASSES.intersection(names):
            known = attribute(names[name])
            known.__module__, known.__name__, known.__qualname__ = f"{NAME}.{path}", name, name


class Finder:
    """Finds `tensorflow` and the modules under it; no other."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """How to import a module; None where it is none of these, or there is no such module."""
        if name != NAME and not name.startswith(f"{NAME}."):
            return None
        keras = keras_home(name)
        if keras is not None:
            return ModuleSpec(name, KerasLoader(keras))
        namespace = source_of(name)
        if namespace is not None:
            return ModuleSpec(name, NamespaceLoader(namespace), is_package=True)
        package, _, module = name.removeprefix(f"{NAME}.").rpartition(".")
        if package.partition(".")[0] in INTERNAL and module in PUBLIC:
            # Without the name, as Python gives `from package import module` words of its own else.
            raise ModuleNotFoundError(internal_absence(name))
        return None


class StandIn:
    """Makes this package `tensorflow` once a program imports that and nobody else has it.

    It stands last among the finders.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """How to import `tensorflow`; None for other modules."""
        if name != NAME:
            return None
        sys.meta_path.remove(self)
        install_as_tensorflow()
        return find_spec(name)


class NamespaceLoader(Loader):
    """Makes a module whose names are those of a namespace, each looked up at its first use."""

    def __init__(self, namespace: ModuleType | Mapping[str, str]) -> None:
        self.namespace = namespace

    def create_module(self, spec: ModuleSpec) -> None:
        """None: Python makes the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Fills a module that is empty yet."""
        namespace, names = self.namespace, vars(module)
        attributes = SUBSTITUTES.get(module.__name__, {})
        if isinstance(namespace, ModuleType):
            offered = getattr(namespace, "__all__", ())
            names["__doc__"] = namespace.__doc__
        else:
            offered = tuple(namespace)
            names["__doc__"] = f"The names of `{module.__name__}` that libraries import."
        names["__all__"] = sorted(
            {*offered, *(name for name in attributes if not is_special(name))}
        )
        names["__getattr__"] = first_use(module, namespace)
        names["__dir__"] = lambda: sorted({*names, *names["__all__"]})
        names.update(attributes)


class KerasLoader(Loader):
    """Gives a module of the installed Keras, the very one that `import keras` gives."""

    def __init__(self, home: str) -> None:
        self.home = home

    def create_module(self, spec: ModuleSpec) -> None:
        """None: Python makes a module, in whose place Keras's comes."""

    def exec_module(self, module: ModuleType) -> None:
        """Puts Keras's module in the place of the new one."""
        sys.modules[module.__name__] = importlib.import_module(self.home)


def first_use(
    module: ModuleType, namespace: ModuleType | Mapping[str, str]
) -> Callable[[str], object]:
    """The `__getattr__` of a module: it looks a name up, and keeps the value in the module."""
    title = module.__name__

    def find(name: str) -> object:
        inner = f"{title}.{name}"
        if not is_special(name) or name == "__internal__":
            if exists(inner):
                return importlib.import_module(inner)
            if isinstance(namespace, ModuleType):
                value = getattr(namespace, name, module)
            else:
                value = attribute(namespace[name]) if name in namespace else module
            if value is not module:
                setattr(module, name, value)
                return value
        path = inner.removeprefix(f"{NAME}.")
        why = None if name.startswith("_") else absence(path)
        near = "" if why else near_name(path, dir(module))
        raise AttributeError(
            f"module {title!r} has no attribute {name!r}{near or f': {why or WITHOUT}'}",
            name=name,
            obj=None if why or near else module,  # of what is absent Python need not guess the name
        )

    return outermost(find)


WITHOUT = "graphwright, which stands for tensorflow in this process, does not have it"


def keras() -> ModuleType:
    """The installed Keras 3, for which this package stands for TensorFlow from now on."""
    require_keras()
    install_as_tensorflow()
    return importlib.import_module(f"{NAME}.keras")


def require_keras() -> None:
    """Raises an ImportError that says how to get Keras, where there is none."""
    if find_spec("keras") is None:
        raise ImportError(
            "tf.keras is Keras 3, which is not installed: `pip install keras`, and set "
            "KERAS_BACKEND=tensorflow.",
            name="keras",
        )


def internal_absence(name: str) -> str:
    """Why there is no module of a name that is not public in TensorFlow, and what to use."""
    public = PUBLIC[name.rpartition(".")[2]]
    return f"{name} is not public in TensorFlow: {WITHOUT}. Use {public} instead."


def keras_home(name: str) -> str | None:
    """The module of the installed Keras that a name of TensorFlow's means; None for other names."""
    path = name.removeprefix(f"{NAME}.")
    head, _, rest = path.partition(".")
    if head in OF_KERAS and (exists("keras") or not hasattr(sys.modules["graphwright"], head)):
        rest = path
    elif head != "keras":
        return None
    require_keras()
    for home in KERAS:
        place = f"{home}.{rest}" if rest else home
        if exists(place):
            return place
    return None


def exists(name: str) -> bool:
    """Whether there is a module of a name; imports the packages around it."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def source_of(name: str) -> ModuleType | Mapping[str, str] | None:
    """The namespace whose names a module under `tensorflow` has; None where there is none."""
    if name == NAME:
        return sys.modules["graphwright"]
    path = name.removeprefix(f"{NAME}.")
    if path in PLACES:
        return PLACES[path]
    if any(place.startswith(f"{path}.") for place in PLACES) and not is_public(path):
        return {}
    return namespace_at(path)


def is_public(path: str) -> bool:
    """Whether a path names a namespace of this package."""
    return namespace_at(path) is not None


def namespace_at(path: str) -> ModuleType | None:
    """The public namespace at a path from the package; None where there is none."""
    if path in ("compat.v2", "_api.v2"):
        return sys.modules["graphwright"]
    if path.partition(".")[0] in INTERNAL:
        return None
    namespace: Any = sys.modules["graphwright"]
    for name in path.split("."):
        namespace = getattr(namespace, name, None)
        if not isinstance(namespace, ModuleType) or name.startswith("_") != is_special(name):
            return None
    public = namespace.__name__.startswith("graphwright.api.")
    return namespace if public else None


def attribute(place: str) -> Any:
    """The value at "module:name", or at the path of a public name."""
    if ":" in place:
        module, _, name = place.partition(":")
        return getattr(importlib.import_module(module), name)
    value: Any = sys.modules["graphwright"]
    for name in place.split("."):
        value = getattr(value, name)
    return value


def is_special(name: str) -> bool:
    """Whether a name is one of Python's own."""
    return name.startswith("__") and name.endswith("__")
