"""Programs of TensorFlow 1 as people write them; each returns what it prints.

They run with `tensorflow.compat.v1` and with `graphwright.compat.v1`, so `tf` is an argument.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

#: A program: it takes the namespace and an empty folder.
Program = Callable[[Any, str], list[Any]]

PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    """Adds a program to the table."""
    PROGRAMS[function.__name__] = function
    return function


def noise(*shape: int) -> Any:
    """Numbers that are the same everywhere."""
    return np.random.RandomState(0).randn(*shape).astype(np.float32)


def plain(value: Any) -> Any:
    """A result as JSON has it."""
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.decode() if isinstance(value, bytes) else value


@program
def classifier(tf: Any, folder: str) -> list[Any]:
    """Layers in scopes, dropout, Adam with a rate that decays."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 8])
        y = tf.placeholder(tf.int64, [None])
        keep = tf.placeholder_with_default(1.0, shape=())

        def layer(h: Any, size: int, name: str, act: Any = None) -> Any:
            values = np.linspace(-0.5, 0.5, int(h.shape[1]) * size)
            with tf.variable_scope(name):
                w = tf.get_variable(
                    "w", [h.shape[1], size], initializer=tf.constant_initializer(values)
                )
                b = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
                out = tf.matmul(h, w) + b
                return act(out) if act else out

        hidden = tf.nn.dropout(layer(x, 16, "h1", tf.nn.relu), keep_prob=keep)
        logits = layer(hidden, 3, "out")
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
        )
        right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
        step = tf.Variable(0, trainable=False, name="step")
        rate = tf.train.exponential_decay(0.05, step, 10, 0.9, staircase=True)
        train = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)
        feeds = {x: noise(90, 8), y: np.arange(90) % 3}
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
            session.run(tf.global_variables_initializer())
            for _ in range(20):
                _, last = session.run([train, loss], feed_dict=feeds)
            names = sorted(v.op.name for v in tf.global_variables())
            return [last, *session.run([right, step, rate], feeds), names, train.name]


@program
def checkpoints(tf: Any, folder: str) -> list[Any]:
    """A saver of one graph, and another one that restores a part of it."""
    path = os.path.join(folder, "m.ckpt")
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=tf.constant([1.0, 2.0, 3.0]))
        tf.get_variable("scope/w", [2], tf.float64, initializer=tf.ones_initializer())
        more, saver = v.assign(v + 1), tf.train.Saver(max_to_keep=2)
        session.run(tf.global_variables_initializer())
        for i in range(4):
            session.run(more.op)
            last = saver.save(session, path, global_step=i)
    files = sorted(name for name in os.listdir(folder) if not name.endswith(".meta"))
    results: list[Any] = [os.path.relpath(last, folder), files]
    with tf.Graph().as_default(), tf.Session() as session:
        v, u = tf.get_variable("v", [3]), tf.get_variable("u", [3])
        tf.train.Saver([v]).restore(session, tf.train.latest_checkpoint(folder))
        results += [session.run(v), v.eval()]
        for call in (
            lambda: tf.train.Saver().restore(session, last),
            lambda: session.run(u),
            lambda: tf.train.Saver([v]).restore(session, path + "-nothing"),
        ):
            try:
                call()
            except Exception as error:  # noqa: BLE001 - which class is what is compared
                results.append(type(error).__name__)
    return [*results, tf.train.list_variables(last)]


@program
def control(tf: Any, folder: str) -> list[Any]:
    """Assignments, groups and dependencies: what runs, and what does not."""
    results: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        mean = tf.Variable(0.0, trainable=False)
        count = tf.Variable(0, trainable=False)
        update = tf.assign(mean, mean * 0.9 + x * 0.1)
        counted = tf.assign_add(count, 1)
        with tf.control_dependencies([update, counted]):
            out = tf.identity(mean.read_value())
        both = tf.group(update, counted)
        with tf.control_dependencies([both]):
            train = tf.no_op(name="train")
            with tf.control_dependencies(None):
                free = tf.identity(mean.read_value())
        session.run(tf.global_variables_initializer())
        for i in range(3):
            results += [session.run(out, {x: i}), session.run(count)]
        results += [session.run(train, {x: 5.0}), *session.run([mean, count])]
        results += [session.run(free), session.run(count), train.name, train.type]
        return [*results, session.run(mean.assign_sub(1.0)), session.run(tf.tuple([mean + 1]))]


