"""Public names and nothing else: one file a namespace.

A module here is a namespace of the package (`api/math.py` is `tf.math`) unless it is one of
`AREAS`, which only contribute top-level names. `TOP_LEVEL` in either has the names that the package
itself exports. Those of `LATE` and `LATE_NAMES` are imported when a program first names them.
Functions and methods are published in a form whose errors name the refused call (`op.refusal`).
Composites and types of a program can give functions of ops a meaning (`op.dispatch`).
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any, NoReturn

from graphwright.base.errors import outermost
from graphwright.op.dispatch import opened
from graphwright.op.late_imports import late_module
from graphwright.op.refusal import boundaries, boundary, is_public

#: Modules that are no namespaces of their own.
AREAS = frozenset({"array", "control", "core", "native_library", "presence"})


#: Namespaces that their first use imports, and the top-level names that each has.
LATE: dict[str, tuple[str, ...]] = {
    "__internal__": (),
    "audio": (),
    "autodiff": (),
    "autograph": (),
    "bitwise": (),
    "compat": (),
    "config": (),
    "data": (),
    "distribute": (),
    "experimental": (),
    "explain": (),
    "graph_util": ("import_graph_def",),
    "image": (),
    "io": (),
    "linalg": ("matrix_square_root",),
    "lookup": (),
    "native_library": ("compile_library",),
    "nn": (),
    "onnx": (),
    "optimizers": (),
    "presence": ("install_as_tensorflow",),
    "profiler": (),
    "quantization": (),
    "ragged": (),
    "random": (
        "constant_initializer",
        "ones_initializer",
        "random_normal_initializer",
        "random_uniform_initializer",
        "zeros_initializer",
    ),
    "raw_ops": (),
    "saved_model": (),
    "sets": (),
    "signal": (),
    "sparse": (),
    "stablehlo": (),
    "strings": (),
    "summary": (),
    "sysconfig": (),
    "test": (),
    "train": (),
    "types": (),
}

#: Late namespaces that have the name of an internal package.
NAMESAKES = ("autodiff", "autograph", "data", "explain", "ragged", "types")

#: Modules that the first use of one of their top-level names imports.
LATE_NAMES: dict[str, tuple[str, ...]] = {
    "graphwright.control.jacobian": ("gradients", "hessians"),
    "graphwright.control.map": ("foldl", "foldr", "map_fn", "scan"),
    "graphwright.control.python_call": ("numpy_function", "py_function"),
    "graphwright.control.tensor_array": ("TensorArray", "TensorArraySpec"),
    "graphwright.control.vectorize": ("vectorized_map",),
    "graphwright.data.optional": ("OptionalSpec",),
    "graphwright.library.dispatch.gradient_registry": ("RegisterGradient", "no_gradient"),
    "graphwright.library.io.interchange": ("make_ndarray", "make_tensor_proto"),
    "graphwright.library.objects.critical_section": ("CriticalSection",),
    "graphwright.ops.core.space_blocks": (
        "batch_to_space",
        "required_space_to_batch_paddings",
        "space_to_batch",
        "space_to_batch_nd",
    ),
    "graphwright.ops.image.patches": ("extract_volume_patches",),
    "graphwright.ops.linalg.contraction": ("tensordot",),
    "graphwright.ops.linalg.decomposition": ("eig", "eigvals"),
    "graphwright.ops.linalg.einsum": ("einsum",),
    "graphwright.ops.linalg.norms": ("norm",),
    "graphwright.ops.random.index_shuffle": ("random_index_shuffle",),
    "graphwright.ops.sparse.ragged_rows": (
        "ragged_fill_empty_rows",
        "ragged_fill_empty_rows_grad",
    ),
    "graphwright.ops.strings.encoding": ("as_string", "fingerprint"),
    "graphwright.ops.strings.printing": ("print",),
    "graphwright.ragged.ragged_tensor": ("RaggedTensor",),
    "graphwright.ragged.spec": ("RaggedTensorSpec",),
    "graphwright.values.sparse.sparse_distance": ("edit_distance",),
}


def publish(package: dict[str, object]) -> list[str]:
    """Puts the namespaces and top-level names into the package; returns their names."""
    names = [*late_homes(), *late_modules()]
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        if info.name not in LATE:
            names += publish_namespace(package, info.name)
    for name in NAMESAKES:
        # Its first import would put the internal package in the place of the namespace.
        importlib.import_module(f"graphwright.{name}")
        del package[name]
    offered = sorted(set(names))
    package["__getattr__"] = first_use(package)
    package["__dir__"] = lambda: shown([*offered, "keras", "__version__"])
    return offered


def publish_namespace(package: dict[str, object], namespace: str) -> list[str]:
    """Imports a namespace, and puts it and its top-level names into the package."""
    names = []
    module = late_module(f"{__name__}.{namespace}")
    open_namespace(module)
    if namespace not in AREAS:
        package[namespace] = module
        names.append(namespace)
    for name in vars(module).get("TOP_LEVEL", ()):
        package[name] = getattr(module, name)
        name_publicly(package[name], name)
        names.append(name)
    return names


def late_homes() -> dict[str, str]:
    """The names of the package that come late, and the modules that have them."""
    namespaces = {namespace: namespace for namespace in LATE if namespace not in AREAS}
    return namespaces | {name: home for home, names in LATE.items() for name in names}


def late_modules() -> dict[str, str]:
    """The top-level names that come late by themselves, and the modules that have them."""
    return {name: module for module, names in LATE_NAMES.items() for name in names}


def first_use(package: dict[str, object]) -> Callable[[str], object]:
    """The `__getattr__` of the package, for names that come late."""
    homes, modules = late_homes(), late_modules()

    def find(name: str) -> object:
        if name in modules:
            package[name] = public(getattr(late_module(modules[name]), name))
            name_publicly(package[name], name)
        elif name in homes:
            publish_namespace(package, homes[name])
        elif name == "keras":
            package[name] = public_keras()
        else:
            raise lacking("graphwright", name)
        return package[name]

    return outermost(find)


def public_keras() -> ModuleType:
    """The installed Keras 3, from now on with this package as its TensorFlow."""
    finder = late_module("graphwright.library.presence.tensorflow_finder")
    keras: ModuleType = finder.keras()
    return keras


def late(
    namespace: str, homes: Mapping[str, Iterable[str]], inside: Iterable[str] = ()
) -> Callable[[str], Any]:
    """The `__getattr__` of a namespace for names of modules, which their first use imports.

    One that has another name in its module stands as `"inner as outer"`. The namespaces `inside` it
    come late too.
    """
    places: dict[str, tuple[str, str]] = {}
    for home, names in homes.items():
        for each in names:
            inner, _, outer = each.partition(" as ")
            places[outer or inner] = home, inner

    def find(name: str) -> Any:
        if name in inside:  # its import makes it an attribute
            module = late_module(f"{namespace}.{name}")
            open_namespace(module)
            return module
        if name not in places:
            raise lacking(namespace, name)
        home, inner = places[name]
        value = public(getattr(late_module(home), inner))
        name_publicly(value, f"{namespace.removeprefix(__name__ + '.')}.{name}")
        setattr(sys.modules[namespace], name, value)
        return value

    return outermost(find)


def late_or_same(namespace: str, homes: Mapping[str, Mapping[str, str]]) -> Callable[[str], Any]:
    """The `__getattr__` of a namespace of `tf.compat.v1`: for names of modules, which their first
    use imports, and for names that mean what they mean in TensorFlow 2."""
    path = namespace.partition(".compat.v1")[2].lstrip(".")
    places = {name: (home, title) for home, names in homes.items() for name, title in names.items()}

    def find(name: str) -> Any:
        if name in places:
            home, title = places[name]
            return public(getattr(late_module(home), title))
        if not name.startswith("_"):
            from graphwright.portable.classic.classic_names import same_name

            try:
                return same_name(path, name)
            except AttributeError:
                pass
        raise lacking(namespace, name)

    return outermost(find)


def lacking(namespace: str, name: str) -> AttributeError:
    """The error for a name that a namespace has not; for a name of TensorFlow's it says why."""
    from graphwright.library.presence.absent_names import absence, near_name

    title, module = namespace.replace(".api", "", 1), sys.modules[namespace]
    path = f"{title}.{name}".removeprefix("graphwright.")
    why = None if name.startswith("_") else absence(path)
    near = "" if why else near_name(path, dir(module))
    words = why or f"module {title!r} has no attribute {name!r}{near}"
    # Of what is absent Python need not guess the name.
    return AttributeError(words, name=name, obj=None if why or near else module)


