"""Record small models that TensorFlow 1's builders write, with calls of them and their results.

Usage, in an environment with tensorflow 2.21:
    python tools/record_classic_models.py [NAME ...]
    python tools/record_classic_models.py --load FOLDER
    PYTHONPATH=src python tools/record_classic_models.py --write FOLDER    (where graphwright is)

Each becomes tests/golden/classic_models/NAME.zip: the folder that was written, and `calls.json`. It
has calls of signatures, and of functions that `prune` makes, with what TensorFlow 2 returned after
it had loaded the folder. A path `prune FEEDS FETCHES` has names of tensors between commas.

`--write` has graphwright's builder write them again, and `--load` has TensorFlow load these: the
exit status is 1 where a call of a signature gives something else.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import recording

if sys.argv[1:2] == ["--write"]:
    import graphwright as tf
else:
    tf = recording.tensorflow()

from support.saved_values import decoded, encoded, unlike

v1 = tf.compat.v1
FOLDER = recording.GOLDEN / "classic_models"

#: A call: the path of what is called, and its arguments by name, or in order.
Call = tuple[str, Any]
#: Writes a model into a folder, and returns the calls of it.
Recipe = Callable[[Path], list[Call]]


@contextmanager
def session(resources: bool = True, control_flow: bool = False) -> Iterator[Any]:
    """A graph and a session, with variables that are resources or not, and control flow of
    TensorFlow 2 or 1."""
    (v1.enable_resource_variables if resources else v1.disable_resource_variables)()
    (v1.enable_control_flow_v2 if control_flow else v1.disable_control_flow_v2)()
    with tf.Graph().as_default(), v1.Session() as opened:
        yield opened


def initialize(opened: Any) -> None:
    """Gives variables and tables their first values."""
    opened.run([v1.global_variables_initializer(), v1.tables_initializer()])


X = tf.constant([[1.0, 2.0], [-0.5, 3.0]])


def resources(folder: Path) -> list[Call]:
    """Variables that are resources."""
    with session() as opened:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        w = v1.get_variable("layer/w", initializer=[[1.0], [2.0]])
        b = v1.get_variable("layer/b", initializer=[0.5])
        y = tf.nn.tanh(tf.add(tf.matmul(x, w), b, name="raw"), name="y")
        initialize(opened)
        v1.saved_model.simple_save(opened, str(folder), {"features": x}, {"score": y})
    return [("serving_default", {"features": X}), ("prune x:0 raw:0", [X]),
            ("prune x:0 y:0,raw:0", [X]), ("prune raw:0 y:0", [X[:, :1]])]  # fmt: skip


def references(folder: Path) -> list[Call]:
    """Variables that are references, which a call changes."""
    with session(resources=False) as opened:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        w = v1.get_variable("w", initializer=[[1.0], [2.0]])
        count = v1.get_variable("count", initializer=3, trainable=False)
        rows = v1.get_variable("rows", initializer=tf.zeros([3, 2]))
        with tf.control_dependencies([v1.assign_add(count, 2)]):
            after = tf.identity(count.read_value(), name="after")
        with tf.control_dependencies([v1.scatter_add(rows, [0, 2], [[1.0, 2.0], [3.0, 4.0]])]):
            changed = tf.identity(rows.read_value(), name="changed")
        assigned = v1.assign(v1.get_variable("last", initializer=tf.zeros([2])), x[0], name="set")
        initialize(opened)
        v1.saved_model.simple_save(
            opened, str(folder), {"x": x},
            {"y": tf.matmul(x, w), "count": after, "rows": changed, "last": assigned + 1.0},
        )  # fmt: skip
    return [("serving_default", {"x": X}), ("serving_default", {"x": X})]


def branches_and_loops(folder: Path) -> list[Call]:
    """Branches and loops of TensorFlow 1, in each other."""
    with session() as opened:
        x = v1.placeholder(tf.float32, [None], name="x")
        n = v1.placeholder(tf.int32, [], name="n")
        w = v1.get_variable("w", initializer=2.0)

        def stepped() -> Any:
            def step(i: Any, v: Any) -> Any:
                even = tf.equal(i % 2, 0)
                return i + 1, v1.cond(even, lambda: v * w, lambda: v - 1.0)

            return v1.while_loop(lambda i, v: i < n, step, [0, x])[1]

        y, z = v1.cond(
            tf.reduce_sum(x) > 0.0,
            lambda: (v1.cond(n > 3, lambda: x * w, lambda: x + 1.0), n),
            lambda: (stepped(), n * 2),
        )
        cases = v1.case(
            [(n < 1, lambda: x), (n < 3, lambda: x * 10.0)], default=lambda: tf.zeros_like(x)
        )

        def nested(i: Any, total: Any) -> Any:
            inner = v1.while_loop(
                lambda j, q: j < i, lambda j, q: (j + 1, q + w * tf.cast(i, tf.float32)), [0, total]
            )
            return i + 1, inner[1]

        outer = v1.while_loop(lambda i, total: i < n, nested, [0, x])
        grown = v1.while_loop(
            lambda v: tf.size(v) < 7, lambda v: tf.concat([v, v], 0), [x],
            shape_invariants=[tf.TensorShape([None])],
        )  # fmt: skip
        checked = v1.Assert(n >= 0, [n])
        with tf.control_dependencies([checked]):
            last = tf.identity(n)
        initialize(opened)
        results = {"y": y, "z": z, "cases": cases, "outer": outer[1], "turns": outer[0],
                   "grown": grown, "n": last}  # fmt: skip
        v1.saved_model.simple_save(opened, str(folder), {"x": x, "n": n}, results)
    return [
        ("serving_default", {"x": tf.constant(x), "n": tf.constant(n)})
        for x in ([1.0, 2.0], [-1.0, -2.0])
        for n in (0, 2, 5)
    ]


def arrays(folder: Path) -> list[Call]:
    """Arrays of tensors in loops, as recurrent networks have them."""
    with session() as opened:
        x = v1.placeholder(tf.float32, [None, 4, 2], name="x")
        w = v1.get_variable("w", initializer=np.linspace(-1, 1, 12).reshape(4, 3).astype("f4")[:3])
        u = v1.get_variable("u", initializer=np.linspace(-1, 1, 6).reshape(2, 3).astype("f4"))
        steps = tf.transpose(x, [1, 0, 2])
        count = tf.shape(steps)[0]
        inputs = v1.TensorArray(tf.float32, count, element_shape=[None, 2]).unstack(steps)
        outputs = v1.TensorArray(tf.float32, count, element_shape=[None, 3])
        start = tf.zeros([tf.shape(x)[0], 3])

        def step(i: Any, state: Any, taken: Any) -> Any:
            state = tf.tanh(tf.matmul(inputs.read(i), u) + tf.matmul(state, w))
            return i + 1, state, taken.write(i, state)

        _, state, taken = v1.while_loop(lambda i, s, t: i < count, step, [0, start, outputs])
        grown = v1.TensorArray(tf.int32, 0, dynamic_size=True, infer_shape=False)
        _, grown = v1.while_loop(
            lambda i, t: i < 3, lambda i, t: (i + 1, t.write(i, tf.range(i))), [0, grown]
        )
        initialize(opened)
        v1.saved_model.simple_save(
            opened, str(folder), {"x": x},
            {"all": tf.transpose(taken.stack(), [1, 0, 2]), "last": state, "size": grown.size(),
             "joined": grown.concat()},
        )  # fmt: skip
    x = tf.constant(np.sin(np.arange(16)).reshape(2, 4, 2), tf.float32)
    return [("serving_default", {"x": x}), ("serving_default", {"x": x[:1] * 2})]


def tables(folder: Path) -> list[Call]:
    """Tables with a file and with constants, which are filled on load; two signatures."""
    words = folder.parent / "words.txt"
    words.write_text("a\nb\nc\n")
    with session() as opened:
        x = v1.placeholder(tf.string, [None], name="x")
        kinds = v1.lookup.TextFileIndex
        lines = v1.lookup.TextFileInitializer(
            str(words), tf.string, kinds.WHOLE_LINE, tf.int64, kinds.LINE_NUMBER
        )
        table = v1.lookup.StaticVocabularyTable(lines, 1)
        pairs = v1.lookup.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0])
        values = v1.lookup.StaticHashTable(pairs, -1.0)
        rows = v1.get_variable("rows", initializer=np.arange(8, dtype=np.float32).reshape(4, 2))
        ids = table.lookup(x)
        initialize(opened)
        builder = v1.saved_model.Builder(str(folder))
        predict = v1.saved_model.predict_signature_def(
            {"words": x}, {"rows": tf.gather(rows, ids), "values": values.lookup(x)}
        )
        classify = v1.saved_model.classification_signature_def(
            x, classes=tf.strings.join([x, x])[:, None], scores=tf.cast(ids, tf.float32)[:, None]
        )
        builder.add_meta_graph_and_variables(
            opened,
            [v1.saved_model.SERVING],
            signature_def_map={"serving_default": predict, "classify": classify},
            assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
            main_op=v1.tables_initializer(),
        )
        builder.save()
    x = tf.constant(["a", "c", "other"])
    return [("serving_default", {"words": x}), ("classify", {"inputs": x})]


def legacy(folder: Path) -> list[Call]:
    """What is filled on load by `legacy_init_op`, with a table whose ids are counted."""
    with session(resources=False) as opened:
        x = v1.placeholder(tf.string, [None], name="x")
        table = v1.lookup.index_table_from_tensor(["u", "v"]) if hasattr(
            v1.lookup, "index_table_from_tensor"
        ) else v1.lookup.StaticHashTable(
            v1.lookup.KeyValueTensorInitializer(
                tf.constant(["u", "v"]), tf.range(2, dtype=tf.int64)
            ), -1
        )  # fmt: skip
        scale = v1.get_variable("scale", initializer=2.5)
        y = tf.cast(table.lookup(x), tf.float32) * scale
        initialize(opened)
        builder = v1.saved_model.Builder(str(folder))
        signature = v1.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder.add_meta_graph_and_variables(
            opened, ["serve"], {"serving_default": signature},
            legacy_init_op=v1.tables_initializer(),
        )  # fmt: skip
        builder.save()
    return [("serving_default", {"x": tf.constant(["v", "u", "w"])})]


def partitioned(folder: Path) -> list[Call]:
    """A variable in parts."""
    with session(resources=False) as opened:
        x = v1.placeholder(tf.int64, [None], name="x")
        rows = v1.get_variable(
            "rows", shape=[10, 3], initializer=v1.random_normal_initializer(seed=1),
            partitioner=v1.fixed_size_partitioner(3),
        )  # fmt: skip
        y = v1.nn.embedding_lookup(rows, x, partition_strategy="div")
        initialize(opened)
        v1.saved_model.simple_save(opened, str(folder), {"x": x}, {"y": y})
    return [("serving_default", {"x": tf.constant([0, 4, 9, 3], tf.int64)})]


def examples(folder: Path) -> list[Call]:
    """As estimators export: serialized examples in, among the nodes of training."""
    with session(resources=False) as opened:
        serialized = v1.placeholder(tf.string, [None], name="input_example_tensor")
        features = v1.io.parse_example(
            serialized,
            {"x": v1.FixedLenFeature([2], tf.float32), "tags": v1.VarLenFeature(tf.string)},
        )
        global_step = v1.train.get_or_create_global_step()
        w = v1.get_variable("dense/kernel", initializer=[[0.5, -0.5], [1.0, 0.25]])
        logits = tf.matmul(features["x"], w)
        average = v1.train.ExponentialMovingAverage(0.9)
        loss = tf.reduce_mean(tf.square(logits))
        with tf.control_dependencies([v1.train.AdamOptimizer(0.1).minimize(loss, global_step)]):
            average.apply([w])
        scores = tf.nn.softmax(logits, name="scores")
        classes = tf.tile([["0", "1"]], [tf.shape(logits)[0], 1])
        initialize(opened)
        builder = v1.saved_model.Builder(str(folder))
        classify = v1.saved_model.classification_signature_def(serialized, classes, scores)
        predict = v1.saved_model.predict_signature_def(
            {"examples": serialized},
            {"logits": logits, "tags": tf.sparse.to_dense(features["tags"], "")},
        )
        regress = v1.saved_model.regression_signature_def(serialized, logits[:, 0])
        builder.add_meta_graph_and_variables(
            opened, ["serve"],
            {"serving_default": classify, "predict": predict, "regress": regress},
            main_op=v1.tables_initializer(),
        )  # fmt: skip
        builder.save()
    x = tf.constant([example([0.5, 2.0], [b"p"]), example([1.0, -1.0], [b"q", b"r"])])
    return [("serving_default", {"inputs": x}), ("predict", {"examples": x}),
            ("regress", {"inputs": x})]  # fmt: skip


def example(x: list[float], tags: list[bytes]) -> bytes:
    """A serialized example."""
    message = tf.train.Example()
    message.features.feature["x"].float_list.value.extend(x)
    message.features.feature["tags"].bytes_list.value.extend(tags)
    return bytes(message.SerializeToString())


def sparse(folder: Path) -> list[Call]:
    """A sparse argument and result."""
    with session() as opened:
        x = v1.sparse_placeholder(tf.float32, [None, 3], name="x")
        w = v1.get_variable("w", initializer=[[1.0], [2.0], [4.0]])
        y = tf.sparse.sparse_dense_matmul(x, w)
        initialize(opened)
        v1.saved_model.simple_save(
            opened,
            str(folder),
            {"x": x},
            {"y": y, "negative": tf.sparse.map_values(tf.negative, x)},
        )
    parts = {
        "x_indices": tf.constant([[0, 1], [1, 2]], tf.int64),
        "x_values": tf.constant([3.0, 0.5]),
        "x_dense_shape": tf.constant([2, 3], tf.int64),
    }
    return [("serving_default", parts)]


def images(folder: Path) -> list[Call]:
    """A network over images, with a default for a parameter, and functions of TensorFlow 2."""
    with session(control_flow=True) as opened:
        x = v1.placeholder(tf.float32, [None, 6, 6, 2], name="images")
        rate = v1.placeholder_with_default(tf.constant(0.5), [], name="rate")
        kernel = v1.get_variable(
            "kernel", initializer=np.cos(np.arange(54)).reshape(3, 3, 2, 3).astype(np.float32)
        )
        y = tf.nn.conv2d(x, kernel, 1, "SAME")
        ones, zeros = np.ones(3, np.float32), np.zeros(3, np.float32)
        scale = v1.get_variable("scale", initializer=ones * 2)
        y = v1.nn.fused_batch_norm(y, scale, zeros, ones, ones, is_training=False)[0]
        y = tf.nn.max_pool2d(tf.nn.relu(y), 2, 2, "VALID", name="pool")
        pick = v1.cond(rate > 0.25, lambda: tf.reduce_mean(y, [1, 2]), lambda: y[:, 0, 0])
        initialize(opened)
        v1.saved_model.simple_save(
            opened, str(folder), {"images": x}, {"pooled": tf.identity(pick, name="pick")}
        )
    x = tf.constant(np.sin(np.arange(72)).reshape(1, 6, 6, 2), tf.float32)
    return [("serving_default", {"images": x}), ("prune images:0 pool:0", [x]),
            ("prune images:0,rate:0 pick:0", [x, tf.constant(0.1)])]  # fmt: skip


def training(folder: Path) -> list[Call]:
    """Steps of optimizers, whose gradient has some rows of a variable, one of them twice."""
    optimizers = {
        "descent": v1.train.GradientDescentOptimizer(0.1),
        "momentum": v1.train.MomentumOptimizer(0.1, 0.9),
        "nesterov": v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        "adagrad": v1.train.AdagradOptimizer(0.1),
        "adam": v1.train.AdamOptimizer(0.1),
        "rms_prop": v1.train.RMSPropOptimizer(0.1, momentum=0.5),
    }
    with session() as opened:
        x = v1.placeholder(tf.int64, [None], name="x")
        results = {}
        for name, optimizer in optimizers.items():
            with v1.variable_scope(name):
                rows = v1.get_variable("rows", initializer=tf.reshape(tf.range(8.0), [4, 2]))
                w = v1.get_variable("w", initializer=[[0.5], [-0.25]])
                loss = tf.reduce_sum(tf.square(tf.matmul(v1.nn.embedding_lookup(rows, x), w)))
                with tf.control_dependencies([optimizer.minimize(loss)]):
                    results[f"{name}_rows"] = tf.identity(rows.read_value())
                    results[f"{name}_w"] = tf.identity(w.read_value())
        initialize(opened)
        v1.saved_model.simple_save(opened, str(folder), {"x": x}, results)
    call = ("serving_default", {"x": tf.constant([2, 0, 2], tf.int64)})
    return [call, call]


def repeated_rows(folder: Path) -> list[Call]:
    """Nodes of optimizers that get one row of a variable twice."""
    raw = tf.raw_ops
    with session() as opened:
        indices, grad = tf.constant([1, 0, 1]), tf.constant([[1.0, 2.0], [3.0, 4.0], [0.5, -6.0]])
        x = v1.placeholder(tf.float32, [], name="x")
        steps: dict[str, tuple[int, Callable[..., Any]]] = {
            "adagrad": (1, lambda var, accum: raw.ResourceSparseApplyAdagrad(
                var=var, accum=accum, lr=x, grad=grad, indices=indices)),
            "adagrad_v2": (1, lambda var, accum: raw.ResourceSparseApplyAdagradV2(
                var=var, accum=accum, lr=x, epsilon=0.1, grad=grad, indices=indices)),
            "momentum": (1, lambda var, accum: raw.ResourceSparseApplyMomentum(
                var=var, accum=accum, lr=x, grad=grad, indices=indices, momentum=0.9)),
            "nesterov": (1, lambda var, accum: raw.ResourceSparseApplyMomentum(
                var=var, accum=accum, lr=x, grad=grad, indices=indices, momentum=0.9,
                use_nesterov=True)),
            "rms_prop": (2, lambda var, ms, mom: raw.ResourceSparseApplyRMSProp(
                var=var, ms=ms, mom=mom, lr=x, rho=0.9, momentum=0.5, epsilon=0.1, grad=grad,
                indices=indices)),
        }  # fmt: skip
        results = {}
        for name, (slots, step) in steps.items():
            variables = [
                v1.get_variable(f"{name}_{i}", initializer=tf.ones([2, 2]) * (i + 0.5))
                for i in range(slots + 1)
            ]
            with tf.control_dependencies([step(*[v.handle for v in variables])]):
                for i, variable in enumerate(variables):
                    results[f"{name}_{i}"] = tf.identity(variable.read_value())
        initialize(opened)
        v1.saved_model.simple_save(opened, str(folder), {"x": x}, results)
    return [("serving_default", {"x": tf.constant(0.1)})]


RECIPES: list[Recipe] = [
    resources, references, branches_and_loops, arrays, tables, legacy, partitioned, examples,
    sparse, images, training, repeated_rows,
]  # fmt: skip


def record(recipe: Any) -> None:
    """Writes the file of one model."""
    with tempfile.TemporaryDirectory() as name:
        target = Path(name) / "model"
        calls = recipe(target)
        loaded = tf.saved_model.load(str(target))
        recorded = []
        for path, arguments in calls:
            if path.startswith("prune "):
                _, feeds, fetches = path.split(" ")
                function = loaded.prune(feeds.split(","), fetches.split(","))
                result = function(*arguments)
            else:
                result = loaded.signatures[path](**arguments)
            parts = {"arguments": arguments, "result": result}
            recorded.append({"path": path, **{k: encoded(tf, v) for k, v in parts.items()}})
        file = FOLDER / f"{recipe.__name__}.zip"
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(target.rglob("*")):
                if path.is_file():
                    entry = zipfile.ZipInfo(path.relative_to(target).as_posix())
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(entry, path.read_bytes())
            entry = zipfile.ZipInfo("calls.json")
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, json.dumps(recorded))
        print(f"{file.name}: {len(recorded)} calls, {file.stat().st_size} bytes")


def write(folder: Path) -> int:
    """Writes all models again by graphwright's builder, each beside its record."""
    from support.saved_models import CLASSIC, CLASSIC_NAMES, built_again, unpacked

    for name in CLASSIC_NAMES:
        built_again(unpacked(name, folder, CLASSIC), folder / name / "again")
    return 0


def load(folder: Path) -> int:
    """Has TensorFlow load what graphwright wrote; the exit status."""
    wrong = 0
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        model = tf.saved_model.load(str(place / "again"))
        differing = []
        for call in json.loads((place / "calls.json").read_text(encoding="utf-8")):
            if not call["path"].startswith("prune "):
                arguments, expected = [decoded(tf, call[k]) for k in ("arguments", "result")]
                made = model.signatures[call["path"]](**arguments)
                differing += list(unlike(tf, made, expected))
        print(place.name, differing or "as recorded")
        wrong += bool(differing)
    return int(wrong > 0)


def main() -> int:
    """Record all models, or those that are named; or write or load all."""
    if sys.argv[1:2] in (["--write"], ["--load"]):
        return (write if sys.argv[1] == "--write" else load)(Path(sys.argv[2]))
    FOLDER.mkdir(exist_ok=True)
    for recipe in RECIPES:
        if not sys.argv[1:] or recipe.__name__ in sys.argv[1:]:
            record(recipe)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