@program
def recurrence(tf: Any, folder: str) -> list[Any]:
    """A loop with arrays, whose gradients are clipped and applied."""
    with tf.Graph().as_default(), tf.Session() as session:
        xs = tf.placeholder(tf.float32, [5, 2, 3])
        w = tf.get_variable("W", [6, 3], initializer=tf.constant_initializer(0.1))
        inputs = tf.TensorArray(tf.float32, 5).unstack(xs)

        def body(t: Any, h: Any, out: Any) -> Any:
            h = tf.tanh(tf.matmul(tf.concat([inputs.read(t), h], 1), w))
            return t + 1, h, out.write(t, h)

        start = [tf.constant(0), tf.zeros([2, 3]), tf.TensorArray(tf.float32, 5)]
        _, _, out = tf.while_loop(lambda t, *_: t < 5, body, start)
        loss = tf.reduce_sum(out.stack() ** 2)
        slopes = tf.gradients(loss, [w, xs])
        clipped, norm = tf.clip_by_global_norm(slopes[:1], 1.0)
        train = tf.train.GradientDescentOptimizer(0.5).apply_gradients(zip(clipped, [w]))
        session.run(tf.global_variables_initializer())
        feeds, results = {xs: noise(5, 2, 3)}, []
        for _ in range(2):
            results += session.run([loss, norm], feeds)
            session.run(train, feeds)
        count = tf.while_loop(lambda i: i < 10, lambda i: i + 3, [tf.constant(0)])
        return [*results, session.run(w), session.run(slopes[1], feeds), session.run(count)]


