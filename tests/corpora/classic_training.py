"""Programs of TensorFlow 1 whose sessions are watched by hooks; each returns what it prints.

They are in the table of `corpora.classic_programs`, and run as those do.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from corpora.classic_programs import PROGRAMS, program

__all__ = ["PROGRAMS"]


def refused(*calls: Callable[[], Any]) -> list[str]:
    """The classes of the errors that calls raise."""
    names = []
    for call in calls:
        try:
            call()
            names.append("nothing")
        except Exception as error:  # noqa: BLE001 - which class is what is compared
            names.append(type(error).__name__)
    return names


class LogLines(logging.Handler):
    """What is logged, without times."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage().partition(" (")[0])


def witness(tf: Any, lines: list[Any], name: str, fetch: Callable[[], Any] | None = None) -> Any:
    """A hook that notes when it is called, and fetches something for itself."""

    class Witness(tf.train.SessionRunHook):
        def begin(self) -> None:
            lines.append(f"{name} begin")
            self.fetch = fetch() if fetch else None

        def after_create_session(self, session: Any, coord: Any) -> None:
            lines.append(f"{name} created {session.graph.finalized} {coord.should_stop()}")

        def before_run(self, run_context: Any) -> Any:
            asked = run_context.original_args
            lines.append(f"{name} before {asked.feed_dict is None} {run_context.stop_requested}")
            return None if self.fetch is None else tf.train.SessionRunArgs(self.fetch)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            results = run_values.results
            lines.append([f"{name} after", None if results is None else int(results["step"])])

        def end(self, session: Any) -> None:
            lines.append(f"{name} end {session.run(tf.train.get_global_step(session.graph))}")

    return Witness()


@program
def monitored_training(tf: Any, folder: str) -> list[Any]:
    """A session with checkpoints, that ends at a step, and another one that goes on."""
    lines: list[Any] = []
    logged, path = LogLines(), os.path.join(folder, "run")
    logger = tf.get_logger()
    level = logger.level
    logger.addHandler(logged)
    logger.setLevel("INFO")
    for last in (4, 7):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [], name="x")
            w = tf.get_variable("w", [], initializer=tf.ones_initializer())
            step = tf.train.get_or_create_global_step()
            loss = tf.identity((w - x) ** 2, name="loss")
            train = tf.train.GradientDescentOptimizer(0.25).minimize(loss, step)
            tf.summary.scalar("loss", loss)
            hooks = [
                tf.train.StopAtStepHook(last_step=last),
                tf.train.LoggingTensorHook(
                    {"loss": loss}, every_n_iter=2,
                    formatter=lambda values: f"loss: {values['loss']:.4f}",
                ),
                witness(tf, lines, "one", lambda: {"step": tf.constant(7)}),
                witness(tf, lines, "two"),
            ]  # fmt: skip
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=path, hooks=hooks, save_checkpoint_steps=2, save_summaries_steps=2,
                log_step_count_steps=None,
            ) as session:  # fmt: skip
                lines.append(type(session.graph).__name__)
                while not session.should_stop():
                    if lines[-1] != "Graph":
                        lines.append(session.run(step, {x: 3.0}))
                    session.run([train], {x: 3.0})
                    lines.append(len(lines))
            lines += refused(lambda s=session: s.run(1), lambda: tf.constant(1.0))
    tf.summary.FileWriterCache.clear()
    logger.removeHandler(logged)
    logger.setLevel(level)
    lines += [line for line in logged.lines if ":" in line and "From" not in line]
    names = sorted(name for name in os.listdir(path) if "events" not in name)
    lines += [names, tf.train.latest_checkpoint(path) == os.path.join(path, names[-1][:-5])]
    for name in sorted(name for name in os.listdir(path) if "events" in name):
        for event in tf.train.summary_iterator(os.path.join(path, name)):
            tags = [value.tag for value in event.summary.value]
            if tags or event.HasField("session_log"):
                lines.append([event.step, tags, event.session_log.status])
    return lines


