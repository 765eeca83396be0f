"""Write docs/api.md: every public name with what it is, and TensorFlow's names that are not here.

    python tools/write_api_docs.py [--check]

The descriptions are the first lines of docstrings; TensorFlow's names are those recorded in
tests/golden/public_names.json, and `REASONS` below says why one is not here. --check writes nothing
and fails (exit code 1) if the file is not what would be written.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import generated

FILE = ROOT / "docs" / "api.md"
RECORDED = ROOT / "tests" / "golden" / "public_names.json"

#: Why a name is not here: the first pattern that matches the whole name says it.
REASONS = [
    (r"keras|initializers|losses|metrics|nn\.RNNCell.*",
     "Keras is a package of its own, which can run on this one."),
    (r"feature_column(\..*)?",
     "Columns of features, which TensorFlow keeps for old programs: Keras's preprocessing layers "
     "do the same."),
    (r"data(\..*)?|experimental\.Optional|OptionalSpec|queue\..*",
     "Data sets and queues: not written yet."),
    (r"saved_model(\..*)?|graph_util\..*|import_graph_def|io\.write_graph|train\..*|autodiff\..*",
     "Saving, loading and watching programs: not written yet."),
    (r"distribute(\..*)?|tpu(\..*)?|experimental\.dtensor\..*|types\.experimental\.distributed\..*"
     r"|config\.experimental_connect.*|config\.experimental\.ClusterDeviceFilters|DeviceSpec"
     r"|experimental\.async_.*|experimental\.function_executor_type|test\.experimental\..*"
     r"|profiler\.experimental\.(client|server)\..*",
     "There is one process with one CPU device: nothing to distribute to, no other to name."),
    (r"config(\..*)?|sysconfig\..*|version\..*|debugging\..*|xla\..*|mlir\..*|test\..*"
     r"|load_library|load_op_library|experimental\.(register_filesystem_plugin|enable_strict_mode)",
     "They configure, describe or test TensorFlow's own runtime, compilers and build."),
    (r"lite(\..*)?|experimental\.tensorrt\..*|quantization\.experimental\..*",
     "Converters to other runtimes."),
    (r"ragged(\..*)?|ragged_.*|experimental\.StructuredTensor|strings\..*",
     "Structures of ragged rows: not written yet."),
    (r"(image|io)\.decode_jxl", "No Python package that we depend on decodes JPEG XL."),
    (r"approx_top_k|conv2d_backprop_(filter|input)_v2|(i|r|ir)?fftnd|conv",
     "Raw ops that TensorFlow also publishes at the top: tf.math.approx_max_k, tf.nn.convolution "
     "and tf.signal.fftnd are the functions."),
    (r"image\.generate_bounding_box_proposals|check_pinned|nondifferentiable_batch_function",
     "TensorFlow itself has no kernel of it on a CPU, or serves other programs with it."),
    (r"compat\.v2", "It is the package itself."),
    (r"raw_ops\..*",
     "Raw ops that no op record here has: those of data sets, devices, queues, reading of files, "
     "training inside kernels, quantized arithmetic, and those of earlier versions that "
     "TensorFlow has no kernel of any more or that are of no use by themselves."),
    (r".*", "Not written yet."),
]  # fmt: skip


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


def missing() -> dict[str, list[str]]:
    """TensorFlow's names that are not here, by the reason."""
    import graphwright

    result: dict[str, list[str]] = defaultdict(list)
    for namespace, names in json.loads(RECORDED.read_text(encoding="utf-8")).items():
        for name in names.split():
            full = f"{namespace}.{name}".lstrip(".")
            if not exists(graphwright, full):
                reason = next(r for pattern, r in REASONS if re.fullmatch(pattern, full))
                result[reason].append(full)
    return result


def exists(package: Any, name: str) -> bool:
    """Whether the package has a public name."""
    value = package
    for part in name.split("."):
        value = getattr(value, part, None) if hasattr(value, part) else None
        if value is None:
            return name.endswith("newaxis")  # which is None
    return True


def document() -> str:
    """The text of the file."""
    lines = [
        "# Public names", "",
        "Written by tools/write_api_docs.py. Names, arguments and behaviour are those of "
        "TensorFlow 2.21 unless a line says otherwise.", "",
    ]  # fmt: skip
    for path, module, names in namespaces():
        lines += [f"## {path}", ""]
        if path != "tf":
            lines += [str(module.__doc__).strip().splitlines()[0], ""]
        lines += [f"- `{name}`: {description(getattr(module, name))}" for name in names]
        lines.append("")
    groups = missing()
    lines += ["## Names of TensorFlow that are not here", ""]
    for reason in dict.fromkeys(reason for _, reason in REASONS):
        if groups.get(reason):
            shown = ", ".join(f"`{name}`" for name in sorted(groups[reason]))
            lines += [f"**{reason}** ({len(groups[reason])}) {shown}", ""]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    return generated.main(__doc__, FILE, document, arguments)


if __name__ == "__main__":
    sys.exit(main())