@program
def scopes(tf: Any, folder: str) -> list[Any]:
    """Variables that are shared by name, collections, and what has no value yet."""
    results: list[Any] = []
    with tf.Graph().as_default() as graph:

        def net(x: Any) -> Any:
            penalty = lambda w: 0.1 * tf.reduce_sum(w * w)  # noqa: E731
            with tf.variable_scope("net", reuse=tf.AUTO_REUSE, regularizer=penalty):
                k = tf.get_variable("k", [2, 2], initializer=tf.ones_initializer())
                return tf.matmul(x, k)

        first, _ = net(tf.ones([1, 2])), net(tf.zeros([1, 2]))
        results.append(len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
        results.append([v.name for v in tf.global_variables("net")])
        with tf.variable_scope("outer"):
            with tf.variable_scope("inner"):
                z, other = tf.get_variable("z", []), tf.Variable(1.0, name="zz")
                results += [z.name, other.name, tf.get_variable_scope().name, (z + 1).name]
            for _ in range(2):
                with tf.variable_scope(None, "d") as scope:
                    results += [scope.name, tf.get_variable("q", []).name]
        with tf.variable_scope("outer", reuse=True):
            results.append(tf.get_variable("inner/z", []) is z)
        for name, shape, reuse in (("k", [2, 2], None), ("no", [2], True), ("k", [3], True)):
            try:
                with tf.variable_scope("net", reuse=reuse):
                    tf.get_variable(name, shape)
            except ValueError as error:
                results.append(str(error).partition(". ")[0].partition("\n")[0])
        with tf.variable_scope(scope, reuse=True):
            results.append(tf.get_variable("q", []).name)
        tf.add_to_collection("mine", first)
        results.append(graph.get_collection("mine")[0].name)
        with tf.Session() as session:
            results.append(sorted(session.run(tf.report_uninitialized_variables()).tolist()))
            session.run(tf.variables_initializer(tf.global_variables("net")))
            results += [session.run(first), session.run(tf.is_variable_initialized(z))]
    return results


@program
def frozen(tf: Any, folder: str) -> list[Any]:
    """A graph whose variables become constants, in a file, in another program."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="input")
        ids = tf.placeholder(tf.int32, [None], name="ids")
        w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="W")
        table = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2), name="E")
        y = tf.nn.softmax(tf.matmul(x, w) + tf.nn.embedding_lookup(table, ids), name="output")
        _ = y * tf.Variable(5.0, name="unused")
        session.run(tf.global_variables_initializer())
        session.run(w.assign([[1.0, 0.0], [0.0, 2.0]]))
        before = session.run(y, {x: [[1.0, 2.0]], ids: [1]})
        message = tf.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), ["output"]
        )
    constants = {node.name for node in message.node if node.op == "Const"}
    ops = {node.op for node in message.node}
    path = os.path.join(folder, "frozen.pb")
    with tf.gfile.GFile(path, "wb") as file:
        file.write(message.SerializeToString())
    read = tf.GraphDef()
    with tf.gfile.GFile(path, "rb") as file:
        read.ParseFromString(file.read())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(read, name="p")
        with tf.Session(graph=graph) as session:
            after = session.run("p/output:0", {"p/input:0": [[1.0, 2.0]], "p/ids:0": [1]})
    left = sorted(ops & {"VarHandleOp", "ReadVariableOp", "AssignVariableOp", "ResourceGather"})
    return [before, after, sorted(constants & {"W", "E", "unused"}), left]


@program
def pictures(tf: Any, folder: str) -> list[Any]:
    """A convolution whose running mean is updated by a collection of updates."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 8, 8, 1])
        labels = tf.placeholder(tf.float32, [None, 2])
        k = tf.Variable(tf.constant(0.1, shape=[3, 3, 1, 4]), name="k")
        b = tf.Variable(tf.zeros([4]))
        h = tf.nn.relu(tf.nn.conv2d(x, filter=k, strides=[1, 1, 1, 1], padding="SAME") + b)
        h = tf.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        mean, variance = tf.nn.moments(h, [0, 1, 2])
        running = tf.Variable(tf.zeros([4]), trainable=False)
        update = tf.assign(running, running * 0.9 + mean * 0.1)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        h = tf.nn.batch_normalization(h, mean, variance, None, None, 1e-3)
        weights = tf.constant(np.linspace(-0.1, 0.1, 128).reshape(64, 2), tf.float32)
        logits = tf.matmul(tf.reshape(h, [-1, 64]), tf.Variable(weights))
        loss = tf.losses.softmax_cross_entropy(labels, logits)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        feeds = {x: noise(6, 8, 8, 1), labels: np.eye(2, dtype=np.float32)[[0, 1, 1, 0, 1, 0]]}
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            _, last = session.run([train, loss], feeds)
        shapes = [tf.reduce_sum(k, reduction_indices=[0, 1]), tf.reduce_mean(k, keep_dims=True)]
        shown = [value.shape for value in session.run(shapes)]
        kind = graph.get_operation_by_name("k").type
        return [
            last,
            session.run(running),
            kind,
            *map(list, shown),
            tf.losses.get_total_loss().name,
        ]


@program
def words(tf: Any, folder: str) -> list[Any]:
    """Gradients of an embedding name rows: each optimizer does with them what it does."""
    results: list[Any] = []
    makers = {
        "descent": lambda: tf.train.GradientDescentOptimizer(1.0),
        "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
        "nesterov": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        "adam": lambda: tf.train.AdamOptimizer(0.1),
        "adagrad": lambda: tf.train.AdagradOptimizer(0.5),
        "rms": lambda: tf.train.RMSPropOptimizer(0.1),
        "centered": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
    }
    for name, make in makers.items():
        with tf.Graph().as_default(), tf.Session() as session:
            ids = tf.placeholder(tf.int32, [None])
            start = tf.constant_initializer(np.arange(10) / 10.0)
            table = tf.get_variable("E", [5, 2], initializer=start)
            dense = tf.get_variable("D", [2], initializer=tf.ones_initializer())
            loss = tf.reduce_sum((tf.nn.embedding_lookup(table, ids) * dense) ** 2)
            optimizer = make()
            pairs = optimizer.compute_gradients(loss)
            train = optimizer.apply_gradients(pairs)
            tf.global_variables_initializer().run()
            for chosen in ([1, 3, 1], [0], [1, 3, 1]):
                session.run(train, {ids: chosen})
            kinds = sorted(type(gradient).__name__ for gradient, _ in pairs)
            slots = sorted(v.name for v in optimizer.variables())
            results += [name, "IndexedSlices" in kinds, optimizer.get_slot_names(), slots]
            results += session.run([table, dense])
    return results


@program
def interactive(tf: Any, folder: str) -> list[Any]:
    """A session that is the default one, values that are fed inside, sparse tensors."""
    with tf.Graph().as_default():
        session = tf.InteractiveSession()
        a = tf.Variable(3.0)
        b = tf.Variable(a.initial_value * 2)
        tf.global_variables_initializer().run()
        results: list[Any] = [a.eval(), b.eval(), (a + b).eval()]
        a.load(10.0, session)
        results.append((a * b).eval())
        either = tf.cond(a > 5.0, lambda: a.assign(1.0), lambda: a.assign(100.0))
        results += [session.run(either), a.eval(), session.run(either), a.eval()]
        y = a * 2
        z = y + 1
        results.append(z.eval({y: 7.0}))
        rows = tf.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]])
        results += [session.run(rows), tf.constant("hi").eval(), tf.shape(tf.zeros([2, 3])).eval()]
        sparse = tf.sparse_placeholder(tf.float32)
        product = tf.sparse_tensor_dense_matmul(sparse, tf.ones([3, 1]))
        places, values = np.array([[0, 1], [1, 2]]), np.array([2.0, 3.0], np.float32)
        fed = tf.SparseTensorValue(places, values, [2, 3])
        results.append(session.run(product, {sparse: fed}))
        made = session.run(tf.SparseTensor([[0, 1]], [5.0], [1, 2]))
        results += [type(made).__name__, made.indices, made.values]
        results.append(session.make_callable(z, [y])(1.0))
        results += [tf.get_default_session() is session, tf.executing_eagerly()]
        try:
            z.eval({"nope:0": 1})
        except TypeError as error:
            results.append(type(error).__name__)
        session.close()
    return results