@program
def common_hooks(tf: Any, folder: str) -> list[Any]:
    """What the hooks of TensorFlow do by themselves."""
    results: list[Any] = []

    class Listener(tf.train.CheckpointSaverListener):
        def begin(self) -> None:
            results.append("begin")

        def before_save(self, session: Any, global_step_value: int) -> None:
            results.append(f"before {global_step_value}")

        def after_save(self, session: Any, global_step_value: int) -> bool | None:
            results.append(f"after {global_step_value}")
            return True if global_step_value == 6 else None

        def end(self, session: Any, global_step_value: int) -> None:
            results.append(f"end {global_step_value}")

    def steps(make: Callable[[Any, Any], list[Any]], count: int = 8) -> Any:
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            more = tf.assign_add(step, 1)
            value = tf.log(4.0 - tf.cast(more, tf.float32))
            hooks = make(step, value)
            with tf.train.SingularMonitoredSession(hooks=hooks) as session:
                done = 0
                while not session.should_stop() and done < count:
                    done = int(session.run([more, value])[0])
            results.append(done)
        return hooks

    steps(lambda step, value: [tf.train.StopAtStepHook(num_steps=3)])
    for fails in (True, False):
        results += refused(lambda f=fails: steps(lambda _, v: [tf.train.NanTensorHook(v, f)]))
    (final,) = steps(
        lambda step, value: [tf.train.FinalOpsHook({"step": step, "twice": step * 2})], 2
    )
    results += [final.final_ops_values["step"], final.final_ops_values["twice"]]
    saves = os.path.join(folder, "saves")
    steps(
        lambda step, value: [
            tf.train.CheckpointSaverHook(
                saves, save_steps=2, checkpoint_basename="own.ckpt", listeners=[Listener()]
            )
        ],
    )
    results.append(sorted(n for n in os.listdir(saves) if n.endswith(".index")))
    logs = os.path.join(folder, "logs")

    def writing(step: Any, value: Any) -> list[Any]:
        made = tf.summary.scalar("value", value)
        return [
            tf.train.SummarySaverHook(3, output_dir=logs, summary_op=made),
            tf.train.StepCounterHook(every_n_steps=2, output_dir=logs),
        ]

    steps(writing, 7)
    tf.summary.FileWriterCache.clear()
    (name,) = os.listdir(logs)
    for event in tf.train.summary_iterator(os.path.join(logs, name)):
        for value in event.summary.value:
            results.append([event.step, value.tag, value.tag == "global_step/sec"])
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        feed = tf.train.FeedFnHook(lambda: {x: 2.0})
        with tf.train.MonitoredSession(hooks=[feed]) as session:
            results += [session.run(x), session.run({"x": x})["x"]]
    timer = tf.train.SecondOrStepTimer(every_steps=3)
    results += [timer.last_triggered_step(), timer.should_trigger_for_step(2)]
    results += [timer.update_last_triggered_step(2)[1], timer.last_triggered_step()]
    results += [[timer.should_trigger_for_step(n) for n in (2, 4, 5)]]
    seconds, count = timer.update_last_triggered_step(6)
    timer.reset()
    results += [seconds >= 0, count, timer.last_triggered_step()]
    train = tf.train
    return results + refused(
        lambda: train.SecondOrStepTimer(),
        lambda: train.SecondOrStepTimer(1.0, 1),
        lambda: train.StopAtStepHook(),
        lambda: train.StopAtStepHook(1, 2),
        lambda: train.LoggingTensorHook(["x"]),
        lambda: train.LoggingTensorHook(["x"], every_n_iter=0),
        lambda: train.SummarySaverHook(1),
        lambda: train.CheckpointSaverHook(folder, saver=object(), scaffold=object()),
        lambda: steps(lambda step, value: [train.NanTensorHook("nothing:0")]),
    )


