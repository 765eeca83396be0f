"""Records the public names of TensorFlow: `python tools/record_public_names.py`, where 2.21 is.

Writes tests/golden/public_names.json: the names of every namespace but those of earlier versions
(`compat`) and of Keras. docs/api.md says which of them are not here. tests/golden/raw_ops.json has
the arguments of the raw ops, tests/golden/signatures.json those of all other functions and classes.
"""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import recording

tf = recording.tensorflow()

#: Namespaces whose names are not listed: they are names of their parent, or not public.
WHOLE = {"compat.v1", "compat.v2", "keras", "initializers", "losses", "metrics", "optimizers"}
PUBLIC = "/_api/v2/"  # in the path of every module that only publishes names


def walk(module: Any, path: str, found: dict[str, list[str]]) -> None:
    """Lists a namespace and those in it."""
    names = found[path] = []
    for name in sorted(n for n in dir(module) if not n.startswith("_")):
        full = f"{path}.{name}".lstrip(".")
        value = getattr(module, name)
        if isinstance(value, ModuleType) and full not in WHOLE:
            if PUBLIC in str(value.__file__):
                walk(value, full, found)
        else:
            names.append(name)


def raw_arguments() -> dict[str, str]:
    """The arguments of each raw op, with the defaults of those that have one."""
    result = {}
    for name in sorted(n for n in dir(tf.raw_ops) if not n.startswith("_")):
        parameters = inspect.signature(getattr(tf.raw_ops, name)).parameters.values()
        result[name] = ", ".join(
            p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters
        )
    return result


def signatures(names: dict[str, list[str]]) -> dict[str, str]:
    """The parameters of each public function and class, and their defaults."""
    result = {}
    for path, own in names.items():
        for name in own if path != "raw_ops" else ():
            value = tf
            for part in filter(None, [*path.split("."), name]):
                value = getattr(value, part)
            if callable(value):
                try:
                    parameters = inspect.signature(value).parameters.values()
                except (TypeError, ValueError):
                    continue
                result[f"{path}.{name}".lstrip(".")] = ", ".join(map(shown, parameters))
    return result


def shown(parameter: inspect.Parameter) -> str:
    """A parameter with its default, if that is written as it is read."""
    name = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(
        parameter.kind.name, ""
    ) + parameter.name
    default = parameter.default
    if default is parameter.empty:
        return name
    if isinstance(default, tf.DType):
        return f"{name}={default.name}"
    plain = isinstance(default, (bool, int, float, str, bytes, tuple, list, type(None)))
    return f"{name}={default!r}" if plain else f"{name}=..."


def main() -> None:
    """Write the three files."""
    result: dict[str, list[str]] = {}
    walk(tf, "", result)
    named = {path: " ".join(names) for path, names in result.items()}
    recording.write("public_names.json", named, sort_keys=True)
    recording.write("raw_ops.json", raw_arguments(), sort_keys=True)
    recording.write("signatures.json", signatures(result), sort_keys=True)
    print(f"{sum(map(len, result.values()))} names in {len(result)} namespaces")


if __name__ == "__main__":
    main()