@program
def sessions(tf: Any, folder: str) -> list[Any]:
    """Graphs and sessions have values of their own; local variables, losses, rates."""
    first, second = tf.Graph(), tf.Graph()
    for graph in (first, second):
        with graph.as_default():
            v = tf.Variable(1.0, name="v")
            tf.identity(v * 2, name="o")
            tf.global_variables_initializer()
            v.assign_add(1.0, name="up")
    opened = [tf.Session(graph=graph) for graph in (first, first, second)]
    for session in opened:
        session.run("init")
    opened[0].run("up")
    opened[0].run("up")
    opened[2].run("up")
    results: list[Any] = [session.run("o:0") for session in opened]
    with first.as_default():
        kind = {"initializer": tf.zeros_initializer(), "dtype": tf.int32}
        hits = tf.get_local_variable("hits", [], **kind)
        results += [[v.name for v in tf.local_variables()], len(tf.global_variables())]
        run = opened[0].run
        run(tf.local_variables_initializer())
        results.append(run(hits.assign_add(2)))
        loss = tf.losses.mean_squared_error(tf.constant([1.0, 2.0]), tf.constant([2.0, 4.0]))
        logits = tf.constant([[1.0, 2.0], [0.5, -1.0]])
        others = [
            tf.losses.sparse_softmax_cross_entropy([0, 1], logits, weights=[1.0, 0.0]),
            tf.losses.softmax_cross_entropy([[1, 0], [0, 1]], logits, label_smoothing=0.1),
            tf.losses.sigmoid_cross_entropy([[1, 0], [0, 1]], logits, label_smoothing=0.1),
            tf.losses.absolute_difference([1.0, 2.0], [2.0, 4.0], reduction="weighted_sum"),
        ]
        results += run([loss, *others, tf.losses.get_total_loss()])
        with tf.name_scope("a"), tf.name_scope("b"):
            results.append(tf.constant(1, name="c").name)
        results += run([
            tf.train.piecewise_constant(tf.constant(7), [5, 10], [1.0, 0.5, 0.1]),
            tf.train.polynomial_decay(1.0, 5, 10, 0.0),
            tf.train.inverse_time_decay(1.0, 5, 10, 0.5),
            tf.train.natural_exp_decay(1.0, 5, 10, 0.5),
            tf.constant([1, 2], shape=[2, 3]),
            tf.to_float(tf.constant([1, 2])),
        ])  # fmt: skip
    opened[0].close()
    try:
        opened[0].run("o:0")
    except RuntimeError as error:
        results.append(str(error).partition("\n")[0])
    return results


