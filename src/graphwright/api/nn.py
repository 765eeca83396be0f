"""`tf.nn`: the ops of neural networks."""

from graphwright.ops.activation import (
    crelu,
    elu,
    leaky_relu,
    relu,
    relu6,
    selu,
    softplus,
    softsign,
)
from graphwright.ops.bias import bias_add
from graphwright.ops.loss import (
    compute_average_loss,
    l2_loss,
    log_poisson_loss,
    scale_regularization_loss,
    sigmoid_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from graphwright.ops.moments import (
    moments,
    normalize_moments,
    sufficient_statistics,
    weighted_moments,
)
from graphwright.ops.normalization import (
    batch_norm_with_global_normalization,
    batch_normalization,
    l2_normalize,
    local_response_normalization,
)
from graphwright.ops.normalization import local_response_normalization as lrn
from graphwright.ops.softmax import (
    log_softmax,
    softmax,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from graphwright.ops.trigonometric import tanh

__all__ = (
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "compute_average_loss",
    "crelu",
    "elu",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "lrn",
    "moments",
    "normalize_moments",
    "relu",
    "relu6",
    "scale_regularization_loss",
    "selu",
    "sigmoid_cross_entropy_with_logits",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics",
    "tanh",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
)
