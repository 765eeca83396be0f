"""`tf.nn`: the ops of neural networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphwright.api import late
from graphwright.api.nn import experimental
from graphwright.ops.core.sorting import approx_max_k, approx_min_k, top_k
from graphwright.ops.math.counting import in_top_k, zero_fraction
from graphwright.ops.math.logistic import sigmoid
from graphwright.ops.math.trigonometric import tanh
from graphwright.ops.nn.activation import (
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
from graphwright.ops.nn.activation import silu as swish
from graphwright.ops.nn.losses import (
    l2_loss,
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from graphwright.ops.nn.normalization import (
    batch_norm_with_global_normalization,
    batch_normalization,
    l2_normalize,
    local_response_normalization,
)
from graphwright.ops.nn.normalization import local_response_normalization as lrn
from graphwright.ops.nn.softmax import (
    log_softmax,
    softmax,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)

if TYPE_CHECKING:
    from graphwright.library.distribute.average_losses import (
        compute_average_loss,
        scale_regularization_loss,
    )
    from graphwright.library.objects.ctc_results import ctc_beam_search_decoder, ctc_greedy_decoder
    from graphwright.ops.convolution.any_pooling import (
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
    from graphwright.ops.convolution.atrous import pool, with_space_to_batch
    from graphwright.ops.convolution.convolution import (
        conv2d,
        conv3d,
        depthwise_conv2d,
        depthwise_conv2d_backprop_filter,
        depthwise_conv2d_backprop_input,
    )
    from graphwright.ops.convolution.filtering import (
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
    from graphwright.ops.convolution.fractional_pooling import (
        fractional_avg_pool,
        fractional_max_pool,
    )
    from graphwright.ops.convolution.morphology import dilation2d, erosion2d
    from graphwright.ops.core.space_blocks import depth_to_space, space_to_batch, space_to_depth
    from graphwright.ops.math.isotonic import isotonic_regression
    from graphwright.ops.math.moments import (
        moments,
        normalize_moments,
        sufficient_statistics,
        weighted_moments,
    )
    from graphwright.ops.nn.bias import bias_add
    from graphwright.ops.nn.class_sampling import (
        all_candidate_sampler,
        compute_accidental_hits,
        fixed_unigram_candidate_sampler,
        learned_unigram_candidate_sampler,
        nce_loss,
        sampled_softmax_loss,
    )
    from graphwright.ops.nn.ctc import ctc_loss
    from graphwright.ops.nn.ctc_labels import collapse_repeated, ctc_unique_labels
    from graphwright.ops.nn.dropout import dropout
    from graphwright.ops.nn.embedding import embedding_lookup, embedding_lookup_sparse
    from graphwright.values.sparse.sparse_embedding import safe_embedding_lookup_sparse

#: Modules that the first use of one of their names imports: most programs need few of them.
_LATE = {
    "graphwright.library.distribute.average_losses": (
        "compute_average_loss",
        "scale_regularization_loss",
    ),
    "graphwright.library.objects.ctc_results": ("ctc_beam_search_decoder", "ctc_greedy_decoder"),
    "graphwright.ops.convolution.any_pooling": (
        "avg_pool",
        "avg_pool1d",
        "avg_pool2d",
        "avg_pool3d",
        "max_pool",
        "max_pool1d",
        "max_pool2d",
        "max_pool3d",
        "max_pool_with_argmax",
    ),
    "graphwright.ops.convolution.atrous": ("pool", "with_space_to_batch"),
    "graphwright.ops.convolution.convolution": (
        "conv2d",
        "conv3d",
        "depthwise_conv2d",
        "depthwise_conv2d_backprop_filter",
        "depthwise_conv2d_backprop_input",
    ),
    "graphwright.ops.convolution.filtering": (
        "atrous_conv2d",
        "atrous_conv2d_transpose",
        "conv1d",
        "conv1d_transpose",
        "conv2d_transpose",
        "conv3d_transpose",
        "conv_transpose",
        "convolution",
        "separable_conv2d",
    ),
    "graphwright.ops.convolution.fractional_pooling": (
        "fractional_avg_pool",
        "fractional_max_pool",
    ),
    "graphwright.ops.convolution.morphology": ("dilation2d", "erosion2d"),
    "graphwright.ops.core.space_blocks": ("depth_to_space", "space_to_batch", "space_to_depth"),
    "graphwright.ops.math.isotonic": ("isotonic_regression",),
    "graphwright.ops.math.moments": (
        "moments",
        "normalize_moments",
        "sufficient_statistics",
        "weighted_moments",
    ),
    "graphwright.ops.nn.bias": ("bias_add",),
    "graphwright.ops.nn.class_sampling": (
        "all_candidate_sampler",
        "compute_accidental_hits",
        "fixed_unigram_candidate_sampler",
        "learned_unigram_candidate_sampler",
        "nce_loss",
        "sampled_softmax_loss",
    ),
    "graphwright.ops.nn.ctc": ("ctc_loss",),
    "graphwright.ops.nn.ctc_labels": ("collapse_repeated", "ctc_unique_labels"),
    "graphwright.ops.nn.dropout": ("dropout",),
    "graphwright.ops.nn.embedding": ("embedding_lookup", "embedding_lookup_sparse"),
    "graphwright.values.sparse.sparse_embedding": ("safe_embedding_lookup_sparse",),
}

__getattr__ = late(__name__, _LATE)

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