@program
def pipelines(tf: Any, folder: str) -> list[Any]:
    """Batches that sessions take from datasets, each session from the first one on."""
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(6).batch(2)
        batch = tf.data.make_one_shot_iterator(dataset.repeat()).get_next()
        after = batch + 1
        again = tf.data.make_initializable_iterator(dataset.map(lambda x: x * 10))
        first, second = again.get_next(), again.get_next()
        total = tf.Variable(0, dtype=tf.int64)
        add = tf.assign_add(total, tf.reduce_sum(batch))
        results = []
        for _ in range(2):
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                results += [session.run([batch, after]), session.run(add), session.run(add)]
                for _ in range(2):
                    session.run(again.initializer)
                    results.append(sorted(int(x.sum()) for x in session.run([first, second])))
                try:
                    session.run([first, second])
                except tf.errors.OutOfRangeError:
                    results.append("no more")
        return [*results, [v.op.name for v in tf.global_variables()]]


@program
def slots(tf: Any, folder: str) -> list[Any]:
    """Names of what optimizers keep, made in scopes and outside of them."""
    results = []
    for kind, rest in (
        (tf.train.AdamOptimizer, ()),
        (tf.train.AdagradOptimizer, ()),
        (tf.train.MomentumOptimizer, (0.9,)),
        (tf.train.RMSPropOptimizer, ()),
    ):
        with tf.Graph().as_default():
            outer = tf.get_variable("outer", [2], use_resource=True)
            with tf.variable_scope("main"):
                inner = tf.get_variable("w", [2], use_resource=True)
                with tf.name_scope("step"):
                    optimizer = kind(0.1, *rest)
                    optimizer.minimize(tf.reduce_sum(inner * inner) + tf.reduce_sum(outer))
            with tf.name_scope("other"):
                kind(0.1, *rest).minimize(tf.reduce_sum(inner))
            results.append([v.name for v in tf.global_variables()])
    return results


@program
def former_names(tf: Any, folder: str) -> list[Any]:
    """Names that TensorFlow 2 has elsewhere, or not at all."""
    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.logging.info("not shown, %d", 1)
    path = os.path.join(folder, "records")
    with tf.python_io.TFRecordWriter(path) as writer:
        writer.write(b"a")
    results = [tf.gfile.Exists(path), tf.gfile.ListDirectory(folder), tf.logging.get_verbosity()]
    results += [
        list(tf.python_io.tf_record_iterator(path)),
        tf.train.checkpoint_exists(path + "-1"),
    ]
    tf.logging.set_verbosity(tf.logging.WARN)
    results += [tf.saved_model.tag_constants.SERVING]
    results += [tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [3, 2], initializer=tf.initializers.zeros(), use_resource=True)
        rows = [[1.0, 2.0], [3.0, 4.0]]
        update = tf.scatter_update(v, [0, 2], rows)
        changed = [tf.scatter_add(v, [1], rows[:1]), tf.scatter_sub(v, [2], rows[1:])]
        session.run(tf.initialize_all_variables())
        results += [session.run(update), *[session.run(change) for change in changed]]
        x = tf.nn.xw_plus_b(tf.constant(rows), tf.constant(rows), [0.5, 1.5])
        results += session.run([x, tf.div(7, -2), tf.div([7.0], 2.0), tf.floor_div(7, 2)])
        results.append(session.run(tf.case([(tf.less(1, 2), lambda: 3)], lambda: 4)))
    return results


