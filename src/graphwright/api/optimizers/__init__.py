"""`tf.optimizers`: optimizers by Keras's names."""

from graphwright.api.optimizers import schedules
from graphwright.edge.optimizer import Optimizer
from graphwright.edge.optimizers import SGD, Adagrad, Adam, AdamW, RMSprop

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "schedules"]
