"""What a file of a graph (`.meta`) gives: runs, collections, and a checkpoint that follows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np


def meta_file(folder: Path) -> Path:
    """The file of a graph in a folder."""
    (file,) = folder.glob("*.meta")
    return file


def outcome(tf: Any, folder: Path, runs: list[Any]) -> list[Any]:
    """What runs of a file's graph give, what the graph lists, and what a second saver restores."""
    file = meta_file(folder)
    path, results = str(file.with_suffix("")), []
    (folder / "again").mkdir()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        saver = tf.train.import_meta_graph(str(file))
        saver.restore(session, path)
        for fetches, feeds in runs:
            made = session.run(fetches, feeds)
            results.append([m for m in made if m is not None])
        results.append(listed(tf, graph))
        again = saver.save(session, str(folder / "again" / "model"), write_state=False)
        results.append([[name, list(shape)] for name, shape in tf.train.list_variables(again)])
        session.run([v.initializer for v in tf.global_variables()])
        saver.restore(session, again)
        results.append(session.run(runs[0][0], runs[0][1]))
    with tf.Graph().as_default(), tf.Session() as session:  # what was written then, in a scope
        x = tf.identity(next(iter(runs[0][1].values())))
        saver = tf.train.import_meta_graph(
            again + ".meta", import_scope="inner", input_map={"x:0": x}
        )
        saver.restore(session, again)
        rest = {f"inner/{k}": v for k, v in runs[0][1].items() if k != "x:0"}
        results.append(session.run([f"inner/{name}" for name in runs[0][0]], rest))
        results.append([v.name for v in tf.trainable_variables()])
    return results


def listed(tf: Any, graph: Any) -> list[Any]:
    """What a graph lists: names of variables, operations and tensors, and other values."""
    variables = [[v.name, v.dtype.base_dtype.name, v.trainable] for v in tf.global_variables()]
    keys = ["train_op", "out", "sizes", "names", "rates"]
    items = [[getattr(i, "name", i) for i in graph.get_collection(key)] for key in keys]
    return [variables, items]


def unlike(made: Any, recorded: Any, where: str = "result") -> Iterator[str]:
    """Where results differ by more than float32 allows."""
    if isinstance(recorded, list) and isinstance(made, list):
        if len(made) != len(recorded):
            yield f"{where}: {made}, not {recorded}"
            return
        for place, pair in enumerate(zip(made, recorded)):
            yield from unlike(*pair, f"{where}[{place}]")
    elif isinstance(recorded, float):
        if not np.allclose(made, recorded, 2e-5, 2e-6):
            yield f"{where}: {made}, not {recorded}"
    elif made != recorded:
        yield f"{where}: {made}, not {recorded}"
