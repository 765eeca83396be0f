"""Programs of TensorFlow 1 that write the file of a graph beside a checkpoint, and what is run of it.

`tools/record_meta_graphs.py` runs them in TensorFlow. Those of `PORTABLE` run in graphwright too.
Each returns the runs of the graph that is read: fetches, and what is fed, by names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: Names that are fetched, and values by names that are fed.
Run = tuple[list[str], dict[str, Any]]
Program = Callable[[Any, str], list[Run]]
PORTABLE: dict[str, Program] = {}
#: Those with what graphwright does not write: references, branches of Switch and Merge, parts.
OLDER: dict[str, Program] = {}

X = [[1.0, 2.0], [-0.5, 3.0], [0.25, -1.5]]


def portable(function: Program) -> Program:
    PORTABLE[function.__name__] = function
    return function


def older(function: Program) -> Program:
    OLDER[function.__name__] = function
    return function


@portable
def training(tf: Any, folder: str) -> list[Run]:
    """A small network in training, which goes on where the file is read."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        y = tf.placeholder(tf.float32, [None, 1], name="y")
        with tf.variable_scope("layer"):
            w = tf.get_variable(
                "w", initializer=tf.constant(np.array([[0.5], [-0.25]], np.float32))
            )
            b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        out = tf.tanh(tf.matmul(x, w) + b, name="out")
        loss = tf.reduce_mean(tf.square(out - y), name="loss")
        step = tf.train.get_or_create_global_step()
        train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, step, name="train")
        tf.add_to_collection("train_op", train)
        tf.add_to_collection("out", out)
        tf.add_to_collection("sizes", 3)
        tf.add_to_collection("names", "first")
        tf.add_to_collection("rates", 0.5)
        session.run(tf.global_variables_initializer())
        feeds = {"x:0": X, "y:0": [[0.5], [-0.5], [0.0]]}
        for _ in range(3):
            session.run(train, feeds)
        tf.train.Saver().save(session, folder + "/model")
    reads = ["out:0", "loss:0", "layer/w/Read/ReadVariableOp:0"]
    return [(reads, feeds), (["train"], feeds), (["train"], feeds), (reads, feeds)]


@portable
def modern_control(tf: Any, folder: str) -> list[Run]:
    """Branches and loops of TensorFlow 2, and an assignment."""
    modern = getattr(tf, "enable_control_flow_v2", None)  # graphwright has no other
    if modern is not None:
        modern()
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        w = tf.get_variable("w", initializer=tf.constant(2.0))
        y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * w, lambda: x - 1.0)
        tf.identity(y, name="y")
        z = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * w), [0, x])[1]
        tf.identity(z, name="z")
        tf.group(tf.assign_add(w, 0.5), name="more")
        session.run(tf.global_variables_initializer())
        tf.train.Saver({"other_name": w}).save(session, folder + "/model")
    if modern is not None:
        tf.disable_control_flow_v2()
    return [
        (["y:0", "z:0"], {"x:0": [1.0, 2.0]}),
        (["y:0"], {"x:0": [-1.0, 0.5]}),
        (["more"], {}),
        (["y:0", "w/Read/ReadVariableOp:0"], {"x:0": [1.0, 2.0]}),
    ]


@older
def references(tf: Any, folder: str) -> list[Run]:
    """Variables that are references, branches and loops of TensorFlow 1, summaries none."""
    tf.disable_resource_variables()
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", initializer=tf.constant([[1.0], [2.0]]))
        count = tf.get_variable("count", initializer=3, trainable=False)
        tf.identity(tf.cond(count > 4, lambda: tf.matmul(x, w), lambda: x[:, :1]), name="y")
        loop = tf.while_loop(lambda i, v: i < count, lambda i, v: (i + 1, v + w[0, 0]), [0, x])
        tf.identity(loop[1], name="z")
        loss = tf.reduce_sum(tf.square(tf.matmul(x, w)))
        train = tf.train.AdamOptimizer(0.1).minimize(loss, name="train")
        tf.add_to_collection("train_op", train)
        tf.assign_add(count, 2, name="more")
        session.run(tf.global_variables_initializer())
        session.run(train, {x: X})
        tf.train.Saver().save(session, folder + "/model", global_step=7)
    tf.enable_resource_variables()
    feeds = {"x:0": X}
    return [
        (["y:0", "z:0"], feeds), (["more"], {}), (["y:0", "z:0"], feeds), (["train"], feeds),
        (["w:0", "count:0", "w/Adam_1:0"], {}),
    ]  # fmt: skip


@older
def partitioned(tf: Any, folder: str) -> list[Run]:
    """A variable in parts, of which a checkpoint has the whole."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        cut = tf.fixed_size_partitioner(3)
        whole = tf.constant(np.arange(8, dtype=np.float32).reshape(4, 2))
        start = lambda shape, partition_info, **_: tf.slice(  # noqa: E731
            whole, partition_info.var_offset, shape)  # fmt: skip
        w = tf.get_variable("w", [4, 2], initializer=start, partitioner=cut)
        tf.matmul(x, tf.convert_to_tensor(w), name="y")
        session.run(tf.global_variables_initializer())
        tf.train.Saver(sharded=True).save(session, folder + "/model")
    return [(["y:0", "w/part_1/Read/ReadVariableOp:0"], {"x:0": [[1.0, 2.0, 3.0, 4.0]]})]


@older
def optimizers(tf: Any, folder: str) -> list[Run]:
    """Steps of optimizers, with gradients of whole variables and of rows."""
    makers: dict[str, Callable[[], Any]] = {
        "descent": lambda: tf.train.GradientDescentOptimizer(0.1),
        "nesterov": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        "adagrad": lambda: tf.train.AdagradOptimizer(0.3),
        "rms": lambda: tf.train.RMSPropOptimizer(0.05, momentum=0.5),
        "adam": lambda: tf.train.AdamOptimizer(0.05),
    }
    with tf.Graph().as_default(), tf.Session() as session:
        ids = tf.placeholder(tf.int32, [None], name="x")
        for name, maker in makers.items():
            w = tf.get_variable(f"{name}/w", initializer=tf.constant([0.5, -1.0]))
            rows = tf.get_variable(f"{name}/rows", initializer=tf.constant([[1.0], [2.0], [-0.5]]))
            some = tf.nn.embedding_lookup(rows, ids)
            loss = tf.reduce_sum(tf.square(w)) + tf.reduce_sum(some * some * w)
            maker().minimize(loss, name=f"{name}/train")
        session.run(tf.global_variables_initializer())
        session.run([f"{name}/train" for name in makers], {ids: [2, 0]})
        tf.train.Saver().save(session, folder + "/model")
    reads = [f"{name}/{v}/Read/ReadVariableOp:0" for name in makers for v in ("w", "rows")]
    steps = [f"{name}/train" for name in makers]
    feeds = {"x:0": [0, 2, 2]}
    return [(reads, feeds), (steps, feeds), (steps, {"x:0": [1]}), (reads, feeds)]
