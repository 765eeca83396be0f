"""Input pipelines: `tf.data` beside TensorFlow's, PyTorch's loader, Grain, and NumPy by hand."""

from __future__ import annotations

from benchmarks.data import cost_rows, file_rows, group_rows, image_rows, number_rows, python_rows
from benchmarks.workload import Workload

TABLE: tuple[Workload, ...] = (
    *number_rows.TABLE,
    *image_rows.TABLE,
    *file_rows.TABLE,
    *python_rows.TABLE,
    *group_rows.TABLE,
    *cost_rows.TABLE,
)
