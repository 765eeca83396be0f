"""Write docs/api.md: every public name with what it is, and TensorFlow's names that are not here.

    python tools/write_api_docs.py [--check]

The descriptions are the first lines of docstrings; TensorFlow's names are those recorded in
tests/golden/public_names.json, and `graphwright.library.presence.absent_names` says why one is not
here. --check writes nothing and fails (exit code 1) if the file is not what would be written.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import generated

FILE = ROOT / "docs" / "api.md"
RECORDED = ROOT / "tests" / "golden" / "public_names.json"

#: Why raw ops are not here that have no public function.
RAW = (
    "Raw ops that no op record here has: those of data sets, devices, queues, reading of files, "
    "training inside kernels, quantized arithmetic, and those of earlier versions that TensorFlow "
    "has no kernel of any more or that are of no use by themselves."
)


def namespaces() -> Iterator[tuple[str, ModuleType, list[str]]]:
    """The public namespaces: path, module, and their own names in order."""
    import graphwright

    def below(path: str, module: ModuleType) -> Iterator[tuple[str, ModuleType, list[str]]]:
        names = sorted(module.__all__)
        inner = [n for n in names if isinstance(getattr(module, n), ModuleType)]
        own = [n for n in names if n not in inner]
        if own:
            yield path, module, own
        for name in inner:
            child = getattr(module, name)
            if child.__name__.startswith("graphwright.api"):
                yield from below(f"{path}.{name}", child)

    yield from below("tf", graphwright)


def description(value: Any) -> str:
    """What a name stands for, in one line."""
    from graphwright.types.dtypes import DType

    if isinstance(value, DType):
        return f"The dtype {value.name}."
    if hasattr(value, "DESCRIPTOR"):
        return f"The protobuf message `{value.DESCRIPTOR.name}`, with TensorFlow's field numbers."
    if not (inspect.isclass(value) or callable(value)):
        return f"`{value!r}`"
    text = value.__dict__.get("__doc__") if inspect.isclass(value) else value.__doc__
    paragraph = re.split(r"\n\s*\n", (text or "").strip())[0]
    line = re.sub(r"\s+", " ", paragraph).replace("|", "\\|")
    return re.sub(r"(?<=[.:;]) .*", "", line) if len(line) > 120 else line


def missing() -> list[str]:
    """TensorFlow's names that are not here, in order."""
    import graphwright

    recorded = json.loads(RECORDED.read_text(encoding="utf-8")).items()
    names = [f"{path}.{name}".lstrip(".") for path, words in recorded for name in words.split()]
    return sorted(name for name in names if not exists(graphwright, name))


def absences() -> Iterator[tuple[str, list[str]]]:
    """The reasons why names are not here, and these names."""
    from graphwright.library.presence.absent_names import ABSENT

    for names, why, instead in ABSENT:
        yield f"{why} {instead}", sorted(names.split())
    yield RAW, [name for name in missing() if name.startswith("raw_ops.")]


def exists(package: Any, name: str) -> bool:
    """Whether the package has a public name."""
    if name in dir(package):  # the first use of some names changes the process
        return True
    value = package
    for part in name.split("."):
        value = getattr(value, part, None)
        if value is None:
            return name.endswith("newaxis")  # which is None
    return True


def heading(path: str) -> str:
    """The heading of a namespace, of which Markdown makes nothing bold.

    >>> print(heading("tf.__internal__"))
    ## tf.\\_\\_internal\\_\\_
    """
    return "## " + path.replace("__", r"\_\_")


def document() -> str:
    """The text of the file."""
    lines = [
        "# Public names", "",
        "Written by tools/write_api_docs.py. Names, arguments and behaviour are those of "
        "TensorFlow 2.21 unless a line says otherwise.", "",
    ]  # fmt: skip
    for path, module, names in namespaces():
        lines += [heading(path), ""]
        if path != "tf":
            lines += [str(module.__doc__).strip().splitlines()[0], ""]
        lines += [f"- `{name}`: {description(getattr(module, name))}" for name in names]
        lines.append("")
    lines += ["## Names of TensorFlow that are not here", ""]
    for reason, names in absences():
        shown = ", ".join(f"`{name}`" for name in names)
        lines += [f"**{reason}** ({len(names)}) {shown}", ""]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    return generated.main(__doc__, FILE, document, arguments)


if __name__ == "__main__":
    sys.exit(main())
