"""`tf.nn`: the ops of neural networks."""

from graphwright.api.nn import experimental
from graphwright.edge.ctc_decoding import (
    ctc_beam_search_decoder,
    ctc_greedy_decoder,
)
from graphwright.ops.activation import (
    crelu,
    elu,
    gelu,
    leaky_relu,
    relu,
    relu6,
    selu,
    silu,
    softplus,
    softsign,
)
from graphwright.ops.activation import silu as swish
from graphwright.ops.atrous import pool, with_space_to_batch
from graphwright.ops.bias import bias_add
from graphwright.ops.blocks import depth_to_space, space_to_batch, space_to_depth
from graphwright.ops.candidates import (
    all_candidate_sampler,
    compute_accidental_hits,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    nce_loss,
    sampled_softmax_loss,
)
from graphwright.ops.convolution import (
    conv2d,
    conv3d,
    depthwise_conv2d,
    depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input,
)
from graphwright.ops.counting import in_top_k, zero_fraction
from graphwright.ops.ctc import ctc_loss
from graphwright.ops.ctc_labels import (
    collapse_repeated,
    ctc_unique_labels,
)
from graphwright.ops.dropout import dropout
from graphwright.ops.embedding import embedding_lookup, embedding_lookup_sparse
from graphwright.ops.filtering import (
    atrous_conv2d,
    atrous_conv2d_transpose,
    conv1d,
    conv1d_transpose,
    conv2d_transpose,
    conv3d_transpose,
    conv_transpose,
    convolution,
    separable_conv2d,
)
from graphwright.ops.fractional_pooling import (
    fractional_avg_pool,
    fractional_max_pool,
)
from graphwright.ops.isotonic import isotonic_regression
from graphwright.ops.logistic import sigmoid
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
from graphwright.ops.morphology import dilation2d, erosion2d
from graphwright.ops.normalization import (
    batch_norm_with_global_normalization,
    batch_normalization,
    l2_normalize,
    local_response_normalization,
)
from graphwright.ops.normalization import local_response_normalization as lrn
from graphwright.ops.pool import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_with_argmax,
)
from graphwright.ops.softmax import (
    log_softmax,
    softmax,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from graphwright.ops.sorting import approx_max_k, approx_min_k, top_k
from graphwright.ops.trigonometric import tanh
from graphwright.values.sparse.embedding import safe_embedding_lookup_sparse

__all__ = (
    "all_candidate_sampler",
    "approx_max_k",
    "approx_min_k",
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "collapse_repeated",
    "compute_accidental_hits",
    "compute_average_loss",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "ctc_beam_search_decoder",
    "ctc_greedy_decoder",
    "ctc_loss",
    "ctc_unique_labels",
    "depth_to_space",
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "dilation2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "embedding_lookup_sparse",
    "erosion2d",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fractional_avg_pool",
    "fractional_max_pool",
    "gelu",
    "in_top_k",
    "isotonic_regression",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "learned_unigram_candidate_sampler",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_with_argmax",
    "moments",
    "nce_loss",
    "normalize_moments",
    "pool",
    "relu",
    "relu6",
    "safe_embedding_lookup_sparse",
    "sampled_softmax_loss",
    "scale_regularization_loss",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "with_space_to_batch",
    "zero_fraction",
)
