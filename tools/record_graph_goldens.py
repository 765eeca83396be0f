"""Have TensorFlow read and run graphs that were traced and exported here.

Usage, in an environment with tensorflow 2.21 and graphwright's dependencies:
    PYTHONPATH=src python tools/record_graph_goldens.py

For every program of tests/corpora/graphs.py the exported bytes are given to TensorFlow, which
runs them; bytes and results are kept. Also recorded: the signatures of all TensorFlow's ops,
what arrays are as messages, and the names of nodes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import recording

tf = recording.tensorflow()

from corpora import graphs, node_names
from tensorflow.python.framework import op_def_registry


def run(exported: graphs.Exported) -> tuple[list[Any], list[Any]]:
    """The results of an exported graph and its variables' last values, as TensorFlow has them."""
    graph = tf.compat.v1.GraphDef.FromString(exported.message)
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph, name=""), [])
    variables = [tf.Variable(value) for value in exported.variables]
    element = wrapped.graph.as_graph_element
    function = wrapped.prune(
        [element(n) for n in exported.inputs], [element(n) for n in exported.outputs]
    )
    feeds = [tf.constant(value) for value in exported.arguments]
    results = function(*feeds, *[v.handle for v in variables])
    return [plain(r.numpy()) for r in results], [plain(v.numpy()) for v in variables]


def plain(array: Any) -> Any:
    """An array as JSON has it."""
    return graphs.plain(np.asarray(array))


def signatures() -> dict[str, list[Any]]:
    """The names of inputs and outputs, and the types of attributes, of every op."""
    result = {}
    for name in sorted(dir(tf.raw_ops)):
        op = op_def_registry.get(name)
        if op is not None:
            result[name] = [
                " ".join(argument.name for argument in op.input_arg),
                " ".join(argument.name for argument in op.output_arg),
                {
                    a.name: a.type + ("" if a.HasField("default_value") else " required")
                    for a in op.attr
                },
            ]
    return result


def messages() -> dict[str, str]:
    """The bytes of TensorFlow's messages of the corpus' arrays."""
    result = {}
    for dtype, value in graphs.ARRAYS:
        array = np.array(value, tf.as_dtype(dtype).as_numpy_dtype)
        result[f"{dtype} {value}"] = tf.make_tensor_proto(array).SerializeToString().hex()
    return result


def main() -> None:
    """Write the golden files."""
    recording.write("op_signatures.json", signatures())
    recording.write("tensor_protos.json", messages())
    named = {e: node_names.names(tf, e, s) for e, s in node_names.expressions().items()}
    recording.write("node_names.json", named)
    outcomes = {}
    for name, program in graphs.PROGRAMS.items():
        exported = graphs.export(program)
        outcomes[name] = run(exported)
        (recording.GOLDEN / f"graph_{name}.pb").write_bytes(exported.message)
        print(f"{name}: {len(exported.message)} bytes, TensorFlow gives {outcomes[name]}")
    recording.write("graph_results.json", outcomes)


if __name__ == "__main__":
    main()