def show_names(module: ModuleType) -> None:
    """Lets a namespace list its public names alone, and say why it lacks another one."""

    def find(name: str) -> NoReturn:
        raise lacking(module.__name__, name)

    vars(module).setdefault("__getattr__", outermost(find))
    vars(module).setdefault("__dir__", lambda: shown(vars(module).get("__all__", vars(module))))


def shown(names: Iterable[str]) -> list[str]:
    """The names that editors list: those without an underscore, and the version."""
    return sorted({name for name in names if not name.startswith("_") or name == "__version__"})


#: The packages of functions on tensors, which other types can give a meaning.
_OPS = ("graphwright.ops.", "graphwright.control.", "graphwright.values.sparse.")


def open_namespace(module: ModuleType) -> None:
    """Makes a namespace public, and those inside it: functions of ops get their open forms."""
    show_names(module)
    for name, value in list(vars(module).items()):
        if isinstance(value, ModuleType) and value.__name__.startswith(f"{module.__name__}."):
            open_namespace(value)
        elif not name.startswith("__"):
            published = public(value)
            setattr(module, name, published)
            if published is not value:
                name_publicly(published, f"{module.__name__.removeprefix(__name__ + '.')}.{name}")


def name_publicly(value: object, name: str) -> None:
    """Gives a public function the module and the name of its public place, as pickling needs.

    A top-level name stays where a namespace comes later that has the function too.
    """
    if not isinstance(value, FunctionType) or not is_public(value):
        return
    if value.__module__ != "graphwright" or "." in value.__qualname__ or "." not in name:
        value.__module__, value.__qualname__ = "graphwright", name


def public(value: object) -> Any:
    """The value of a name in its public form."""
    if isinstance(value, type):
        for kind in (*value.__mro__, *value.__subclasses__()):
            open_methods(kind)
    if not isinstance(value, FunctionType) or not value.__module__.startswith("graphwright."):
        return value
    return opened(value) if value.__module__.startswith(_OPS) else boundary(value)


@functools.cache
def open_methods(kind: type) -> None:
    """Gives the methods of a class of the package their public forms."""
    if kind.__module__.startswith("graphwright.") and not issubclass(kind, BaseException):
        boundaries(kind)
