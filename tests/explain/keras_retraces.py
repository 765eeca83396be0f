"""Programs of Keras that trace again: what explains them, and what is left with the fix.

Prints a JSON object with the report on each, and the traces of a program with the fix.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import graphwright
from graphwright.base.logs import LOGGER

graphwright.install_as_tensorflow()

import keras  # noqa: E402
import numpy as np  # noqa: E402

from graphwright.explain.report import Report  # noqa: E402

Step = Callable[[Any, Any, Any], object]
ROWS = np.random.default_rng(0).standard_normal((16, 5, 3)).astype("float32")


class Collector(logging.Handler):
    """A handler that keeps records."""

    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__()
        self.records = records

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


def dense(steps: int = 1) -> Any:
    """A model of rows."""
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", steps_per_execution=steps)
    return model


def recurrent(steps: int = 1) -> Any:
    """A model of sequences."""
    layers = [keras.layers.Input((None, 3)), keras.layers.GlobalMaxPooling1D()]
    model = keras.Sequential([*layers, keras.layers.Dense(1)])
    model.compile("sgd", "mse", steps_per_execution=steps)
    return model


def targets(x: Any) -> Any:
    """A target for each row."""
    return np.ones((len(x), 1), "float32")


def batched(x: Any, y: Any, size: int, drop_remainder: bool) -> Any:
    """A dataset of batches."""
    dataset = graphwright.data.Dataset.from_tensor_slices((x, y))
    return dataset.batch(size, drop_remainder=drop_remainder)


#: The model, the values of x for each step, and the step.
PROGRAMS: dict[str, tuple[Any, list[Any], Step]] = {
    "tail": (
        dense, [ROWS[:10, 0]], lambda model, x, y: model.predict(x, batch_size=4, verbose=0),
    ),
    "executions": (
        lambda: dense(3), [ROWS[:, 0], ROWS[:8, 0]],
        lambda model, x, y: model.predict(x, batch_size=2, verbose=0),
    ),
    "rows": (
        dense, [ROWS[:n, 0] for n in (8, 4, 3)],
        lambda model, x, y: model.predict_on_batch(x),
    ),
    "training rows": (
        dense, [ROWS[:n, 0] for n in (8, 4, 3)],
        lambda model, x, y: model.train_on_batch(x, y),
    ),
    "lengths": (
        recurrent, [ROWS[:4, :n] for n in (5, 4, 3)],
        lambda model, x, y: model.predict_on_batch(x),
    ),
    "drop_remainder": (
        dense, [ROWS[:n, 0] for n in (8, 4, 3)],
        lambda model, x, y: model.fit(batched(x, y, len(x), True), verbose=0),
    ),
    "dtypes": (
        dense, [ROWS[:4, 0], ROWS[:4, 0].astype("int64")],
        lambda model, x, y: model.predict(x, verbose=0),
    ),
}  # fmt: skip


def report_of(model: Any) -> Report:
    """The one report on the functions of a model."""
    [report] = graphwright.explain.reports(model)
    return report


def facts(report: Report) -> dict[str, Any]:
    """What is told about a program."""
    [cause] = report.causes
    fix = cause.best
    return {
        "name": report.name,
        "place": report.place,
        "callers": sorted({trace.caller for trace in report.traces}),
        "traces": len(report.traces),
        "sentence": cause.sentence,
        "code": fix.code if fix else "",
        "promised": fix.traces if fix else 0,
    }


def explained(make: Any, inputs: list[Any], step: Step) -> dict[str, Any]:
    """A program as it is, then as its fix has it."""
    model = make()
    for x in inputs:
        step(model, x, targets(x))
    told = facts(report_of(model))
    model = make()
    for x in inputs:
        y = targets(x)
        names = {"model": model, "x": x, "y": y, "np": np, "keras": keras, "n": len(x)}
        names["dataset"] = graphwright.data.Dataset.from_tensor_slices((x, y))
        exec(told["code"], names)
    return {**told, "left": len(report_of(model).traces)}


def rebuilt() -> dict[str, Any]:
    """Models that a loop builds, the warning about them, and one model with the fix."""
    records: list[logging.LogRecord] = []
    LOGGER.addHandler(Collector(records))
    x = ROWS[:4, 0]
    for _ in range(6):
        model = dense()
        model.fit(x, targets(x), verbose=0)
    told = facts(report_of(model))
    before, *after = told["code"].splitlines()
    model = dense()
    names: dict[str, Any] = {"model": model, "x": x, "y": targets(x)}
    exec(before, names)
    losses = []
    for _ in range(3):
        exec("\n".join(after).replace("model.fit(x, y)", "last = model.fit(x, y)"), names)
        losses.append(names["last"].history["loss"][0])
    left = len(report_of(model).traces)
    texts = [getattr(record, "explanation", "") or record.getMessage() for record in records]
    warning = next(text for text in texts if "models" in text)
    return {**told, "left": left, "losses": losses, "warning": warning}


def weighted() -> dict[str, Any]:
    """Weights in some calls only, then in every one."""
    x = ROWS[:4, 0]
    counts = []
    for absent in (None, np.ones(len(x), "float32")):
        model = dense()
        for weights in (absent, np.full(len(x), 0.5, "float32")):
            model.fit(x, targets(x), sample_weight=weights, verbose=0)
        report = report_of(model)
        counts.append(len(report.traces))
        if absent is None:
            told = facts(report)
    return {**told, "left": counts[1]}


def numbers() -> dict[str, Any]:
    """A Python number that a program's own function takes beside a model."""
    model = dense()

    @graphwright.function
    def scaled(x: Any, factor: Any) -> Any:
        return model(x) * factor

    for factor in (1.0, 2.0, 3.0):
        scaled(ROWS[:4, 0], factor)
    return facts(scaled.explain())


if __name__ == "__main__":
    made = {name: explained(*program) for name, program in PROGRAMS.items()}
    made |= {"rebuilt": rebuilt(), "weights": weighted(), "numbers": numbers()}
    print(json.dumps(made))