@program
def former_arguments(tf: Any, folder: str) -> list[Any]:
    """Functions that take their arguments in another order, or by other names, than later on."""
    x = tf.constant(noise(2, 3))
    image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    kernel = tf.constant(noise(2, 2, 1, 1))
    dense = tf.constant([[0.0, 2.0], [3.0, 0.0]])
    sparse = tf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
    results = [
        tf.gather(x, [1, 0], None, "g", 1),
        tf.gather_nd(x, [[0, 1]], "g"),
        tf.shape(x, "s", tf.int64),
        tf.size(x, "s", tf.int64),
        tf.transpose(x, [1, 0], "t"),
        tf.pad(x, [[0, 0], [1, 0]], "CONSTANT", "p", 9.0),
        tf.argmax(x, dimension=1),
        tf.expand_dims(x, dim=0),
        tf.squeeze(tf.constant([[1.0]]), squeeze_dims=[0]),
        tf.reduce_sum(x, reduction_indices=[1], keep_dims=True),
        tf.count_nonzero(x, reduction_indices=0),
        tf.norm(x, axis=1, keep_dims=True),
        tf.boolean_mask(x, [True, False, True], "b", 1),
        tf.confusion_matrix([0, 1], [1, 1], 2, tf.int64),
        tf.reverse_sequence(x, [2, 3], seq_dim=1, batch_dim=0),
        tf.ones_like(tensor=x, optimize=False),
        tf.math.in_top_k([[0.1, 0.9], [0.8, 0.2]], [1, 1], 1),
        tf.nn.in_top_k([[0.1, 0.9], [0.8, 0.2]], [1, 1], 1),
        tf.nn.crelu(x, "c"),
        tf.nn.moments(x, [0], keep_dims=True),
        tf.nn.max_pool(value=image, ksize=2, strides=2, padding="VALID"),
        tf.nn.conv2d(image, filter=kernel, strides=[1, 1, 1, 1], padding="VALID"),
        tf.nn.conv2d_transpose(image, kernel, [1, 8, 8, 1], 2, "SAME", "NHWC", "t"),
        tf.nn.depthwise_conv2d(image, kernel, [1, 1, 1, 1], "VALID", [2, 2]),
        tf.nn.softmax(x, dim=0),
        tf.nn.weighted_cross_entropy_with_logits(targets=dense, logits=dense, pos_weight=2.0),
        tf.nn.depth_to_space(tf.reshape(tf.range(4.0), [1, 1, 1, 4]), 2, "d"),
        tf.nn.embedding_lookup([dense, dense + 10.0], [0, 1, 2, 3]),
        tf.nn.embedding_lookup([dense, dense + 10.0], [0, 1, 2, 3], "div"),
        tf.nn.embedding_lookup([dense, dense + 10.0], [[3, 1]], max_norm=1.0),
        tf.strings.length(["abc", "d"], "l"),
        tf.strings.substr(["abc"], 1, 1, "s"),
        tf.strings.reduce_join([["a", "b"]], 1, True, "-"),
        tf.strings.split(["a b", "c"]).indices,
        tf.strings.split("a b", result_type="RaggedTensor").values,
        tf.strings.to_number(string_tensor=["1.5"]),
        tf.sparse.reduce_sum(sparse, reduction_axes=[1], keep_dims=True),
        tf.sparse.add(sparse, sparse, thresh=5.0).values,
        tf.sparse.concat(concat_dim=1, sp_inputs=[sparse, sparse], axis=None).indices,
        tf.sparse.segment_sum(x, [0, 1], [0, 0], "s"),
        tf.decode_csv(["1,a"], [[0], [""]], ",", True, "c"),
        tf.decode_raw(bytes=["ab"], out_type=tf.uint8),
        tf.image.resize(image, [3, 6]),
        tf.image.resize(image, [2, 5], 1, True),
        tf.image.resize(image, [3, 3], "bicubic"),
        tf.image.resize(image, [3, 5], 3, preserve_aspect_ratio=True),
        tf.image.resize(tf.cast(image, tf.uint8), [4, 4]),
        tf.image.crop_and_resize(image, [[0.0, 0.0, 1.0, 0.5]], [0], [2, 2]),
    ]
    logits, labels = tf.constant([[1.0, 2.0]]), tf.constant([[0.25, 0.75]])
    for loss in (
        tf.nn.softmax_cross_entropy_with_logits, tf.nn.softmax_cross_entropy_with_logits_v2
    ):  # fmt: skip
        with tf.GradientTape() as tape:
            tape.watch([logits, labels])
            y = loss(labels=labels, logits=logits)
        slopes = tape.gradient(y, [logits, labels])
        results += [y, slopes[0], slopes[1] is None]
    try:
        tf.reduce_sum(x, axis=0, reduction_indices=0)
    except ValueError:
        results.append("not both")
    return [
        [part.numpy() for part in r] if isinstance(r, (list, tuple)) else
        r.numpy() if hasattr(r, "numpy") else r for r in results
    ]  # fmt: skip