@program
def scaffolds(tf: Any, folder: str) -> list[Any]:
    """How a session becomes ready: initializers, checkpoints, and what is run on the way."""
    results: list[Any] = []
    with tf.Graph().as_default() as graph:
        size = tf.placeholder(tf.float32, [])
        w = tf.Variable(size, name="w")
        local = tf.Variable(5.0, trainable=False, collections=["local_variables"], name="local")
        w2 = tf.Variable(2.0, name="later")
        scaffold = tf.train.Scaffold(
            init_op=tf.variables_initializer([w]),
            init_feed_dict={size: 7.0},
            init_fn=lambda scaffold, session: session.run(w2.initializer),
        )
        creator = tf.train.ChiefSessionCreator(scaffold)
        with tf.train.MonitoredSession(creator) as session:
            results += session.run([w, local, w2])
            results += [graph.finalized, session.should_stop()]
            results += [session.run_step_fn(lambda step_context: step_context.session.run(w))]

            def stops(step_context: Any) -> Any:
                value = step_context.run_with_hooks(w)
                step_context.request_stop()
                return value

            results += refused(lambda: session.run_step_fn(stops), lambda: session.run_step_fn(3),
                               lambda: session.run_step_fn(lambda wrong: 1))  # fmt: skip
            results += [session.should_stop()]
        results += [scaffold.saver is not None, scaffold.init_op.name, scaffold.ready_op.name]
        results += [scaffold.ready_for_local_init_op.name, scaffold.local_init_op.name]
        results += [scaffold.summary_op is None, len(tf.get_collection("savers"))]
    with tf.Graph().as_default():
        tf.Variable(1.0, name="w")
        tf.train.create_global_step()
        nothing = tf.no_op()
        results += refused(
            lambda: tf.train.MonitoredSession(
                tf.train.ChiefSessionCreator(tf.train.Scaffold(init_op=nothing))
            )
        )
    with tf.Graph().as_default():
        w = tf.Variable(1.0, name="w")
        tf.train.create_global_step()
        with tf.train.MonitoredTrainingSession() as session:
            results.append(session.run(w))
            raw: list[Any] = []
            session.run_step_fn(lambda step_context: raw.append(step_context.session))
            results.append(isinstance(raw[0], tf.Session))
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="v")
        step = tf.train.get_or_create_global_step()
        more, counted = tf.assign_add(v, 1.0), tf.assign_add(step, 1)
        for number in range(2):
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=os.path.join(folder, "m"), save_checkpoint_secs=None,
                save_checkpoint_steps=10, log_step_count_steps=None, save_summaries_steps=None,
                save_summaries_secs=None,
            ) as session:  # fmt: skip
                results += [session.run([v, step])]
                session.run([more, counted])
            results.append(number)
    tf.summary.FileWriterCache.clear()
    with tf.Graph().as_default():
        u = tf.Variable(0.0, name="v")
        saver = tf.train.Saver([u])
        scaffold = tf.train.Scaffold(saver=saver)
        path = tf.train.latest_checkpoint(os.path.join(folder, "m"))
        creator = tf.train.ChiefSessionCreator(scaffold, checkpoint_filename_with_path=path)
        with tf.train.SingularMonitoredSession(scaffold=tf.train.Scaffold(saver=saver),
                                               checkpoint_filename_with_path=path) as session:  # fmt: skip
            results += [session.run(u), session.raw_session().run(u)]
        with tf.train.MonitoredSession(creator) as session:
            results.append(session.run(u))
    return results


@program
def failing_hooks(tf: Any, folder: str) -> list[Any]:
    """Errors in steps and in hooks: who is told, and what comes out."""
    lines: list[Any] = []
    for error in (ValueError, StopIteration, tf.errors.OutOfRangeError):
        with tf.Graph().as_default():
            step = tf.train.create_global_step()
            hook = witness(tf, lines, error.__name__)

            def fails(hook: Any = hook, error: Any = error, step: Any = step) -> None:
                with tf.train.MonitoredSession(hooks=[hook]) as session:
                    session.run(step)
                    raise error(None, None, "x") if issubclass(error, tf.OpError) else error("x")

            lines += refused(fails)
    with tf.Graph().as_default():
        step = tf.train.create_global_step()
        x = tf.placeholder(tf.float32, [])
        other = type("Feeding", (tf.train.SessionRunHook,), {
            "before_run": lambda self, c: tf.train.SessionRunArgs(x, {x: 1.0})
        })  # fmt: skip
        lines += refused(lambda: tf.train.MonitoredSession(hooks=[other(), other()]).run(x))
        session = tf.train.MonitoredSession(hooks=[other()])
        lines += refused(lambda: session.run(x, {x: 2.0}))
        lines += [session.run(step)]
        session.close()
        lines += [session.should_stop(), *refused(lambda: session.run(step), session.close)]
    with tf.Graph().as_default():
        lines += refused(lambda: tf.train.MonitoredSession(hooks=[3]).run(1))
    return lines


