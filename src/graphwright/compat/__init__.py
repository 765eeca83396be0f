"""What `import graphwright.compat.v1 as tf` finds: the namespaces of `tf.compat`."""

import sys
from types import ModuleType

import graphwright


def place(path: str, namespace: ModuleType) -> None:
    """Lets imports of a path, and of those below it, give namespaces that are there already."""
    sys.modules[path] = namespace
    for name, value in vars(namespace).items():
        if isinstance(value, ModuleType) and value.__name__.startswith(f"{namespace.__name__}."):
            place(f"{path}.{name}", value)


place(__name__, graphwright.compat)
sys.modules[f"{__name__}.v2"] = graphwright