@program
def averages(tf: Any, folder: str) -> list[Any]:
    """Moving averages of variables and tensors, and variables that a checkpoint gives them."""
    path = os.path.join(folder, "m.ckpt")
    results: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        with tf.variable_scope("layer"):
            w = tf.get_variable("w", initializer=tf.constant([1.0, 3.0]))
            loss = tf.multiply(x, 2.0, name="loss")
            inner = tf.train.ExponentialMovingAverage(0.9, name="avg")
            inside = inner.apply([loss])
        step = tf.train.get_or_create_global_step()
        ema = tf.train.ExponentialMovingAverage(0.99, num_updates=step)
        results.append(ema.average_name(w))
        with tf.control_dependencies([tf.assign_add(w, [1.0, -1.0]), tf.assign_add(step, 1)]):
            update = ema.apply()
        zero = tf.train.ExponentialMovingAverage(0.8, zero_debias=True, name="z")
        debiased = zero.apply([loss])
        session.run(tf.global_variables_initializer())
        for value in (1.0, 5.0, -2.0):
            session.run([update, inside, debiased], {x: value})
            fetched = [ema.average(w), inner.average(loss), zero.average(loss)]
            results += session.run(fetched, {x: value})
        results += [ema.name, ema.average(x), [v.op.name for v in tf.global_variables()]]
        results.append([v.op.name for v in tf.get_collection("moving_average_variables")])
        results.append(sorted(ema.variables_to_restore()))
        kept = session.run(ema.average(w))
        tf.train.Saver().save(session, path)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("layer/w", [2])
        names = tf.train.ExponentialMovingAverage(0.99).variables_to_restore([v])
        tf.train.Saver(names).restore(session, path)
        results += [list(names), np.array_equal(session.run(v), kept)]
    with tf.Graph().as_default():
        try:
            tf.train.ExponentialMovingAverage(0.5).apply([tf.Variable(1)])
        except TypeError as error:
            results.append(str(error).splitlines()[0])
    return results


@program
def pieces_and_values(tf: Any, folder: str) -> list[Any]:
    """Strings in pieces, and initializers with dtypes and too few values."""
    results: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as session:
        for text, options in (
            (["a b  c", "", " d"], {}),
            (["a b  c", "", " d"], {"skip_empty": False}),
            (["a,b;;c", ",", "d"], {"sep": ",;"}),
            (["a-]b^c"], {"delimiter": "]^-"}),
            (["ab", "", "c"], {"sep": ""}),
            (["ab", "", "c"], {"sep": "", "skip_empty": False}),
            (["a.b"], {"sep": "."}),
        ):
            parts = tf.string_split(text, **options)
            results.append(session.run([parts.indices, parts.values, parts.dense_shape]))
        ragged = tf.string_split(["a b", "c"], result_type="RaggedTensor")
        results += [session.run([ragged.values, ragged.row_splits])]
        for maker in (
            tf.constant_initializer([1, 2], tf.int64),
            tf.constant_initializer(3.5),
            tf.zeros_initializer(tf.float64),
            tf.ones_initializer(tf.int32),
            tf.initializers.constant(2, tf.float16),
        ):
            made, other = maker([3]), maker([2, 2], tf.float32)
            results += [made.dtype.name, session.run(made), other.dtype.name, session.run(other)]
        try:
            tf.constant_initializer([1, 2], verify_shape=True)([3])
        except TypeError as error:
            results.append(type(error).__name__)
    return results


