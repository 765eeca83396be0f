"""`tf.compat.v1.metrics`: figures over many batches, in local variables of a graph."""

from graphwright.portable.classic.figures.class_metrics import mean_iou, mean_per_class_accuracy
from graphwright.portable.classic.figures.running_metrics import (
    accuracy,
    mean,
    mean_absolute_error,
    mean_squared_error,
    precision,
    recall,
    root_mean_squared_error,
)
from graphwright.portable.classic.figures.threshold_metrics import (
    auc,
    false_negatives,
    false_positives,
    precision_at_thresholds,
    recall_at_thresholds,
    true_negatives,
    true_positives,
)

__all__ = [
    "accuracy",
    "auc",
    "false_negatives",
    "false_positives",
    "mean",
    "mean_absolute_error",
    "mean_iou",
    "mean_per_class_accuracy",
    "mean_squared_error",
    "precision",
    "precision_at_thresholds",
    "recall",
    "recall_at_thresholds",
    "root_mean_squared_error",
    "true_negatives",
    "true_positives",
]