@program
def coordinated(tf: Any, folder: str) -> list[Any]:
    """Threads that stop together, and errors of theirs."""
    results: list[Any] = []
    coord = tf.train.Coordinator()
    counts = [0, 0]

    def count(place: int) -> None:
        while not coord.should_stop():
            counts[place] += 1
            if counts[place] >= 5:
                coord.request_stop()

    threads = [threading.Thread(target=count, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    coord.join(threads, stop_grace_period_secs=5)
    results += [coord.should_stop(), max(counts) == 5, coord.joined, coord.wait_for_stop(0.01)]
    coord.clear_stop()
    results += [coord.should_stop(), coord.joined, coord.wait_for_stop(0.01)]

    def breaks(error: BaseException) -> None:
        with coord.stop_on_exception():
            raise error

    for error in (KeyError("lost"), tf.errors.OutOfRangeError(None, None, "end")):
        thread = threading.Thread(target=breaks, args=(error,))
        thread.start()
        results += refused(lambda t=thread: coord.join([t]))
        coord.clear_stop()
    coord.register_thread(threading.Thread(target=lambda: None))

    def asks(error: Exception) -> None:
        try:
            raise error
        except Exception as raised:  # noqa: BLE001 - as programs write it
            coord.request_stop(raised)

    asks(ValueError("own"))
    asks(KeyError("later"))
    results += refused(coord.raise_requested_exception, coord.request_stop, coord.join)
    results += refused(lambda: asks(TypeError("late")))
    coord = tf.train.Coordinator(clean_stop_exception_types=(KeyError,))
    asks(KeyError("fine"))
    results += refused(coord.join)
    coord, seen = tf.train.Coordinator(), list[int]()

    def looping() -> None:
        seen.append(len(seen))
        if len(seen) == 3:
            coord.request_stop()

    looper = tf.train.LooperThread.loop(coord, None, looping)
    coord.join([looper])
    results += [seen, looper.is_alive()]
    with tf.Graph().as_default(), tf.Session() as session:
        coord = tf.train.Coordinator()
        results += [tf.train.start_queue_runners(session, coord), tf.train.start_queue_runners()]
        coord.request_stop()
        coord.join([])
    with tf.Graph().as_default():
        results += refused(tf.train.start_queue_runners)
    stuck = threading.Event()
    waiting = threading.Thread(target=stuck.wait, daemon=True)
    waiting.start()
    coord = tf.train.Coordinator()
    coord.request_stop()
    results += refused(lambda: coord.join([waiting], stop_grace_period_secs=0.01))
    coord.join([waiting], stop_grace_period_secs=0.01, ignore_live_threads=True)
    stuck.set()
    return results


@program
def shares_and_curves(tf: Any, folder: str) -> list[Any]:
    """More figures over batches: thresholds, areas, classes."""
    results: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as session:
        flags = tf.placeholder(tf.bool, [None])
        scores = tf.placeholder(tf.float32, [None])
        weights = tf.constant([1.0, 0.5, 2.0, 1.0])
        classes, chosen = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int64, [None])
        metrics, cuts = tf.metrics, [0.2, 0.5, 0.8]
        pairs = [
            metrics.auc(flags, scores),
            metrics.auc(flags, scores, weights, 20, curve="PR", name="pr",
                        summation_method="careful_interpolation"),
            metrics.auc(flags, scores, num_thresholds=5, summation_method="minoring"),
            metrics.auc(flags, scores, num_thresholds=5, curve="PR", summation_method="majoring"),
            metrics.true_positives(flags, scores > 0.5),
            metrics.false_positives(flags, scores > 0.5, weights),
            metrics.false_negatives(flags, scores > 0.5),
            metrics.true_negatives(flags, scores > 0.5, weights),
            metrics.precision_at_thresholds(flags, scores, cuts),
            metrics.recall_at_thresholds(flags, scores, cuts, weights),
            metrics.mean_iou(classes, chosen, 3),
            metrics.mean_per_class_accuracy(classes, chosen, 3, weights),
        ]  # fmt: skip
        values, updates = [list(part) for part in zip(*pairs)]
        session.run(tf.local_variables_initializer())
        for f, s, c, d in (
            ([1, 0, 1, 0], [0.9, 0.4, 0.35, 0.6], [0, 1, 2, 1], [0, 2, 2, 1]),
            ([0, 1, 1, 0], [0.1, 0.75, 0.5, 0.2], [2, 2, 0, 1], [2, 1, 0, 1]),
        ):
            feeds = {flags: f, scores: s, classes: c, chosen: d}
            results += session.run(updates, feeds)
        results += session.run(values)
        results.append([v.name for v in tf.local_variables()])
    return results


@program
def words_and_sounds(tf: Any, folder: str) -> list[Any]:
    """Messages for TensorBoard of text, sounds and tensors."""
    results: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as session:
        wave = np.sin(np.arange(40.0, dtype=np.float32)).reshape(2, 10, 2)
        made = [
            tf.summary.text("t", tf.constant(["a", "b"])),
            tf.summary.tensor_summary("n", tf.constant([[1, 2]]), "what", display_name="shown"),
            tf.summary.audio("s", wave, 8000.0, 1),
            tf.summary.audio("p", wave[..., 0] * 2.0, tf.constant(16000.0), family="f"),
        ]
        for message in made:
            for value in tf.Summary.FromString(session.run(message)).value:
                data = value.metadata.plugin_data
                results += [value.tag, data.plugin_name, value.metadata.display_name]
                results += [value.metadata.summary_description]
                results.append(tf.make_ndarray(value.tensor) if value.HasField("tensor") else 0)
                sound = value.audio
                results += [sound.sample_rate, sound.num_channels, sound.length_frames]
                results += [sound.content_type, list(sound.encoded_audio_string)]
        results.append([t.name for t in tf.get_collection("summaries")])
        results.append([node.op for node in tf.get_default_graph().as_graph_def().node])
        results += refused(lambda: tf.summary.text("t", tf.constant(1)))
    with tf.Graph().as_default():
        path = os.path.join(folder, "logs")
        writer = tf.summary.FileWriterCache.get(path)
        results.append(writer is tf.summary.FileWriterCache.get(path))
        tf.summary.FileWriterCache.clear()
        results.append(writer is tf.summary.FileWriterCache.get(path))
        tf.summary.FileWriterCache.clear()
    return results


@program
def more_training(tf: Any, folder: str) -> list[Any]:
    """Optimizers and rates that fewer programs use, and values of other checkpoints."""
    results: list[Any] = []
    path = os.path.join(folder, "m")
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([1.0, -2.0, 0.5], name="v")
        rows = tf.Variable([[1.0], [2.0], [3.0]], name="rows")
        loss = tf.reduce_sum((v - 1.0) ** 2) + tf.reduce_sum(tf.gather(rows, [0, 2, 0]) ** 2)
        optimizer = tf.train.AdadeltaOptimizer(0.5)
        train = optimizer.minimize(loss)
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        results += [*session.run([v, rows]), optimizer.get_slot_names()]
        results.append([v.op.name for v in tf.global_variables()])
        tf.train.Saver().save(session, path)
    reader = tf.train.NewCheckpointReader(path)
    results += [reader.has_tensor("v"), reader.get_tensor("v")]
    results += [sorted(reader.get_variable_to_shape_map())]
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("net"):
            v, other = tf.get_variable("v", [3]), tf.get_variable("other", [2, 1])
        rows = tf.get_variable("r", [3, 1])
        tf.train.init_from_checkpoint(path, {"v": "net/v", "rows": rows})
        results += refused(
            lambda: tf.train.init_from_checkpoint(path, {"nothing": "net/v"}),
            lambda: tf.train.init_from_checkpoint(path, {"v": "net/other"}),
            lambda: tf.train.init_from_checkpoint(path, {"v": "net/none"}),
        )
        session.run(tf.global_variables_initializer())
        results += [*session.run([v, rows]), session.run(other).shape]
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("v", [3])
        tf.train.init_from_checkpoint(path, {"/": "/"})
        session.run(tf.global_variables_initializer())
        results.append(session.run(w))
        steps = [0, 3, 10, 25]
        for alpha in (0.0, 0.1):
            rates = [tf.train.cosine_decay(0.5, tf.constant(s), 20, alpha) for s in steps]
            results.append([float(rate) for rate in session.run(rates)])
        tf.train.Saver().save(session, os.path.join(folder, "again"))
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(os.path.join(folder, "again.meta"))
        saver.restore(session, os.path.join(folder, "again"))
        results.append(session.run(tf.global_variables()[0]))
    return results