@program
def metrics(tf: Any, folder: str) -> list[Any]:
    """Figures over batches in local variables, and what they are called."""
    results: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as session:
        labels = tf.placeholder(tf.int64, [None])
        made = tf.placeholder(tf.float32, [None, 1])
        real = tf.cast(labels, tf.float32)
        weights = tf.constant([1.0, 0.0, 2.0])
        keys = {"metrics_collections": "values", "updates_collections": ["updates", "other"]}
        pairs = [
            tf.metrics.mean(made, name="m"),
            tf.metrics.mean(made, weights[:, None]),
            tf.metrics.accuracy(labels, made, weights, **keys),
            tf.metrics.mean_absolute_error(real, made),
            tf.metrics.mean_squared_error(real, made, weights),
            tf.metrics.root_mean_squared_error(real, made),
        ]
        with tf.variable_scope("eval"):
            pairs += [
                tf.metrics.precision(labels, made, weights),
                tf.metrics.recall(labels, made, None, "values", "updates"),
            ]
        values, updates = [list(part) for part in zip(*pairs)]
        session.run(tf.local_variables_initializer())
        results += session.run(values)
        for y, x in (([1, 0, 1], [1, 1, 0]), ([0, 1, 1], [0, 1, 2])):
            results += session.run(updates, {labels: y, made: np.array(x)[:, None]})
        results += session.run(values)
        for key in ("metric_variables", "local_variables", "variables", "values", "updates"):
            results.append([item.name for item in tf.get_collection(key)])
    try:
        tf.metrics.accuracy([1], [1])
    except RuntimeError as error:
        results.append(str(error).splitlines()[0])
    return results


@program
def summaries(tf: Any, folder: str) -> list[Any]:
    """Messages for TensorBoard: their tags, names and values, in a file and in a graph's message."""
    results: list[Any] = []
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        tf.summary.scalar("loss", tf.reduce_sum(x))
        with tf.name_scope("net"):
            spread = tf.summary.histogram("w y", x, family="fam")
            small = tf.summary.scalar("a b", tf.constant(3), collections=["other"])
        whole = tf.summary.merge_all()
        some = tf.summary.merge([small, spread], ["merged"], "some")
        results += [whole.name, some.name, tf.summary.merge_all("nothing"), small.name]
        results.append([t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)])
        for row in np.array([[0.0, 0.5, 1.0], [-1.0, 0.0, 3.0], [0.0, np.nan, 2.0]], np.float32):
            tf.summary.image("i", np.tile(row.reshape(1, 1, 3, 1), [2, 1, 1, 1]), 1, ["images"])
        tf.summary.image("bytes", np.arange(24, dtype=np.uint8).reshape(2, 2, 2, 3), 5, ["images"])
        for image in tf.get_collection("images"):
            for value in tf.Summary.FromString(session.run(image)).value:
                pixels = tf.image.decode_png(value.image.encoded_image_string)
                size = value.image.height, value.image.width, value.image.colorspace
                results += [value.tag, size, session.run(pixels)]
        for values in ([0.0, 1.0, -2.0, 1e-13, 100.0], [], np.sin(np.arange(200.0)) * 30):
            for value in tf.Summary.FromString(session.run(whole, {x: values})).value:
                h = value.histo
                results += [value.tag, value.simple_value, [h.min, h.max, h.num, h.sum]]
                results += [h.sum_squares, list(h.bucket_limit), list(h.bucket)]
        for wrong in (lambda: session.run(spread, {x: [np.nan]}),
                      lambda: session.run(tf.summary.merge([small, small]))):  # fmt: skip
            try:
                wrong()
            except tf.errors.InvalidArgumentError as error:
                results.append(type(error).__name__)
        writer = tf.summary.FileWriter(os.path.join(folder, "logs"), graph, filename_suffix=".end")
        message = session.run(some, {x: [1.0]})
        writer.add_summary(message, 3)
        writer.add_summary(tf.Summary.FromString(message), global_step=4)
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="own", simple_value=2.0)]), 5)
        writer.close()
        ops = sorted({node.op for node in graph.as_graph_def().node} - {"Pack"})
        results += [ops, writer.get_logdir() == os.path.join(folder, "logs")]
        tf.train.export_meta_graph(os.path.join(folder, "g.meta"))
    (name,) = os.listdir(os.path.join(folder, "logs"))
    for event in tf.train.summary_iterator(os.path.join(folder, "logs", name)):
        tags = [value.tag for value in event.summary.value]
        results.append([event.WhichOneof("what"), event.step, tags])
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(os.path.join(folder, "g.meta"))
        again = tf.Summary.FromString(session.run("some/some:0", {"x:0": [1.0, 2.0]}))
        results += [[value.tag, value.histo.sum] for value in again.value]
    return [*results, name.endswith(".end")]
