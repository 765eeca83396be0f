"""`tf.compat.v1.metrics`: figures over many batches, in local variables of a graph."""

from graphwright.portable.classic.figures.running_metrics import (
    accuracy,
    mean,
    mean_absolute_error,
    mean_squared_error,
    precision,
    recall,
    root_mean_squared_error,
)

__all__ = [
    "accuracy",
    "mean",
    "mean_absolute_error",
    "mean_squared_error",
    "precision",
    "recall",
    "root_mean_squared_error",
]
